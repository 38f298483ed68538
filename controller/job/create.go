package job

import (
	"context"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	// After a refused pod, creation waits for refusalBase, twice as long after
	// each further one in a row, and at most for refusalMax: a quota that is
	// used up tells nobody when it is free again.
	refusalBase = 250 * time.Millisecond
	refusalMax  = time.Minute
)

// create starts slowly: one pod, then two, then four. If they are all refused
// for the same reason, few requests and events tell it.
func (c *Controller) create(ctx context.Context, job *batchv1.Job, m *memory, newcomers []newcomer) error {
	for batch := 1; len(newcomers) > 0; batch *= 2 {
		n := min(batch, len(newcomers))
		if err := inParallel(newcomers[:n], func(n newcomer) error { return c.createPod(ctx, job, m, n) }); err != nil {
			m.refusals++
			m.createAfter = c.clock.Now().Add(refusalDelay(m.refusals))
			if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
				m.createAfter = c.clock.Now().Add(refusalMax)
				return nil // it is going away, and so will the Job
			}
			return err
		}
		newcomers = newcomers[n:]
	}
	m.refusals, m.createAfter = 0, time.Time{}
	return nil
}

func refusalDelay(refusals int) time.Duration {
	return min(refusalBase<<min(refusals-1, 10), refusalMax)
}

func (c *Controller) createPod(ctx context.Context, job *batchv1.Job, m *memory, n newcomer) error {
	pod, err := c.client.CoreV1().Pods(job.Namespace).Create(ctx, newPod(job, n), metav1.CreateOptions{})
	observeCreation(job, err)
	if err != nil {
		if !refused(err) {
			m.doubtPods.Store(true)
		}
		if !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			c.recorder.Eventf(job, corev1.EventTypeWarning, "FailedCreate", "Error creating: %v", err)
		}
		return err
	}
	m.sawPod(pod)
	c.recorder.Eventf(job, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: %s", pod.Name)
	return nil
}

// refused tells whether an error says for sure that nothing was written.
func refused(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsNotFound(err) ||
		apierrors.IsTooManyRequests(err) || apierrors.IsBadRequest(err) || apierrors.IsUnauthorized(err)
}
