package job

import (
	"cmp"
	"math"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// noIndex stands for "has no completion index".
const noIndex = -1

func indexed(job *batchv1.Job) bool {
	return ptr.Deref(job.Spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.IndexedCompletion
}

// limitPerIndex tells whether each index has a back-off, and a limit to it, of
// its own (KEP-3850).
func limitPerIndex(job *batchv1.Job) bool {
	return indexed(job) && job.Spec.BackoffLimitPerIndex != nil
}

func completions(job *batchv1.Job) int { return int(ptr.Deref(job.Spec.Completions, 0)) }

func completionIndex(pod *corev1.Pod) int {
	ix, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	if err != nil || ix < 0 {
		return noIndex
	}
	return ix
}

// validIndex tells whether a pod has a part in its Job: pods of an Indexed Job
// without a valid index count neither way.
func validIndex(job *batchv1.Job, pod *corev1.Pod) bool {
	ix := completionIndex(pod)
	return !indexed(job) || ix >= 0 && ix < completions(job)
}

// countIndexes brings the completed and the failed indexes up to date. An index
// ends once: what it did first stands.
func (s *stock) countIndexes(v View) {
	limit := completions(v.Job)
	s.completed = parseIntervals(s.status.CompletedIndexes, limit)
	s.failedIndexes = parseIntervals(ptr.Deref(s.status.FailedIndexes, ""), limit).minus(s.completed)
	var completed, failed []int
	for _, pod := range v.Pods {
		switch ix := completionIndex(pod); {
		case !hasFinalizer(pod) || !validIndex(v.Job, pod) || s.recorded.Has(pod.UID):
		case pod.Status.Phase == corev1.PodSucceeded:
			completed = append(completed, ix)
		case limitPerIndex(v.Job) && countsAsFailed(v.Job, pod) && endsIndex(v.Job, pod):
			failed = append(failed, ix)
		}
	}
	s.completed = s.completed.plus(intervals(nil).with(completed...).minus(s.failedIndexes))
	s.succeeded = int32(s.completed.total())
	s.status.Succeeded = s.succeeded
	s.status.CompletedIndexes = s.completed.String()
	s.status.FailedIndexes = nil
	if limitPerIndex(v.Job) {
		s.failedIndexes = s.failedIndexes.with(failed...).minus(s.completed)
		s.status.FailedIndexes = ptr.To(s.failedIndexes.String())
		s.hold(v)
	}
}

// endsIndex tells whether an index has failed for good with this failed pod.
func endsIndex(job *batchv1.Job, pod *corev1.Pod) bool {
	if pod.DeletionTimestamp != nil && isTrue(job, batchv1.JobFailureTarget) != nil {
		return false // it was killed because the Job fails
	}
	action := ruleOn(job, pod).action
	failures, _ := indexFailures(pod)
	return action == batchv1.PodFailurePolicyActionFailIndex ||
		action != batchv1.PodFailurePolicyActionIgnore && failures >= int(*job.Spec.BackoffLimitPerIndex)
}

// hold finds the pod that failed last of each index that waits for its next one.
// It keeps the finalizer until that is there, as the number of failures is known
// from the pod alone (KEP-3850).
func (s *stock) hold(v View) {
	if v.Job.DeletionTimestamp != nil || ending(v.Job) {
		return
	}
	over := s.completed.plus(s.failedIndexes).with(indexesOf(s.active)...)
	s.held = map[int]*corev1.Pod{}
	for _, pod := range v.Pods {
		ix := completionIndex(pod)
		if !hasFinalizer(pod) || !validIndex(v.Job, pod) || over.has(ix) || !countsAsFailed(v.Job, pod) {
			continue
		}
		if other := s.held[ix]; other == nil || cmp.Or(cmp.Compare(attempts(pod), attempts(other)),
			finishTime(pod).Compare(finishTime(other))) > 0 {
			s.held[ix] = pod
		}
	}
}

func (s *stock) holds(pod *corev1.Pod) bool { return s.held[completionIndex(pod)] == pod }

// newcomer is a pod to create.
type newcomer struct {
	index int // or noIndex
	// after is the failed pod of the same index that it follows, if it inherits
	// the number of failures.
	after *corev1.Pod
}

// newcomers returns up to n pods to create, the lowest indexes first. Indexes
// that a back-off of their own keeps waiting leave their place to others.
func (p *Plan) newcomers(s stock, v View, n int) []newcomer {
	if !indexed(v.Job) {
		result := make([]newcomer, n)
		for i := range result {
			result[i].index = noIndex
		}
		return result
	}
	taken := s.completed
	taken = taken.plus(s.failedIndexes).with(indexesOf(s.active)...)
	if replaceOnlyFailed(v.Job) {
		taken = taken.with(indexesOf(s.leaving)...)
	}
	var waiting []int
	for ix, pod := range s.held {
		if wait := v.Backoff.after(attempts(pod)+1, finishTime(pod)).Sub(v.Now); wait > 0 {
			waiting = append(waiting, ix)
			p.lookAgain(wait)
		}
	}
	var result []newcomer
	all := intervals{{0, completions(v.Job) - 1}}
	for _, ix := range all.minus(taken.with(waiting...)).lowest(n) {
		result = append(result, newcomer{index: ix, after: s.held[ix]})
	}
	return result
}

func indexesOf(pods []*corev1.Pod) []int {
	var result []int
	for _, pod := range pods {
		if ix := completionIndex(pod); ix != noIndex {
			result = append(result, ix)
		}
	}
	return result
}

// indexFailures is how often the index of a pod had failed before: how often that
// counted against the limit, and how often the pod failure policy ignored it.
// Users may have edited the annotations; what makes no sense is 0.
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

// attempts is how often an index had failed before this pod, for whatever reason.
func attempts(pod *corev1.Pod) int {
	counted, ignored := indexFailures(pod)
	return counted + ignored
}

// inherited is what indexFailures shall be for the pod that follows a failed one.
func inherited(job *batchv1.Job, after *corev1.Pod) (counted, ignored int) {
	if after == nil {
		return 0, 0
	}
	counted, ignored = indexFailures(after)
	if ruleOn(job, after).action == batchv1.PodFailurePolicyActionIgnore {
		return counted, min(ignored+1, math.MaxInt32)
	}
	return min(counted+1, math.MaxInt32), ignored
}
