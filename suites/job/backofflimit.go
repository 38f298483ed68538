package job

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// Sources, where a spec names no other: batch/v1 JobSpec.backoffLimit and
// JobStatus.failed; https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy.
var _ = Describe("Job backoffLimit:", behaviour.BackoffLimit, func() {
	// Wrong: retries once, or fails the Job without a reason.
	It("a Job with backoffLimit 0 fails with its first failed pod", covers.Requirements(
		FailsBeyondBackoffLimit, NoCompletionTimeOnFailure, ReleasesBeforeFinish), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).ExitCodes("1").FinishedAgo(longAgo))
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
		Expect(job.Now().Status.CompletionTime).To(BeNil(), "status.completionTime")
		Expect(tracked(s.Pods())).To(BeEmpty())
		s.Stays("the Job has one pod", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(1)) })
		Expect(s.InPhase(corev1.PodFailed)).To(HaveLen(1))
	})

	// Source: KEP-3998 and batch/v1 JobFailureTarget.
	It("the conditions of the Failed Job have the reason BackoffLimitExceeded", covers.Requirements(
		FailedIsAnnounced), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").BackoffLimit(0).ExitCodes("1"))
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
		Expect(job.Conditions()).To(Equal(
			because(batchv1.JobReasonBackoffLimitExceeded, batchv1.JobFailureTarget, batchv1.JobFailed)))
	})

	It("the controller replaces that many failed pods", covers.Requirements(
		RetriesWithinBackoffLimit), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").BackoffLimit(2).ExitCodes("1").FinishedAgo(longAgo))
		job.FailsWith(3, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 3})
	})

	// "Defaults to 6."
	It("the controller replaces 6 failed pods if backoffLimit is not set", covers.Requirements(
		BackoffLimitIsSix), covers.MayShow(upstream.StatusWrongInBackoff), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(7).Completions(7))
		pods := job.Runs(7)
		pods[:6].End(1)
		failuresCounted(s, job, pods[:6], Counters{Active: 1, Ready: 1, Failed: 6})
		Expect(job.Conditions()).To(BeEmpty())
		pods[6].End(1)
		job.FailsWith(7, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 7})
	})

	// Wrong: counts consecutive failures.
	It("the controller counts all failures, whatever succeeds in between", covers.Requirements(
		SuccessesDoNotResetFailures), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Completions(2).BackoffLimit(1).FinishedAgo(longAgo))
		job.Runs(1).End(1)
		job.Counts("the failed pod is replaced", Counters{Active: 1, Ready: 1, Failed: 1})
		s.Active().End(0)
		job.Counts("the next pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1, Failed: 1})
		s.Active().End(1)
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Succeeded: 1, Failed: 2})
	})

	// Wrong: stops counting at the limit.
	It("the controller counts every one of several pods that fail at once", covers.Requirements(
		CountsFailuresBeyondTheLimit), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").Parallelism(5).Completions(5).BackoffLimit(2))
		job.Runs(5).End(1)
		job.FailsWith(5, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 5})
	})

	// Wrong: keeps running pods, or deletes succeeded ones.
	It("the controller deletes active pods and keeps finished ones when the limit is exceeded", covers.Requirements(
		DeletesActivePodsOnFailure), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(3).Completions(3).BackoffLimit(0))
		pods := job.Runs(3)
		pods[0].End(0)
		job.Counts("the success is counted", Counters{Active: 2, Ready: 2, Succeeded: 1})
		pods[1].End(1)
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Succeeded: 1, Failed: 2})
		keepsOnly(s, pods[:2]...)
	})

	// Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions; #123775.
	It("the Job has FailureTarget at once and is Failed when its last pod has ended", covers.Requirements(
		FailedAfterAllPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0).Puppet(terminateLater))
		pods := job.Runs(2)
		pods[0].End(1)
		failsLater(s, job, batchv1.JobReasonBackoffLimitExceeded, 1)
		release("143", pods[1])
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
	})

	// Source: #109485. Wrong: counts the pod twice, or completes the Job.
	It("a Job that has exceeded the limit fails even if its last pod succeeds", covers.Requirements(
		LateSuccessDoesNotSave, OneVerdict), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).BackoffLimit(0).Puppet(terminateLater))
		pods := job.Runs(2)
		pods[0].End(1)
		isBeingDeleted(s, pods[1])
		release("0", pods[1])
		s.Soon("the Job is Failed, and both pods are counted", func(g Gomega) {
			g.Expect(job.Conditions()).To(HaveKeyWithValue(batchv1.JobFailed, batchv1.JobReasonBackoffLimitExceeded))
			status := job.Now().Status
			g.Expect(status.Failed + status.Succeeded).To(BeEquivalentTo(2))
			g.Expect(tracked(s.Pods())).To(BeEmpty())
		})
	})

	// Source: KEP-753. Wrong: adds up restarts whatever the pods' restartPolicy is.
	It("a Job with backoffLimit 0 runs on while sidecars restart", framework.Simulated(
		"a kubelet overwrites the status of its pods"), covers.Requirements(
		RestartsBesideNever), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0).With(withSidecar))
		pods := job.Runs(2)
		for _, pod := range pods {
			pod.ChangeStatus(func(p *corev1.Pod) { p.Status.InitContainerStatuses[0].RestartCount = 2 })
		}
		s.Stays("the Job runs", func(g Gomega) {
			g.Expect(job.Conditions()).To(BeEmpty())
			g.Expect(s.Active().Names()).To(ConsistOf(pods.Names()))
		})
		pods.End(0)
		job.CompletesWith(2, Counters{Succeeded: 2})
	})

	// Wrong: creates the next pod at once, though it may take some seconds to do so.
	It("the controller waits 10 s after the first failure", covers.Requirements(FirstBackoff), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").FinishedAgo("2s"))
		job.Runs(1).End(1)
		expectNextPodAfter(s, firstBackoff)
	})

	It("the controller waits 20 s after the second failure", covers.Requirements(
		BackoffDoubles), forgotten, func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").FinishedAgo(longAgo))
		job.Runs(1).End(1)
		job.Counts("the first failure is counted and the next pod runs", Counters{Active: 1, Ready: 1, Failed: 1})
		s.Active()[0].Direct(map[string]string{puppet.FinishedAgo: "16s", puppet.ExitCodes: "1"})
		expectNextPodAfter(s, 2*firstBackoff)
	})

	// Doubled each time, the delay would be 21 min after eight failures. Wrong: has no maximum.
	It("the controller waits at most 10 min after a failure", covers.Requirements(
		BackoffIsLimited), framework.Simulated("a kubelet stamps its own time"), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(8).Completions(8).BackoffLimit(20).FinishedAgo("601s"))
		job.Runs(8)[0].End(1)
		job.Counts("one pod is replaced", Counters{Active: 8, Ready: 8, Failed: 1})
		job.Runs(8).End(1)
		job.Counts("all pods are replaced", Counters{Active: 8, Ready: 8, Failed: 9})
		Expect(s.Created()).To(HaveLen(17))
	})

	// Source: #63650, #62382. The delay after three failures is 40 s, which is longer than
	// any reaction may take.
	It("the controller creates the next pods at once after another pod has succeeded", covers.Requirements(
		SuccessEndsBackoff), covers.MayShow(upstream.StatusWrongInBackoff), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(4).Completions(4))
		pods := job.Runs(4)
		pods[:3].End(1)
		failuresCounted(s, job, pods[:3], Counters{Active: 1, Ready: 1, Failed: 3})
		pods[3].End(0)
		job.Counts("all pods that are left run", Counters{Active: 3, Ready: 3, Succeeded: 1, Failed: 3})
		Expect(s.Created()).To(HaveLen(7))
		last := s.Created()[6].CreationTimestamp
		Expect(last.Sub(pods[0].EndedAt())).To(
			BeNumerically("<", 4*firstBackoff-time.Second+s.Lost()), "time between the first failure and the last pod")
	})

	// Source: #139428, a defect of kube-controller-manager v1.36.1.
	It("the controller updates the status during a back-off", covers.Requirements(StatusDuringBackoff), covers.MayShow(
		upstream.StatusWrongInBackoff), framework.OneLeader("the back-off may be over before a replica leads"), func(
		ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(4).Completions(4))
		pods := job.Runs(4)
		pods[:3].End(1) // so many that a slow machine is done before the back-off of 40 s is over
		failuresCounted(s, job, pods[:3], Counters{Active: 1, Ready: 1, Failed: 3})
		s.Soon("the failed pods have no finalizer", func(g Gomega) {
			g.Expect(tracked(s.Pods()).Names()).To(ConsistOf(pods[3].Name))
		})
		Expect(s.Created()).To(HaveLen(4))
	})

	// Source: JobSpec.podReplacementPolicy; KEP-2307. Wrong: counts only pods in the phase
	// Failed, and so replaces deleted pods without limit.
	It("a pod that somebody else deletes counts as failed", covers.Requirements(
		DeletedPodsFail), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(1))
		job.Runs(1)[0].Remove()
		replaced := Counters{Active: 1, Ready: 1, Failed: 1}
		job.CountsAfter(firstBackoff, "the deleted pod is counted and replaced", replaced)
		s.Active()[0].Remove()
		job.FailsWith(2, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
	})

	It("an Indexed Job counts the failures of all indexes together", covers.Requirements(
		BackoffLimitAcrossIndexes), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3).BackoffLimit(1))
		pods := byIndex(job.Runs(3))
		s.End(1, pods["1"], pods["2"])
		s.Soon("a failure is counted", func(g Gomega) {
			g.Expect(job.Now().Status.Failed).NotTo(BeZero(), "status.failed")
		})
		job.Becomes(batchv1.JobFailed)
		Expect(job.Conditions()).To(HaveKeyWithValue(batchv1.JobFailed, batchv1.JobReasonBackoffLimitExceeded))
		// A kubelet may report one of them so late that the other has been replaced.
		job.ReportsNow(Counters{Failed: int32(len(job.Created()))})
		Expect(job.Now().Status.CompletedIndexes).To(BeEmpty(), "status.completedIndexes")
	})
})

