package faults

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
)

// cronDowntime is what happens to a CronJob while the implementation does not run. Its
// Job of the time first runs before.
type cronDowntime struct {
	// cronJob is created first. Default: one with the policy Allow.
	cronJob *puppet.CronJobBuilder
	// before happens while the implementation runs for the first time. Default: nothing.
	before cronStep
	// happens while the implementation does not run, and after waits for what becomes of it.
	happens, after cronStep
}

type cronStep func(ctx context.Context, s *framework.Sandbox, c runningCronJob)

// runningCronJob is a CronJob with its Job of the time first. The time later is in the past, too.
type runningCronJob struct {
	cronJob      *batchv1.CronJob
	job          batchv1.Job
	first, later time.Time
}

// setSchedule changes the schedule to one that has a time once a day.
func (c runningCronJob) setSchedule(ctx context.Context, s *framework.Sandbox, tick time.Time) {
	GinkgoHelper()
	ChangeCronJob(ctx, s, c.cronJob, func(c *batchv1.CronJob) { c.Spec.Schedule = puppet.Daily(tick) })
}

// misses makes the status record a time by which that of tick was missed.
func (c runningCronJob) misses(ctx context.Context, s *framework.Sandbox, tick time.Time) {
	GinkgoHelper()
	SetLastScheduleTime(ctx, s, s.CronJob(c.cronJob.Name), LastBefore(tick))
}

