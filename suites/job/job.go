// Package job has the specs of Jobs, one file for each behaviour. Importing it
// registers them with Ginkgo. A spec's name is the field or the topic, a colon and
// a sentence: "Job parallelism: the controller runs one pod at a time if parallelism is not set".
//
// Specs check what a user may rely on, not how a controller achieves it: neither the
// order in which it creates pods nor the number of its writes. Invariants, which hold
// at every revision of every spec, are checked at the end of each spec and are not
// repeated here.
package job

import (
	"fmt"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// Counters are the counters of a Job's status.
type Counters = framework.Counters

// longAgo is longer than the longest back-off: the controller replaces a pod that
// failed so long ago without delay.
const longAgo = "1h"

// firstBackoff is the delay before the first failed pod is replaced; it doubles with
// each further failure.
const firstBackoff = kinds.FirstBackoff

// terminateLater has a deleted pod terminate until the spec releases it.
var terminateLater = map[string]string{puppet.Terminate: puppet.Hold}

// tracked returns the pods with the finalizer that tracks them.
func tracked(pods framework.Pods) framework.Pods {
	return slices.DeleteFunc(slices.Clone(pods), func(p framework.Pod) bool {
		return !slices.Contains(p.Finalizers, batchv1.JobTrackingFinalizer)
	})
}

// release has pods that terminate later end with an exit code.
func release(exitCode string, pods ...framework.Pod) {
	GinkgoHelper()
	for _, pod := range pods {
		pod.Direct(map[string]string{puppet.Terminate: exitCode, puppet.FinishedAgo: longAgo})
	}
}

func podNamed(s *framework.Sandbox, name string) *corev1.Pod {
	GinkgoHelper()
	pods := s.Pods()
	i := slices.IndexFunc(pods, func(p framework.Pod) bool { return p.Name == name })
	Expect(i).To(BeNumerically(">=", 0), "pod "+name)
	return pods[i].DeepCopy()
}

// indexed returns an Indexed Job that runs n indexes at once.
func indexed(n int32) *puppet.JobBuilder {
	return puppet.Job("a").Indexed().Parallelism(n).Completions(n)
}

// withSidecar adds an init container that runs beside the others until they have ended.
func withSidecar(j *batchv1.Job) {
	always := corev1.ContainerRestartPolicyAlways
	template := &j.Spec.Template.Spec
	template.InitContainers = append(template.InitContainers,
		corev1.Container{Name: "sidecar", Image: puppet.Placeholder, RestartPolicy: &always})
}

// podsReach waits until n pods are in a phase.
func podsReach(s *framework.Sandbox, phase corev1.PodPhase, n int) {
	GinkgoHelper()
	s.Soon(fmt.Sprintf("%d pods are %s", n, phase), func(g Gomega) { g.Expect(s.InPhase(phase)).To(HaveLen(n)) })
}

// isBeingDeleted waits until a pod has a deletionTimestamp.
func isBeingDeleted(s *framework.Sandbox, pod framework.Pod) {
	GinkgoHelper()
	s.Soon("pod "+pod.Name+" is being deleted", func(g Gomega) {
		g.Expect(pod.Now().DeletionTimestamp).NotTo(BeNil())
	})
}

// failsLater waits until the Job has FailureTarget for a reason while its n last pods
// terminate, and expects that it is not Failed before they have ended.
func failsLater(s *framework.Sandbox, job *framework.Job, reason string, n int32) {
	GinkgoHelper()
	s.Soon("the Job has FailureTarget, and its last pods terminate", func(g Gomega) {
		g.Expect(job.Conditions()).To(HaveKeyWithValue(batchv1.JobFailureTarget, reason))
		job.ReportsActive(g, 0)
		job.ReportsTerminating(g, n)
	})
	s.Stays("the Job is not Failed", func(g Gomega) {
		g.Expect(job.Conditions()).NotTo(HaveKey(batchv1.JobFailed))
	})
	s.Soon("no pod is active", func(g Gomega) { // the status may have been behind
		job.ReportsActive(g, 0)
	})
}

// because returns conditions as Job.Conditions does, all with one reason.
func because(reason string, kinds ...batchv1.JobConditionType) map[batchv1.JobConditionType]string {
	conditions := map[batchv1.JobConditionType]string{}
	for _, kind := range kinds {
		conditions[kind] = reason
	}
	return conditions
}

// failuresCounted waits until the failures of these pods are counted, and expects
// these counters: the replacements are not due yet. It skips the spec if a busy
// kubelet reported the last failure, or a busy machine the counters, when the first back-off was almost over.
func failuresCounted(s *framework.Sandbox, job *framework.Job, failed framework.Pods, want Counters) {
	GinkgoHelper()
	s.Soon("the failures are counted", func(g Gomega) {
		g.Expect(job.Counters().Failed).To(Equal(want.Failed), "status.failed")
	})
	const almost = firstBackoff - 2*time.Second
	first, last := reported(s, failed)
	if took := last.Sub(first); took > almost {
		Skip(fmt.Sprintf("not verified: the kubelet reported the last failure %s after the first", took))
	}
	if took := time.Since(first); took > almost && s.Lost() > 0 {
		Skip(fmt.Sprintf("not verified: on the busy machine, the failures were counted %s after the first", took))
	}
	job.ReportsNow(want)
}

// reported returns when the first of these pods failed, and when all failures had been reported.
func reported(s *framework.Sandbox, pods framework.Pods) (first, last time.Time) {
	for _, pod := range pods {
		for _, r := range s.History().Pods(pod.Name) {
			if p := r.Pod(); p.Status.Phase == corev1.PodFailed {
				ended := p.Status.ContainerStatuses[0].State.Terminated.FinishedAt.Time
				if first.IsZero() || ended.Before(first) {
					first = ended
				}
				if r.At.After(last) {
					last = r.At
				}
				break
			}
		}
	}
	return first, last
}
