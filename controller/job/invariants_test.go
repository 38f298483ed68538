package job

import (
	"fmt"
	"slices"
	"strconv"

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
		} else if hasFinalizer(before.(*corev1.Pod)) && !hasFinalizer(after) {
			w.checkRelease(before.(*corev1.Pod), metav1.GetControllerOf(after) == nil)
		}
	}
}

// checkStatus is what kube-apiserver v1.37 demands of a status, and a bit more.
func (w *world) checkStatus(before, after *batchv1.Job) {
	old, now := before.Status, after.Status
	is := func(job *batchv1.Job, kind batchv1.JobConditionType) bool { return isTrue(job, kind) != nil }
	elastic := indexed(after) && ptr.Equal(after.Spec.Completions, after.Spec.Parallelism)
	w.demand(!Finished(before), "a finished Job changes")
	w.demand(now.Failed >= old.Failed && (now.Succeeded >= old.Succeeded || elastic), "a counter goes back")
	w.demand(*now.Ready <= now.Active, "more ready than active")
	w.demand(!is(after, batchv1.JobFailureTarget) || !is(after, batchv1.JobSuccessCriteriaMet), "both failing and succeeding")
	for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet} {
		w.demand(!is(before, kind) || is(after, kind), "%s is withdrawn", kind)
	}
	w.demand(!is(after, batchv1.JobFailed) || is(before, batchv1.JobFailureTarget), "Failed without FailureTarget before")
	w.demand(!is(after, batchv1.JobComplete) || is(before, batchv1.JobSuccessCriteriaMet), "Complete without SuccessCriteriaMet before")
	w.demand((now.CompletionTime != nil) == is(after, batchv1.JobComplete), "completionTime belongs to Complete")
	resuming := is(before, batchv1.JobSuspended) && !is(after, batchv1.JobSuspended)
	w.demand(old.StartTime == nil || old.StartTime.Equal(now.StartTime) || suspended(after) || resuming, "startTime of a running Job changes")
	for i, c := range now.Conditions {
		w.demand(!slices.ContainsFunc(now.Conditions[:i], func(o batchv1.JobCondition) bool { return o.Type == c.Type }), "%s twice", c.Type)
	}
	u, was := ptr.Deref(now.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{}), ptr.Deref(old.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{})
	w.note(u.Succeeded, was.Succeeded, &w.succeeded)
	w.note(u.Failed, was.Failed, &w.failed)
	for _, pod := range w.pods {
		ignored := pod.Status.Phase == corev1.PodFailed && ruleOn(after, pod).action == batchv1.PodFailurePolicyActionIgnore
		late := slices.Contains(was.Failed, pod.UID) || pod.DeletionTimestamp != nil // it may have failed only when it was noted already
		w.demand(!ignored || late || !slices.Contains(u.Failed, pod.UID), "%s is ignored, but counted", pod.Name)
	}
	if indexed(after) {
		w.checkIndexes(after)
	}
	if Finished(after) {
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
	completed := parseIntervals(job.Status.CompletedIndexes, limit)
	failed := parseIntervals(ptr.Deref(job.Status.FailedIndexes, ""), limit)
	w.demand(completed.String() == job.Status.CompletedIndexes, "completedIndexes %q", job.Status.CompletedIndexes)
	w.demand(int(job.Status.Succeeded) == completed.total(), "%d succeeded, but %s completed", job.Status.Succeeded, completed)
	w.demand(failed.String() == ptr.Deref(job.Status.FailedIndexes, ""), "failedIndexes %q", ptr.Deref(job.Status.FailedIndexes, ""))
	w.demand(len(failed.minus(completed)) == len(failed), "%s failed and %s completed", failed, completed)
	w.demand((job.Status.FailedIndexes != nil) == limitPerIndex(job), "failedIndexes belong to backoffLimitPerIndex")
}

func (w *world) checkFinished(job *batchv1.Job) {
	s := job.Status
	w.demand(s.Active+*s.Terminating+*s.Ready == 0, "finished with pods left")
	w.demand(len(s.UncountedTerminatedPods.Succeeded)+len(s.UncountedTerminatedPods.Failed) == 0, "finished with pods uncounted")
	w.demand(s.StartTime != nil || suspended(job) && ptr.Deref(job.Spec.Completions, 1) == 0, "finished but never started")
	for _, pod := range w.pods {
		if metav1.IsControlledBy(pod, job) {
			w.demand(!hasFinalizer(pod), "finished though %s has its finalizer", pod.Name)
			w.demand(!active(pod), "finished though %s is active", pod.Name)
		}
	}
	w.checkCounters(job)
}

