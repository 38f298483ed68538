package admission

import (
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// withRule makes a Job with a podFailurePolicy of these rules.
func withRule(rules ...batchv1.PodFailurePolicyRule) *puppet.JobBuilder {
	return puppet.Job("a").With(func(j *batchv1.Job) { j.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: rules} })
}

// failOn fails the Job on any of these exit codes.
func failOn(codes ...int32) batchv1.PodFailurePolicyRule {
	return batchv1.PodFailurePolicyRule{
		Action:      batchv1.PodFailurePolicyActionFailJob,
		OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: codes},
	}
}

// onCondition ignores pods with a condition.
func onCondition(kind corev1.PodConditionType, status corev1.ConditionStatus) batchv1.PodFailurePolicyRule {
	return batchv1.PodFailurePolicyRule{
		Action:          batchv1.PodFailurePolicyActionIgnore,
		OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: kind, Status: status}},
	}
}

// rule changes the first rule of a Job's podFailurePolicy.
func rule(change func(*batchv1.PodFailurePolicyRule)) func(*batchv1.Job) {
	return func(j *batchv1.Job) { change(&j.Spec.PodFailurePolicy.Rules[0]) }
}

// codes changes the exit codes requirement of the first rule.
func codes(change func(*batchv1.PodFailurePolicyOnExitCodesRequirement)) func(*batchv1.Job) {
	return rule(func(r *batchv1.PodFailurePolicyRule) { change(r.OnExitCodes) })
}

// upTo returns the exit codes from 1 to n.
func upTo(n int32) []int32 {
	var all []int32
	for i := range n {
		all = append(all, i+1)
	}
	return all
}

const (
	rules  = "spec.podFailurePolicy.rules"
	values = rules + "[0].onExitCodes.values"
)

var _ = Describe("Job podFailurePolicy validation:", Label("area:api", "behaviour:validation"), func() {

	DescribeTable("the API server rejects", rejectsJobs,
		Entry("a restartPolicy other than Never", Covers(FailurePolicyNeedsNever), withRule(failOn(1)), invalidJobs{
			{"spec.template.spec.restartPolicy", func(j *batchv1.Job) { template(j).RestartPolicy = corev1.RestartPolicyOnFailure }},
		}),
		Entry("more than 20 rules", Covers(FailurePolicyRulesAreFew), withRule(slices.Repeat([]batchv1.PodFailurePolicyRule{failOn(1)}, 20)...), invalidJobs{
			{rules, func(j *batchv1.Job) { j.Spec.PodFailurePolicy.Rules = append(j.Spec.PodFailurePolicy.Rules, failOn(1)) }},
		}),
		Entry("an unknown or inapplicable action", Covers(FailurePolicyActionIsValid), withRule(failOn(1)), invalidJobs{
			{rules + "[0].action", rule(func(r *batchv1.PodFailurePolicyRule) { r.Action = "" })},
			{rules + "[0].action", rule(func(r *batchv1.PodFailurePolicyRule) { r.Action = "Retry" })},
			{rules + "[0].action", rule(func(r *batchv1.PodFailurePolicyRule) { r.Action = batchv1.PodFailurePolicyActionFailIndex })},
		}),
		Entry("a rule with no requirement or with two", Covers(FailurePolicyRuleIsOneKind), withRule(failOn(1)), invalidJobs{
			{rules + "[0]", rule(func(r *batchv1.PodFailurePolicyRule) { r.OnExitCodes = nil })},
			{rules + "[0]", rule(func(r *batchv1.PodFailurePolicyRule) {
				r.OnPodConditions = onCondition(corev1.DisruptionTarget, corev1.ConditionTrue).OnPodConditions
			})},
		}),
		Entry("an unknown operator", Covers(ExitCodeOperatorIsValid), withRule(failOn(1)), invalidJobs{
			{rules + "[0].onExitCodes.operator", codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.Operator = "" })},
			{rules + "[0].onExitCodes.operator", codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.Operator = "Above" })},
		}),
		Entry("missing, unordered, duplicate, zero or too many exit codes", Covers(ExitCodesAreValid), withRule(failOn(upTo(255)...)), invalidJobs{
			{values, codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.Values = nil })},
			{values, codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.Values = upTo(256) })},
			{values, codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.Values = []int32{2, 1} })},
			{values + "[1]", codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.Values = []int32{1, 1} })},
			{values + "[0]", codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.Values = []int32{0, 1} })},
		}),
		Entry("a container that the pod does not have", Covers(ExitCodeContainerExists), withRule(failOn(1)).
			With(func(j *batchv1.Job) { j.Spec.PodFailurePolicy.Rules[0].OnExitCodes.ContainerName = ptr.To("main") }), invalidJobs{
			{rules + "[0].onExitCodes.containerName", codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.ContainerName = ptr.To("other") })},
			{rules + "[0].onExitCodes.containerName", codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.ContainerName = ptr.To("") })},
		}),
		Entry("pod conditions that are too many or invalid", Covers(PodConditionPatternsAreValid), withRule(onCondition(corev1.DisruptionTarget, corev1.ConditionFalse)), invalidJobs{
			{rules + "[0].onPodConditions", rule(func(r *batchv1.PodFailurePolicyRule) {
				r.OnPodConditions = slices.Repeat(r.OnPodConditions, 21)
			})},
			{rules + "[0].onPodConditions[0].type", rule(func(r *batchv1.PodFailurePolicyRule) { r.OnPodConditions[0].Type = "" })},
			{rules + "[0].onPodConditions[0].type", rule(func(r *batchv1.PodFailurePolicyRule) { r.OnPodConditions[0].Type = "a b" })},
			{rules + "[0].onPodConditions[0].status", rule(func(r *batchv1.PodFailurePolicyRule) { r.OnPodConditions[0].Status = "Maybe" })},
		}),
	)

	// Wrong: rejects 0 with either operator.
	It("the API server accepts exit code 0 with the operator NotIn", Covers(ExitCodesAreValid), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := withRule(failOn(0, 1)).Obj()
		job.Spec.PodFailurePolicy.Rules[0].OnExitCodes.Operator = batchv1.PodFailurePolicyOnExitCodesOpNotIn
		_, err := dryRun(ctx, s, job)
		Expect(err).NotTo(HaveOccurred())
	})

	It("the API server accepts a rule for an init container", Covers(ExitCodeContainerExists), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := withRule(failOn(1)).Obj()
		init := template(job).Containers[0]
		init.Name = "first"
		template(job).InitContainers = []corev1.Container{init}
		job.Spec.PodFailurePolicy.Rules[0].OnExitCodes.ContainerName = ptr.To("first")
		_, err := dryRun(ctx, s, job)
		Expect(err).NotTo(HaveOccurred())
	})
})

