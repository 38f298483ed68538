package plan

import (
	"slices"
	"strings"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// View is all that a Plan may depend on. New modifies nothing in it.
type View struct {
	Job *batchv1.Job
	// Manager is the controller's name in spec.managedBy. Default: the built-in one's.
	Manager string
	// Pods are controlled by the Job. A pod that has ended, has lost the tracking
	// finalizer and was in an earlier View may be left out, unless MayRetry: History knows it.
	Pods []*corev1.Pod
	// Groups are the Job's Workload and PodGroup; nil where the feature gate WorkloadWithJob is off.
	Groups *Groups
	// Orphans are pods of the Job's namespace without a controller, whatever their labels.
	Orphans []*corev1.Pod
	Now     time.Time
	// Backoff is how long pod creation waits after failures.
	Backoff Backoff
	// History is what the Plan before this one returned; the zero History knows nothing.
	History History
	// CreateAfter is when pods may be created again after the API server refused some;
	// zero means at once.
	CreateAfter time.Time
}

// Ours reports whether the manager acts on a Job at all.
func Ours(job *batchv1.Job, manager string) bool {
	// A finished Job is never touched again.
	// JOB-END-001, JOB-END-007, JOB-SUSPEND-008, JOB-DEADLINE-008, JOB-IDENTITY-007, JOB-PODS-012,
	// JOB-FINISHED-002
	return !Finished(job) && !ManagedByOther(job, manager)
}

// Finished reports whether a Job is Complete or Failed.
func Finished(job *batchv1.Job) bool {
	return IsTrue(job, batchv1.JobComplete) != nil || IsTrue(job, batchv1.JobFailed) != nil
}

// ManagedByOther reports whether spec.managedBy leaves the Job to another controller than the
// manager (KEP-4368). An empty manager is the built-in one.
func ManagedByOther(job *batchv1.Job, manager string) bool {
	if manager == "" {
		manager = batchv1.JobControllerName
	}
	return ptr.Deref(job.Spec.ManagedBy, batchv1.JobControllerName) != manager // JOB-MANAGEDBY-003
}

// ending reports whether it is decided how a Job ends, though it has not ended yet.
func ending(job *batchv1.Job) bool {
	return IsTrue(job, batchv1.JobFailureTarget) != nil || IsTrue(job, batchv1.JobSuccessCriteriaMet) != nil
}

func suspended(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

// Indexed reports whether each pod of the Job has a completion index (KEP-2214).
func Indexed(job *batchv1.Job) bool {
	return ptr.Deref(job.Spec.CompletionMode, batchv1.NonIndexedCompletion) == batchv1.IndexedCompletion
}

// LimitPerIndex reports whether each index has a back-off and a limit of its own (KEP-3850).
func LimitPerIndex(job *batchv1.Job) bool {
	return Indexed(job) && job.Spec.BackoffLimitPerIndex != nil
}

// ReplaceOnlyFailed reports whether a pod is replaced only once it has a final phase,
// not when its deletion begins (KEP-3939).
func ReplaceOnlyFailed(job *batchv1.Job) bool {
	return ptr.Deref(job.Spec.PodReplacementPolicy, batchv1.TerminatingOrFailed) == batchv1.Failed
}

func completions(job *batchv1.Job) int { return int(ptr.Deref(job.Spec.Completions, 0)) }

// IsTrue returns the Job's condition of a type if it is True, else nil.
func IsTrue(job *batchv1.Job, kind batchv1.JobConditionType) *batchv1.JobCondition {
	return trueCondition(&job.Status, kind)
}

func trueCondition(status *batchv1.JobStatus, kind batchv1.JobConditionType) *batchv1.JobCondition {
	for i, c := range status.Conditions {
		if c.Type == kind && c.Status == corev1.ConditionTrue {
			return &status.Conditions[i]
		}
	}
	return nil
}

// HasFinalizer reports whether a pod is still to be counted (KEP-2307).
func HasFinalizer(pod *corev1.Pod) bool {
	return slices.Contains(pod.Finalizers, batchv1.JobTrackingFinalizer)
}

// Terminal reports whether a pod has reached its final phase.
func Terminal(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// active reports whether status.active counts a pod.
func active(pod *corev1.Pod) bool {
	return !Terminal(pod) && pod.DeletionTimestamp == nil // JOB-TERMINATING-002, JOB-PARALLELISM-011
}

// terminating reports whether status.terminating counts a pod: it is being deleted and has
// no final phase.
func terminating(pod *corev1.Pod) bool { return !Terminal(pod) && pod.DeletionTimestamp != nil }

func ready(pod *corev1.Pod) bool { return readySince(pod) != nil }

func readySince(pod *corev1.Pod) *metav1.Time {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue {
			return &c.LastTransitionTime
		}
	}
	return nil
}

// claim sorts pods by the Job's selector: those that are the Job's, those to adopt, and those
// that are the Job's no longer. Labels added by others make no difference.
func claim(v View) (pods, adopt, release []*corev1.Pod) {
	selector, _ := metav1.LabelSelectorAsSelector(v.Job.Spec.Selector) // validate has read it
	claimed := make(map[types.UID]bool, len(v.Pods))
	for _, pod := range v.Pods {
		switch matches := selector.Matches(labels.Set(pod.Labels)); {
		case !Controls(v.Job, pod): // JOB-PODS-007, JOB-IDENTITY-003, JOB-IDENTITY-004
		case matches: // JOB-ADMISSION-016, JOB-ADMISSION-017
			claimed[pod.UID] = true
			pods = append(pods, pod)
		case pod.DeletionTimestamp == nil:
			release = append(release, pod) // JOB-PODS-006, JOB-TRACKING-006
		}
	}
	// Which of several pods decides must not depend on the order of a cache.
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	for _, pod := range v.Orphans {
		// JOB-PODS-005, JOB-IDENTITY-005, JOB-IDENTITY-006
		if pod.DeletionTimestamp == nil && !claimed[pod.UID] && selector.Matches(labels.Set(pod.Labels)) &&
			!wasCounted(v.Job, pod) {
			adopt = append(adopt, pod)
		}
	}
	return pods, adopt, release
}

// wasCounted reports whether a pod without a controller was the Job's before, and is counted. The
// controller creates pods with the finalizer, and takes it off one that has ended once that is
// counted. A user who takes the owner off as well must not make it count again.
//
// Where the user has made the selector, a pod that somebody else created looks the same, and is
// adopted. Where the API server has made it, a pod that was released, ended, and got its label
// again does not count: its work is done again, as that of a pod that is lost.
func wasCounted(job *batchv1.Job, pod *corev1.Pod) bool {
	return Terminal(pod) && !HasFinalizer(pod) && !ptr.Deref(job.Spec.ManualSelector, false)
}

// Orphaned reports whether no Job is going to count a pod, so that the tracking finalizer must
// go, or nobody could ever delete the pod. owner is the Job that the pod's controller reference
// names, nil if there is none. matching are Jobs whose selector matches a pod without a controller.
func Orphaned(pod *corev1.Pod, owner *batchv1.Job, matching []batchv1.Job, manager string) bool {
	if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
		// JOB-PODS-010, JOB-PODS-011, JOB-ADMISSION-021
		return IsJob(ref) && (owner == nil || !ManagedByOther(owner, manager) && !Counts(owner))
	}
	for i := range matching {
		job := &matching[i]
		if reason, _ := validate(job); reason == "" && Ours(job, manager) && job.DeletionTimestamp == nil {
			return pod.DeletionTimestamp != nil // else the Job adopts it
		}
	}
	return true
}

// Counts reports whether a Job still counts how its pods end. An invalid Job must not keep its
// pods when it is deleted.
func Counts(job *batchv1.Job) bool {
	reason, _ := validate(job)
	return !Finished(job) && (reason == "" || job.DeletionTimestamp == nil)
}

// Controls reports whether a pod's controller reference is one to the Job in all its parts. One with the
// UID alone may be a mistake, and the garbage collector takes it for one to an object that is gone.
func Controls(job *batchv1.Job, pod *corev1.Pod) bool {
	ref := metav1.GetControllerOfNoCopy(pod)
	// JOB-IDENTITY-008
	return ref != nil && ref.UID == job.UID && ref.Name == job.Name && IsJob(ref) && pod.Namespace == job.Namespace
}

// IsJob reports whether an owner reference is one to a Job.
func IsJob(ref *metav1.OwnerReference) bool {
	return ref.Kind == Kind.Kind && ref.APIVersion == Kind.GroupVersion().String()
}
