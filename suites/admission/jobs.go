package admission

import (
	"slices"
	"strconv"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
)

// numbers are the fields of a Job that are a number.
var numbers = map[string]func(*batchv1.JobSpec, int32){
	"spec.parallelism":             func(s *batchv1.JobSpec, n int32) { s.Parallelism = &n },
	"spec.completions":             func(s *batchv1.JobSpec, n int32) { s.Completions = &n },
	"spec.backoffLimit":            func(s *batchv1.JobSpec, n int32) { s.BackoffLimit = &n },
	"spec.activeDeadlineSeconds":   func(s *batchv1.JobSpec, n int32) { s.ActiveDeadlineSeconds = ptr.To(int64(n)) },
	"spec.ttlSecondsAfterFinished": func(s *batchv1.JobSpec, n int32) { s.TTLSecondsAfterFinished = &n },
}

// huge makes an Indexed Job of more completions than its status can list.
func huge() *puppet.JobBuilder {
	return perIndex("a").Completions(100_001).Parallelism(10_000).
		With(func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](10_000) })
}

// manual makes a Job with a manual selector.
func manual() *puppet.JobBuilder {
	return puppet.Job("a").With(func(j *batchv1.Job) {
		j.Spec.ManualSelector = ptr.To(true)
		j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"mine": "yes"}}
		j.Spec.Template.Labels = map[string]string{"mine": "yes"}
	})
}

