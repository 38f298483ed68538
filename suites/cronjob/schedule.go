package cronjob

import (
	"fmt"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

var _ = Describe("CronJob schedule:", behaviour.Schedule, func() {
	// Wrong: starts another Job at each sync.
	It("the controller starts exactly one Job for a scheduled time", covers.Requirements(
		StartsOnSchedule, OneJobPerTime, ActiveRefersToRunning, QuietCronStatus), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)

		cronJob.Starts(tick)
		cronJob.KeepsRunning(tick)
		// Wrong: writes the same status again.
		Expect(len(s.History().CronJobs("a"))).To(BeNumerically("<=", 10), "revisions of the CronJob")
	})

	// This takes up to a minute. Wrong: syncs a CronJob only when it or its Jobs change.
	It("the controller starts a Job on time although no object changes", Label("slow"), covers.Requirements(
		NoticesTimeAlone), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("")).Schedule("* * * * *"))
		tick := cronJob.Made().CreationTimestamp.UTC().Truncate(time.Minute).Add(time.Minute)

		s.SoonAfter(time.Until(tick), "a Job is started", func(g Gomega) { g.Expect(cronJob.Jobs()).NotTo(BeEmpty()) })
		first := cronJob.Jobs()[0]
		Expect(s.ScheduledTime(first)).To(Equal(framework.Times(tick)[0]))
		Expect(first.CreationTimestamp.Time).NotTo(BeTemporally("<", tick))
	})

	// batch/v1 JobTemplateSpec: standard object's metadata of the jobs created from this template.
	// Wrong: copies the spec alone, or the CronJob's own metadata.
	It("the controller creates a Job from the template", covers.Requirements(
		JobFollowsTemplate), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		template := puppet.Job("").Label("team", "blue").Parallelism(2).Completions(3).BackoffLimit(4).
			Puppet(map[string]string{"example.com/pod": "p"})
		cronJob := s.Due(puppet.CronJob("a", template).With(func(c *batchv1.CronJob) {
			metav1.SetMetaDataLabel(&c.ObjectMeta, "own", "label")
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, "example.com/own", "annotation")
			metav1.SetMetaDataAnnotation(&c.Spec.JobTemplate.ObjectMeta, "example.com/job", "j")
		}), tick)

		job := cronJob.Starts(tick).Made()
		Expect(job.Labels).To(And(HaveKeyWithValue("team", "blue"), Not(HaveKey("own"))))
		Expect(job.Annotations).To(And(
			HaveKeyWithValue("example.com/job", "j"),
			Not(HaveKey("example.com/own"))))
		Expect(job.Spec.Parallelism).To(HaveValue(BeEquivalentTo(2)), "spec.parallelism")
		Expect(job.Spec.Completions).To(HaveValue(BeEquivalentTo(3)), "spec.completions")
		Expect(job.Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(4)), "spec.backoffLimit")
		Expect(job.Spec.Template.Annotations).To(HaveKeyWithValue("example.com/pod", "p"),
			"spec.template.metadata.annotations")
		// Defaults are those of a Job: a custom resource has none in its template.
		want := &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "b"},
			Spec:       *cronJob.Made().Spec.JobTemplate.Spec.DeepCopy(),
		}
		Expect(s.Client.Create(ctx, want, client.DryRunAll)).To(Succeed())
		Expect(job.Spec.Template.Spec.Containers).To(Equal(want.Spec.Template.Spec.Containers),
			"spec.template.spec.containers")
	})

	It("the Job's controller is its CronJob", covers.Requirements(CronJobOwnsJob), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		Expect(cronJob.Starts(tick).Made().OwnerReferences).To(Equal([]metav1.OwnerReference{{
			APIVersion: "batch/v1", Kind: "CronJob", Name: "a", UID: cronJob.UID,
			Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
		}}))
	})

	// A CronJob's name has at most 52 characters, because its controller appends 11:
	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#cron-job-limitations
	It("the controller starts a Job for a CronJob with a name of 52 characters", covers.Requirements(
		JobNameFollowsCronJob), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob(strings.Repeat("n", 52), puppet.Job("")), tick)
		Expect(cronJob.Starts(tick).Name).To(HavePrefix(cronJob.Name))
	})

	// batch/v1 CronJobStatus.lastScheduleTime. Wrong: counts times before the CronJob's creation as
	// missed, or starts a Job at once.
	It("the controller starts no Job for times before the CronJob's creation", covers.Requirements(
		NotBeforeCreation), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)))
		created := s.Recorder.Position()
		witness := s.Due(puppet.CronJob("witness", puppet.Job("")), tick)

		witness.Starts(tick)
		s.StaysSince(created, "no Job is started", func(g Gomega) {
			g.Expect(cronJob.Started()).To(BeEmpty())
			g.Expect(cronJob.Now().Status).To(Equal(batchv1.CronJobStatus{}), "status")
		})
	})

	// The Job is gone, and only the status still records its scheduled time.
	It("the controller starts no second Job for the time in lastScheduleTime", covers.Requirements(
		NotBeforeLastSchedule), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)), tick)
		witness := s.Due(puppet.CronJob("witness", puppet.Job("")), tick)

		witness.Starts(tick)
		cronJob.KeepsRunning()
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#job-creation.
	// Wrong: starts a Job for every missed time, or for the first.
	It("the controller starts a Job only for the latest of several missed times", covers.Requirements(
		LatestMissedOnly, LastScheduleTime), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		hourly := puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick))
		cronJob := s.Scheduled(hourly, tick.Add(-5*time.Hour))

		cronJob.Starts(tick)
		cronJob.KeepsRunning(tick)
	})

	// #118724. Wrong: takes all missed times to be as far apart as the first two. Those are 22
	// hours apart, and the next two are 2.
	It("the controller starts a Job for the latest of unevenly spaced missed times", covers.Requirements(
		LatestMissedOnly, LastScheduleTime), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		schedule := fmt.Sprintf("%d %d,%d * * *", tick.Minute(), tick.Add(-2*time.Hour).Hour(), tick.Hour())
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule(schedule), tick.Add(-25*time.Hour))

		cronJob.Starts(tick)
		cronJob.KeepsRunning(tick)
	})

	// #42649, #45825. Wrong: gives up at a hundred, as all did before 1.21.
	It("the controller starts a Job for the latest of more than 100 missed times", covers.Requirements(
		ManyMissedTimes), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		hourly := puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick))
		cronJob := s.Scheduled(hourly, tick.Add(-200*time.Hour))

		cronJob.Starts(tick)
		Expect(cronJob.Existing()).To(Equal(framework.Times(tick)))
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#starting-deadline:
	// the controller counts how many missed Jobs occurred within the deadline. Wrong: as before.
	It("the controller starts a Job although more than 100 times were missed before the starting deadline",
		covers.Requirements(DeadlineLimitsMissedTimes), func(ctx SpecContext) {
			s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
			hourly := puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick)).StartingDeadlineSeconds(5000)
			cronJob := s.Scheduled(hourly, tick.Add(-200*time.Hour))

			cronJob.Starts(tick)
			cronJob.KeepsRunning(tick)
		})

	// batch/v1 CronJobSpec.startingDeadlineSeconds: deadline for starting the job
	// if it misses scheduled time for any reason.
	It("the controller starts a Job within its starting deadline, and none after it", covers.Requirements(
		StartsWithinDeadline, NotAfterDeadline), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		late := s.Due(puppet.CronJob("late", puppet.Job("")).StartingDeadlineSeconds(60), tick)
		early := s.Due(puppet.CronJob("early", puppet.Job("")).StartingDeadlineSeconds(3600), tick)

		early.Starts(tick)
		late.KeepsRunning()
	})

	// batch/v1 CronJobSpec.suspend;
	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-suspension:
	// executions that are suspended count as missed; without a starting deadline
	// they are scheduled immediately.
	It("the controller starts a missed Job when the CronJob is resumed, not before", covers.Requirements(
		SuspendedStartsNothing, ResumeStartsMissed), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).Suspend(), tick)
		cronJob.KeepsRunning()

		cronJob.Resume()
		cronJob.Starts(tick)
	})

	// The same page: "for CronJobs without a starting deadline". Wrong: starts all missed Jobs.
	It("the controller starts no Job when the CronJob is resumed after the starting deadline", covers.Requirements(
		ResumeKeepsDeadline), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		late := s.Due(puppet.CronJob("late", puppet.Job("")).StartingDeadlineSeconds(60).Suspend(), tick)
		witness := s.Due(puppet.CronJob("witness", puppet.Job("")).Suspend(), tick)
		late.Resume()
		witness.Resume()

		witness.Starts(tick)
		late.KeepsRunning()
	})

	// batch/v1 CronJobSpec.suspend: it does not apply to already started executions. Wrong:
	// suspends or forgets the Job.
	It("a running Job finishes although its CronJob is suspended", covers.Requirements(
		SuspensionLeavesJobs), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		job := cronJob.Starts(tick)
		runningPod(s, job)

		cronJob.Suspend()
		finish(s, job, 0)
		job.Becomes(batchv1.JobComplete)
		cronJob.ActsOnJobs("the Job is not active", func(g Gomega) {
			g.Expect(cronJob.Now().Status.Active).NotTo(ContainElement(HaveField("UID", job.UID)), "status.active")
		})
	})

	// india creates a CronJob that has missed the time of tick in India. In any other zone, none of its
	// Jobs is due. India has no daylight saving time.
	india := func(s *framework.Sandbox, tick time.Time) (*framework.CronJob, time.Time) {
		GinkgoHelper()
		local := tick.In(time.FixedZone("", 5*3600+1800))
		return s.Scheduled(puppet.CronJob("a", puppet.Job("")).
			Schedule(fmt.Sprintf("%d %d * * *", local.Minute(), local.Hour())).TimeZone("Asia/Kolkata"),
			framework.LastBefore(tick)), local
	}

	// batch/v1 CronJobSpec.timeZone. Wrong: reads the schedule in UTC.
	It("the controller follows the schedule in the CronJob's time zone", covers.Requirements(
		ScheduleInTimeZone), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob, _ := india(s, tick)
		cronJob.Starts(tick)
	})

	// KEP-4026. Wrong: writes the time in UTC.
	It("the controller writes a Job's scheduled time in the CronJob's time zone", covers.Requirements(
		AnnotationInTimeZone), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob, local := india(s, tick)
		Expect(cronJob.Starts(tick).Made().Annotations).To(HaveKeyWithValue(
			batchv1.CronJobScheduledTimestampAnnotation, local.Format(time.RFC3339)))
	})

	// In UTC, the scheduled time is hours ahead. Wrong: keeps the zone that it saw first.
	It("the controller follows the schedule in a changed time zone", covers.Requirements(
		ChangedTimeZone), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		local := tick.In(time.FixedZone("", 5*3600+1800))
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), local.Add(5*time.Hour+30*time.Minute))
		witness := s.Due(puppet.CronJob("witness", puppet.Job("")), tick)
		witness.Starts(tick)
		Expect(cronJob.Existing()).To(BeEmpty())

		cronJob.Change(func(c *batchv1.CronJob) {
			c.Spec.Suspend, c.Spec.TimeZone = ptr.To(true), ptr.To("Asia/Kolkata")
		})
		cronJob.SetLastScheduleTime(framework.LastBefore(tick))
		cronJob.Resume()
		cronJob.Starts(tick)
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax:
	// "0 0 13 * 5" is every Friday as well as the 13th of each month. Wrong: wants both.
	It("the controller starts a Job on a weekday as well as on a day of the month", covers.Requirements(
		DayOrWeekday), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		schedule := fmt.Sprintf("%d %d %d * %s",
			tick.Minute(), tick.Hour(), tick.AddDate(0, 0, 10).Day(), tick.Weekday().String()[:3])
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule(schedule), framework.LastBefore(tick))

		cronJob.Starts(tick)
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
	It("the controller starts the Job of an @yearly schedule on 1 January", covers.Requirements(
		ScheduleMacros), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := time.Date(framework.Ago(0).Year(), time.January, 1, 0, 0, 0, 0, time.UTC)
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule("@yearly"), tick.Add(-time.Hour))

		cronJob.Starts(tick)
	})

	// #41655. There is no 30 February; the API server accepts it. Wrong: searches for ever, or
	// never syncs the other CronJobs.
	It("the controller starts Jobs although another CronJob's schedule has no time", covers.Requirements(
		ImpossibleSchedule), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		never := s.Scheduled(puppet.CronJob("never", puppet.Job("")).Schedule("0 0 30 2 *"), tick.AddDate(-6, 0, 0))
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)

		cronJob.Starts(tick)
		Expect(never.Existing()).To(BeEmpty())
	})

	// The API server accepts 30 February. Wrong: leaves such a CronJob alone from then on.
	It("the controller starts the Jobs of a CronJob whose schedule had no time for a while", covers.Requirements(
		ChangedSchedule), func(ctx SpecContext) {
		s, first, second := framework.New(ctx), framework.Ago(2*time.Hour), framework.Ago(time.Hour)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), first)
		cronJob.Starts(first)
		cronJob.Change(func(c *batchv1.CronJob) { c.Spec.Schedule = "0 0 30 2 *" })
		s.Due(puppet.CronJob("witness", puppet.Job("")), second).Starts(second)
		Expect(cronJob.Started()).To(Equal(framework.Times(first)))

		cronJob.NextDue(second)
		cronJob.Starts(second)
	})

	// The Job has the name that upstream's controller would give, or that of the dialect; a
	// controller that gives other names starts its own. Wrong: takes the Job for its own, or exits.
	It("the controller does not adopt a Job that has the name of its next Job", covers.Requirements(
		LeavesForeignJobs), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		foreign := s.Create(puppet.Job(s.JobName("a", tick)))
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		witness := s.Due(puppet.CronJob("witness", puppet.Job("")), tick)

		witness.Starts(tick)
		s.Stays("the Job never has an owner and is never active", func(g Gomega) {
			g.Expect(s.History().Jobs(foreign.Name)).To(HaveEach(HaveField("Job().OwnerReferences", BeEmpty())))
			g.Expect(s.History().CronJobs("a")).NotTo(ContainElement(
				HaveField("CronJob().Status.Active", ContainElement(HaveField("UID", foreign.UID)))))
		})
		Expect(foreign.Now().UID).To(Equal(foreign.UID))
		Expect(cronJob.Existing()).To(BeElementOf(framework.Times(), framework.Times(tick)))
	})

	// Without a starting deadline it is never too late. Wrong: tries once.
	It("the controller starts a Job as soon as a quota allows it", covers.Requirements(
		RetriesToStartAJob), framework.Needs(spec.ResourceQuotas), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		quota := s.Refuse(puppet.Job("refused").Obj(), "count/jobs.batch")
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		cronJob.KeepsRunning()

		s.Delete(quota)
		cronJob.Starts(tick)
	})

	// Wrong: looks for its Jobs by name, or by the template's labels.
	It("the controller does not mix up Jobs of CronJobs with the same template", covers.Requirements(
		KeepsCronJobsApart), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		template := func() *puppet.JobBuilder { return puppet.Job("").Label("app", "same") }
		one := s.Due(puppet.CronJob("a", template()), tick)
		two := s.Due(puppet.CronJob("a-1", template()), tick)

		due := s.Recorder.Position()
		job, other := one.Starts(tick), two.Starts(tick)
		finish(s, job, 0)
		s.Soon("the Job of one CronJob is not active", func(g Gomega) { one.Refers(g) })
		two.RefersOnlyTo(tick)
		s.StaysSince(due, "no CronJob refers to the Job of the other", func(g Gomega) {
			g.Expect(one.Now().Status.Active).NotTo(ContainElement(HaveField("UID", other.UID)), "status.active")
			g.Expect(two.Now().Status.Active).NotTo(ContainElement(HaveField("UID", job.UID)), "status.active")
		})
		Expect(two.Now().Status.LastSuccessfulTime).To(BeNil(), "status.lastSuccessfulTime")
	})

	// A finalizer keeps the CronJob, as in foreground deletion, in which its Jobs are
	// deleted first.
	It("the controller starts no Job for a CronJob that is being deleted", covers.Requirements(
		NoJobsWhileBeingDeleted), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)).
			With(func(c *batchv1.CronJob) { c.Finalizers = []string{finalizer} }))
		cronJob.Delete()
		cronJob.SetLastScheduleTime(framework.LastBefore(tick))
		witness := s.Due(puppet.CronJob("witness", puppet.Job("")), tick)

		s.Soon("the witness has its Job", func(g Gomega) {
			g.Expect(witness.Existing()).To(Equal(framework.Times(tick)))
		})
		cronJob.KeepsRunning()
		cronJob.Change(func(c *batchv1.CronJob) { controllerutil.RemoveFinalizer(c, finalizer) })
	})

	// As in foreground deletion. Wrong: does nothing about a CronJob that is being deleted.
	It("a Job that finishes is not active, although its CronJob is being deleted", covers.Requirements(
		FinishedLeaveActive), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).
			With(func(c *batchv1.CronJob) { c.Finalizers = []string{finalizer} }), tick)
		job := cronJob.Starts(tick)
		runningPod(s, job)
		cronJob.Delete()
		finish(s, job, 0)
		job.Becomes(batchv1.JobComplete)
		cronJob.ActsOnJobs("the Job is not active", func(g Gomega) {
			g.Expect(cronJob.Now().Status.Active).NotTo(ContainElement(HaveField("UID", job.UID)), "status.active")
		})
		cronJob.Change(func(c *batchv1.CronJob) { controllerutil.RemoveFinalizer(c, finalizer) })
	})

	// https://kubernetes.io/docs/concepts/architecture/garbage-collection/: by the
	// owner references that the controller has set.
	It("Jobs and pods are deleted before their CronJob in foreground deletion", covers.Requirements(
		JobsGoWithCronJob), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		runningPod(s, cronJob.Starts(tick))

		foreground := client.PropagationPolicy(metav1.DeletePropagationForeground)
		Expect(s.Client.Delete(ctx, cronJob.Made(), foreground)).To(Succeed())
		s.Soon("there are no CronJob, Jobs and pods", func(g Gomega) {
			g.Expect(s.History().CronJobs("a")).To(ContainElement(HaveField("Type", BeEquivalentTo("DELETED"))))
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})
})
