package job

import (
	"context"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	"github.com/jobconformance/jobconformance/controller/job/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// observe gathers the View of a Job. upTo is the resourceVersion up to which the informer shows pods.
// It returns nil if the Job is gone.
// JOB-FAULTS-007, JOB-FAULTS-008, JOB-FAULTS-009
func (c *Controller) observe(ctx context.Context, shown *batchv1.Job, known *Cache, upTo string) (*plan.View, error) {
	if known.jobUnconfirmed {
		live, err := c.client.BatchV1().Jobs(shown.Namespace).Get(ctx, shown.Name, metav1.GetOptions{})
		if err != nil || live.UID != shown.UID {
			return nil, ignoreGone(err)
		}
		known.sawJob(live)
		known.jobUnconfirmed = false
	}
	job := known.latestJob(shown)
	selector, err := metav1.LabelSelectorAsSelector(job.Spec.Selector)
	if err != nil {
		selector = labels.Nothing() // plan.New reports it
	}
	if known.podsUnconfirmed.Load() {
		if err := c.confirmPods(ctx, job, selector, known); err != nil {
			return nil, err
		}
		known.podsUnconfirmed.Store(false)
	}
	v := &plan.View{Job: job, Orphans: loop.Owned[corev1.Pod](c.pods, job.Namespace, ""), Now: c.clock.Now(),
		Backoff: plan.DefaultBackoff, History: known.history, CreateAfter: known.createAfter}
	for _, pod := range known.latestPods(loop.Owned[corev1.Pod](c.pods, job.Namespace, job.UID), upTo, v.Now) {
		if !known.past(pod) || !selector.Matches(labels.Set(pod.Labels)) {
			v.Pods = append(v.Pods, pod)
		}
	}
	return v, nil
}

// confirmPods reads the Job's pods from the API server, so that a pod whose creation went unanswered
// is not created again. JOB-FAULTS-001
func (c *Controller) confirmPods(ctx context.Context, job *batchv1.Job, selector labels.Selector, known *Cache) error {
	list, err := c.client.CoreV1().Pods(job.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector.String()})
	if err != nil {
		return err
	}
	for i := range list.Items {
		if pod := &list.Items[i]; metav1.IsControlledBy(pod, job) {
			known.sawPod(pod)
		}
	}
	return nil
}
