package job

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// These specs are about failed indexes, and about the end of the Job. Those of retries are
// in backofflimitperindexretries.go.
var _ = Describe("Job backoffLimitPerIndex:", behaviour.BackoffLimitPerIndex, func() {
	// Wrong: retries once more or less or without limit, or fails the Job with the index.
	It("the controller retries each index that many times while the others run", Covers(
		RetriesEachIndex, FailedIndexLeavesOthers, FailedIndexFailsTheJob, FailedCountsEveryIndex), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimitPerIndex(1).FinishedAgo(longAgo))
		pods := byIndex(Running(s, "a", 2))
		pods["0"].End(1)
		retry := indexRunsAgain(s, "0", 3)
		retry.End(1)
		s.Soon("the index has failed", func(g Gomega) {
			g.Expect(failedIndexes(s)).To(Equal("0"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1, Failed: 2}))
		})
		s.Stays("the other index runs", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
			g.Expect(names(s.Active())).To(ConsistOf(pods["1"].Name))
			g.Expect(s.Created()).To(HaveLen(3))
		})
		pods["1"].End(0)
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("1"))
		Expect(failedIndexes(s)).To(Equal("0"))
		Expect(s.Job("a").Status.CompletionTime).To(BeNil())
		Expect(tracked(s.Pods())).To(BeEmpty())
	})

	// Wrong: takes 0 for unset.
	It("an index with backoffLimitPerIndex 0 fails with its first failed pod", Covers(
		ZeroRetriesPerIndex, FailedIndexFailsTheJob), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimitPerIndex(0).FinishedAgo(longAgo))
		Running(s, "a", 2).End(1)
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Failed: 2})
		Expect(failedIndexes(s)).To(Equal("0,1"))
		Expect(s.Job("a").Status.CompletedIndexes).To(BeEmpty())
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source: KEP-3998, batch/v1 JobFailureTarget.
	It("the conditions of the Failed Job have the reason FailedIndexes", Covers(
		FailedIndexFailsTheJob, MaxFailedIndexesWaitsForPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(0))
		Running(s, "a", 1).End(1)
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Failed: 1})
		Expect(TrueConditions(s.Job("a"))).To(Equal(
			because(batchv1.JobReasonFailedIndexes, batchv1.JobFailureTarget, batchv1.JobFailed)))
	})

	// Wrong: adds up the failures of all indexes, or lists a retried index as failed.
	It("the controller counts the failures of each index alone", Covers(
		RetriedIndexesComplete, FailedCountsEveryIndex), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(3).BackoffLimitPerIndex(1).FinishedAgo(longAgo))
		Running(s, "a", 3).End(1)
		s.Soon("all indexes run again", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(6))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3, Failed: 3}))
		})
		s.Active().End(0)
		Completes(s, "a", Counters{Succeeded: 3, Failed: 3})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-2"))
		Expect(failedIndexes(s)).To(BeEmpty())
		Expect(s.Created()).To(HaveLen(6))
	})

	// Wrong: reads them off the pod that it has deleted.
	It("the failures of an index stay counted when suspension deletes its retried pod", Covers(
		SuspensionKeepsCounts), Shows(upstream.IndexFailuresLost), MayShow(upstream.ResumedStatusRefused), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(1).FinishedAgo(longAgo))
		Running(s, "a", 1).End(1)
		indexRunsAgain(s, "0", 2)
		SuspendJob(ctx, s, "a")
		suspended(s, Counters{Failed: 1})
		ResumeJob(ctx, s, "a")
		indexRunsAgain(s, "0", 3).End(1)
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Failed: 2})
	})

	// Wrong: lists each index, or "0-1".
	It("the Job lists failedIndexes as ranges", Covers(FailedIndexesFormat), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(8).BackoffLimitPerIndex(0))
		pods := byIndex(Running(s, "a", 8))
		s.End(1, pods["7"], pods["4"], pods["1"], pods["3"], pods["5"])
		s.Soon("five indexes have failed", func(g Gomega) {
			g.Expect(failedIndexes(s)).To(Equal("1,3-5,7"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3, Failed: 5}))
		})
		pods["0"].End(1)
		indexesFail(s, "0,1,3-5,7")
		s.End(0, pods["2"], pods["6"])
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 2, Failed: 6})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("2,6"))
		Expect(failedIndexes(s)).To(Equal("0,1,3-5,7"))
	})

	// Wrong: counts a failed index towards parallelism.
	It("the controller runs the next index in place of a failed one", Covers(
		FailedIndexLeavesOthers, FailedIndexFailsTheJob), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(1).Completions(3).BackoffLimitPerIndex(0).
			FinishedAgo(longAgo))
		Running(s, "a", 1).End(1)
		indexRunsAgain(s, "1", 2).End(0)
		indexRunsAgain(s, "2", 3).End(1)
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
		Expect(failedIndexes(s)).To(Equal("0,2"))
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: fails the Job one index too early, or never.
	It("the controller fails the Job and deletes its pods when maxFailedIndexes is exceeded", Covers(
		FailsBeyondMaxFailedIndexes, FailedIndexesWithinMax), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(4).BackoffLimitPerIndex(0).MaxFailedIndexes(1))
		pods := byIndex(Running(s, "a", 4))
		pods["2"].End(1)
		s.Soon("one index has failed", func(g Gomega) {
			g.Expect(failedIndexes(s)).To(Equal("2"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3, Failed: 1}))
		})
		s.Stays("the Job runs", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
			g.Expect(s.Active()).To(HaveLen(3))
		})
		pods["0"].End(1)
		Fails(s, "a", batchv1.JobReasonMaxFailedIndexesExceeded, Counters{Failed: 4})
		s.Soon("the active pods are gone", func(g Gomega) {
			g.Expect(names(s.Pods())).To(ConsistOf(pods["0"].Name, pods["2"].Name))
		})
		Expect(s.Created()).To(HaveLen(4))
	})

	// Wrong: takes 0 for unset.
	It("a Job with maxFailedIndexes 0 fails with its first failed index", Covers(
		FailsBeyondMaxFailedIndexes), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(1).Completions(3).BackoffLimitPerIndex(0).MaxFailedIndexes(0).
			FinishedAgo(longAgo))
		Running(s, "a", 1).End(1)
		Fails(s, "a", batchv1.JobReasonMaxFailedIndexesExceeded, Counters{Failed: 1})
		Expect(failedIndexes(s)).To(Equal("0"))
		Expect(s.Created()).To(HaveLen(1))
	})

	It("a Job with too many failed indexes is Failed when its last pod has ended", Covers(
		MaxFailedIndexesWaitsForPods), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimitPerIndex(0).MaxFailedIndexes(0).Puppet(terminateLater))
		pods := byIndex(Running(s, "a", 2))
		pods["1"].End(1)
		failsLater(s, batchv1.JobReasonMaxFailedIndexesExceeded, 1)
		release(ctx, s, "143", pods["0"])
		Fails(s, "a", batchv1.JobReasonMaxFailedIndexesExceeded, Counters{Failed: 2})
	})

	// Wrong: keeps a backoffLimit of 6 for the whole Job.
	It("the controller does not limit the failures of the whole Job", Covers(
		NoOverallLimitByDefault), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(9).BackoffLimitPerIndex(0))
		pods := byIndex(Running(s, "a", 9))
		last := pods["8"]
		others(s.Active(), last).End(1)
		s.Soon("eight indexes have failed", func(g Gomega) {
			g.Expect(failedIndexes(s)).To(Equal("0-7"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1, Failed: 8}))
		})
		s.Stays("the ninth index runs", func(g Gomega) { g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty()) })
		last.End(0)
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 8})
	})

	// The pod that is deleted when the Job fails counts as failed, too. Wrong: has one limit
	// override the other.
	It("the Job fails at its backoffLimit if that is set, too", Covers(OverallLimitBesidePerIndex), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimitPerIndex(3).BackoffLimit(1).FinishedAgo(longAgo))
		pods := byIndex(Running(s, "a", 2))
		pods["0"].End(1)
		indexRunsAgain(s, "0", 3)
		Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		pods["1"].End(1)
		FailsWith(s, 3, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 3})
		Expect(failedIndexes(s)).To(BeEmpty())
	})

	// Wrong: retries, or fails the Job.
	It("the controller does not retry an index whose pod matches FailIndex", Covers(
		FailIndexAction, FailedIndexLeavesOthers), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimitPerIndex(5).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(failIndex, in, 42)))
		pods := byIndex(Running(s, "a", 2))
		pods["0"].End(42)
		indexesFail(s, "0")
		pods["1"].End(1)
		retry := indexRunsAgain(s, "1", 3)
		Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		retry.End(0)
		FailsWith(s, 3, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
	})

	// Wrong: fails only the index.
	It("the controller fails the Job without retries when a pod matches FailJob", Covers(
		FailJobBeatsPerIndex), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimitPerIndex(5).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(failIndex, in, 42), onExitCodes(failJob, in, 43)))
		byIndex(Running(s, "a", 2))["1"].End(43)
		FailsWith(s, 2, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 2})
	})

	// Wrong: does not count the pod, and so retries the index without limit.
	It("a pod that somebody else deletes counts as a failure of its index", Covers(
		DeletedPodFailsItsIndex), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimitPerIndex(1))
		pods := byIndex(Running(s, "a", 2))
		pods["0"].Remove()
		retry := indexRunsAgain(s, "0", 3)
		retry.Remove()
		indexesFail(s, "0")
		pods["1"].End(0)
		FailsWith(s, 3, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
	})

	// Wrong: counts the deletion as a failure.
	It("with podReplacementPolicy Failed, an index fails only when its pod has ended", Covers(
		TerminatingPodKeepsItsIndex), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimitPerIndex(0).Puppet(terminateLater).PodReplacementPolicy(batchv1.Failed))
		pods, before := byIndex(Running(s, "a", 2)), s.Recorder.Position()
		for _, index := range []string{"0", "1"} {
			pod := pods[index]
			pod.Delete()
		}
		Counts(s, "a", "both pods are terminating", Counters{Terminating: 2})
		s.StaysSince(before, "no index has failed", func(g Gomega) {
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

// indexesFail waits until failedIndexes of the Job are these.
func indexesFail(s *framework.Sandbox, failed string) {
	GinkgoHelper()
	s.Soon("failedIndexes is "+failed, func(g Gomega) { g.Expect(failedIndexes(s)).To(Equal(failed)) })
}

// indexRunsAgain waits until so many pods have been created and all active pods run,
// one of them for this index. It returns that pod.
func indexRunsAgain(s *framework.Sandbox, index string, created int) framework.Pod {
	GinkgoHelper()
	var pod framework.Pod
	s.SoonAfter(firstBackoff, "index "+index+" runs", func(g Gomega) {
		g.Expect(s.Created()).To(HaveLen(created))
		active := s.Active()
		g.Expect(active).To(HaveEach(HaveField("Status.Phase", corev1.PodRunning)))
		n := int32(len(active))
		g.Expect(CountersOf(s.Job("a"))).To(And(HaveField("Active", n), HaveField("Ready", n)))
		g.Expect(byIndex(active)).To(HaveKey(index))
		pod = byIndex(active)[index]
	})
	return pod
}
