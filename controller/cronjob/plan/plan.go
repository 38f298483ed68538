// Package plan states the batch/v1 contract of CronJobs: New is a pure function from a View of one
// CronJob, its Jobs, its parsed schedule and the clock to a Plan. It imports nothing but the API
// types. IDs such as CRON-STATUS-010 are those of suites/REQUIREMENTS.md and stand at the line that
// keeps a requirement; suites/mutants/PROVED.md lists the lines that a wrong controller proves.
package plan

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// tooMany is how many missed starts are worth a warning. It is also promised by
// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/.
const tooMany = 100

// Plan is what to do now, in the order of the fields. All of it is carried out, up to the first write
// of Status that fails; each step may be repeated.
type Plan struct {
	// Status is what the Jobs call for; nil if it is as it should be.
	Status *batchv1.CronJobStatus
	// Events are emitted once Status is written.
	Events []Event
	// Delete are finished Jobs beyond the history limits.
	Delete []*batchv1.Job
	// Replace are unfinished Jobs to delete before Create. While one cannot be deleted, nothing is
	// created.
	Replace []*batchv1.Job
	// Create is the whole Job of ScheduledTime; nil if no Job is due. Recorded is the status after it.
	Create        *batchv1.Job
	ScheduledTime time.Time
	// RequeueAfter is when time alone changes the Plan, counted from View.Now; 0 means never.
	RequeueAfter time.Duration

	beforeCreate batchv1.CronJobStatus
}

// Event is one line of `kubectl describe cronjob`.
type Event struct {
	Type, Reason, Message string
	// About is the Job or the tick in question. An event for a Reason about the same thing need not
	// be emitted again.
	About string
}

// New decides what a CronJob needs now.
func New(v View) (p Plan) {
	status := p.count(v) // CRON-SUSPEND-004
	// Of a CronJob being deleted, the garbage collector deletes the Jobs or the user keeps them.
	// CRON-SCHEDULE-012
	if v.CronJob.DeletionTimestamp == nil {
		// CRON-HISTORY-001, CRON-HISTORY-002, CRON-HISTORY-005, CRON-HISTORY-007
		p.limit(v, &status, batchv1.JobComplete, v.CronJob.Spec.SuccessfulJobsHistoryLimit)
		p.limit(v, &status, batchv1.JobFailed, v.CronJob.Spec.FailedJobsHistoryLimit)
		p.schedule(v, &status)
	}
	if !equality.Semantic.DeepEqual(status, v.CronJob.Status) { // CRON-STATUS-010
		p.Status = &status
	}
	return p
}

// count brings the status up to date with the Jobs, before anything is started.
func (p *Plan) count(v View) batchv1.CronJobStatus {
	status := *v.CronJob.Status.DeepCopy()
	jobs := make(map[types.UID]*batchv1.Job, len(v.Jobs))
	for _, job := range v.Jobs {
		jobs[job.UID] = job // CRON-STATUS-009, CRON-CONCURRENCY-010
	}

	listed := make(map[types.UID]bool, len(status.Active))
	status.Active = slices.DeleteFunc(status.Active, func(ref corev1.ObjectReference) bool {
		job, exists := jobs[ref.UID]
		if listed[ref.UID] {
			return true
		}
		listed[ref.UID] = true
		if v.Deleted[ref.UID] {
			return true
		}
		if !exists { // CRON-STATUS-003, CRON-CONCURRENCY-007
			p.event(normal("MissingJob", string(ref.UID), "Active job went missing: %v", ref.Name))
			return true
		}
		condition := Finished(job)
		if condition == "" { // CRON-CONCURRENCY-009
			return false
		}
		// CRON-STATUS-002, CRON-TELLS-001
		p.event(normal("SawCompletedJob", string(ref.UID), "Saw completed job: %s, condition: %v", job.Name, condition))
		return true
	})

	for _, job := range byAge(v.Jobs) {
		switch {
		case Finished(job) == batchv1.JobComplete: // CRON-STATUS-005, CRON-STATUS-006
			// Also of a Job that a user made from the template (#118530). CRON-STATUS-007
			status.LastSuccessfulTime = later(status.LastSuccessfulTime, job.Status.CompletionTime)
		case Finished(job) != "", v.terminating(job), listed[job.UID]: // CRON-EVENTS-002
		default:
			scheduled, ours := ScheduledTime(v.CronJob, job)
			if !ours {
				p.event(warning("UnexpectedJob", string(job.UID),
					"Saw a job that the controller did not create or forgot: %s", job.Name))
				continue
			}
			// The controller was interrupted between creating the Job and recording it (#120649).
			// CRON-STATUS-008, CRON-FAULTS-006
			status.Active = append(status.Active, ReferenceTo(job))
			status.LastScheduleTime = later(status.LastScheduleTime, &scheduled)
		}
	}
	return status
}

