package plan

import (
	"fmt"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// At reads "15:04" or "15:04:05" as a time of one certain day, or a whole RFC 3339 time.
func At(text string) time.Time {
	if strings.Count(text, ":") == 1 {
		text += ":00"
	}
	if !strings.Contains(text, "T") {
		text = "2026-03-10T" + text + "Z"
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t.UTC()
}

func Stamp(text string) *metav1.Time { return &metav1.Time{Time: At(text)} }

// Change changes a CronJob under construction.
type Change func(*batchv1.CronJob)

// Hourly returns an hourly CronJob, created at 8:30.
func Hourly(changes ...Change) *batchv1.CronJob {
	c := &batchv1.CronJob{
		ObjectMeta: metav1.ObjectMeta{Name: "report", Namespace: "ns", UID: "cron-uid", ResourceVersion: "10",
			CreationTimestamp: *Stamp("08:30")},
		Spec: batchv1.CronJobSpec{
			Schedule:                   "0 * * * *",
			ConcurrencyPolicy:          batchv1.AllowConcurrent,
			SuccessfulJobsHistoryLimit: ptr.To[int32](3),
			FailedJobsHistoryLimit:     ptr.To[int32](1),
			JobTemplate: batchv1.JobTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"l": "1"},
					Annotations: map[string]string{"a": "1"}},
				Spec: batchv1.JobSpec{Parallelism: ptr.To[int32](2)},
			},
		},
	}
	for _, change := range changes {
		change(c)
	}
	return c
}

func Scheduled(schedule string) Change {
	return func(c *batchv1.CronJob) { c.Spec.Schedule = schedule }
}
func Zone(name string) Change { return func(c *batchv1.CronJob) { c.Spec.TimeZone = &name } }
func Last(t string) Change {
	return func(c *batchv1.CronJob) { c.Status.LastScheduleTime = Stamp(t) }
}
func Succeeded(t string) Change {
	return func(c *batchv1.CronJob) { c.Status.LastSuccessfulTime = Stamp(t) }
}
func Created(t string) Change {
	return func(c *batchv1.CronJob) { c.CreationTimestamp = *Stamp(t) }
}
func Deadline(seconds int64) Change {
	return func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = &seconds }
}
func Policy(p batchv1.ConcurrencyPolicy) Change {
	return func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = p }
}
func Active(jobs ...*batchv1.Job) Change {
	return func(c *batchv1.CronJob) {
		for _, job := range jobs {
			c.Status.Active = append(c.Status.Active, corev1.ObjectReference{
				APIVersion: "batch/v1", Kind: "Job", Namespace: job.Namespace, Name: job.Name, UID: job.UID,
				ResourceVersion: job.ResourceVersion})
		}
	}
}
func Suspended(c *batchv1.CronJob)    { c.Spec.Suspend = ptr.To(true) }
func BeingDeleted(c *batchv1.CronJob) { c.DeletionTimestamp = Stamp("09:00") }

// JobChange changes a Job under construction.
type JobChange func(*batchv1.Job)

// Started returns an unfinished Job of Hourly() as the controller makes it.
func Started(tick string, changes ...JobChange) *batchv1.Job {
	cronJob := Hourly()
	template := cronJob.Spec.JobTemplate
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name: NameAt(tick), Namespace: cronJob.Namespace, Labels: template.Labels,
			Annotations: map[string]string{"a": "1",
				batchv1.CronJobScheduledTimestampAnnotation: At(tick).Format(time.RFC3339)},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(cronJob,
				batchv1.SchemeGroupVersion.WithKind("CronJob"))},
		},
		Spec: template.Spec,
	}
	job.UID, job.ResourceVersion = types.UID("uid-of-"+job.Name), "5"
	job.CreationTimestamp = *Stamp(tick)
	job.Status.StartTime = Stamp(tick)
	for _, change := range changes {
		change(job)
	}
	return job
}

func Complete(t string) JobChange {
	return func(job *batchv1.Job) {
		job.Status.CompletionTime = Stamp(t)
		job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	}
}
func Failed(job *batchv1.Job) {
	job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionTrue}}
}
func Terminating(job *batchv1.Job) { job.DeletionTimestamp = Stamp("09:00") }
func Manual(job *batchv1.Job) {
	job.Name, job.UID = "by-hand", "uid-of-by-hand"
	delete(job.Annotations, batchv1.CronJobScheduledTimestampAnnotation)
}
func NeverStarted(job *batchv1.Job) { job.Status.StartTime = nil }

func Names(jobs []*batchv1.Job) string {
	var out []string
	for _, job := range jobs {
		out = append(out, job.Name)
	}
	return fmt.Sprint(out)
}

// NameAt returns the name of the Job of a tick.
func NameAt(tick string) string { return fmt.Sprintf("report-%d", At(tick).Unix()/60) }
