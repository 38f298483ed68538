package job

import (
	"context"
	"fmt"

	"github.com/jobconformance/jobconformance/controller/job/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
)

// syncOrphan removes the tracking finalizer of a pod that no Job is going to count. Orphans have a
// queue of their own with back-off, as their Job is no longer there to retry (#141329).
func (c *Controller) syncOrphan(ctx context.Context, key cache.ObjectName) error {
	obj, exists, err := c.pods.GetByKey(key.String())
	if err != nil || !exists {
		return err
	}
	pod := obj.(*corev1.Pod)
	if !plan.HasFinalizer(pod) {
		return nil
	}
	owner, err := c.owner(ctx, pod)
	if err != nil {
		return fmt.Errorf("looking for the Job of pod %s: %w", key, err)
	}
	var matching []batchv1.Job
	if metav1.GetControllerOfNoCopy(pod) == nil { // it compares the pod with all Jobs of the namespace
		matching, _ = c.jobs.GetPodJobs(pod) // the error means that there are none
	}
	if !plan.Orphaned(pod, owner, matching, c.manager) {
		return nil
	}
	klog.FromContext(ctx).V(2).Info("Removing the finalizer of an orphaned pod", "pod", klog.KObj(pod))
	_, err = c.send(ctx, pod, withoutFinalizer(pod))
	return ignoreGone(err)
}

// owner returns the Job that controls a pod, nil if there is none. A Job that the informer does not
// show may be new, so the API server has the last word.
func (c *Controller) owner(ctx context.Context, pod *corev1.Pod) (*batchv1.Job, error) {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil || !plan.IsJob(ref) {
		return nil, nil
	}
	job, err := c.jobs.Jobs(pod.Namespace).Get(ref.Name)
	if err != nil || job.UID != ref.UID {
		job, err = c.client.BatchV1().Jobs(pod.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	}
	if apierrors.IsNotFound(err) || err == nil && job.UID != ref.UID {
		return nil, nil
	}
	return job, err
}
