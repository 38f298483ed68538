package cronjob

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
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
	// ends creates a CronJob whose Job of tick ends with an exit code, and waits until that Job is
	// not active any more.
	ends := func(s *framework.Sandbox, tick time.Time, exitCode int, end batchv1.JobConditionType) (
		*framework.CronJob, *framework.Job) {
		GinkgoHelper()
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("").BackoffLimit(0)), tick)
		job := cronJob.Starts(tick)
		Expect(cronJob.Now().Status.LastSuccessfulTime).To(BeNil(), "status.lastSuccessfulTime")

		finish(s, job, exitCode)
		s.Soon("the Job is "+string(end)+" and not active", func(g Gomega) {
			g.Expect(job.Is(end)).To(BeTrue())
			cronJob.Refers(g)
		})
		return cronJob, job
	}

	// batch/v1 CronJobStatus.active: currently running jobs. Wrong: waits for the next scheduled
	// time.
	It("the controller removes a Job that has succeeded from status.active", covers.Requirements(
		FinishedLeaveActive), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob, _ := ends(s, tick, 0, batchv1.JobComplete)
		cronJob.WasScheduledLast(tick)
	})

	// Wrong: the same, for failed Jobs alone.
	It("the controller removes a Job that has failed from status.active", covers.Requirements(
		FinishedLeaveActive), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob, _ := ends(s, tick, 1, batchv1.JobFailed)
		cronJob.WasScheduledLast(tick)
	})

	// batch/v1 CronJobStatus.lastSuccessfulTime: the last time the job successfully completed.
	// Wrong: writes its own time.
	It("the controller records a Job's completion time", covers.Requirements(
		LastSuccessfulTime), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob, job := ends(s, framework.Ago(30*time.Minute), 0, batchv1.JobComplete)
		cronJob.ActsOnJobs("the success is recorded", func(g Gomega) {
			g.Expect(cronJob.Now().Status.LastSuccessfulTime).NotTo(BeNil(), "status.lastSuccessfulTime")
			g.Expect(cronJob.Now().Status.LastSuccessfulTime).To(Equal(job.Now().Status.CompletionTime),
				"status.lastSuccessfulTime")
		})
	})

	// Wrong: takes every end for a success.
	It("the controller records no success of a failed Job", covers.Requirements(
		FailureKeepsLastSuccess), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob, _ := ends(s, framework.Ago(30*time.Minute), 1, batchv1.JobFailed)
		Expect(cronJob.Now().Status.LastSuccessfulTime).To(BeNil(), "status.lastSuccessfulTime")
	})

	// The controller sees the later success first. Wrong: keeps the time that it saw last.
	It("the controller keeps the latest completion time", covers.Requirements(
		LastSuccessfulTime), unmanagedJobs, func(ctx SpecContext) {
		s := framework.New(ctx)
		schedule := puppet.Daily(framework.Ago(30 * time.Minute))
		cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("")).Schedule(schedule))
		older := s.Create(owned(unmanaged("older"), cronJob))
		newer := s.Create(owned(unmanaged("newer"), cronJob))
		// Its removal from status.active shows that the controller has seen its end.
		cronJob.ChangeStatus(func(c *batchv1.CronJob) {
			c.Status.Active = []corev1.ObjectReference{reference(older.Made())}
		})

		start := framework.Ago(time.Hour)
		setFinished(s, newer, batchv1.JobComplete, start)
		cronJob.ActsOnJobs("the success is recorded", func(g Gomega) {
			g.Expect(cronJob.Now().Status.LastSuccessfulTime).To(framework.BeAt(start.Add(time.Minute)),
				"status.lastSuccessfulTime")
		})
		setFinished(s, older, batchv1.JobComplete, start.Add(-time.Hour))
		s.Soon("no Job is active", func(g Gomega) { cronJob.Refers(g) })
		Expect(cronJob.Now().Status.LastSuccessfulTime).To(framework.BeAt(start.Add(time.Minute)),
			"status.lastSuccessfulTime")
	})

	// Wrong: goes by the type of a condition alone.
	It("the controller keeps a Job in status.active whose conditions are False", covers.Requirements(
		ActiveRefersToRunning), unmanagedJobs, func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("")).
			Schedule(puppet.Daily(framework.Ago(30 * time.Minute))))
		running, ended := s.Create(owned(unmanaged("running"), cronJob)), s.Create(owned(unmanaged("ended"), cronJob))
		running.ChangeStatus(func(j *batchv1.Job) {
			j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionFalse},
				{Type: batchv1.JobFailed, Status: corev1.ConditionFalse}}
		})
		cronJob.ChangeStatus(func(c *batchv1.CronJob) {
			c.Status.Active = []corev1.ObjectReference{reference(running.Made()), reference(ended.Made())}
		})
		setFinished(s, ended, batchv1.JobComplete, framework.Ago(time.Hour))
		listsTheOther := func(g Gomega) {
			g.Expect(activeUIDs(cronJob)).To(ConsistOf(string(running.UID)), "status.active")
		}
		s.Soon("the Job that ended has left status.active, and no other", listsTheOther)
		s.Stays("the other Job stays in status.active", listsTheOther)
	})

	// The Jobs overlap. Wrong: keeps the time of the Job that began last.
	It("the controller keeps the completion time of a Job that began first and ended last", covers.Requirements(
		LastSuccessfulTime), unmanagedJobs, func(ctx SpecContext) {
		s, begin := framework.New(ctx), framework.Ago(2*time.Hour)
		cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("")).
			Schedule(puppet.Daily(framework.Ago(30 * time.Minute))))
		long := s.Create(owned(unmanaged("long"), cronJob))
		short := s.Create(owned(unmanaged("short"), cronJob))
		// Its removal from status.active shows that the controller has seen its end.
		cronJob.ChangeStatus(func(c *batchv1.CronJob) {
			c.Status.Active = []corev1.ObjectReference{reference(short.Made())}
		})
		latest := framework.BeAt(begin.Add(90 * time.Minute))
		setRan(s, long, batchv1.JobComplete, begin, 90*time.Minute)
		cronJob.ActsOnJobs("the success is recorded", func(g Gomega) {
			g.Expect(cronJob.Now().Status.LastSuccessfulTime).To(latest, "status.lastSuccessfulTime")
		})
		setRan(s, short, batchv1.JobComplete, begin.Add(30*time.Minute), 30*time.Minute)
		s.Soon("no Job is active", func(g Gomega) { cronJob.Refers(g) })
		Expect(cronJob.Now().Status.LastSuccessfulTime).To(latest, "status.lastSuccessfulTime")
	})

	// Nothing but the new owner can wake the controller. Wrong: panics, or looks at the owner that a
	// Job had first.
	It("the controller records the completion time of a Job that it becomes the owner of later", covers.Requirements(
		LastSuccessfulTime, KnowsJobsByOwner), unmanagedJobs, func(ctx SpecContext) {
		s := framework.New(ctx)
		schedule := puppet.Daily(framework.Ago(30 * time.Minute))
		cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("")).Schedule(schedule))
		start := framework.Ago(time.Hour)
		setFinished(s, s.Create(owned(unmanaged("first"), cronJob)), batchv1.JobComplete, start.Add(-time.Hour))
		later := s.Create(unmanaged("later"))
		setFinished(s, later, batchv1.JobComplete, start)
		records := func(g Gomega, at time.Time) {
			g.Expect(cronJob.Now().Status.LastSuccessfulTime).To(framework.BeAt(at.Add(time.Minute)),
				"status.lastSuccessfulTime")
		}
		cronJob.ActsOnJobs("the first success is recorded", func(g Gomega) { records(g, start.Add(-time.Hour)) })
		s.Stays("the other Job is not the CronJob's", func(g Gomega) { records(g, start.Add(-time.Hour)) })
		later.Change(func(j *batchv1.Job) {
			j.OwnerReferences = owned(unmanaged("later"), cronJob).Obj().OwnerReferences
		})
		cronJob.ActsOnJobs("the later success is recorded", func(g Gomega) { records(g, start) })
	})

	// #118530: kubectl create job --from=cronjob/a.
	It("the controller records the success of a Job that a user created for the CronJob", covers.Requirements(
		ManualJobSucceeds), func(ctx SpecContext) {
		s := framework.New(ctx)
		schedule := puppet.Daily(framework.Ago(30 * time.Minute))
		cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("")).Schedule(schedule))
		job := s.Create(owned(puppet.Job("by-hand").ExitCodes("0"), cronJob))

		cronJob.ActsOnJobs("the success is recorded", func(g Gomega) {
			g.Expect(cronJob.Now().Status.LastSuccessfulTime).NotTo(BeNil(), "status.lastSuccessfulTime")
			g.Expect(cronJob.Now().Status.LastSuccessfulTime).To(Equal(job.Now().Status.CompletionTime),
				"status.lastSuccessfulTime")
		})
		cronJob.WasScheduledLast(time.Time{})
	})

	// Wrong: keeps the reference until the next scheduled time.
	It("the controller removes a Job that a user has deleted from status.active", covers.Requirements(
		DeletedLeaveActive), covers.MayShow(upstream.StartedAgain), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		cronJob.Starts(tick).Delete()
		s.Soon("no Job is active", func(g Gomega) { cronJob.Refers(g) })
	})

	// Wrong: starts the Job again.
	It("the controller does not start a Job again that a user has deleted", covers.Requirements(
		DeletedLeaveActive), covers.MayShow(upstream.StartedAgain), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		job := cronJob.Starts(tick)

		job.Delete()
		cronJob.ActsOnJobs("no Job is active", func(g Gomega) { cronJob.Refers(g) })
		s.Stays("no other Job is started", func(g Gomega) {
			g.Expect(cronJob.Started()).To(Equal(framework.Times(tick)))
		})
		Expect(cronJob.Now().Status.LastSuccessfulTime).To(BeNil(), "status.lastSuccessfulTime")
	})

	// #120649: this is the status after a crash between the creation of a Job and the write of the
	// status. Wrong: starts the Job twice, or looks for it in no namespace, as upstream's did up to
	// 1.36 (#136918).
	It("the controller adds a missing running Job to status.active", covers.Requirements(
		TakesUpLostJob), covers.Shows(upstream.LostStart), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		job := cronJob.Starts(tick)
		runningPod(s, job)

		before := tick.Add(-4 * time.Minute)
		cronJob.ChangeStatus(func(c *batchv1.CronJob) {
			c.Status.Active = nil
			c.Status.LastScheduleTime = ptr.To(metav1.NewTime(before))
		})
		s.Soon("the history has the changed status", func(g Gomega) {
			g.Expect(s.History().CronJobs("a")).To(ContainElement(
				HaveField("CronJob().Status.LastScheduleTime", framework.BeAt(before))))
		})
		s.Soon("the Job is active again", func(g Gomega) {
			g.Expect(cronJob.Active()).To(Equal(framework.Times(tick)))
		})
		Expect(cronJob.Jobs()).To(HaveExactElements(HaveField("UID", job.UID)))
	})

	// Somebody has restored an older lastScheduleTime. Wrong: goes by that alone, and replaces the
	// Job by itself.
	It("the controller leaves a running Job alone whose scheduled time is due again", covers.Requirements(
		OneJobPerTime), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ReplaceConcurrent), tick)
		job := cronJob.Starts(tick)
		cronJob.SetLastScheduleTime(framework.LastBefore(tick))
		s.Stays("the Job is active once", func(g Gomega) {
			cronJob.Refers(g, tick)
			g.Expect(s.Jobs()).To(ConsistOf(And(HaveField("UID", job.UID), HaveField("DeletionTimestamp", BeNil()))))
			g.Expect(s.CreatedJobs()).To(HaveLen(1))
		})
	})

	// Wrong: does not know the Jobs that it has just started.
	It("the controller emits no MissingJob or UnexpectedJob for Jobs that it started", covers.Requirements(
		NoFalseEvents), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), first)
		finish(s, cronJob.Starts(first), 0)
		cronJob.NextDue(second)
		finish(s, cronJob.Starts(second), 0)
		s.Soon("both Jobs have succeeded, and none is active", func(g Gomega) {
			g.Expect(cronJob.Jobs()).To(HaveEach(HaveField("Status.Succeeded", BeEquivalentTo(1))))
			cronJob.Refers(g)
		})
		s.Stays("there is no MissingJob and no UnexpectedJob", func(g Gomega) {
			g.Expect(events(s, cronJob, "MissingJob")).To(BeEmpty())
			g.Expect(events(s, cronJob, "UnexpectedJob")).To(BeEmpty())
		})
	})

	// #106496, #107997, #108023. Wrong: finds its Jobs by the labels of the template.
	It("a running Job stays active when the labels of the template change", covers.Requirements(
		KnowsJobsByOwner), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("").Label("version", "old")), first)
		old := cronJob.Starts(first)

		cronJob.NextDue(second, func(c *batchv1.CronJob) {
			metav1.SetMetaDataLabel(&c.Spec.JobTemplate.ObjectMeta, "version", "new")
		})
		cronJob.Starts(second)
		cronJob.RefersOnlyTo(first, second)

		finish(s, old, 0)
		s.Soon("only the new Job is active", func(g Gomega) {
			cronJob.Refers(g, second)
		})
	})

	// Wrong: keeps the template that it has seen first, or changes the running Job.
	It("the next Job follows a changed template, and a running one does not", covers.Requirements(
		ChangedTemplate), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("").BackoffLimit(1)), first)
		old := cronJob.Starts(first)

		cronJob.NextDue(second, func(c *batchv1.CronJob) {
			c.Spec.JobTemplate.Spec.BackoffLimit = ptr.To[int32](2)
		})
		Expect(cronJob.Starts(second).Made().Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(2)), "spec.backoffLimit")
		Expect(old.Now().Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(1)), "spec.backoffLimit")
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

	It("the controller emits SuccessfulCreate and SawCompletedJob for a Job", covers.Requirements(
		EventsForStartAndEnd), framework.SendsEvents, func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		job := cronJob.Starts(tick)
		emits(s, cronJob, "SuccessfulCreate", HaveField("Message", ContainSubstring(job.Name)))

		finish(s, job, 0)
		emits(s, cronJob, "SawCompletedJob", HaveField("Message", ContainSubstring(job.Name)))
	})

	It("the controller emits SuccessfulDelete for a Job beyond the history limit", covers.Requirements(
		EventForDeletedJob), framework.SendsEvents, func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0), tick)
		job := cronJob.Starts(tick)
		finish(s, job, 0)
		emits(s, cronJob, "SuccessfulDelete", HaveField("Message", ContainSubstring(job.Name)))
	})

	It("the controller emits JobAlreadyActive while the policy Forbid prevents a start", covers.Requirements(
		EventForForbidden), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent), tick)
		cronJob.Starts(tick)
		cronJob.NextDue(tick.Add(10 * time.Minute))
		emits(s, cronJob, "JobAlreadyActive")
	})

	It("the controller warns of more than 100 missed times", covers.Requirements(
		WarnsOfManyMissedTimes), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		hourly := puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick))
		cronJob := s.Scheduled(hourly, tick.Add(-200*time.Hour))
		emits(s, cronJob, "TooManyMissedTimes", HaveField("Type", "Warning"))
	})

	It("the controller counts missed times only within the starting deadline", covers.Requirements(
		NoWarningWithinDeadline), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		hourly := puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick)).StartingDeadlineSeconds(5000)
		cronJob := s.Scheduled(hourly, tick.Add(-200*time.Hour))
		cronJob.Starts(tick)
		s.Stays("there is no warning", func(g Gomega) {
			g.Expect(events(s, cronJob, "TooManyMissedTimes")).To(BeEmpty())
		})
	})

	It("the controller emits MissingJob and UnexpectedJob", covers.Requirements(
		EventsForMissingAndUnexpected), covers.MayShow(upstream.StartedAgain), framework.SendsEvents, func(
		ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		job := cronJob.Starts(tick)
		job.Delete()
		emits(s, cronJob, "MissingJob")
		s.Create(owned(puppet.Job("by-hand"), cronJob))
		emits(s, cronJob, "UnexpectedJob", HaveField("Type", "Warning"))
	})
})
