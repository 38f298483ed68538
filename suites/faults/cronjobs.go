package faults

import (
	"context"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// The requests of a CronJob controller.
var (
	createJobs      = faultproxy.Calls{Verb: "create", Resource: "jobs"}
	deleteJobs      = faultproxy.Calls{Verb: "delete", Resource: "jobs"}
	writeCronStatus = faultproxy.Calls{Verb: "patch|update", Resource: "cronjobs/status"}
)

// ago is the minute that began so long ago, or up to a minute before.
func ago(d time.Duration) time.Time { return time.Now().UTC().Add(-d).Truncate(time.Minute) }

// due makes a CronJob that has slept through one tick.
func due(ctx context.Context, s *framework.Sandbox, cronJob *puppet.CronJobBuilder, tick time.Time) *batchv1.CronJob {
	GinkgoHelper()
	made := framework.Create(ctx, s, cronJob.Schedule(puppet.Daily(tick)).Obj())
	framework.ChangeStatus(ctx, s, made, func(c *batchv1.CronJob) {
		c.Status.LastScheduleTime = ptr.To(metav1.NewTime(tick.Add(-5 * time.Minute)))
	})
	return made
}

// beginCron is begin with a CronJob.
func beginCron(ctx context.Context) *framework.Faulty {
	GinkgoHelper()
	s := framework.Behind(ctx)
	s.Start()
	tick := ago(time.Hour)
	due(ctx, s.Sandbox, puppet.CronJob("first", puppet.Job("").ExitCodes("0")), tick)
	succeeds(s.Sandbox, "first", tick)
	return s
}

// ticks are times in the form of starts and activeJobs.
func ticks(times ...time.Time) []string {
	list := []string{}
	for _, t := range times {
		list = append(list, t.UTC().Format(time.RFC3339))
	}
	return list
}

func tickOf(job batchv1.Job) string {
	return job.Annotations[batchv1.CronJobScheduledTimestampAnnotation]
}

func jobsOf(s *framework.Sandbox, cronJob string) []batchv1.Job {
	owner := s.CronJob(cronJob)
	return slices.DeleteFunc(s.Jobs(), func(j batchv1.Job) bool { return !metav1.IsControlledBy(&j, owner) })
}

// starts are the ticks of all Jobs that there ever were of a CronJob.
func starts(s *framework.Sandbox, cronJob string) []string {
	owner := s.CronJob(cronJob)
	list := []string{}
	for _, r := range s.History().Jobs("") {
		if r.Created() && metav1.IsControlledBy(r.Job(), owner) {
			list = append(list, tickOf(*r.Job()))
		}
	}
	slices.Sort(list)
	return list
}

// activeJobs are the ticks of the Jobs in status.active; it has the name of one
// that is not there.
func activeJobs(s *framework.Sandbox, cronJob string) []string {
	list := []string{}
	all := s.Jobs()
	for _, ref := range s.CronJob(cronJob).Status.Active {
		i := slices.IndexFunc(all, func(j batchv1.Job) bool { return j.UID == ref.UID })
		if i < 0 {
			list = append(list, ref.Name)
		} else {
			list = append(list, tickOf(all[i]))
		}
	}
	slices.Sort(list)
	return list
}

// succeeds waits until the Job of a tick is Complete and the CronJob's status
// says so; it is the only one that ever was.
func succeeds(s *framework.Sandbox, cronJob string, tick time.Time) {
	GinkgoHelper()
	s.Soon("the Job of CronJob "+cronJob+" has succeeded, and is on record", func(g Gomega) {
		g.Expect(jobsOf(s, cronJob)).To(HaveLen(1))
		status := s.CronJob(cronJob).Status
		g.Expect(status.Active).To(BeEmpty())
		g.Expect(status.LastScheduleTime).To(HaveValue(HaveField("Time", BeTemporally("==", tick))))
		g.Expect(status.LastSuccessfulTime).To(Equal(jobsOf(s, cronJob)[0].Status.CompletionTime))
		g.Expect(status.LastSuccessfulTime).NotTo(BeNil())
	})
	Expect(starts(s, cronJob)).To(Equal(ticks(tick)))
}

var _ = Describe("A CronJob whose controller's requests go wrong", cronLabels, func() {
	names := []string{"a", "b", "c", "d"}

	// Wrong: takes a tick for done whose Job could not be created.
	It("starts one Job, whatever becomes of requests for it", Covers(StartsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		allMet := trouble(s, createJobs, fails, isPutOff, isLost, unanswered)
		s.Start()
		tick := ago(30 * time.Minute)
		for _, name := range names {
			due(ctx, s.Sandbox, puppet.CronJob(name, puppet.Job("").ExitCodes("0")), tick)
		}
		allMet()
		for _, name := range names {
			succeeds(s.Sandbox, name, tick)
		}
	})

	// Wrong: writes once, and what it wrote then is forgotten.
	It("says what became of its Job, whatever becomes of writes of its status", Covers(RecordsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		allMet := trouble(s, writeCronStatus, fails, conflicts, isPutOff, isLost, unanswered)
		s.Start()
		tick := ago(30 * time.Minute)
		for _, name := range names {
			due(ctx, s.Sandbox, puppet.CronJob(name, puppet.Job("").ExitCodes("0")), tick)
		}
		allMet()
		for _, name := range names {
			succeeds(s.Sandbox, name, tick)
		}
	})

	// Wrong: starts the new Job although it could not delete the old one, or
	// never.
	It("replaces its Job, whatever becomes of requests to delete it", Covers(DeletesJobsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		s.Start()
		first, second := ago(30*time.Minute), ago(20*time.Minute)
		for _, name := range names[:3] {
			due(ctx, s.Sandbox, puppet.CronJob(name, puppet.Job("")).Policy(batchv1.ReplaceConcurrent), first)
		}
		for _, name := range names[:3] {
			s.Soon("the first Job of "+name+" is active", func(g Gomega) { g.Expect(activeJobs(s.Sandbox, name)).To(Equal(ticks(first))) })
		}
		allMet := trouble(s, deleteJobs, fails, isPutOff, unanswered)
		for _, name := range names[:3] {
			moveOn(ctx, s.Sandbox, name, second)
		}
		allMet()
		for _, name := range names[:3] {
			s.Soon("the first Job of "+name+" is replaced", func(g Gomega) {
				g.Expect(activeJobs(s.Sandbox, name)).To(Equal(ticks(second)))
				g.Expect(jobsOf(s.Sandbox, name)).To(HaveLen(1))
			})
			Expect(starts(s.Sandbox, name)).To(Equal(ticks(first, second)))
		}
	})

	// When it looks again is its own affair: a change of the CronJob makes it.
	// Wrong: takes the Job for deleted.
	It("keeps no more Jobs than it may, although requests to delete one failed", Covers(DeletesJobsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		failed := s.On(deleteJobs).Nth(1).Answer(500)
		s.Start()
		cronJob := due(ctx, s.Sandbox, puppet.CronJob("a", puppet.Job("").ExitCodes("0")).SuccessfulJobsHistoryLimit(0), ago(30*time.Minute))
		s.Meets("delete the Job", failed)
		framework.Change(ctx, s.Sandbox, cronJob, func(c *batchv1.CronJob) { metav1.SetMetaDataAnnotation(&c.ObjectMeta, "example.com/look", "again") })
		s.Soon("there are no Jobs", func(g Gomega) { g.Expect(jobsOf(s.Sandbox, "a")).To(BeEmpty()) })
		s.Soon("none is active", func(g Gomega) { g.Expect(activeJobs(s.Sandbox, "a")).To(BeEmpty()) })
		Expect(starts(s.Sandbox, "a")).To(HaveLen(1))
	})
})

// moveOn lets a later tick come. To the controller it is due at once: it cannot
// look while the CronJob is suspended.
func moveOn(ctx context.Context, s *framework.Sandbox, cronJob string, tick time.Time) {
	GinkgoHelper()
	framework.Change(ctx, s, s.CronJob(cronJob), func(c *batchv1.CronJob) {
		c.Spec.Suspend = ptr.To(true)
		c.Spec.Schedule = puppet.Daily(tick)
	})
	framework.ChangeStatus(ctx, s, s.CronJob(cronJob), func(c *batchv1.CronJob) {
		c.Status.LastScheduleTime = ptr.To(metav1.NewTime(tick.Add(-5 * time.Minute)))
	})
	setCronSuspend(ctx, s, cronJob, false)
}

func setCronSuspend(ctx context.Context, s *framework.Sandbox, cronJob string, suspend bool) {
	GinkgoHelper()
	framework.Change(ctx, s, s.CronJob(cronJob), func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(suspend) })
}

