package cronjob

import (
	"context"
	"errors"
	"fmt"

	"github.com/jobconformance/jobconformance/controller/cronjob/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

// act carries a Plan out. The status goes first, so that nothing is deleted before what it achieved
// is recorded, and nothing starts on an old view of the CronJob.
func (c *Controller) act(ctx context.Context, cronJob *batchv1.CronJob, known *Cache, p plan.Plan) (err error) {
	logger := klog.LoggerWithValues(klog.FromContext(ctx), "cronJob", klog.KObj(cronJob))
	if p.Status != nil {
		logger.V(4).Info("Writing the status", "active", len(p.Status.Active),
			"lastScheduleTime", p.Status.LastScheduleTime)
		if cronJob, err = c.writeStatus(ctx, cronJob, known, *p.Status); err != nil {
			return err
		}
	}
	known.beginEvents()
	defer known.endEvents()
	for _, e := range p.Events {
		logger.V(2).Info(e.Message, "reason", e.Reason)
		c.emit(cronJob, known, e)
	}
	// A full quota must not stop the clean-up (#119776), nor the other way round. CRON-HISTORY-009
	var errs []error
	for _, job := range p.Delete {
		logger.V(2).Info("Deleting a Job beyond the history limit", "job", klog.KObj(job))
		errs = append(errs, c.delete(ctx, cronJob, known, job))
	}
	if p.Create != nil {
		logger.V(2).Info("Creating a Job", "job", klog.KObj(p.Create), "scheduledTime", p.ScheduledTime,
			"replaces", klog.KObjSlice(p.Replace))
		errs = append(errs, c.create(ctx, cronJob, known, p))
	}
	return errors.Join(errs...)
}

// delete deletes one Job and, through the garbage collector, its pods. An unfinished one is spared if
// it has changed: it may have succeeded meanwhile, and a success is to be recorded first.
func (c *Controller) delete(ctx context.Context, cronJob *batchv1.CronJob, known *Cache, job *batchv1.Job) error {
	only := metav1.NewUIDPreconditions(string(job.UID))
	if plan.Finished(job) == "" {
		only.ResourceVersion = &job.ResourceVersion
	}
	err := c.client.BatchV1().Jobs(job.Namespace).Delete(ctx, job.Name, metav1.DeleteOptions{
		PropagationPolicy: new(metav1.DeletePropagationBackground), // CRON-CONCURRENCY-013
		Preconditions:     only,
	})
	switch {
	case err == nil:
		known.deleted[job.UID] = true
		c.emit(cronJob, known, event(corev1.EventTypeNormal, "SuccessfulDelete", string(job.UID), "Deleted job %v",
			job.Name))
	// gone, or gone and created again
	case apierrors.IsNotFound(err), apierrors.IsConflict(err) && plan.Finished(job) != "":
		known.deleted[job.UID] = true
	default:
		if ctx.Err() == nil && !apierrors.IsConflict(err) {
			// CRON-ADMISSION-010
			c.emit(cronJob, known, event(corev1.EventTypeWarning, "FailedDelete", string(job.UID), "Deleted job: %v",
				err))
		}
		return fmt.Errorf("deleting Job %s: %w", job.Name, err)
	}
	return nil
}

// writeStatus returns the CronJob as written.
func (c *Controller) writeStatus(ctx context.Context, cronJob *batchv1.CronJob, known *Cache,
	status batchv1.CronJobStatus) (*batchv1.CronJob, error) {
	update := *cronJob
	update.Status = status
	written, err := c.client.BatchV1().CronJobs(update.Namespace).UpdateStatus(ctx, &update, metav1.UpdateOptions{})
	if err != nil {
		known.unconfirmed = true
		return nil, fmt.Errorf("writing the status of CronJob %s: %w", update.Name, err)
	}
	known.wrote(written)
	return written, nil
}

// emit emits an event unless this sync or the last one did already.
func (c *Controller) emit(cronJob *batchv1.CronJob, known *Cache, e plan.Event) {
	if known.isNew(e) {
		c.recorder.Event(cronJob, e.Type, e.Reason, e.Message)
	}
}

func event(kind, reason, about, format string, args ...any) plan.Event {
	return plan.Event{Type: kind, Reason: reason, About: about, Message: fmt.Sprintf(format, args...)}
}

// create starts the Job of a Plan, once the Jobs that it replaces are deleted, and records it. A
// refused Job is not recorded.
func (c *Controller) create(ctx context.Context, cronJob *batchv1.CronJob, known *Cache, p plan.Plan) error {
	for _, job := range p.Replace {
		if err := c.delete(ctx, cronJob, known, job); err != nil {
			return err
		}
	}
	name := p.Create.Name
	known.creating = name // until it is recorded, whatever comes between. CRON-FAULTS-001
	job, err := c.client.BatchV1().Jobs(p.Create.Namespace).Create(ctx, p.Create, metav1.CreateOptions{})
	switch {
	case err == nil: // CRON-TELLS-001
		c.emit(cronJob, known, event(corev1.EventTypeNormal, "SuccessfulCreate", name, "Created job %v", name))
		skew.Observe(max(0, job.CreationTimestamp.Sub(p.ScheduledTime).Seconds()))
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause): // CRON-ADMISSION-009
		return nil // nothing can be created here any more
	case apierrors.IsAlreadyExists(err):
		if job, err = c.client.BatchV1().Jobs(p.Create.Namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		if !metav1.IsControlledBy(job, cronJob) { // CRON-JOBS-005
			c.emit(cronJob, known, event(corev1.EventTypeWarning, "FailedCreate", name,
				"Error creating job: a Job %s of another owner exists", name))
			return nil // it keeps this tick from starting however soon we retry
		}
	default:
		if ctx.Err() == nil {
			// CRON-ADMISSION-002
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
