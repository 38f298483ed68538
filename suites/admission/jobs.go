package admission

import (
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// numbers are the fields of a Job that count something.
var numbers = map[string]func(*batchv1.JobSpec, int32){
	"spec.parallelism":             func(s *batchv1.JobSpec, n int32) { s.Parallelism = &n },
	"spec.completions":             func(s *batchv1.JobSpec, n int32) { s.Completions = &n },
	"spec.backoffLimit":            func(s *batchv1.JobSpec, n int32) { s.BackoffLimit = &n },
	"spec.activeDeadlineSeconds":   func(s *batchv1.JobSpec, n int32) { s.ActiveDeadlineSeconds = ptr.To(int64(n)) },
	"spec.ttlSecondsAfterFinished": func(s *batchv1.JobSpec, n int32) { s.TTLSecondsAfterFinished = &n },
}

// huge makes an Indexed Job of more completions than can all be told about.
func huge() *puppet.JobBuilder {
	return perIndex("a").Completions(100_001).Parallelism(10_000).
		With(func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](10_000) })
}

// own makes a Job with a selector of its own.
func own() *puppet.JobBuilder {
	return puppet.Job("a").With(func(j *batchv1.Job) {
		j.Spec.ManualSelector = ptr.To(true)
		j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"mine": "yes"}}
		j.Spec.Template.Labels = map[string]string{"mine": "yes"}
	})
}

