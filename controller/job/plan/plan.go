// Package plan states the batch/v1 contract of Jobs: New is a pure function from a View of one
// Job, its pods and the clock to a Plan. It imports nothing but the API types.
//
// The contract is the batch/v1 API as Kubernetes v1.37 keeps it: the field comments in
// k8s.io/api/batch/v1 and the enhancements KEP-2307 (tracking with finalizers), KEP-2232
// (suspend), KEP-2214 (Indexed), KEP-3715 (elastic Indexed), KEP-3850 (backoffLimitPerIndex),
// KEP-3329 (podFailurePolicy), KEP-3939 (podReplacementPolicy), KEP-3998 (successPolicy, interim
// conditions) and KEP-4368 (managedBy). IDs such as JOB-SUSPEND-006 are those of
// suites/REQUIREMENTS.md and stand at the line that keeps a requirement; suites/mutants/PROVED.md
// lists the lines that a wrong controller proves.
package plan

import (
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
)

// MaxPods bounds the pods that one Plan creates, deletes or counts, so that a huge Job neither
// starves others nor outgrows its status: 500 UIDs are about 20 KB (KEP-2307).
const MaxPods = 500

// Plan is what to do now, in the order of the fields. All of it is carried out, up to the first
// write of Status that fails; each step may be repeated.
type Plan struct {
	// Status is written before any pod below is touched; nil if it is as it should be.
	Status *batchv1.JobStatus
	// Events are emitted once Status is written.
	Events []Event
	// Release are pods that no longer match the selector: they lose owner and finalizer.
	Release []*corev1.Pod
	// RemoveFinalizer are pods that Status has counted.
	RemoveFinalizer []*corev1.Pod
	// DeleteUncounted lose the finalizer first and so count neither as succeeded nor as failed.
	DeleteUncounted []*corev1.Pod
	// DeleteCounted are deleted with the finalizer on, to be counted as failed.
	DeleteCounted []*corev1.Pod
	// Regroup is about the Job's Workload and PodGroup. No Plan that creates one creates pods.
	Regroup Regroup
	// Adopt are given owner and finalizer. What they count for is for the next Plan to see.
	Adopt []*corev1.Pod
	// Create are whole pods, lowest index first. No Plan both adopts and creates.
	Create []*corev1.Pod
	// RequeueAfter is when time alone changes the Plan, counted from View.Now; 0 means never.
	RequeueAfter time.Duration
	// History is for the next View.
	History History
}

// Event is one line of `kubectl describe job`.
type Event struct{ Type, Reason, Message string }

// New decides what a Job needs now.
func New(v View) Plan {
	job := v.Job
	if !Ours(job, v.Manager) {
		return Plan{History: v.History}
	}
	if reason, message := validate(job); reason != "" {
		return Plan{History: v.History, Events: []Event{{corev1.EventTypeWarning, reason, message}}}
	}
	pods, adopt, release := claim(v)
	history := v.History.with(job, pods)
	deleting := job.DeletionTimestamp != nil
	if len(adopt) > 0 && !deleting { // JOB-PODS-008
		return Plan{Adopt: adopt, History: history}
	}

	c, status, counted := count(job, pods)
	p := Plan{Status: &status, Release: release, RemoveFinalizer: counted, History: history}
	p.start(job, v.Now)
	switch verdict := judge(job, pods, c, status.StartTime, v.Now); {
	case verdict != nil:
		p.finish(job, c, *verdict, v.Now) // JOB-END-006, JOB-SUCCESSPOLICY-011
	case deleting:
		// The garbage collector deletes the pods.
		// JOB-PODS-009, JOB-FINISHED-001, JOB-ADMISSION-014
	case suspended(job):
		p.group(v)
		p.suspend(c, v.Now) // JOB-ADMISSION-013
	default:
		p.scale(v, c)
		if d := deadline(job, status.StartTime); d != nil {
			p.requeueAfter(d.Sub(v.Now)) // JOB-DEADLINE-004, JOB-ADMISSION-012
		}
	}
	// JOB-STATUS-012
	if equality.Semantic.DeepEqual(*p.Status, job.Status) {
		p.Status = nil
	}
	return p
}

