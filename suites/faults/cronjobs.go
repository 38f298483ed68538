package faults

import (
	"context"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	cronjobs "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// dueEach creates CronJobs like this one under several names; each has missed
// the time of tick.
func dueEach(
	s *framework.Sandbox, names []string, cronJob *puppet.CronJobBuilder, tick time.Time,
) (all []*framework.CronJob) {
	GinkgoHelper()
	for _, name := range names {
		all = append(all, s.Due(cronJob.With(func(c *batchv1.CronJob) { c.Name = name }), tick))
	}
	return all
}

// isNotActive waits until status.active does not refer to a Job any more.
func isNotActive(s *framework.Sandbox, cronJob *framework.CronJob, job types.UID) {
	GinkgoHelper()
	s.Soon("the Job is not active", func(g Gomega) {
		g.Expect(cronJob.Now().Status.Active).NotTo(ContainElement(HaveField("UID", job)), "status.active")
	})
}

// startedCronJob is started with a CronJob.
func startedCronJob(ctx context.Context) *framework.Sandbox {
	GinkgoHelper()
	s := framework.Behind(ctx)
	s.Proxy.Start()
	tick := framework.Ago(time.Hour)
	succeeds(s, s.Due(puppet.CronJob("first", puppet.Job("").ExitCodes("0")), tick), tick)
	return s
}

// succeeds waits until the CronJob's Job of a scheduled time is Complete and the
// status records its start and its end. It expects that the CronJob never had another Job.
func succeeds(s *framework.Sandbox, cronJob *framework.CronJob, tick time.Time) {
	GinkgoHelper()
	s.Soon("CronJob "+cronJob.Name+" records the end of its Job", func(g Gomega) {
		g.Expect(cronJob.Jobs()).To(HaveLen(1))
		g.Expect(framework.Is(&cronJob.Jobs()[0], batchv1.JobComplete)).To(BeTrue())
		cronJob.Refers(g)
		cronJob.ScheduledLast(g, tick)
	})
	Expect(cronJob.Started()).To(Equal(framework.Times(tick)))
}

// holdAt stops the watch events of a resource when the first of some requests is
// made. held receives the function that releases them.
func holdAt(s *framework.Sandbox, calls faultproxy.Calls,
	resource string) (happened *faultproxy.Rule, held <-chan func()) {
	holds := make(chan func(), 1)
	return s.Proxy.On(calls).Nth(1).Do(func() { holds <- s.Proxy.Hold(resource) }), holds
}

var _ = Describe("CronJob faults:", faultLabels, func() {

	// failing has requests fail while four CronJobs start their Jobs.
	failing := func(ctx context.Context, calls faultproxy.Calls, faults ...fault) {
		s := framework.Behind(ctx)
		allHappened := inject(s, calls, faults...)
		s.Proxy.Start()
		tick := framework.Ago(30 * time.Minute)
		cronJobs := dueEach(s, names, puppet.CronJob("", puppet.Job("").ExitCodes("0")), tick)
		allHappened()
		for _, cronJob := range cronJobs {
			succeeds(s, cronJob, tick)
		}
	}

	// Wrong: takes a Job for started that could not be created.
	It("with failing create requests, the CronJob starts exactly one Job", covers.Requirements(
		StartsDespiteFaults), covers.Shows(upstream.LostStart), func(ctx SpecContext) {
		failing(ctx, createJobs, fails, throttled, dropped, answerLost)
	})

	// It does not see the Job, and finds out that there is one of that name when it creates it again. A controller that
	// gives each Job another name starts two. Wrong: does not try to read it again.
	It("the controller records a Job that it could not read after a lost answer", covers.Requirements(
		RecordsDespiteFaults), covers.MayShow(upstream.LostStart), func(ctx SpecContext) {
		s, tick := startedCronJob(ctx), framework.Ago(30*time.Minute)
		release := s.Proxy.Hold("jobs")
		lost := s.Proxy.On(createJobs).Nth(1).LoseAnswer()
		unread := s.Proxy.On(getJobs).First(2).Answer(500)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		s.Proxy.Meets("create the Job", lost)
		recorded := func(g Gomega) { cronJob.RecordsStart(g, tick) }
		if s.Proxy.Meets("read the Job", unread) { // one that reads none waits for its watch
			s.SoonAfter(framework.MaxAPIBackoff, "the status refers to the Job", recorded)
		}
		release()
		s.SoonAfter(framework.MaxAPIBackoff, "the status refers to the Job", recorded)
		s.Stays("the status refers to the Job", recorded)
	})

	// Wrong: writes once, and forgets what it could not write.
	It("with failing status writes, the controller records the end of its Job", covers.Requirements(
		RecordsDespiteFaults), covers.Shows(upstream.LostStart), func(ctx SpecContext) {
		failing(ctx, writeCronJobStatus, fails, conflicts, throttled, dropped, answerLost)
	})

	// Nothing happens after the end of the Job that could make the controller sync. Wrong: leaves the
	// status until then.
	It("with a failing status write, the controller records the end of its last Job", covers.Requirements(
		RecordsDespiteFaults), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		tick := framework.Ago(30 * time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		cronJob.Runs(tick)
		job := s.Handle(&cronJob.Jobs()[0])
		failure := s.Proxy.On(writeCronJobStatus).Nth(1).Answer(500)
		job.Runs(1).End(0)
		s.Proxy.Meets("record the end of the Job", failure)
		succeeds(s, cronJob, tick)
	})

	// The deletion of the Job is the last event: the controller has seen those before, as it has seen the
	// witness. One that does not read the Job has no request that fails. Wrong: looks for the Job once.
	It("with a failing read request, the controller notices that a Job is gone", covers.Requirements(
		cronjobs.DeletedLeaveActive), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		tick := framework.Ago(30 * time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("").Parallelism(0)), tick)
		cronJob.Runs(tick)
		s.Due(puppet.CronJob("witness", puppet.Job("").Parallelism(0)), tick).Runs(tick)
		s.Proxy.On(getJobs).Nth(1).Answer(500)
		s.Delete(&cronJob.Jobs()[0])
		s.Soon("no Job is active", func(g Gomega) { cronJob.Refers(g) })
		Expect(cronJob.Started()).To(Equal(framework.Times(tick)))
	})

	// Wrong: starts the new Job although it could not delete the old one, or
	// never.
	It("with failing delete requests, the running Job is replaced in the end", covers.Requirements(
		DeletesJobsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		s.Proxy.Start()
		first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
		cronJobs := dueEach(s, names[:3], puppet.CronJob("", puppet.Job("")).Policy(batchv1.ReplaceConcurrent), first)
		for _, cronJob := range cronJobs {
			cronJob.Runs(first)
		}
		allHappened := inject(s, deleteJobs, fails, throttled, answerLost)
		for _, cronJob := range cronJobs {
			cronJob.NextDue(second)
		}
		allHappened()
		for _, cronJob := range cronJobs {
			cronJob.Runs(second)
			Expect(cronJob.Started()).To(Equal(framework.Times(first, second)))
		}
	})

	// A controller that does not read the Job has no request that fails. Wrong: takes a Job that
	// it could not read for deleted.
	It("with failing read requests, nothing starts beside the Job that is to be replaced", covers.Requirements(
		DeletesJobsDespiteFaults), covers.MayArise(spec.RequestFailed), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		s.Proxy.Start()
		first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ReplaceConcurrent), first)
		cronJob.Runs(first)
		s.Proxy.On(getJobs).First(2).Answer(500)
		cronJob.NextDue(second)
		cronJob.Runs(second)
		Expect(cronJob.Started()).To(Equal(framework.Times(first, second)))
	})

	// Wrong: has the last of the deletions decide, or the first.
	DescribeTable("with a refused deletion of one of several running Jobs, nothing starts beside them", func(
		ctx SpecContext, kept int) {
		s := startedCronJob(ctx)
		ticks := []time.Time{framework.Ago(40 * time.Minute), framework.Ago(30 * time.Minute),
			framework.Ago(20 * time.Minute)}
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("").Parallelism(0)), ticks[0])
		cronJob.Runs(ticks[0])
		for i := range ticks[1:] {
			cronJob.NextDue(ticks[i+1])
			cronJob.Runs(ticks[:i+2]...)
		}
		failure := s.Proxy.On(called(deleteJobs)(s.JobName(cronJob.Name, ticks[kept]))).Answer(403)
		next := framework.Ago(10 * time.Minute)
		cronJob.NextDue(next, func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = batchv1.ReplaceConcurrent })
		s.Proxy.Meets("delete the Job", failure)
		s.Stays("no Job is started", func(g Gomega) {
			g.Expect(cronJob.Started()).To(Equal(framework.Times(ticks...)))
		})
		failure.Remove()
		s.SoonAfter(framework.MaxAPIBackoff, "the next Job has replaced them", func(g Gomega) {
			g.Expect(cronJob.Existing()).To(Equal(framework.Times(next)))
		})
	},
		Entry("that of the first Job", covers.Requirements(DeletesJobsDespiteFaults), 0),
		Entry("that of the last Job", covers.Requirements(DeletesJobsDespiteFaults), 2),
	)

	// The controller need not try again by itself: a change of the CronJob makes it
	// sync. Wrong: takes the Job for deleted.
	It("with a failing delete request, old Jobs are deleted at the next sync", covers.Requirements(
		DeletesJobsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		failed := s.Proxy.On(deleteJobs).Nth(1).Answer(500)
		s.Proxy.Start()
		cronJob := s.Due(
			puppet.CronJob("a", puppet.Job("").ExitCodes("0")).SuccessfulJobsHistoryLimit(0),
			framework.Ago(30*time.Minute))
		s.Proxy.Meets("delete the Job", failed)
		cronJob.Change(func(c *batchv1.CronJob) {
			metav1.SetMetaDataAnnotation(&c.ObjectMeta, "example.com/sync", "again")
		})
		cronJob.Runs()
		Expect(cronJob.Started()).To(HaveLen(1))
	})

	// Wrong: starts the Job of a scheduled time again, because it does not see the
	// status that it wrote.
	It("with a stale view of CronJobs, the controller starts exactly one Job", covers.Requirements(
		StaleCronJob), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		happened, held := holdAt(s, createJobs, "cronjobs")
		tick := framework.Ago(30 * time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("").ExitCodes("0")), tick)
		if !s.Proxy.Meets("create the Job", happened) {
			succeeds(s, cronJob, tick)
			return
		}
		release := <-held
		s.Proxy.Misses("cronjobs")
		s.Soon("the Job is Complete", func(g Gomega) {
			jobs := cronJob.Jobs()
			g.Expect(jobs).To(HaveLen(1))
			g.Expect(framework.Is(&jobs[0], batchv1.JobComplete)).To(BeTrue())
		})
		s.Stays("the Job is the only one", func(g Gomega) {
			g.Expect(cronJob.Started()).To(Equal(framework.Times(tick)))
		})
		release()
		succeeds(s, cronJob, tick)
	})

	// Wrong: counts the Jobs that it sees, and sees none that runs.
	It("with a stale view of Jobs, the controller starts no second Job with Forbid", covers.Requirements(
		StaleCronJob), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
		cronJob, release := startsUnseen(s, batchv1.ForbidConcurrent, first)
		if release == nil {
			return
		}
		cronJob.NextDue(second)
		s.Stays("the first Job is the only one", func(g Gomega) {
			g.Expect(cronJob.Started()).To(Equal(framework.Times(first)))
		})
		release()
		s.Handle(&cronJob.Jobs()[0]).Runs(1).End(0)
		s.Soon("the next Job is active", func(g Gomega) {
			g.Expect(cronJob.Started()).To(Equal(framework.Times(first, second)))
			cronJob.Refers(g, second)
		})
	})

	// A controller that does not read the Job has no request that fails. Wrong: takes a Job for gone that it
	// does not see and cannot read.
	It("with a stale view of Jobs and failing read requests, the controller starts no second Job with Forbid",
		covers.Requirements(StaleCronJob), func(ctx SpecContext) {
			s := startedCronJob(ctx)
			first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
			cronJob, release := startsUnseen(s, batchv1.ForbidConcurrent, first)
			if release == nil {
				return
			}
			s.Proxy.On(getJobs).First(refused).Answer(500)
			cronJob.NextDue(second)
			s.Stays("the first Job is the only one", func(g Gomega) {
				g.Expect(cronJob.Started()).To(Equal(framework.Times(first)))
			})
			release()
			cronJob.Runs(first)
		})

	// Wrong: deletes the Jobs that it sees, and sees none.
	It("with a stale view of Jobs, the controller starts nothing beside a Job that Replace has to delete",
		covers.Requirements(StaleCronJob), func(ctx SpecContext) {
			s := startedCronJob(ctx)
			first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
			cronJob, release := startsUnseen(s, batchv1.ReplaceConcurrent, first)
			if release == nil {
				return
			}
			cronJob.NextDue(second)
			s.Stays("at most one Job is not being deleted", func(g Gomega) {
				left := slices.DeleteFunc(cronJob.Jobs(), func(j batchv1.Job) bool {
					return j.DeletionTimestamp != nil
				})
				g.Expect(len(left)).To(BeNumerically("<=", 1))
			})
			release()
			cronJob.Runs(second)
		})

	// Whether it starts the deleted Job again is no question of watches. Wrong: watches on from its old
	// position, or not at all.
	It("after its watches have expired, the controller acts on what it missed", covers.Requirements(
		CatchesUpWithCronJobs), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		tick := framework.Ago(30 * time.Minute)
		a := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		b := s.Due(puppet.CronJob("b", puppet.Job("")).Suspend(), tick)
		a.Runs(tick)

		release, job := s.Proxy.Hold("jobs"), a.Jobs()[0]
		s.Delete(&job)
		expire(s, "jobs")
		release()
		isNotActive(s, a, job.UID)

		release = s.Proxy.Hold("cronjobs")
		b.Resume()
		expire(s, "cronjobs")
		release()
		b.Runs(tick)
		Expect(b.Started()).To(Equal(framework.Times(tick)))
	})

	// Wrong: skips a Job that it could not start in time.
	It("after 5 s without the API server, the controller starts the missed Job", covers.Requirements(
		CatchesUpWithCronJobs), func(ctx SpecContext) {
		s := startedCronJob(ctx)
		tick := framework.Ago(30 * time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("").ExitCodes("0")).Suspend(), tick)
		s.Proxy.Cut()
		cronJob.Resume()
		const long = 5 * time.Second
		s.StaysFor(long, "no Job is started", func(g Gomega) { g.Expect(cronJob.Started()).To(BeEmpty()) })
		s.Proxy.Restore()
		s.SoonAfter(2*long, "the Job is started", func(g Gomega) {
			g.Expect(cronJob.Started()).To(Equal(framework.Times(tick)))
		})
		succeeds(s, cronJob, tick)
	})
})

// startsUnseen has a controller start a Job that it does not see until release is called. That is nil where it has
// started it without the request that this is about.
func startsUnseen(s *framework.Sandbox, policy batchv1.ConcurrencyPolicy, tick time.Time) (
	cronJob *framework.CronJob, release func()) {
	GinkgoHelper()
	happened, held := holdAt(s, createJobs, "jobs")
	cronJob = s.Due(puppet.CronJob("a", puppet.Job("")).Policy(policy), tick)
	if !s.Proxy.Meets("create the Job", happened) {
		cronJob.Runs(tick)
		return cronJob, nil
	}
	release = <-held
	s.Soon("the first Job is started", func(g Gomega) {
		g.Expect(cronJob.Started()).To(Equal(framework.Times(tick)))
	})
	// It may be in the status only once the controller sees it.
	s.May("the status refers to it", func(g Gomega) { cronJob.Refers(g, tick) })
	return cronJob, release
}
