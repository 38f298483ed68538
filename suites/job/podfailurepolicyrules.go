package job

import (
	"encoding/json"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// These specs are about the matching of rules. Either a rule or backoffLimit fails the Job,
// and the reason shows which.
var _ = Describe("Job podFailurePolicy:", behaviour.PodFailurePolicy, func() {
	// Wrong: confuses In with NotIn, or matches any exit code.
	It("a rule with In matches the exit codes of its list", covers.Requirements(ExitCodesIn), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").FinishedAgo(longAgo).PodFailurePolicy(onExitCodes(failJob, in, 40, 42)))
		job.Runs(1).End(41)
		successor(s, job, 2, Counters{Active: 1, Ready: 1, Failed: 1}).End(42)
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 2})
	})

	It("a rule with NotIn matches the exit codes that its list lacks", covers.Requirements(
		ExitCodesNotIn), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").FinishedAgo(longAgo).PodFailurePolicy(onExitCodes(failJob, notIn, 40, 42)))
		job.Runs(1).End(42)
		successor(s, job, 2, Counters{Active: 1, Ready: 1, Failed: 1}).End(41)
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 2})
	})

	// Wrong: matches exit code 0, which is not in the list.
	It("a rule with exit codes does not match a container that has succeeded", covers.Requirements(
		SucceededContainerNeverMatches), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").BackoffLimit(0).Container("second").ExitCodes("0/3").
			PodFailurePolicy(onExitCodes(failJob, notIn, 3)))
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// Wrong: compares the exit codes of all containers.
	It("a rule that names a container matches no other container", covers.Requirements(
		ExitCodesOfOneContainer), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").BackoffLimit(0).Container("second").ExitCodes("42/3").
			PodFailurePolicy(
				ofContainer("second", onExitCodes(failJob, in, 42)),
				ofContainer("main", onExitCodes(failJob, notIn, 42))))
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// Wrong: compares the exit code of the first container.
	It("a rule that names a container matches it, whatever its position", covers.Requirements(
		ExitCodesOfOneContainer), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").Container("second").ExitCodes("1/42").
			PodFailurePolicy(ofContainer("second", onExitCodes(failJob, in, 42))))
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
	})

	// Wrong: compares the first container, or requires all to match.
	It("a rule that names no container matches any container", covers.Requirements(
		ExitCodesOfAnyContainer), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").Container("second").ExitCodes("1/42").
			PodFailurePolicy(onExitCodes(failJob, in, 42)))
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
	})

	// Wrong: compares only the containers, which never ran.
	It("a rule that names no container matches init containers", covers.Requirements(
		ExitCodesOfInitContainers, FailJobMessage), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").InitContainer("init").Puppet(map[string]string{puppet.InitCodes: "42"}).
			PodFailurePolicy(onExitCodes(failJob, in, 42)))
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
		Expect(framework.Condition(job.Now(), batchv1.JobFailed).Message).To(MatchRegexp(`\binit\b`))
		Expect(s.Created()).To(HaveLen(1))
	})

	// Wrong: finds a name only among the containers.
	It("a rule that names an init container matches it", covers.Requirements(
		ExitCodesOfInitContainers, ExitCodesOfOneContainer), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").InitContainer("init").
			Puppet(map[string]string{puppet.InitCodes: "42"}).BackoffLimit(0).
			PodFailurePolicy(
				ofContainer("main", onExitCodes(ignore, notIn, 1)), ofContainer("init", onExitCodes(failJob, in, 42))))
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
	})

	// Wrong: compares the type alone, or takes a missing condition for False.
	It("a rule with a pod condition matches its type and status", covers.Requirements(
		MatchesPodConditions), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").FinishedAgo(longAgo).
			PodFailurePolicy(onConditions(failJob, pattern("example.org/Healthy", corev1.ConditionFalse))))
		pod := job.Runs(1)[0] // has no such condition
		pod.End(1)
		pod = successor(s, job, 2, Counters{Active: 1, Ready: 1, Failed: 1})
		addCondition(s, pod, "example.org/Healthy", corev1.ConditionTrue)
		addCondition(s, pod, "example.org/Other", corev1.ConditionFalse)
		pod.End(1)
		pod = successor(s, job, 3, Counters{Active: 1, Ready: 1, Failed: 2})
		addCondition(s, pod, "example.org/Healthy", corev1.ConditionFalse)
		pod.End(1)
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 3})
	})

	// Wrong: matches any status.
	It("a rule with a pod condition without status matches True", covers.Requirements(
		MatchesPodConditions), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).FinishedAgo(longAgo).
			PodFailurePolicy(onConditions(ignore, pattern("example.org/Broken", ""))))
		pod := job.Runs(1)[0]
		addCondition(s, pod, "example.org/Broken", corev1.ConditionTrue)
		pod.End(1)
		pod = successor(s, job, 2, Counters{Active: 1, Ready: 1})
		addCondition(s, pod, "example.org/Broken", corev1.ConditionUnknown)
		pod.End(1)
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// Wrong: requires all patterns to match.
	It("a rule with several pod conditions matches any of them", covers.Requirements(
		MatchesPodConditions, AnyPatternMatches), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").PodFailurePolicy(onConditions(failJob,
			pattern(corev1.DisruptionTarget, ""), pattern("example.org/Healthy", corev1.ConditionUnknown))))
		pod := job.Runs(1)[0]
		addCondition(s, pod, "example.org/Healthy", corev1.ConditionUnknown)
		pod.End(1)
		job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
	})
})

