package plan

import (
	"cmp"
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
)

// counts is what a Job's pods add up to, whether the status has caught up or not.
type counts struct {
	active, terminating []*corev1.Pod
	withFinalizer       int
	// succeeded and failed include every finished pod. Of an Indexed Job, succeeded counts indexes.
	succeeded, failed int32
	indexes           indexes
	// failJob is why a failed pod fails the whole Job; empty if none does.
	failJob string
}

// count counts pods so that a crash, a conflict or a repetition at any point counts each of them
// exactly once (KEP-2307). A finished pod goes through three states, and only one write leads from
// one to the next:
//
//	finalizer on, UID nowhere              write the UID into uncountedTerminatedPods
//	finalizer on, UID in the status        remove the finalizer
//	finalizer off, UID in the status       replace the UID by one more in a counter
//
// Succeeded pods of an Indexed Job need no UID, as an index counts once.
//
// It returns the status with all counters up to date, and the pods that lose the finalizer once
// that status is written.
// JOB-TRACKING-002, JOB-TRACKING-003, JOB-TRACKING-004, JOB-TRACKING-007, JOB-FAULTS-002,
// JOB-COMPLETIONS-006, JOB-COMPLETIONS-007, JOB-BACKOFF-005, JOB-STATUS-004
func count(job *batchv1.Job, pods []*corev1.Pod) (c counts, status batchv1.JobStatus, counted []*corev1.Pod) {
	withFinalizer := sets.New[types.UID]()
	for _, pod := range pods {
		if HasFinalizer(pod) {
			withFinalizer.Insert(pod.UID)
		}
		if active(pod) {
			c.active = append(c.active, pod)
		}
		if terminating(pod) {
			c.terminating = append(c.terminating, pod)
		}
	}
	c.withFinalizer = withFinalizer.Len()

	status = *job.Status.DeepCopy()
	if status.UncountedTerminatedPods == nil {
		status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	}
	uncounted := status.UncountedTerminatedPods
	status.Succeeded = max(status.Succeeded, 0) + dropReleased(&uncounted.Succeeded, withFinalizer)
	status.Failed = max(status.Failed, 0) + dropReleased(&uncounted.Failed, withFinalizer)
	recorded := sets.New(uncounted.Succeeded...).Insert(uncounted.Failed...)
	c.succeeded = status.Succeeded + int32(len(uncounted.Succeeded))
	c.failed = status.Failed + int32(len(uncounted.Failed))
	if Indexed(job) {
		c.indexes = countIndexes(job, pods, c.active, recorded)
		c.succeeded = int32(c.indexes.completed.Total()) // JOB-INDEXED-013, JOB-ELASTIC-003
		status.Succeeded = c.succeeded
		status.CompletedIndexes = c.indexes.completed.String() // JOB-INDEXED-007
		status.FailedIndexes = nil
		if LimitPerIndex(job) {
			status.FailedIndexes = ptr.To(c.indexes.failed.String()) // JOB-BACKOFFLIMITPERINDEX-006
		}
	}

	room := MaxPods - recorded.Len()
	record := func(pod *corev1.Pod, list *[]types.UID) {
		if room <= 0 {
			return
		}
		room--
		if list != nil {
			*list = append(*list, pod.UID)
		}
		counted = append(counted, pod)
	}
	for _, pod := range pods {
		failed := countsAsFailed(job, pod)
		switch {
		case !HasFinalizer(pod) || c.indexes.retains(pod) && recorded.Has(pod.UID):
		case recorded.Has(pod.UID): // JOB-REPLACEMENT-004
			counted = append(counted, pod)
		case pod.Status.Phase == corev1.PodSucceeded && Indexed(job):
			record(pod, nil) // countIndexes has counted it
		case pod.Status.Phase == corev1.PodSucceeded:
			c.succeeded++
			record(pod, &uncounted.Succeeded)
		case failed && validIndex(job, pod): // JOB-ONFAILURE-008, JOB-BACKOFFLIMITPERINDEX-021
			decision := decide(job, pod)
			if decision.action == batchv1.PodFailurePolicyActionFailJob {
				c.failJob = cmp.Or(c.failJob, decision.reason)
			}
			list := &uncounted.Failed
			if decision.action == batchv1.PodFailurePolicyActionIgnore { // JOB-PODFAILUREPOLICY-006
				list = nil
			} else { // JOB-PODFAILUREPOLICY-007, JOB-PODFAILUREPOLICY-008
				c.failed++
			}
			if !c.indexes.retains(pod) {
				record(pod, list)
			}
		case failed, uncountable(job, pod):
			counted = append(counted, pod)
		}
	}

	status.Active = int32(len(c.active)) // JOB-STATUS-010
	status.Ready = ptr.To(int32(0))
	for _, pod := range c.active {
		if ready(pod) { // JOB-STATUS-002
			*status.Ready++
		}
	}
	status.Terminating = ptr.To(int32(len(c.terminating)))
	return c, status, counted
}