var _ = Describe("Job validation:", behaviour.Validation, func() {

	It("the API server rejects negative numbers and accepts 0", covers.Requirements(
		RefusesNegativeNumbers), func(ctx SpecContext) {
		s := framework.New(ctx)
		for field, set := range numbers {
			_, err := dryRun(s, puppet.Job("a").With(func(j *batchv1.Job) { set(&j.Spec, -1) }).Obj())
			expectRejected(err, field)
			_, err = dryRun(s, puppet.Job("a").With(func(j *batchv1.Job) { set(&j.Spec, 0) }).Obj())
			Expect(err).NotTo(HaveOccurred(), field)
		}
	})

	DescribeTable("the API server rejects", rejectsJobs,
		Entry("a restartPolicy other than Never and OnFailure", covers.Requirements(RefusesRestartAlways),
			puppet.Job("a").OnFailure(), invalidJobs{
				{"spec.template.spec.restartPolicy", func(j *batchv1.Job) {
					template(j).RestartPolicy = corev1.RestartPolicyAlways
				}},
				{"spec.template.spec.restartPolicy", func(j *batchv1.Job) { template(j).RestartPolicy = "" }},
				{"spec.template.spec.restartPolicy", func(j *batchv1.Job) { template(j).RestartPolicy = "Sometimes" }},
			}),
		Entry("an Indexed Job without completions or with a parallelism above 100,000",
			covers.Requirements(IndexedNeedsCompletions), indexed("a").Completions(200_000).Parallelism(100_000),
			invalidJobs{
				{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = nil }},
				{"spec.parallelism", func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](100_001) }},
			}),
		Entry("an unknown completionMode", covers.Requirements(RefusesUnknownCompletionMode), indexed("a"), invalidJobs{
			{"spec.completionMode", func(j *batchv1.Job) {
				j.Spec.CompletionMode = ptr.To[batchv1.CompletionMode]("Sorted")
			}},
			{"spec.completionMode", func(j *batchv1.Job) {
				j.Spec.CompletionMode = ptr.To[batchv1.CompletionMode]("")
			}},
		}),
		Entry("a backoffLimitPerIndex that is negative or without indexes",
			covers.Requirements(BackoffLimitPerIndexIsValid), perIndex("a"), invalidJobs{
				{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = ptr.To[int32](-1) }},
				{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.CompletionMode = nil }},
			}),
		Entry("a maxFailedIndexes out of its range", covers.Requirements(MaxFailedIndexesIsValid),
			perIndex("a").Completions(100_000).Parallelism(1).
				With(func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](100_000) }), invalidJobs{
				{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](-1) }},
				{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](100_001) }},
				{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](99_999) }},
				{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = nil }},
			}),
		Entry("more indexes than a status can list", covers.Requirements(LargeIndexedJobsAreLimited), huge(),
			invalidJobs{
				{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = nil }},
				{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](10_001) }},
				{"spec.parallelism", func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](10_001) }},
			}),
		Entry("a managedBy without a domain or longer than 63 characters", covers.Requirements(ManagedByIsValid),
			puppet.Job("a").With(func(j *batchv1.Job) {
				j.Spec.ManagedBy = ptr.To("example.com/" + strings.Repeat("a", 51))
			}), invalidJobs{
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("controller") }},
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("") }},
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/") }},
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("Example.com/a") }},
				{"spec.managedBy", func(j *batchv1.Job) {
					j.Spec.ManagedBy = ptr.To("example.com/" + strings.Repeat("a", 52))
				}},
			}),
		Entry("a podReplacementPolicy that is unknown or contradicts podFailurePolicy",
			covers.Requirements(PodReplacementPolicyIsValid),
			puppet.Job("a").With(func(j *batchv1.Job) {
				j.Spec.PodReplacementPolicy = ptr.To(batchv1.TerminatingOrFailed)
			}), invalidJobs{
				{"spec.podReplacementPolicy", func(j *batchv1.Job) {
					j.Spec.PodReplacementPolicy = ptr.To[batchv1.PodReplacementPolicy]("Never")
				}},
				{"spec.podReplacementPolicy", func(j *batchv1.Job) {
					j.Spec.PodFailurePolicy = withRule(failOn(1)).Obj().Spec.PodFailurePolicy
				}},
			}),
		Entry("a selector without manualSelector", covers.Requirements(RefusesOwnSelector), puppet.Job("a"),
			invalidJobs{
				{"spec.selector", func(j *batchv1.Job) {
					j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"mine": "yes"}}
					j.Spec.Template.Labels = map[string]string{"mine": "yes"}
				}},
				{"spec.selector", func(j *batchv1.Job) {
					j.Spec.Selector = &metav1.LabelSelector{
						MatchLabels: map[string]string{batchv1.ControllerUidLabel: "another"}}
				}},
			}),
		Entry("a manual selector that does not match the pods", covers.Requirements(ManualSelectorIsValid), manual(),
			invalidJobs{
				{"spec.selector", func(j *batchv1.Job) { j.Spec.Selector = nil }},
				{"spec.template.metadata.labels", func(j *batchv1.Job) {
					j.Spec.Template.Labels = map[string]string{"mine": "no"}
				}},
				{"spec.template.metadata.labels", func(j *batchv1.Job) { j.Spec.Template.Labels = nil }},
			}),
		Entry("pod labels that contradict the generated ones", covers.Requirements(RefusesOtherGeneratedLabels),
			puppet.Job("a").
				With(func(j *batchv1.Job) {
					j.Spec.Template.Labels = map[string]string{batchv1.JobNameLabel: "a", "job-name": "a"}
				}), invalidJobs{
				{"spec.template.metadata.labels[" + batchv1.JobNameLabel + "]", label(batchv1.JobNameLabel)},
				{"spec.template.metadata.labels[job-name]", label("job-name")},
				{"spec.template.metadata.labels[" + batchv1.ControllerUidLabel + "]",
					label(batchv1.ControllerUidLabel)},
				{"spec.template.metadata.labels[controller-uid]", label("controller-uid")},
			}),
		Entry("a name that is not a DNS subdomain", covers.Requirements(JobNameIsValid), puppet.Job("a.b-1"),
			invalidJobs{
				{"metadata.name", func(j *batchv1.Job) { j.Name = "A" }},
				{"metadata.name", func(j *batchv1.Job) { j.Name = "a_b" }},
				{"metadata.name", func(j *batchv1.Job) { j.Name = "-a" }},
				{"metadata.name", func(j *batchv1.Job) { j.Name = strings.Repeat("a", 254) }},
			}),
		Entry("an Indexed Job whose name is too long for its pods' host names",
			covers.Requirements(IndexedJobNameIsValid),
			puppet.Job(strings.Repeat("a", 61)).Indexed().Completions(10), invalidJobs{
				{"metadata.name", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](11) }},
				{"metadata.name", func(j *batchv1.Job) { j.Name += "a" }},
				{"metadata.name", func(j *batchv1.Job) { j.Name = "a.b" }},
			}),
		Entry("an invalid pod template", covers.Requirements(PodTemplateIsValid), puppet.Job("a"), invalidJobs{
			{"spec.template.spec.containers", func(j *batchv1.Job) { template(j).Containers = nil }},
			{"spec.template.spec.containers[0].name", func(j *batchv1.Job) { template(j).Containers[0].Name = "" }},
			{"spec.template.spec.containers[0].image", func(j *batchv1.Job) { template(j).Containers[0].Image = "" }},
			{"spec.template.spec.nodeName", func(j *batchv1.Job) { template(j).NodeName = "No_Node" }},
		}),
	)

	// Wrong: generates labels and a selector nevertheless.
	It("the API server keeps a manual selector", covers.Requirements(ManualSelectorIsValid), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(s, manual().Obj())
		Expect(job.Spec.Selector.MatchLabels).To(Equal(map[string]string{"mine": "yes"}), "spec.selector.matchLabels")
		Expect(job.Spec.Template.Labels).To(Equal(map[string]string{"mine": "yes"}), "spec.template.metadata.labels")
	})
})

