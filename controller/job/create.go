package job

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

const (
	// After a refused pod, creation waits for refusalBase, twice as long after each further one in a
	// row, and at most for refusalMax: no event announces that a used up quota has room again.
	refusalBase = 250 * time.Millisecond
	refusalMax  = time.Minute
)

// create starts slowly: one pod, then two, then four. If they are all refused for the same reason,
// that costs few requests and events. A refused pod counts for nothing.
// JOB-ADMISSION-001, JOB-ADMISSION-003, JOB-ADMISSION-004, JOB-ADMISSION-005, JOB-ADMISSION-006,
// JOB-ADMISSION-007, JOB-ADMISSION-008, JOB-ADMISSION-010, JOB-PARALLELISM-013
func (c *Controller) create(ctx context.Context, job *batchv1.Job, known *Cache, pods []*corev1.Pod) error {
	for batch := 1; len(pods) > 0; batch *= 2 {
		n := min(batch, len(pods))
		if err := c.inParallel(pods[:n], func(pod *corev1.Pod) error { return c.createPod(ctx, job, known, pod) }); err != nil {
			known.refusals++
			delay := refusalDelay(known.refusals)
			if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
				delay, err = refusalMax, nil // the namespace is going away, and so will the Job
			}
			known.createAfter = c.clock.Now().Add(delay)
			klog.FromContext(ctx).V(2).Info("Pods were refused", "job", klog.KObj(job), "notCreated", len(pods), "createAfter", known.createAfter)
			return err
		}
		pods = pods[n:]
	}
	known.refusals, known.createAfter = 0, time.Time{}
	return nil
}

// refusalDelay returns how long creation waits after so many refusals in a row. JOB-ADMISSION-011
func refusalDelay(refusals int) time.Duration {
	return min(refusalBase<<min(refusals-1, 10), refusalMax)
}

// JOB-ADMISSION-002, JOB-FINISHED-004
func (c *Controller) createPod(ctx context.Context, job *batchv1.Job, known *Cache, pod *corev1.Pod) error {
	created, err := c.client.CoreV1().Pods(job.Namespace).Create(ctx, pod, metav1.CreateOptions{})
	observeCreation(job, err)
	if err != nil {
		if !refused(err) {
			known.podsUnconfirmed.Store(true)
		}
		if !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			c.recorder.Eventf(job, corev1.EventTypeWarning, "FailedCreate", "Error creating: %v", err)
		}
		return err
	}
	known.sawPod(created)
	c.recorder.Eventf(job, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: %s", created.Name)
	return nil
}

// refused reports whether an error means for sure that nothing was written.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsNotFound(err) ||
		apierrors.IsTooManyRequests(err) || apierrors.IsBadRequest(err) || apierrors.IsUnauthorized(err)
}
