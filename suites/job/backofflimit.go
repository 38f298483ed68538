package job

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// Sources, where a spec names no other: batch/v1 JobSpec.backoffLimit and
// JobStatus.failed; https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy.
var _ = Describe("backoffLimit", Label("area:job", "behaviour:backoffLimit"), func() {

	// Wrong: tries once more, or fails without saying why.
	It("of 0 fails the Job with its first failed pod", Covers(FailsBeyondBackoffLimit, NoCompletionTimeOnFailure, ReleasesBeforeFinish), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(0).ExitCodes("1").FinishedAgo(longAgo))

		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
		Expect(s.Job("a").Status.CompletionTime).To(BeNil())
		Expect(tracked(s.Pods())).To(BeEmpty())
		s.Stays("there is no second pod", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(1)) })
		Expect(s.InPhase(corev1.PodFailed)).To(HaveLen(1))
	})

	// Source: KEP-3998 and batch/v1 JobFailureTarget.
	It("is the reason that the conditions give", Covers(FailedIsAnnounced), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(0).ExitCodes("1"))

		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
		Expect(TrueConditions(s.Job("a"))).To(Equal(map[batchv1.JobConditionType]string{
			batchv1.JobFailureTarget: batchv1.JobReasonBackoffLimitExceeded,
			batchv1.JobFailed:        batchv1.JobReasonBackoffLimitExceeded,
		}))
	})

	It("is how many failed pods are replaced", Covers(RetriesWithinBackoffLimit), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(2).ExitCodes("1").FinishedAgo(longAgo))

		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 3})
		Expect(s.Created()).To(HaveLen(3))
	})

	// "Defaults to 6."
	It("is 6 when it is not set", Covers(BackoffLimitIsSix), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(7).Completions(7))

		pods := Running(s, "a", 7)
		s.End(ctx, 1, pods[:6]...)
		failuresCounted(s, pods[:6], Counters{Active: 1, Ready: 1, Failed: 6})
		Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		s.End(ctx, 1, pods[6])
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 7})
		Expect(s.Created()).To(HaveLen(7))
	})

	// Wrong: counts failures in a row.
	It("counts all failures, whatever succeeds in between", Covers(SuccessesDoNotResetFailures), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Completions(2).BackoffLimit(1).FinishedAgo(longAgo))

		s.End(ctx, 1, Running(s, "a", 1)...)
		Counts(s, "a", "the failed pod is replaced", Counters{Active: 1, Ready: 1, Failed: 1})
		s.End(ctx, 0, s.Active()...)
		Counts(s, "a", "the next pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1, Failed: 1})
		s.End(ctx, 1, s.Active()...)
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Succeeded: 1, Failed: 2})
	})

	// Wrong: stops counting when the limit is exceeded.
	It("counts every one of several pods that fail at once", Covers(CountsFailuresBeyondTheLimit), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(5).Completions(5).BackoffLimit(2))

		s.End(ctx, 1, Running(s, "a", 5)...)
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 5})
		Expect(s.Created()).To(HaveLen(5))
	})

	// Wrong: leaves running pods behind, or forgets those that succeeded.
	It("when exceeded removes the pods that still run, and only those", Covers(DeletesActivePodsOnFailure), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(3).Completions(3).BackoffLimit(0))

		pods := Running(s, "a", 3)
		s.End(ctx, 0, pods[0])
		Counts(s, "a", "the success is counted", Counters{Active: 2, Ready: 2, Succeeded: 1})
		s.End(ctx, 1, pods[1])
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Succeeded: 1, Failed: 2})
		s.Soon("the pod that ran is gone, the others are there", func(g Gomega) {
			g.Expect(names(s.Pods())).To(ConsistOf(pods[0].Name, pods[1].Name))
			g.Expect(tracked(s.Pods())).To(BeEmpty())
		})
	})

	// Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions; #123775.
	It("when exceeded is declared at once, but the Job has Failed only when its last pod has ended", Covers(FailedAfterAllPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0).
			Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := Running(s, "a", 2)
		s.End(ctx, 1, pods[0])
		s.Soon("the Job is about to fail, and its other pod is terminating", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKeyWithValue(batchv1.JobFailureTarget, batchv1.JobReasonBackoffLimitExceeded))
			g.Expect(CountersOf(s.Job("a"))).To(HaveField("Terminating", int32(1)))
		})
		s.Stays("it has not failed", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).NotTo(HaveKey(batchv1.JobFailed))
		})
		release(ctx, s, "143", pods[1])
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
	})

	// Source: #109485. Wrong: counts it twice, or takes the Job for complete.
	It("when exceeded is not undone by a pod that still succeeds", Covers(LateSuccessDoesNotSave, OneVerdict), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).BackoffLimit(0).
			Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := Running(s, "a", 2)
		s.End(ctx, 1, pods[0])
		s.Soon("the other pod is terminating", func(g Gomega) {
			g.Expect(podNamed(s, pods[1].Name).DeletionTimestamp).NotTo(BeNil())
		})
		release(ctx, s, "0", pods[1])
		s.Soon("the Job has Failed, and both pods are counted", func(g Gomega) {
			job := s.Job("a")
			g.Expect(TrueConditions(job)).To(HaveKeyWithValue(batchv1.JobFailed, batchv1.JobReasonBackoffLimitExceeded))
			g.Expect(job.Status.Failed + job.Status.Succeeded).To(BeEquivalentTo(2))
			g.Expect(tracked(s.Pods())).To(BeEmpty())
		})
	})

	// Wrong: starts the next pod at once, or as if none had failed.
	It("leaves 10 s after the first failure", Covers(FirstBackoff), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").FinishedAgo("6s"))

		s.End(ctx, 1, Running(s, "a", 1)...)
		expectNextPodAfter(s, firstBackoff)
	})

	It("leaves 20 s after the second failure", Covers(BackoffDoubles), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").FinishedAgo(longAgo))

		s.End(ctx, 1, Running(s, "a", 1)...)
		Counts(s, "a", "the first failure is counted and the second pod runs", Counters{Active: 1, Ready: 1, Failed: 1})
		s.Direct(ctx, s.Active()[0], map[string]string{puppet.FinishedAgo: "16s", puppet.ExitCodes: "1"})
		expectNextPodAfter(s, 2*firstBackoff)
	})

	// After eight failures it would be 21 min without an end. Wrong: doubles on.
	It("leaves no more than 10 min after any failure", Covers(BackoffIsLimited), framework.Simulated("a kubelet stamps its own time"), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(8).Completions(8).BackoffLimit(20).FinishedAgo("11m"))

		s.End(ctx, 1, Running(s, "a", 8)...)
		Counts(s, "a", "all are replaced", Counters{Active: 8, Ready: 8, Failed: 8})
		Expect(s.Created()).To(HaveLen(16))
	})

	// Source: #63650, #62382. Three failures put the next pod off for 40 s,
	// which is longer than any reaction may take.
	It("starts the next pod without delay once another has succeeded", Covers(SuccessEndsBackoff), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(4).Completions(4))

		pods := Running(s, "a", 4)
		s.End(ctx, 1, pods[:3]...)
		failuresCounted(s, pods[:3], Counters{Active: 1, Ready: 1, Failed: 3})
		s.End(ctx, 0, pods[3])
		Counts(s, "a", "all that is left is started", Counters{Active: 3, Ready: 3, Succeeded: 1, Failed: 3})
		Expect(s.Created()).To(HaveLen(7))
		last := s.Created()[6].CreationTimestamp
		Expect(last.Sub(podNamed(s, pods[0].Name).Status.ContainerStatuses[0].State.Terminated.FinishedAt.Time)).To(
			BeNumerically("<", 4*firstBackoff-time.Second), "time between the first failure and the last pod")
	})

	// Source: #139428, which kube-controller-manager v1.36.1 has.
	It("does not keep the status from being up to date while the next pod is put off", Covers(StatusDuringBackoff), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2))

		pods := Running(s, "a", 2)
		s.End(ctx, 1, pods[0])
		failuresCounted(s, pods[:1], Counters{Active: 1, Ready: 1, Failed: 1})
		s.Soon("the failed pod is free", func(g Gomega) {
			g.Expect(names(tracked(s.Pods()))).To(ConsistOf(pods[1].Name))
		})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source: JobSpec.podReplacementPolicy; KEP-2307. Wrong: only looks at the
	// phase, and so replaces pods without end.
	It("includes pods that somebody else deletes", Covers(DeletedPodsFail), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(1))

		s.Remove(ctx, Running(s, "a", 1)[0])
		CountsAfter(s, firstBackoff, "a", "the pod is counted as failed and replaced", Counters{Active: 1, Ready: 1, Failed: 1})
		s.Remove(ctx, s.Active()[0])
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
		Expect(s.Created()).To(HaveLen(2))
	})

	It("counts for an Indexed Job across all indexes", Covers(BackoffLimitAcrossIndexes), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(3).Completions(3).BackoffLimit(1))

		pods := byIndex(Running(s, "a", 3))
		s.End(ctx, 1, pods["1"], pods["2"])
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 3})
		Expect(s.Job("a").Status.CompletedIndexes).To(BeEmpty())
	})
})

// expectNextPodAfter waits for one more pod after the last failure, which must
// not come before the back-off is over. Times are in full seconds, and those of
// pod and container may be from two clocks.
func expectNextPodAfter(s *framework.Sandbox, backoff time.Duration) {
	GinkgoHelper()
	before := s.Created()
	s.SoonAfter(backoff, "another pod is created", func(g Gomega) {
		g.Expect(s.Created()).To(HaveLen(len(before) + 1))
	})
	pods := s.Created()
	failed := podNamed(s, before[len(before)-1].Name).Status.ContainerStatuses[0].State.Terminated.FinishedAt
	Expect(pods[len(before)].CreationTimestamp.Sub(failed.Time)).To(BeNumerically(">=", backoff-time.Second), "time between failure and next pod")
}
