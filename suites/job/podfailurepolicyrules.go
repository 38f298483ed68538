package job

import (
	"context"
	"encoding/json"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// How the rules of a podFailurePolicy match. A rule fails the Job, or the limit
// of 0 or 1 does: the reason tells which.
var _ = Describe("podFailurePolicy", Label("area:job", "behaviour:podFailurePolicy"), func() {

	// Wrong: mixes In with NotIn, or takes any exit code.
	It("matches exit codes In a list, and no others", Covers(ExitCodesIn), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").FinishedAgo(longAgo).PodFailurePolicy(onExitCodes(failJob, in, 40, 42)))

		s.End(ctx, 41, Running(s, "a", 1)...)
		s.End(ctx, 42, successor(s, 2, Counters{Active: 1, Ready: 1, Failed: 1}))
		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 2})
	})

	It("matches exit codes NotIn a list, and no others", Covers(ExitCodesNotIn), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").FinishedAgo(longAgo).PodFailurePolicy(onExitCodes(failJob, notIn, 40, 42)))

		s.End(ctx, 42, Running(s, "a", 1)...)
		s.End(ctx, 41, successor(s, 2, Counters{Active: 1, Ready: 1, Failed: 1}))
		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 2})
	})

	// Wrong: takes the 0 for a code that is not in the list.
	It("does not look at a container that has succeeded", Covers(SucceededContainerNeverMatches), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(0).Container("second").ExitCodes("0/3").
			PodFailurePolicy(onExitCodes(failJob, notIn, 3)))

		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// Wrong: looks at the other container, too.
	It("looks at the container alone that a rule names", Covers(ExitCodesOfOneContainer), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(0).Container("second").ExitCodes("42/3").PodFailurePolicy(
			ofContainer("second", onExitCodes(failJob, in, 42)), ofContainer("main", onExitCodes(failJob, notIn, 42))))

		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// Wrong: looks at the first container, whatever its name.
	It("looks at the container that a rule names, wherever it comes", Covers(ExitCodesOfOneContainer), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Container("second").ExitCodes("1/42").
			PodFailurePolicy(ofContainer("second", onExitCodes(failJob, in, 42))))

		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
	})

	// Wrong: looks at the first container, or wants all of them to match.
	It("looks at every container when a rule names none", Covers(ExitCodesOfAnyContainer), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Container("second").ExitCodes("1/42").PodFailurePolicy(onExitCodes(failJob, in, 42)))

		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
	})

	// Wrong: looks at containers that never ran.
	It("looks at init containers, too", Covers(ExitCodesOfInitContainers, FailJobMessage), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").InitContainer("init").Puppet(map[string]string{puppet.InitCodes: "42"}).
			PodFailurePolicy(onExitCodes(failJob, in, 42)))

		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
		Expect(framework.Condition(s.Job("a"), batchv1.JobFailed).Message).To(MatchRegexp(`\binit\b`))
		Expect(s.Created()).To(HaveLen(1))
	})

	// Wrong: knows the names of containers alone.
	It("looks at the init container that a rule names", Covers(ExitCodesOfInitContainers, ExitCodesOfOneContainer), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").InitContainer("init").Puppet(map[string]string{puppet.InitCodes: "42"}).BackoffLimit(0).
			PodFailurePolicy(ofContainer("main", onExitCodes(ignore, notIn, 1)), ofContainer("init", onExitCodes(failJob, in, 42))))

		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
	})

	// Wrong: takes a condition for matching because of its type, or its absence
	// for a status.
	It("matches a condition by its type and status", Covers(MatchesPodConditions), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").FinishedAgo(longAgo).
			PodFailurePolicy(onConditions(failJob, pattern("example.org/Whole", corev1.ConditionFalse))))

		pod := Running(s, "a", 1)[0] // has no such condition
		s.End(ctx, 1, pod)
		pod = successor(s, 2, Counters{Active: 1, Ready: 1, Failed: 1})
		addCondition(ctx, s, pod, "example.org/Whole", corev1.ConditionTrue)
		addCondition(ctx, s, pod, "example.org/Other", corev1.ConditionFalse)
		s.End(ctx, 1, pod)
		pod = successor(s, 3, Counters{Active: 1, Ready: 1, Failed: 2})
		addCondition(ctx, s, pod, "example.org/Whole", corev1.ConditionFalse)
		s.End(ctx, 1, pod)
		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 3})
	})

	// Wrong: takes any status for the default.
	It("matches a condition that is True when a rule gives no status", Covers(MatchesPodConditions), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").BackoffLimit(0).FinishedAgo(longAgo).
			PodFailurePolicy(onConditions(ignore, pattern("example.org/Broken", ""))))

		pod := Running(s, "a", 1)[0]
		addCondition(ctx, s, pod, "example.org/Broken", corev1.ConditionTrue)
		s.End(ctx, 1, pod)
		pod = successor(s, 2, Counters{Active: 1, Ready: 1})
		addCondition(ctx, s, pod, "example.org/Broken", corev1.ConditionUnknown)
		s.End(ctx, 1, pod)
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// Wrong: wants all patterns to match.
	It("needs one of several patterns of conditions", Covers(MatchesPodConditions, AnyPatternMatches), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").PodFailurePolicy(onConditions(failJob,
			pattern(corev1.DisruptionTarget, ""), pattern("example.org/Whole", corev1.ConditionUnknown))))

		pod := Running(s, "a", 1)[0]
		addCondition(ctx, s, pod, "example.org/Whole", corev1.ConditionUnknown)
		s.End(ctx, 1, pod)
		Fails(s, "a", batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
	})
})

