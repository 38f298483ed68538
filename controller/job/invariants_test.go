package job

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/jobconformance/jobconformance/controller/job/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// demand keeps the first thing that is wrong; the sync reports it when it is done.
func (w *world) demand(ok bool, format string, args ...any) {
	if !ok && w.wrong == "" {
		w.wrong = fmt.Sprintf(format, args...)
	}
}

// check looks at one write as it reaches the API.
func (w *world) check(before, after metav1.Object) {
	switch after := after.(type) {
	case *batchv1.Job:
		w.checkStatus(before.(*batchv1.Job), after)
		w.revisions = append(w.revisions, after)
		if !w.unheard {
			w.known = len(w.revisions)
		}
	case *corev1.Pod:
		if before == nil {
			w.checkCreation(after)
			after.Finalizers = append(after.Finalizers, kubeletFinalizer)
		} else if plan.HasFinalizer(before.(*corev1.Pod)) && !plan.HasFinalizer(after) {
			w.checkRelease(before.(*corev1.Pod), metav1.GetControllerOf(after) == nil)
		}
	}
}

// checkStatus is what kube-apiserver v1.37 demands of a status, and a bit more.
func (w *world) checkStatus(before, after *batchv1.Job) {
	old, now := before.Status, after.Status
	is := func(job *batchv1.Job, kind batchv1.JobConditionType) bool { return plan.IsTrue(job, kind) != nil }
	elastic := plan.Indexed(after) && ptr.Equal(after.Spec.Completions, after.Spec.Parallelism)
	w.demand(!plan.Finished(before), "a finished Job changes")
	w.demand(now.Failed >= old.Failed && (now.Succeeded >= old.Succeeded || elastic), "a counter goes back")
	w.demand(*now.Ready <= now.Active, "more ready than active")
	w.demand(!is(after, batchv1.JobFailureTarget) || !is(after, batchv1.JobSuccessCriteriaMet),
		"both failing and succeeding")
	for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet} {
		w.demand(!is(before, kind) || is(after, kind), "%s is withdrawn", kind)
	}
	w.demand(!is(after, batchv1.JobFailed) || is(before, batchv1.JobFailureTarget),
		"Failed without FailureTarget before")
	w.demand(!is(after, batchv1.JobComplete) || is(before, batchv1.JobSuccessCriteriaMet),
		"Complete without SuccessCriteriaMet before")
	w.demand((now.CompletionTime != nil) == is(after, batchv1.JobComplete), "completionTime belongs to Complete")
	resuming := is(before, batchv1.JobSuspended) && !is(after, batchv1.JobSuspended)
	w.demand(old.StartTime == nil || old.StartTime.Equal(now.StartTime) || suspended(after) || resuming,
		"startTime of a running Job changes")
	for i, c := range now.Conditions {
		w.demand(!slices.ContainsFunc(now.Conditions[:i], func(o batchv1.JobCondition) bool {
			return o.Type == c.Type
		}), "%s twice", c.Type)
	}
	u, was := ptr.Deref(now.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{}),
		ptr.Deref(old.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{})
	w.note(u.Succeeded, was.Succeeded, &w.succeeded)
	w.note(u.Failed, was.Failed, &w.failed)
	for _, pod := range w.pods {
		ignored := pod.Status.Phase == corev1.PodFailed && ignores(after, pod)
		// it may have failed only when it was noted already
		late := slices.Contains(was.Failed, pod.UID) || pod.DeletionTimestamp != nil
		w.demand(!ignored || late || !slices.Contains(u.Failed, pod.UID), "%s is ignored, but counted", pod.Name)
	}
	if plan.Indexed(after) {
		w.checkIndexes(after)
	}
	if plan.Finished(after) {
		w.checkFinished(after)
	}
}

// note counts the pods that a status takes note of. None is noted twice.
func (w *world) note(now, before []types.UID, counter *int32) {
	for _, uid := range now {
		if !slices.Contains(before, uid) {
			w.demand(!w.noted[uid], "%s is counted twice", uid)
			w.noted[uid] = true
			*counter++
		}
	}
}