// expectNextPodAfter waits for one more pod, and expects that it is not created before
// the back-off after the last failure. Times are in full seconds, and those of pod and
// container may be from two clocks.
func expectNextPodAfter(s *framework.Sandbox, backoff time.Duration) {
	GinkgoHelper()
	before := s.Created()
	s.SoonAfter(backoff, "another pod is created", func(g Gomega) {
		g.Expect(s.Created()).To(HaveLen(len(before) + 1))
	})
	pods := s.Created()
	Expect(pods[len(before)].CreationTimestamp.Sub(before[len(before)-1].EndedAt())).To(
		BeNumerically(">=", backoff-time.Second), "time between failure and next pod")
}

// keepsOnly waits until the Job's pods are these, without finalizers.
func keepsOnly(s *framework.Sandbox, pods ...framework.Pod) {
	GinkgoHelper()
	s.Soon("the other pods are gone", func(g Gomega) {
		g.Expect(s.Pods().Names()).To(ConsistOf(framework.Pods(pods).Names()))
		g.Expect(tracked(s.Pods())).To(BeEmpty())
	})
}

// These specs are about the count of an index's failures, and its back-off.
var _ = Describe("Job backoffLimitPerIndex:", behaviour.BackoffLimitPerIndex, func() {
	// Wrong: omits the annotation on the first pod, or counts for all indexes together.
	It("each pod has the number of failures of its index as an annotation", covers.Requirements(
		FailureCountAnnotation), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(2).FinishedAgo(longAgo))
		pods := byIndex(job.Runs(2))
		Expect(failureCounts(s.Created(), "0")).To(Equal([]string{"0"}))
		Expect(failureCounts(s.Created(), "1")).To(Equal([]string{"0"}))
		pods["0"].End(1)
		indexRunsAgain(s, job, "0", 3).End(1)
		indexRunsAgain(s, job, "0", 4)
		pods["1"].End(1)
		indexRunsAgain(s, job, "1", 5)
		Expect(failureCounts(s.Created(), "0")).To(Equal([]string{"0", "1", "2"}))
		Expect(failureCounts(s.Created(), "1")).To(Equal([]string{"0", "1"}))
	})

	// Another controller may have created it. Wrong: takes the annotation for granted.
	It("the failure of a pod without a failure count is the first of its index", covers.Requirements(
		FailureCountAnnotation), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Parallelism(0).Completions(1).BackoffLimitPerIndex(1))
		framework.Create(s, orphanPod("first", map[string]string{puppet.ExitCodes: "1", puppet.FinishedAgo: longAgo}))
		podsReach(s, corev1.PodFailed, 1)
		match(s, job, "first", "0")
		catchesUp(s)
		job.SetParallelism(1)
		Expect(job.Runs(1)[0].Annotations).To(HaveKeyWithValue(batchv1.JobIndexFailureCountAnnotation, "1"))
	})

	// Wrong: counts ignored failures, or omits their number.
	It("ignored failures do not count, and each pod has their number as an annotation", covers.Requirements(
		IgnoredFailureCountAnnotation, FailureCountAnnotation), covers.Uses(
		contract.PodFailurePolicy), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(1).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(ignore, in, 42)))
		job.Runs(1).End(42)
		indexRunsAgain(s, job, "0", 2).End(1)
		indexRunsAgain(s, job, "0", 3).End(42)
		indexRunsAgain(s, job, "0", 4).End(1)
		job.Fails(batchv1.JobReasonFailedIndexes, Counters{Failed: 2})
		Expect(failedIndexes(job)).To(Equal("0"), "status.failedIndexes")
		Expect(failureCounts(s.Created(), "0")).To(Equal([]string{"0", "0", "1", "1"}))
		ignored := annotations(s.Created(), "0", batchv1.JobIndexIgnoredFailureCountAnnotation)
		Expect(ignored[0]).To(framework.Either(BeEmpty(), Equal("0"))) // absent means zero
		Expect(ignored[1:]).To(Equal([]string{"1", "1", "2"}))
	})

	// Times are in full seconds; most of the delay is in the past already. Wrong: creates the
	// next pod at once.
	It("the controller waits 10 s after the first failure of an index", covers.Requirements(
		BackoffPerIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(3).FinishedAgo("6s"))
		job.Runs(1).End(1)
		expectNextPodAfter(s, firstBackoff)
	})

	// Wrong: has a constant delay.
	It("the controller waits 20 s after the second failure of an index", covers.Requirements(
		BackoffPerIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(3).FinishedAgo(longAgo))
		job.Runs(1).End(1)
		pod := indexRunsAgain(s, job, "0", 2)
		pod.Direct(map[string]string{puppet.FinishedAgo: "16s"})
		pod.End(1)
		expectNextPodAfter(s, 2*firstBackoff)
	})

	// The delay of index 0 after three failures is 40 s, which is longer than any reaction may
	// take. On a kubelet, whose failures are recent, index 1 may run from the first failure
	// on. Wrong: has one back-off for the whole Job.
	It("the back-off of an index does not delay another index", framework.Simulated(
		"a kubelet stamps its own time"), covers.Requirements(BackoffLeavesOtherIndexes), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Parallelism(1).Completions(2).BackoffLimitPerIndex(9).
			FinishedAgo(longAgo))
		retried := func(created int) framework.Pod {
			s.Soon("the next pod is created", func(g Gomega) {
				g.Expect(len(s.Created())).To(BeNumerically(">=", created))
			})
			if byIndex(s.Created()[created-1:])["1"].Name != "" {
				Skip("not verified: the controller counts the back-off from the creation of pods, and " +
					"runs the other index meanwhile")
			}
			return indexRunsAgain(s, job, "0", created)
		}
		job.Runs(1).End(1)
		retried(2).End(1)
		third := retried(3)
		third.Direct(map[string]string{puppet.FinishedAgo: ""})
		third.End(1)
		s.Soon("the pod has failed", func(g Gomega) { // the other index may run then
			g.Expect(third.Now().Status.Phase).To(Equal(corev1.PodFailed), "status.phase")
		})
		catchesUp(s)
		job.SetParallelism(2)
		s.Soon("the other index runs", func(g Gomega) {
			g.Expect(byIndex(s.Active())).To(HaveKey("1"))
		})
		next := byIndex(s.Created()[3:])["1"].CreationTimestamp
		Expect(next.Sub(third.EndedAt())).To(
			BeNumerically("<", 4*firstBackoff-time.Second+s.Lost()),
			"time between the failure of index 0 and the pod of index 1")
	})

	// Wrong: removes the finalizer of the failed pod at once, and starts to count at 0, or
	// without a back-off.
	It("the controller counts a failed pod that is deleted before it is replaced", covers.Requirements(
		IndexFailuresOutliveThePod), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(1).FinishedAgo("3s"))
		pods := byIndex(job.Runs(2))
		failed := pods["0"]
		failed.End(1)
		s.Soon("the pod has failed", func(g Gomega) {
			g.Expect(failed.Now().Status.Phase).To(Equal(corev1.PodFailed), "status.phase")
		})
		ended := failed.EndedAt()
		failed.Delete()
		retry := indexRunsAgain(s, job, "0", 3)
		Expect(failureCounts(s.Created(), "0")).To(Equal([]string{"0", "1"}))
		Expect(retry.CreationTimestamp.Sub(ended)).To(
			BeNumerically(">=", firstBackoff-time.Second), "time between the failure and the next pod")
		failed.IsGone()
		retry.End(1)
		indexesFail(s, job, "0")
		pods["1"].End(0)
		job.FailsWith(3, batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
	})
})

// failureCounts returns the index-failure-count of an index's pods, in the order of
// their creation.
func failureCounts(pods framework.Pods, index string) []string {
	return annotations(pods, index, batchv1.JobIndexFailureCountAnnotation)
}

func annotations(pods framework.Pods, index, name string) []string {
	var out []string
	for _, p := range pods {
		if kinds.CompletionIndex(&p.Pod) == index {
			out = append(out, p.Annotations[name])
		}
	}
	return out
}
