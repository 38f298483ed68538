package faults

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// dueEach creates CronJobs like this one under several names; each has missed
// the time of tick.
func dueEach(ctx context.Context, s *framework.Sandbox, names []string, cronJob *puppet.CronJobBuilder, tick time.Time) (all []*batchv1.CronJob) {
	GinkgoHelper()
	for _, name := range names {
		all = append(all, Due(ctx, s, cronJob.With(func(c *batchv1.CronJob) { c.Name = name }), tick))
	}
	return all
}

// startedCronJob is started with a CronJob.
func startedCronJob(ctx context.Context) *framework.Sandbox {
	GinkgoHelper()
	s := framework.Behind(ctx)
	s.Proxy.Start()
	tick := Ago(time.Hour)
	succeeds(s, Due(ctx, s, puppet.CronJob("first", puppet.Job("").ExitCodes("0")), tick), tick)
	return s
}

// succeeds waits until the CronJob's Job of a scheduled time is Complete and the
// status records its start and its end. It expects that the CronJob never had another Job.
func succeeds(s *framework.Sandbox, cronJob *batchv1.CronJob, tick time.Time) {
	GinkgoHelper()
	s.Soon("CronJob "+cronJob.Name+" records the end of its Job", func(g Gomega) {
		g.Expect(JobsOf(s, cronJob)).To(HaveLen(1))
		g.Expect(framework.Is(&JobsOf(s, cronJob)[0], batchv1.JobComplete)).To(BeTrue())
		status := s.CronJob(cronJob.Name).Status
		g.Expect(status.Active).To(BeEmpty())
		g.Expect(status.LastScheduleTime).To(BeAt(tick))
	})
	Expect(Started(s, cronJob)).To(Equal(Times(tick)))
}

// holdAt stops the watch events of a resource when the first of some requests is
// made. held receives the function that releases them.
func holdAt(s *framework.Sandbox, calls faultproxy.Calls, resource string) (happened *faultproxy.Rule, held <-chan func()) {
	holds := make(chan func(), 1)
	return s.Proxy.On(calls).Nth(1).Do(func() { holds <- s.Proxy.Hold(resource) }), holds
}