// rejectsJobs expects that the API server accepts a Job, and rejects it after each of
// the changes.
func rejectsJobs(ctx SpecContext, job *puppet.JobBuilder, cases invalidJobs) {
	rejects(framework.New(ctx), job.Obj, cases)
}

// label returns a change that sets a label of the pod template to another value than
// the generated one.
func label(key string) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		if j.Spec.Template.Labels == nil {
			j.Spec.Template.Labels = map[string]string{}
		}
		j.Spec.Template.Labels[key] = "another"
	}
}

// withRule makes a Job with a podFailurePolicy of these rules.
func withRule(rules ...batchv1.PodFailurePolicyRule) *puppet.JobBuilder {
	return puppet.Job("a").With(func(j *batchv1.Job) {
		j.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: rules}
	})
}

// failOn fails the Job on any of these exit codes.
func failOn(codes ...int32) batchv1.PodFailurePolicyRule {
	return batchv1.PodFailurePolicyRule{
		Action: batchv1.PodFailurePolicyActionFailJob,
		OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: batchv1.PodFailurePolicyOnExitCodesOpIn,
			Values: codes},
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
	rules     = "spec.podFailurePolicy.rules"
	values    = rules + "[0].onExitCodes.values"
	container = rules + "[0].onExitCodes.containerName"
)

