package plan

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
)

// Backoff is how long pod creation waits after failures: Base after the first, twice as long after
// each further one, but never longer than Max.
type Backoff struct{ Base, Max time.Duration }

// DefaultBackoff is that of kube-controller-manager.
var DefaultBackoff = Backoff{Base: 10 * time.Second, Max: 10 * time.Minute}

// maxFailuresKept is more than it takes to get from any sensible Base to Max.
const maxFailuresKept = 32

// History is what back-off depends on: when pods failed since the last success. Most of it can be
// read off the pods that still exist, so that it outlives a restart; it is kept for the sake of
// those that were deleted.
type History struct {
	lastSuccess time.Time
	failures    []failure // the latest, oldest first
}

type failure struct {
	uid types.UID
	at  time.Time
}

// with returns h and what pods add to it.
func (h History) with(job *batchv1.Job, pods []*corev1.Pod) History {
	recorded := sets.New[types.UID]()
	if u := job.Status.UncountedTerminatedPods; u != nil {
		recorded.Insert(u.Succeeded...).Insert(u.Failed...)
	}
	known := sets.New[types.UID]()
	for _, f := range h.failures {
		known.Insert(f.uid)
	}
	failures := slices.Clone(h.failures)
	for _, pod := range pods {
		// The controller itself deleted a pod that has lost the finalizer uncounted.
		surplus := pod.DeletionTimestamp != nil && !HasFinalizer(pod) && !recorded.Has(pod.UID)
		if surplus || known.Has(pod.UID) || Indexed(job) && !validIndex(job, pod) {
			continue
		}
		switch {
		case pod.Status.Phase == corev1.PodSucceeded:
			h.lastSuccess = latest(h.lastSuccess, finishTime(pod))
		case countsAsFailed(job, pod):
			failures = append(failures, failure{uid: pod.UID, at: finishTime(pod)})
		}
	}
	// JOB-BACKOFF-011
	failures = slices.DeleteFunc(failures, func(f failure) bool { return !f.at.After(h.lastSuccess) })
	slices.SortStableFunc(failures, func(a, b failure) int { return a.at.Compare(b.at) })
	h.failures = failures[max(0, len(failures)-maxFailuresKept):]
	return h
}

// readyAt returns when the next pod may be created; zero means at once.
func (h History) readyAt(b Backoff) time.Time {
	if len(h.failures) == 0 {
		return time.Time{}
	}
	return b.after(len(h.failures), h.failures[len(h.failures)-1].at)
}

// after returns when the next pod may be created after so many failures in a row, one or more, the
// last of them at a given time.
func (b Backoff) after(failures int, last time.Time) time.Time {
	delay := b.Base
	for ; failures > 1 && delay < b.Max; failures-- {
		delay *= 2
	}
	return last.Add(min(delay, b.Max))
}

// finishTime returns when the last container ended. Where the pod does not show that, it is when the
// pod stopped being ready, or was deleted, or at worst was created.
func finishTime(pod *corev1.Pod) time.Time {
	if at := containersFinished(pod); !at.IsZero() {
		return at
	}
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionFalse && !c.LastTransitionTime.IsZero() {
			return c.LastTransitionTime.Time
		}
	}
	if pod.DeletionTimestamp != nil {
		// deletionTimestamp is when the grace period ends, not when it began.
		grace := time.Duration(ptr.Deref(pod.DeletionGracePeriodSeconds, 0)) * time.Second
		return pod.DeletionTimestamp.Add(-grace)
	}
	return pod.CreationTimestamp.Time
}

// containersFinished is zero unless all containers ended, sidecars included.
func containersFinished(pod *corev1.Pod) time.Time {
	statuses := slices.Clone(pod.Status.ContainerStatuses)
	for _, c := range pod.Status.InitContainerStatuses {
		if isSidecar(pod, c.Name) {
			statuses = append(statuses, c)
		}
	}
	var last time.Time
	for _, c := range statuses {
		if c.State.Terminated == nil || c.State.Terminated.FinishedAt.IsZero() {
			return time.Time{}
		}
		last = latest(last, c.State.Terminated.FinishedAt.Time)
	}
	return last
}

func isSidecar(pod *corev1.Pod, name string) bool {
	return slices.ContainsFunc(pod.Spec.InitContainers, func(c corev1.Container) bool {
		return c.Name == name && ptr.Deref(c.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways
	})
}

func latest(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
