package job

import (
	"cmp"
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
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

func ready(pod *corev1.Pod) bool { return !readySince(pod).never }

type since struct {
	never bool
	at    time.Time
}

func readySince(pod *corev1.Pod) since {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return since{at: c.LastTransitionTime.Time}
		}
	}
	return since{never: true}
}

// replaceOnlyFailed tells whether a pod is replaced only once it has a final
// phase, not when its deletion begins (KEP-3939).
func replaceOnlyFailed(job *batchv1.Job) bool {
	return ptr.Deref(job.Spec.PodReplacementPolicy, batchv1.TerminatingOrFailed) == batchv1.Failed
}

func filter(pods []*corev1.Pod, keep func(*corev1.Pod) bool) []*corev1.Pod {
	var result []*corev1.Pod
	for _, pod := range pods {
		if keep(pod) {
			result = append(result, pod)
		}
	}
	return result
}

// surplusPods picks at least n of the active pods to remove: all whose index is
// wrong or taken by a better pod, and then those that got least far.
func surplusPods(job *batchv1.Job, active []*corev1.Pod, n int) []*corev1.Pod {
	pods := slices.SortedFunc(slices.Values(active), byProgress)
	var surplus, rest []*corev1.Pod
	if !indexed(job) {
		rest = pods
	} else {
		best := map[int]*corev1.Pod{}
		for _, pod := range pods {
			best[completionIndex(pod)] = pod // the last one got furthest
		}
		for _, pod := range pods {
			if validIndex(job, pod) && best[completionIndex(pod)] == pod {
				rest = append(rest, pod)
			} else {
				surplus = append(surplus, pod)
			}
		}
	}
	if more := n - len(surplus); more > 0 {
		surplus = append(surplus, rest[:more]...)
	}
	return surplus
}

// byProgress sorts the pods that have least to lose first: without a node, then
// pending, then not ready, then ready for the shortest time, then restarted most
// often, then youngest. The name makes it a total order.
func byProgress(a, b *corev1.Pod) int {
	return cmp.Or(
		falseFirst(a.Spec.NodeName != "", b.Spec.NodeName != ""),
		cmp.Compare(phaseRank[a.Status.Phase], phaseRank[b.Status.Phase]),
		falseFirst(ready(a), ready(b)),
		latestFirst(readySince(a).at, readySince(b).at),
		cmp.Compare(maxRestarts(b.Status.ContainerStatuses), maxRestarts(a.Status.ContainerStatuses)),
		cmp.Compare(maxRestarts(b.Status.InitContainerStatuses), maxRestarts(a.Status.InitContainerStatuses)),
		latestFirst(a.CreationTimestamp.Time, b.CreationTimestamp.Time),
		strings.Compare(a.Name, b.Name),
	)
}

var phaseRank = map[corev1.PodPhase]int{corev1.PodPending: 0, corev1.PodUnknown: 1, corev1.PodRunning: 2}

func falseFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}

// latestFirst takes an unknown time for the latest of all.
func latestFirst(a, b time.Time) int {
	if c := falseFirst(!a.IsZero(), !b.IsZero()); c != 0 {
		return c
	}
	return b.Compare(a)
}

func maxRestarts(statuses []corev1.ContainerStatus) int32 {
	var most int32
	for _, c := range statuses {
		most = max(most, c.RestartCount)
	}
	return most
}
