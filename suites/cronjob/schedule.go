package cronjob

import (
	"fmt"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

var _ = Describe("CronJob schedule:", behaviour.Schedule, func() {
	// Wrong: a controller that starts another Job at each sync.
	It("the controller starts exactly one Job for a scheduled time", Covers(StartsOnSchedule, OneJobPerTime, ActiveRefersToRunning, QuietCronStatus), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("")))

		Starts(s, cronJob, tick)
		KeepsRunning(s, cronJob, tick)
		// Wrong: writes the same status again.
		Expect(len(s.History().CronJobs("a"))).To(BeNumerically("<=", 10), "revisions of the CronJob")
	})

	// This takes up to a minute. Wrong: a controller that syncs a CronJob only when it or its Jobs change.
	It("the controller starts a Job on time although no object changes", Label("slow"), Covers(NoticesTimeAlone), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := framework.Create(s, puppet.CronJob("a", puppet.Job("")).Schedule("* * * * *").Obj())
		tick := cronJob.CreationTimestamp.UTC().Truncate(time.Minute).Add(time.Minute)

		s.SoonAfter(time.Until(tick), "a Job is started", func(g Gomega) { g.Expect(JobsOf(s, cronJob)).NotTo(BeEmpty()) })
		first := JobsOf(s, cronJob)[0]
		Expect(ScheduledTime(first)).To(Equal(Times(tick)[0]))
		Expect(first.CreationTimestamp.Time).NotTo(BeTemporally("<", tick))
	})

	// batch/v1 JobTemplateSpec: standard object's metadata of the jobs created
	// from this template. Wrong: a controller that copies the spec alone, or the
	// CronJob's own metadata.
	It("the controller creates a Job from the template, with its owner and scheduled time", Covers(JobFollowsTemplate, CronJobOwnsJob, ScheduledTimeAnnotation), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		template := puppet.Job("").Label("team", "blue").Parallelism(2).Completions(3).BackoffLimit(4).
			Puppet(map[string]string{"example.com/pod": "p"})
		cronJob := Due(ctx, s, puppet.CronJob("a", template).With(func(c *batchv1.CronJob) {
			metav1.SetMetaDataLabel(&c.ObjectMeta, "own", "label")
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, "example.com/own", "annotation")
			metav1.SetMetaDataAnnotation(&c.Spec.JobTemplate.ObjectMeta, "example.com/job", "j")
		}), tick)

		job := Starts(s, cronJob, tick)
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
		// Defaults are those of a Job: a custom resource has none in its template.
		want := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: "b"}, Spec: *cronJob.Spec.JobTemplate.Spec.DeepCopy()}
		Expect(s.Client.Create(ctx, want, client.DryRunAll)).To(Succeed())
		Expect(job.Spec.Template.Spec.Containers).To(Equal(want.Spec.Template.Spec.Containers))
	})

	// A CronJob's name has at most 52 characters, because its controller appends 11:
	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#cron-job-limitations
	It("the controller starts a Job for a CronJob with a name of 52 characters", Covers(JobNameFollowsCronJob), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob(strings.Repeat("n", 52), puppet.Job("")))
		Expect(Starts(s, cronJob, tick).Name).To(HavePrefix(cronJob.Name))
	})

	// batch/v1 CronJobStatus.lastScheduleTime. Wrong: a controller that counts times
	// before the CronJob's creation as missed, or starts a Job at once.
	It("the controller starts no Job for times before the CronJob's creation", Covers(NotBeforeCreation), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		cronJob := framework.Create(s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)).Obj())
		created := s.Recorder.Position()
		witness := Due(ctx, s, puppet.CronJob("witness", puppet.Job("")), tick)

		Starts(s, witness, tick)
		s.StaysSince(created, "no Job is started", func(g Gomega) {
			g.Expect(Started(s, cronJob)).To(BeEmpty())
			g.Expect(s.CronJob("a").Status).To(Equal(batchv1.CronJobStatus{}))
		})
	})

	// The Job is gone, and only the status still records its scheduled time.
	It("the controller starts no second Job for the time in lastScheduleTime", Covers(NotBeforeLastSchedule), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)), tick)
		witness := Due(ctx, s, puppet.CronJob("witness", puppet.Job("")), tick)

		Starts(s, witness, tick)
		KeepsRunning(s, cronJob)
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#job-creation:
	// Wrong: a controller that starts a Job for every missed time, or for the first.
	It("the controller starts a Job only for the latest of several missed times", Covers(LatestMissedOnly, LastScheduleTime), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick)), tick.Add(-5*time.Hour))

		Starts(s, cronJob, tick)
		KeepsRunning(s, cronJob, tick)
	})

	// #118724. Wrong: a controller that takes all missed times to be as far apart as
	// the first two. Those are 22 hours apart, and the next two are 2.
	It("the controller starts a Job for the latest of unevenly spaced missed times", Covers(LatestMissedOnly, LastScheduleTime), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		schedule := fmt.Sprintf("%d %d,%d * * *", tick.Minute(), tick.Add(-2*time.Hour).Hour(), tick.Hour())
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(schedule), tick.Add(-25*time.Hour))

		Starts(s, cronJob, tick)
		KeepsRunning(s, cronJob, tick)
	})

	// #42649, #45825. Wrong: a controller that gives up at a hundred, as all did
	// before 1.21.
	It("the controller starts a Job for the latest of more than 100 missed times", Covers(ManyMissedTimes), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick)), tick.Add(-200*time.Hour))

		Starts(s, cronJob, tick)
		Expect(Existing(s, cronJob)).To(Equal(Times(tick)))
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#starting-deadline:
	// the controller counts how many missed Jobs occurred within the deadline. Wrong: as before.
	It("the controller starts a Job although more than 100 times were missed before the starting deadline", Covers(DeadlineLimitsMissedTimes), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(tick)).StartingDeadlineSeconds(5000), tick.Add(-200*time.Hour))

		Starts(s, cronJob, tick)
		KeepsRunning(s, cronJob, tick)
	})

	// batch/v1 CronJobSpec.startingDeadlineSeconds: deadline for starting the job
	// if it misses scheduled time for any reason.
	It("the controller starts a Job within its starting deadline, and none after it", Covers(StartsWithinDeadline, NotAfterDeadline), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		late := Due(ctx, s, puppet.CronJob("late", puppet.Job("")).StartingDeadlineSeconds(60), tick)
		early := Due(ctx, s, puppet.CronJob("early", puppet.Job("")).StartingDeadlineSeconds(3600), tick)

		Starts(s, early, tick)
		KeepsRunning(s, late)
	})

	// batch/v1 CronJobSpec.suspend;
	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-suspension:
	// executions that are suspended count as missed; without a starting deadline
	// they are scheduled immediately.
	It("the controller starts a missed Job when the CronJob is resumed, not before", Covers(SuspendedStartsNothing, ResumeStartsMissed), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("")).Suspend())
		KeepsRunning(s, cronJob)

		ResumeCronJob(ctx, s, cronJob)
		Starts(s, cronJob, tick)
	})

	// The same page: "for CronJobs without a starting deadline". Wrong: a
	// controller that starts all missed Jobs.
	It("the controller starts no Job when the CronJob is resumed after the starting deadline", Covers(ResumeKeepsDeadline), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		late := Due(ctx, s, puppet.CronJob("late", puppet.Job("")).StartingDeadlineSeconds(60).Suspend(), tick)
		witness := Due(ctx, s, puppet.CronJob("witness", puppet.Job("")).Suspend(), tick)
		ResumeCronJob(ctx, s, late)
		ResumeCronJob(ctx, s, witness)

		Starts(s, witness, tick)
		KeepsRunning(s, late)
	})

	// batch/v1 CronJobSpec.suspend: it does not apply to already started
	// executions. Wrong: a controller that suspends or forgets the Job.
	It("a running Job finishes although its CronJob is suspended", Covers(SuspensionLeavesJobs), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("")))
		job := Starts(s, cronJob, tick)
		runningPod(s, job)

		SuspendCronJob(ctx, s, cronJob)
		finish(ctx, s, job, 0)
		s.Soon("the Job is Complete and not active", func(g Gomega) {
			g.Expect(framework.Is(s.Job(job.Name), batchv1.JobComplete)).To(BeTrue())
			g.Expect(Active(s, cronJob)).To(BeEmpty())
		})
	})

	// batch/v1 CronJobSpec.timeZone; by KEP-4026 the annotation is in that zone, too.
	// In any other zone, no Job has been due since lastScheduleTime.
	It("the controller follows the schedule in the CronJob's time zone", Covers(ScheduleInTimeZone, AnnotationInTimeZone), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		zone := time.FixedZone("", 5*3600+1800) // India has no daylight saving time
		local := tick.In(zone)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).
			Schedule(fmt.Sprintf("%d %d * * *", local.Minute(), local.Hour())).
			With(func(c *batchv1.CronJob) { c.Spec.TimeZone = ptr.To("Asia/Kolkata") }), LastBefore(tick))

		job := Starts(s, cronJob, tick)
		Expect(job.Annotations).To(HaveKeyWithValue(batchv1.CronJobScheduledTimestampAnnotation, local.Format(time.RFC3339)))
	})

	// In UTC, the scheduled time is hours ahead. Wrong: a controller that keeps the
	// zone that it saw first.
	It("the controller follows the schedule in a changed time zone", Covers(ChangedTimeZone), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		local := tick.In(time.FixedZone("", 5*3600+1800))
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), local.Add(5*time.Hour+30*time.Minute))
		witness := Due(ctx, s, puppet.CronJob("witness", puppet.Job("")), tick)
		Starts(s, witness, tick)
		Expect(Existing(s, cronJob)).To(BeEmpty())

		ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) {
			c.Spec.Suspend, c.Spec.TimeZone = ptr.To(true), ptr.To("Asia/Kolkata")
		})
		SetLastScheduleTime(ctx, s, cronJob, LastBefore(tick))
		ResumeCronJob(ctx, s, cronJob)
		Starts(s, cronJob, tick)
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax:
	// "0 0 13 * 5" is every Friday as well as the 13th of each month. Wrong: a
	// controller that wants both.
	It("the controller starts a Job on a weekday as well as on a day of the month", Covers(DayOrWeekday), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).
			Schedule(fmt.Sprintf("%d %d %d * %s", tick.Minute(), tick.Hour(), tick.AddDate(0, 0, 10).Day(), tick.Weekday().String()[:3])), LastBefore(tick))

		Starts(s, cronJob, tick)
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#schedule-syntax
	It("the controller starts the Job of an @yearly schedule on 1 January", Covers(ScheduleMacros), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := time.Date(Ago(0).Year(), time.January, 1, 0, 0, 0, 0, time.UTC)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule("@yearly"), tick.Add(-time.Hour))

		Starts(s, cronJob, tick)
	})

	// #41655. There is no 30 February; the API server accepts it. Wrong: a controller
	// that searches for ever, or never syncs the other CronJobs.
	It("the controller starts Jobs although another CronJob's schedule has no time", Covers(ImpossibleSchedule), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		never := Scheduled(ctx, s, puppet.CronJob("never", puppet.Job("")).Schedule("0 0 30 2 *"), tick.AddDate(-6, 0, 0))
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)

		Starts(s, cronJob, tick)
		Expect(Existing(s, never)).To(BeEmpty())
	})

	// The Job has the name that upstream's controller would give, or that of the dialect; a
	// controller that gives other names starts its own. Wrong: a controller that takes the Job for
	// its own, or exits.
	It("the controller does not adopt a Job that has the name of its next Job", Covers(LeavesForeignJobs), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		foreign := framework.Create(s, puppet.Job(s.JobName("a", tick)).Obj())
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		witness := Due(ctx, s, puppet.CronJob("witness", puppet.Job("")), tick)

		Starts(s, witness, tick)
		s.Stays("the Job never has an owner and is never active", func(g Gomega) {
			g.Expect(s.History().Jobs(foreign.Name)).To(HaveEach(HaveField("Job().OwnerReferences", BeEmpty())))
			g.Expect(s.History().CronJobs("a")).NotTo(ContainElement(
				HaveField("CronJob().Status.Active", ContainElement(HaveField("UID", foreign.UID)))))
		})
		Expect(s.Job(foreign.Name).UID).To(Equal(foreign.UID))
		Expect(Existing(s, cronJob)).To(Or(BeEmpty(), Equal(Times(tick))))
	})

	// Without a starting deadline it is never too late. Wrong: a controller that
	// tries once.
	It("the controller starts a Job as soon as a quota allows it", Covers(RetriesToStartAJob), framework.Needs(spec.ResourceQuotas), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		quota := s.Refuse(puppet.Job("refused").Obj(), "count/jobs.batch")
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		KeepsRunning(s, cronJob)

		s.Delete(quota)
		Starts(s, cronJob, tick)
	})

	// Wrong: a controller that looks for its Jobs by name, or by the template's labels.
	It("the controller does not mix up Jobs of CronJobs with the same template", Covers(KeepsCronJobsApart), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		template := func() *puppet.JobBuilder { return puppet.Job("").Label("app", "same") }
		one := Due(ctx, s, puppet.CronJob("a", template()), tick)
		two := Due(ctx, s, puppet.CronJob("a-1", template()), tick)

		job := Starts(s, one, tick)
		Starts(s, two, tick)
		finish(ctx, s, job, 0)
		s.Soon("the Job of one CronJob is not active", func(g Gomega) { g.Expect(Active(s, one)).To(BeEmpty()) })
		Expect(Active(s, two)).To(Equal(Times(tick)))
		Expect(s.CronJob("a-1").Status.LastSuccessfulTime).To(BeNil())
	})

	// A finalizer keeps the CronJob, as in foreground deletion, in which its Jobs are
	// deleted first.
	It("the controller starts no Job for a CronJob that is being deleted", Covers(NoJobsWhileBeingDeleted), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		cronJob := framework.Create(s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)).
			With(func(c *batchv1.CronJob) { c.Finalizers = []string{finalizer} }).Obj())
		s.Delete(cronJob)
		SetLastScheduleTime(ctx, s, cronJob, LastBefore(tick))
		witness := Due(ctx, s, puppet.CronJob("witness", puppet.Job("")), tick)

		Starts(s, witness, tick)
		KeepsRunning(s, cronJob)
		ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) { controllerutil.RemoveFinalizer(c, finalizer) })
	})

	// https://kubernetes.io/docs/concepts/architecture/garbage-collection/: by the
	// owner references that the controller has set.
	It("Jobs and pods are deleted before their CronJob in foreground deletion", Covers(JobsGoWithCronJob), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("")))
		runningPod(s, Starts(s, cronJob, tick))

		Expect(s.Client.Delete(ctx, cronJob, client.PropagationPolicy(metav1.DeletePropagationForeground))).To(Succeed())
		s.Soon("there are no CronJob, Jobs and pods", func(g Gomega) {
			g.Expect(s.History().CronJobs("a")).To(ContainElement(HaveField("Type", BeEquivalentTo("DELETED"))))
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})
})
