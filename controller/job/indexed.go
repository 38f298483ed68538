package job

import (
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// noIndex stands for "has no completion index".
const noIndex = -1

func indexed(job *batchv1.Job) bool {
	return ptr.Deref(job.Spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.IndexedCompletion
}

// knownMode is false for completion modes that a later API may add.
func knownMode(job *batchv1.Job) bool {
	return indexed(job) || ptr.Deref(job.Spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.NonIndexedCompletion
}

func completions(job *batchv1.Job) int { return int(ptr.Deref(job.Spec.Completions, 0)) }

func completionIndex(pod *corev1.Pod) int {
	ix, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	if err != nil || ix < 0 {
		return noIndex
	}
	return ix
}

func validIndex(job *batchv1.Job, pod *corev1.Pod) bool {
	ix := completionIndex(pod)
	return ix >= 0 && ix < completions(job)
}

// newIndexes returns for which indexes to create n pods, the lowest first; of a
// Job without indexes, n times noIndex.
func newIndexes(job *batchv1.Job, s stock, n int) []int {
	if !indexed(job) {
		return slices.Repeat([]int{noIndex}, n)
	}
	taken := s.completed
	for _, pod := range s.busy(job) {
		taken = taken.with(completionIndex(pod))
	}
	return taken.gaps(n, completions(job))
}

// busy are the pods that keep an index from being started again.
func (s stock) busy(job *batchv1.Job) []*corev1.Pod {
	pods := s.active
	if replaceOnlyFailed(job) {
		pods = slices.Concat(pods, s.leaving)
	}
	return filter(pods, func(pod *corev1.Pod) bool { return completionIndex(pod) != noIndex })
}

// interval is a range of indexes, both ends in it.
type interval struct{ first, last int }

// intervals are sorted and neither overlap nor touch.
type intervals []interval

// parseIntervals reads status.completedIndexes, such as "0,2-4", and leaves out
// what is not below limit or not a number.
func parseIntervals(text string, limit int) intervals {
	var result intervals
	for part := range strings.SplitSeq(text, ",") {
		first, last, ranged := strings.Cut(part, "-")
		from, err := strconv.Atoi(first)
		to := from
		if ranged && err == nil {
			to, err = strconv.Atoi(last)
		}
		if err != nil || from < 0 || from > to || from >= limit {
			continue
		}
		result = result.add(interval{from, min(to, limit-1)})
	}
	return result
}

// String is the inverse of parseIntervals. Two neighbours are written "3,4", and
// only longer runs "3-5", as the API does.
func (is intervals) String() string {
	var parts []string
	for _, i := range is {
		parts = append(parts, strconv.Itoa(i.first))
		if i.last == i.first+1 {
			parts = append(parts, strconv.Itoa(i.last))
		} else if i.last > i.first {
			parts[len(parts)-1] += "-" + strconv.Itoa(i.last)
		}
	}
	return strings.Join(parts, ",")
}

func (is intervals) total() int {
	n := 0
	for _, i := range is {
		n += i.last - i.first + 1
	}
	return n
}

// with returns is and one index more; is itself stays as it was.
func (is intervals) with(ix int) intervals { return is.add(interval{ix, ix}) }

func (is intervals) add(in interval) intervals {
	// All that overlap or touch the new one melt into it.
	from, _ := slices.BinarySearchFunc(is, in.first-1, func(i interval, ix int) int { return i.last - ix })
	to := from
	for ; to < len(is) && is[to].first <= in.last+1; to++ {
		in.first = min(in.first, is[to].first)
		in.last = max(in.last, is[to].last)
	}
	return slices.Concat(is[:from], intervals{in}, is[to:])
}

// gaps returns up to n of the lowest indexes below limit that are not in is.
func (is intervals) gaps(n, limit int) []int {
	var result []int
	next := 0
	for _, i := range append(slices.Clone(is), interval{limit, limit}) {
		for ; next < i.first && next < limit && len(result) < n; next++ {
			result = append(result, next)
		}
		next = max(next, i.last+1)
	}
	return result
}
