package cronjob

import (
	"context"
	"fmt"

	"github.com/jobconformance/jobconformance/controller/cronjob/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// create starts the Job of a Plan, once the Jobs that it replaces are deleted, and records it. A
// refused Job is not recorded.
// CRON-ADMISSION-001, CRON-ADMISSION-002, CRON-ADMISSION-008, CRON-ADMISSION-009, CRON-FAULTS-001
func (c *Controller) create(ctx context.Context, cronJob *batchv1.CronJob, known *Cache, p plan.Plan) error {
	for _, job := range p.Replace {
		if err := c.delete(ctx, cronJob, known, job); err != nil {
			return err
		}
	}
	name := p.Create.Name
	known.creating = name // until it is recorded, whatever comes between
	job, err := c.client.BatchV1().Jobs(p.Create.Namespace).Create(ctx, p.Create, metav1.CreateOptions{})
	switch {
	case err == nil: // CRON-TELLS-001
		c.emit(cronJob, known, event(corev1.EventTypeNormal, "SuccessfulCreate", name, "Created job %v", name))
		skew.Observe(max(0, job.CreationTimestamp.Sub(p.ScheduledTime).Seconds()))
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil // nothing can be created here any more
	case apierrors.IsAlreadyExists(err):
		if job, err = c.client.BatchV1().Jobs(p.Create.Namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		if !metav1.IsControlledBy(job, cronJob) { // CRON-JOBS-005
			c.emit(cronJob, known, event(corev1.EventTypeWarning, "FailedCreate", name, "Error creating job: a Job %s of another owner exists", name))
			return nil // it keeps this tick from starting however soon we retry
		}
	default:
		if ctx.Err() == nil {
			c.emit(cronJob, known, event(corev1.EventTypeWarning, "FailedCreate", name, "Error creating job: %v", err))
		}
		return fmt.Errorf("creating Job %s: %w", name, err)
	}
	if _, err := c.writeStatus(ctx, cronJob, known, p.Recorded(job)); err != nil {
		return err
	}
	known.creating = ""
	return nil
}
