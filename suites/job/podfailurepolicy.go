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
)

// What the actions of a podFailurePolicy do, and when. How its rules match is in
// podfailurepolicyrules.go.
//
// No spec says when an ignored failure is replaced: the contract does not, and
// kube-controller-manager puts it off like any other.
var _ = Describe("podFailurePolicy", Label("area:job", "behaviour:podFailurePolicy"), func() {

	// Wrong: retries, or fails for another reason.
	It("with FailJob fails the Job with its first failed pod, whatever the backoffLimit", Covers(FailJobAction), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(6).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(failJob, in, 42)))

		s.End(ctx, 42, Running(s, "a", 1)...)
		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
		Expect(s.Job("a").Status.CompletionTime).To(BeNil())
		Expect(s.Created()).To(HaveLen(1))
		Expect(tracked(s.Pods())).To(BeEmpty())
	})

	// Wrong: says only that the Job has failed.
	It("with FailJob says which container of which pod it was, and which rule", Covers(FailJobMessage), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Container("second").ExitCodes("0/42").PodFailurePolicy(
			onExitCodes(ignore, in, 98), onExitCodes(count, in, 99), onExitCodes(failJob, in, 42)))

		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
		for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
			Expect(framework.Condition(s.Job("a"), kind)).To(HaveValue(And(
				HaveField("Status", corev1.ConditionTrue),
				HaveField("Reason", batchv1.JobReasonPodFailurePolicy),
				HaveField("Message", And(ContainSubstring(s.Created()[0].Name), MatchRegexp(`\bsecond\b`), MatchRegexp(`\b42\b`), MatchRegexp(`\b2\b`))))))
		}
	})

	It("with FailJob says which condition of which pod it was", Covers(FailJobMessage, MatchesPodConditions), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").PodFailurePolicy(onConditions(failJob, pattern("example.org/Broken", ""))))

		pod := Running(s, "a", 1)[0]
		addCondition(ctx, s, pod, "example.org/Broken", corev1.ConditionTrue)
		s.End(ctx, 1, pod)
		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
		Expect(framework.Condition(s.Job("a"), batchv1.JobFailed).Message).To(And(
			ContainSubstring(pod.Name), ContainSubstring("example.org/Broken")))
	})

	// Wrong: lets them run on, or forgets those that have succeeded.
	It("with FailJob removes the pods that still run, and only those", Covers(FailJobDeletesPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(3).Completions(3).PodFailurePolicy(onExitCodes(failJob, in, 42)))

		pods := Running(s, "a", 3)
		s.End(ctx, 0, pods[0])
		Counts(s, "a", "the success is counted", Counters{Active: 2, Ready: 2, Succeeded: 1})
		s.End(ctx, 42, pods[1])
		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Succeeded: 1, Failed: 2})
		s.Soon("the pod that ran is gone, the others are there", func(g Gomega) {
			g.Expect(names(s.Pods())).To(ConsistOf(pods[0].Name, pods[1].Name))
			g.Expect(tracked(s.Pods())).To(BeEmpty())
		})
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: is Failed while a pod still runs, or makes up its mind anew.
	It("with FailJob is declared at once, but the Job has Failed only when its last pod has ended",
		Covers(FailJobDeletesPods, FailJobWaitsForPods, FailJobIsFinal), func(ctx SpecContext) {
			s := WithJob(ctx, puppet.Job("a").Parallelism(2).Puppet(map[string]string{puppet.Terminate: puppet.Hold}).
				PodFailurePolicy(onExitCodes(failJob, in, 42)))

			pods := Running(s, "a", 2)
			s.End(ctx, 42, pods[0])
			s.Soon("the Job is about to fail, and its other pod is terminating", func(g Gomega) {
				g.Expect(TrueConditions(s.Job("a"))).To(HaveKeyWithValue(batchv1.JobFailureTarget, batchv1.JobReasonPodFailurePolicy))
				g.Expect(CountersOf(s.Job("a"))).To(And(HaveField("Active", int32(0)), HaveField("Terminating", int32(1))))
			})
			s.Stays("it has not failed", func(g Gomega) {
				g.Expect(TrueConditions(s.Job("a"))).NotTo(HaveKey(batchv1.JobFailed))
				g.Expect(s.Job("a").Status.Active).To(BeZero())
			})
			release(ctx, s, "0", pods[1])
			s.Soon("the Job has Failed", func(g Gomega) {
				g.Expect(TrueConditions(s.Job("a"))).To(Equal(map[batchv1.JobConditionType]string{
					batchv1.JobFailureTarget: batchv1.JobReasonPodFailurePolicy,
					batchv1.JobFailed:        batchv1.JobReasonPodFailurePolicy,
				}))
			})
			Expect(s.Created()).To(HaveLen(2))
		})

	// Wrong: counts, or does not replace.
	It("with Ignore replaces a failed pod without counting it", Covers(IgnoreAction, EveryFailureIsJudged), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(1).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(ignore, in, 42)))

		s.End(ctx, 42, Running(s, "a", 1)...)
		s.End(ctx, 1, successor(s, 2, Counters{Active: 1, Ready: 1}))
		s.End(ctx, 42, successor(s, 3, Counters{Active: 1, Ready: 1, Failed: 1}))
		s.End(ctx, 1, successor(s, 4, Counters{Active: 1, Ready: 1, Failed: 1}))
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
		Expect(s.Created()).To(HaveLen(4))
		Expect(tracked(s.Pods())).To(BeEmpty())
	})

	// Wrong: takes Ignore for "as if the pod had succeeded", or for "do nothing".
	It("with Ignore lets the Job complete later", Covers(IgnoreAction), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(ignore, in, 42)))

		pods := Running(s, "a", 2)
		s.End(ctx, 42, pods[0])
		s.Soon("another pod has taken its place", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(3))
			g.Expect(s.Active()).To(HaveEach(HaveField("Status.Phase", corev1.PodRunning)))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2}))
		})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: knows no action Count, and tries the next rule.
	It("with Count counts a failed pod, whatever later rules say", Covers(CountAction, FirstRuleDecides), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(1).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(count, in, 42), onExitCodes(failJob, notIn, 1)))

		s.End(ctx, 42, Running(s, "a", 1)...)
		s.End(ctx, 42, successor(s, 2, Counters{Active: 1, Ready: 1, Failed: 1}))
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: ignores what it has no rule for.
	It("counts a failed pod that no rule matches", Covers(UnmatchedFailureCounts), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(1).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(failJob, in, 42), onConditions(ignore, pattern(corev1.DisruptionTarget, ""))))

		s.End(ctx, 1, Running(s, "a", 1)...)
		s.End(ctx, 2, successor(s, 2, Counters{Active: 1, Ready: 1, Failed: 1}))
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
		Expect(s.Created()).To(HaveLen(2))
	})

	It("without rules counts every failed pod", Covers(UnmatchedFailureCounts), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(0).PodFailurePolicy())

		s.End(ctx, 1, Running(s, "a", 1)...)
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// Wrong: lets the action decide that comes last, or the strongest one.
	It("lets the first rule decide that matches", Covers(FirstRuleDecides, MatchesEviction), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(0).FinishedAgo(longAgo).PodFailurePolicy(
			onExitCodes(ignore, in, 41), onExitCodes(failJob, in, 41, 42), onConditions(ignore, pattern(corev1.DisruptionTarget, ""))))

		s.End(ctx, 41, Running(s, "a", 1)...)
		pod := successor(s, 2, Counters{Active: 1, Ready: 1})
		s.Direct(ctx, pod, map[string]string{puppet.Terminate: "42"})
		disrupt(ctx, s, pod)
		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: judges the pod, counts it or replaces it when it is deleted.
	It("waits for the end of a pod that is deleted, and judges it then", Covers(TerminatingPodIsNotJudged), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).Puppet(map[string]string{puppet.Terminate: puppet.Hold}).
			PodFailurePolicy(onExitCodes(failJob, in, 42), onConditions(failJob, pattern("example.org/Broken", ""))))

		pods := Running(s, "a", 2)
		addCondition(ctx, s, pods[0], "example.org/Broken", corev1.ConditionTrue)
		for i := range pods {
			s.Delete(ctx, &pods[i])
		}
		Counts(s, "a", "both pods are terminating", Counters{Terminating: 2})
		s.Stays("they are neither judged nor counted nor replaced", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Terminating: 2}))
			g.Expect(s.Created()).To(HaveLen(2))
		})
		release(ctx, s, "0", pods[0]) // its condition is no failure
		Counts(s, "a", "the first pod is counted as succeeded", Counters{Terminating: 1, Succeeded: 1})
		release(ctx, s, "42", pods[1])
		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Succeeded: 1, Failed: 1})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: counts it, or starts the next one beside it.
	It("replaces a disrupted pod that it ignores only when it has ended", Covers(MatchesEviction, TerminatingPodIsNotJudged), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(0).Puppet(map[string]string{puppet.Terminate: puppet.Hold}).
			PodFailurePolicy(onConditions(ignore, pattern(corev1.DisruptionTarget, corev1.ConditionTrue))))

		pod := Running(s, "a", 1)[0]
		disrupt(ctx, s, pod)
		Counts(s, "a", "the pod is terminating", Counters{Terminating: 1})
		s.Stays("it is not replaced", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(1)) })
		release(ctx, s, "143", pod)
		s.End(ctx, 0, successor(s, 2, Counters{Active: 1, Ready: 1}))
		Completes(s, "a", Counters{Succeeded: 1})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: looks at conditions, not at the phase.
	It("leaves pods alone that run or succeed", Covers(RulesNeedAFailure), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(0).PodFailurePolicy(
			onConditions(failJob, pattern("example.org/Broken", "")), onExitCodes(failJob, notIn, 1)))

		pod := Running(s, "a", 1)[0]
		addCondition(ctx, s, pod, "example.org/Broken", corev1.ConditionTrue)
		s.Stays("the pod runs on", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
			g.Expect(names(s.Active())).To(ConsistOf(pod.Name))
		})
		s.End(ctx, 0, pod)
		Completes(s, "a", Counters{Succeeded: 1})
	})

	// Wrong: stops at the first of several failures.
	It("finds the failure that fails the Job among others", Covers(FailJobAction, EveryFailureIsJudged), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(3).Completions(3).
			PodFailurePolicy(onExitCodes(ignore, in, 41), onExitCodes(failJob, in, 42)))

		pods := Running(s, "a", 3)
		s.End(ctx, 41, pods[0])
		s.End(ctx, 1, pods[1])
		s.End(ctx, 42, pods[2])
		s.Soon("the Job has Failed", func(g Gomega) { // with counters that depend on who ended first
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKeyWithValue(batchv1.JobFailed, batchv1.JobReasonPodFailurePolicy))
		})
	})
})