// holdAt holds a resource from the moment of the first such request on.
func holdAt(s *framework.Faulty, calls faultproxy.Calls, resource string) (met *faultproxy.Rule, held <-chan func()) {
	holds := make(chan func(), 1)
	return s.On(calls).Nth(1).Do(func() { holds <- s.Hold(resource) }), holds
}

var _ = Describe("A CronJob whose controller has an old view", cronLabels, func() {

	// Wrong: starts the Job of a tick again, as it does not see its own record.
	It("starts one Job for a tick, if the view is of CronJobs", Covers(StaleCronJob), func(ctx SpecContext) {
		s := beginCron(ctx)
		met, held := holdAt(s, createJobs, "cronjobs")
		tick := ago(30 * time.Minute)
		due(ctx, s.Sandbox, puppet.CronJob("a", puppet.Job("").ExitCodes("0")), tick)
		s.Meets("start a Job", met)
		release := <-held
		s.Misses("cronjobs")
		s.Soon("the Job is Complete", func(g Gomega) {
			g.Expect(jobsOf(s.Sandbox, "a")).To(HaveLen(1))
			g.Expect(framework.Is(&jobsOf(s.Sandbox, "a")[0], batchv1.JobComplete)).To(BeTrue())
		})
		s.Stays("it is the only one", func(g Gomega) { g.Expect(starts(s.Sandbox, "a")).To(Equal(ticks(tick))) })
		release()
		succeeds(s.Sandbox, "a", tick)
	})

	// Wrong: counts the Jobs that it sees, and sees none that runs.
	It("forbids a Job beside another, if the view is of Jobs", Covers(StaleCronJob), func(ctx SpecContext) {
		s := beginCron(ctx)
		met, held := holdAt(s, createJobs, "jobs")
		first, second := ago(30*time.Minute), ago(20*time.Minute)
		due(ctx, s.Sandbox, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent), first)
		s.Meets("start a Job", met)
		release := <-held
		s.Soon("the Job is on record", func(g Gomega) { g.Expect(activeJobs(s.Sandbox, "a")).To(Equal(ticks(first))) })
		moveOn(ctx, s.Sandbox, "a", second)
		s.Stays("it is the only one", func(g Gomega) {
			g.Expect(starts(s.Sandbox, "a")).To(Equal(ticks(first)))
			g.Expect(activeJobs(s.Sandbox, "a")).To(Equal(ticks(first)))
		})
		release()
		s.End(ctx, 0, running(s.Sandbox, jobsOf(s.Sandbox, "a")[0].Name, 1)...)
		s.Soon("the next one has started", func(g Gomega) {
			g.Expect(starts(s.Sandbox, "a")).To(Equal(ticks(first, second)))
			g.Expect(activeJobs(s.Sandbox, "a")).To(Equal(ticks(second)))
		})
	})
})