// Short names for the parts of a rule.
const (
	failJob   = batchv1.PodFailurePolicyActionFailJob
	failIndex = batchv1.PodFailurePolicyActionFailIndex
	ignore    = batchv1.PodFailurePolicyActionIgnore
	count     = batchv1.PodFailurePolicyActionCount
	in        = batchv1.PodFailurePolicyOnExitCodesOpIn
	notIn     = batchv1.PodFailurePolicyOnExitCodesOpNotIn
)

// onExitCodes returns a rule for all containers.
func onExitCodes(
	action batchv1.PodFailurePolicyAction, operator batchv1.PodFailurePolicyOnExitCodesOperator, values ...int32,
) batchv1.PodFailurePolicyRule {
	return batchv1.PodFailurePolicyRule{Action: action,
		OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{Operator: operator, Values: values}}
}

// ofContainer restricts a rule to one container.
func ofContainer(name string, rule batchv1.PodFailurePolicyRule) batchv1.PodFailurePolicyRule {
	rule.OnExitCodes.ContainerName = ptr.To(name)
	return rule
}

func onConditions(
	action batchv1.PodFailurePolicyAction, patterns ...batchv1.PodFailurePolicyOnPodConditionsPattern,
) batchv1.PodFailurePolicyRule {
	return batchv1.PodFailurePolicyRule{Action: action, OnPodConditions: patterns}
}

func pattern(
	kind corev1.PodConditionType, status corev1.ConditionStatus,
) batchv1.PodFailurePolicyOnPodConditionsPattern {
	return batchv1.PodFailurePolicyOnPodConditionsPattern{Type: kind, Status: status}
}

// successor waits until the n-th pod of the Job is the only active one and runs, and the
// Job has these counters. It returns that pod.
func successor(s *framework.Sandbox, job *framework.Job, n int, want Counters) framework.Pod {
	GinkgoHelper()
	s.Soon("the next pod runs", func(g Gomega) {
		g.Expect(s.Created()).To(HaveLen(n))
		g.Expect(s.Active()).To(ConsistOf(HaveField("Status.Phase", corev1.PodRunning)))
		job.Reports(g, want)
	})
	return s.Active()[0]
}

// addCondition adds a condition to a pod. Its type must not be the kubelet's, which would
// overwrite it.
func addCondition(
	s *framework.Sandbox, pod framework.Pod, kind corev1.PodConditionType, status corev1.ConditionStatus,
) {
	GinkgoHelper()
	addConditionFor(s, pod, kind, status, "")
}

// addConditionFor is addCondition with a reason. The condition begins now: the controller of disruptions takes
// DisruptionTarget from pods that have had it for two minutes and are not being deleted.
func addConditionFor(
	s *framework.Sandbox, pod framework.Pod, kind corev1.PodConditionType, status corev1.ConditionStatus,
	reason string,
) {
	GinkgoHelper()
	conditions := []corev1.PodCondition{{Type: kind, Status: status, Reason: reason,
		LastTransitionTime: metav1.Now()}}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": conditions}})
	Expect(err).NotTo(HaveOccurred())
	Expect(s.Client.Status().Patch(
		s.Context(), &pod.Pod, client.RawPatch(types.StrategicMergePatchType, patch))).To(Succeed())
	s.Soon("the pod has the condition", func(g Gomega) {
		g.Expect(pod.Now().Status.Conditions).To(ContainElement(
			And(HaveField("Type", kind), HaveField("Status", status))))
	})
}

// disrupt evicts a pod as `kubectl drain` does: it gets the condition
// DisruptionTarget and is deleted.
func disrupt(s *framework.Sandbox, pod framework.Pod) {
	GinkgoHelper()
	Expect(s.Client.SubResource("eviction").Create(s.Context(), &pod.Pod, &policyv1.Eviction{})).To(Succeed())
	s.Soon("the pod is disrupted", func(g Gomega) {
		for _, r := range s.History().Pods(pod.Name) {
			if r.Pod().DeletionTimestamp != nil {
				g.Expect(r.Pod().Status.Conditions).To(ContainElement(And(
					HaveField("Type", corev1.DisruptionTarget), HaveField("Status", corev1.ConditionTrue))))
				return
			}
		}
		g.Expect(pod.Name).To(BeEmpty(), "pod that is not being deleted")
	})
}
