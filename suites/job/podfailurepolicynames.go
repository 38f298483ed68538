package job

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// These specs are about the names of rules, for which batch/v1 has no field before v1.38: no Go type here has it.
var _ = Describe("Job podFailurePolicy:", behaviour.PodFailurePolicy, func() {
	// Wrong: gives the reason PodFailurePolicy alone, or counts the rules of its action.
	DescribeTable("the reason of the Failed condition names the rule that matched",
		func(ctx SpecContext, exitCode int, reason string) {
			s := framework.New(ctx)
			job := createNamed(s, puppet.Job("a").PodFailurePolicy(
				onExitCodes(ignore, in, 40), onExitCodes(failJob, in, 41), onExitCodes(failJob, in, 42),
				onConditions(failJob, pattern("example.org/Broken", ""))),
				map[int]string{2: "Answer", 3: "OutOf:Order"})
			pod := job.Runs(1)[0]
			if exitCode == 1 {
				addCondition(s, pod, "example.org/Broken", corev1.ConditionTrue)
			}
			pod.End(exitCode)
			job.Fails(batchv1.JobReasonPodFailurePolicy, Counters{Failed: 1})
			for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
				Expect(framework.Condition(job.Now(), kind).Reason).To(Equal(reason), string(kind))
			}
		},
		Entry("by its index, where it has no name", namesNeedATemplate, covers.Requirements(ReasonHasRuleIndex),
			41, "PodFailurePolicy_1"),
		Entry("by its name", namesNeedATemplate, covers.Requirements(ReasonHasRuleName), 42, "PodFailurePolicy_Answer"),
		Entry("by its name, where it matched a pod condition", namesNeedATemplate,
			covers.Requirements(ReasonHasRuleName), 1, "PodFailurePolicy_OutOf:Order"),
	)
})

var namesNeedATemplate = framework.Simulated("pods for a kubelet are prepared in Jobs of the Go type alone")

// createNamed creates a Job whose rules have these names, by their index.
func createNamed(s *framework.Sandbox, builder *puppet.JobBuilder, names map[int]string) *framework.Job {
	GinkgoHelper()
	job := builder.Obj()
	job.Namespace = s.Namespace
	created := framework.WithRuleNames(job, names)
	Expect(s.Client.Create(s.Context(), created)).To(Succeed())
	Expect(runtime.DefaultUnstructuredConverter.FromUnstructured(created.Object, job)).To(Succeed())
	return s.Handle(job)
}
