package job

import (
	"time"

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
	"k8s.io/utils/ptr"
)

var _ = Describe("Job successPolicy:", behaviour.SuccessPolicy, func() {
	// Wrong: requires all indexes, or any of them.
	It("the Job completes when all succeededIndexes have succeeded", covers.Requirements(
		SucceededIndexes, UnmetPolicyChangesNothing), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(5).SuccessPolicy(rule("1,3-4", 0)))
		pods := byIndex(job.Runs(5))
		s.End(0, pods["0"], pods["1"], pods["3"])
		keepsRunning(s, job, "0,1,3", Counters{Active: 2, Ready: 2, Succeeded: 3})
		pods["4"].End(0)
		job.Completes(Counters{Succeeded: 4})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("0,1,3,4"), "status.completedIndexes")
		Expect(s.Created()).To(HaveLen(5))
	})

	// Wrong: takes the count for an index, or completes the Job one index too early.
	It("the Job completes when succeededCount indexes have succeeded", covers.Requirements(
		SucceededCount, UnmetPolicyChangesNothing), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(4).SuccessPolicy(rule("", 2)))
		pods := byIndex(job.Runs(4))
		pods["3"].End(0)
		keepsRunning(s, job, "3", Counters{Active: 3, Ready: 3, Succeeded: 1})
		pods["1"].End(0)
		job.Completes(Counters{Succeeded: 2})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("1,3"), "status.completedIndexes")
	})

	// Wrong: counts other indexes, too, or requires all succeededIndexes.
	It("the Job completes when succeededCount of the succeededIndexes have succeeded", covers.Requirements(
		SucceededCountOfIndexes, UnmetPolicyChangesNothing), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(6).SuccessPolicy(rule("1-4", 3)))
		pods := byIndex(job.Runs(6))
		s.End(0, pods["0"], pods["1"], pods["3"], pods["5"])
		keepsRunning(s, job, "0,1,3,5", Counters{Active: 2, Ready: 2, Succeeded: 4})
		pods["2"].End(0)
		job.Completes(Counters{Succeeded: 5})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("0-3,5"), "status.completedIndexes")
	})

	// Wrong: counts ranges of completedIndexes that lie within succeededIndexes as a whole.
	It("the controller counts succeededIndexes in ranges that begin before or end after them", covers.Requirements(
		SucceededCountOfIndexes, UnmetPolicyChangesNothing), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(7).SuccessPolicy(rule("1-4", 3)))
		pods := byIndex(job.Runs(7))
		s.End(0, pods["3"], pods["4"], pods["5"])
		keepsRunning(s, job, "3-5", Counters{Active: 4, Ready: 4, Succeeded: 3})
		pods["0"].End(0)
		keepsRunning(s, job, "0,3-5", Counters{Active: 3, Ready: 3, Succeeded: 4})
		pods["1"].End(0)
		job.Completes(Counters{Succeeded: 5})
	})

	// Wrong: checks the first rule only, or requires all rules.
	It("the Job completes when any rule is met", covers.Requirements(
		AnyRuleSucceeds, SuccessPolicyConditions), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(4).SuccessPolicy(rule("0", 0), rule("2-3", 1), rule("", 3)))
		pods := byIndex(job.Runs(4))
		pods["1"].End(0)
		keepsRunning(s, job, "1", Counters{Active: 3, Ready: 3, Succeeded: 1})
		pods["3"].End(0)
		job.Completes(Counters{Succeeded: 2})
		Expect(job.Conditions()).To(Equal(
			because(batchv1.JobReasonSuccessPolicy, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)))
	})

	// Wrong: checks completions first.
	It("the conditions have the reason SuccessPolicy also when all indexes have succeeded", covers.Requirements(
		SuccessPolicyAtLastIndex, SuccessPolicyConditions), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").Indexed().Completions(1).SuccessPolicy(rule("0", 0)))
		job.Runs(1).End(0)
		job.Completes(Counters{Succeeded: 1})
		Expect(job.Conditions()).To(Equal(
			because(batchv1.JobReasonSuccessPolicy, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)))
	})

	// Wrong: keeps active pods, counts them as failed, or deletes all pods.
	It("the controller deletes active pods without counting them as failed when the policy is met", covers.Requirements(
		SuccessDeletesPods, SuccessCountsNoFailures), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3).BackoffLimit(0).SuccessPolicy(rule("1", 0)))
		pods := byIndex(job.Runs(3))
		pods["1"].End(0)
		job.Completes(Counters{Succeeded: 1})
		keepsOnly(s, pods["1"])
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: sets Complete while a pod still runs.
	It("the Job has SuccessCriteriaMet at once and is Complete when its last pod has ended", covers.Requirements(
		SuccessWaitsForPods, SuccessPolicyConditions), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).SuccessPolicy(rule("0", 0)).Puppet(terminateLater))
		pods := byIndex(job.Runs(2))
		pods["0"].End(0)
		criteriaMet(s, job, 1)
		s.Stays("the Job is not Complete", func(g Gomega) {
			g.Expect(job.Conditions()).NotTo(HaveKey(batchv1.JobComplete))
			g.Expect(job.Now().Status.CompletionTime).To(BeNil(), "status.completionTime")
		})
		release("143", pods["1"])
		job.Completes(Counters{Succeeded: 1})
		met := framework.Condition(job.Now(), batchv1.JobSuccessCriteriaMet).LastTransitionTime
		Expect(job.Now().Status.CompletionTime.Sub(met.Time)).To(
			BeNumerically(">=", time.Second), "time from SuccessCriteriaMet to completion")
	})

	// Wrong: starts the next index before it checks the rules.
	It("the controller starts no other index when the policy is met", covers.Requirements(
		SuccessStartsNoIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Parallelism(1).Completions(3).SuccessPolicy(rule("0", 0)))
		job.Runs(1).End(0)
		job.Completes(Counters{Succeeded: 1})
		s.Stays("no pod is created", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(1)) })
	})

	// Wrong: decides about the Job again.
	It("the Job completes when the policy is met even if the last pod exceeds backoffLimit", covers.Requirements(
		SuccessIsFinal), covers.Uses(contract.BackoffLimitPerIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimit(0).BackoffLimitPerIndex(0).
			SuccessPolicy(rule("0", 0)).Puppet(terminateLater))
		completesAfterMet(s, job, "1")
	})

	It("the Job completes when the policy is met even if the last pod matches FailJob", covers.Requirements(
		SuccessIsFinal), covers.Uses(contract.PodFailurePolicy), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).SuccessPolicy(rule("0", 0)).
			PodFailurePolicy(onExitCodes(failJob, in, 42)).Puppet(terminateLater))
		completesAfterMet(s, job, "42")
	})

	It("the Job completes when the policy is met even if its deadline passes", covers.Requirements(
		SuccessIsFinal), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).SuccessPolicy(rule("0", 0)).Puppet(terminateLater))
		pods := byIndex(job.Runs(2))
		pods["0"].End(0)
		criteriaMet(s, job, 1)
		setDeadline(job, 1)
		s.Stays("the Job has SuccessCriteriaMet alone", func(g Gomega) {
			g.Expect(job.Conditions()).To(Equal(
				because(batchv1.JobReasonSuccessPolicy, batchv1.JobSuccessCriteriaMet)))
		})
		release("143", pods["1"])
		job.Completes(Counters{Succeeded: 1})
	})

	// Wrong: completes the Job whenever the policy is met.
	It("a Job with FailureTarget fails even if the policy is met later", covers.Requirements(
		FailureIsFinal), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimit(0).SuccessPolicy(rule("0", 0)).Puppet(terminateLater))
		pods := byIndex(job.Runs(2))
		pods["1"].End(1)
		s.Soon("the Job has FailureTarget, and its other pod is terminating", func(g Gomega) {
			g.Expect(job.Conditions()).To(HaveKey(batchv1.JobFailureTarget))
			job.ReportsTerminating(g, 1)
		})
		release("0", pods["0"])
		s.Soon("the Job is Failed", func(g Gomega) {
			g.Expect(job.Conditions()).To(Equal(
				because(batchv1.JobReasonBackoffLimitExceeded, batchv1.JobFailureTarget, batchv1.JobFailed)))
		})
	})

	// Wrong: checks the success policy first.
	It("the Job fails if its last index meets the policy and other indexes have failed", covers.Requirements(
		FailureBeatsSuccess), covers.Uses(contract.BackoffLimitPerIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimitPerIndex(0).SuccessPolicy(rule("", 1)))
		pods := byIndex(job.Runs(2))
		pods["0"].End(1)
		indexesFail(s, job, "0")
		pods["1"].End(0)
		job.Fails(batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 1})
	})

	// Wrong: completes no Job that has failures.
	It("the Job completes when the policy is met after failures", covers.Requirements(
		SuccessAfterFailures), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(2).BackoffLimit(1).FinishedAgo(longAgo).SuccessPolicy(rule("0", 0)))
		byIndex(job.Runs(2))["0"].End(1)
		indexRunsAgain(s, job, "0", 3).End(0)
		job.Completes(Counters{Succeeded: 1, Failed: 1})
	})

	It("the Job completes when the policy is met while other indexes have failed", covers.Requirements(
		SuccessBesideFailedIndexes), covers.MayShow(upstream.DeletedFailsIndex), covers.Uses(
		contract.BackoffLimitPerIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3).BackoffLimitPerIndex(0).SuccessPolicy(rule("", 1)))
		pods := byIndex(job.Runs(3))
		pods["0"].End(1)
		s.Soon("the index has failed", func(g Gomega) {
			g.Expect(failedIndexes(job)).To(Equal("0"), "status.failedIndexes")
			job.Reports(g, Counters{Active: 2, Ready: 2, Failed: 1})
		})
		pods["2"].End(0)
		job.Completes(Counters{Succeeded: 1, Failed: 1})
		Expect(failedIndexes(job)).To(Equal("0"), "status.failedIndexes")
		Expect(job.Now().Status.CompletedIndexes).To(Equal("2"), "status.completedIndexes")
	})

	// Wrong: starts to count at 0.
	It("the controller counts indexes that succeeded before a suspension", covers.Requirements(
		SuccessAcrossSuspension), covers.MayShow(upstream.ResumedStatusRefused), covers.Uses(
		contract.Suspend), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3).SuccessPolicy(rule("0,2", 0)))
		byIndex(job.Runs(3))["0"].End(0)
		job.Counts("the success is counted", Counters{Active: 2, Ready: 2, Succeeded: 1})
		job.Suspend()
		s.Soon("the Job is suspended and its active pods are gone", func(g Gomega) {
			g.Expect(job.Conditions()).To(HaveKey(batchv1.JobSuspended))
			job.Reports(g, Counters{Succeeded: 1})
			g.Expect(s.Pods()).To(HaveLen(1))
		})
		job.Resume()
		byIndex(job.Runs(2))["2"].End(0)
		job.Completes(Counters{Succeeded: 2})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("0,2"), "status.completedIndexes")
	})
})

