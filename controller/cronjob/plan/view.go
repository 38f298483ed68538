package plan

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// View is all that a Plan may depend on. New modifies nothing in it.
type View struct {
	CronJob *batchv1.CronJob
	// Jobs are those whose controller reference carries the CronJob's UID, whatever their labels
	// (#107997).
	Jobs []*batchv1.Job
	// Deleted are the UIDs of Jobs that the controller has deleted, whether or not they are gone yet.
	Deleted map[types.UID]bool
	// Zone is that of spec.timeZone; nil if it is unset. ZoneErr is why there is no such zone.
	Zone    *time.Location
	ZoneErr error
	// Schedule is spec.schedule in that zone. ScheduleErr is why it cannot be parsed.
	Schedule    Schedule
	ScheduleErr error
	// NotBefore is when the present schedule replaced another one; zero if it never did. The ticks
	// that it had until then start nothing.
	NotBefore time.Time
	// Now carries the time zone for schedules that name none: that of the controller's process.
	// CRON-ZONE-004
	Now time.Time
}

// Schedule is a parsed schedule.
type Schedule interface {
	// Next returns the first tick after t; zero if there is none within five years. since is where
	// the intervals of @every begin.
	Next(since, t time.Time) time.Time
}

// Finished returns the condition that ended a Job: Complete, Failed or none.
func Finished(job *batchv1.Job) batchv1.JobConditionType {
	for _, c := range job.Status.Conditions {
		// CRON-CONCURRENCY-006, CRON-CONCURRENCY-008
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return c.Type
		}
	}
	return ""
}

// terminating reports whether a Job is being deleted.
func (v View) terminating(job *batchv1.Job) bool {
	return job.DeletionTimestamp != nil || v.Deleted[job.UID]
}

// ScheduledTime returns the tick for which the controller created a Job, and false for a Job that it
// did not create.
func ScheduledTime(cronJob *batchv1.CronJob, job *batchv1.Job) (metav1.Time, bool) {
	tick, err := time.Parse(time.RFC3339, job.Annotations[batchv1.CronJobScheduledTimestampAnnotation])
	return metav1.NewTime(tick), err == nil && job.Name == jobName(cronJob, tick)
}

// jobName gives every tick one name, in minutes since 1970, so that no interruption can give it two
// Jobs.
func jobName(cronJob *batchv1.CronJob, tick time.Time) string {
	return fmt.Sprintf("%s-%d", cronJob.Name, tick.Unix()/60) // CRON-JOBS-004, CRON-TEMPLATE-003
}

// byAge sorts a copy of jobs by start, or by creation where a Job never started, then by name.
func byAge(jobs []*batchv1.Job) []*batchv1.Job {
	began := func(job *batchv1.Job) time.Time {
		if job.Status.StartTime != nil {
			return job.Status.StartTime.Time
		}
		return job.CreationTimestamp.Time
	}
	return slices.SortedFunc(slices.Values(jobs), func(a, b *batchv1.Job) int {
		return cmp.Or(began(a).Compare(began(b)), strings.Compare(a.Name, b.Name))
	})
}

// ReferenceTo returns the reference to a Job in status.active.
func ReferenceTo(job *batchv1.Job) corev1.ObjectReference {
	return corev1.ObjectReference{
		APIVersion:      batchv1.SchemeGroupVersion.String(),
		Kind:            "Job",
		Namespace:       job.Namespace,
		Name:            job.Name,
		UID:             job.UID,
		ResourceVersion: job.ResourceVersion,
	}
}

// UIDs returns those of references.
func UIDs(refs []corev1.ObjectReference) map[types.UID]bool {
	uids := make(map[types.UID]bool, len(refs))
	for _, ref := range refs {
		uids[ref.UID] = true
	}
	return uids
}

// later returns the later of two times, either of which may be nil.
func later(a, b *metav1.Time) *metav1.Time {
	if a == nil || (b != nil && b.After(a.Time)) {
		return b
	}
	return a
}