// dropReleased takes the UIDs whose pod no longer has the finalizer out of a list and returns how
// many they were.
func dropReleased(uids *[]types.UID, withFinalizer sets.Set[types.UID]) int32 {
	before := len(*uids)
	*uids = slices.DeleteFunc(*uids, func(uid types.UID) bool { return !withFinalizer.Has(uid) })
	if len(*uids) == 0 {
		*uids = nil
	}
	return int32(before - len(*uids))
}

// countsAsFailed reports whether a pod is a failure of the Job. A pod that is being deleted is one
// already, as it may vanish without ever reaching a final phase, unless podReplacementPolicy asks
// to wait for that phase (KEP-3939). A failing Job waits for no phase.
// JOB-BACKOFF-012, JOB-REPLACEMENT-002, JOB-REPLACEMENT-003, JOB-PODFAILUREPOLICY-019,
// JOB-PODFAILUREPOLICY-020, JOB-BACKOFFLIMITPERINDEX-017, JOB-BACKOFFLIMITPERINDEX-018
func countsAsFailed(job *batchv1.Job, pod *corev1.Pod) bool {
	switch {
	case Terminal(pod):
		return pod.Status.Phase == corev1.PodFailed
	case pod.DeletionTimestamp == nil:
		return false
	}
	return !ReplaceOnlyFailed(job) || IsTrue(job, batchv1.JobFailureTarget) != nil
}

// uncountable reports whether an unfinished pod no longer matters to the counters: the Job is being
// deleted, or has met its success criteria and the pod is being deleted.
// JOB-SUCCESSPOLICY-010
func uncountable(job *batchv1.Job, pod *corev1.Pod) bool {
	return job.DeletionTimestamp != nil ||
		terminating(pod) && IsTrue(job, batchv1.JobSuccessCriteriaMet) != nil
}

// noIndex is the completion index of a pod that has none.
const noIndex = -1

// indexes is how the indexes of an Indexed Job stand.
type indexes struct {
	completed, failed Intervals
	// retained are failed pods by index that keep the finalizer until the next pod of their index
	// exists, as the number of failures is known from the pod alone (KEP-3850).
	retained map[int]*corev1.Pod
}

func (i indexes) retains(pod *corev1.Pod) bool { return i.retained[CompletionIndex(pod)] == pod }

// CompletionIndex returns the completion index that a pod's annotation gives, or -1.
func CompletionIndex(pod *corev1.Pod) int {
	ix, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	if err != nil || ix < 0 {
		return noIndex
	}
	return ix
}

// validIndex reports whether a pod has a part in its Job: pods of an Indexed Job without a valid
// index count neither way (JOB-INDEXED-012).
func validIndex(job *batchv1.Job, pod *corev1.Pod) bool {
	ix := CompletionIndex(pod)
	return !Indexed(job) || ix >= 0 && ix < completions(job)
}

// countIndexes brings the completed and the failed indexes up to date. An index ends once: how it
// ended first stands. recorded are pods that uncountedTerminatedPods lists.
// JOB-INDEXED-008, JOB-ELASTIC-004, JOB-ELASTIC-005, JOB-ELASTIC-007, JOB-SUCCESSPOLICY-017
func countIndexes(job *batchv1.Job, pods, active []*corev1.Pod, recorded sets.Set[types.UID]) (i indexes) {
	limit := completions(job)
	i.completed = ParseIntervals(job.Status.CompletedIndexes, limit)
	i.failed = ParseIntervals(ptr.Deref(job.Status.FailedIndexes, ""), limit).Minus(i.completed)
	var completed, failed []int
	for _, pod := range pods {
		switch ix := CompletionIndex(pod); {
		case !HasFinalizer(pod) || !validIndex(job, pod) || recorded.Has(pod.UID):
		case pod.Status.Phase == corev1.PodSucceeded:
			completed = append(completed, ix)
		case LimitPerIndex(job) && countsAsFailed(job, pod) && endsIndex(job, pod):
			failed = append(failed, ix)
		}
	}
	i.completed = i.completed.plus(Intervals(nil).with(completed...).Minus(i.failed))
	if LimitPerIndex(job) {
		i.failed = i.failed.with(failed...).Minus(i.completed)
		i.retained = retained(job, pods, i.completed.plus(i.failed).with(indexesOf(active)...))
	}
	return i
}

