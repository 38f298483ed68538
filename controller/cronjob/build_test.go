package cronjob

import (
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/controller/cronjob/cronexpr"
	"github.com/jobconformance/jobconformance/controller/cronjob/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// At reads "15:04" or "15:04:05" as a time of one certain day, or a whole RFC 3339 time.
func At(text string) time.Time {
	for _, prefix := range []string{"", "2026-03-10T"} {
		for _, suffix := range []string{"", "Z", ":00Z"} {
			if t, err := time.Parse(time.RFC3339, prefix+text+suffix); err == nil {
				return t.UTC()
			}
		}
	}
	panic("no time: " + text)
}

func Stamp(text string) *metav1.Time { return &metav1.Time{Time: At(text)} }

// Change changes a CronJob under construction.
type Change func(*batchv1.CronJob)

// Hourly returns an hourly CronJob that was created at 8:30, as an API server returns it.
func Hourly(changes ...Change) *batchv1.CronJob {
	c := &batchv1.CronJob{}
	c.Name, c.Namespace, c.UID, c.ResourceVersion, c.CreationTimestamp = "report", "ns", "cron-uid", "10",
		*Stamp("08:30")
	c.Spec = batchv1.CronJobSpec{Schedule: "0 * * * *", ConcurrencyPolicy: batchv1.AllowConcurrent,
		SuccessfulJobsHistoryLimit: ptr.To[int32](3), FailedJobsHistoryLimit: ptr.To[int32](1)}
	for _, change := range changes {
		change(c)
	}
	return c
}

func Scheduled(schedule string) Change {
	return func(c *batchv1.CronJob) { c.Spec.Schedule = schedule }
}

func Last(t string) Change {
	return func(c *batchv1.CronJob) { c.Status.LastScheduleTime = Stamp(t) }
}

func Policy(p batchv1.ConcurrencyPolicy) Change {
	return func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = p }
}

func Deadline(seconds int64) Change {
	return func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = &seconds }
}

func Active(jobs ...*batchv1.Job) Change {
	return func(c *batchv1.CronJob) {
		for _, job := range jobs {
			c.Status.Active = append(c.Status.Active, plan.ReferenceTo(job))
		}
	}
}

// Started returns the Job of a tick, as the controller creates it.
func Started(tick string, changes ...func(*batchv1.Job)) *batchv1.Job {
	everyMinute, err := cronexpr.Parse("* * * * *", nil)
	if err != nil {
		panic(err)
	}
	lastTick := At(tick).Add(-time.Minute).Format(time.RFC3339)
	view := plan.View{CronJob: Hourly(Last(lastTick)), Schedule: everyMinute, Now: At(tick)}
	job := plan.New(view).Create
	job.UID, job.ResourceVersion = types.UID("uid-of-"+job.Name), "5"
	job.CreationTimestamp, job.Status.StartTime = *Stamp(tick), Stamp(tick)
	for _, change := range changes {
		change(job)
	}
	return job
}

func Complete(t string) func(*batchv1.Job) {
	return func(job *batchv1.Job) {
		job.Status.CompletionTime = Stamp(t)
		job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	}
}

func Failed(job *batchv1.Job) {
	job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
}

func Names(jobs []*batchv1.Job) string {
	var names []string
	for _, job := range jobs {
		names = append(names, job.Name)
	}
	return fmt.Sprint(names)
}

// NameAt returns the name of the Job of a tick.
func NameAt(tick string) string { return fmt.Sprintf("report-%d", At(tick).Unix()/60) }
