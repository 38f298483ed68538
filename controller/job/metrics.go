package job

import (
	"slices"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/controller/job/plan"
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
		Help:           "How long one sync of a Job took.",
		StabilityLevel: metrics.STABLE,
		Buckets:        metrics.ExponentialBuckets(0.004, 2, 15),
	}, []string{"completion_mode", "result", "action"})
	syncs        = counter("job_syncs_total", "Syncs of Jobs.", "completion_mode", "result", "action")
	jobsFinished = counter("jobs_finished_total", "Jobs that finished.", "completion_mode", "result", "reason")
	podsFinished = counter("job_pods_finished_total", "Pods that finished and are counted.", "completion_mode",
		"result")
	podCreations = counter("job_pods_creation_total", "Pods that were asked for, and why.", "reason", "status")
	podsHandled  = counter("pod_failures_handled_by_failure_policy_total",
		"Failed pods that match a rule of a podFailurePolicy.", "action")
	podsTracked = counter("terminated_pods_tracking_finalizer_total",
		"Pods that finished with the tracking finalizer on, and that lost it.", "event")
	indexesEnded = counter("job_finished_indexes_total", "Indexes that ended.", "status", "backoffLimit")
	jobsOfOthers = counter("jobs_by_external_controller_total", "Jobs whose spec.managedBy names another controller.",
		"controller_name")
)

const (
	subsystem                     = "job_controller"
	resultSucceeded, resultFailed = "succeeded", "failed"
)

func counter(name, help string, labels ...string) *metrics.CounterVec {
	return metrics.NewCounterVec(&metrics.CounterOpts{Subsystem: subsystem, Name: name, Help: help,
		StabilityLevel: metrics.STABLE}, labels)
}

// register has a process serve the metrics, once for all controllers in it.
var register = sync.OnceFunc(func() {
	legacyregistry.MustRegister(syncDuration, syncs, jobsFinished, podsFinished, podCreations, podsHandled, podsTracked,
		indexesEnded, jobsOfOthers)
})

func observeSync(job *batchv1.Job, did plan.Plan, err error, took time.Duration) {
	action, result := "tracking", "success"
	switch {
	case len(did.Create) > 0:
		action = "pods_created"
	case len(did.DeleteUncounted)+len(did.DeleteCounted) > 0:
		action = "pods_deleted"
	}
	if err != nil {
		result = "error"
	}
	syncDuration.WithLabelValues(mode(job), result, action).Observe(took.Seconds())
	syncs.WithLabelValues(mode(job), result, action).Inc()
}

// observeStatus counts what a written status adds to the one before. counted are the pods that it
// counts.
func observeStatus(before, written *batchv1.Job, counted []*corev1.Pod) {
	more := func(result string, was, is int32) {
		podsFinished.WithLabelValues(mode(written), result).Add(float64(max(0, is-was)))
	}
	more(resultSucceeded, before.Status.Succeeded, written.Status.Succeeded)
	more(resultFailed, before.Status.Failed, written.Status.Failed)
	if plan.Indexed(written) {
		observeIndexes(before, written)
	}
	for kind, result := range map[batchv1.JobConditionType]string{batchv1.JobComplete: resultSucceeded,
		batchv1.JobFailed: resultFailed} {
		if end := plan.IsTrue(written, kind); end != nil {
			jobsFinished.WithLabelValues(mode(written), result, end.Reason).Inc()
		}
	}
	recorded := ptr.Deref(before.Status.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{})
	for _, pod := range counted {
		if action, matched := plan.FailureAction(before, pod); matched && !slices.Contains(recorded.Failed, pod.UID) {
			podsHandled.WithLabelValues(string(action)).Inc()
		}
	}
}

// observeIndexes counts the indexes that a written status reports for the first time.
func observeIndexes(before, written *batchv1.Job) {
	limit := "global"
	if plan.LimitPerIndex(written) {
		limit = "perIndex"
	}
	more := func(result, was, is string) {
		n := int(ptr.Deref(written.Spec.Completions, 0))
		indexesEnded.WithLabelValues(result,
			limit).Add(float64(max(0, plan.ParseIntervals(is, n).Total()-plan.ParseIntervals(was, n).Total())))
	}
	more(resultSucceeded, before.Status.CompletedIndexes, written.Status.CompletedIndexes)
	more(resultFailed, ptr.Deref(before.Status.FailedIndexes, ""), ptr.Deref(written.Status.FailedIndexes, ""))
}

// observePod counts pods that begin or cease to wait for being counted.
func observePod(before, now *corev1.Pod) {
	waits := func(pod *corev1.Pod) bool { return pod != nil && plan.Terminal(pod) && plan.HasFinalizer(pod) }
	switch {
	case waits(now) && !waits(before):
		podsTracked.WithLabelValues("add").Inc()
	case waits(before) && !waits(now):
		podsTracked.WithLabelValues("delete").Inc()
	}
}

func observeCreation(job *batchv1.Job, err error) {
	reason, status := "new", resultSucceeded
	uncounted := ptr.Deref(job.Status.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{})
	switch failures := int(job.Status.Failed) + len(uncounted.Failed); {
	case failures > 0 && plan.ReplaceOnlyFailed(job):
		reason = "recreate_failed"
	case failures > 0 || ptr.Deref(job.Status.Terminating, 0) > 0:
		reason = "recreate_terminating_or_failed"
	}
	if err != nil {
		status = resultFailed
	}
	podCreations.WithLabelValues(reason, status).Inc()
}

func mode(job *batchv1.Job) string {
	return string(ptr.Deref(job.Spec.CompletionMode, batchv1.NonIndexedCompletion))
}
