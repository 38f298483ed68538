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

var _ = Describe("Job validation:", Label("area:api", "behaviour:validation"), func() {

	It("the API server rejects negative numbers and accepts 0", Covers(RefusesNegativeNumbers), func(ctx SpecContext) {
		s := framework.New(ctx)
		for field, set := range numbers {
			_, err := dryRun(ctx, s, puppet.Job("a").With(func(j *batchv1.Job) { set(&j.Spec, -1) }).Obj())
			expectRejected(err, field)
			_, err = dryRun(ctx, s, puppet.Job("a").With(func(j *batchv1.Job) { set(&j.Spec, 0) }).Obj())
			Expect(err).NotTo(HaveOccurred(), field)
		}
	})

	DescribeTable("the API server rejects", rejectsJobs,
		Entry("a restartPolicy other than Never and OnFailure", Covers(RefusesRestartAlways), puppet.Job("a").OnFailure(), invalidJobs{
			{"spec.template.spec.restartPolicy", func(j *batchv1.Job) { template(j).RestartPolicy = corev1.RestartPolicyAlways }},
			{"spec.template.spec.restartPolicy", func(j *batchv1.Job) { template(j).RestartPolicy = "" }},
			{"spec.template.spec.restartPolicy", func(j *batchv1.Job) { template(j).RestartPolicy = "Sometimes" }},
		}),
		Entry("an Indexed Job without completions or with a parallelism above 100,000", Covers(IndexedNeedsCompletions), indexed("a").Completions(200_000).Parallelism(100_000), invalidJobs{
			{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = nil }},
			{"spec.parallelism", func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](100_001) }},
		}),
		Entry("an unknown completionMode", Covers(RefusesUnknownCompletionMode), indexed("a"), invalidJobs{
			{"spec.completionMode", func(j *batchv1.Job) { j.Spec.CompletionMode = ptr.To[batchv1.CompletionMode]("Sorted") }},
			{"spec.completionMode", func(j *batchv1.Job) { j.Spec.CompletionMode = ptr.To[batchv1.CompletionMode]("") }},
		}),
		Entry("a backoffLimitPerIndex that is negative or without indexes", Covers(BackoffLimitPerIndexIsValid), perIndex("a"), invalidJobs{
			{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = ptr.To[int32](-1) }},
			{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.CompletionMode = nil }},
		}),
		Entry("a maxFailedIndexes out of its range", Covers(MaxFailedIndexesIsValid), perIndex("a").Completions(100_000).Parallelism(1).
			With(func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](100_000) }), invalidJobs{
			{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](-1) }},
			{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](100_001) }},
			{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](99_999) }},
			{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = nil }},
		}),
		Entry("more indexes than a status can list", Covers(LargeIndexedJobsAreLimited), huge(), invalidJobs{
			{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = nil }},
			{"spec.maxFailedIndexes", func(j *batchv1.Job) { j.Spec.MaxFailedIndexes = ptr.To[int32](10_001) }},
			{"spec.parallelism", func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](10_001) }},
		}),
		Entry("a managedBy without a domain or longer than 63 characters", Covers(ManagedByIsValid),
			puppet.Job("a").With(func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/" + strings.Repeat("a", 51)) }), invalidJobs{
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("controller") }},
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("") }},
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/") }},
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("Example.com/a") }},
				{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/" + strings.Repeat("a", 52)) }},
			}),
		Entry("a podReplacementPolicy that is unknown or contradicts podFailurePolicy", Covers(PodReplacementPolicyIsValid),
			puppet.Job("a").With(func(j *batchv1.Job) { j.Spec.PodReplacementPolicy = ptr.To(batchv1.TerminatingOrFailed) }), invalidJobs{
				{"spec.podReplacementPolicy", func(j *batchv1.Job) { j.Spec.PodReplacementPolicy = ptr.To[batchv1.PodReplacementPolicy]("Never") }},
				{"spec.podReplacementPolicy", func(j *batchv1.Job) { j.Spec.PodFailurePolicy = withRule(failOn(1)).Obj().Spec.PodFailurePolicy }},
			}),
		Entry("a selector without manualSelector", Covers(RefusesOwnSelector), puppet.Job("a"), invalidJobs{
			{"spec.selector", func(j *batchv1.Job) {
				j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"mine": "yes"}}
				j.Spec.Template.Labels = map[string]string{"mine": "yes"}
			}},
			{"spec.selector", func(j *batchv1.Job) {
				j.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{batchv1.ControllerUidLabel: "another"}}
			}},
		}),
		Entry("a manual selector that does not match the pods", Covers(ManualSelectorIsValid), manual(), invalidJobs{
			{"spec.selector", func(j *batchv1.Job) { j.Spec.Selector = nil }},
			{"spec.template.metadata.labels", func(j *batchv1.Job) { j.Spec.Template.Labels = map[string]string{"mine": "no"} }},
			{"spec.template.metadata.labels", func(j *batchv1.Job) { j.Spec.Template.Labels = nil }},
		}),
		Entry("pod labels that contradict the generated ones", Covers(RefusesOtherGeneratedLabels), puppet.Job("a").
			With(func(j *batchv1.Job) {
				j.Spec.Template.Labels = map[string]string{batchv1.JobNameLabel: "a", "job-name": "a"}
			}), invalidJobs{
			{"spec.template.metadata.labels[" + batchv1.JobNameLabel + "]", label(batchv1.JobNameLabel)},
			{"spec.template.metadata.labels[job-name]", label("job-name")},
			{"spec.template.metadata.labels[" + batchv1.ControllerUidLabel + "]", label(batchv1.ControllerUidLabel)},
			{"spec.template.metadata.labels[controller-uid]", label("controller-uid")},
		}),
		Entry("a name that is not a DNS subdomain", Covers(JobNameIsValid), puppet.Job("a.b-1"), invalidJobs{
			{"metadata.name", func(j *batchv1.Job) { j.Name = "A" }},
			{"metadata.name", func(j *batchv1.Job) { j.Name = "a_b" }},
			{"metadata.name", func(j *batchv1.Job) { j.Name = "-a" }},
			{"metadata.name", func(j *batchv1.Job) { j.Name = strings.Repeat("a", 254) }},
		}),
		Entry("an Indexed Job whose name is too long for its pods' host names", Covers(IndexedJobNameIsValid),
			puppet.Job(strings.Repeat("a", 61)).Indexed().Completions(10), invalidJobs{
				{"metadata.name", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](11) }},
				{"metadata.name", func(j *batchv1.Job) { j.Name += "a" }},
				{"metadata.name", func(j *batchv1.Job) { j.Name = "a.b" }},
			}),
		Entry("an invalid pod template", Covers(PodTemplateIsValid), puppet.Job("a"), invalidJobs{
			{"spec.template.spec.containers", func(j *batchv1.Job) { template(j).Containers = nil }},
			{"spec.template.spec.containers[0].name", func(j *batchv1.Job) { template(j).Containers[0].Name = "" }},
			{"spec.template.spec.containers[0].image", func(j *batchv1.Job) { template(j).Containers[0].Image = "" }},
			{"spec.template.spec.nodeName", func(j *batchv1.Job) { template(j).NodeName = "No_Node" }},
		}),
	)

	// Wrong: generates labels and a selector nevertheless.
	It("the API server keeps a manual selector", Covers(ManualSelectorIsValid), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(ctx, s, manual().Obj())
		Expect(job.Spec.Selector.MatchLabels).To(Equal(map[string]string{"mine": "yes"}))
		Expect(job.Spec.Template.Labels).To(Equal(map[string]string{"mine": "yes"}))
	})
})

// rejectsJobs expects that the API server accepts a Job, and rejects it after each of
// the changes.
func rejectsJobs(ctx SpecContext, job *puppet.JobBuilder, cases invalidJobs) {
	rejects(ctx, framework.New(ctx), job.Obj, cases)
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
