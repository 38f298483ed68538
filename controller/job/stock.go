package job

import (
	"cmp"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubectl/pkg/util/podutils"
	"k8s.io/utils/ptr"
)

// stock is what a Job's pods add up to.
type stock struct {
	active []*corev1.Pod
	// leaving are the terminating ones.
	leaving []*corev1.Pod
	// holding is how many pods carry the tracking finalizer.
	holding int
	// recorded are finished pods that uncountedTerminatedPods lists.
	recorded sets.Set[types.UID]
	// succeeded and failed are the counters with all finished pods in them,
	// whether the status has caught up or not. Of an Indexed Job, succeeded
	// counts indexes.
	succeeded, failed int32
	// completed and failedIndexes are how indexes ended, of an Indexed Job.
	completed, failedIndexes intervals
	// held are failed pods by index that keep the finalizer until the next pod
	// of their index is there.
	held map[int]*corev1.Pod
	// failJob is why a failed pod fails the whole Job, if one does.
	failJob string
	// handled are what a podFailurePolicy says of the pods that are counted now.
	handled []batchv1.PodFailurePolicyAction
	// release are pods that the status has taken note of.
	release []*corev1.Pod
	// status is the Job's, with all counters brought up to date.
	status batchv1.JobStatus
}

// takeStock counts pods so that a crash, a conflict or a repetition at any point
// counts each of them exactly once (KEP-2307). A finished pod goes through three
// states, and only one write leads from one to the next:
//
//	finalizer on, UID nowhere              write the UID into uncountedTerminatedPods
//	finalizer on, UID in the status        remove the finalizer
//	finalizer off, UID in the status       replace the UID by one more in a counter
//
// Succeeded pods of an Indexed Job need no UID, as an index counts once.
func takeStock(v View) stock {
	s := stock{status: *v.Job.Status.DeepCopy()}
	holders := sets.New[types.UID]()
	for _, pod := range v.Pods {
		if hasFinalizer(pod) {
			holders.Insert(pod.UID)
		}
		if active(pod) {
			s.active = append(s.active, pod)
		}
		if terminating(pod) {
			s.leaving = append(s.leaving, pod)
		}
	}
	s.holding = holders.Len()

	if s.status.UncountedTerminatedPods == nil {
		s.status.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	}
	uncounted := s.status.UncountedTerminatedPods
	s.status.Succeeded = max(s.status.Succeeded, 0) + settle(&uncounted.Succeeded, holders)
	s.status.Failed = max(s.status.Failed, 0) + settle(&uncounted.Failed, holders)
	s.recorded = sets.New(uncounted.Succeeded...).Insert(uncounted.Failed...)
	s.succeeded = s.status.Succeeded + int32(len(uncounted.Succeeded))
	s.failed = s.status.Failed + int32(len(uncounted.Failed))
	if indexed(v.Job) {
		s.countIndexes(v)
	}
	s.count(v)

	s.status.Active = int32(len(s.active))
	s.status.Ready = ptr.To(int32(len(filter(s.active, podutils.IsPodReady))))
	s.status.Terminating = ptr.To(int32(len(s.leaving)))
	return s
}

// settle takes the UIDs whose pod no longer holds the finalizer out of a list
// and returns how many they were.
func settle(uids *[]types.UID, holders sets.Set[types.UID]) int32 {
	before := len(*uids)
	*uids = slices.DeleteFunc(*uids, func(uid types.UID) bool { return !holders.Has(uid) })
	if len(*uids) == 0 {
		*uids = nil
	}
	return int32(before - len(*uids))
}

// count takes note of pods that finished, as many as the status has room for.
func (s *stock) count(v View) {
	uncounted := s.status.UncountedTerminatedPods
	room := maxPodsPerPlan - s.recorded.Len()
	note := func(pod *corev1.Pod, in *[]types.UID) bool {
		if room <= 0 {
			return false
		}
		room--
		if in != nil {
			*in = append(*in, pod.UID)
		}
		s.release = append(s.release, pod)
		return true
	}
	for _, pod := range v.Pods {
		failed := countsAsFailed(v.Job, pod)
		switch {
		case !hasFinalizer(pod) || s.holds(pod) && s.recorded.Has(pod.UID):
		case s.recorded.Has(pod.UID):
			s.release = append(s.release, pod)
		case pod.Status.Phase == corev1.PodSucceeded && indexed(v.Job):
			note(pod, nil) // countIndexes has
		case pod.Status.Phase == corev1.PodSucceeded:
			s.succeeded++
			note(pod, &uncounted.Succeeded)
		case failed && validIndex(v.Job, pod):
			rule := ruleOn(v.Job, pod)
			if rule.action == batchv1.PodFailurePolicyActionFailJob {
				s.failJob = cmp.Or(s.failJob, rule.why)
			}
			in := &uncounted.Failed
			if rule.action == batchv1.PodFailurePolicyActionIgnore {
				in = nil
			} else {
				s.failed++
			}
			if !s.holds(pod) && note(pod, in) && rule.why != "" {
				s.handled = append(s.handled, rule.action)
			}
		case failed, abandoned(v.Job, pod):
			s.release = append(s.release, pod)
		}
	}
}

// countsAsFailed tells whether a pod is a failure of the Job. A pod that is
// being deleted is one already, as it may vanish without ever reaching a
// terminal phase, unless podReplacementPolicy asks to wait for that phase
// (KEP-3939). A failing Job waits for no phase.
func countsAsFailed(job *batchv1.Job, pod *corev1.Pod) bool {
	switch {
	case terminal(pod):
		return pod.Status.Phase == corev1.PodFailed
	case pod.DeletionTimestamp == nil:
		return false
	}
	return !replaceOnlyFailed(job) || isTrue(job, batchv1.JobFailureTarget) != nil
}

// abandoned tells whether an unfinished pod no longer matters to the counters:
// the Job is being deleted, or has met its success criteria and the pod is on
// its way out.
func abandoned(job *batchv1.Job, pod *corev1.Pod) bool {
	return job.DeletionTimestamp != nil ||
		terminating(pod) && isTrue(job, batchv1.JobSuccessCriteriaMet) != nil
}
