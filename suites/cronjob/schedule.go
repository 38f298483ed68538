package cronjob

import (
	"fmt"
	"strings"
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
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

var _ = Describe("schedule", Label("area:cronjob", "behaviour:schedule"), func() {
	// Wrong: a controller that starts another Job at each look.
	It("starts one Job for a tick that is due, and no second one", Covers(StartsOnSchedule, OneJobPerTime, ActiveRefersToRunning, QuietCronStatus), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)

		startsFor(s, cronJob, tick)
		s.Stays("there is one Job", func(g Gomega) {
			g.Expect(starts(s, cronJob)).To(Equal(ticks(tick)))
			g.Expect(active(s, cronJob)).To(Equal(ticks(tick)))
		})
		// Wrong: writes what it has written before.
		Expect(len(s.History().CronJobs("a"))).To(BeNumerically("<=", 10), "revisions of the CronJob")
	})

	// #109250: @every counts from the CronJob's creation, so that no spec has to
	// wait for a minute to begin. Wrong: a controller that looks at its CronJobs
	// when they or their Jobs change, and has no clock.
	It("starts a Job when its time has come, although nothing else happens", Covers(NoticesTimeAlone), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule("@every 5s").Obj())
		tick := cronJob.CreationTimestamp.Add(5 * time.Second)

		s.SoonAfter(5*time.Second, "a Job is started", func(g Gomega) { g.Expect(jobs(s, cronJob)).NotTo(BeEmpty()) })
		first := jobs(s, cronJob)[0]
		Expect(tickOf(first)).To(Equal(ticks(tick)[0]))
		Expect(first.CreationTimestamp.Time).NotTo(BeTemporally("<", tick))
	})

	// batch/v1 JobTemplateSpec: standard object's metadata of the jobs created
	// from this template. Wrong: a controller that copies the spec alone, or the
	// CronJob's own metadata.
	It("makes the Job from the template, and marks it with its CronJob and its tick", Covers(JobFollowsTemplate, CronJobOwnsJob, ScheduledTimeAnnotation), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		template := puppet.Job("").Label("team", "blue").Parallelism(2).Completions(3).BackoffLimit(4).
			Puppet(map[string]string{"example.com/pod": "p"})
		cronJob := due(ctx, s, puppet.CronJob("a", template).With(func(c *batchv1.CronJob) {
			metav1.SetMetaDataLabel(&c.ObjectMeta, "own", "label")
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, "example.com/own", "annotation")
			metav1.SetMetaDataAnnotation(&c.Spec.JobTemplate.ObjectMeta, "example.com/job", "j")
		}), tick)

		job := startsFor(s, cronJob, tick)
		Expect(job.OwnerReferences).To(Equal([]metav1.OwnerReference{{
			APIVersion: "batch/v1", Kind: "CronJob", Name: "a", UID: cronJob.UID,
			Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
		}}))
		Expect(job.Labels).To(And(HaveKeyWithValue("team", "blue"), Not(HaveKey("own"))))
		Expect(job.Annotations).To(And(
			HaveKeyWithValue("example.com/job", "j"),
			HaveKeyWithValue(batchv1.CronJobScheduledTimestampAnnotation, tick.Format(time.RFC3339)),
			Not(HaveKey("example.com/own"))))
		Expect(job.Spec.Parallelism).To(HaveValue(BeEquivalentTo(2)))
		Expect(job.Spec.Completions).To(HaveValue(BeEquivalentTo(3)))
		Expect(job.Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(4)))
		Expect(job.Spec.Template.Annotations).To(HaveKeyWithValue("example.com/pod", "p"))
		Expect(job.Spec.Template.Spec.Containers).To(Equal(cronJob.Spec.JobTemplate.Spec.Template.Spec.Containers))
	})

	// A CronJob's name has 52 characters or less, for the sake of the 11 that its
	// controller adds: https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#cron-job-limitations
	It("starts the Job of a CronJob with the longest name there is", Covers(JobNameFollowsCronJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob(strings.Repeat("n", 52), puppet.Job("")), tick)
		startsFor(s, cronJob, tick)
	})

	// batch/v1 CronJobStatus.lastScheduleTime. Wrong: a controller that finds a
	// tick before the CronJob's creation, or starts a Job at once.
	It("starts nothing for the time before the CronJob was there", Covers(NotBeforeCreation), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)).Obj())
		witness := due(ctx, s, puppet.CronJob("witness", puppet.Job("")), tick)

		startsFor(s, witness, tick)
		s.Stays("there is no Job", func(g Gomega) {
			g.Expect(starts(s, cronJob)).To(BeEmpty())
			g.Expect(s.CronJob("a").Status).To(Equal(batchv1.CronJobStatus{}))
		})
	})

	// The Job is gone, and nobody but the status remembers its tick.
	It("starts nothing again for the tick in lastScheduleTime", Covers(NotBeforeLastSchedule), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)).Obj())
		lastStart(ctx, s, cronJob, tick)
		witness := due(ctx, s, puppet.CronJob("witness", puppet.Job("")), tick)

		startsFor(s, witness, tick)
		s.Stays("there is no Job", func(g Gomega) { g.Expect(starts(s, cronJob)).To(BeEmpty()) })
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#job-creation:
	// Wrong: a controller that makes up for every missed tick, or for the first.
	It("starts only the latest of several missed ticks", Covers(LatestMissedOnly, LastScheduleTime), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick)).Obj())
		lastStart(ctx, s, cronJob, tick.Add(-5*time.Hour))

		startsFor(s, cronJob, tick)
		s.Stays("there is one Job", func(g Gomega) { g.Expect(starts(s, cronJob)).To(Equal(ticks(tick))) })
	})

	// #118724. Wrong: a controller that reckons with ticks as far apart as the first
	// two that it missed; these are 22 hours apart, and the next two are 2.
	It("starts the latest of missed ticks that are not evenly spaced", Covers(LatestMissedOnly, LastScheduleTime), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		schedule := fmt.Sprintf("%d %d,%d * * *", tick.Minute(), tick.Add(-2*time.Hour).Hour(), tick.Hour())
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(schedule).Obj())
		lastStart(ctx, s, cronJob, tick.Add(-25*time.Hour))

		startsFor(s, cronJob, tick)
		s.Stays("there is one Job", func(g Gomega) { g.Expect(starts(s, cronJob)).To(Equal(ticks(tick))) })
	})

	// #42649, #45825. Wrong: a controller that gives up at a hundred, as all did
	// before 1.21.
	It("starts the latest of more than a hundred missed ticks too, and warns", Covers(ManyMissedTimes, WarnsOfManyMissedTimes), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick)).Obj())
		lastStart(ctx, s, cronJob, tick.Add(-200*time.Hour))

		startsFor(s, cronJob, tick)
		s.Soon("there is a warning", func(g Gomega) {
			g.Expect(happened(s, cronJob, "TooManyMissedTimes")).To(ContainElement(HaveField("Type", "Warning")))
		})
		Expect(starts(s, cronJob)).To(Equal(ticks(tick)))
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#starting-deadline:
	// the controller counts how many missed Jobs occurred within the deadline.
	It("counts missed ticks from the starting deadline on", Covers(DeadlineLimitsMissedTimes), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick)).StartingDeadlineSeconds(5000).Obj())
		lastStart(ctx, s, cronJob, tick.Add(-200*time.Hour))

		startsFor(s, cronJob, tick)
		s.Stays("there is one Job and no warning", func(g Gomega) {
			g.Expect(starts(s, cronJob)).To(Equal(ticks(tick)))
			g.Expect(happened(s, cronJob, "TooManyMissedTimes")).To(BeEmpty())
		})
	})

	// batch/v1 CronJobSpec.startingDeadlineSeconds: deadline for starting the job
	// if it misses scheduled time for any reason.
	It("starts a tick within its starting deadline, and none after it", Covers(StartsWithinDeadline, NotAfterDeadline), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		late := due(ctx, s, puppet.CronJob("late", puppet.Job("")).StartingDeadlineSeconds(60), tick)
		early := due(ctx, s, puppet.CronJob("early", puppet.Job("")).StartingDeadlineSeconds(3600), tick)

		startsFor(s, early, tick)
		s.Stays("the late one starts nothing", func(g Gomega) { g.Expect(starts(s, late)).To(BeEmpty()) })
	})

	// batch/v1 CronJobSpec.suspend;
	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-suspension:
	// executions that are suspended count as missed; without a starting deadline
	// they are scheduled immediately.
	It("starts nothing while suspended, and the missed tick when resumed", Covers(SuspendedStartsNothing, ResumeStartsMissed), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")).Suspend(), tick)
		s.Stays("there is no Job", func(g Gomega) { g.Expect(starts(s, cronJob)).To(BeEmpty()) })

		change(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(false) })
		startsFor(s, cronJob, tick)
	})

	// The same page: "for CronJobs without a starting deadline". Wrong: a
	// controller that starts all that was missed.
	It("starts nothing when resumed after the tick's starting deadline", Covers(ResumeKeepsDeadline), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		late := due(ctx, s, puppet.CronJob("late", puppet.Job("")).StartingDeadlineSeconds(60).Suspend(), tick)
		witness := due(ctx, s, puppet.CronJob("witness", puppet.Job("")).Suspend(), tick)
		for _, cronJob := range []*batchv1.CronJob{late, witness} {
			change(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(false) })
		}

		startsFor(s, witness, tick)
		s.Stays("there is no Job", func(g Gomega) { g.Expect(starts(s, late)).To(BeEmpty()) })
	})

	// batch/v1 CronJobSpec.suspend: it does not apply to already started
	// executions. Wrong: a controller that suspends or forgets the Job.
	It("lets a Job go on when its CronJob is suspended", Covers(SuspensionLeavesJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		job := startsFor(s, cronJob, tick)
		runs(s, job)

		change(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(true) })
		end(ctx, s, job, 0)
		s.Soon("the Job's success is noticed", func(g Gomega) {
			g.Expect(framework.Is(s.Job(job.Name), batchv1.JobComplete)).To(BeTrue())
			g.Expect(active(s, cronJob)).To(BeEmpty())
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
		})
	})

	// batch/v1 CronJobSpec.timeZone; KEP-4026 wants the annotation in it. Read in
	// any other zone, the schedule has not ticked since lastScheduleTime.
	It("reads the schedule in its time zone", Covers(ScheduleInTimeZone, AnnotationInTimeZone), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		zone := time.FixedZone("", 5*3600+1800) // India knows no summer time
		local := tick.In(zone)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).
			Schedule(fmt.Sprintf("%d %d * * *", local.Minute(), local.Hour())).
			With(func(c *batchv1.CronJob) { c.Spec.TimeZone = ptr.To("Asia/Kolkata") }).Obj())
		lastStart(ctx, s, cronJob, tick.Add(-5*time.Minute))

		job := startsFor(s, cronJob, tick)
		Expect(job.Annotations).To(HaveKeyWithValue(batchv1.CronJobScheduledTimestampAnnotation, local.Format(time.RFC3339)))
	})

	// In UTC, the tick is hours ahead. Wrong: a controller that keeps the zone that
	// it saw first.
	It("reads the schedule in the time zone that it has now", Covers(ChangedTimeZone), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		local := tick.In(time.FixedZone("", 5*3600+1800))
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), local.Add(5*time.Hour+30*time.Minute))
		witness := due(ctx, s, puppet.CronJob("witness", puppet.Job("")), tick)
		startsFor(s, witness, tick)
		Expect(starts(s, cronJob)).To(BeEmpty())

		change(ctx, s, cronJob, func(c *batchv1.CronJob) {
			c.Spec.Suspend, c.Spec.TimeZone = ptr.To(true), ptr.To("Asia/Kolkata")
		})
		lastStart(ctx, s, cronJob, tick.Add(-5*time.Minute))
		change(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(false) })
		startsFor(s, cronJob, tick)
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax:
	// "0 0 13 * 5" is every Friday as well as the 13th of each month. Wrong: a
	// controller that wants both.
	It("ticks on a weekday as well as on a day of the month", Covers(DayOrWeekday), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).
			Schedule(fmt.Sprintf("%d %d %d * %s", tick.Minute(), tick.Hour(), tick.AddDate(0, 0, 10).Day(), tick.Weekday().String()[:3])).Obj())
		lastStart(ctx, s, cronJob, tick.Add(-5*time.Minute))

		startsFor(s, cronJob, tick)
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
	It("understands the macros of the schedule's syntax", Covers(ScheduleMacros), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := time.Date(ago(0).Year(), time.January, 1, 0, 0, 0, 0, time.UTC)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule("@yearly").Obj())
		lastStart(ctx, s, cronJob, tick.Add(-time.Hour))

		startsFor(s, cronJob, tick)
	})

	// #41655. There is no 30 February; the API accepts it. Wrong: a controller
	// that counts for ever, or never gets to the others.
	It("is not held up by a schedule without any tick", Covers(ImpossibleSchedule), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		never := framework.Create(ctx, s, puppet.CronJob("never", puppet.Job("")).Schedule("0 0 30 2 *").Obj())
		lastStart(ctx, s, never, tick.AddDate(-6, 0, 0))
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)

		startsFor(s, cronJob, tick)
		Expect(starts(s, never)).To(BeEmpty())
	})

	// A name that upstream's controller gives; one with other names has nothing in
	// its way. Wrong: a controller that takes the Job for its own, or ends.
	It("leaves a Job alone that has the name of the one it wants to start", Covers(LeavesForeignJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		foreign := framework.Create(ctx, s, puppet.Job(fmt.Sprintf("a-%d", tick.Unix()/60)).Obj())
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		witness := due(ctx, s, puppet.CronJob("witness", puppet.Job("")), tick)

		startsFor(s, witness, tick)
		s.Stays("the Job is nobody's", func(g Gomega) {
			g.Expect(s.Job(foreign.Name).OwnerReferences).To(BeEmpty())
			g.Expect(s.CronJob("a").Status.Active).NotTo(ContainElement(HaveField("UID", foreign.UID)))
		})
		Expect(s.Job(foreign.Name).UID).To(Equal(foreign.UID))
		Expect(starts(s, cronJob)).To(Or(BeEmpty(), Equal(ticks(tick))))
	})

	// Without a starting deadline it is never too late. Wrong: a controller that
	// tries once.
	It("starts a Job as soon as it can be created", Covers(RetriesToStartAJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		quota := s.Refuse(ctx, puppet.Job("refused").Obj(), "count/jobs.batch")
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		s.Stays("there is no Job", func(g Gomega) {
			g.Expect(starts(s, cronJob)).To(BeEmpty())
			g.Expect(active(s, cronJob)).To(BeEmpty())
		})

		s.Delete(ctx, quota)
		startsFor(s, cronJob, tick)
	})

	// Wrong: a controller that looks for its Jobs by name, or by the template's labels.
	It("keeps CronJobs with the same template apart", Covers(KeepsCronJobsApart), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		template := func() *puppet.JobBuilder { return puppet.Job("").Label("app", "same") }
		one := due(ctx, s, puppet.CronJob("a", template()), tick)
		two := due(ctx, s, puppet.CronJob("a-1", template()), tick)

		job := startsFor(s, one, tick)
		startsFor(s, two, tick)
		end(ctx, s, job, 0)
		s.Soon("one CronJob's Job has succeeded", func(g Gomega) {
			g.Expect(active(s, one)).To(BeEmpty())
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
		})
		Expect(active(s, two)).To(Equal(ticks(tick)))
		Expect(s.CronJob("a-1").Status.LastSuccessfulTime).To(BeNil())
	})

	// A finalizer holds the CronJob, as the garbage collector's own does when Jobs
	// are to go first.
	It("starts nothing once its CronJob is being deleted", Covers(NoJobsWhileBeingDeleted), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)).
			With(func(c *batchv1.CronJob) { c.Finalizers = []string{hold} }).Obj())
		s.Delete(ctx, cronJob)
		lastStart(ctx, s, cronJob, tick.Add(-5*time.Minute))
		witness := due(ctx, s, puppet.CronJob("witness", puppet.Job("")), tick)

		startsFor(s, witness, tick)
		s.Stays("there is no Job", func(g Gomega) { g.Expect(starts(s, cronJob)).To(BeEmpty()) })
		change(ctx, s, cronJob, func(c *batchv1.CronJob) { controllerutil.RemoveFinalizer(c, hold) })
	})

	// https://kubernetes.io/docs/concepts/architecture/garbage-collection/: by the
	// owner references that the controller has set.
	It("leaves its Jobs to the garbage collector", Covers(JobsGoWithCronJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		runs(s, startsFor(s, cronJob, tick))

		Expect(s.Client.Delete(ctx, cronJob, client.PropagationPolicy(metav1.DeletePropagationForeground))).To(Succeed())
		s.Soon("nothing is left", func(g Gomega) {
			g.Expect(s.History().CronJobs("a")).To(ContainElement(HaveField("Type", BeEquivalentTo("DELETED"))))
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})
})
