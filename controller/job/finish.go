package job

import (
	"fmt"
	"math"
	"slices"
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

// judge returns nil while the Job goes on. What is in the status already was
// judged before and stands; of several grounds at once, failure goes first.
func judge(v View, s stock, startTime *metav1.Time) *verdict {
	for _, interim := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobFailureTarget} {
		if c := isTrue(v.Job, interim); c != nil {
			return &verdict{interim: interim, reason: c.Reason, message: c.Message}
		}
	}
	fails := func(reason, message string) *verdict { return &verdict{batchv1.JobFailureTarget, reason, message} }
	succeeds := func(reason, message string) *verdict { return &verdict{batchv1.JobSuccessCriteriaMet, reason, message} }
	failedIndexes := s.failedIndexes.total()
	switch d := deadline(v.Job, startTime); {
	case s.failJob != "":
		return fails(batchv1.JobReasonPodFailurePolicy, s.failJob)
	case s.failed > backoffLimit(v.Job) || restartedTooOften(v.Job, v.Pods):
		return fails(batchv1.JobReasonBackoffLimitExceeded, "Job has reached the specified backoff limit")
	case d != nil && !d.After(v.Now):
		return fails(batchv1.JobReasonDeadlineExceeded, "Job was active longer than specified deadline")
	case failedIndexes > int(ptr.Deref(v.Job.Spec.MaxFailedIndexes, math.MaxInt32)):
		return fails(batchv1.JobReasonMaxFailedIndexesExceeded, "Job has exceeded the specified maximal number of failed indexes")
	case failedIndexes > 0 && failedIndexes+s.completed.total() >= completions(v.Job):
		return fails(batchv1.JobReasonFailedIndexes, "Job has failed indexes")
	}
	if rule, met := matchedRule(v.Job, s.completed); met {
		return succeeds(batchv1.JobReasonSuccessPolicy, fmt.Sprintf("Matched rules at index %d", rule))
	}
	if completed(v.Job, s) {
		return succeeds(batchv1.JobReasonCompletionsReached, "Reached expected number of succeeded pods")
	}
	return nil
}

// completed tells whether enough pods succeeded and none is active any more.
func completed(job *batchv1.Job, s stock) bool {
	if len(s.active) > 0 {
		return false
	}
	if job.Spec.Completions == nil {
		return s.succeeded > 0
	}
	return s.succeeded >= *job.Spec.Completions
}

// finish leads a Job to its end. The interim condition is written before any pod
// is removed, and the terminal one only when every pod is gone or finished, and
// counted (KEP-3998, #123775, #119159).
func finish(p *Plan, s stock, v View, how *verdict) {
	failing := how.interim == batchv1.JobFailureTarget
	if failing {
		p.Kill = atMost(maxPodsPerPlan, s.active)
	} else {
		p.Retire = atMost(maxPodsPerPlan, s.active)
	}
	if p.setCondition(how.interim, true, how.reason, how.message, v.Now) {
		return
	}
	if len(s.active)+len(s.leaving)+s.holding > 0 {
		return
	}
	if p.Status.StartTime == nil && !(suspended(v.Job) && ptr.Deref(v.Job.Spec.Completions, 1) == 0) {
		// The API server demands one of finished Jobs.
		p.Status.StartTime = stamp(v.Now)
	}
	if failing {
		p.setCondition(batchv1.JobFailed, true, how.reason, how.message, v.Now)
		p.event(corev1.EventTypeWarning, how.reason, how.message)
		return
	}
	p.Status.CompletionTime = stamp(v.Now)
	if p.Status.CompletionTime.Before(p.Status.StartTime) {
		// Clocks may go back, but the API server does not.
		p.Status.CompletionTime = p.Status.StartTime.DeepCopy()
	}
	p.setCondition(batchv1.JobComplete, true, how.reason, how.message, v.Now)
	if v.Job.Spec.Completions != nil && p.Status.Succeeded > *v.Job.Spec.Completions {
		p.event(corev1.EventTypeWarning, "TooManySucceededPods", "Too many succeeded pods running after completion count reached")
	}
	p.event(corev1.EventTypeNormal, "Completed", "Job completed")
}

// deadline is when activeDeadlineSeconds (seconds since startTime) run out; nil
// if the Job has none or the clock stands still because it is suspended. The API
// allows more seconds than a Duration holds.
func deadline(job *batchv1.Job, startTime *metav1.Time) *time.Time {
	if job.Spec.ActiveDeadlineSeconds == nil || startTime == nil || suspended(job) {
		return nil
	}
	seconds := min(*job.Spec.ActiveDeadlineSeconds, int64(math.MaxInt64/time.Second))
	return ptr.To(startTime.Add(time.Duration(seconds) * time.Second))
}

// backoffLimit is how many failures a Job survives.
func backoffLimit(job *batchv1.Job) int32 { return ptr.Deref(job.Spec.BackoffLimit, 6) }

// restartedTooOften applies the back-off limit to restartPolicy OnFailure, where
// it is containers that fail and pods stay: their restarts add up. A limit of n
// allows n-1 of them, but 0 and 1 are alike (what kube-controller-manager does).
func restartedTooOften(job *batchv1.Job, pods []*corev1.Pod) bool {
	if job.Spec.Template.Spec.RestartPolicy != corev1.RestartPolicyOnFailure {
		return false
	}
	var restarts int32
	for _, pod := range pods {
		if pod.Status.Phase != corev1.PodRunning && pod.Status.Phase != corev1.PodPending {
			continue
		}
		for _, c := range pod.Status.InitContainerStatuses {
			restarts += c.RestartCount
		}
		for _, c := range pod.Status.ContainerStatuses {
			restarts += c.RestartCount
		}
	}
	return restarts >= max(backoffLimit(job), 1)
}

// Finished tells whether a Job is Complete or Failed, after which it never
// changes again.
func Finished(job *batchv1.Job) bool {
	return isTrue(job, batchv1.JobComplete) != nil || isTrue(job, batchv1.JobFailed) != nil
}

// ending tells whether it is decided how a Job ends, though it has not yet.
func ending(job *batchv1.Job) bool {
	return isTrue(job, batchv1.JobFailureTarget) != nil || isTrue(job, batchv1.JobSuccessCriteriaMet) != nil
}

func suspended(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

// isTrue returns the Job's condition of a type if it is true.
func isTrue(job *batchv1.Job, kind batchv1.JobConditionType) *batchv1.JobCondition {
	return trueCondition(job.Status, kind)
}

func trueCondition(status batchv1.JobStatus, kind batchv1.JobConditionType) *batchv1.JobCondition {
	for i, c := range status.Conditions {
		if c.Type == kind && c.Status == corev1.ConditionTrue {
			return &status.Conditions[i]
		}
	}
	return nil
}

// setCondition makes a condition true or false, and the only one of its type.
// It returns whether that changed it.
func (p *Plan) setCondition(kind batchv1.JobConditionType, value bool, reason, message string, now time.Time) bool {
	if value == (trueCondition(p.Status, kind) != nil) {
		return false
	}
	c := batchv1.JobCondition{Type: kind, Status: corev1.ConditionFalse, Reason: reason, Message: message,
		LastProbeTime: *stamp(now), LastTransitionTime: *stamp(now)}
	if value {
		c.Status = corev1.ConditionTrue
	}
	p.Status.Conditions = append(slices.DeleteFunc(p.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type == kind }), c)
	return true
}

// stamp is a time as the API keeps it, in whole seconds.
func stamp(t time.Time) *metav1.Time {
	at := metav1.NewTime(t).Rfc3339Copy()
	return &at
}