// checkCounters leaves Jobs out that are being deleted, as they let go of pods
// that they have not counted.
func (w *world) checkCounters(job *batchv1.Job) {
	if job.DeletionTimestamp != nil {
		return
	}
	if indexed(job) {
		for _, ix := range parseIntervals(job.Status.CompletedIndexes, completions(job)).lowest(100) {
			w.demand(w.indexes[ix] || w.holdsSuccess(job, ix), "index %d is completed, but no pod of it has succeeded", ix)
		}
	} else {
		w.demand(job.Status.Succeeded == w.succeeded, "%d succeeded, but the status says %d", w.succeeded, job.Status.Succeeded)
	}
	w.demand(job.Status.Failed == w.failed, "%d failed, but the status says %d", w.failed, job.Status.Failed)
}

func (w *world) holdsSuccess(job *batchv1.Job, ix int) bool {
	for _, pod := range w.pods {
		if metav1.IsControlledBy(pod, job) && completionIndex(pod) == ix && pod.Status.Phase == corev1.PodSucceeded {
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
		same := indexed(job) && completionIndex(other) == completionIndex(pod)
		if active(other) || terminating(other) && replaceOnlyFailed(job) {
			most--
			if same {
				return "another of its index is there"
			}
		}
		if same && other.Status.Phase == corev1.PodFailed && (hasFinalizer(other) || w.noted[other.UID]) {
			failures = max(failures, attempts(other))
		}
	}
	ix := completionIndex(pod)
	switch {
	case suspended(job) || job.DeletionTimestamp != nil || ending(job) || Finished(job):
		return "the Job is suspended, or is over"
	case most <= 0:
		return "there are enough"
	case indexed(job) && !validIndex(job, pod):
		return "the index does not exist"
	case indexed(job) && parseIntervals(status.CompletedIndexes, completions(job)).has(ix):
		return "the index is completed"
	case parseIntervals(ptr.Deref(status.FailedIndexes, ""), completions(job)).has(ix):
		return "the index has failed"
	case limitPerIndex(job) && pod.Annotations[batchv1.JobIndexFailureCountAnnotation] == "":
		return "it does not say how often its index failed"
	case limitPerIndex(job) && !w.retired[ix] && attempts(pod) < failures+1:
		return "its index failed more often: " + strconv.Itoa(failures+1)
	}
	return ""
}

// checkRelease wants a reason for a tracking finalizer to go.
func (w *world) checkRelease(pod *corev1.Pod, disowned bool) {
	job := w.jobs["pi"]
	if disowned || job == nil || !metav1.IsControlledBy(pod, job) {
		return
	}
	u := ptr.Deref(job.Status.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{})
	ix := completionIndex(pod)
	stale := slices.ContainsFunc(w.revisions, func(j *batchv1.Job) bool { return j != nil && j.UID == job.UID && !validIndex(j, pod) })
	switch {
	case slices.Contains(u.Failed, pod.UID) || slices.Contains(u.Succeeded, pod.UID):
	case job.DeletionTimestamp != nil || isTrue(job, batchv1.JobSuccessCriteriaMet) != nil:
		w.indexes[ix] = w.indexes[ix] || pod.Status.Phase == corev1.PodSucceeded
	case indexed(job) && pod.Status.Phase == corev1.PodSucceeded:
		over := parseIntervals(job.Status.CompletedIndexes+","+ptr.Deref(job.Status.FailedIndexes, ""), ix+1)
		w.demand(stale || over.has(ix), "the finalizer of %s goes before its index is completed", pod.Name)
		w.indexes[ix] = true
	case stale:
		w.retired[ix] = true
	case active(pod):
		// checkRest sees that it is deleted. Its index begins anew.
		w.retired[ix] = true
	default:
		ignored := ruleOn(job, pod).action == batchv1.PodFailurePolicyActionIgnore
		w.demand(ignored && countsAsFailed(job, pod), "the finalizer of %s goes before it is counted", pod.Name)
	}
}

// checkRest holds when the controller has seen everything and wants nothing.
func (w *world) checkRest() {
	job := w.jobs["pi"]
	if job == nil || Finished(job) {
		return
	}
	var activePods, leaving int32
	for _, pod := range w.pods {
		if !metav1.IsControlledBy(pod, job) {
			continue
		}
		if active(pod) {
			activePods++
			w.demand(hasFinalizer(pod), "%s is active without the finalizer", pod.Name)
		} else if terminating(pod) {
			leaving++
		}
	}
	s := job.Status
	w.demand(s.Active == activePods && ptr.Deref(s.Terminating, 0) == leaving,
		"%d active and %d terminating, but there are %d and %d", s.Active, ptr.Deref(s.Terminating, 0), activePods, leaving)
	if w.wrong != "" {
		w.t.Fatal(w.wrong, w.describe())
	}
}

// checkEnd holds when the Job is over.
func (w *world) checkEnd() {
	job := w.jobs["pi"]
	for _, pod := range w.pods {
		w.demand(!hasFinalizer(pod), "%s keeps its finalizer", pod.Name)
	}
	if Finished(job) {
		w.checkCounters(job)
	}
	if w.wrong != "" {
		w.t.Fatal(w.wrong)
	}
}
