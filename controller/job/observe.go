package job

import (
	"context"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
)

// observe gathers the View of a Job. It returns nil if the Job is gone, or is no
// concern of ours.
func (c *Controller) observe(ctx context.Context, shown *batchv1.Job, m *memory) (*View, error) {
	if m.doubtJob {
		live, err := c.client.BatchV1().Jobs(shown.Namespace).Get(ctx, shown.Name, metav1.GetOptions{})
		if err != nil || live.UID != shown.UID {
			return nil, ignoreGone(err)
		}
		m.sawJob(live)
		m.doubtJob = false
	}
	job := m.latestJob(shown)
	selector, err := metav1.LabelSelectorAsSelector(job.Spec.Selector)
	if err != nil || Finished(job) {
		return nil, err
	}
	if m.doubtPods.Load() {
		if err := c.relist(ctx, job, selector, m); err != nil {
			return nil, err
		}
		m.doubtPods.Store(false)
	}

	v := &View{Job: job, UpTo: c.pods.LastStoreSyncResourceVersion(), Now: c.clock.Now(),
		Backoff: defaultBackoff, History: m.history, CreateAfter: m.createAfter}
	for _, pod := range m.latestPods(loop.Owned[corev1.Pod](c.pods, job.Namespace, job.UID), v.UpTo) {
		switch matches := selector.Matches(labels.Set(pod.Labels)); {
		case !metav1.IsControlledBy(pod, job):
		case matches && m.history.past(pod):
		case matches:
			v.Pods = append(v.Pods, pod)
		case pod.DeletionTimestamp == nil:
			v.Mismatched = append(v.Mismatched, pod)
		}
	}
	// Which of several pods decides shall not be left to chance.
	slices.SortFunc(v.Pods, func(a, b *corev1.Pod) int { return strings.Compare(a.Name, b.Name) })
	known := make(map[types.UID]bool, len(v.Pods))
	for _, pod := range v.Pods {
		known[pod.UID] = true
	}
	for _, pod := range loop.Owned[corev1.Pod](c.pods, job.Namespace, "") {
		if pod.DeletionTimestamp == nil && !known[pod.UID] && selector.Matches(labels.Set(pod.Labels)) {
			v.Strays = append(v.Strays, pod)
		}
	}
	return v, nil
}

// relist asks the API server for the Job's pods, so that one whose creation went
// unanswered is not created again.
func (c *Controller) relist(ctx context.Context, job *batchv1.Job, selector labels.Selector, m *memory) error {
	list, err := c.client.CoreV1().Pods(job.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return err
	}
	for i := range list.Items {
		if pod := &list.Items[i]; metav1.IsControlledBy(pod, job) {
			m.sawPod(pod)
		}
	}
	return nil
}

// managedByOther tells whether spec.managedBy hands the Job to somebody else
// (KEP-4368).
func managedByOther(job *batchv1.Job) bool {
	return job.Spec.ManagedBy != nil && *job.Spec.ManagedBy != batchv1.JobControllerName
}
