package job

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
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
	"k8s.io/utils/ptr"
)

// These specs are about failed indexes, and about the end of the Job. Those of retries are
// in backofflimitperindexretries.go.
var _ = Describe("Job backoffLimitPerIndex:", behaviour.BackoffLimitPerIndex, func() {
	// Wrong: retries once more or less or without limit, or fails the Job with the index.
	It("the controller retries each index that many times while the others run", covers.Requirements(
		RetriesEachIndex, FailedIndexLeavesOthers, FailedIndexFailsTheJob,
		FailedCountsEveryIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(1).FinishedAgo(longAgo))
		pods := byIndex(job.Runs(2))
		pods["0"].End(1)
		retry := indexRunsAgain(s, job, "0", 3)
		retry.End(1)
		s.Soon("the index has failed", func(g Gomega) {
			g.Expect(failedIndexes(job)).To(Equal("0"), "status.failedIndexes")
			job.Reports(g, Counters{Active: 1, Ready: 1, Failed: 2})
		})
		s.Stays("the other index runs", func(g Gomega) {
			g.Expect(job.Conditions()).To(BeEmpty())
			g.Expect(s.Active().Names()).To(ConsistOf(pods["1"].Name))
			g.Expect(s.Created()).To(HaveLen(3))
		})
		pods["1"].End(0)
		job.Fails(batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("1"), "status.completedIndexes")
		Expect(failedIndexes(job)).To(Equal("0"), "status.failedIndexes")
		Expect(job.Now().Status.CompletionTime).To(BeNil(), "status.completionTime")
		Expect(tracked(s.Pods())).To(BeEmpty())
	})

	// Wrong: takes 0 for unset.
	It("an index with backoffLimitPerIndex 0 fails with its first failed pod", covers.Requirements(
		ZeroRetriesPerIndex, FailedIndexFailsTheJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(0).FinishedAgo(longAgo))
		job.Runs(2).End(1)
		job.Fails(batchv1.JobReasonFailedIndexes, Counters{Failed: 2})
		Expect(failedIndexes(job)).To(Equal("0,1"), "status.failedIndexes")
		Expect(job.Now().Status.CompletedIndexes).To(BeEmpty(), "status.completedIndexes")
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source: KEP-3998, batch/v1 JobFailureTarget.
	It("the conditions of the Failed Job have the reason FailedIndexes", covers.Requirements(
		FailedIndexFailsTheJob, MaxFailedIndexesWaitsForPods), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(0))
		job.Runs(1).End(1)
		job.Fails(batchv1.JobReasonFailedIndexes, Counters{Failed: 1})
		Expect(job.Conditions()).To(Equal(
			because(batchv1.JobReasonFailedIndexes, batchv1.JobFailureTarget, batchv1.JobFailed)))
	})

	// Wrong: adds up the failures of all indexes, or lists a retried index as failed.
	It("the controller counts the failures of each index alone", covers.Requirements(
		RetriedIndexesComplete, FailedCountsEveryIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3).BackoffLimitPerIndex(1).FinishedAgo(longAgo))
		job.Runs(3).End(1)
		s.Soon("all indexes run again", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(6))
			job.Reports(g, Counters{Active: 3, Ready: 3, Failed: 3})
		})
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 3, Failed: 3})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("0-2"), "status.completedIndexes")
		Expect(failedIndexes(job)).To(BeEmpty(), "status.failedIndexes")
		Expect(s.Created()).To(HaveLen(6))
	})

	// Wrong: reads them off the pod that it has deleted.
	It("the failures of an index stay counted when suspension deletes its retried pod", covers.Requirements(
		SuspensionKeepsCounts), covers.Shows(upstream.IndexFailuresLost), covers.MayShow(
		upstream.ResumedStatusRefused), covers.Uses(contract.BackoffLimitPerIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(1).FinishedAgo(longAgo))
		job.Runs(1).End(1)
		indexRunsAgain(s, job, "0", 2)
		job.Suspend()
		job.IsSuspended(Counters{Failed: 1})
		job.Resume()
		indexRunsAgain(s, job, "0", 3).End(1)
		job.Fails(batchv1.JobReasonFailedIndexes, Counters{Failed: 2})
	})

	// What somebody else wrote there. Wrong: stops at what it cannot read.
	It("the controller retries an index whose number of failures cannot be read", covers.Requirements(
		UnreadableFailureCount), func(ctx SpecContext) {
		s := framework.New(ctx)
		s.Except("job-index-failure-count")
		job := s.Create(indexed(3).BackoffLimitPerIndex(5).FinishedAgo(longAgo))
		pods := job.Runs(3)
		for i, value := range []string{"many", "-1", "4294967296"} {
			pods[i].Change(func(p *corev1.Pod) { p.Annotations[batchv1.JobIndexFailureCountAnnotation] = value })
		}
		pods.End(1)
		job.Counts("each index runs again", Counters{Active: 3, Ready: 3, Failed: 3})
		job.Runs(3).End(0)
		job.Completes(Counters{Succeeded: 3, Failed: 3})
	})

	// Wrong: lists each index, or "0-1".
	It("the Job lists failedIndexes as ranges", covers.Requirements(FailedIndexesFormat), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(8).BackoffLimitPerIndex(0))
		pods := byIndex(job.Runs(8))
		s.End(1, pods["7"], pods["4"], pods["1"], pods["3"], pods["5"])
		s.Soon("five indexes have failed", func(g Gomega) {
			g.Expect(failedIndexes(job)).To(Equal("1,3-5,7"), "status.failedIndexes")
			job.Reports(g, Counters{Active: 3, Ready: 3, Failed: 5})
		})
		pods["0"].End(1)
		indexesFail(s, job, "0,1,3-5,7")
		s.End(0, pods["2"], pods["6"])
		job.Fails(batchv1.JobReasonFailedIndexes, Counters{Succeeded: 2, Failed: 6})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("2,6"), "status.completedIndexes")
		Expect(failedIndexes(job)).To(Equal("0,1,3-5,7"), "status.failedIndexes")
	})

	// Wrong: counts a failed index towards parallelism.
	It("the controller runs the next index in place of a failed one", covers.Requirements(
		FailedIndexLeavesOthers, FailedIndexFailsTheJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Parallelism(1).Completions(3).BackoffLimitPerIndex(0).
			FinishedAgo(longAgo))
		job.Runs(1).End(1)
		indexRunsAgain(s, job, "1", 2).End(0)
		indexRunsAgain(s, job, "2", 3).End(1)
		job.Fails(batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
		Expect(failedIndexes(job)).To(Equal("0,2"), "status.failedIndexes")
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: fails the Job one index too early, or never.
	It("the controller fails the Job and deletes its pods when maxFailedIndexes is exceeded", covers.Requirements(
		FailsBeyondMaxFailedIndexes, FailedIndexesWithinMax), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(4).BackoffLimitPerIndex(0).MaxFailedIndexes(1))
		pods := byIndex(job.Runs(4))
		pods["2"].End(1)
		s.Soon("one index has failed", func(g Gomega) {
			g.Expect(failedIndexes(job)).To(Equal("2"), "status.failedIndexes")
			job.Reports(g, Counters{Active: 3, Ready: 3, Failed: 1})
		})
		s.Stays("the Job runs", func(g Gomega) {
			g.Expect(job.Conditions()).To(BeEmpty())
			g.Expect(s.Active()).To(HaveLen(3))
		})
		pods["0"].End(1)
		job.Fails(batchv1.JobReasonMaxFailedIndexesExceeded, Counters{Failed: 4})
		s.Soon("the active pods are gone", func(g Gomega) {
			g.Expect(s.Pods().Names()).To(ConsistOf(pods["0"].Name, pods["2"].Name))
		})
		Expect(s.Created()).To(HaveLen(4))
	})

	// Wrong: takes 0 for unset.
	It("a Job with maxFailedIndexes 0 fails with its first failed index", covers.Requirements(
		FailsBeyondMaxFailedIndexes), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Parallelism(1).Completions(3).BackoffLimitPerIndex(0).
			MaxFailedIndexes(0).FinishedAgo(longAgo))
		job.Runs(1).End(1)
		job.Fails(batchv1.JobReasonMaxFailedIndexesExceeded, Counters{Failed: 1})
		Expect(failedIndexes(job)).To(Equal("0"), "status.failedIndexes")
		Expect(s.Created()).To(HaveLen(1))
	})

	It("a Job with too many failed indexes is Failed when its last pod has ended", covers.Requirements(
		MaxFailedIndexesWaitsForPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(0).MaxFailedIndexes(0).Puppet(terminateLater))
		pods := byIndex(job.Runs(2))
		pods["1"].End(1)
		failsLater(s, job, batchv1.JobReasonMaxFailedIndexesExceeded, 1)
		release("143", pods["0"])
		job.Fails(batchv1.JobReasonMaxFailedIndexesExceeded, Counters{Failed: 2})
	})

	// Wrong: keeps a backoffLimit of 6 for the whole Job.
	It("the controller does not limit the failures of the whole Job", covers.Requirements(
		NoOverallLimitByDefault), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(9).BackoffLimitPerIndex(0))
		pods := byIndex(job.Runs(9))
		last := pods["8"]
		s.Active().Without(last).End(1)
		s.Soon("eight indexes have failed", func(g Gomega) {
			g.Expect(failedIndexes(job)).To(Equal("0-7"), "status.failedIndexes")
			job.Reports(g, Counters{Active: 1, Ready: 1, Failed: 8})
		})
		s.Stays("the ninth index runs", func(g Gomega) { g.Expect(job.Conditions()).To(BeEmpty()) })
		last.End(0)
		job.Fails(batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 8})
	})

	// The pod that is deleted when the Job fails counts as failed, too. Wrong: has one limit
	// override the other.
	It("the Job fails at its backoffLimit if that is set, too", covers.Requirements(
		OverallLimitBesidePerIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(3).BackoffLimit(1).FinishedAgo(longAgo))
		pods := byIndex(job.Runs(2))
		pods["0"].End(1)
		indexRunsAgain(s, job, "0", 3)
		Expect(job.Conditions()).To(BeEmpty())
		pods["1"].End(1)
		job.FailsWith(3, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 3})
		Expect(failedIndexes(job)).To(BeEmpty(), "status.failedIndexes")
	})

	// Wrong: retries, or fails the Job.
	It("the controller does not retry an index whose pod matches FailIndex", covers.Requirements(
		FailIndexAction, FailedIndexLeavesOthers), covers.Uses(contract.PodFailurePolicy), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(5).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(failIndex, in, 42)))
		pods := byIndex(job.Runs(2))
		pods["0"].End(42)
		indexesFail(s, job, "0")
		pods["1"].End(1)
		retry := indexRunsAgain(s, job, "1", 3)
		Expect(job.Conditions()).To(BeEmpty())
		retry.End(0)
		job.FailsWith(3, batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
	})

	// Wrong: looks for FailIndex in rules on exit codes only.
	It("the controller does not retry an index whose pod has a condition that matches FailIndex", covers.Requirements(
		FailIndexAction), covers.Uses(contract.PodFailurePolicy), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(5).FinishedAgo(longAgo).
			PodFailurePolicy(onConditions(failIndex, pattern("example.org/Broken", ""))))
		pods := byIndex(job.Runs(2))
		addCondition(s, pods["0"], "example.org/Broken", corev1.ConditionTrue)
		pods["0"].End(1)
		indexesFail(s, job, "0")
		pods["1"].End(0)
		job.FailsWith(2, batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 1})
	})

	// Wrong: fails only the index.
	It("the controller fails the Job without retries when a pod matches FailJob", covers.Requirements(
		FailJobBeatsPerIndex), covers.Uses(contract.PodFailurePolicy), func(ctx SpecContext) {
		job := framework.New(ctx).Create(indexed(2).BackoffLimitPerIndex(5).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(failIndex, in, 42), onExitCodes(failJob, in, 43)))
		byIndex(job.Runs(2))["1"].End(43)
		job.FailsWith(2, batchv1.JobReasonPodFailurePolicy, Counters{Failed: 2})
	})

	// Wrong: does not count the pod, and so retries the index without limit.
	It("a pod that somebody else deletes counts as a failure of its index", covers.Requirements(
		DeletedPodFailsItsIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(1))
		pods := byIndex(job.Runs(2))
		pods["0"].Remove()
		retry := indexRunsAgain(s, job, "0", 3)
		retry.Remove()
		indexesFail(s, job, "0")
		pods["1"].End(0)
		job.FailsWith(3, batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
	})

	// Wrong: counts the deletion as a failure.
	It("with podReplacementPolicy Failed, an index fails only when its pod has ended", covers.Requirements(
		TerminatingPodKeepsItsIndex), covers.Uses(contract.PodReplacementPolicy), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(0).Puppet(terminateLater).PodReplacementPolicy(batchv1.Failed))
		pods, before := byIndex(job.Runs(2)), s.Recorder.Position()
		for _, index := range []string{"0", "1"} {
			pods[index].Delete()
		}
		job.Counts("both pods are terminating", Counters{Terminating: 2})
		s.StaysSince(before, "no index has failed", func(g Gomega) {
			g.Expect(failedIndexes(job)).To(BeEmpty(), "status.failedIndexes")
			g.Expect(job.Conditions()).To(BeEmpty())
			g.Expect(s.Created()).To(HaveLen(2))
		})
		release("0", pods["0"])
		release("143", pods["1"])
		job.Fails(batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 1})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("0"), "status.completedIndexes")
		Expect(failedIndexes(job)).To(Equal("1"), "status.failedIndexes")
	})
})

