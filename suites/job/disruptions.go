package job

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// In these specs, pods are disrupted as the scheduler, the controllers of taints and of pods' garbage, and the
// kubelet do it. Eviction is in podfailurepolicy.go.
var _ = Describe("Job podFailurePolicy:", behaviour.PodFailurePolicy, func() {
	// Wrong: knows the reason of evictions alone, and counts the others.
	DescribeTable("the controller replaces, without counting it, a pod that matches Ignore as it is disrupted",
		func(ctx SpecContext, disrupt func(*framework.Sandbox, framework.Pod)) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a").BackoffLimit(0).FinishedAgo(longAgo).PodFailurePolicy(
				onConditions(ignore, pattern(corev1.DisruptionTarget, "")), onExitCodes(failJob, notIn, 1)))
			disrupt(s, job.Runs(1)[0])
			successor(s, job, 2, Counters{Active: 1, Ready: 1}).End(0)
			job.CompletesWith(2, Counters{Succeeded: 1})
		}, disruptions())

	// Wrong: ignores disrupted pods, whatever the rules say.
	DescribeTable("the controller counts a pod that matches Count as it is disrupted",
		func(ctx SpecContext, disrupt func(*framework.Sandbox, framework.Pod)) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a").BackoffLimit(0).FinishedAgo(longAgo).PodFailurePolicy(
				onConditions(count, pattern(corev1.DisruptionTarget, "")), onExitCodes(failJob, notIn, 1)))
			disrupt(s, job.Runs(1)[0])
			job.FailsWith(1, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
		}, disruptions())
})

func disruptions() []TableEntry {
	const because = "a kubelet overwrites the status of its pods"
	return []TableEntry{
		Entry("by preemption", covers.Requirements(MatchesDisruptions),
			deletedFor(corev1.PodReasonPreemptionByScheduler)),
		Entry("by a taint", covers.Requirements(MatchesDisruptions), deletedFor("DeletionByTaintManager")),
		Entry("by the garbage collector of pods", framework.Simulated(because),
			covers.Requirements(MatchesDisruptions), collected),
		Entry("by the shutdown of its node", framework.Simulated(because),
			covers.Requirements(MatchesDisruptions), shutDown),
	}
}

// deletedFor returns what disrupts a pod by its deletion.
func deletedFor(reason string) func(*framework.Sandbox, framework.Pod) {
	return func(s *framework.Sandbox, pod framework.Pod) {
		GinkgoHelper()
		addConditionFor(s, pod, corev1.DisruptionTarget, corev1.ConditionTrue, reason)
		pod.Delete()
	}
}

// collected disrupts a pod whose node is gone: it has not been ready since, and how its containers ended is not
// known.
func collected(s *framework.Sandbox, pod framework.Pod) {
	GinkgoHelper()
	pod.ChangeStatus(func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodFailed
		p.Status.Conditions = disrupted(p, "DeletionByPodGC")
	})
	deleteWithin(s, pod, 0)
}

// shutDown disrupts a pod as its kubelet does when the node is shut down: it stays.
func shutDown(_ *framework.Sandbox, pod framework.Pod) {
	GinkgoHelper()
	pod.ChangeStatus(func(p *corev1.Pod) {
		p.Status.Phase, p.Status.Reason = corev1.PodFailed, "Terminated"
		p.Status.Conditions = disrupted(p, corev1.PodReasonTerminationByKubelet)
		ended := metav1.NewTime(time.Now().Add(-time.Hour))
		for i := range p.Status.ContainerStatuses {
			p.Status.ContainerStatuses[i].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: 137, Reason: "Error", StartedAt: ended, FinishedAt: ended}}
		}
	})
}

// disrupted returns the conditions of a pod that is disrupted, and not ready since long ago.
func disrupted(pod *corev1.Pod, reason string) []corev1.PodCondition {
	since := metav1.NewTime(time.Now().Add(-time.Hour))
	conditions := []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue, Reason: reason,
		LastTransitionTime: since}}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady || c.Type == corev1.ContainersReady {
			c.Status, c.LastTransitionTime = corev1.ConditionFalse, since
		}
		conditions = append(conditions, c)
	}
	return conditions
}
