package steps

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/onsi/ginkgo/v2"
	batchv1 "k8s.io/api/batch/v1"
)

// What package framework has under the same names.
var (
	Ago           = framework.Ago
	LastBefore    = framework.LastBefore
	Times         = framework.Times
	ScheduledTime = framework.ScheduledTime
	BeAt          = framework.BeAt
)

// Due is Sandbox.Due.
func Due(_ context.Context, s *framework.Sandbox, cronJob *puppet.CronJobBuilder, tick time.Time) *batchv1.CronJob {
	GinkgoHelper()
	return s.Due(cronJob, tick).Made()
}

// WithDue returns a new sandbox with a CronJob that has missed the time of tick.
func WithDue(ctx context.Context, cronJob *puppet.CronJobBuilder) (_ *framework.Sandbox, _ *batchv1.CronJob, tick time.Time) {
	GinkgoHelper()
	s, tick := framework.New(ctx), Ago(30*time.Minute)
	return s, s.Due(cronJob, tick).Made(), tick
}

// Scheduled is Sandbox.Scheduled.
func Scheduled(_ context.Context, s *framework.Sandbox, cronJob *puppet.CronJobBuilder, last time.Time) *batchv1.CronJob {
	GinkgoHelper()
	return s.Scheduled(cronJob, last).Made()
}

// SetLastScheduleTime is CronJob.SetLastScheduleTime.
func SetLastScheduleTime(_ context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob, at time.Time) {
	GinkgoHelper()
	s.HandleCronJob(cronJob).SetLastScheduleTime(at)
}

// NextDue is CronJob.NextDue.
func NextDue(_ context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob, tick time.Time, changes ...func(*batchv1.CronJob)) {
	GinkgoHelper()
	s.HandleCronJob(cronJob).NextDue(tick, changes...)
}

// ChangeCronJob is CronJob.Change.
func ChangeCronJob(_ context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob, changes ...func(*batchv1.CronJob)) {
	GinkgoHelper()
	s.HandleCronJob(cronJob).Change(changes...)
}

// SuspendCronJob is CronJob.Suspend.
func SuspendCronJob(_ context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob) {
	GinkgoHelper()
	s.HandleCronJob(cronJob).Suspend()
}

// ResumeCronJob is CronJob.Resume.
func ResumeCronJob(_ context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob) {
	GinkgoHelper()
	s.HandleCronJob(cronJob).Resume()
}

// JobsOf is CronJob.Jobs.
func JobsOf(s *framework.Sandbox, cronJob *batchv1.CronJob) []batchv1.Job {
	return s.HandleCronJob(cronJob).Jobs()
}

// CreatedJobs is Sandbox.CreatedJobs.
func CreatedJobs(s *framework.Sandbox) []batchv1.Job { return s.CreatedJobs() }

// Existing is CronJob.Existing.
func Existing(s *framework.Sandbox, cronJob *batchv1.CronJob) []string {
	return s.HandleCronJob(cronJob).Existing()
}

// Started is CronJob.Started.
func Started(s *framework.Sandbox, cronJob *batchv1.CronJob) []string {
	return s.HandleCronJob(cronJob).Started()
}

// Active is CronJob.Active.
func Active(s *framework.Sandbox, cronJob *batchv1.CronJob) []string {
	GinkgoHelper()
	return s.HandleCronJob(cronJob).Active()
}

// Starts is CronJob.Starts.
func Starts(s *framework.Sandbox, cronJob *batchv1.CronJob, tick time.Time) batchv1.Job {
	GinkgoHelper()
	return *s.HandleCronJob(cronJob).Starts(tick).Made()
}

// Runs is CronJob.Runs.
func Runs(s *framework.Sandbox, cronJob *batchv1.CronJob, ticks ...time.Time) {
	GinkgoHelper()
	s.HandleCronJob(cronJob).Runs(ticks...)
}

// KeepsRunning is CronJob.KeepsRunning.
func KeepsRunning(s *framework.Sandbox, cronJob *batchv1.CronJob, ticks ...time.Time) {
	GinkgoHelper()
	s.HandleCronJob(cronJob).KeepsRunning(ticks...)
}