// Shorter names for what a rule is made of.
const (
	failJob   = batchv1.PodFailurePolicyActionFailJob
	failIndex = batchv1.PodFailurePolicyActionFailIndex
	ignore    = batchv1.PodFailurePolicyActionIgnore
	count     = batchv1.PodFailurePolicyActionCount
	in        = batchv1.PodFailurePolicyOnExitCodesOpIn
	notIn     = batchv1.PodFailurePolicyOnExitCodesOpNotIn
)

// onExitCodes is a rule for all containers.
func onExitCodes(action batchv1.PodFailurePolicyAction, operator batchv1.PodFailurePolicyOnExitCodesOperator, values ...int32) batchv1.PodFailurePolicyRule {
	return batchv1.PodFailurePolicyRule{Action: action,
		OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: operator, Values: values}}
}

// ofContainer is that rule for one container.
func ofContainer(name string, rule batchv1.PodFailurePolicyRule) batchv1.PodFailurePolicyRule {
	rule.OnExitCodes.ContainerName = ptr.To(name)
	return rule
}

func onConditions(action batchv1.PodFailurePolicyAction, patterns ...batchv1.PodFailurePolicyOnPodConditionsPattern) batchv1.PodFailurePolicyRule {
	return batchv1.PodFailurePolicyRule{Action: action, OnPodConditions: patterns}
}

func pattern(kind corev1.PodConditionType, status corev1.ConditionStatus) batchv1.PodFailurePolicyOnPodConditionsPattern {
	return batchv1.PodFailurePolicyOnPodConditionsPattern{Type: kind, Status: status}
}

// successor waits until the Job's n-th pod is the only one that runs, with these
// counters. Those alone may still be of the pod before.
func successor(s *framework.Sandbox, n int, want Counters) corev1.Pod {
	GinkgoHelper()
	s.Soon("the next pod runs", func(g Gomega) {
		g.Expect(s.Created()).To(HaveLen(n))
		g.Expect(s.Active()).To(ConsistOf(HaveField("Status.Phase", corev1.PodRunning)))
		g.Expect(CountersOf(s.Job("a"))).To(Equal(want))
	})
	return s.Active()[0]
}

// addCondition gives a pod a condition of a type that no kubelet knows; kubelets
// leave those alone.
func addCondition(ctx context.Context, s *framework.Sandbox, pod corev1.Pod, kind corev1.PodConditionType, status corev1.ConditionStatus) {
	GinkgoHelper()
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": []corev1.PodCondition{{Type: kind, Status: status}}}})
	Expect(err).NotTo(HaveOccurred())
	Expect(s.Client.Status().Patch(ctx, &pod, client.RawPatch(types.StrategicMergePatchType, patch))).To(Succeed())
	s.Soon("the pod has the condition", func(g Gomega) {
		g.Expect(podNamed(s, pod.Name).Status.Conditions).To(ContainElement(And(HaveField("Type", kind), HaveField("Status", status))))
	})
}

// disrupt evicts a pod as `kubectl drain` does: it gets the condition
// DisruptionTarget and is deleted.
func disrupt(ctx context.Context, s *framework.Sandbox, pod corev1.Pod) {
	GinkgoHelper()
	Expect(s.Client.SubResource("eviction").Create(ctx, &pod, &policyv1.Eviction{})).To(Succeed())
	s.Soon("the pod is disrupted", func(g Gomega) {
		for _, r := range s.History().Pods(pod.Name) {
			if r.Pod().DeletionTimestamp != nil {
				g.Expect(r.Pod().Status.Conditions).To(ContainElement(And(
					HaveField("Type", corev1.DisruptionTarget), HaveField("Status", corev1.ConditionTrue))))
				return
			}
		}
		g.Expect(pod.Name).To(BeEmpty(), "pods that are not deleted yet")
	})
}