func (w *world) checkIndexes(job *batchv1.Job) {
	limit := completions(job)
	completed := plan.ParseIntervals(job.Status.CompletedIndexes, limit)
	failed := plan.ParseIntervals(ptr.Deref(job.Status.FailedIndexes, ""), limit)
	w.demand(completed.String() == job.Status.CompletedIndexes, "completedIndexes %q", job.Status.CompletedIndexes)
	w.demand(int(job.Status.Succeeded) == completed.Total(), "%d succeeded, but %s completed", job.Status.Succeeded,
		completed)
	w.demand(failed.String() == ptr.Deref(job.Status.FailedIndexes, ""), "failedIndexes %q",
		ptr.Deref(job.Status.FailedIndexes, ""))
	w.demand(len(failed.Minus(completed)) == len(failed), "%s failed and %s completed", failed, completed)
	w.demand((job.Status.FailedIndexes != nil) == plan.LimitPerIndex(job),
		"failedIndexes belong to backoffLimitPerIndex")
}

func (w *world) checkFinished(job *batchv1.Job) {
	s := job.Status
	w.demand(s.Active+*s.Terminating+*s.Ready == 0, "finished with pods left")
	w.demand(len(s.UncountedTerminatedPods.Succeeded)+len(s.UncountedTerminatedPods.Failed) == 0,
		"finished with pods uncounted")
	w.demand(s.StartTime != nil || suspended(job) && ptr.Deref(job.Spec.Completions, 1) == 0,
		"finished but never started")
	for _, pod := range w.pods {
		if metav1.IsControlledBy(pod, job) {
			w.demand(!plan.HasFinalizer(pod), "finished though %s has its finalizer", pod.Name)
			w.demand(!active(pod), "finished though %s is active", pod.Name)
		}
	}
	w.checkCounters(job)
}

// checkCounters leaves Jobs out that are being deleted, as they release pods
// that they have not counted.
func (w *world) checkCounters(job *batchv1.Job) {
	if job.DeletionTimestamp != nil {
		return
	}
	if plan.Indexed(job) {
		for _, ix := range plan.ParseIntervals(job.Status.CompletedIndexes, completions(job)).Lowest(100) {
			w.demand(w.indexes[ix] || w.hasSuccess(job, ix), "index %d is completed, but no pod of it has succeeded",
				ix)
		}
	} else {
		w.demand(job.Status.Succeeded == w.succeeded, "%d succeeded, but the status says %d", w.succeeded,
			job.Status.Succeeded)
	}
	w.demand(job.Status.Failed == w.failed, "%d failed, but the status says %d", w.failed, job.Status.Failed)
}

func (w *world) hasSuccess(job *batchv1.Job, ix int) bool {
	for _, pod := range w.pods {
		if metav1.IsControlledBy(pod, job) && plan.CompletionIndex(pod) == ix &&
			pod.Status.Phase == corev1.PodSucceeded {
			return true
		}
	}
	return false
}

// checkCreation wants a revision of the Job that the controller may take for the
// latest one, and that allows this pod beside those that the API has.
func (w *world) checkCreation(pod *corev1.Pod) {
	reason := "there is no Job"
	for _, job := range w.revisions {
		if job != nil && metav1.IsControlledBy(pod, job) {
			if reason = w.forbids(job, pod); reason == "" {
				return
			}
		}
	}
	w.demand(false, "pod %s (index %s) is created: %s", pod.Name, podIndex(pod), reason)
}

func (w *world) forbids(job *batchv1.Job, pod *corev1.Pod) string {
	status := job.Status // of its own writes the controller has to know
	if current := w.jobs["pi"]; current != nil && current.UID == job.UID {
		status = current.Status
	}
	most := int(ptr.Deref(job.Spec.Parallelism, 1))
	if c := job.Spec.Completions; c != nil {
		succeeded := status.Succeeded
		if u := status.UncountedTerminatedPods; u != nil {
			succeeded += int32(len(u.Succeeded))
		}
		most = min(most, int(*c-succeeded))
	}
	failures := -1
	for _, other := range w.pods {
		if !metav1.IsControlledBy(other, job) {
			continue
		}
		same := plan.Indexed(job) && plan.CompletionIndex(other) == plan.CompletionIndex(pod)
		if active(other) || terminating(other) && plan.ReplaceOnlyFailed(job) {
			most--
			if same {
				return "another of its index is there"
			}
		}
		if same && other.Status.Phase == corev1.PodFailed && (plan.HasFinalizer(other) || w.noted[other.UID]) {
			failures = max(failures, plan.Attempts(other))
		}
	}
	ix := plan.CompletionIndex(pod)
	switch {
	case suspended(job) || job.DeletionTimestamp != nil || ending(job) || plan.Finished(job):
		return "the Job is suspended, or is over"
	case most <= 0:
		return "there are enough"
	case plan.Indexed(job) && !validIndex(job, pod):
		return "the index does not exist"
	case plan.Indexed(job) && plan.ParseIntervals(status.CompletedIndexes, completions(job)).Has(ix):
		return "the index is completed"
	case plan.ParseIntervals(ptr.Deref(status.FailedIndexes, ""), completions(job)).Has(ix):
		return "the index has failed"
	case plan.LimitPerIndex(job) && pod.Annotations[batchv1.JobIndexFailureCountAnnotation] == "":
		return "it does not say how often its index failed"
	case plan.LimitPerIndex(job) && !w.uncounted[ix] && plan.Attempts(pod) < failures+1:
		return "its index failed more often: " + strconv.Itoa(failures+1)
	}
	return ""
}