var _ = Describe("the API server's rules for new Jobs", Label("area:api", "behaviour:validation"), func() {

	It("allow no negative numbers", Covers(RefusesNegativeNumbers), func(ctx SpecContext) {
		s := framework.New(ctx)
		for field, set := range numbers {
			_, err := try(ctx, s, puppet.Job("a").With(func(j *batchv1.Job) { set(&j.Spec, -1) }).Obj())
			expectRefused(err, field)
			_, err = try(ctx, s, puppet.Job("a").With(func(j *batchv1.Job) { set(&j.Spec, 0) }).Obj())
			Expect(err).NotTo(HaveOccurred(), field)
		}
	})

	DescribeTable("refuse", func(ctx SpecContext, base *puppet.JobBuilder, cases wrongJobs) {
		refuses(ctx, framework.New(ctx), base.Obj, cases)
	},
		Entry("pods that are restarted for ever", Covers(RefusesRestartAlways), puppet.Job("a").OnFailure(), wrongJobs{
			{"spec.template.spec.restartPolicy", func(j *batchv1.Job) { template(j).RestartPolicy = corev1.RestartPolicyAlways }},
			{"spec.template.spec.restartPolicy", func(j *batchv1.Job) { template(j).RestartPolicy = "" }},
			{"spec.template.spec.restartPolicy", func(j *batchv1.Job) { template(j).RestartPolicy = "Sometimes" }},
		}),
		Entry("Indexed Jobs without a number of indexes, and with too many pods", Covers(IndexedNeedsCompletions), indexed("a").Completions(200_000).Parallelism(100_000), wrongJobs{
			{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = nil }},
			{"spec.parallelism", func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](100_001) }},
		}),
		Entry("completion modes that nobody knows", Covers(RefusesUnknownCompletionMode), indexed("a"), wrongJobs{
			{"spec.completionMode", func(j *batchv1.Job) { j.Spec.CompletionMode = ptr.To[batchv1.CompletionMode]("Sorted") }},
			{"spec.completionMode", func(j *batchv1.Job) { j.Spec.CompletionMode = ptr.To[batchv1.CompletionMode]("") }},
		}),
		Entry("limits per index where there are no indexes", Covers(BackoffLimitPerIndexIsValid), perIndex("a"), wrongJobs{
			{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = ptr.To[int32](-1) }},
			{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.CompletionMode = nil }},
		}),
		Entry("a maxFailedIndexes out of its range", Covers(MaxFailedIndexesIsValid), perIndex("a").Completions(100_000).Parallelism(1).
			With(func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](100_000) }), wrongJobs{
			{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](-1) }},
			{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](100_001) }},
			{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](99_999) }},
			{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = nil }},
		}),
		Entry("more indexes than a status can tell about", Covers(LargeIndexedJobsAreLimited), huge(), wrongJobs{
			{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = nil }},
			{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](10_001) }},
			{"spec.parallelism", func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](10_001) }},
		}),
		Entry("names of controllers without a domain, and too long ones", Covers(ManagedByIsValid),
			puppet.Job("a").With(func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/" + strings.Repeat("a", 51)) }), wrongJobs{
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("controller") }},
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("") }},
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/") }},
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("Example.com/a") }},
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/" + strings.Repeat("a", 52)) }},
			}),
		Entry("pod replacement policies that nobody knows", Covers(PodReplacementPolicyIsValid),
			puppet.Job("a").With(func(j *batchv1.Job) { j.Spec.PodReplacementPolicy = ptr.To(batchv1.TerminatingOrFailed) }), wrongJobs{
				{"spec.podReplacementPolicy", func(j *batchv1.Job) { j.Spec.PodReplacementPolicy = ptr.To[batchv1.PodReplacementPolicy]("Never") }},
				{"spec.podReplacementPolicy", func(j *batchv1.Job) { j.Spec.PodFailurePolicy = withRule(failOn(1)).Obj().Spec.PodFailurePolicy }},
			}),
		Entry("selectors that are not generated", Covers(RefusesOwnSelector), puppet.Job("a"), wrongJobs{
			{"spec.selector", func(j *batchv1.Job) {
				j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"mine": "yes"}}
				j.Spec.Template.Labels = map[string]string{"mine": "yes"}
			}},
			{"spec.selector", func(j *batchv1.Job) {
				j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{batchv1.ControllerUidLabel: "another"}}
			}},
		}),
		Entry("selectors that do not select the Job's pods", Covers(ManualSelectorIsValid), own(), wrongJobs{
			{"spec.selector", func(j *batchv1.Job) { j.Spec.Selector = nil }},
			{"spec.template.metadata.labels", func(j *batchv1.Job) { j.Spec.Template.Labels = map[string]string{"mine": "no"} }},
			{"spec.template.metadata.labels", func(j *batchv1.Job) { j.Spec.Template.Labels = nil }},
		}),
		Entry("labels in the way of generated ones", Covers(RefusesOtherGeneratedLabels), puppet.Job("a").
			With(func(j *batchv1.Job) {
				j.Spec.Template.Labels = map[string]string{batchv1.JobNameLabel: "a", "job-name": "a"}
			}), wrongJobs{
			{"spec.template.metadata.labels[" + batchv1.JobNameLabel + "]", label(batchv1.JobNameLabel)},
			{"spec.template.metadata.labels[job-name]", label("job-name")},
			{"spec.template.metadata.labels[" + batchv1.ControllerUidLabel + "]", label(batchv1.ControllerUidLabel)},
			{"spec.template.metadata.labels[controller-uid]", label("controller-uid")},
		}),
		Entry("names that are no DNS names", Covers(JobNameIsValid), puppet.Job("a.b-1"), wrongJobs{
			{"metadata.name", func(j *batchv1.Job) { j.Name = "A" }},
			{"metadata.name", func(j *batchv1.Job) { j.Name = "a_b" }},
			{"metadata.name", func(j *batchv1.Job) { j.Name = "-a" }},
			{"metadata.name", func(j *batchv1.Job) { j.Name = strings.Repeat("a", 254) }},
		}),
		Entry("Indexed Jobs whose pods would have no host name", Covers(IndexedJobNameIsValid),
			puppet.Job(strings.Repeat("a", 61)).Indexed().Completions(10), wrongJobs{
				{"metadata.name", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](11) }},
				{"metadata.name", func(j *batchv1.Job) { j.Name += "a" }},
				{"metadata.name", func(j *batchv1.Job) { j.Name = "a.b" }},
			}),
		Entry("templates of no valid pod", Covers(PodTemplateIsValid), puppet.Job("a"), wrongJobs{
			{"spec.template.spec.containers", func(j *batchv1.Job) { template(j).Containers = nil }},
			{"spec.template.spec.containers[0].name", func(j *batchv1.Job) { template(j).Containers[0].Name = "" }},
			{"spec.template.spec.containers[0].image", func(j *batchv1.Job) { template(j).Containers[0].Image = "" }},
			{"spec.template.spec.nodeName", func(j *batchv1.Job) { template(j).NodeName = "No_Node" }},
		}),
	)

	// Wrong: generates labels and a selector in spite of it.
	It("leave the selector to a Job that brings its own", Covers(ManualSelectorIsValid), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(ctx, s, own().Obj())
		Expect(job.Spec.Selector.MatchLabels).To(Equal(map[string]string{"mine": "yes"}))
		Expect(job.Spec.Template.Labels).To(Equal(map[string]string{"mine": "yes"}))
	})
})

// label puts another Job's value for a label into the pod template.
func label(key string) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		if j.Spec.Template.Labels == nil {
			j.Spec.Template.Labels = map[string]string{}
		}
		j.Spec.Template.Labels[key] = "another"
	}
}