var _ = Describe("CronJob faults:", faultLabels, func() {

	// Wrong: acts on events alone, and takes what is there at its start for done; or
	// starts again what the status does not show.
	DescribeTable("after a downtime in which", func(ctx SpecContext, d cronDowntime) {
		if d.cronJob == nil {
			d.cronJob = puppet.CronJob("a", puppet.Job(""))
		}
		s := framework.Behind(ctx)
		s.Proxy.Start()
		c := runningCronJob{first: Ago(40 * time.Minute), later: Ago(20 * time.Minute)}
		c.cronJob = Due(ctx, s, d.cronJob, c.first)
		c.job = Starts(s, c.cronJob, c.first)
		Running(s, c.job.Name, 1)
		if d.before != nil {
			d.before(ctx, s, c)
		}
		s.Proxy.Kill()
		d.happens(ctx, s, c)
		s.Proxy.Start()
		d.after(ctx, s, c)
	},
		// The new schedule's time is the last scheduled one, until that is set back. The Job that
		// runs is of a time before: some controllers count missed times from there.
		Entry("a scheduled time came, its Job starts", Covers(CronCatchesUpAfterDowntime, StartsOnSchedule), cronDowntime{
			before: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) {
				SetLastScheduleTime(ctx, s, s.CronJob(c.cronJob.Name), c.later)
				c.setSchedule(ctx, s, c.later)
			},
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) { c.misses(ctx, s, c.later) },
			after: func(_ context.Context, s *framework.Sandbox, c runningCronJob) {
				Runs(s, c.cronJob, c.first, c.later)
				Expect(Started(s, c.cronJob)).To(Equal(Times(c.first, c.later)))
			}}),
		Entry("its schedule was changed, the Job of the new schedule starts", Covers(CronCatchesUpAfterDowntime, ChangedSchedule), cronDowntime{
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) {
				c.setSchedule(ctx, s, c.later)
				c.misses(ctx, s, c.later)
			},
			after: func(_ context.Context, s *framework.Sandbox, c runningCronJob) { Runs(s, c.cronJob, c.first, c.later) }}),
		// India is 5:30 h ahead of UTC.
		Entry("its time zone was changed, the Job of that zone starts", Covers(CronCatchesUpAfterDowntime, ChangedTimeZone), cronDowntime{
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) {
				ChangeCronJob(ctx, s, c.cronJob, func(cronJob *batchv1.CronJob) {
					cronJob.Spec.Schedule = puppet.Daily(c.later.Add(5*time.Hour + 30*time.Minute))
					cronJob.Spec.TimeZone = ptr.To("Asia/Kolkata")
				})
				c.misses(ctx, s, c.later)
			},
			after: func(_ context.Context, s *framework.Sandbox, c runningCronJob) { Runs(s, c.cronJob, c.first, c.later) }}),
		Entry("it was suspended, no Job starts", Covers(CronCatchesUpAfterDowntime, SuspendedStartsNothing), cronDowntime{
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) {
				SuspendCronJob(ctx, s, c.cronJob)
				c.setSchedule(ctx, s, c.later)
				c.misses(ctx, s, c.later)
			},
			after: func(_ context.Context, s *framework.Sandbox, c runningCronJob) { KeepsRunning(s, c.cronJob, c.first) }}),
		Entry("it was resumed, the missed Job starts", Covers(CronCatchesUpAfterDowntime, ResumeStartsMissed), cronDowntime{
			before: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) {
				SuspendCronJob(ctx, s, c.cronJob)
				c.setSchedule(ctx, s, c.later)
				c.misses(ctx, s, c.later)
			},
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) { ResumeCronJob(ctx, s, c.cronJob) },
			after:   func(_ context.Context, s *framework.Sandbox, c runningCronJob) { Runs(s, c.cronJob, c.first, c.later) }}),
		Entry("its Job's pod succeeded, the Job is not active", Covers(CronCatchesUpAfterDowntime, FinishedLeaveActive), cronDowntime{
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) { end(ctx, s, 0, s.Active()...) },
			after:   func(_ context.Context, s *framework.Sandbox, c runningCronJob) { succeeds(s, c.cronJob, c.first) }}),
		Entry("its Job's pod succeeded, the success is recorded", Covers(LastSuccessfulTime), cronDowntime{
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) { end(ctx, s, 0, s.Active()...) },
			after: func(_ context.Context, s *framework.Sandbox, c runningCronJob) {
				s.Soon("the success is recorded", func(g Gomega) {
					g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
					g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(Equal(s.Job(c.job.Name).Status.CompletionTime))
				})
			}}),
		Entry("its Job was deleted, it is not active and not started again", Covers(CronCatchesUpAfterDowntime, DeletedLeaveActive), cronDowntime{
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) {
				s.Delete(&c.job)
				noJobs(s)
			},
			after: func(_ context.Context, s *framework.Sandbox, c runningCronJob) {
				Runs(s, c.cronJob)
				s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
				Expect(Started(s, c.cronJob)).To(Equal(Times(c.first)))
			}}),
		Entry("the Job that kept another back ended, the other one starts", Covers(CronCatchesUpAfterDowntime, ForbidStartsLater), cronDowntime{
			cronJob: puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent),
			before:  func(ctx context.Context, s *framework.Sandbox, c runningCronJob) { NextDue(ctx, s, c.cronJob, c.later) },
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) { end(ctx, s, 0, s.Active()...) },
			after: func(_ context.Context, s *framework.Sandbox, c runningCronJob) {
				s.Soon("the next Job is active", func(g Gomega) {
					g.Expect(Active(s, c.cronJob)).To(Equal(Times(c.later)))
					g.Expect(framework.Is(s.Job(c.job.Name), batchv1.JobComplete)).To(BeTrue())
				})
				Expect(Started(s, c.cronJob)).To(Equal(Times(c.first, c.later)))
			}}),
		Entry("its history limit was lowered, its finished Job is deleted", Covers(CronCatchesUpAfterDowntime, LoweredHistoryLimit), cronDowntime{
			before: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) {
				s.Active().End(0)
				succeeds(s, c.cronJob, c.first)
			},
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) {
				ChangeCronJob(ctx, s, c.cronJob, func(c *batchv1.CronJob) { c.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](0) })
			},
			after: func(_ context.Context, s *framework.Sandbox, c runningCronJob) {
				noJobs(s)
				Expect(Started(s, c.cronJob)).To(Equal(Times(c.first)))
			}}),
		Entry("it was deleted, its Job and the pod are gone", Covers(CronCatchesUpAfterDowntime, JobsGoWithCronJob), cronDowntime{
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) {
				pods := s.Active()
				s.Delete(c.cronJob)
				ended(s, pods...)
			},
			after: func(ctx context.Context, s *framework.Sandbox, _ runningCronJob) { allGone(ctx, s, nil) }}),
		Entry("it was created again under its name, the orphaned Job is not its own", Covers(CronCatchesUpAfterDowntime, NotTheEarlierCronJobsJobs, OrphanedJobsRun), cronDowntime{
			happens: func(ctx context.Context, s *framework.Sandbox, c runningCronJob) {
				Orphan(ctx, s, c.cronJob)
				s.Soon("the Job has no owner", func(g Gomega) {
					g.Expect(s.Job(c.job.Name).OwnerReferences).To(BeEmpty())
					g.Expect(s.Recorder.CronJob("a")).To(BeNil())
				})
				Due(ctx, s, puppet.CronJob("a", puppet.Job("")), c.later)
			},
			after: func(_ context.Context, s *framework.Sandbox, c runningCronJob) {
				Runs(s, s.CronJob("a"), c.later)
				Expect(s.Job(c.job.Name).OwnerReferences).To(BeEmpty())
				Running(s, c.job.Name, 1)
			}}),
	)
})