// rule returns a rule of a success policy; "" and 0 leave a field unset.
func rule(succeededIndexes string, succeededCount int32) batchv1.SuccessPolicyRule {
	var r batchv1.SuccessPolicyRule
	if succeededIndexes != "" {
		r.SucceededIndexes = ptr.To(succeededIndexes)
	}
	if succeededCount != 0 {
		r.SucceededCount = ptr.To(succeededCount)
	}
	return r
}

// keepsRunning waits until these indexes are completed, and expects that the Job does not
// finish and has these counters.
func keepsRunning(s *framework.Sandbox, job *framework.Job, completed string, want Counters) {
	GinkgoHelper()
	indexesComplete(s, job, completed)
	s.Stays("the Job runs", func(g Gomega) {
		g.Expect(job.Conditions()).To(BeEmpty())
		g.Expect(s.Active()).To(HaveLen(int(want.Active)))
	})
	job.ReportsNow(want)
}

// completesAfterMet has index 0 meet the success policy and then ends the pod of index 1
// with an exit code. It waits until the Job is Complete.
func completesAfterMet(s *framework.Sandbox, job *framework.Job, exitCode string) {
	GinkgoHelper()
	pods := byIndex(job.Runs(2))
	pods["0"].End(0)
	criteriaMet(s, job, 1)
	release(exitCode, pods["1"])
	job.Becomes(batchv1.JobComplete)
	Expect(job.Now().Status.Succeeded).To(BeEquivalentTo(1), "status.succeeded")
}

// criteriaMet waits until the Job has SuccessCriteriaMet because of its success policy,
// while its n last pods terminate.
func criteriaMet(s *framework.Sandbox, job *framework.Job, n int32) {
	GinkgoHelper()
	s.Soon("the Job has SuccessCriteriaMet, and its other pods terminate", func(g Gomega) {
		g.Expect(job.Conditions()).To(
			HaveKeyWithValue(batchv1.JobSuccessCriteriaMet, batchv1.JobReasonSuccessPolicy))
		job.ReportsActive(g, 0)
		job.ReportsTerminating(g, n)
	})
}
