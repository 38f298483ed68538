package steps

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Ago returns the start of the minute, in UTC, that d before now belongs to.
func Ago(d time.Duration) time.Time { return time.Now().UTC().Add(-d).Truncate(time.Minute) }

// Due creates a CronJob that is scheduled once a day at the time of tick, and
// has missed it. No other Job becomes due while a spec runs.
func Due(ctx context.Context, s *framework.Sandbox, cronJob *puppet.CronJobBuilder, tick time.Time) *batchv1.CronJob {
	GinkgoHelper()
	return Scheduled(ctx, s, cronJob.Schedule(puppet.Daily(tick)), LastBefore(tick))
}

// WithDue returns a new sandbox with a CronJob that has missed the time of tick.
func WithDue(ctx context.Context, cronJob *puppet.CronJobBuilder) (_ *framework.Sandbox, _ *batchv1.CronJob, tick time.Time) {
	GinkgoHelper()
	s, tick := framework.New(ctx), Ago(30*time.Minute)
	return s, Due(ctx, s, cronJob, tick), tick
}

// LastBefore returns the lastScheduleTime by which the time of tick has been missed.
func LastBefore(tick time.Time) time.Time { return tick.Add(-5 * time.Minute) }

// Scheduled creates a CronJob with a lastScheduleTime.
func Scheduled(ctx context.Context, s *framework.Sandbox, cronJob *puppet.CronJobBuilder, last time.Time) *batchv1.CronJob {
	GinkgoHelper()
	created := framework.Create(ctx, s, cronJob.Obj())
	SetLastScheduleTime(ctx, s, created, last)
	return created
}

// SetLastScheduleTime makes the status report that the CronJob's last Job was
// scheduled at a time.
func SetLastScheduleTime(ctx context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob, at time.Time) {
	GinkgoHelper()
	framework.ChangeStatus(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Status.LastScheduleTime = ptr.To(metav1.NewTime(at)) })
}

// NextDue makes a later time of a CronJob due. The controller sees that and all
// further changes at once: the CronJob is suspended until they are made.
func NextDue(ctx context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob, tick time.Time, changes ...func(*batchv1.CronJob)) {
	GinkgoHelper()
	ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) {
		c.Spec.Suspend = ptr.To(true)
		c.Spec.Schedule = puppet.Daily(tick)
	})
	SetLastScheduleTime(ctx, s, s.CronJob(cronJob.Name), LastBefore(tick))
	ChangeCronJob(ctx, s, cronJob, append(changes, func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(false) })...)
}

// ChangeCronJob changes the latest revision of a CronJob.
func ChangeCronJob(ctx context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob, changes ...func(*batchv1.CronJob)) {
	GinkgoHelper()
	framework.Change(ctx, s, s.CronJob(cronJob.Name), func(c *batchv1.CronJob) {
		for _, change := range changes {
			change(c)
		}
	})
}

// SuspendCronJob suspends a CronJob.
func SuspendCronJob(ctx context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob) {
	GinkgoHelper()
	ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(true) })
}

// ResumeCronJob resumes a CronJob.
func ResumeCronJob(ctx context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob) {
	GinkgoHelper()
	ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(false) })
}

// Times returns times in the format of Existing, Started and Active.
func Times(times ...time.Time) []string {
	list := []string{}
	for _, t := range times {
		list = append(list, t.UTC().Format(time.RFC3339))
	}
	return list
}

// ScheduledTime returns a Job's scheduled time in UTC, or the Job's name if it
// has none.
func ScheduledTime(job batchv1.Job) string {
	at, err := time.Parse(time.RFC3339, job.Annotations[batchv1.CronJobScheduledTimestampAnnotation])
	if err != nil {
		return job.Name
	}
	return at.UTC().Format(time.RFC3339)
}

// JobsOf returns the CronJob's Jobs that exist, oldest first.
func JobsOf(s *framework.Sandbox, cronJob *batchv1.CronJob) []batchv1.Job {
	return slices.DeleteFunc(s.Jobs(), func(j batchv1.Job) bool { return !metav1.IsControlledBy(&j, cronJob) })
}

