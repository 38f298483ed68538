package plan

import (
	"fmt"
	"math"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// verdict is how a Job is going to end, and why.
type verdict struct {
	interim         batchv1.JobConditionType // FailureTarget or SuccessCriteriaMet
	reason, message string
}

// judge returns nil while the Job goes on. A condition that the status has already was judged
// before and stands; of several grounds at once, failure goes first.
func judge(job *batchv1.Job, pods []*corev1.Pod, c counts, startTime *metav1.Time, now time.Time) *verdict {
	for _, interim := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobFailureTarget} {
		// JOB-BACKOFF-007, JOB-PODFAILUREPOLICY-005, JOB-SUCCESSPOLICY-013
		if c := IsTrue(job, interim); c != nil {
			return &verdict{interim: interim, reason: c.Reason, message: c.Message}
		}
	}
	fails := func(reason, message string) *verdict { return &verdict{batchv1.JobFailureTarget, reason, message} }
	succeeds := func(reason, message string) *verdict {
		return &verdict{batchv1.JobSuccessCriteriaMet, reason, message}
	}
	failedIndexes := c.indexes.failed.Total()
	switch d := deadline(job, startTime); {
	case c.failJob != "": // JOB-PODFAILUREPOLICY-001, JOB-BACKOFFLIMITPERINDEX-020
		return fails(batchv1.JobReasonPodFailurePolicy, c.failJob)
	case c.failed > backoffLimit(job) || restartedTooOften(job, pods):
		// JOB-BACKOFF-001, JOB-BACKOFF-004, JOB-BACKOFF-013, JOB-BACKOFFLIMITPERINDEX-011
		return fails(batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit")
	case d != nil && !d.After(now): // JOB-DEADLINE-001, JOB-DEADLINE-006
		return fails(batchv1.JobReasonDeadlineExceeded, "Job was active longer than specified deadline")
	case failedIndexes > int(ptr.Deref(job.Spec.MaxFailedIndexes, math.MaxInt32)):
		// JOB-BACKOFFLIMITPERINDEX-007, JOB-BACKOFFLIMITPERINDEX-009
		return fails(batchv1.JobReasonMaxFailedIndexesExceeded,
			"Job has exceeded the specified maximal number of failed indexes")
	case failedIndexes > 0 && failedIndexes+c.indexes.completed.Total() >= completions(job):
		// JOB-BACKOFFLIMITPERINDEX-004
		return fails(batchv1.JobReasonFailedIndexes, "Job has failed indexes")
	}
	// JOB-SUCCESSPOLICY-006, JOB-SUCCESSPOLICY-007
	if rule, met := metRule(job, c.indexes.completed); met {
		return succeeds(batchv1.JobReasonSuccessPolicy, fmt.Sprintf("Matched rules at index %d", rule))
	}
	if completed(job, c) { // JOB-END-002
		return succeeds(batchv1.JobReasonCompletionsReached, "Reached expected number of succeeded pods")
	}
	return nil
}

// completed reports whether enough pods succeeded and none is active any more.
func completed(job *batchv1.Job, c counts) bool {
	if len(c.active) > 0 {
		return false
	}
	if job.Spec.Completions == nil {
		return c.succeeded > 0 // JOB-COMPLETIONS-005
	}
	// JOB-COMPLETIONS-004, JOB-INDEXED-006, JOB-ELASTIC-006, JOB-BACKOFFLIMITPERINDEX-005
	return c.succeeded >= *job.Spec.Completions
}

// finish leads a Job to its end. The interim condition is written before any pod is deleted, and
// the terminal one only when every pod is gone or finished, and counted (KEP-3998, #123775,
// #119159).
func (p *Plan) finish(job *batchv1.Job, c counts, how verdict, now time.Time) {
	failing := how.interim == batchv1.JobFailureTarget
	// JOB-PODFAILUREPOLICY-003
	if failing { // JOB-BACKOFF-006, JOB-DEADLINE-002, JOB-DEADLINE-003, JOB-ONFAILURE-007
		p.DeleteCounted = atMost(MaxPods, c.active)
	} else { // JOB-SUCCESSPOLICY-008
		p.DeleteUncounted = atMost(MaxPods, c.active)
	}
	// JOB-END-003, JOB-PODFAILUREPOLICY-004, JOB-BACKOFFLIMITPERINDEX-008
	if p.setCondition(how.interim, true, how.reason, how.message, now) {
		return
	}
	if len(c.active)+len(c.terminating)+c.withFinalizer > 0 { // JOB-ADMISSION-020, JOB-SUCCESSPOLICY-009
		return
	}
	if p.Status.StartTime == nil && !(suspended(job) && ptr.Deref(job.Spec.Completions, 1) == 0) {
		// The API server demands one of finished Jobs.
		p.Status.StartTime = stamp(now)
	}
	if failing { // JOB-STATUS-008, JOB-FINISHED-005
		p.setCondition(batchv1.JobFailed, true, how.reason, how.message, now)
		p.event(corev1.EventTypeWarning, how.reason, how.message)
		return
	}
	p.Status.CompletionTime = stamp(now) // JOB-STATUS-007
	if p.Status.CompletionTime.Before(p.Status.StartTime) {
		// The clock may have been put back; the API server refuses such a completionTime.
		p.Status.CompletionTime = p.Status.StartTime.DeepCopy()
	}
	p.setCondition(batchv1.JobComplete, true, how.reason, how.message, now)
	if job.Spec.Completions != nil && p.Status.Succeeded > *job.Spec.Completions {
		p.event(corev1.EventTypeWarning, "TooManySucceededPods",
			"Too many succeeded pods running after completion count reached")
	}
	p.event(corev1.EventTypeNormal, "Completed", "Job completed")
}

// deadline returns when activeDeadlineSeconds (since startTime) run out; nil if the Job has none or
// is suspended. The API allows more seconds than a Duration can have.
func deadline(job *batchv1.Job, startTime *metav1.Time) *time.Time {
	if job.Spec.ActiveDeadlineSeconds == nil || startTime == nil || suspended(job) {
		return nil
	}
	seconds := min(*job.Spec.ActiveDeadlineSeconds, int64(math.MaxInt64/time.Second))
	return ptr.To(startTime.Add(time.Duration(seconds) * time.Second)) // JOB-DEADLINE-007
}

// backoffLimit returns how many failures a Job survives.
func backoffLimit(job *batchv1.Job) int32 { return ptr.Deref(job.Spec.BackoffLimit, 6) } // JOB-BACKOFF-003

// restartedTooOften applies the back-off limit to restartPolicy OnFailure, where containers fail and
// pods stay: their restarts add up. A limit of n allows n-1 of them, but 0 and 1 are alike (as in
// kube-controller-manager).
func restartedTooOften(job *batchv1.Job, pods []*corev1.Pod) bool {
	if job.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyOnFailure {
		return false
	}
	var restarts int32
	for _, pod := range pods {
		if pod.Status.Phase != corev1.PodRunning && pod.Status.Phase != corev1.PodPending {
			continue // JOB-ONFAILURE-006
		}
		for _, c := range pod.Status.InitContainerStatuses { // JOB-ONFAILURE-005, JOB-ONFAILURE-009
			restarts += c.RestartCount
		}
		for _, c := range pod.Status.ContainerStatuses {
			restarts += c.RestartCount
		}
	}
	return restarts >= max(backoffLimit(job), 1)
}
