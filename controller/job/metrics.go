package job

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/component-base/metrics"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/utils/ptr"
)

// Names, labels and their values are those of kube-controller-manager
// (pkg/controller/job/metrics of v1.37).
var (
	syncDuration = metrics.NewHistogramVec(&metrics.HistogramOpts{
		Subsystem:      subsystem,
		Name:           "job_sync_duration_seconds",
		Help:           "How long one look at a Job took.",
		StabilityLevel: metrics.STABLE,
		Buckets:        metrics.ExponentialBuckets(0.004, 2, 15),
	}, []string{"completion_mode", "result", "action"})
	syncs        = counter("job_syncs_total", "Looks at Jobs.", "completion_mode", "result", "action")
	jobsFinished = counter("jobs_finished_total", "Jobs that finished.", "completion_mode", "result", "reason")
	podsFinished = counter("job_pods_finished_total", "Pods that finished and are counted.", "completion_mode", "result")
	podCreations = counter("job_pods_creation_total", "Pods that were asked for, and why.", "reason", "status")
	podsHandled  = counter("pod_failures_handled_by_failure_policy_total", "Failed pods that a rule of a podFailurePolicy fits.", "action")
	podsHeld     = counter("terminated_pods_tracking_finalizer_total", "Pods that finished with the tracking finalizer on, and that lost it.", "event")
	indexesEnded = counter("job_finished_indexes_total", "Indexes that ended.", "status", "backoffLimit")
	jobsOfOthers = counter("jobs_by_external_controller_total", "Jobs whose spec.managedBy names somebody else.", "controller_name")
)

const (
	subsystem         = "job_controller"
	succeeded, failed = "succeeded", "failed"
)

func counter(name, help string, labels ...string) *metrics.CounterVec {
	return metrics.NewCounterVec(&metrics.CounterOpts{Subsystem: subsystem, Name: name, Help: help, StabilityLevel: metrics.STABLE}, labels)
}

func init() {
	legacyregistry.MustRegister(syncDuration, syncs, jobsFinished, podsFinished, podCreations, podsHandled, podsHeld, indexesEnded, jobsOfOthers)
}

func observeSync(job *batchv1.Job, did Plan, err error, took time.Duration) {
	action, result := "tracking", "success"
	switch {
	case len(did.Create) > 0:
		action = "pods_created"
	case len(did.Retire)+len(did.Kill) > 0:
		action = "pods_deleted"
	}
	if err != nil {
		result = "error"
	}
	syncDuration.WithLabelValues(mode(job), result, action).Observe(took.Seconds())
	syncs.WithLabelValues(mode(job), result, action).Inc()
}

// observeStatus counts what a status that was written adds to the one before.
func observeStatus(before, written *batchv1.Job) {
	more := func(result string, was, is int32) {
		podsFinished.WithLabelValues(mode(written), result).Add(float64(max(0, is-was)))
	}
	more(succeeded, before.Status.Succeeded, written.Status.Succeeded)
	more(failed, before.Status.Failed, written.Status.Failed)
	if indexed(written) {
		observeIndexes(before, written)
	}
	for kind, result := range map[batchv1.JobConditionType]string{batchv1.JobComplete: succeeded, batchv1.JobFailed: failed} {
		if end := isTrue(written, kind); end != nil {
			jobsFinished.WithLabelValues(mode(written), result, end.Reason).Inc()
		}
	}
}

// observeIndexes counts the indexes of which a status that was written tells first.
func observeIndexes(before, written *batchv1.Job) {
	limit := "global"
	if limitPerIndex(written) {
		limit = "perIndex"
	}
	more := func(result, was, is string) {
		n := completions(written)
		indexesEnded.WithLabelValues(result, limit).Add(float64(max(0, parseIntervals(is, n).total()-parseIntervals(was, n).total())))
	}
	more(succeeded, before.Status.CompletedIndexes, written.Status.CompletedIndexes)
	more(failed, ptr.Deref(before.Status.FailedIndexes, ""), ptr.Deref(written.Status.FailedIndexes, ""))
}

// observePod counts pods that wait to be counted, and those that do no longer.
func observePod(before, now *corev1.Pod) {
	holds := func(pod *corev1.Pod) bool { return pod != nil && terminal(pod) && hasFinalizer(pod) }
	switch {
	case holds(now) && !holds(before):
		podsHeld.WithLabelValues("add").Inc()
	case holds(before) && !holds(now):
		podsHeld.WithLabelValues("delete").Inc()
	}
}

func observeCreation(job *batchv1.Job, err error) {
	reason, status := "new", succeeded
	uncounted := ptr.Deref(job.Status.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{})
	switch failures := int(job.Status.Failed) + len(uncounted.Failed); {
	case failures > 0 && replaceOnlyFailed(job):
		reason = "recreate_failed"
	case failures > 0 || ptr.Deref(job.Status.Terminating, 0) > 0:
		reason = "recreate_terminating_or_failed"
	}
	if err != nil {
		status = failed
	}
	podCreations.WithLabelValues(reason, status).Inc()
}

func mode(job *batchv1.Job) string {
	return string(ptr.Deref(job.Spec.CompletionMode, batchv1.NonIndexedCompletion))
}