// checkRelease wants a reason for a tracking finalizer to go.
func (w *world) checkRelease(pod *corev1.Pod, released bool) {
	job := w.jobs["pi"]
	if released || job == nil || !metav1.IsControlledBy(pod, job) {
		return
	}
	u := ptr.Deref(job.Status.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{})
	ix := plan.CompletionIndex(pod)
	stale := slices.ContainsFunc(w.revisions, func(j *batchv1.Job) bool {
		return j != nil && j.UID == job.UID && !validIndex(j, pod)
	})
	switch {
	case slices.Contains(u.Failed, pod.UID) || slices.Contains(u.Succeeded, pod.UID):
	case job.DeletionTimestamp != nil || plan.IsTrue(job, batchv1.JobSuccessCriteriaMet) != nil:
		w.indexes[ix] = w.indexes[ix] || pod.Status.Phase == corev1.PodSucceeded
	case plan.Indexed(job) && pod.Status.Phase == corev1.PodSucceeded:
		over := plan.ParseIntervals(job.Status.CompletedIndexes+","+ptr.Deref(job.Status.FailedIndexes, ""), ix+1)
		w.demand(stale || over.Has(ix), "the finalizer of %s goes before its index is completed", pod.Name)
		w.indexes[ix] = true
	case stale:
		w.uncounted[ix] = true
	case active(pod):
		// checkRest sees that it is deleted. Its index begins anew.
		w.uncounted[ix] = true
	default:
		w.demand(ignores(job, pod), "the finalizer of %s goes before it is counted", pod.Name)
	}
}

// checkRest checks when the controller has seen everything and wants nothing.
func (w *world) checkRest() {
	job := w.jobs["pi"]
	if job == nil || plan.Finished(job) {
		return
	}
	var activePods, leaving int32
	for _, pod := range w.pods {
		if !metav1.IsControlledBy(pod, job) {
			continue
		}
		if active(pod) {
			activePods++
			w.demand(plan.HasFinalizer(pod), "%s is active without the finalizer", pod.Name)
		} else if terminating(pod) {
			leaving++
		}
	}
	s := job.Status
	w.demand(s.Active == activePods && ptr.Deref(s.Terminating, 0) == leaving,
		"%d active and %d terminating, but there are %d and %d", s.Active, ptr.Deref(s.Terminating, 0), activePods,
		leaving)
	if w.wrong != "" {
		w.t.Fatal(w.wrong, w.describe())
	}
}

// checkEnd checks when the Job is over.
func (w *world) checkEnd() {
	job := w.jobs["pi"]
	for _, pod := range w.pods {
		w.demand(!plan.HasFinalizer(pod), "%s keeps its finalizer", pod.Name)
	}
	if plan.Finished(job) {
		w.checkCounters(job)
	}
	if w.wrong != "" {
		w.t.Fatal(w.wrong)
	}
}

func ignores(job *batchv1.Job, pod *corev1.Pod) bool {
	action, matched := plan.FailureAction(job, pod)
	return matched && action == batchv1.PodFailurePolicyActionIgnore
}

func active(pod *corev1.Pod) bool      { return !plan.Terminal(pod) && pod.DeletionTimestamp == nil }
func terminating(pod *corev1.Pod) bool { return !plan.Terminal(pod) && pod.DeletionTimestamp != nil }
func suspended(job *batchv1.Job) bool  { return ptr.Deref(job.Spec.Suspend, false) }
func completions(job *batchv1.Job) int { return int(ptr.Deref(job.Spec.Completions, 0)) }

func ending(job *batchv1.Job) bool {
	return plan.IsTrue(job, batchv1.JobFailureTarget) != nil || plan.IsTrue(job, batchv1.JobSuccessCriteriaMet) != nil
}

func validIndex(job *batchv1.Job, pod *corev1.Pod) bool {
	ix := plan.CompletionIndex(pod)
	return !plan.Indexed(job) || ix >= 0 && ix < completions(job)
}
