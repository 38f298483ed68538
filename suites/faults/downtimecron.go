package faults

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	cronjobs "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
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

type cronStep func(s *framework.Sandbox, c runningCronJob)

// runningCronJob is a CronJob with its Job of the time first. The time later is in the past, too.
type runningCronJob struct {
	*framework.CronJob
	job          *framework.Job
	first, later time.Time
}

// setSchedule changes the schedule to one that has a time once a day.
func (c runningCronJob) setSchedule(tick time.Time) {
	GinkgoHelper()
	c.Change(func(c *batchv1.CronJob) { c.Spec.Schedule = puppet.Daily(tick) })
}

// misses makes the status record a time by which that of tick was missed.
func (c runningCronJob) misses(tick time.Time) {
	GinkgoHelper()
	c.SetLastScheduleTime(framework.LastBefore(tick))
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
		c := runningCronJob{first: framework.Ago(40 * time.Minute), later: framework.Ago(20 * time.Minute)}
		c.CronJob = s.Due(d.cronJob, c.first)
		c.job = c.Starts(c.first)
		c.job.Runs(1)
		if d.before != nil {
			d.before(s, c)
		}
		s.Proxy.Kill()
		d.happens(s, c)
		s.Proxy.Start()
		d.after(s, c)
	},
		// The new schedule's time is the last scheduled one, until that is set back. The Job that
		// runs is of a time before: some controllers count missed times from there.
		Entry("a scheduled time came, its Job starts", covers.Requirements(
			CronCatchesUpAfterDowntime, cronjobs.StartsOnSchedule), cronDowntime{
			before: func(_ *framework.Sandbox, c runningCronJob) {
				c.SetLastScheduleTime(c.later)
				c.setSchedule(c.later)
			},
			happens: func(_ *framework.Sandbox, c runningCronJob) { c.misses(c.later) },
			after: func(_ *framework.Sandbox, c runningCronJob) {
				c.Runs(c.first, c.later)
				Expect(c.Started()).To(Equal(framework.Times(c.first, c.later)))
			}}),
		Entry("its schedule was changed, the Job of the new schedule starts", covers.Requirements(
			CronCatchesUpAfterDowntime, cronjobs.ChangedSchedule), cronDowntime{
			happens: func(_ *framework.Sandbox, c runningCronJob) {
				c.setSchedule(c.later)
				c.misses(c.later)
			},
			after: func(_ *framework.Sandbox, c runningCronJob) { c.Runs(c.first, c.later) }}),
		// India is 5:30 h ahead of UTC.
		Entry("its time zone was changed, the Job of that zone starts", covers.Requirements(
			CronCatchesUpAfterDowntime, cronjobs.ChangedTimeZone), cronDowntime{
			happens: func(_ *framework.Sandbox, c runningCronJob) {
				c.Change(func(cronJob *batchv1.CronJob) {
					cronJob.Spec.Schedule = puppet.Daily(c.later.Add(5*time.Hour + 30*time.Minute))
					cronJob.Spec.TimeZone = ptr.To("Asia/Kolkata")
				})
				c.misses(c.later)
			},
			after: func(_ *framework.Sandbox, c runningCronJob) { c.Runs(c.first, c.later) }}),
		Entry("it was suspended, no Job starts", covers.Requirements(
			CronCatchesUpAfterDowntime, cronjobs.SuspendedStartsNothing), cronDowntime{
			happens: func(_ *framework.Sandbox, c runningCronJob) {
				c.Suspend()
				c.setSchedule(c.later)
				c.misses(c.later)
			},
			after: func(_ *framework.Sandbox, c runningCronJob) { c.KeepsRunning(c.first) }}),
		Entry("it was resumed, the missed Job starts", covers.Requirements(
			CronCatchesUpAfterDowntime, cronjobs.ResumeStartsMissed), cronDowntime{
			before: func(_ *framework.Sandbox, c runningCronJob) {
				c.Suspend()
				c.setSchedule(c.later)
				c.misses(c.later)
			},
			happens: func(_ *framework.Sandbox, c runningCronJob) { c.Resume() },
			after:   func(_ *framework.Sandbox, c runningCronJob) { c.Runs(c.first, c.later) }}),
		Entry("its Job's pod succeeded, the Job is not active", covers.Requirements(
			CronCatchesUpAfterDowntime, cronjobs.FinishedLeaveActive), cronDowntime{
			happens: func(s *framework.Sandbox, _ runningCronJob) { end(s, 0, s.Active()...) },
			after:   func(s *framework.Sandbox, c runningCronJob) { succeeds(s, c.CronJob, c.first) }}),
		Entry("its Job's pod succeeded, the success is recorded", covers.Requirements(
			cronjobs.LastSuccessfulTime), cronDowntime{
			happens: func(s *framework.Sandbox, _ runningCronJob) { end(s, 0, s.Active()...) },
			after: func(s *framework.Sandbox, c runningCronJob) {
				c.ActsOnJobs("the success is recorded", func(g Gomega) {
					g.Expect(c.Now().Status.LastSuccessfulTime).NotTo(BeNil(), "status.lastSuccessfulTime")
					g.Expect(c.Now().Status.LastSuccessfulTime).To(Equal(c.job.Now().Status.CompletionTime),
						"status.lastSuccessfulTime")
				})
			}}),
		// That the Job is not started again, with or without a downtime, is CRON-STATUS-003.
		Entry("its Job was deleted, it is not active", covers.Requirements(
			CronCatchesUpAfterDowntime), cronDowntime{
			happens: deletesItsJob,
			after:   func(s *framework.Sandbox, c runningCronJob) { isNotActive(s, c.CronJob, c.job.UID) }}),
		Entry("its Job was deleted, it is not started again", covers.Requirements(
			cronjobs.DeletedLeaveActive), cronDowntime{
			happens: deletesItsJob,
			after: func(s *framework.Sandbox, c runningCronJob) {
				isNotActive(s, c.CronJob, c.job.UID)
				s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
				Expect(c.Started()).To(Equal(framework.Times(c.first)))
			}}),
		Entry("the Job that kept another back ended, the other one starts", covers.Requirements(
			CronCatchesUpAfterDowntime, cronjobs.ForbidStartsLater), cronDowntime{
			cronJob: puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent),
			before:  func(_ *framework.Sandbox, c runningCronJob) { c.NextDue(c.later) },
			happens: func(s *framework.Sandbox, _ runningCronJob) { end(s, 0, s.Active()...) },
			after: func(s *framework.Sandbox, c runningCronJob) {
				c.ActsOnJobs("the next Job is active", func(g Gomega) {
					c.Refers(g, c.later)
					g.Expect(c.job.Is(batchv1.JobComplete)).To(BeTrue())
				})
				Expect(c.Started()).To(Equal(framework.Times(c.first, c.later)))
			}}),
		Entry("its history limit was lowered, its finished Job is deleted", covers.Requirements(
			CronCatchesUpAfterDowntime, cronjobs.LoweredHistoryLimit), cronDowntime{
			before: func(s *framework.Sandbox, c runningCronJob) {
				s.Active().End(0)
				succeeds(s, c.CronJob, c.first)
			},
			happens: func(_ *framework.Sandbox, c runningCronJob) {
				c.Change(func(c *batchv1.CronJob) { c.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](0) })
			},
			after: func(s *framework.Sandbox, _ runningCronJob) { noJobs(s) }}),
		Entry("it was deleted, its Job and the pod are gone", covers.Requirements(
			CronCatchesUpAfterDowntime, cronjobs.JobsGoWithCronJob), cronDowntime{
			happens: func(s *framework.Sandbox, c runningCronJob) {
				pods := s.Active()
				c.Delete()
				ended(s, pods...)
			},
			after: func(s *framework.Sandbox, _ runningCronJob) { allGone(s, nil, nil) }}),
		Entry("it was created again under its name, the orphaned Job is not its own", covers.Requirements(
			CronCatchesUpAfterDowntime, cronjobs.NotTheEarlierCronJobsJobs, cronjobs.OrphanedJobsRun), cronDowntime{
			happens: func(s *framework.Sandbox, c runningCronJob) {
				c.Orphan()
				s.Soon("the Job has no owner", func(g Gomega) {
					g.Expect(c.job.Now().OwnerReferences).To(BeEmpty())
					g.Expect(s.Recorder.CronJob("a")).To(BeNil())
				})
				s.Due(puppet.CronJob("a", puppet.Job("")), c.later)
			},
			after: func(s *framework.Sandbox, c runningCronJob) {
				s.HandleCronJob(c.Now()).Runs(c.later)
				Expect(c.job.Now().OwnerReferences).To(BeEmpty())
				c.job.Runs(1)
			}}),
	)
})

func deletesItsJob(s *framework.Sandbox, c runningCronJob) {
	c.job.Delete()
	noJobs(s)
}