// CreatedJobs returns all Jobs that were ever created, as they were then.
func CreatedJobs(s *framework.Sandbox) []batchv1.Job {
	var all []batchv1.Job
	for _, r := range s.History().Jobs("") {
		if r.Created() {
			all = append(all, *r.Job())
		}
	}
	return all
}

// Existing returns the scheduled times of the CronJob's Jobs that exist.
func Existing(s *framework.Sandbox, cronJob *batchv1.CronJob) []string {
	return scheduledTimes(JobsOf(s, cronJob))
}

// Started returns the scheduled times of the CronJob's Jobs that were ever created.
func Started(s *framework.Sandbox, cronJob *batchv1.CronJob) []string {
	return scheduledTimes(slices.DeleteFunc(CreatedJobs(s), func(j batchv1.Job) bool { return !metav1.IsControlledBy(&j, cronJob) }))
}

func scheduledTimes(jobs []batchv1.Job) []string {
	list := []string{}
	for _, job := range jobs {
		list = append(list, ScheduledTime(job))
	}
	slices.Sort(list)
	return list
}

// Active returns the scheduled times of the Jobs in status.active. A reference
// to a Job that does not exist is listed by its name.
func Active(s *framework.Sandbox, cronJob *batchv1.CronJob) []string {
	list := []string{}
	all := s.Jobs()
	for _, ref := range s.CronJob(cronJob.Name).Status.Active {
		i := slices.IndexFunc(all, func(j batchv1.Job) bool {
			return j.UID == ref.UID && j.Name == ref.Name && j.Namespace == ref.Namespace
		})
		if i < 0 {
			list = append(list, ref.Name)
		} else {
			list = append(list, ScheduledTime(all[i]))
		}
	}
	slices.Sort(list)
	return list
}

// Starts waits until the Job of a scheduled time exists and the status refers to
// it, and returns it.
func Starts(s *framework.Sandbox, cronJob *batchv1.CronJob, tick time.Time) batchv1.Job {
	GinkgoHelper()
	want := Times(tick)
	var started batchv1.Job
	s.Soon("CronJob "+cronJob.Name+" has started its Job of "+want[0], func(g Gomega) {
		g.Expect(Existing(s, cronJob)).To(ContainElements(want))
		g.Expect(Active(s, cronJob)).To(ContainElements(want))
		g.Expect(s.CronJob(cronJob.Name).Status.LastScheduleTime).To(BeAt(tick))
		for _, job := range JobsOf(s, cronJob) {
			if ScheduledTime(job) == want[0] {
				started = job
			}
		}
	})
	return started
}

// Runs waits until the Jobs of these times, and no others of the CronJob, exist
// and are active.
func Runs(s *framework.Sandbox, cronJob *batchv1.CronJob, ticks ...time.Time) {
	GinkgoHelper()
	s.Soon(runs(cronJob, ticks), runsJobs(s, cronJob, ticks))
}

// KeepsRunning expects that the Jobs of these times, and no others of the
// CronJob, exist and are active, now and for the time of Stays.
func KeepsRunning(s *framework.Sandbox, cronJob *batchv1.CronJob, ticks ...time.Time) {
	GinkgoHelper()
	s.Stays(runs(cronJob, ticks), runsJobs(s, cronJob, ticks))
}

func runs(cronJob *batchv1.CronJob, ticks []time.Time) string {
	if len(ticks) == 0 {
		return "CronJob " + cronJob.Name + " runs no Job"
	}
	return "CronJob " + cronJob.Name + " runs exactly the Jobs of " + strings.Join(Times(ticks...), ", ")
}

func runsJobs(s *framework.Sandbox, cronJob *batchv1.CronJob, ticks []time.Time) func(Gomega) {
	return func(g Gomega) {
		g.Expect(Existing(s, cronJob)).To(Equal(Times(ticks...)))
		g.Expect(Active(s, cronJob)).To(Equal(Times(ticks...)))
	}
}

// BeAt succeeds if a time of a status is t.
func BeAt(t time.Time) types.GomegaMatcher {
	return HaveValue(HaveField("Time", BeTemporally("==", t)))
}
