package cronjob

import (
	"cmp"
	"fmt"
	"math"
	"slices"
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

// Observation is all that a plan depends on. Planning changes none of it.
type Observation struct {
	CronJob *batchv1.CronJob
	// Jobs are those whose controller reference carries the CronJob's UID; their
	// labels do not matter (#107997).
	Jobs []*batchv1.Job
	// Deleted are the UIDs of Jobs that this controller has deleted, whether or
	// not they are gone yet.
	Deleted map[types.UID]bool
	// NotBefore is when the present schedule took the place of another one, or
	// zero. The ticks it had until then start nothing.
	NotBefore time.Time
	// Now carries the time zone for schedules that name none.
	Now time.Time
}

// Plan is what a CronJob needs now. Its steps are meant in the order of the
// fields; each is safe to repeat and to be cut short.
type Plan struct {
	// Status is what the Jobs call for; nil if the CronJob says so already.
	Status *batchv1.CronJobStatus
	// Events are to be told once Status is written.
	Events []Event
	// Surplus are finished Jobs beyond the history limits.
	Surplus []*batchv1.Job
	// Start is nil if no Job is due.
	Start *Start
	// LookAgain is the next tick; zero if only a change can make a difference.
	LookAgain time.Time
}

// Start is one Job to create.
type Start struct {
	ScheduledTime time.Time
	// Replaced are unfinished Jobs to delete first.
	Replaced []*batchv1.Job
	Job      *batchv1.Job
	before   batchv1.CronJobStatus
}

// Event is something to tell the CronJob's owner.
type Event struct {
	Type, Reason, Message string
	// About is the Job or the tick in question. What was said for a Reason about
	// the same thing need not be said again.
	About string
}

// NewPlan says what the observed CronJob needs. It is a pure function.
func NewPlan(o Observation) (p Plan) {
	status := p.settle(o)
	// Once it is being deleted, the garbage collector takes the Jobs, or the user
	// keeps them.
	if o.CronJob.DeletionTimestamp == nil {
		p.limit(o, &status, batchv1.JobComplete, o.CronJob.Spec.SuccessfulJobsHistoryLimit)
		p.limit(o, &status, batchv1.JobFailed, o.CronJob.Spec.FailedJobsHistoryLimit)
		p.schedule(o, &status)
	}
	if !equality.Semantic.DeepEqual(status, o.CronJob.Status) {
		p.Status = &status
	}
	return p
}

// settle brings the status up to date with the Jobs, before anything is started.
func (p *Plan) settle(o Observation) batchv1.CronJobStatus {
	status := *o.CronJob.Status.DeepCopy()
	jobs := make(map[types.UID]*batchv1.Job, len(o.Jobs))
	for _, job := range o.Jobs {
		jobs[job.UID] = job
	}

	listed := make(map[types.UID]bool, len(status.Active))
	status.Active = slices.DeleteFunc(status.Active, func(ref corev1.ObjectReference) bool {
		job, exists := jobs[ref.UID]
		if listed[ref.UID] {
			return true
		}
		listed[ref.UID] = true
		if o.Deleted[ref.UID] {
			return true
		}
		if !exists {
			p.say(normal("MissingJob", string(ref.UID), "Active job went missing: %v", ref.Name))
			return true
		}
		condition := finished(job)
		if condition == "" {
			return false
		}
		p.say(normal("SawCompletedJob", string(ref.UID), "Saw completed job: %s, condition: %v", job.Name, condition))
		return true
	})

	for _, job := range inOrderOfAge(o.Jobs) {
		switch {
		case finished(job) == batchv1.JobComplete:
			// Also of a Job that a user made from the template (#118530).
			status.LastSuccessfulTime = later(status.LastSuccessfulTime, job.Status.CompletionTime)
		case finished(job) != "", o.leaving(job), listed[job.UID]:
		default:
			scheduled, ours := scheduledTimeOf(o.CronJob, job)
			if !ours {
				p.say(warning("UnexpectedJob", string(job.UID), "Saw a job that the controller did not create or forgot: %s", job.Name))
				continue
			}
			// The controller was interrupted between creating the Job and
			// writing it down (#120649).
			status.Active = append(status.Active, referenceTo(job))
			status.LastScheduleTime = later(status.LastScheduleTime, &scheduled)
		}
	}
	return status
}

// limit chooses the oldest of the Jobs that finished so, beyond the limit of
// them, and sees to it that their ticks are on record: they shall not start again.
// A limit that is nil, or that no API server accepts, keeps all.
func (p *Plan) limit(o Observation, status *batchv1.CronJobStatus, condition batchv1.JobConditionType, limit *int32) {
	if limit == nil {
		return
	}
	if *limit < 0 {
		p.say(warning("InvalidHistoryLimit", string(condition), "the limit of %d for Jobs that are %s is negative: all are kept", *limit, condition))
		return
	}
	kept := slices.DeleteFunc(slices.Clone(o.Jobs), func(job *batchv1.Job) bool {
		// What is being deleted neither counts nor is deleted again (#59676).
		return finished(job) != condition || o.leaving(job)
	})
	if n := len(kept) - int(*limit); n > 0 {
		p.Surplus = append(p.Surplus, inOrderOfAge(kept)[:n]...)
	}
	for _, job := range p.Surplus {
		if scheduled, ours := scheduledTimeOf(o.CronJob, job); ours {
			status.LastScheduleTime = later(status.LastScheduleTime, &scheduled)
		}
	}
}

// schedule decides whether a Job is due and when to look again. Of all missed
// ticks only the latest is started.
func (p *Plan) schedule(o Observation, status *batchv1.CronJobStatus) {
	spec := &o.CronJob.Spec
	var zone *time.Location
	if spec.TimeZone != nil {
		var err error
		if zone, err = time.LoadLocation(*spec.TimeZone); err != nil {
			p.say(warning("UnknownTimeZone", *spec.TimeZone, "invalid timeZone: %q: %s", *spec.TimeZone, err))
			return
		}
	}
	if spec.Suspend != nil && *spec.Suspend {
		return
	}
	if zoneInside(o.CronJob) {
		p.say(warning("UnsupportedSchedule", spec.Schedule, "CRON_TZ or TZ used in schedule %q is not officially supported, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details", spec.Schedule))
	}
	settled := *o.CronJob
	settled.Status = *status
	ticks, err := scheduleOf(&settled, zone, o.Now.Location())
	if err != nil {
		p.say(warning("UnparseableSchedule", spec.Schedule, "unparseable schedule: %q : %s", spec.Schedule, err))
		return
	}
	tick := ticks.latest(o.Now)
	if tick.IsZero() {
		if p.LookAgain = ticks.Next(ticks.anchor); p.LookAgain.IsZero() {
			p.say(warning("InvalidSchedule", spec.Schedule, "invalid schedule: %s : it has no tick within five years", spec.Schedule))
		}
		return
	}
	p.LookAgain = ticks.Next(tick)
	started := slices.ContainsFunc(o.Jobs, func(job *batchv1.Job) bool {
		_, ours := scheduledTimeOf(o.CronJob, job)
		return ours && job.Name == jobName(o.CronJob, tick)
	})
	switch {
	case started: // before an interruption
		status.LastScheduleTime = &metav1.Time{Time: tick}
	case tick.After(o.NotBefore) && p.inTime(o, ticks, tick):
		p.start(o, *status, tick, zone)
	}
}

// inTime tells whether a tick may still start, and what has been missed.
func (p *Plan) inTime(o Observation, ticks schedule, tick time.Time) bool {
	about, since := aboutTick(tick), ticks.anchor
	if seconds := o.CronJob.Spec.StartingDeadlineSeconds; seconds != nil {
		deadline := time.Duration(min(max(*seconds, 0), math.MaxInt64/int64(time.Second))) * time.Second
		if o.Now.Sub(tick) > deadline {
			p.say(warning("MissSchedule", about, "Missed scheduled time to start a job: %s", tick.UTC().Format(time.RFC1123Z)))
			return false
		}
		if earliest := o.Now.Add(-deadline); earliest.After(since) {
			since = earliest
		}
	}
	if ticks.moreThan(tooMany, since, o.Now) {
		p.say(warning("TooManyMissedTimes", about, "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"))
	}
	return true
}

// start starts the Job of a tick, if the Jobs that are active allow it.
func (p *Plan) start(o Observation, status batchv1.CronJobStatus, tick time.Time, zone *time.Location) {
	start := &Start{ScheduledTime: tick, Job: newJob(o.CronJob, tick, zone), before: *status.DeepCopy()}
	switch policy := o.CronJob.Spec.ConcurrencyPolicy; {
	case !slices.Contains([]batchv1.ConcurrencyPolicy{batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent, ""}, policy):
		p.say(warning("UnknownConcurrencyPolicy", string(policy), "Not starting job because the concurrency policy %q is unknown", policy))
		return
	case len(status.Active) == 0:
	case policy == batchv1.ForbidConcurrent:
		p.say(normal("JobAlreadyActive", aboutTick(tick), "Not starting job because prior execution is running and concurrency policy is Forbid"))
		return
	case policy == batchv1.ReplaceConcurrent:
		active := uidsOf(status.Active)
		start.before.Active = nil
		for _, job := range inOrderOfAge(o.Jobs) {
			if !o.leaving(job) && active[job.UID] {
				start.Replaced = append(start.Replaced, job)
			}
		}
	}
	p.Start = start
}

func aboutTick(tick time.Time) string { return tick.UTC().Format(time.RFC3339) }

func (p *Plan) say(e Event) { p.Events = append(p.Events, e) }

// Recorded is the CronJob's status once job, which may have been found rather
// than created, stands for the start.
func (s *Start) Recorded(job *batchv1.Job) batchv1.CronJobStatus {
	status := *s.before.DeepCopy()
	status.LastScheduleTime = later(status.LastScheduleTime, &metav1.Time{Time: s.ScheduledTime})
	if finished(job) == "" && !uidsOf(status.Active)[job.UID] {
		status.Active = append(status.Active, referenceTo(job))
	}
	return status
}

// newJob makes the Job of a tick from the template.
func newJob(cronJob *batchv1.CronJob, tick time.Time, zone *time.Location) *batchv1.Job {
	if zone == nil {
		zone = time.UTC
	}
	template := cronJob.Spec.JobTemplate.DeepCopy()
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Name:            jobName(cronJob, tick),
			Namespace:       cronJob.Namespace,
			Labels:          template.Labels,
			Annotations:     template.Annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(cronJob, batchv1.SchemeGroupVersion.WithKind("CronJob"))},
		},
		Spec: template.Spec,
	}
	metav1.SetMetaDataAnnotation(&job.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation, tick.In(zone).Format(time.RFC3339))
	return job
}