// limit chooses the oldest Jobs with a condition, beyond the limit of them, and records their ticks,
// so that they are not started again. A limit that is nil, or that no API server accepts, keeps all.
func (p *Plan) limit(v View, status *batchv1.CronJobStatus, condition batchv1.JobConditionType, limit *int32) {
	if limit == nil {
		return
	}
	if *limit < 0 {
		p.event(warning("InvalidHistoryLimit", string(condition),
			"the limit of %d for Jobs that are %s is negative: all are kept", *limit, condition))
		return
	}
	finished := slices.DeleteFunc(slices.Clone(v.Jobs), func(job *batchv1.Job) bool { // CRON-HISTORY-008
		// A Job being deleted neither counts nor is deleted again (#59676).
		return Finished(job) != condition || v.terminating(job)
	})
	if n := len(finished) - int(*limit); n > 0 {
		p.Delete = append(p.Delete, byAge(finished)[:n]...)
	}
	for _, job := range p.Delete {
		if scheduled, ours := ScheduledTime(v.CronJob, job); ours {
			status.LastScheduleTime = later(status.LastScheduleTime, &scheduled)
		}
	}
}

// schedule decides whether a Job is due and when the next one is. Of all missed ticks only the latest
// is started.
func (p *Plan) schedule(v View, status *batchv1.CronJobStatus) {
	spec := &v.CronJob.Spec
	if v.ZoneErr != nil {
		p.event(warning("UnknownTimeZone", *spec.TimeZone, "invalid timeZone: %q: %s", *spec.TimeZone, v.ZoneErr))
		return
	}
	if spec.Suspend != nil && *spec.Suspend { // CRON-SUSPEND-001, CRON-ADMISSION-006
		return
	}
	if strings.Contains(spec.Schedule, "TZ") {
		p.event(warning("UnsupportedSchedule", spec.Schedule,
			"CRON_TZ or TZ used in schedule %q is not officially supported, see "+
				"https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details", spec.Schedule))
	}
	if v.ScheduleErr != nil {
		p.event(warning("UnparseableSchedule", spec.Schedule, "unparseable schedule: %q : %s", spec.Schedule,
			v.ScheduleErr))
		return
	}
	ticks := ticksOf(v, *status)
	tick := ticks.latest(v.Now) // CRON-SUSPEND-002
	if tick.IsZero() {
		next := ticks.next(ticks.since)
		if next.IsZero() { // CRON-SCHEDULE-011
			p.event(warning("InvalidSchedule", spec.Schedule, "invalid schedule: %s : it has no tick within five years",
				spec.Schedule))
			return
		}
		p.RequeueAfter = next.Sub(v.Now) // CRON-SCHEDULE-003, CRON-SCHEDULE-015
		return
	}
	if next := ticks.next(tick); !next.IsZero() { // CRON-SCHEDULE-014
		p.RequeueAfter = next.Sub(v.Now)
	}
	started := slices.ContainsFunc(v.Jobs, func(job *batchv1.Job) bool {
		_, ours := ScheduledTime(v.CronJob, job)
		return ours && job.Name == jobName(v.CronJob, tick)
	})
	switch {
	case started: // before an interruption
		status.LastScheduleTime = &metav1.Time{Time: tick}
	case tick.After(v.NotBefore) && p.inTime(v, ticks, tick): // CRON-CHANGES-001, CRON-CONCURRENCY-016
		p.create(v, *status, tick)
	}
}

