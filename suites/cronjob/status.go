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
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

var _ = Describe("status", Label("area:cronjob", "behaviour:schedule"), func() {
	// batch/v1 CronJobStatus.active: currently running jobs; lastSuccessfulTime:
	// the last time the job successfully completed. Wrong: a controller that
	// writes its own time.
	It("has the completion time of a Job that succeeded, and the Job no more", Covers(FinishedLeaveActive, LastSuccessfulTime), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		job := startsFor(s, cronJob, tick)
		Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeNil())

		end(ctx, s, job, 0)
		s.Soon("the success is noticed", func(g Gomega) {
			g.Expect(active(s, cronJob)).To(BeEmpty())
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(Equal(s.Job(job.Name).Status.CompletionTime))
			g.Expect(s.CronJob("a").Status.LastScheduleTime).To(HaveValue(HaveField("Time", BeTemporally("==", tick))))
		})
	})

	// Wrong: a controller for which every end is a success.
	It("has no time of success after a failure, and the Job no more", Covers(FinishedLeaveActive, FailureKeepsLastSuccess), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("").BackoffLimit(0)), tick)
		job := startsFor(s, cronJob, tick)

		end(ctx, s, job, 1)
		s.Soon("the failure is noticed", func(g Gomega) {
			g.Expect(framework.Is(s.Job(job.Name), batchv1.JobFailed)).To(BeTrue())
			g.Expect(active(s, cronJob)).To(BeEmpty())
		})
		Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeNil())
	})

	// The Job that ended later is seen first. Wrong: a controller that keeps what
	// it saw last.
	It("keeps the latest time of success", Covers(LastSuccessfulTime), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(ago(30*time.Minute))).Obj())
		older := framework.Create(ctx, s, owned(untouched("older"), cronJob).Obj())
		newer := framework.Create(ctx, s, owned(untouched("newer"), cronJob).Obj())
		// That it leaves status.active again shows that its end was noticed.
		framework.ChangeStatus(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Status.Active = []corev1.ObjectReference{reference(older)} })

		start := ago(time.Hour)
		ended(ctx, s, newer, batchv1.JobComplete, start)
		latest := BeTemporally("==", start.Add(time.Minute))
		s.Soon("the success is noticed", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(HaveValue(HaveField("Time", latest)))
		})
		ended(ctx, s, older, batchv1.JobComplete, start.Add(-time.Hour))
		s.Soon("the earlier success is noticed", func(g Gomega) { g.Expect(active(s, cronJob)).To(BeEmpty()) })
		Expect(s.CronJob("a").Status.LastSuccessfulTime).To(HaveValue(HaveField("Time", latest)))
	})

	// #118530: kubectl create job --from=cronjob/a.
	It("has the success of a Job that was started by hand", Covers(ManualJobSucceeds), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(ago(30*time.Minute))).Obj())
		job := framework.Create(ctx, s, owned(puppet.Job("by-hand").ExitCodes("0"), cronJob).Obj())

		s.Soon("the success is noticed", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(Equal(s.Job(job.Name).Status.CompletionTime))
		})
		Expect(s.CronJob("a").Status.LastScheduleTime).To(BeNil())
	})

	// Wrong: a controller that starts the tick again, or keeps the reference.
	It("loses a Job that was deleted by hand, and nothing takes its place", Covers(DeletedLeaveActive), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		job := startsFor(s, cronJob, tick)

		s.Delete(ctx, &job)
		s.Soon("the Job is out of the status", func(g Gomega) { g.Expect(active(s, cronJob)).To(BeEmpty()) })
		s.Stays("there is no other Job", func(g Gomega) { g.Expect(starts(s, cronJob)).To(BeEmpty()) })
		Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeNil())
	})

	// #120649: so it looks after a crash between the start and its record. Wrong: a
	// controller that starts the tick twice, or looks for the Job in no namespace,
	// as upstream's did up to 1.36 (#136918).
	It("takes a Job up again that it has lost", Covers(TakesUpLostJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		job := startsFor(s, cronJob, tick)
		runs(s, job)

		before := tick.Add(-4 * time.Minute)
		framework.ChangeStatus(ctx, s, s.CronJob("a"), func(c *batchv1.CronJob) {
			c.Status.Active = nil
			c.Status.LastScheduleTime = ptr.To(metav1.NewTime(before))
		})
		s.Soon("the loss is in the history", func(g Gomega) {
			g.Expect(s.History().CronJobs("a")).To(ContainElement(
				HaveField("CronJob().Status.LastScheduleTime", HaveValue(HaveField("Time", BeTemporally("==", before))))))
		})
		startsFor(s, cronJob, tick)
		Expect(jobs(s, cronJob)).To(HaveExactElements(HaveField("UID", job.UID)))
	})

	// Wrong: a controller that does not know the Jobs it has just started.
	It("holds no surprise for the controller that wrote it", Covers(NoFalseEvents), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := ago(30*time.Minute), ago(20*time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), first)
		end(ctx, s, startsFor(s, cronJob, first), 0)
		moveOn(ctx, s, cronJob, second)
		end(ctx, s, startsFor(s, cronJob, second), 0)
		s.Soon("both Jobs have ended", func(g Gomega) {
			g.Expect(jobs(s, cronJob)).To(HaveEach(HaveField("Status.Succeeded", BeEquivalentTo(1))))
			g.Expect(active(s, cronJob)).To(BeEmpty())
		})
		s.Stays("nothing is missing or unexpected", func(g Gomega) {
			g.Expect(happened(s, cronJob, "MissingJob")).To(BeEmpty())
			g.Expect(happened(s, cronJob, "UnexpectedJob")).To(BeEmpty())
		})
	})

	// #106496, #107997, #108023. Wrong: a controller that finds its Jobs by the
	// labels of the template.
	It("keeps a Job whose template has changed since", Covers(KnowsJobsByOwner, ChangedTemplate), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := ago(30*time.Minute), ago(20*time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("").Label("version", "old")), first)
		old := startsFor(s, cronJob, first)

		moveOn(ctx, s, cronJob, second, func(c *batchv1.CronJob) {
			metav1.SetMetaDataLabel(&c.Spec.JobTemplate.ObjectMeta, "version", "new")
		})
		young := startsFor(s, cronJob, second)
		Expect(young.Labels).To(HaveKeyWithValue("version", "new"))
		Expect(s.Job(old.Name).Labels).To(HaveKeyWithValue("version", "old"))
		Expect(active(s, cronJob)).To(Equal(ticks(first, second)))

		end(ctx, s, old, 0)
		s.Soon("the old Job's success is noticed", func(g Gomega) {
			g.Expect(active(s, cronJob)).To(Equal(ticks(second)))
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(Equal(s.Job(old.Name).Status.CompletionTime))
		})
	})
})

// reference is what a controller writes into status.active.
func reference(job *batchv1.Job) corev1.ObjectReference {
	return corev1.ObjectReference{
		APIVersion:      batchv1.SchemeGroupVersion.String(),
		Kind:            "Job",
		Namespace:       job.Namespace,
		Name:            job.Name,
		UID:             job.UID,
		ResourceVersion: job.ResourceVersion,
	}
}