// failedIndexes returns those of the Job, "" if there are none.
func failedIndexes(job *framework.Job) string {
	GinkgoHelper()
	return ptr.Deref(job.Now().Status.FailedIndexes, "")
}

// indexesFail waits until failedIndexes of the Job are these.
func indexesFail(s *framework.Sandbox, job *framework.Job, failed string) {
	GinkgoHelper()
	s.Soon("failedIndexes is "+failed, func(g Gomega) {
		g.Expect(failedIndexes(job)).To(Equal(failed), "status.failedIndexes")
	})
}

// indexRunsAgain waits until so many pods have been created and all active pods run,
// one of them for this index. It returns that pod.
func indexRunsAgain(s *framework.Sandbox, job *framework.Job, index string, created int) framework.Pod {
	GinkgoHelper()
	var pod framework.Pod
	s.SoonAfter(firstBackoff, "index "+index+" runs", func(g Gomega) {
		g.Expect(s.Created()).To(HaveLen(created))
		active := s.Active()
		g.Expect(active).To(HaveEach(HaveField("Status.Phase", corev1.PodRunning)))
		n := int32(len(active))
		job.ReportsActive(g, n)
		job.ReportsReady(g, n)
		g.Expect(byIndex(active)).To(HaveKey(index))
		pod = byIndex(active)[index]
	})
	return pod
}
