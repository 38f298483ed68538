package plan

import (
	"cmp"
	"slices"

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
func count(job *batchv1.Job, pods []*corev1.Pod) (c counts, status batchv1.JobStatus, counted []*corev1.Pod) {
	c, withFinalizer := sortPods(pods)
	status, recorded := settle(job, withFinalizer)
	uncounted := status.UncountedTerminatedPods
	c.succeeded = status.Succeeded + int32(len(uncounted.Succeeded))
	c.failed = status.Failed + int32(len(uncounted.Failed))
	if Indexed(job) {
		c.indexes = countIndexes(job, pods, c.active, recorded)
		c.succeeded = int32(c.indexes.completed.Total()) // JOB-INDEXED-013, JOB-ELASTIC-003
	}

	room := MaxPods - recorded.Len()
	for _, pod := range pods {
		switch is := c.outcomeOf(job, pod, recorded); is {
		case settled:
			counted = append(counted, pod)
		case asSuccess, asFailure:
			uids := c.add(job, pod, is, uncounted)
			if room <= 0 || c.indexes.retains(pod) {
				continue
			}
			room--
			if uids != nil {
				*uids = append(*uids, pod.UID) // JOB-TRACKING-007
			}
			counted = append(counted, pod)
		}
	}
	c.report(job, &status)
	return c, status, counted
}

// sortPods begins to count pods, and returns the UIDs of those that have the finalizer.
func sortPods(pods []*corev1.Pod) (c counts, withFinalizer sets.Set[types.UID]) {
	withFinalizer = sets.New[types.UID]()
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
	return c, withFinalizer
}

// settle returns the status in which the counters have replaced the UIDs of pods without the
// finalizer, and the UIDs that are left.
func settle(job *batchv1.Job,
	withFinalizer sets.Set[types.UID]) (status batchv1.JobStatus, recorded sets.Set[types.UID]) {
	status = *job.Status.DeepCopy()
	if status.UncountedTerminatedPods == nil {
		status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	}
	uncounted := status.UncountedTerminatedPods
	// JOB-STATUS-004
	status.Succeeded = max(status.Succeeded, 0) + dropReleased(&uncounted.Succeeded, withFinalizer)
	status.Failed = max(status.Failed, 0) + dropReleased(&uncounted.Failed, withFinalizer) // JOB-ELASTIC-005
	return status, sets.New(uncounted.Succeeded...).Insert(uncounted.Failed...)
}

// outcome is what a pod is for the counters.
type outcome int

const (
	// notYet is a pod that has not ended, that has lost the finalizer, or that has to keep it.
	notYet outcome = iota
	// settled is a pod that the status has, or that counts neither way: the finalizer can go.
	settled
	asSuccess
	asFailure
)

// outcomeOf answers what a pod is. recorded are pods that uncountedTerminatedPods lists.
func (c *counts) outcomeOf(job *batchv1.Job, pod *corev1.Pod, recorded sets.Set[types.UID]) outcome {
	failed := countsAsFailed(job, pod)
	switch {
	case !HasFinalizer(pod) || c.indexes.retains(pod) && recorded.Has(pod.UID):
		return notYet
	case recorded.Has(pod.UID): // JOB-REPLACEMENT-004
		return settled
	case pod.Status.Phase == corev1.PodSucceeded:
		return asSuccess
	case failed && validIndex(job, pod): // JOB-ONFAILURE-008, JOB-BACKOFFLIMITPERINDEX-021
		return asFailure
	case failed, uncountable(job, pod):
		return settled
	}
	return notYet
}

// add adds what a pod counts for. It returns the list that its UID has to be in before the
// finalizer goes, or nil: an index counts once, and an ignored failure does not count.
func (c *counts) add(job *batchv1.Job, pod *corev1.Pod, as outcome,
	uncounted *batchv1.UncountedTerminatedPods) *[]types.UID {
	if as == asSuccess {
		if Indexed(job) {
			return nil // countIndexes has counted it
		}
		c.succeeded++ // JOB-COMPLETIONS-007
		return &uncounted.Succeeded
	}
	decision := decide(job, pod)
	if decision.action == batchv1.PodFailurePolicyActionFailJob {
		c.failJob = cmp.Or(c.failJob, decision.reason)
	}
	if decision.action == batchv1.PodFailurePolicyActionIgnore { // JOB-PODFAILUREPOLICY-006
		return nil
	}
	c.failed++ // JOB-PODFAILUREPOLICY-007, JOB-PODFAILUREPOLICY-008, JOB-BACKOFF-005
	return &uncounted.Failed
}

// report writes into the status what does not need a UID.
func (c *counts) report(job *batchv1.Job, status *batchv1.JobStatus) {
	if Indexed(job) {
		status.Succeeded = c.succeeded
		status.CompletedIndexes = c.indexes.completed.String() // JOB-INDEXED-007
		status.FailedIndexes = nil
		if LimitPerIndex(job) {
			status.FailedIndexes = ptr.To(c.indexes.failed.String()) // JOB-BACKOFFLIMITPERINDEX-006
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
func countsAsFailed(job *batchv1.Job, pod *corev1.Pod) bool {
	switch {
	case Terminal(pod):
		return pod.Status.Phase == corev1.PodFailed
	case pod.DeletionTimestamp == nil: // JOB-PODFAILUREPOLICY-020
		return false
	}
	// JOB-BACKOFF-012, JOB-REPLACEMENT-003, JOB-BACKOFFLIMITPERINDEX-017,
	// JOB-BACKOFFLIMITPERINDEX-018
	return !ReplaceOnlyFailed(job) || IsTrue(job, batchv1.JobFailureTarget) != nil
}

// uncountable reports whether an unfinished pod no longer matters to the counters: the Job is being
// deleted, or has met its success criteria and the pod is being deleted.
func uncountable(job *batchv1.Job, pod *corev1.Pod) bool {
	return job.DeletionTimestamp != nil ||
		terminating(pod) && IsTrue(job, batchv1.JobSuccessCriteriaMet) != nil
}
