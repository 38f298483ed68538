package job

import (
	"slices"
	"sort"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubectl/pkg/util/podutils"
	"k8s.io/utils/ptr"
)

func hasFinalizer(pod *corev1.Pod) bool {
	return slices.Contains(pod.Finalizers, batchv1.JobTrackingFinalizer)
}

func terminal(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// active pods are those that status.active counts.
func active(pod *corev1.Pod) bool { return !terminal(pod) && pod.DeletionTimestamp == nil }

// terminating pods are those that status.terminating counts: being deleted, and
// without a final phase.
func terminating(pod *corev1.Pod) bool { return !terminal(pod) && pod.DeletionTimestamp != nil }

// replaceOnlyFailed tells whether a pod is replaced only once it has a final
// phase, not when its deletion begins (KEP-3939).
func replaceOnlyFailed(job *batchv1.Job) bool {
	return ptr.Deref(job.Spec.PodReplacementPolicy, batchv1.TerminatingOrFailed) == batchv1.Failed
}

func filter(pods []*corev1.Pod, keep func(*corev1.Pod) bool) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool { return !keep(pod) })
}

// surplusPods picks at least n of the active pods to remove: all whose index is
// wrong or taken by a better pod, and then those that got least far.
func surplusPods(job *batchv1.Job, active []*corev1.Pod, n int) []*corev1.Pod {
	pods := slices.Clone(active)
	sort.Sort(podutils.ActivePods(pods)) // what got furthest is last
	var surplus, rest []*corev1.Pod
	taken := map[int]bool{}
	for _, pod := range slices.Backward(pods) {
		if ix := completionIndex(pod); indexed(job) && (!validIndex(job, pod) || taken[ix]) {
			surplus = append(surplus, pod)
		} else {
			taken[ix] = true
			rest = append(rest, pod)
		}
	}
	slices.Reverse(rest)
	return append(surplus, rest[:max(0, n-len(surplus))]...)
}
