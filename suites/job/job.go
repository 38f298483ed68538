// Package job has the specs of Jobs, one file for each behaviour. Importing it
// registers them with Ginkgo. A spec's name is the field or the topic, a colon and
// a sentence: "Job parallelism: the controller runs one pod at a time if it is not set".
//
// Specs check what a user may rely on, not how a controller achieves it: neither the
// order in which it creates pods nor the number of its writes. Invariants, which hold
// at every revision of every spec, are checked at the end of each spec and are not
// repeated here.
package job

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
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

func names(pods framework.Pods) []string {
	var out []string
	for _, p := range pods {
		out = append(out, p.Name)
	}
	return out
}

// others returns the pods without those in than.
func others(pods framework.Pods, than ...framework.Pod) framework.Pods {
	known := names(than)
	return slices.DeleteFunc(slices.Clone(pods), func(p framework.Pod) bool { return slices.Contains(known, p.Name) })
}

// tracked returns the pods with the finalizer that tracks them.
func tracked(pods framework.Pods) framework.Pods {
	return slices.DeleteFunc(slices.Clone(pods), func(p framework.Pod) bool {
		return !slices.Contains(p.Finalizers, batchv1.JobTrackingFinalizer)
	})
}

// release has pods that terminate later end with an exit code.
func release(ctx context.Context, s *framework.Sandbox, exitCode string, pods ...framework.Pod) {
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

// podsReach waits until n pods are in a phase.
func podsReach(s *framework.Sandbox, phase corev1.PodPhase, n int) {
	GinkgoHelper()
	s.Soon(fmt.Sprintf("%d pods are %s", n, phase), func(g Gomega) { g.Expect(s.InPhase(phase)).To(HaveLen(n)) })
}

// isBeingDeleted waits until a pod has a deletionTimestamp.
func isBeingDeleted(s *framework.Sandbox, pod string) {
	GinkgoHelper()
	s.Soon("pod "+pod+" is being deleted", func(g Gomega) {
		g.Expect(podNamed(s, pod).DeletionTimestamp).NotTo(BeNil())
	})
}

// becomes waits until a condition of the Job is True.
func becomes(s *framework.Sandbox, condition batchv1.JobConditionType) {
	GinkgoHelper()
	s.Soon(fmt.Sprintf("the Job is %s", condition), func(g Gomega) {
		g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(condition))
	})
}

// suspended waits until the Job is Suspended and has these counters.
func suspended(s *framework.Sandbox, want Counters) {
	GinkgoHelper()
	s.Soon("the Job is Suspended", func(g Gomega) {
		g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobSuspended))
		g.Expect(CountersOf(s.Job("a"))).To(Equal(want))
	})
}

// failsLater waits until the Job has FailureTarget for a reason while its n last pods
// terminate, and expects that it is not Failed before they have ended.
func failsLater(s *framework.Sandbox, reason string, n int32) {
	GinkgoHelper()
	s.Soon("the Job has FailureTarget, and its last pods terminate", func(g Gomega) {
		g.Expect(TrueConditions(s.Job("a"))).To(HaveKeyWithValue(batchv1.JobFailureTarget, reason))
		g.Expect(CountersOf(s.Job("a"))).To(And(HaveField("Active", int32(0)), HaveField("Terminating", n)))
	})
	s.Stays("the Job is not Failed", func(g Gomega) {
		g.Expect(TrueConditions(s.Job("a"))).NotTo(HaveKey(batchv1.JobFailed))
	})
	s.Soon("no pod is active", func(g Gomega) { // the status may have been behind
		g.Expect(s.Job("a").Status.Active).To(BeZero())
	})
}

// because returns conditions as TrueConditions does, all with one reason.
func because(reason string, kinds ...batchv1.JobConditionType) map[batchv1.JobConditionType]string {
	conditions := map[batchv1.JobConditionType]string{}
	for _, kind := range kinds {
		conditions[kind] = reason
	}
	return conditions
}

// endOf returns when the container of a failed pod ended.
func endOf(s *framework.Sandbox, pod string) time.Time {
	GinkgoHelper()
	return podNamed(s, pod).Status.ContainerStatuses[0].State.Terminated.FinishedAt.Time
}

// failuresCounted waits until the failures of these pods are counted, and expects
// these counters: the replacements are not due yet. It skips the spec if a busy
// kubelet reported the last failure when the first back-off was almost over.
func failuresCounted(s *framework.Sandbox, failed framework.Pods, want Counters) {
	GinkgoHelper()
	s.Soon("the failures are counted", func(g Gomega) {
		g.Expect(CountersOf(s.Job("a")).Failed).To(Equal(want.Failed))
	})
	if took := reportedWithin(s, failed); took > firstBackoff-2*time.Second {
		Skip(fmt.Sprintf("not verified: the kubelet reported the last failure %s after the first", took))
	}
	Expect(CountersOf(s.Job("a"))).To(Equal(want))
}

// reportedWithin returns the time from the first failure of these pods until all
// failures were reported.
func reportedWithin(s *framework.Sandbox, pods framework.Pods) time.Duration {
	var first, last time.Time
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
	return last.Sub(first)
}