// jobName gives every tick one name, in minutes since 1970, so that no
// interruption can give it two Jobs.
func jobName(cronJob *batchv1.CronJob, tick time.Time) string {
	return fmt.Sprintf("%s-%d", cronJob.Name, tick.Unix()/60)
}

// scheduledTimeOf tells for which tick the controller created a Job, and false
// for a Job that it did not create.
func scheduledTimeOf(cronJob *batchv1.CronJob, job *batchv1.Job) (metav1.Time, bool) {
	tick, err := time.Parse(time.RFC3339, job.Annotations[batchv1.CronJobScheduledTimestampAnnotation])
	return metav1.NewTime(tick), err == nil && job.Name == jobName(cronJob, tick)
}

// finished returns the condition that ended a Job: Complete, Failed or none.
func finished(job *batchv1.Job) batchv1.JobConditionType {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return c.Type
		}
	}
	return ""
}

// leaving reports whether a Job is on its way out already.
func (o Observation) leaving(job *batchv1.Job) bool {
	return job.DeletionTimestamp != nil || o.Deleted[job.UID]
}

// inOrderOfAge sorts a copy of jobs by start, or by creation where a Job never
// started, then by name.
func inOrderOfAge(jobs []*batchv1.Job) []*batchv1.Job {
	began := func(job *batchv1.Job) time.Time {
		if job.Status.StartTime != nil {
			return job.Status.StartTime.Time
		}
		return job.CreationTimestamp.Time
	}
	return slices.SortedFunc(slices.Values(jobs), func(a, b *batchv1.Job) int {
		return cmp.Or(began(a).Compare(began(b)), cmp.Compare(a.Name, b.Name))
	})
}

func referenceTo(job *batchv1.Job) corev1.ObjectReference {
	return corev1.ObjectReference{
		APIVersion:      batchv1.SchemeGroupVersion.String(),
		Kind:            "Job",
		Namespace:       job.Namespace,
		Name:            job.Name,
		UID:             job.UID,
		ResourceVersion: job.ResourceVersion,
	}
}

func uidsOf(refs []corev1.ObjectReference) map[types.UID]bool {
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

func normal(reason, about, format string, args ...any) Event {
	return Event{corev1.EventTypeNormal, reason, fmt.Sprintf(format, args...), about}
}

func warning(reason, about, format string, args ...any) Event {
	return Event{corev1.EventTypeWarning, reason, fmt.Sprintf(format, args...), about}
}