var _ = Describe("Job podFailurePolicy validation:", behaviour.Validation, func() {

	DescribeTable("the API server rejects", rejectsJobs,
		Entry("a restartPolicy other than Never", covers.Requirements(FailurePolicyNeedsNever), withRule(failOn(1)),
			invalidJobs{
				{"spec.template.spec.restartPolicy", func(j *batchv1.Job) {
					template(j).RestartPolicy = corev1.RestartPolicyOnFailure
				}},
			}),
		Entry("more than 20 rules", covers.Requirements(FailurePolicyRulesAreFew),
			withRule(slices.Repeat([]batchv1.PodFailurePolicyRule{failOn(1)}, 20)...), invalidJobs{
				{rules, func(j *batchv1.Job) {
					j.Spec.PodFailurePolicy.Rules = append(j.Spec.PodFailurePolicy.Rules, failOn(1))
				}},
			}),
		Entry("an unknown or inapplicable action", covers.Requirements(FailurePolicyActionIsValid), withRule(failOn(1)),
			invalidJobs{
				{rules + "[0].action", rule(func(r *batchv1.PodFailurePolicyRule) { r.Action = "" })},
				{rules + "[0].action", rule(func(r *batchv1.PodFailurePolicyRule) { r.Action = "Retry" })},
				{rules + "[0].action", rule(func(r *batchv1.PodFailurePolicyRule) {
					r.Action = batchv1.PodFailurePolicyActionFailIndex
				})},
			}),
		Entry("a rule with no requirement or with two", covers.Requirements(FailurePolicyRuleIsOneKind),
			withRule(failOn(1)), invalidJobs{
				{rules + "[0]", rule(func(r *batchv1.PodFailurePolicyRule) { r.OnExitCodes = nil })},
				{rules + "[0]", rule(func(r *batchv1.PodFailurePolicyRule) {
					r.OnPodConditions = onCondition(corev1.DisruptionTarget, corev1.ConditionTrue).OnPodConditions
				})},
			}),
		Entry("an unknown operator", covers.Requirements(ExitCodeOperatorIsValid), withRule(failOn(1)), invalidJobs{
			{rules + "[0].onExitCodes.operator", codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) {
				c.Operator = ""
			})},
			{rules + "[0].onExitCodes.operator", codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) {
				c.Operator = "Above"
			})},
		}),
		Entry("missing, unordered, duplicate, zero or too many exit codes", covers.Requirements(ExitCodesAreValid),
			withRule(failOn(upTo(255)...)), invalidJobs{
				{values, codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.Values = nil })},
				{values, codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.Values = upTo(256) })},
				{values, codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) { c.Values = []int32{2, 1} })},
				{values + "[1]", codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) {
					c.Values = []int32{1, 1}
				})},
				{values + "[0]", codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) {
					c.Values = []int32{0, 1}
				})},
			}),
		Entry("a container that the pod does not have", covers.Requirements(ExitCodeContainerExists),
			withRule(failOn(1)).
				With(func(j *batchv1.Job) {
					j.Spec.PodFailurePolicy.Rules[0].OnExitCodes.ContainerName = ptr.To("main")
				}), invalidJobs{
				{container, codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) {
					c.ContainerName = ptr.To("other")
				})},
				{container, codes(func(c *batchv1.PodFailurePolicyOnExitCodesRequirement) {
					c.ContainerName = ptr.To("")
				})},
			}),
		Entry("pod conditions that are too many or invalid", covers.Requirements(PodConditionPatternsAreValid),
			withRule(onCondition(corev1.DisruptionTarget, corev1.ConditionFalse)), invalidJobs{
				{rules + "[0].onPodConditions", rule(func(r *batchv1.PodFailurePolicyRule) {
					r.OnPodConditions = slices.Repeat(r.OnPodConditions, 21)
				})},
				{rules + "[0].onPodConditions[0].type", rule(func(r *batchv1.PodFailurePolicyRule) {
					r.OnPodConditions[0].Type = ""
				})},
				{rules + "[0].onPodConditions[0].type", rule(func(r *batchv1.PodFailurePolicyRule) {
					r.OnPodConditions[0].Type = "a b"
				})},
				{rules + "[0].onPodConditions[0].status", rule(func(r *batchv1.PodFailurePolicyRule) {
					r.OnPodConditions[0].Status = "Maybe"
				})},
			}),
	)

	// Wrong: checks the name alone, and not the reason that it becomes a part of.
	It("the API server rejects names of rules that make no reason of their own", covers.Requirements(
		RuleNamesAreReasons), func(ctx SpecContext) {
		s := framework.New(ctx)
		longest := strings.Repeat("a", 128-len(batchv1.JobReasonPodFailurePolicy+"_"))
		named := func(first, second string) *unstructured.Unstructured {
			return framework.WithRuleNames(withRule(failOn(1), failOn(2)).Obj(), map[int]string{0: first, 1: second})
		}
		accepted(s, named("first", longest))
		for _, wrong := range [][2]string{
			{"same", "same"}, {"first", longest + "a"}, {"first", "a b"}, {"first", "a-"}} {
			_, err := dryRun(s, named(wrong[0], wrong[1]))
			expectRejected(err, rules+"[1].name", "%q", wrong)
		}
	})

	// Wrong: rejects 0 with either operator.
	It("the API server accepts exit code 0 with the operator NotIn", covers.Requirements(
		ExitCodesAreValid), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := withRule(failOn(0, 1)).Obj()
		job.Spec.PodFailurePolicy.Rules[0].OnExitCodes.Operator = batchv1.PodFailurePolicyOnExitCodesOpNotIn
		_, err := dryRun(s, job)
		Expect(err).NotTo(HaveOccurred())
	})

	It("the API server accepts a rule for an init container", covers.Requirements(
		ExitCodeContainerExists), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := withRule(failOn(1)).Obj()
		init := template(job).Containers[0]
		init.Name = "first"
		template(job).InitContainers = []corev1.Container{init}
		job.Spec.PodFailurePolicy.Rules[0].OnExitCodes.ContainerName = ptr.To("first")
		_, err := dryRun(s, job)
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

// longIndexes lists as many indexes as 65536 characters can have: one of four digits, and others of five.
func longIndexes() string {
	var text strings.Builder // each process of the specs builds it
	text.WriteString("1000")
	for i := 10_000; text.Len() < 64*1024; i += 2 {
		text.WriteString("," + strconv.Itoa(i))
	}
	return text.String()
}

func withIndexes(text string) func(*batchv1.Job) {
	return succeeded(func(r *batchv1.SuccessPolicyRule) { r.SucceededIndexes = &text })
}

var _ = Describe("Job successPolicy validation:", behaviour.Validation, func() {
	const rules = "spec.successPolicy.rules"
	one := batchv1.SuccessPolicyRule{SucceededCount: ptr.To[int32](1)}

	DescribeTable("the API server rejects", rejectsJobs,
		Entry("a NonIndexed Job", covers.Requirements(SuccessPolicyNeedsIndexed), succeedOn(one), invalidJobs{
			{"spec.successPolicy", func(j *batchv1.Job) {
				j.Spec.CompletionMode = ptr.To(batchv1.NonIndexedCompletion)
			}},
		}),
		Entry("no rules, more than 20 rules or an empty rule", covers.Requirements(SuccessPolicyRulesAreValid),
			succeedOn(slices.Repeat([]batchv1.SuccessPolicyRule{one}, 20)...), invalidJobs{
				{rules, func(j *batchv1.Job) { j.Spec.SuccessPolicy.Rules = nil }},
				{rules, func(j *batchv1.Job) { j.Spec.SuccessPolicy.Rules = append(j.Spec.SuccessPolicy.Rules, one) }},
				{rules + "[0]", succeeded(func(r *batchv1.SuccessPolicyRule) { *r = batchv1.SuccessPolicyRule{} })},
			}),
		Entry("succeededIndexes that are malformed or out of range", covers.Requirements(SucceededIndexesAreValid),
			succeedOn(batchv1.SuccessPolicyRule{SucceededIndexes: ptr.To("0,1-2")}), invalidJobs{
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
		Entry("succeededIndexes of more than 65536 characters", covers.Requirements(SucceededIndexesAreShort),
			succeedOn(batchv1.SuccessPolicyRule{SucceededIndexes: ptr.To(longIndexes())}).Completions(100_000),
			invalidJobs{
				{rules + "[0].succeededIndexes", withIndexes("100," + longIndexes())},
			}),
		Entry("a succeededCount out of range", covers.Requirements(SucceededCountIsValid),
			succeedOn(batchv1.SuccessPolicyRule{SucceededCount: ptr.To[int32](3)}), invalidJobs{
				{rules + "[0].succeededCount", succeeded(func(r *batchv1.SuccessPolicyRule) {
					r.SucceededCount = ptr.To[int32](-1)
				})},
				{rules + "[0].succeededCount", succeeded(func(r *batchv1.SuccessPolicyRule) {
					r.SucceededCount = ptr.To[int32](4)
				})},
				{rules + "[0].succeededCount", succeeded(func(r *batchv1.SuccessPolicyRule) {
					r.SucceededIndexes = ptr.To("0-1")
				})},
			}),
	)
})
