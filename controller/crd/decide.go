package crd

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	v1 "github.com/jobconformance/jobconformance/controller/crd/api/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// view is what decisions are made of.
type view struct {
	cronJob *v1.CronJob
	jobs    []*batchv1.Job     // of the CronJob, by age
	deleted map[types.UID]bool // Jobs that this process has deleted
	changed time.Time          // when the schedule became what it is; zero if it was never changed
	now     time.Time          // in the time zone of the process
}

// decision is what to do, in the order of the fields.
type decision struct {
	status  *v1.CronJobStatus // nil if it is as it should be
	events  []event
	surplus []*batchv1.Job // finished, beyond the history limits
	replace []*batchv1.Job // that run, and have to be deleted before start is created
	start   *batchv1.Job   // nil if none is due
	started v1.CronJobStatus
	wait    time.Duration // until the next scheduled time; 0: none will come
}

// event is emitted unless the last reconciliation had one about the same.
type event struct{ kind, reason, about, note string }

// writes reports whether a decision needs more than events.
func (d *decision) writes() bool {
	return d.status != nil || len(d.surplus) > 0 || d.start != nil
}

func (d *decision) note(kind, reason, about, format string, args ...any) {
	d.events = append(d.events, event{kind, reason, about, fmt.Sprintf(format, args...)})
}

// tooMany missed times are worth a warning.
const tooMany = 100

func (v *view) decide() *decision {
	d, status := &decision{}, v1.CronJobStatus{}
	v.cronJob.Status.DeepCopyInto(&status)
	v.count(d, &status)
	if v.cronJob.DeletionTimestamp == nil {
		v.limit(d, &status, batchv1.JobComplete, v.cronJob.Spec.SuccessfulJobsHistoryLimit)
		v.limit(d, &status, batchv1.JobFailed, v.cronJob.Spec.FailedJobsHistoryLimit)
		v.schedule(d, &status)
	}
	if !equality.Semantic.DeepEqual(status, v.cronJob.Status) {
		d.status = &status
	}
	return d
}

// count brings the status in line with the Jobs.
func (v *view) count(d *decision, status *v1.CronJobStatus) {
	byUID, listed := map[types.UID]*batchv1.Job{}, map[types.UID]bool{}
	for _, job := range v.jobs {
		byUID[job.UID] = job
	}
	status.Active = slices.DeleteFunc(status.Active, func(ref corev1.ObjectReference) bool {
		job := byUID[ref.UID]
		switch {
		case listed[ref.UID], v.deleted[ref.UID]:
			return true
		case job == nil:
			d.note(corev1.EventTypeNormal, "MissingJob", string(ref.UID), "Active Job %s is gone", ref.Name)
			return true
		case finished(job) != "":
			d.note(corev1.EventTypeNormal, "SawCompletedJob", string(ref.UID), "Job %s has finished: %s", ref.Name, finished(job))
			return true
		}
		listed[ref.UID] = true
		return false
	})
	for _, job := range v.jobs {
		at, ours := scheduledTime(v.cronJob, job)
		switch {
		case finished(job) == batchv1.JobComplete:
			status.LastSuccessfulTime = later(status.LastSuccessfulTime, job.Status.CompletionTime)
		case finished(job) != "" || v.terminating(job) || listed[job.UID]:
		case !ours:
			d.note(corev1.EventTypeWarning, "UnexpectedJob", string(job.UID), "Job %s was not started by this controller", job.Name)
		default: // started, but not recorded
			status.Active = append(status.Active, *reference(job))
			status.LastScheduleTime = later(status.LastScheduleTime, at)
		}
	}
}

// limit chooses the oldest finished Jobs for deletion. Their times are recorded, so that none of them
// is started again.
func (v *view) limit(d *decision, status *v1.CronJobStatus, as batchv1.JobConditionType, limit *int32) {
	ended := slices.DeleteFunc(slices.Clone(v.jobs), func(job *batchv1.Job) bool { return finished(job) != as || v.terminating(job) })
	if limit == nil || *limit < 0 || len(ended) <= int(*limit) {
		return
	}
	for _, job := range ended[:len(ended)-int(*limit)] {
		d.surplus = append(d.surplus, job)
		if at, ours := scheduledTime(v.cronJob, job); ours {
			status.LastScheduleTime = later(status.LastScheduleTime, at)
		}
	}
}

// schedule finds the latest time that is due and decides whether its Job can start.
func (v *view) schedule(d *decision, status *v1.CronJobStatus) {
	spec := &v.cronJob.Spec
	if ptr.Deref(spec.Suspend, false) {
		return
	}
	var zone *time.Location
	if spec.TimeZone != nil {
		var err error
		if zone, err = time.LoadLocation(*spec.TimeZone); err != nil {
			d.note(corev1.EventTypeWarning, "UnknownTimeZone", *spec.TimeZone, "Time zone %q: %v", *spec.TimeZone, err)
			return
		}
	}
	schedule, err := parseSchedule(spec.Schedule, zone)
	if err != nil {
		d.note(corev1.EventTypeWarning, "UnparseableSchedule", spec.Schedule, "Schedule %q: %v", spec.Schedule, err)
		return
	}
	schedule.since = v.cronJob.CreationTimestamp.Time
	if status.LastScheduleTime != nil {
		schedule.since = status.LastScheduleTime.Time
	}
	schedule.since = schedule.since.In(v.now.Location()).Truncate(time.Second)

	due := schedule.latest(v.now)
	next := schedule.next(schedule.since)
	if !due.IsZero() {
		next = schedule.next(due)
	}
	if !next.IsZero() {
		d.wait = next.Sub(v.now)
	}
	name := jobName(v.cronJob, due)
	switch {
	case due.IsZero():
	case slices.ContainsFunc(v.jobs, func(job *batchv1.Job) bool {
		_, ours := scheduledTime(v.cronJob, job)
		return ours && job.Name == name
	}):
		status.LastScheduleTime = &metav1.Time{Time: due}
	case due.After(v.changed) && v.inTime(d, schedule, due):
		v.start(d, *status, due, zone)
	}
}