// inTime reports whether a tick may still start, and adds an event for missed ticks.
func (p *Plan) inTime(v View, ticks ticks, tick time.Time) bool {
	about, since := aboutTick(tick), ticks.since
	if seconds := v.CronJob.Spec.StartingDeadlineSeconds; seconds != nil {
		deadline := time.Duration(min(max(*seconds, 0), math.MaxInt64/int64(time.Second))) * time.Second
		// CRON-DEADLINE-007, CRON-DEADLINE-001, CRON-ADMISSION-005, CRON-SUSPEND-003, CRON-CONCURRENCY-005
		if v.Now.Sub(tick) > deadline { // CRON-DEADLINE-002
			p.event(warning("MissSchedule", about, "Missed scheduled time to start a job: %s",
				tick.UTC().Format(time.RFC1123Z)))
			return false
		}
		if earliest := v.Now.Add(-deadline); earliest.After(since) { // CRON-DEADLINE-003, CRON-DEADLINE-004
			since = earliest
		}
	}
	if ticks.moreThan(tooMany, since, v.Now) { // CRON-SCHEDULE-008
		p.event(warning("TooManyMissedTimes", about,
			"too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"))
	}
	return true
}

// create starts the Job of a tick, if the Jobs that are active allow it. Without a policy it is Allow.
func (p *Plan) create(v View, status batchv1.CronJobStatus, tick time.Time) {
	p.beforeCreate = *status.DeepCopy()
	switch policy := v.CronJob.Spec.ConcurrencyPolicy; { // CRON-CONCURRENCY-001, CRON-CONCURRENCY-011
	case !slices.Contains([]batchv1.ConcurrencyPolicy{batchv1.AllowConcurrent, batchv1.ForbidConcurrent,
		batchv1.ReplaceConcurrent, ""}, policy):
		p.event(warning("UnknownConcurrencyPolicy", string(policy),
			"Not starting job because the concurrency policy %q is unknown", policy))
		return
	case len(status.Active) == 0: // CRON-CONCURRENCY-014
	case policy == batchv1.ForbidConcurrent: // CRON-CONCURRENCY-003, CRON-CONCURRENCY-004, CRON-EVENTS-001
		p.event(normal("JobAlreadyActive", aboutTick(tick),
			"Not starting job because prior execution is running and concurrency policy is Forbid"))
		return
	case policy == batchv1.ReplaceConcurrent: // CRON-CONCURRENCY-012, CRON-CONCURRENCY-015
		active := UIDs(status.Active)
		p.beforeCreate.Active = nil
		for _, job := range byAge(v.Jobs) {
			if !v.terminating(job) && active[job.UID] {
				p.Replace = append(p.Replace, job)
			}
		}
	}
	p.Create, p.ScheduledTime = newJob(v.CronJob, tick, v.Zone), tick // CRON-SCHEDULE-001
}

// Recorded returns the CronJob's status once job, which may have been found rather than created,
// exists for Create.
func (p Plan) Recorded(job *batchv1.Job) batchv1.CronJobStatus {
	status := *p.beforeCreate.DeepCopy()
	// CRON-STATUS-004
	status.LastScheduleTime = later(status.LastScheduleTime, &metav1.Time{Time: p.ScheduledTime})
	if Finished(job) == "" && !UIDs(status.Active)[job.UID] {
		status.Active = append(status.Active, ReferenceTo(job))
	}
	return status
}

// newJob returns the Job of a tick, from the template.
func newJob(cronJob *batchv1.CronJob, tick time.Time, zone *time.Location) *batchv1.Job {
	if zone == nil {
		zone = time.UTC
	}
	template := cronJob.Spec.JobTemplate.DeepCopy() // CRON-JOBS-008
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name:        jobName(cronJob, tick),
			Namespace:   cronJob.Namespace,
			Labels:      template.Labels,
			Annotations: template.Annotations,
			// CRON-JOBS-002, CRON-JOBS-006
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(cronJob,
				batchv1.SchemeGroupVersion.WithKind("CronJob"))},
		},
		Spec: template.Spec, // CRON-TEMPLATE-002
	}
	// CRON-JOBS-003
	metav1.SetMetaDataAnnotation(&job.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation,
		tick.In(zone).Format(time.RFC3339))
	return job
}

func aboutTick(tick time.Time) string { return tick.UTC().Format(time.RFC3339) }

func (p *Plan) event(e Event) { p.Events = append(p.Events, e) }

func normal(reason, about, format string, args ...any) Event {
	return Event{corev1.EventTypeNormal, reason, fmt.Sprintf(format, args...), about}
}

func warning(reason, about, format string, args ...any) Event {
	return Event{corev1.EventTypeWarning, reason, fmt.Sprintf(format, args...), about}
}
