package plan

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
)

const (
	// noIndex is the completion index of a pod that has none.
	noIndex = -1
	// completionIndexEnv is the variable that gives a container its index (KEP-2214).
	completionIndexEnv = "JOB_COMPLETION_INDEX"
)

// CompletionIndex returns the completion index that a pod's annotation gives, or -1.
func CompletionIndex(pod *corev1.Pod) int {
	ix, err := strconv.Atoi(pod.Annotations[batchv1.JobCompletionIndexAnnotation])
	if err != nil || ix < 0 {
		return noIndex
	}
	return ix
}

// validIndex reports whether a pod has a part in its Job: pods of an Indexed Job without a valid
// index count neither way.
func validIndex(job *batchv1.Job, pod *corev1.Pod) bool {
	ix := CompletionIndex(pod)
	return !Indexed(job) || ix >= 0 && ix < completions(job)
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

// indexes is how the indexes of an Indexed Job stand.
type indexes struct {
	completed, failed Intervals
	// retained are failed pods by index that keep the finalizer until the next pod of their index
	// exists, as the number of failures is known from the pod alone (KEP-3850).
	retained map[int]*corev1.Pod
}

func (i indexes) retains(pod *corev1.Pod) bool { return i.retained[CompletionIndex(pod)] == pod }

// countIndexes brings the completed and the failed indexes up to date. An index ends once: how it
// ended first stands. recorded are pods that uncountedTerminatedPods lists.
func countIndexes(job *batchv1.Job, pods, active []*corev1.Pod, recorded sets.Set[types.UID]) (i indexes) {
	limit := completions(job)
	i.completed = ParseIntervals(job.Status.CompletedIndexes, limit) // JOB-ELASTIC-004, JOB-SUCCESSPOLICY-017
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
func endsIndex(job *batchv1.Job, pod *corev1.Pod) bool {
	if pod.DeletionTimestamp != nil && IsTrue(job, batchv1.JobFailureTarget) != nil {
		return false // the controller deleted it because the Job fails
	}
	action := decide(job, pod).action
	failures, _ := indexFailures(pod)
	return action == batchv1.PodFailurePolicyActionFailIndex ||
		// JOB-BACKOFFLIMITPERINDEX-002
		action != batchv1.PodFailurePolicyActionIgnore && failures >= int(*job.Spec.BackoffLimitPerIndex)
}

// retained finds the pod that failed last of each index that waits for its next pod. over are the
// indexes that wait for none.
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

// Attempts returns how often an index had failed before this pod, for whatever reason.
func Attempts(pod *corev1.Pod) int {
	counted, ignored := indexFailures(pod)
	return counted + ignored
}

// inherited returns indexFailures of the pod that follows a failed one.
func inherited(job *batchv1.Job, failed *corev1.Pod) (counted, ignored int) {
	counted, ignored = indexFailures(failed)
	if decide(job, failed).action == batchv1.PodFailurePolicyActionIgnore {
		return counted, min(ignored+1, math.MaxInt32)
	}
	return min(counted+1, math.MaxInt32), ignored
}

// failureCount is how often an index has failed.
type failureCount struct{ counted, ignored int }

// failureCounts returns how often each index has failed, by all pods that are left of it. The pod
// that followed the last failure may have been deleted, with the number on it: by a suspension, or a
// lower parallelism. Then the failed one still shows it, though it is counted; if that is gone as
// well, nothing does. An index that had failed for good starts anew: completions have excluded it
// meanwhile.
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

// MayRetry reports whether a later Plan may need a pod although it has ended and is counted: how
// often its index has failed is known from such pods alone once the pod that followed is deleted.
func MayRetry(job *batchv1.Job, pod *corev1.Pod) bool {
	return LimitPerIndex(job) && pod.Status.Phase == corev1.PodFailed
}

// setIndex gives a pod its completion index in all the ways that KEP-2214 and KEP-4017 promise:
// annotation, label, environment, name and host name.
func setIndex(pod *corev1.Pod, jobName string, index int) {
	ix := strconv.Itoa(index)
	pod.GenerateName = namePrefix(jobName, "-"+ix+"-") // JOB-INDEXED-003
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, batchv1.JobCompletionIndexAnnotation, ix)
	metav1.SetMetaDataLabel(&pod.ObjectMeta, batchv1.JobCompletionIndexAnnotation, ix)
	pod.Spec.Hostname = jobName + "-" + ix
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for i := range containers {
			addIndexEnv(&containers[i])
		}
	}
}

func addIndexEnv(c *corev1.Container) {
	// JOB-INDEXED-005
	if slices.ContainsFunc(c.Env, func(e corev1.EnvVar) bool { return e.Name == completionIndexEnv }) {
		return
	}
	path := fmt.Sprintf("metadata.labels['%s']", batchv1.JobCompletionIndexAnnotation)
	c.Env = append(c.Env, corev1.EnvVar{
		Name:      completionIndexEnv,
		ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}},
	})
}
