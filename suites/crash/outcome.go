package crash

import (
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// outcomes returns how the Jobs were at the end of a history, and how many pods
// were created for each.
func outcomes(h history.History) map[string]Outcome {
	all := map[string]Outcome{}
	for _, r := range h.Jobs("") {
		job := r.Job()
		if r.Type == watch.Deleted {
			delete(all, job.Name)
			continue
		}
		o := all[job.Name]
		o.Condition, o.Succeeded, o.Failed = kinds.Finished(job), job.Status.Succeeded, job.Status.Failed
		all[job.Name] = o
	}
	for _, r := range h.Pods("") {
		if ref := metav1.GetControllerOfNoCopy(r.Object); r.Type == watch.Added && ref != nil {
			o := all[ref.Name]
			o.Pods++
			all[ref.Name] = o
		}
	}
	return all
}

// finished returns how many Jobs are finished now.
func (t *Test) finished() int {
	n := 0
	for _, job := range t.recorder.Jobs() {
		if kinds.Finished(&job) != "" {
			n++
		}
	}
	return n
}

// tracked returns the pods that have the tracking finalizer now.
func (t *Test) tracked() []string {
	var names []string
	for _, pod := range t.recorder.Pods() {
		if isTracked(&pod) {
			names = append(names, pod.Name)
		}
	}
	return names
}

func isTracked(pod *corev1.Pod) bool {
	return slices.Contains(pod.Finalizers, batchv1.JobTrackingFinalizer)
}