var _ = Describe("A CronJob whose controller was out of touch", cronLabels, func() {

	// Wrong: watches on from where it was, or not at all.
	It("goes on with what its controller missed when watches had expired", Covers(CatchesUpWithCronJobs), func(ctx SpecContext) {
		s := beginCron(ctx)
		tick := ago(30 * time.Minute)
		due(ctx, s.Sandbox, puppet.CronJob("a", puppet.Job("")), tick)
		due(ctx, s.Sandbox, puppet.CronJob("b", puppet.Job("")).Suspend(), tick)
		s.Soon("the Job is active", func(g Gomega) { g.Expect(activeJobs(s.Sandbox, "a")).To(Equal(ticks(tick))) })

		release := s.Hold("jobs")
		s.Delete(ctx, &jobsOf(s.Sandbox, "a")[0])
		s.Misses("jobs")
		s.Expire("jobs")
		release()
		s.Soon("none is active", func(g Gomega) { g.Expect(activeJobs(s.Sandbox, "a")).To(BeEmpty()) })

		release = s.Hold("cronjobs")
		setCronSuspend(ctx, s.Sandbox, "b", false)
		s.Misses("cronjobs")
		s.Expire("cronjobs")
		release()
		s.Soon("the other Job is active", func(g Gomega) { g.Expect(activeJobs(s.Sandbox, "b")).To(Equal(ticks(tick))) })
		Expect(starts(s.Sandbox, "a")).To(Equal(ticks(tick)))
		Expect(starts(s.Sandbox, "b")).To(Equal(ticks(tick)))
	})

	// Wrong: lets a tick go by that it could not act on.
	It("starts what is still due when the API server was away for 5 s", takesLong, Covers(CatchesUpWithCronJobs), func(ctx SpecContext) {
		s := beginCron(ctx)
		tick := ago(30 * time.Minute)
		due(ctx, s.Sandbox, puppet.CronJob("a", puppet.Job("").ExitCodes("0")).Suspend(), tick)
		s.Cut()
		setCronSuspend(ctx, s.Sandbox, "a", false)
		const long = 5 * time.Second
		s.StaysFor(long, "nothing starts", func(g Gomega) { g.Expect(starts(s.Sandbox, "a")).To(BeEmpty()) })
		s.Restore()
		s.SoonAfter(2*long, "the Job has started", func(g Gomega) { g.Expect(starts(s.Sandbox, "a")).To(Equal(ticks(tick))) })
		succeeds(s.Sandbox, "a", tick)
	})
})
