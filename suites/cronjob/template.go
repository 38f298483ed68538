package cronjob

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

var _ = Describe("template", Label("area:cronjob", "behaviour:schedule"), func() {

	// A template that was copied from a Job has one. Wrong: keeps what is there.
	It("does not say when a Job is scheduled", Covers(TemplateCannotSetScheduledTime, ScheduledTimeAnnotation), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")).With(func(c *batchv1.CronJob) {
			metav1.SetMetaDataAnnotation(&c.Spec.JobTemplate.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation, "2001-01-01T00:00:00Z")
		}), tick)

		job := startsFor(s, cronJob, tick)
		Expect(job.Annotations).To(HaveKeyWithValue(batchv1.CronJobScheduledTimestampAnnotation, tick.Format(time.RFC3339)))
		Expect(s.CronJob("a").Spec.JobTemplate.Annotations).To(HaveKeyWithValue(
			batchv1.CronJobScheduledTimestampAnnotation, "2001-01-01T00:00:00Z"))
	})

	// Wrong: copies what it knows of a Job's spec.
	It("says everything else, also that a Job shall not run yet", Covers(TemplateMaySuspend, JobFollowsTemplate), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		template := puppet.Job("").Suspend().Indexed().Completions(3).ActiveDeadlineSeconds(1234).
			PodReplacementPolicy(batchv1.Failed).With(func(j *batchv1.Job) { j.Spec.TTLSecondsAfterFinished = ptr.To[int32](99) })
		cronJob := due(ctx, s, puppet.CronJob("a", template), tick)

		Expect(startsFor(s, cronJob, tick).Spec).To(And(
			HaveField("Suspend", HaveValue(BeTrue())),
			HaveField("CompletionMode", HaveValue(Equal(batchv1.IndexedCompletion))),
			HaveField("ActiveDeadlineSeconds", HaveValue(BeEquivalentTo(1234))),
			HaveField("PodReplacementPolicy", HaveValue(Equal(batchv1.Failed))),
			HaveField("TTLSecondsAfterFinished", HaveValue(BeEquivalentTo(99)))))
		s.Stays("the Job is active, and does not run", func(g Gomega) {
			g.Expect(active(s, cronJob)).To(Equal(ticks(tick)))
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})

	// The tick is made due twice. Wrong: a name by chance, which does not keep two
	// controllers from starting a Job each.
	It("and the scheduled time make the same name each time", Label("level:should"), Covers(JobNameIsStable, JobNameFollowsCronJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)

		first := startsFor(s, cronJob, tick)
		Expect(first.Name).To(HavePrefix("a-"))
		s.Delete(ctx, &first)
		s.Soon("the Job is gone", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(active(s, cronJob)).To(BeEmpty())
		})
		lastStart(ctx, s, s.CronJob("a"), tick.Add(-5*time.Minute))
		second := startsFor(s, cronJob, tick)
		Expect(second.UID).NotTo(Equal(first.UID))
		Expect(second.Name).To(Equal(first.Name))
	})
})