// succeedOn makes an Indexed Job of 3 with a successPolicy of these rules.
func succeedOn(rules ...batchv1.SuccessPolicyRule) *puppet.JobBuilder {
	return indexed("a").With(func(j *batchv1.Job) { j.Spec.SuccessPolicy = &batchv1.SuccessPolicy{Rules: rules} })
}

// succeeded changes the first rule of a Job's successPolicy.
func succeeded(change func(*batchv1.SuccessPolicyRule)) func(*batchv1.Job) {
	return func(j *batchv1.Job) { change(&j.Spec.SuccessPolicy.Rules[0]) }
}

func withIndexes(text string) func(*batchv1.Job) {
	return succeeded(func(r *batchv1.SuccessPolicyRule) { r.SucceededIndexes = &text })
}

var _ = Describe("Job successPolicy validation:", Label("area:api", "behaviour:validation"), func() {
	const rules = "spec.successPolicy.rules"
	one := batchv1.SuccessPolicyRule{SucceededCount: ptr.To[int32](1)}

	DescribeTable("the API server rejects", rejectsJobs,
		Entry("a NonIndexed Job", Covers(SuccessPolicyNeedsIndexed), succeedOn(one), invalidJobs{
			{"spec.successPolicy", func(j *batchv1.Job) { j.Spec.CompletionMode = ptr.To(batchv1.NonIndexedCompletion) }},
		}),
		Entry("no rules, more than 20 rules or an empty rule", Covers(SuccessPolicyRulesAreValid), succeedOn(slices.Repeat([]batchv1.SuccessPolicyRule{one}, 20)...), invalidJobs{
			{rules, func(j *batchv1.Job) { j.Spec.SuccessPolicy.Rules = nil }},
			{rules, func(j *batchv1.Job) { j.Spec.SuccessPolicy.Rules = append(j.Spec.SuccessPolicy.Rules, one) }},
			{rules + "[0]", succeeded(func(r *batchv1.SuccessPolicyRule) { *r = batchv1.SuccessPolicyRule{} })},
		}),
		Entry("succeededIndexes that are malformed or out of range", Covers(SucceededIndexesAreValid), succeedOn(batchv1.SuccessPolicyRule{SucceededIndexes: ptr.To("0,1-2")}), invalidJobs{
			{rules + "[0].succeededIndexes", withIndexes("3")},
			{rules + "[0].succeededIndexes", withIndexes("1-3")},
			{rules + "[0].succeededIndexes", withIndexes("-1")},
			{rules + "[0].succeededIndexes", withIndexes("2,1")},
			{rules + "[0].succeededIndexes", withIndexes("2-1")},
			{rules + "[0].succeededIndexes", withIndexes("1,1")},
			{rules + "[0].succeededIndexes", withIndexes("0-1,1-2")},
			{rules + "[0].succeededIndexes", withIndexes("one")},
			{rules + "[0].succeededIndexes", withIndexes("0,")},
		}),
		Entry("a succeededCount out of range", Covers(SucceededCountIsValid), succeedOn(batchv1.SuccessPolicyRule{SucceededCount: ptr.To[int32](3)}), invalidJobs{
			{rules + "[0].succeededCount", succeeded(func(r *batchv1.SuccessPolicyRule) { r.SucceededCount = ptr.To[int32](-1) })},
			{rules + "[0].succeededCount", succeeded(func(r *batchv1.SuccessPolicyRule) { r.SucceededCount = ptr.To[int32](4) })},
			{rules + "[0].succeededCount", succeeded(func(r *batchv1.SuccessPolicyRule) { r.SucceededIndexes = ptr.To("0-1") })},
		}),
	)
})
