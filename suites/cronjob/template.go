package cronjob

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

var _ = Describe("CronJob template:", Label("area:cronjob", "behaviour:schedule"), func() {

	// A template that was copied from a Job has this annotation. Wrong: keeps it.
	It("the controller replaces the scheduled time in the template's annotations", Covers(TemplateCannotSetScheduledTime, ScheduledTimeAnnotation), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := Ago(30 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")).With(func(c *batchv1.CronJob) {
			metav1.SetMetaDataAnnotation(&c.Spec.JobTemplate.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation, "2001-01-01T00:00:00Z")
		}), tick)

		job := Starts(s, cronJob, tick)
		Expect(job.Annotations).To(HaveKeyWithValue(batchv1.CronJobScheduledTimestampAnnotation, tick.Format(time.RFC3339)))
		Expect(s.CronJob("a").Spec.JobTemplate.Annotations).To(HaveKeyWithValue(
			batchv1.CronJobScheduledTimestampAnnotation, "2001-01-01T00:00:00Z"))
	})

	// Wrong: copies only the fields of a Job's spec that it knows.
	It("the controller copies the whole spec of the template, including suspend", Covers(TemplateMaySuspend, JobFollowsTemplate), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := Ago(30 * time.Minute)
		template := puppet.Job("").Suspend().Indexed().Completions(3).ActiveDeadlineSeconds(1234).
			PodReplacementPolicy(batchv1.Failed).With(func(j *batchv1.Job) { j.Spec.TTLSecondsAfterFinished = ptr.To[int32](99) })
		cronJob := Due(ctx, s, puppet.CronJob("a", template), tick)

		Expect(Starts(s, cronJob, tick).Spec).To(And(
			HaveField("Suspend", HaveValue(BeTrue())),
			HaveField("CompletionMode", HaveValue(Equal(batchv1.IndexedCompletion))),
			HaveField("ActiveDeadlineSeconds", HaveValue(BeEquivalentTo(1234))),
			HaveField("PodReplacementPolicy", HaveValue(Equal(batchv1.Failed))),
			HaveField("TTLSecondsAfterFinished", HaveValue(BeEquivalentTo(99)))))
		s.Stays("the Job is active and has no pods", func(g Gomega) {
			g.Expect(Active(s, cronJob)).To(Equal(Times(tick)))
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})

	// The same time becomes due twice. Wrong: a random name, which does not keep two
	// controllers from starting a Job each.
	It("the Job's name is a function of the CronJob and its scheduled time", Label("level:should"), Covers(JobNameIsStable, JobNameFollowsCronJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := Ago(30 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)

		first := Starts(s, cronJob, tick)
		Expect(first.Name).To(HavePrefix("a-"))
		s.Delete(ctx, &first)
		s.Soon("the Job is gone and not active", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(Active(s, cronJob)).To(BeEmpty())
		})
		SetLastScheduleTime(ctx, s, s.CronJob("a"), LastBefore(tick))
		second := Starts(s, cronJob, tick)
		Expect(second.UID).NotTo(Equal(first.UID))
		Expect(second.Name).To(Equal(first.Name))
	})
})