// inTime reports whether the starting deadline lets a Job start.
func (v *view) inTime(d *decision, s schedule, due time.Time) bool {
	from, about := s.since, due.UTC().Format(time.RFC3339)
	if seconds := v.cronJob.Spec.StartingDeadlineSeconds; seconds != nil {
		deadline := time.Duration(min(max(*seconds, 0), math.MaxInt64/int64(time.Second))) * time.Second
		if v.now.Sub(due) > deadline {
			d.note(corev1.EventTypeWarning, "MissSchedule", about, "The Job of %s was missed by more than the starting deadline", about)
			return false
		}
		if earliest := v.now.Add(-deadline); earliest.After(from) {
			from = earliest
		}
	}
	if s.moreThan(tooMany, from, v.now) {
		d.note(corev1.EventTypeWarning, "TooManyMissedTimes", about, "More than %d scheduled times were missed. Set or decrease startingDeadlineSeconds, or check the clock", tooMany)
	}
	return true
}

// start decides by the concurrency policy.
func (v *view) start(d *decision, status v1.CronJobStatus, due time.Time, zone *time.Location) {
	about := due.UTC().Format(time.RFC3339)
	status.DeepCopyInto(&d.started)
	switch policy := cmp.Or(v.cronJob.Spec.ConcurrencyPolicy, batchv1.AllowConcurrent); {
	case !slices.Contains([]batchv1.ConcurrencyPolicy{batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent}, policy):
		d.note(corev1.EventTypeWarning, "UnknownConcurrencyPolicy", string(policy), "The concurrency policy %q is unknown", policy)
		return
	case len(status.Active) == 0 || policy == batchv1.AllowConcurrent:
	case policy == batchv1.ForbidConcurrent:
		d.note(corev1.EventTypeNormal, "JobAlreadyActive", about, "The Job of %s does not start: another one runs, and the concurrency policy is Forbid", about)
		return
	default:
		d.replace = slices.DeleteFunc(slices.Clone(v.jobs), func(job *batchv1.Job) bool {
			return v.terminating(job) || !slices.ContainsFunc(status.Active, func(ref corev1.ObjectReference) bool { return ref.UID == job.UID })
		})
		d.started.Active = nil
	}
	d.start = newJob(v.cronJob, due, zone)
	d.started.LastScheduleTime = later(d.started.LastScheduleTime, &metav1.Time{Time: due})
}

func (v *view) terminating(job *batchv1.Job) bool {
	return job.DeletionTimestamp != nil || v.deleted[job.UID]
}

// newJob returns the Job of a scheduled time.
func newJob(cronJob *v1.CronJob, at time.Time, zone *time.Location) *batchv1.Job {
	template := cronJob.Spec.JobTemplate.DeepCopy()
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name:            jobName(cronJob, at),
			Namespace:       cronJob.Namespace,
			Labels:          maps.Clone(template.Labels),
			Annotations:     maps.Clone(template.Annotations),
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(cronJob, v1.GroupVersion.WithKind("CronJob"))},
		},
		Spec: template.Spec,
	}
	if zone == nil {
		zone = time.UTC
	}
	metav1.SetMetaDataAnnotation(&job.ObjectMeta, v1.ScheduledAt, at.In(zone).Format(time.RFC3339))
	return job
}

// jobName is one name for each scheduled time, so that its Job cannot be there twice.
func jobName(cronJob *v1.CronJob, at time.Time) string {
	return fmt.Sprintf("%s-%d", cronJob.Name, at.Unix()/60)
}

// scheduledTime returns false for a Job that this controller did not start.
func scheduledTime(cronJob *v1.CronJob, job *batchv1.Job) (*metav1.Time, bool) {
	at, err := time.Parse(time.RFC3339, job.Annotations[v1.ScheduledAt])
	return &metav1.Time{Time: at}, err == nil && job.Name == jobName(cronJob, at)
}

// finished returns the condition by which a Job has ended; empty if it has not.
func finished(job *batchv1.Job) batchv1.JobConditionType {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return c.Type
		}
	}
	return ""
}

func reference(job *batchv1.Job) *corev1.ObjectReference {
	return &corev1.ObjectReference{
		APIVersion: batchv1.SchemeGroupVersion.String(), Kind: "Job",
		Namespace: job.Namespace, Name: job.Name, UID: job.UID, ResourceVersion: job.ResourceVersion,
	}
}

func later(a, b *metav1.Time) *metav1.Time {
	if a == nil || b != nil && b.After(a.Time) {
		return b
	}
	return a
}
