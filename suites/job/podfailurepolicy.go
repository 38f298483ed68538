package job

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// These specs are about the actions of a podFailurePolicy. Those of the matching of rules
// are in podfailurepolicyrules.go.
//
// No spec checks when the controller replaces an ignored failure: the contract leaves it
// open, and kube-controller-manager applies its back-off.
var _ = Describe("Job podFailurePolicy:", behaviour.PodFailurePolicy, func() {
	// Wrong: retries, or fails the Job for another reason.
	It("the first failed pod that matches FailJob fails the Job, whatever the backoffLimit", covers.Requirements(
		FailJobAction), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(6).FinishedAgo(longAgo).PodFailurePolicy(
			onExitCodes(failJob, in, 42)))
		job.Runs(1).End(42)
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
		Expect(job.Now().Status.CompletionTime).To(BeNil(), "status.completionTime")
		Expect(s.Created()).To(HaveLen(1))
		Expect(tracked(s.Pods())).To(BeEmpty())
	})

	// Wrong: has a message without these names.
	It("the Failed condition names the pod, the container, the exit code and the rule", covers.Requirements(
		FailJobMessage), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Container("second").ExitCodes("0/42").PodFailurePolicy(
			onExitCodes(ignore, in, 98), onExitCodes(count, in, 99), onExitCodes(failJob, in, 42)))
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
		for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
			Expect(job.Conditions()).To(HaveKeyWithValue(kind, batchv1.JobReasonPodFailurePolicy))
			Expect(framework.Condition(job.Now(), kind).Message).To(And(ContainSubstring(s.Created()[0].Name),
				MatchRegexp(`\bsecond\b`), MatchRegexp(`\b42\b`), MatchRegexp(`\b2\b`)))
		}
	})

	It("the Failed condition names the pod and the pod condition that matched", covers.Requirements(
		FailJobMessage, MatchesPodConditions), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").PodFailurePolicy(onConditions(failJob, pattern("example.org/Broken", ""))))
		pod := job.Runs(1)[0]
		addCondition(s, pod, "example.org/Broken", corev1.ConditionTrue)
		pod.End(1)
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
		Expect(framework.Condition(job.Now(), batchv1.JobFailed).Message).To(And(
			ContainSubstring(pod.Name), ContainSubstring("example.org/Broken")))
	})

	// Wrong: keeps active pods, or deletes succeeded ones.
	It("the controller deletes active pods and keeps finished ones after FailJob", covers.Requirements(
		FailJobDeletesPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(3).Completions(3).PodFailurePolicy(onExitCodes(failJob, in, 42)))
		pods := job.Runs(3)
		pods[0].End(0)
		job.Counts("the success is counted", Counters{Active: 2, Ready: 2, Succeeded: 1})
		pods[1].End(42)
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Succeeded: 1, Failed: 2})
		keepsOnly(s, pods[:2]...)
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: sets Failed while a pod still runs, or decides again when it has succeeded.
	It("the Job has FailureTarget after FailJob and is Failed when its last pod has ended", covers.Requirements(
		FailJobDeletesPods, FailJobWaitsForPods, FailJobIsFinal), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Puppet(terminateLater).
			PodFailurePolicy(onExitCodes(failJob, in, 42)))
		pods := job.Runs(2)
		pods[0].End(42)
		failsLater(s, job, batchv1.JobReasonPodFailurePolicy, 1)
		release("0", pods[1])
		s.Soon("the Job is Failed", func(g Gomega) {
			g.Expect(job.Conditions()).To(Equal(
				because(batchv1.JobReasonPodFailurePolicy, batchv1.JobFailureTarget, batchv1.JobFailed)))
		})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: counts the pod, or does not replace it.
	It("the controller replaces a failed pod that matches Ignore without counting it", covers.Requirements(
		IgnoreAction, EveryFailureIsJudged), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(1).FinishedAgo(longAgo).PodFailurePolicy(
			onExitCodes(ignore, in, 42)))
		job.Runs(1).End(42)
		successor(s, job, 2, Counters{Active: 1, Ready: 1}).End(1)
		successor(s, job, 3, Counters{Active: 1, Ready: 1, Failed: 1}).End(42)
		successor(s, job, 4, Counters{Active: 1, Ready: 1, Failed: 1}).End(1)
		job.FailsWith(4, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
		Expect(tracked(s.Pods())).To(BeEmpty())
	})

	// Wrong: counts an ignored pod as succeeded, or does not replace it.
	It("the Job completes after ignored failures", covers.Requirements(IgnoreAction), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(ignore, in, 42)))
		pods := job.Runs(2)
		pods[0].End(42)
		s.Soon("another pod has replaced it", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(3))
			g.Expect(s.Active()).To(HaveEach(HaveField("Status.Phase", corev1.PodRunning)))
			job.Reports(g, Counters{Active: 2, Ready: 2})
		})
		s.Active().End(0)
		job.CompletesWith(3, Counters{Succeeded: 2})
	})

	// Wrong: skips a rule with Count.
	It("the controller counts a failed pod that matches Count, whatever later rules say", covers.Requirements(
		CountAction, FirstRuleDecides), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(1).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(count, in, 42), onExitCodes(failJob, notIn, 1)))
		job.Runs(1).End(42)
		successor(s, job, 2, Counters{Active: 1, Ready: 1, Failed: 1}).End(42)
		job.FailsWith(2, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
	})

	// Wrong: ignores pods that match no rule.
	It("the controller counts a failed pod that no rule matches", covers.Requirements(
		UnmatchedFailureCounts), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(1).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(failJob, in, 42), onConditions(ignore, pattern(corev1.DisruptionTarget, ""))))
		job.Runs(1).End(1)
		successor(s, job, 2, Counters{Active: 1, Ready: 1, Failed: 1}).End(2)
		job.FailsWith(2, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
	})

	It("the controller counts every failed pod if there are no rules", covers.Requirements(
		UnmatchedFailureCounts), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").BackoffLimit(0).PodFailurePolicy())
		job.Runs(1).End(1)
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// Wrong: applies the last matching rule, or the strongest action.
	It("the controller applies the first matching rule", covers.Requirements(
		FirstRuleDecides, MatchesEviction), framework.Needs(spec.Evictions), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).FinishedAgo(longAgo).PodFailurePolicy(
			onExitCodes(ignore, in, 41), onExitCodes(failJob, in, 41, 42),
			onConditions(ignore, pattern(corev1.DisruptionTarget, ""))))
		job.Runs(1).End(41)
		pod := successor(s, job, 2, Counters{Active: 1, Ready: 1})
		pod.Direct(map[string]string{puppet.Terminate: "42"})
		disrupt(s, pod)
		job.FailsWith(2, batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
	})

	// Wrong: applies the rules to the pod, counts it or replaces it when it is deleted.
	It("the controller applies the rules to a deleted pod when it has ended", covers.Requirements(
		TerminatingPodIsNotJudged), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).Puppet(terminateLater).
			PodFailurePolicy(onExitCodes(failJob, in, 42), onConditions(failJob, pattern("example.org/Broken", ""))))
		pods := job.Runs(2)
		addCondition(s, pods[0], "example.org/Broken", corev1.ConditionTrue)
		for i := range pods {
			pods[i].Delete()
		}
		job.Counts("both pods are terminating", Counters{Terminating: 2})
		s.Stays("no rule applies to them, and they are neither counted nor replaced", func(g Gomega) {
			g.Expect(job.Conditions()).To(BeEmpty())
			job.Reports(g, Counters{Terminating: 2})
			g.Expect(s.Created()).To(HaveLen(2))
		})
		release("0", pods[0]) // succeeds, whatever its condition
		job.Counts("the first pod is counted as succeeded", Counters{Terminating: 1, Succeeded: 1})
		release("42", pods[1])
		job.FailsWith(2, batchv1.JobReasonPodFailurePolicy, Counters{Succeeded: 1, Failed: 1})
	})

	// Wrong: counts the pod, or creates the next one beside it.
	It("the controller replaces an ignored disrupted pod when it has ended", covers.Requirements(
		MatchesEviction, TerminatingPodIsNotJudged), framework.Needs(spec.Evictions), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).Puppet(terminateLater).
			PodFailurePolicy(onConditions(ignore, pattern(corev1.DisruptionTarget, corev1.ConditionTrue))))
		pod := job.Runs(1)[0]
		disrupt(s, pod)
		job.Counts("the pod is terminating", Counters{Terminating: 1})
		s.Stays("the pod is not replaced", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(1)) })
		release("143", pod)
		successor(s, job, 2, Counters{Active: 1, Ready: 1}).End(0)
		job.CompletesWith(2, Counters{Succeeded: 1})
	})

	// Wrong: compares conditions whatever the pod's phase.
	It("the controller does not apply the rules to pods that run or succeed", covers.Requirements(
		RulesNeedAFailure), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).PodFailurePolicy(
			onConditions(failJob, pattern("example.org/Broken", "")), onExitCodes(failJob, notIn, 1)))
		pod := job.Runs(1)[0]
		addCondition(s, pod, "example.org/Broken", corev1.ConditionTrue)
		s.Stays("the pod runs", func(g Gomega) {
			g.Expect(job.Conditions()).To(BeEmpty())
			g.Expect(s.Active().Names()).To(ConsistOf(pod.Name))
		})
		pod.End(0)
		job.Completes(Counters{Succeeded: 1})
	})

	// Wrong: applies the rules to the first failed pod only.
	It("the controller fails the Job if one of several failures matches FailJob", covers.Requirements(
		FailJobAction, EveryFailureIsJudged), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(3).Completions(3).
			PodFailurePolicy(onExitCodes(ignore, in, 41), onExitCodes(failJob, in, 42)))
		pods := job.Runs(3)
		pods[0].End(41)
		pods[1].End(1)
		pods[2].End(42)
		s.Soon("the Job is Failed", func(g Gomega) { // its counters depend on which pod ended first
			g.Expect(job.Conditions()).To(HaveKeyWithValue(batchv1.JobFailed, batchv1.JobReasonPodFailurePolicy))
		})
	})
})