var _ = Describe("CronJob faults:", faultLabels, func() {

	// failing has requests fail while four CronJobs start their Jobs.
	failing := func(ctx context.Context, calls faultproxy.Calls, faults ...fault) {
		s := framework.Behind(ctx)
		allHappened := inject(s, calls, faults...)
		s.Proxy.Start()
		tick := Ago(30 * time.Minute)
		cronJobs := dueEach(ctx, s, names, puppet.CronJob("", puppet.Job("").ExitCodes("0")), tick)
		allHappened()
		for _, cronJob := range cronJobs {
			succeeds(s, cronJob, tick)
		}
	}

	// Wrong: takes a Job for started that could not be created.
	It("with failing create requests, the CronJob starts exactly one Job", Covers(StartsDespiteFaults), Shows(upstream.LostStart), func(ctx SpecContext) {
		failing(ctx, createJobs, fails, throttled, dropped, answerLost)
	})

	// Wrong: writes once, and forgets what it could not write.
	It("with failing status writes, the controller records the end of its Job", Covers(RecordsDespiteFaults), Shows(upstream.LostStart), func(ctx SpecContext) {
		failing(ctx, writeCronJobStatus, fails, conflicts, throttled, dropped, answerLost)
	})

	// Nothing happens after the end of the Job that could make the controller sync. Wrong: leaves the
	// status until then.
	It("with a failing status write, the controller records the end of its last Job", Covers(RecordsDespiteFaults), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		tick := Ago(30 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		Runs(s, cronJob, tick)
		job := JobsOf(s, cronJob)[0]
		failure := s.Proxy.On(writeCronJobStatus).Nth(1).Answer(500)
		Running(s, job.Name, 1).End(0)
		s.Proxy.Meets("record the end of the Job", failure)
		succeeds(s, cronJob, tick)
	})

	// The deletion of the Job is the last event: the controller has seen those before, as it has seen the
	// witness. One that does not read the Job has no request that fails. Wrong: looks for the Job once.
	It("with a failing read request, the controller notices that a Job is gone", Covers(DeletedLeaveActive), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		tick := Ago(30 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("").Suspend()), tick)
		Runs(s, cronJob, tick)
		Runs(s, Due(ctx, s, puppet.CronJob("witness", puppet.Job("").Suspend()), tick), tick)
		s.Proxy.On(getJobs).Nth(1).Answer(500)
		job := JobsOf(s, cronJob)[0]
		s.Delete(&job)
		s.Soon("no Job is active", func(g Gomega) { g.Expect(Active(s, cronJob)).To(BeEmpty()) })
		Expect(Started(s, cronJob)).To(Equal(Times(tick)))
	})

	// Wrong: starts the new Job although it could not delete the old one, or
	// never.
	It("with failing delete requests, the running Job is replaced in the end", Covers(DeletesJobsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		s.Proxy.Start()
		first, second := Ago(30*time.Minute), Ago(20*time.Minute)
		cronJobs := dueEach(ctx, s, names[:3], puppet.CronJob("", puppet.Job("")).Policy(batchv1.ReplaceConcurrent), first)
		for _, cronJob := range cronJobs {
			Runs(s, cronJob, first)
		}
		allHappened := inject(s, deleteJobs, fails, throttled, answerLost)
		for _, cronJob := range cronJobs {
			NextDue(ctx, s, cronJob, second)
		}
		allHappened()
		for _, cronJob := range cronJobs {
			Runs(s, cronJob, second)
			Expect(Started(s, cronJob)).To(Equal(Times(first, second)))
		}
	})

	// A controller that does not read the Job has no request that fails. Wrong: takes a Job that
	// it could not read for deleted.
	It("with failing read requests, nothing starts beside the Job that is to be replaced", Covers(DeletesJobsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		s.Proxy.Start()
		first, second := Ago(30*time.Minute), Ago(20*time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ReplaceConcurrent), first)
		Runs(s, cronJob, first)
		s.Proxy.On(getJobs).First(2).Answer(500)
		NextDue(ctx, s, cronJob, second)
		Runs(s, cronJob, second)
		Expect(Started(s, cronJob)).To(Equal(Times(first, second)))
	})

	// The controller need not try again by itself: a change of the CronJob makes it
	// sync. Wrong: takes the Job for deleted.
	It("with a failing delete request, old Jobs are deleted at the next sync", Covers(DeletesJobsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		failed := s.Proxy.On(deleteJobs).Nth(1).Answer(500)
		s.Proxy.Start()
		cronJob := Due(ctx, s,
			puppet.CronJob("a", puppet.Job("").ExitCodes("0")).SuccessfulJobsHistoryLimit(0), Ago(30*time.Minute))
		s.Proxy.Meets("delete the Job", failed)
		ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) {
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, "example.com/sync", "again")
		})
		Runs(s, cronJob)
		Expect(Started(s, cronJob)).To(HaveLen(1))
	})

	// Wrong: starts the Job of a scheduled time again, because it does not see the
	// status that it wrote.
	It("with a stale view of CronJobs, the controller starts exactly one Job", Covers(StaleCronJob), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		happened, held := holdAt(s, createJobs, "cronjobs")
		tick := Ago(30 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("").ExitCodes("0")), tick)
		if !s.Proxy.Meets("create the Job", happened) {
			succeeds(s, cronJob, tick)
			return
		}
		release := <-held
		s.Proxy.Misses("cronjobs")
		s.Soon("the Job is Complete", func(g Gomega) {
			jobs := JobsOf(s, cronJob)
			g.Expect(jobs).To(HaveLen(1))
			g.Expect(framework.Is(&jobs[0], batchv1.JobComplete)).To(BeTrue())
		})
		s.Stays("the Job is the only one", func(g Gomega) { g.Expect(Started(s, cronJob)).To(Equal(Times(tick))) })
		release()
		succeeds(s, cronJob, tick)
	})

	// Wrong: counts the Jobs that it sees, and sees none that runs.
	It("with a stale view of Jobs, the controller starts no second Job with Forbid", Covers(StaleCronJob), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		happened, held := holdAt(s, createJobs, "jobs")
		first, second := Ago(30*time.Minute), Ago(20*time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent), first)
		if !s.Proxy.Meets("create the Job", happened) {
			Runs(s, cronJob, first)
			return
		}
		release := <-held
		Runs(s, cronJob, first)
		NextDue(ctx, s, cronJob, second)
		KeepsRunning(s, cronJob, first)
		Expect(Started(s, cronJob)).To(Equal(Times(first)))
		release()
		Running(s, JobsOf(s, cronJob)[0].Name, 1).End(0)
		s.Soon("the next Job is active", func(g Gomega) {
			g.Expect(Started(s, cronJob)).To(Equal(Times(first, second)))
			g.Expect(Active(s, cronJob)).To(Equal(Times(second)))
		})
	})

	// Wrong: watches on from its old position, or not at all.
	It("after its watches have expired, the controller acts on what it missed", Covers(CatchesUpWithCronJobs), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		tick := Ago(30 * time.Minute)
		a := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		b := Due(ctx, s, puppet.CronJob("b", puppet.Job("")).Suspend(), tick)
		Runs(s, a, tick)

		release := s.Proxy.Hold("jobs")
		s.Delete(&JobsOf(s, a)[0])
		expire(s, "jobs")
		release()
		Runs(s, a)

		release = s.Proxy.Hold("cronjobs")
		ResumeCronJob(ctx, s, b)
		expire(s, "cronjobs")
		release()
		Runs(s, b, tick)
		Expect(Started(s, a)).To(Equal(Times(tick)))
		Expect(Started(s, b)).To(Equal(Times(tick)))
	})

	// Wrong: skips a Job that it could not start in time.
	It("after 5 s without the API server, the controller starts the missed Job", Covers(CatchesUpWithCronJobs), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		tick := Ago(30 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("").ExitCodes("0")).Suspend(), tick)
		s.Proxy.Cut()
		ResumeCronJob(ctx, s, cronJob)
		const long = 5 * time.Second
		s.StaysFor(long, "no Job is started", func(g Gomega) { g.Expect(Started(s, cronJob)).To(BeEmpty()) })
		s.Proxy.Restore()
		s.SoonAfter(2*long, "the Job is started", func(g Gomega) { g.Expect(Started(s, cronJob)).To(Equal(Times(tick))) })
		succeeds(s, cronJob, tick)
	})
})
