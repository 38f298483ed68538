package job

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

// judge returns nil while the Job goes on. What is in the status already was
// judged before and stands; of several grounds at once, failure goes first.
func judge(v View, s stock, startTime *metav1.Time) *verdict {
	for _, interim := range []batchv1.JobConditionType{batchv1.JobSuccessCriteriaMet, batchv1.JobFailureTarget} {
		if c := condition(v.Job.Status.Conditions, interim); c != nil && c.Status == corev1.ConditionTrue {
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
	if setCondition(&p.Status, how.interim, corev1.ConditionTrue, how.reason, how.message, v.Now) {
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
		setCondition(&p.Status, batchv1.JobFailed, corev1.ConditionTrue, how.reason, how.message, v.Now)
		p.event(corev1.EventTypeWarning, how.reason, how.message)
		return
	}
	p.Status.CompletionTime = stamp(v.Now)
	if p.Status.CompletionTime.Before(p.Status.StartTime) {
		// Clocks may go back, but the API server does not.
		p.Status.CompletionTime = p.Status.StartTime.DeepCopy()
	}
	setCondition(&p.Status, batchv1.JobComplete, corev1.ConditionTrue, how.reason, how.message, v.Now)
	if v.Job.Spec.Completions != nil && p.Status.Succeeded > *v.Job.Spec.Completions {
		p.event(corev1.EventTypeWarning, "TooManySucceededPods", "Too many succeeded pods running after completion count reached")
	}
	p.event(corev1.EventTypeNormal, "Completed", "Job completed")
}

// deadline is when activeDeadlineSeconds (seconds since startTime) run out; nil
// if the Job has none or the clock stands still because it is suspended.
func deadline(job *batchv1.Job, startTime *metav1.Time) *time.Time {
	if job.Spec.ActiveDeadlineSeconds == nil || startTime == nil || suspended(job) {
		return nil
	}
	return ptr.To(startTime.Add(time.Duration(*job.Spec.ActiveDeadlineSeconds) * time.Second))
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
	return conditionTrue(job.Status.Conditions, batchv1.JobComplete) ||
		conditionTrue(job.Status.Conditions, batchv1.JobFailed)
}

// ending tells whether it is decided how a Job ends, though it has not yet.
func ending(job *batchv1.Job) bool {
	return conditionTrue(job.Status.Conditions, batchv1.JobFailureTarget) ||
		conditionTrue(job.Status.Conditions, batchv1.JobSuccessCriteriaMet)
}

func suspended(job *batchv1.Job) bool { return ptr.Deref(job.Spec.Suspend, false) }

func condition(list []batchv1.JobCondition, kind batchv1.JobConditionType) *batchv1.JobCondition {
	for i := range list {
		if list[i].Type == kind {
			return &list[i]
		}
	}
	return nil
}

func conditionTrue(list []batchv1.JobCondition, kind batchv1.JobConditionType) bool {
	c := condition(list, kind)
	return c != nil && c.Status == corev1.ConditionTrue
}

// setCondition returns whether that changed the condition's status.
func setCondition(status *batchv1.JobStatus, kind batchv1.JobConditionType, value corev1.ConditionStatus, reason, message string, now time.Time) bool {
	c := batchv1.JobCondition{Type: kind, Status: value, Reason: reason, Message: message,
		LastProbeTime: *stamp(now), LastTransitionTime: *stamp(now)}
	switch old := condition(status.Conditions, kind); {
	case old == nil:
		status.Conditions = append(status.Conditions, c)
	case old.Status == value:
		return false
	default:
		*old = c
	}
	return true
}

// stamp is a time as the API keeps it, in whole seconds.
func stamp(t time.Time) *metav1.Time {
	at := metav1.NewTime(t).Rfc3339Copy()
	return &at
}
