package cronjob

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ref "k8s.io/client-go/tools/reference"
	"k8s.io/utils/ptr"
)

var _ = Describe("CronJob status:", behaviour.Schedule, func() {
	// ends returns a sandbox with a CronJob whose Job has ended with an exit code, and is not
	// active any more.
	ends := func(ctx context.Context, exitCode int, end batchv1.JobConditionType) (*framework.Sandbox, *batchv1.Job, time.Time) {
		GinkgoHelper()
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("").BackoffLimit(0)))
		job := Starts(s, cronJob, tick)
		Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeNil())

		finish(ctx, s, job, exitCode)
		s.Soon("the Job is "+string(end)+" and not active", func(g Gomega) {
			g.Expect(framework.Is(s.Job(job.Name), end)).To(BeTrue())
			g.Expect(Active(s, cronJob)).To(BeEmpty())
		})
		return s, s.Job(job.Name), tick
	}

	// batch/v1 CronJobStatus.active: currently running jobs. Wrong: a controller that waits for
	// the next scheduled time.
	It("the controller removes a Job that has succeeded from status.active", Covers(FinishedLeaveActive), func(ctx SpecContext) {
		s, _, tick := ends(ctx, 0, batchv1.JobComplete)
		Expect(s.CronJob("a").Status.LastScheduleTime).To(BeAt(tick))
	})

	// Wrong: the same, for failed Jobs alone.
	It("the controller removes a Job that has failed from status.active", Covers(FinishedLeaveActive), func(ctx SpecContext) {
		s, _, tick := ends(ctx, 1, batchv1.JobFailed)
		Expect(s.CronJob("a").Status.LastScheduleTime).To(BeAt(tick))
	})

	// batch/v1 CronJobStatus.lastSuccessfulTime: the last time the job successfully
	// completed. Wrong: a controller that writes its own time.
	It("the controller records a Job's completion time", Covers(LastSuccessfulTime), func(ctx SpecContext) {
		s, job, _ := ends(ctx, 0, batchv1.JobComplete)
		s.Soon("the success is recorded", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(Equal(job.Status.CompletionTime))
		})
	})

	// Wrong: a controller for which every end is a success.
	It("the controller records no success of a failed Job", Covers(FailureKeepsLastSuccess), func(ctx SpecContext) {
		s, _, _ := ends(ctx, 1, batchv1.JobFailed)
		Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeNil())
	})

	// The controller sees the later success first. Wrong: a controller that keeps
	// the time that it saw last.
	It("the controller keeps the latest completion time", Covers(LastSuccessfulTime), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := framework.Create(s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(Ago(30*time.Minute))).Obj())
		older := framework.Create(s, owned(unmanaged("older"), cronJob).Obj())
		newer := framework.Create(s, owned(unmanaged("newer"), cronJob).Obj())
		// Its removal from status.active shows that the controller has seen its end.
		framework.ChangeStatus(s, cronJob, func(c *batchv1.CronJob) { c.Status.Active = []corev1.ObjectReference{reference(older)} })

		start := Ago(time.Hour)
		setFinished(ctx, s, newer, batchv1.JobComplete, start)
		s.Soon("the success is recorded", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeAt(start.Add(time.Minute)))
		})
		setFinished(ctx, s, older, batchv1.JobComplete, start.Add(-time.Hour))
		s.Soon("no Job is active", func(g Gomega) { g.Expect(Active(s, cronJob)).To(BeEmpty()) })
		Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeAt(start.Add(time.Minute)))
	})

	// Nothing but the new owner can wake the controller. Wrong: panics, or looks at the owner that a
	// Job had first.
	It("the controller records the completion time of a Job that it becomes the owner of later", Covers(LastSuccessfulTime, KnowsJobsByOwner), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := framework.Create(s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(Ago(30*time.Minute))).Obj())
		start := Ago(time.Hour)
		setFinished(ctx, s, framework.Create(s, owned(unmanaged("first"), cronJob).Obj()), batchv1.JobComplete, start.Add(-time.Hour))
		setFinished(ctx, s, framework.Create(s, unmanaged("later").Obj()), batchv1.JobComplete, start)
		records := func(g Gomega, at time.Time) {
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeAt(at.Add(time.Minute)))
		}
		s.Soon("the first success is recorded", func(g Gomega) { records(g, start.Add(-time.Hour)) })
		s.Stays("the other Job is not the CronJob's", func(g Gomega) { records(g, start.Add(-time.Hour)) })
		framework.Change(s, s.Job("later"), func(j *batchv1.Job) {
			j.OwnerReferences = owned(unmanaged("later"), cronJob).Obj().OwnerReferences
		})
		s.Soon("the later success is recorded", func(g Gomega) { records(g, start) })
	})

	// #118530: kubectl create job --from=cronjob/a.
	It("the controller records the success of a Job that a user created for the CronJob", Covers(ManualJobSucceeds), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := framework.Create(s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(Ago(30*time.Minute))).Obj())
		job := framework.Create(s, owned(puppet.Job("by-hand").ExitCodes("0"), cronJob).Obj())

		s.Soon("the success is recorded", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(Equal(s.Job(job.Name).Status.CompletionTime))
		})
		Expect(s.CronJob("a").Status.LastScheduleTime).To(BeNil())
	})

	// Wrong: a controller that starts the Job again, or keeps the reference.
	It("the controller does not start a Job again that a user has deleted", Covers(DeletedLeaveActive), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("")))
		job := Starts(s, cronJob, tick)

		s.Delete(&job)
		s.Soon("no Job is active", func(g Gomega) { g.Expect(Active(s, cronJob)).To(BeEmpty()) })
		s.Stays("no other Job is started", func(g Gomega) { g.Expect(Started(s, cronJob)).To(Equal(Times(tick))) })
		Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeNil())
	})

	// #120649: this is the status after a crash between the creation of a Job and the
	// write of the status. Wrong: a controller that starts the Job twice, or looks for
	// it in no namespace, as upstream's did up to 1.36 (#136918).
	It("the controller adds a missing running Job to status.active", Covers(TakesUpLostJob), Shows(upstream.LostStart), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("")))
		job := Starts(s, cronJob, tick)
		runningPod(s, job)

		before := tick.Add(-4 * time.Minute)
		framework.ChangeStatus(s, s.CronJob("a"), func(c *batchv1.CronJob) {
			c.Status.Active = nil
			c.Status.LastScheduleTime = ptr.To(metav1.NewTime(before))
		})
		s.Soon("the history has the changed status", func(g Gomega) {
			g.Expect(s.History().CronJobs("a")).To(ContainElement(
				HaveField("CronJob().Status.LastScheduleTime", BeAt(before))))
		})
		Starts(s, cronJob, tick)
		Expect(JobsOf(s, cronJob)).To(HaveExactElements(HaveField("UID", job.UID)))
	})

	// Somebody has restored an older lastScheduleTime. Wrong: a controller that goes by that alone, and
	// replaces the Job by itself.
	It("the controller leaves a running Job alone whose scheduled time is due again", Covers(OneJobPerTime), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ReplaceConcurrent))
		job := Starts(s, cronJob, tick)
		SetLastScheduleTime(ctx, s, s.CronJob("a"), LastBefore(tick))
		s.Stays("the Job is active once", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.Active).To(ConsistOf(HaveField("UID", job.UID)))
			g.Expect(s.Jobs()).To(ConsistOf(And(HaveField("UID", job.UID), HaveField("DeletionTimestamp", BeNil()))))
			g.Expect(CreatedJobs(s)).To(HaveLen(1))
		})
	})

	// Wrong: a controller that does not know the Jobs that it has just started.
	It("the controller emits no MissingJob or UnexpectedJob for Jobs that it started", Covers(NoFalseEvents), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := Ago(30*time.Minute), Ago(20*time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), first)
		finish(ctx, s, Starts(s, cronJob, first), 0)
		NextDue(ctx, s, cronJob, second)
		finish(ctx, s, Starts(s, cronJob, second), 0)
		s.Soon("both Jobs have succeeded, and none is active", func(g Gomega) {
			g.Expect(JobsOf(s, cronJob)).To(HaveEach(HaveField("Status.Succeeded", BeEquivalentTo(1))))
			g.Expect(Active(s, cronJob)).To(BeEmpty())
		})
		s.Stays("there is no MissingJob and no UnexpectedJob", func(g Gomega) {
			g.Expect(events(s, cronJob, "MissingJob")).To(BeEmpty())
			g.Expect(events(s, cronJob, "UnexpectedJob")).To(BeEmpty())
		})
	})

	// #106496, #107997, #108023. Wrong: a controller that finds its Jobs by the
	// labels of the template.
	It("a running Job stays active and unchanged when the template changes", Covers(KnowsJobsByOwner, ChangedTemplate), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := Ago(30*time.Minute), Ago(20*time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("").Label("version", "old")), first)
		old := Starts(s, cronJob, first)

		NextDue(ctx, s, cronJob, second, func(c *batchv1.CronJob) {
			metav1.SetMetaDataLabel(&c.Spec.JobTemplate.ObjectMeta, "version", "new")
		})
		young := Starts(s, cronJob, second)
		Expect(young.Labels).To(HaveKeyWithValue("version", "new"))
		Expect(s.Job(old.Name).Labels).To(HaveKeyWithValue("version", "old"))
		Expect(Active(s, cronJob)).To(Equal(Times(first, second)))

		finish(ctx, s, old, 0)
		s.Soon("only the new Job is active", func(g Gomega) { g.Expect(Active(s, cronJob)).To(Equal(Times(second))) })
	})
})