// start sets when the Job began to be active, for the first time or again: the active deadline
// leaves out the time spent suspended (KEP-2232). The API server lets startTime of a running Job
// change only together with the condition Suspended (#134521).
func (p *Plan) start(job *batchv1.Job, now time.Time) {
	if suspended(job) {
		return
	}
	// JOB-SUSPEND-004, JOB-SUSPEND-006, JOB-SUSPEND-011, JOB-SUSPEND-012, JOB-DEADLINE-011
	if p.setCondition(batchv1.JobSuspended, false, "JobResumed", "Job resumed", now) {
		p.event(corev1.EventTypeNormal, "Resumed", "Job resumed")
		p.Status.StartTime = stamp(now)
	}
	// JOB-STATUS-005, JOB-STATUS-006, JOB-DEADLINE-010
	if p.Status.StartTime == nil {
		p.Status.StartTime = stamp(now)
	}
}

// suspend deletes all active pods, and then reports the Job as suspended. Meanwhile startTime is
// empty (v1.36, MutableSchedulingDirectivesForSuspendedJobs).
func (p *Plan) suspend(c counts, now time.Time) {
	if len(c.active) > 0 {
		p.DeleteUncounted = atMost(MaxPods, c.active) // JOB-SUSPEND-002
		return
	}
	if p.setCondition(batchv1.JobSuspended, true, "JobSuspended", "Job suspended", now) {
		p.event(corev1.EventTypeNormal, "Suspended", "Job suspended")
	}
	p.Status.StartTime = nil
}

// setCondition makes a condition true or false, and the only one of its type. It reports whether
// that changed the status.
func (p *Plan) setCondition(kind batchv1.JobConditionType, value bool, reason, message string, now time.Time) bool {
	if value == (trueCondition(p.Status, kind) != nil) {
		return false
	}
	c := batchv1.JobCondition{Type: kind, Status: corev1.ConditionFalse, Reason: reason, Message: message,
		LastProbeTime: *stamp(now), LastTransitionTime: *stamp(now)} // JOB-SUSPEND-005, JOB-END-008
	if value {
		c.Status = corev1.ConditionTrue
	}
	p.Status.Conditions = append(slices.DeleteFunc(p.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == kind
	}), c)
	return true
}

func (p *Plan) event(kind, reason, message string) {
	p.Events = append(p.Events, Event{Type: kind, Reason: reason, Message: message})
}

// requeueAfter keeps the earliest time asked for.
func (p *Plan) requeueAfter(in time.Duration) {
	if p.RequeueAfter == 0 || in < p.RequeueAfter {
		p.RequeueAfter = max(in, time.Millisecond)
	}
}

// stamp returns a time as the API keeps it, in whole seconds.
func stamp(t time.Time) *metav1.Time {
	at := metav1.NewTime(t).Rfc3339Copy()
	return &at
}

func atMost(n int, pods []*corev1.Pod) []*corev1.Pod { return pods[:min(n, len(pods))] }

// validate returns why a Job cannot be worked on, with the reason for an Event, or nothing.
// kube-apiserver refuses such Jobs today; an older or a newer one may have stored them. They are
// left alone rather than guessed at: with a selector that does not match the template, say, every
// pod would be created and never counted.
func validate(job *batchv1.Job) (reason, message string) {
	spec := job.Spec
	mode := ptr.Deref(spec.CompletionMode, batchv1.NonIndexedCompletion)
	if mode != batchv1.NonIndexedCompletion && mode != batchv1.IndexedCompletion {
		return "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown"
	}
	if Indexed(job) && spec.Completions == nil {
		return "InvalidSpec", "Skipped the Job: spec.completionMode Indexed needs spec.completions"
	}
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err != nil || selector.Empty() || !selector.Matches(labels.Set(spec.Template.Labels)) {
		return "InvalidSpec", "Skipped the Job: spec.selector does not match the labels of spec.template"
	}
	for _, number := range []struct {
		field string
		value *int32
	}{
		{"parallelism", spec.Parallelism},
		{"completions", spec.Completions},
		{"backoffLimit", spec.BackoffLimit},
		{"backoffLimitPerIndex", spec.BackoffLimitPerIndex},
		{"maxFailedIndexes", spec.MaxFailedIndexes},
	} {
		if number.value != nil && *number.value < 0 {
			return "InvalidSpec", fmt.Sprintf("Skipped the Job: spec.%s is negative", number.field)
		}
	}
	if ptr.Deref(spec.ActiveDeadlineSeconds, 0) < 0 {
		return "InvalidSpec", "Skipped the Job: spec.activeDeadlineSeconds is negative"
	}
	return "", ""
}
