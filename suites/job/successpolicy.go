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
	"k8s.io/utils/ptr"
)

var _ = Describe("successPolicy", Label("area:job", "behaviour:successPolicy"), func() {

	// Wrong: wants all indexes, or takes any of them.
	It("is met when all its succeededIndexes have succeeded", Covers(SucceededIndexes, UnmetPolicyChangesNothing), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(5).Completions(5).SuccessPolicy(rule("1,3-4", 0)))

		pods := byIndex(Running(s, "a", 5))
		s.End(ctx, 0, pods["0"], pods["1"], pods["3"])
		goesOn(s, "0,1,3", Counters{Active: 2, Ready: 2, Succeeded: 3})
		s.End(ctx, 0, pods["4"])
		Completes(s, "a", Counters{Succeeded: 4})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0,1,3,4"))
		Expect(s.Created()).To(HaveLen(5))
	})

	// Wrong: takes the count for a list of indexes, or completes one too early.
	It("is met when succeededCount indexes have succeeded, whichever they are", Covers(SucceededCount, UnmetPolicyChangesNothing), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(4).Completions(4).SuccessPolicy(rule("", 2)))

		pods := byIndex(Running(s, "a", 4))
		s.End(ctx, 0, pods["3"])
		goesOn(s, "3", Counters{Active: 3, Ready: 3, Succeeded: 1})
		s.End(ctx, 0, pods["1"])
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("1,3"))
	})

	// Wrong: counts other indexes, too, or wants all that are named.
	It("with both is met when that many of these indexes have succeeded", Covers(SucceededCountOfIndexes, UnmetPolicyChangesNothing), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(6).Completions(6).SuccessPolicy(rule("1-4", 3)))

		pods := byIndex(Running(s, "a", 6))
		s.End(ctx, 0, pods["0"], pods["1"], pods["3"], pods["5"])
		goesOn(s, "0,1,3,5", Counters{Active: 2, Ready: 2, Succeeded: 4})
		s.End(ctx, 0, pods["2"])
		Completes(s, "a", Counters{Succeeded: 5})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-3,5"))
	})

	// Wrong: looks at the first rule, or wants all of them.
	It("is met by any one of its rules", Covers(AnyRuleSucceeds, SuccessPolicyConditions), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(4).Completions(4).
			SuccessPolicy(rule("0", 0), rule("2-3", 1), rule("", 3)))

		pods := byIndex(Running(s, "a", 4))
		s.End(ctx, 0, pods["1"])
		goesOn(s, "1", Counters{Active: 3, Ready: 3, Succeeded: 1})
		s.End(ctx, 0, pods["3"])
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(TrueConditions(s.Job("a"))).To(Equal(map[batchv1.JobConditionType]string{
			batchv1.JobSuccessCriteriaMet: batchv1.JobReasonSuccessPolicy,
			batchv1.JobComplete:           batchv1.JobReasonSuccessPolicy,
		}))
	})

	// Wrong: looks at completions first.
	It("is the reason also when all indexes have succeeded", Covers(SuccessPolicyAtLastIndex, SuccessPolicyConditions), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Completions(1).SuccessPolicy(rule("0", 0)))

		s.End(ctx, 0, Running(s, "a", 1)...)
		Completes(s, "a", Counters{Succeeded: 1})
		Expect(TrueConditions(s.Job("a"))).To(Equal(map[batchv1.JobConditionType]string{
			batchv1.JobSuccessCriteriaMet: batchv1.JobReasonSuccessPolicy,
			batchv1.JobComplete:           batchv1.JobReasonSuccessPolicy,
		}))
	})

	// Wrong: lets them run on, counts them as failed, or removes all pods.
	It("once met removes the pods that still run, which do not count as failed", Covers(SuccessDeletesPods, SuccessCountsNoFailures), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(3).Completions(3).BackoffLimit(0).SuccessPolicy(rule("1", 0)))

		pods := byIndex(Running(s, "a", 3))
		s.End(ctx, 0, pods["1"])
		Completes(s, "a", Counters{Succeeded: 1})
		s.Soon("the pods that ran are gone", func(g Gomega) {
			g.Expect(names(s.Pods())).To(ConsistOf(pods["1"].Name))
			g.Expect(tracked(s.Pods())).To(BeEmpty())
		})
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: is Complete while a pod still runs.
	It("once met is declared at once, but the Job is Complete only when the last pod has ended", Covers(SuccessWaitsForPods, SuccessPolicyConditions), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).SuccessPolicy(rule("0", 0)).
			Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := byIndex(Running(s, "a", 2))
		s.End(ctx, 0, pods["0"])
		criteriaMet(s, 1)
		s.Stays("the Job is not Complete", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).NotTo(HaveKey(batchv1.JobComplete))
			g.Expect(s.Job("a").Status.CompletionTime).To(BeNil())
		})
		release(ctx, s, "143", pods["1"])
		Completes(s, "a", Counters{Succeeded: 1})
		met := framework.Condition(s.Job("a"), batchv1.JobSuccessCriteriaMet).LastTransitionTime
		Expect(s.Job("a").Status.CompletionTime.Sub(met.Time)).To(BeNumerically(">=", 1e9), "time from SuccessCriteriaMet to completion")
	})

	// Wrong: starts the next index before it looks at the rules.
	It("once met starts no other index", Covers(SuccessStartsNoIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(1).Completions(3).SuccessPolicy(rule("0", 0)))

		s.End(ctx, 0, Running(s, "a", 1)...)
		Completes(s, "a", Counters{Succeeded: 1})
		s.Stays("no pod is created", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(1)) })
	})

	// Wrong: judges the Job anew.
	It("once met completes the Job, even if its last pod exceeds the backoffLimit", Covers(SuccessIsFinal), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimit(0).BackoffLimitPerIndex(0).
			SuccessPolicy(rule("0", 0)).Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := byIndex(Running(s, "a", 2))
		s.End(ctx, 0, pods["0"])
		criteriaMet(s, 1)
		release(ctx, s, "1", pods["1"])
		s.Soon("the Job is Complete", func(g Gomega) { g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobComplete)) })
		Expect(s.Job("a").Status.Succeeded).To(BeEquivalentTo(1))
	})

	It("once met completes the Job, even if its last pod matches FailJob", Covers(SuccessIsFinal), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).SuccessPolicy(rule("0", 0)).
			PodFailurePolicy(onExitCodes(failJob, in, 42)).Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := byIndex(Running(s, "a", 2))
		s.End(ctx, 0, pods["0"])
		criteriaMet(s, 1)
		release(ctx, s, "42", pods["1"])
		s.Soon("the Job is Complete", func(g Gomega) { g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobComplete)) })
		Expect(s.Job("a").Status.Succeeded).To(BeEquivalentTo(1))
	})

	It("once met completes the Job, even if its deadline is over before the last pod has ended", Covers(SuccessIsFinal), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).SuccessPolicy(rule("0", 0)).
			Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := byIndex(Running(s, "a", 2))
		s.End(ctx, 0, pods["0"])
		criteriaMet(s, 1)
		setDeadline(ctx, s, "a", 1)
		s.Stays("the Job is about to complete", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(Equal(map[batchv1.JobConditionType]string{
				batchv1.JobSuccessCriteriaMet: batchv1.JobReasonSuccessPolicy,
			}))
		})
		release(ctx, s, "143", pods["1"])
		Completes(s, "a", Counters{Succeeded: 1})
	})

	// Wrong: lets the policy win, whenever it is met.
	It("is not met any more once the Job is about to fail", Covers(FailureIsFinal), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimit(0).SuccessPolicy(rule("0", 0)).
			Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := byIndex(Running(s, "a", 2))
		s.End(ctx, 1, pods["1"])
		s.Soon("the Job is about to fail, and its other pod is terminating", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobFailureTarget))
			g.Expect(CountersOf(s.Job("a"))).To(HaveField("Terminating", int32(1)))
		})
		release(ctx, s, "0", pods["0"])
		s.Soon("the Job has Failed", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(Equal(map[batchv1.JobConditionType]string{
				batchv1.JobFailureTarget: batchv1.JobReasonBackoffLimitExceeded,
				batchv1.JobFailed:        batchv1.JobReasonBackoffLimitExceeded,
			}))
		})
	})

	// Wrong: looks at the success policy first.
	It("loses when the same pod ends a Job with failed indexes", Covers(FailureBeatsSuccess), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimitPerIndex(0).SuccessPolicy(rule("", 1)))

		pods := byIndex(Running(s, "a", 2))
		s.End(ctx, 1, pods["0"])
		s.Soon("the index has failed", func(g Gomega) { g.Expect(failedIndexes(s)).To(Equal("0")) })
		s.End(ctx, 0, pods["1"])
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 1})
	})

	// Wrong: takes a Job with failures for one that cannot succeed any more.
	It("is met in spite of failures before", Covers(SuccessAfterFailures), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimit(1).FinishedAgo(longAgo).
			SuccessPolicy(rule("0", 0)))

		s.End(ctx, 1, byIndex(Running(s, "a", 2))["0"])
		s.End(ctx, 0, indexRunsAgain(s, "0", 3))
		Completes(s, "a", Counters{Succeeded: 1, Failed: 1})
	})

	It("is met in spite of failed indexes", Covers(SuccessBesideFailedIndexes), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(3).Completions(3).BackoffLimitPerIndex(0).SuccessPolicy(rule("", 1)))

		pods := byIndex(Running(s, "a", 3))
		s.End(ctx, 1, pods["0"])
		s.Soon("the index has failed", func(g Gomega) {
			g.Expect(failedIndexes(s)).To(Equal("0"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2, Failed: 1}))
		})
		s.End(ctx, 0, pods["2"])
		Completes(s, "a", Counters{Succeeded: 1, Failed: 1})
		Expect(failedIndexes(s)).To(Equal("0"))
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("2"))
	})

	// Wrong: begins to count anew.
	It("counts what had succeeded before a suspension", Covers(SuccessAcrossSuspension), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(3).Completions(3).SuccessPolicy(rule("0,2", 0)))

		s.End(ctx, 0, byIndex(Running(s, "a", 3))["0"])
		Counts(s, "a", "the success is counted", Counters{Active: 2, Ready: 2, Succeeded: 1})
		SuspendJob(ctx, s, "a")
		s.Soon("the Job is suspended and its active pods are gone", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobSuspended))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Succeeded: 1}))
			g.Expect(s.Pods()).To(HaveLen(1))
		})
		ResumeJob(ctx, s, "a")
		s.End(ctx, 0, byIndex(Running(s, "a", 2))["2"])
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0,2"))
	})
})

// rule is a rule of a success policy; "" and 0 leave its parts out.
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

// goesOn waits for indexes to be counted as completed, and expects the Job to go
// on with these counters.
func goesOn(s *framework.Sandbox, completed string, want Counters) {
	GinkgoHelper()
	s.Soon("the successes are counted", func(g Gomega) {
		g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal(completed))
	})
	s.Stays("the Job goes on", func(g Gomega) {
		g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		g.Expect(s.Active()).To(HaveLen(int(want.Active)))
	})
	Expect(CountersOf(s.Job("a"))).To(Equal(want))
}

// criteriaMet waits until the Job says that its success policy is met, while the
// n pods that still ran terminate.
func criteriaMet(s *framework.Sandbox, n int32) {
	GinkgoHelper()
	s.Soon("the success criteria are met, and the other pods terminate", func(g Gomega) {
		g.Expect(TrueConditions(s.Job("a"))).To(HaveKeyWithValue(batchv1.JobSuccessCriteriaMet, batchv1.JobReasonSuccessPolicy))
		g.Expect(CountersOf(s.Job("a"))).To(And(HaveField("Active", int32(0)), HaveField("Terminating", n)))
	})
}
