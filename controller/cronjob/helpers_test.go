package cronjob

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// at reads "15:04" or "15:04:05" as a time of one certain day, or a whole
// RFC 3339 time.
func at(text string) time.Time {
	for layout, prefix := range map[string]string{
		"2006-01-02T15:04:05Z07:00": "",
		"2006-01-02T15:04":          "2026-03-10T",
		"2006-01-02T15:04:05":       "2026-03-10T",
	} {
		if t, err := time.Parse(layout, prefix+text); err == nil {
			return t.UTC()
		}
	}
	panic("no time: " + text)
}

func stamp(text string) *metav1.Time { return &metav1.Time{Time: at(text)} }

type change func(*batchv1.CronJob)

// hourly returns an hourly CronJob, created at 8:30.
func hourly(changes ...change) *batchv1.CronJob {
	c := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: "report", Namespace: "ns", UID: "cron-uid", ResourceVersion: "10", CreationTimestamp: *stamp("08:30")},
		Spec: batchv1.CronJobSpec{
			Schedule:                   "0 * * * *",
			ConcurrencyPolicy:          batchv1.AllowConcurrent,
			SuccessfulJobsHistoryLimit: ptr.To[int32](3),
			FailedJobsHistoryLimit:     ptr.To[int32](1),
			JobTemplate: batchv1.JobTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"l": "1"}, Annotations: map[string]string{"a": "1"}},
				Spec:       batchv1.JobSpec{Parallelism: ptr.To[int32](2)},
			},
		},
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

func scheduled(schedule string) change {
	return func(c *batchv1.CronJob) { c.Spec.Schedule = schedule }
}
func zone(name string) change { return func(c *batchv1.CronJob) { c.Spec.TimeZone = &name } }
func last(t string) change {
	return func(c *batchv1.CronJob) { c.Status.LastScheduleTime = stamp(t) }
}
func created(t string) change {
	return func(c *batchv1.CronJob) { c.CreationTimestamp = *stamp(t) }
}
func deadline(seconds int64) change {
	return func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = &seconds }
}
func policy(p batchv1.ConcurrencyPolicy) change {
	return func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = p }
}
func active(jobs ...*batchv1.Job) change {
	return func(c *batchv1.CronJob) {
		for _, job := range jobs {
			c.Status.Active = append(c.Status.Active, referenceTo(job))
		}
	}
}
func suspended(c *batchv1.CronJob)    { c.Spec.Suspend = ptr.To(true) }
func beingDeleted(c *batchv1.CronJob) { c.DeletionTimestamp = stamp("09:00") }

type jobChange func(*batchv1.Job)

// started returns an unfinished Job of hourly() as the controller makes it.
func started(tick string, changes ...jobChange) *batchv1.Job {
	job := newJob(hourly(), at(tick), nil)
	job.UID, job.ResourceVersion = types.UID("uid-of-"+job.Name), "5"
	job.CreationTimestamp = *stamp(tick)
	job.Status.StartTime = stamp(tick)
	for _, change := range changes {
		change(job)
	}
	return job
}

func complete(t string) jobChange {
	return func(job *batchv1.Job) {
		job.Status.CompletionTime = stamp(t)
		job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	}
}
func failed(job *batchv1.Job) {
	job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
}
func terminating(job *batchv1.Job) { job.DeletionTimestamp = stamp("09:00") }
func manual(job *batchv1.Job) {
	job.Name, job.UID = "by-hand", "uid-of-by-hand"
	delete(job.Annotations, batchv1.CronJobScheduledTimestampAnnotation)
}
func neverStarted(job *batchv1.Job) { job.Status.StartTime = nil }

func names(jobs []*batchv1.Job) string {
	var out []string
	for _, job := range jobs {
		out = append(out, job.Name)
	}
	return fmt.Sprint(out)
}

func nameAt(tick string) string { return jobName(hourly(), at(tick)) }
