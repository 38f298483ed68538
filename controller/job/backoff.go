package job

import (
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/utils/ptr"
)

// Backoff is how long pod creation waits after failures: Base after the first,
// twice as long after each further one, but never longer than Max.
type Backoff struct{ Base, Max time.Duration }

var defaultBackoff = Backoff{Base: 10 * time.Second, Max: 10 * time.Minute}

// maxFailuresKept is more than it takes to get from any sensible Base to Max.
const maxFailuresKept = 32

// History is what back-off depends on: when pods failed since the last success.
// Most of it can be read off the pods that are still there, so that it outlives
// a restart; it is remembered for the sake of those that were deleted.
type History struct {
	lastSuccess time.Time
	failures    []failure // the latest, oldest first
	upTo        string    // resourceVersion of the latest View
}

type failure struct {
	uid types.UID
	at  time.Time
}

// past tells whether a pod has ended and been counted, and was in a View since: it
// has no more to tell, and a Job may have thousands of those.
func (h History) past(pod *corev1.Pod) bool {
	return terminal(pod) && !hasFinalizer(pod) && !loop.NewerThan(pod.ResourceVersion, h.upTo)
}

// with returns h and what the pods of a View add to it.
func (h History) with(v View) History {
	h.upTo = v.UpTo
	recorded := sets.New[types.UID]()
	if u := v.Job.Status.UncountedTerminatedPods; u != nil {
		recorded.Insert(u.Succeeded...).Insert(u.Failed...)
	}
	known := sets.New[types.UID]()
	for _, f := range h.failures {
		known.Insert(f.uid)
	}
	failures := slices.Clone(h.failures)
	for _, pod := range v.Pods {
		// A pod deleted without the finalizer was retired: its end is our doing.
		retired := pod.DeletionTimestamp != nil && !hasFinalizer(pod) && !recorded.Has(pod.UID)
		if retired || known.Has(pod.UID) || indexed(v.Job) && !validIndex(v.Job, pod) {
			continue
		}
		switch {
		case pod.Status.Phase == corev1.PodSucceeded:
			h.lastSuccess = latest(h.lastSuccess, finishTime(pod))
		case countsAsFailed(v.Job, pod):
			failures = append(failures, failure{uid: pod.UID, at: finishTime(pod)})
		}
	}
	failures = slices.DeleteFunc(failures, func(f failure) bool { return !f.at.After(h.lastSuccess) })
	slices.SortStableFunc(failures, func(a, b failure) int { return a.at.Compare(b.at) })
	h.failures = failures[max(0, len(failures)-maxFailuresKept):]
	return h
}

// readyAt is when the next pod may be created.
func (h History) readyAt(b Backoff) time.Time {
	if len(h.failures) == 0 {
		return time.Time{}
	}
	return b.after(len(h.failures), h.failures[len(h.failures)-1].at)
}

// after is when the next pod may be created after so many failures in a row, one
// or more, and the last of them at a given time.
func (b Backoff) after(failures int, last time.Time) time.Time {
	delay := b.Base
	for ; failures > 1 && delay < b.Max; failures-- {
		delay *= 2
	}
	return last.Add(min(delay, b.Max))
}

// finishTime is when the last container ended; of pods that do not tell, when
// they stopped being ready, or were deleted, or at worst were created.
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
	sidecars := sets.New[string]()
	for _, c := range pod.Spec.InitContainers {
		if ptr.Deref(c.RestartPolicy, "") == corev1.ContainerRestartPolicyAlways {
			sidecars.Insert(c.Name)
		}
	}
	statuses := slices.Clone(pod.Status.ContainerStatuses)
	for _, c := range pod.Status.InitContainerStatuses {
		if sidecars.Has(c.Name) {
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