// reference returns the reference that a controller writes to status.active.
func reference(job *batchv1.Job) corev1.ObjectReference {
	GinkgoHelper()
	to, err := ref.GetReference(scheme.Scheme, job)
	Expect(err).NotTo(HaveOccurred())
	return *to
}

// No controller has to emit these events, but users look for them.
var _ = Describe("CronJob events:", behaviour.Schedule, func() {

	It("the controller emits SuccessfulCreate and SawCompletedJob for a Job", Covers(EventsForStartAndEnd), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("")))
		job := Starts(s, cronJob, tick)
		emits(s, cronJob, "SuccessfulCreate", HaveField("Message", ContainSubstring(job.Name)))

		finish(ctx, s, job, 0)
		emits(s, cronJob, "SawCompletedJob", HaveField("Message", ContainSubstring(job.Name)))
	})

	It("the controller emits SuccessfulDelete for a Job beyond the history limit", Covers(EventForDeletedJob), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0))
		job := Starts(s, cronJob, tick)
		finish(ctx, s, job, 0)
		emits(s, cronJob, "SuccessfulDelete", HaveField("Message", ContainSubstring(job.Name)))
	})

	It("the controller emits JobAlreadyActive while the policy Forbid prevents a start", Covers(EventForForbidden), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent))
		Starts(s, cronJob, tick)
		NextDue(ctx, s, cronJob, tick.Add(10*time.Minute))
		emits(s, cronJob, "JobAlreadyActive")
	})

	It("the controller warns of more than 100 missed times", Covers(WarnsOfManyMissedTimes), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick)), tick.Add(-200*time.Hour))
		emits(s, cronJob, "TooManyMissedTimes", HaveField("Type", "Warning"))
	})

	It("the controller counts missed times only within the starting deadline", Covers(NoWarningWithinDeadline), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick)).StartingDeadlineSeconds(5000), tick.Add(-200*time.Hour))
		Starts(s, cronJob, tick)
		s.Stays("there is no warning", func(g Gomega) { g.Expect(events(s, cronJob, "TooManyMissedTimes")).To(BeEmpty()) })
	})

	It("the controller emits MissingJob and UnexpectedJob", Covers(EventsForMissingAndUnexpected), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("")))
		job := Starts(s, cronJob, tick)
		s.Delete(&job)
		emits(s, cronJob, "MissingJob")
		framework.Create(s, owned(puppet.Job("by-hand"), cronJob).Obj())
		emits(s, cronJob, "UnexpectedJob", HaveField("Type", "Warning"))
	})
})
