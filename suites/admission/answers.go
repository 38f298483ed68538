package admission

import (
	"time"

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
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// No CronJob can get TZ into its schedule any more, and so no spec is about the warning of it.
var _ = Describe("Job and CronJob warnings:", behaviour.Validation, func() {
	large := func(j *batchv1.JobSpec) {
		j.CompletionMode = ptr.To(batchv1.IndexedCompletion)
		j.Completions, j.Parallelism = ptr.To[int32](100_001), ptr.To[int32](10_001)
	}
	twice := func(t *corev1.PodTemplateSpec) {
		variable := corev1.EnvVar{Name: "A", Value: "b"}
		t.Spec.Containers[0].Env = []corev1.EnvVar{variable, variable}
	}

	DescribeTable("the API server warns of", func(ctx SpecContext, text string, good, bad func(*batchv1.CronJob)) {
		s := framework.New(ctx)
		job := func(c *batchv1.CronJob) *batchv1.Job {
			return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: c.Name}, Spec: c.Spec.JobTemplate.Spec}
		}
		warned := func(object client.Object) []string {
			object.SetNamespace(s.Namespace)
			return s.Warnings(func(c client.Client) {
				Expect(c.Create(s.Context(), object, client.DryRunAll)).To(Succeed())
			})
		}
		for change, matches := range map[*func(*batchv1.CronJob)]OmegaMatcher{
			&good: Not(ContainElement(ContainSubstring(text))), &bad: ContainElement(ContainSubstring(text))} {
			Expect(warned(cron(*change))).To(matches, "CronJob")
			Expect(warned(job(cron(*change)))).To(matches, "Job")
		}
	},
		Entry("a name that is no DNS label", covers.Requirements(WarnsOfNames), "metadata.name",
			func(c *batchv1.CronJob) { c.Name = "a-b" }, func(c *batchv1.CronJob) { c.Name = "a.b" }),
		Entry("an Indexed Job with too many pods that might fail", covers.Requirements(WarnsOfManyIndexes),
			"completedIndexes",
			func(c *batchv1.CronJob) {
				large(&c.Spec.JobTemplate.Spec)
				c.Spec.JobTemplate.Spec.Parallelism = ptr.To[int32](10_000)
			}, func(c *batchv1.CronJob) { large(&c.Spec.JobTemplate.Spec) }),
		Entry("what is twice in a pod template", covers.Requirements(WarnsOfTemplates), "env[1]",
			func(*batchv1.CronJob) {}, func(c *batchv1.CronJob) { twice(&c.Spec.JobTemplate.Spec.Template) }),
	)
})

var _ = Describe("Job and CronJob tables:", behaviour.Validation, func() {
	It("the column Status of a Job is how far it is", covers.Requirements(JobStatusColumn), func(ctx SpecContext) {
		s := framework.New(ctx)
		want := map[string]string{}
		for _, c := range []struct {
			name, status string
			is           part
		}{
			{"complete", "Complete", complete},
			{"failed", "Failed", failed},
			{"failing", "FailureTarget", changes(started(0), is(batchv1.JobFailureTarget))},
			{"suspended", "Suspended", is(batchv1.JobSuspended)},
			{"running", "Running", started(0)},
			{"new", "Running", nothing},
			{"deleted", "Terminating", is(batchv1.JobSuspended)},
		} {
			want[c.name] = c.status
			job := s.Create(puppet.Job(c.name).With(unmanaged).With(func(j *batchv1.Job) {
				j.Finalizers = []string{"example.com/wait"}
			}))
			job.ChangeStatus(func(j *batchv1.Job) { c.is(&j.Status) })
			if c.name == "deleted" {
				job.Delete()
			}
			s.Finally(func() { job.Change(func(j *batchv1.Job) { j.Finalizers = nil }) })
		}
		have := map[string]string{}
		for name, row := range s.Table("jobs") {
			have[name], _ = row["Status"].(string)
		}
		Expect(have).To(Equal(want), "Status by the name of the Job")
	})

	It("the column Completions of a Job has successes and completions", covers.Requirements(
		JobCompletionsColumn), func(ctx SpecContext) {
		s := framework.New(ctx)
		for _, job := range []*puppet.JobBuilder{
			puppet.Job("many").Completions(3), puppet.Job("one"), puppet.Job("queue").Parallelism(2)} {
			s.Create(job.With(unmanaged)).ChangeStatus(func(j *batchv1.Job) { j.Status.Succeeded = 1 })
		}
		have := map[string]any{}
		for name, row := range s.Table("jobs") {
			have[name] = row["Completions"]
		}
		Expect(have).To(Equal(map[string]any{"many": "1/3", "one": "1/1", "queue": "1/1 of 2"}),
			"Completions by the name of the Job")
	})

	It("the columns of a CronJob are its schedule and what became of it", covers.Requirements(
		CronJobColumns), func(ctx SpecContext) {
		s := framework.New(ctx)
		plain := s.CreateCronJob(hourly().Suspend().With(func(c *batchv1.CronJob) {
			c.Name, c.Spec.TimeZone = "plain", nil
		}))
		used := s.CreateCronJob(hourly().Suspend().TimeZone("Asia/Tokyo").With(func(c *batchv1.CronJob) {
			c.Name = "used"
		}))
		used.ChangeStatus(func(c *batchv1.CronJob) {
			c.Status.LastScheduleTime = ptr.To(metav1.NewTime(time.Now().Add(-2 * time.Hour)))
		})
		for cronJob, want := range map[*framework.CronJob][]any{
			plain: {plain.Now().Spec.Schedule, "<none>", "True", 0.0, "<none>"},
			used:  {used.Now().Spec.Schedule, "Asia/Tokyo", "True", 0.0, "120m"},
		} {
			row, have := s.Table("cronjobs")[cronJob.Name], []any{}
			for _, column := range []string{"Schedule", "Timezone", "Suspend", "Active", "Last Schedule"} {
				have = append(have, row[column])
			}
			Expect(have).To(Equal(want), "row of CronJob %s", cronJob.Name)
		}
	})
})
