package job

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// When indexes fail, and when they end the Job. How failures are remembered and
// put off is in backofflimitperindexretries.go.
var _ = Describe("backoffLimitPerIndex", Label("area:job", "behaviour:backoffLimitPerIndex"), func() {

	// Wrong: retries once more or less, ends the Job with the index, or retries
	// for ever.
	It("is how often an index is retried, while the others go on",
		Covers(RetriesEachIndex, FailedIndexLeavesOthers, FailedIndexFailsTheJob, FailedCountsEveryIndex),
		func(ctx SpecContext) {
			s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimitPerIndex(1).FinishedAgo(longAgo))

			pods := byIndex(Running(s, "a", 2))
			s.End(ctx, 1, pods["0"])
			retry := indexRunsAgain(s, "0", 3)
			s.End(ctx, 1, retry)
			s.Soon("the index has failed", func(g Gomega) {
				g.Expect(failedIndexes(s)).To(Equal("0"))
				g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1, Failed: 2}))
			})
			s.Stays("the other index runs on", func(g Gomega) {
				g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
				g.Expect(names(s.Active())).To(ConsistOf(pods["1"].Name))
				g.Expect(s.Created()).To(HaveLen(3))
			})
			s.End(ctx, 0, pods["1"])
			Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
			Expect(s.Job("a").Status.CompletedIndexes).To(Equal("1"))
			Expect(failedIndexes(s)).To(Equal("0"))
			Expect(s.Job("a").Status.CompletionTime).To(BeNil())
			Expect(tracked(s.Pods())).To(BeEmpty())
		})

	// Wrong: takes 0 for unset.
	It("of 0 fails an index with its first failed pod", Covers(ZeroRetriesPerIndex, FailedIndexFailsTheJob), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimitPerIndex(0).FinishedAgo(longAgo))

		s.End(ctx, 1, Running(s, "a", 2)...)
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Failed: 2})
		Expect(failedIndexes(s)).To(Equal("0,1"))
		Expect(s.Job("a").Status.CompletedIndexes).To(BeEmpty())
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source of the reasons: KEP-3998, batch/v1 JobFailureTarget.
	It("is the reason that the conditions give", Covers(FailedIndexFailsTheJob, MaxFailedIndexesWaitsForPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(0))

		s.End(ctx, 1, Running(s, "a", 1)...)
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Failed: 1})
		Expect(TrueConditions(s.Job("a"))).To(Equal(map[batchv1.JobConditionType]string{
			batchv1.JobFailureTarget: batchv1.JobReasonFailedIndexes,
			batchv1.JobFailed:        batchv1.JobReasonFailedIndexes,
		}))
	})

	// Wrong: adds up the failures of all indexes, or takes a retried index for a
	// failed one.
	It("is counted for each index alone", Covers(RetriedIndexesComplete, FailedCountsEveryIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(3).Completions(3).BackoffLimitPerIndex(1).FinishedAgo(longAgo))

		s.End(ctx, 1, Running(s, "a", 3)...)
		s.Soon("all indexes run again", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(6))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3, Failed: 3}))
		})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 3, Failed: 3})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-2"))
		Expect(failedIndexes(s)).To(BeEmpty())
		Expect(s.Created()).To(HaveLen(6))
	})

	// Wrong: writes an index for each, or "0-1".
	It("exceeded by indexes is written down as ranges", Covers(FailedIndexesFormat), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(8).Completions(8).BackoffLimitPerIndex(0))

		pods := byIndex(Running(s, "a", 8))
		s.End(ctx, 1, pods["7"], pods["4"], pods["1"], pods["3"], pods["5"])
		s.Soon("the failed indexes are there", func(g Gomega) {
			g.Expect(failedIndexes(s)).To(Equal("1,3-5,7"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3, Failed: 5}))
		})
		s.End(ctx, 1, pods["0"])
		s.Soon("two in a row are no range", func(g Gomega) { g.Expect(failedIndexes(s)).To(Equal("0,1,3-5,7")) })
		s.End(ctx, 0, pods["2"], pods["6"])
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 2, Failed: 6})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("2,6"))
		Expect(failedIndexes(s)).To(Equal("0,1,3-5,7"))
	})

	// Wrong: keeps the place of a failed index taken.
	It("exceeded by an index lets the next one have its place", Covers(FailedIndexLeavesOthers, FailedIndexFailsTheJob), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(1).Completions(3).BackoffLimitPerIndex(0).FinishedAgo(longAgo))

		s.End(ctx, 1, Running(s, "a", 1)...)
		s.End(ctx, 0, indexRunsAgain(s, "1", 2))
		s.End(ctx, 1, indexRunsAgain(s, "2", 3))
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
		Expect(failedIndexes(s)).To(Equal("0,2"))
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: ends with the limit reached, or never.
	It("exceeded by more than maxFailedIndexes fails the Job, and removes its pods",
		Covers(FailsBeyondMaxFailedIndexes, FailedIndexesWithinMax), func(ctx SpecContext) {
			s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(4).Completions(4).BackoffLimitPerIndex(0).MaxFailedIndexes(1))

			pods := byIndex(Running(s, "a", 4))
			s.End(ctx, 1, pods["2"])
			s.Soon("one index has failed", func(g Gomega) {
				g.Expect(failedIndexes(s)).To(Equal("2"))
				g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3, Failed: 1}))
			})
			s.Stays("the Job goes on", func(g Gomega) {
				g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
				g.Expect(s.Active()).To(HaveLen(3))
			})
			s.End(ctx, 1, pods["0"])
			Fails(s, "a", batchv1.JobReasonMaxFailedIndexesExceeded, Counters{Failed: 4})
			s.Soon("the pods that ran are gone", func(g Gomega) {
				g.Expect(names(s.Pods())).To(ConsistOf(pods["0"].Name, pods["2"].Name))
			})
			Expect(s.Created()).To(HaveLen(4))
		})

	// Wrong: takes 0 for unset.
	It("exceeded by one index fails a Job with maxFailedIndexes of 0", Covers(FailsBeyondMaxFailedIndexes), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(1).Completions(3).BackoffLimitPerIndex(0).MaxFailedIndexes(0).
			FinishedAgo(longAgo))

		s.End(ctx, 1, Running(s, "a", 1)...)
		Fails(s, "a", batchv1.JobReasonMaxFailedIndexesExceeded, Counters{Failed: 1})
		Expect(failedIndexes(s)).To(Equal("0"))
		Expect(s.Created()).To(HaveLen(1))
	})

	It("exceeded by too many indexes is declared at once, but the Job has Failed only when its last pod has ended",
		Covers(MaxFailedIndexesWaitsForPods), func(ctx SpecContext) {
			s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimitPerIndex(0).MaxFailedIndexes(0).
				Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

			pods := byIndex(Running(s, "a", 2))
			s.End(ctx, 1, pods["1"])
			s.Soon("the Job is about to fail, and its other pod is terminating", func(g Gomega) {
				g.Expect(TrueConditions(s.Job("a"))).To(HaveKeyWithValue(batchv1.JobFailureTarget, batchv1.JobReasonMaxFailedIndexesExceeded))
				g.Expect(CountersOf(s.Job("a"))).To(And(HaveField("Active", int32(0)), HaveField("Terminating", int32(1))))
			})
			s.Stays("it has not failed", func(g Gomega) {
				g.Expect(TrueConditions(s.Job("a"))).NotTo(HaveKey(batchv1.JobFailed))
			})
			release(ctx, s, "143", pods["0"])
			Fails(s, "a", batchv1.JobReasonMaxFailedIndexesExceeded, Counters{Failed: 2})
		})

	// Wrong: leaves the limit of the whole Job at 6.
	It("leaves the failures of the whole Job unlimited", Covers(NoOverallLimitByDefault), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(9).Completions(9).BackoffLimitPerIndex(0))

		pods := byIndex(Running(s, "a", 9))
		last := pods["8"]
		s.End(ctx, 1, others(s.Active(), last)...)
		s.Soon("eight indexes have failed", func(g Gomega) {
			g.Expect(failedIndexes(s)).To(Equal("0-7"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1, Failed: 8}))
		})
		s.Stays("the ninth runs on", func(g Gomega) { g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty()) })
		s.End(ctx, 0, last)
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 8})
	})

	// Wrong: forgets the one for the other. The pod that the end of the Job
	// removes counts as failed, too.
	It("does not lift a backoffLimit", Covers(OverallLimitBesidePerIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimitPerIndex(3).BackoffLimit(1).
			FinishedAgo(longAgo))

		pods := byIndex(Running(s, "a", 2))
		s.End(ctx, 1, pods["0"])
		indexRunsAgain(s, "0", 3)
		Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		s.End(ctx, 1, pods["1"])
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 3})
		Expect(s.Created()).To(HaveLen(3))
		Expect(failedIndexes(s)).To(BeEmpty())
	})

	// Wrong: retries, or fails the Job.
	It("does not matter to a failure that fails its index", Covers(FailIndexAction, FailedIndexLeavesOthers), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimitPerIndex(5).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(failIndex, in, 42)))

		pods := byIndex(Running(s, "a", 2))
		s.End(ctx, 42, pods["0"])
		s.Soon("the index has failed", func(g Gomega) { g.Expect(failedIndexes(s)).To(Equal("0")) })
		s.End(ctx, 1, pods["1"])
		retry := indexRunsAgain(s, "1", 3)
		Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		s.End(ctx, 0, retry)
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: takes FailJob for FailIndex.
	It("does not matter to a failure that fails the Job", Covers(FailJobBeatsPerIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimitPerIndex(5).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(failIndex, in, 42), onExitCodes(failJob, in, 43)))

		s.End(ctx, 43, byIndex(Running(s, "a", 2))["1"])
		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 2})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: counts it for nothing, so that an index is retried for ever.
	It("includes pods that somebody else deletes", Covers(DeletedPodFailsItsIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimitPerIndex(1))

		pods := byIndex(Running(s, "a", 2))
		s.Remove(ctx, pods["0"])
		retry := indexRunsAgain(s, "0", 3)
		s.Remove(ctx, retry)
		s.Soon("the index has failed", func(g Gomega) { g.Expect(failedIndexes(s)).To(Equal("0")) })
		s.End(ctx, 0, pods["1"])
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: takes the deletion for a failure.
	It("waits for the end of a terminating pod when podReplacementPolicy is Failed", Covers(TerminatingPodKeepsItsIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimitPerIndex(0).
			Puppet(map[string]string{puppet.Terminate: puppet.Hold}).
			With(func(j *batchv1.Job) { j.Spec.PodReplacementPolicy = ptr.To(batchv1.Failed) }))

		pods := byIndex(Running(s, "a", 2))
		for _, index := range []string{"0", "1"} {
			pod := pods[index]
			s.Delete(ctx, &pod)
		}
		Counts(s, "a", "both pods are terminating", Counters{Terminating: 2})
		s.Stays("no index has failed", func(g Gomega) {
			g.Expect(failedIndexes(s)).To(BeEmpty())
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
			g.Expect(s.Created()).To(HaveLen(2))
		})
		release(ctx, s, "0", pods["0"])
		release(ctx, s, "143", pods["1"])
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 1})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0"))
		Expect(failedIndexes(s)).To(Equal("1"))
	})
})

func failedIndexes(s *framework.Sandbox) string {
	GinkgoHelper()
	return ptr.Deref(s.Job("a").Status.FailedIndexes, "")
}

// indexRunsAgain waits until the Job's n-th pod is there and an index runs, be it
// again or for the first time; it returns the index's pod.
func indexRunsAgain(s *framework.Sandbox, index string, n int) corev1.Pod {
	GinkgoHelper()
	var pod corev1.Pod
	s.SoonAfter(firstBackoff, "index "+index+" runs", func(g Gomega) {
		g.Expect(s.Created()).To(HaveLen(n))
		active := s.Active()
		g.Expect(active).To(HaveEach(HaveField("Status.Phase", corev1.PodRunning)))
		g.Expect(CountersOf(s.Job("a"))).To(And(HaveField("Active", int32(len(active))), HaveField("Ready", int32(len(active)))))
		g.Expect(byIndex(active)).To(HaveKey(index))
		pod = byIndex(active)[index]
	})
	return pod
}