// endsIndex reports whether an index has failed for good with this failed pod.
// JOB-BACKOFFLIMITPERINDEX-001, JOB-BACKOFFLIMITPERINDEX-002, JOB-BACKOFFLIMITPERINDEX-019
func endsIndex(job *batchv1.Job, pod *corev1.Pod) bool {
	if pod.DeletionTimestamp != nil && IsTrue(job, batchv1.JobFailureTarget) != nil {
		return false // the controller deleted it because the Job fails
	}
	action := decide(job, pod).action
	failures, _ := indexFailures(pod)
	return action == batchv1.PodFailurePolicyActionFailIndex ||
		action != batchv1.PodFailurePolicyActionIgnore && failures >= int(*job.Spec.BackoffLimitPerIndex)
}

// retained finds the pod that failed last of each index that waits for its next pod. over are the
// indexes that wait for none. JOB-BACKOFFLIMITPERINDEX-016
func retained(job *batchv1.Job, pods []*corev1.Pod, over Intervals) map[int]*corev1.Pod {
	if job.DeletionTimestamp != nil || ending(job) {
		return nil
	}
	last := map[int]*corev1.Pod{}
	for _, pod := range pods {
		ix := CompletionIndex(pod)
		if !HasFinalizer(pod) || !validIndex(job, pod) || over.Has(ix) || !countsAsFailed(job, pod) {
			continue
		}
		if other := last[ix]; other == nil || cmp.Or(cmp.Compare(Attempts(pod), Attempts(other)),
			finishTime(pod).Compare(finishTime(other))) > 0 {
			last[ix] = pod
		}
	}
	return last
}

// indexFailures returns how often the index of a pod had failed before: how often that counted
// against the limit, and how often the pod failure policy ignored it. Users may have edited the
// annotations; a value that is no such number is 0.
func indexFailures(pod *corev1.Pod) (counted, ignored int) {
	number := func(annotation string) int {
		n, err := strconv.ParseInt(pod.Annotations[annotation], 10, 32)
		if err != nil || n < 0 {
			return 0
		}
		return int(n)
	}
	return number(batchv1.JobIndexFailureCountAnnotation), number(batchv1.JobIndexIgnoredFailureCountAnnotation)
}

// MayRetry reports whether a later Plan may need a pod although it has ended and is counted: how
// often its index has failed is known from such pods alone once the pod that followed is deleted.
func MayRetry(job *batchv1.Job, pod *corev1.Pod) bool {
	return LimitPerIndex(job) && pod.Status.Phase == corev1.PodFailed
}

// failureCount is how often an index has failed.
type failureCount struct{ counted, ignored int }

// failureCounts returns how often each index has failed, by all pods that are left of it. The pod
// that followed the last failure may have been deleted, with the number on it: by a suspension, or a
// lower parallelism. Then the failed one still shows it, though it is counted; if that is gone as
// well, nothing does. An index that had failed for good starts anew: completions have excluded it
// meanwhile. JOB-SUSPEND-007, JOB-BACKOFFLIMITPERINDEX-012, JOB-BACKOFFLIMITPERINDEX-013
func failureCounts(job *batchv1.Job, pods []*corev1.Pod) map[int]failureCount {
	if !LimitPerIndex(job) {
		return nil
	}
	counts := map[int]failureCount{}
	for _, pod := range pods {
		ix := CompletionIndex(pod)
		counted, ignored := indexFailures(pod)
		// The controller itself deleted a pod that is being deleted without the finalizer.
		if countsAsFailed(job, pod) && (pod.DeletionTimestamp == nil || HasFinalizer(pod)) {
			counted, ignored = inherited(job, pod)
		}
		counts[ix] = failureCount{max(counted, counts[ix].counted), max(ignored, counts[ix].ignored)}
	}
	for ix, n := range counts {
		if n.counted > int(*job.Spec.BackoffLimitPerIndex) {
			delete(counts, ix)
		}
	}
	return counts
}

// Attempts returns how often an index had failed before this pod, for whatever reason.
// JOB-BACKOFFLIMITPERINDEX-022
func Attempts(pod *corev1.Pod) int {
	counted, ignored := indexFailures(pod)
	return counted + ignored
}

func indexesOf(pods []*corev1.Pod) []int {
	var result []int
	for _, pod := range pods {
		if ix := CompletionIndex(pod); ix != noIndex {
			result = append(result, ix)
		}
	}
	return result
}
