// Package job is the reference Job controller: one Job at a time, in three
// steps.
//
//	observe   what informers show, corrected by what this process wrote itself
//	plan      a pure function from that view to a Plan; it states the contract
//	act       carries a Plan out; may stop anywhere and be repeated
//
// Every step looks at the state of objects, never at the events that led there,
// so a sync may come late, twice, or first after a crash.
//
// The contract is the batch/v1 API as Kubernetes v1.37 keeps it: the field
// comments in k8s.io/api/batch/v1 and the enhancements KEP-2307 (tracking with
// finalizers), KEP-2232 (suspend), KEP-2214 (Indexed), KEP-3715 (elastic
// Indexed), KEP-3850 (backoffLimitPerIndex), KEP-3329 (podFailurePolicy), KEP-3939
// (podReplacementPolicy), KEP-3998 (successPolicy, interim conditions) and
// KEP-4368 (managedBy).
package job

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// maxPodsPerPlan bounds the pods that one Plan creates, removes or counts, so
// that a huge Job neither starves others nor outgrows its status: 500 UIDs are
// about 20 KB (KEP-2307).
const maxPodsPerPlan = 500

// View is all that a Plan may depend on. Nothing in it is ever modified.
type View struct {
	Job *batchv1.Job
	// Pods are controlled by the Job, finished ones included but for those that
	// History has no more to learn from.
	Pods []*corev1.Pod
	// UpTo is a resourceVersion: Pods are shown as they were then, or later.
	UpTo string
	// Strays match the Job's selector and have no controller.
	Strays []*corev1.Pod
	// Mismatched are controlled by the Job but its selector no longer matches.
	Mismatched []*corev1.Pod
	Now        time.Time
	Backoff    Backoff
	// History is what earlier Plans for this Job remembered.
	History History
	// CreateAfter holds pod creation back after the API server refused some.
	CreateAfter time.Time
}

// Plan is what to do now. It is carried out from top to bottom.
type Plan struct {
	// Adopt become the Job's, with its finalizer; a Plan that adopts does nothing
	// else, as it cannot know what they will count for.
	Adopt []*corev1.Pod
	// Disown are let go, without the tracking finalizer.
	Disown []*corev1.Pod
	// Status to write before any pod below is touched.
	Status batchv1.JobStatus
	// Events tell of changes in Status and are emitted once it is written.
	Events []Event
	// Handled are the rules that fit the failed pods that Status takes note of.
	Handled []batchv1.PodFailurePolicyAction
	// Release lose the tracking finalizer: Status has taken note of them.
	Release []*corev1.Pod
	// Retire are surplus. They lose the finalizer first, and so count neither as
	// succeeded nor as failed, and are then deleted.
	Retire []*corev1.Pod
	// Kill are deleted with the finalizer on, to be counted as failed.
	Kill   []*corev1.Pod
	Create []newcomer
	// Again is when time alone changes the Plan; 0 means never.
	Again time.Duration
	// History to remember for the next View.
	History History
}

// Event is one line of `kubectl describe job`.
type Event struct{ Type, Reason, Message string }

// plan decides what a Job needs now.
func plan(v View) Plan {
	job := v.Job
	p := Plan{Status: *job.Status.DeepCopy(), History: v.History}
	if Finished(job) {
		return p
	}
	deleting := job.DeletionTimestamp != nil
	if len(v.Strays) > 0 && !deleting {
		p.Adopt = v.Strays
		return p
	}
	p.Disown = v.Mismatched

	s := takeStock(v)
	p.Status = s.status
	p.Release, p.Handled = s.release, s.handled
	p.History = v.History.with(v)
	start(&p, v)

	switch verdict := judge(v, s, p.Status.StartTime); {
	case verdict == nil && deleting:
		// The garbage collector sees to the pods.
	case verdict == nil && suspended(job):
		suspend(&p, s, v.Now)
	case verdict == nil:
		scale(&p, s, v)
		if d := deadline(job, p.Status.StartTime); d != nil {
			p.lookAgain(d.Sub(v.Now))
		}
	default:
		finish(&p, s, v, verdict)
	}
	return p
}

// start sets when the Job began to be active, for the first time or again: the
// active deadline leaves out the time spent suspended (KEP-2232). The API server
// lets startTime of a running Job change only together with the condition
// Suspended (#134521).
func start(p *Plan, v View) {
	if suspended(v.Job) {
		return
	}
	if p.setCondition(batchv1.JobSuspended, false, "JobResumed", "Job resumed", v.Now) {
		p.event(corev1.EventTypeNormal, "Resumed", "Job resumed")
		p.Status.StartTime = stamp(v.Now)
	}
	if p.Status.StartTime == nil {
		p.Status.StartTime = stamp(v.Now)
	}
}

// suspend removes all active pods, and then says that the Job is suspended.
// startTime is empty while it is (v1.36, MutableSchedulingDirectivesForSuspendedJobs).
func suspend(p *Plan, s stock, now time.Time) {
	if len(s.active) > 0 {
		p.Retire = atMost(maxPodsPerPlan, s.active)
		return
	}
	if p.setCondition(batchv1.JobSuspended, true, "JobSuspended", "Job suspended", now) {
		p.event(corev1.EventTypeNormal, "Suspended", "Job suspended")
	}
	p.Status.StartTime = nil
}

// scale brings the number of active pods to what is wanted. A Plan either
// removes or creates, so that no revision shows more active pods than allowed.
func scale(p *Plan, s stock, v View) {
	want := wanted(v.Job, s)
	if surplus := surplusPods(v.Job, s.active, len(s.active)-want); len(surplus) > 0 {
		p.Retire = atMost(maxPodsPerPlan, surplus)
		return
	}
	// Whose retirement was broken off but who is wanted again must be counted.
	if p.Adopt = filter(s.active, func(pod *corev1.Pod) bool { return !hasFinalizer(pod) }); len(p.Adopt) > 0 {
		return
	}
	missing := want - len(s.active)
	if replaceOnlyFailed(v.Job) {
		missing -= len(s.leaving)
	}
	if missing <= 0 {
		return
	}
	ready := v.CreateAfter
	if !limitPerIndex(v.Job) {
		ready = latest(ready, p.History.readyAt(v.Backoff))
	}
	// The status is due even while creation is held back (#139457).
	if wait := ready.Sub(v.Now); wait > 0 {
		p.lookAgain(wait)
		return
	}
	p.Create = p.newcomers(s, v, min(missing, maxPodsPerPlan))
}

// wanted is how many pods should be active now.
func wanted(job *batchv1.Job, s stock) int {
	parallelism := int(ptr.Deref(job.Spec.Parallelism, 1))
	if job.Spec.Completions == nil {
		// A work queue: the first success tells that the queue is empty. Pods
		// that still run may finish, new ones have nothing to do.
		if s.succeeded > 0 {
			return len(s.active)
		}
		return parallelism
	}
	return max(0, min(parallelism, int(*job.Spec.Completions-s.succeeded)))
}

func (p *Plan) event(kind, reason, message string) {
	p.Events = append(p.Events, Event{Type: kind, Reason: reason, Message: message})
}

// lookAgain keeps the earliest time asked for.
func (p *Plan) lookAgain(in time.Duration) {
	if p.Again == 0 || in < p.Again {
		p.Again = max(in, time.Millisecond)
	}
}

func atMost(n int, pods []*corev1.Pod) []*corev1.Pod {
	return pods[:min(n, len(pods))]
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
