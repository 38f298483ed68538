package job

import (
	"context"
	"time"

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
	"k8s.io/utils/ptr"
)

var _ = Describe("Job successPolicy:", behaviour.SuccessPolicy, func() {
	// Wrong: requires all indexes, or any of them.
	It("the Job completes when all succeededIndexes have succeeded", Covers(
		SucceededIndexes, UnmetPolicyChangesNothing), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(5).SuccessPolicy(rule("1,3-4", 0)))
		pods := byIndex(Running(s, "a", 5))
		s.End(0, pods["0"], pods["1"], pods["3"])
		keepsRunning(s, "0,1,3", Counters{Active: 2, Ready: 2, Succeeded: 3})
		pods["4"].End(0)
		Completes(s, "a", Counters{Succeeded: 4})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0,1,3,4"))
		Expect(s.Created()).To(HaveLen(5))
	})

	// Wrong: takes the count for an index, or completes the Job one index too early.
	It("the Job completes when succeededCount indexes have succeeded", Covers(
		SucceededCount, UnmetPolicyChangesNothing), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(4).SuccessPolicy(rule("", 2)))
		pods := byIndex(Running(s, "a", 4))
		pods["3"].End(0)
		keepsRunning(s, "3", Counters{Active: 3, Ready: 3, Succeeded: 1})
		pods["1"].End(0)
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("1,3"))
	})

	// Wrong: counts other indexes, too, or requires all succeededIndexes.
	It("the Job completes when succeededCount of the succeededIndexes have succeeded", Covers(
		SucceededCountOfIndexes, UnmetPolicyChangesNothing), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(6).SuccessPolicy(rule("1-4", 3)))
		pods := byIndex(Running(s, "a", 6))
		s.End(0, pods["0"], pods["1"], pods["3"], pods["5"])
		keepsRunning(s, "0,1,3,5", Counters{Active: 2, Ready: 2, Succeeded: 4})
		pods["2"].End(0)
		Completes(s, "a", Counters{Succeeded: 5})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-3,5"))
	})

	// Wrong: counts ranges of completedIndexes that lie within succeededIndexes as a whole.
	It("the controller counts succeededIndexes in ranges that begin before or end after them", Covers(
		SucceededCountOfIndexes, UnmetPolicyChangesNothing), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(7).SuccessPolicy(rule("1-4", 3)))
		pods := byIndex(Running(s, "a", 7))
		s.End(0, pods["3"], pods["4"], pods["5"])
		keepsRunning(s, "3-5", Counters{Active: 4, Ready: 4, Succeeded: 3})
		pods["0"].End(0)
		keepsRunning(s, "0,3-5", Counters{Active: 3, Ready: 3, Succeeded: 4})
		pods["1"].End(0)
		Completes(s, "a", Counters{Succeeded: 5})
	})

	// Wrong: checks the first rule only, or requires all rules.
	It("the Job completes when any rule is met", Covers(AnyRuleSucceeds, SuccessPolicyConditions), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(4).SuccessPolicy(rule("0", 0), rule("2-3", 1), rule("", 3)))
		pods := byIndex(Running(s, "a", 4))
		pods["1"].End(0)
		keepsRunning(s, "1", Counters{Active: 3, Ready: 3, Succeeded: 1})
		pods["3"].End(0)
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(TrueConditions(s.Job("a"))).To(Equal(
			because(batchv1.JobReasonSuccessPolicy, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)))
	})

	// Wrong: checks completions first.
	It("the conditions have the reason SuccessPolicy also when all indexes have succeeded", Covers(
		SuccessPolicyAtLastIndex, SuccessPolicyConditions), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Completions(1).SuccessPolicy(rule("0", 0)))
		Running(s, "a", 1).End(0)
		Completes(s, "a", Counters{Succeeded: 1})
		Expect(TrueConditions(s.Job("a"))).To(Equal(
			because(batchv1.JobReasonSuccessPolicy, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)))
	})

	// Wrong: keeps active pods, counts them as failed, or deletes all pods.
	It("the controller deletes active pods without counting them as failed when the policy is met", Covers(
		SuccessDeletesPods, SuccessCountsNoFailures), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(3).BackoffLimit(0).SuccessPolicy(rule("1", 0)))
		pods := byIndex(Running(s, "a", 3))
		pods["1"].End(0)
		Completes(s, "a", Counters{Succeeded: 1})
		keepsOnly(s, pods["1"])
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: sets Complete while a pod still runs.
	It("the Job has SuccessCriteriaMet at once and is Complete when its last pod has ended", Covers(
		SuccessWaitsForPods, SuccessPolicyConditions), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).SuccessPolicy(rule("0", 0)).Puppet(terminateLater))
		pods := byIndex(Running(s, "a", 2))
		pods["0"].End(0)
		criteriaMet(s, 1)
		s.Stays("the Job is not Complete", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).NotTo(HaveKey(batchv1.JobComplete))
			g.Expect(s.Job("a").Status.CompletionTime).To(BeNil())
		})
		release(ctx, s, "143", pods["1"])
		Completes(s, "a", Counters{Succeeded: 1})
		met := framework.Condition(s.Job("a"), batchv1.JobSuccessCriteriaMet).LastTransitionTime
		Expect(s.Job("a").Status.CompletionTime.Sub(met.Time)).To(
			BeNumerically(">=", time.Second), "time from SuccessCriteriaMet to completion")
	})

	// Wrong: starts the next index before it checks the rules.
	It("the controller starts no other index when the policy is met", Covers(SuccessStartsNoIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(1).Completions(3).SuccessPolicy(rule("0", 0)))
		Running(s, "a", 1).End(0)
		Completes(s, "a", Counters{Succeeded: 1})
		s.Stays("no pod is created", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(1)) })
	})

	// Wrong: decides about the Job again.
	It("the Job completes when the policy is met even if the last pod exceeds backoffLimit", Covers(
		SuccessIsFinal), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimit(0).BackoffLimitPerIndex(0).
			SuccessPolicy(rule("0", 0)).Puppet(terminateLater))
		completesAfterMet(ctx, s, "1")
	})

	It("the Job completes when the policy is met even if the last pod matches FailJob", Covers(
		SuccessIsFinal), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).SuccessPolicy(rule("0", 0)).
			PodFailurePolicy(onExitCodes(failJob, in, 42)).Puppet(terminateLater))
		completesAfterMet(ctx, s, "42")
	})

	It("the Job completes when the policy is met even if its deadline passes", Covers(
		SuccessIsFinal), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).SuccessPolicy(rule("0", 0)).Puppet(terminateLater))
		pods := byIndex(Running(s, "a", 2))
		pods["0"].End(0)
		criteriaMet(s, 1)
		setDeadline(ctx, s, "a", 1)
		s.Stays("the Job has SuccessCriteriaMet alone", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(Equal(
				because(batchv1.JobReasonSuccessPolicy, batchv1.JobSuccessCriteriaMet)))
		})
		release(ctx, s, "143", pods["1"])
		Completes(s, "a", Counters{Succeeded: 1})
	})

	// Wrong: completes the Job whenever the policy is met.
	It("a Job with FailureTarget fails even if the policy is met later", Covers(FailureIsFinal), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimit(0).SuccessPolicy(rule("0", 0)).Puppet(terminateLater))
		pods := byIndex(Running(s, "a", 2))
		pods["1"].End(1)
		s.Soon("the Job has FailureTarget, and its other pod is terminating", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobFailureTarget))
			g.Expect(CountersOf(s.Job("a"))).To(HaveField("Terminating", int32(1)))
		})
		release(ctx, s, "0", pods["0"])
		s.Soon("the Job is Failed", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(Equal(
				because(batchv1.JobReasonBackoffLimitExceeded, batchv1.JobFailureTarget, batchv1.JobFailed)))
		})
	})

	// Wrong: checks the success policy first.
	It("the Job fails if its last index meets the policy and other indexes have failed", Covers(
		FailureBeatsSuccess), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimitPerIndex(0).SuccessPolicy(rule("", 1)))
		pods := byIndex(Running(s, "a", 2))
		pods["0"].End(1)
		indexesFail(s, "0")
		pods["1"].End(0)
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 1})
	})

	// Wrong: completes no Job that has failures.
	It("the Job completes when the policy is met after failures", Covers(SuccessAfterFailures), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimit(1).FinishedAgo(longAgo).SuccessPolicy(rule("0", 0)))
		byIndex(Running(s, "a", 2))["0"].End(1)
		indexRunsAgain(s, "0", 3).End(0)
		Completes(s, "a", Counters{Succeeded: 1, Failed: 1})
	})

	It("the Job completes when the policy is met while other indexes have failed", Covers(
		SuccessBesideFailedIndexes), MayShow(upstream.DeletedFailsIndex), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(3).BackoffLimitPerIndex(0).SuccessPolicy(rule("", 1)))
		pods := byIndex(Running(s, "a", 3))
		pods["0"].End(1)
		s.Soon("the index has failed", func(g Gomega) {
			g.Expect(failedIndexes(s)).To(Equal("0"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2, Failed: 1}))
		})
		pods["2"].End(0)
		Completes(s, "a", Counters{Succeeded: 1, Failed: 1})
		Expect(failedIndexes(s)).To(Equal("0"))
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("2"))
	})

	// Wrong: starts to count at 0.
	It("the controller counts indexes that succeeded before a suspension", Covers(
		SuccessAcrossSuspension), MayShow(upstream.ResumedStatusRefused), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(3).SuccessPolicy(rule("0,2", 0)))
		byIndex(Running(s, "a", 3))["0"].End(0)
		Counts(s, "a", "the success is counted", Counters{Active: 2, Ready: 2, Succeeded: 1})
		SuspendJob(ctx, s, "a")
		s.Soon("the Job is suspended and its active pods are gone", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobSuspended))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Succeeded: 1}))
			g.Expect(s.Pods()).To(HaveLen(1))
		})
		ResumeJob(ctx, s, "a")
		byIndex(Running(s, "a", 2))["2"].End(0)
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0,2"))
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
func keepsRunning(s *framework.Sandbox, completed string, want Counters) {
	GinkgoHelper()
	indexesComplete(s, completed)
	s.Stays("the Job runs", func(g Gomega) {
		g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		g.Expect(s.Active()).To(HaveLen(int(want.Active)))
	})
	Expect(CountersOf(s.Job("a"))).To(Equal(want))
}

// completesAfterMet has index 0 meet the success policy and then ends the pod of index 1
// with an exit code. It waits until the Job is Complete.
func completesAfterMet(ctx context.Context, s *framework.Sandbox, exitCode string) {
	GinkgoHelper()
	pods := byIndex(Running(s, "a", 2))
	pods["0"].End(0)
	criteriaMet(s, 1)
	release(ctx, s, exitCode, pods["1"])
	becomes(s, batchv1.JobComplete)
	Expect(s.Job("a").Status.Succeeded).To(BeEquivalentTo(1))
}

// criteriaMet waits until the Job has SuccessCriteriaMet because of its success policy,
// while its n last pods terminate.
func criteriaMet(s *framework.Sandbox, n int32) {
	GinkgoHelper()
	s.Soon("the Job has SuccessCriteriaMet, and its other pods terminate", func(g Gomega) {
		g.Expect(TrueConditions(s.Job("a"))).To(
			HaveKeyWithValue(batchv1.JobSuccessCriteriaMet, batchv1.JobReasonSuccessPolicy))
		g.Expect(CountersOf(s.Job("a"))).To(And(HaveField("Active", int32(0)), HaveField("Terminating", n)))
	})
}
