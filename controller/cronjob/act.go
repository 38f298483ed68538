package cronjob

import (
	"context"
	"errors"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// look is one look at one CronJob: where a plan meets the API server.
type look struct {
	*Controller
	*knowledge
	cronJob *batchv1.CronJob
	telling map[Event]bool
}

// act carries out a plan. The status goes first, so that nothing is deleted
// before what it achieved is on record, and nothing starts on a stale view of
// the CronJob. An error means: look again soon.
func (c *Controller) act(ctx context.Context, cronJob *batchv1.CronJob, k *knowledge, plan Plan) error {
	l := &look{c, k, cronJob, map[Event]bool{}}
	if plan.Status != nil {
		if err := l.write(ctx, *plan.Status); err != nil {
			return err
		}
	}
	defer func() { k.told = l.telling }()
	for _, event := range plan.Events {
		l.tell(event)
	}
	// A full quota must not stop the clean-up (#119776), nor the other way round.
	var errs []error
	for _, job := range plan.Surplus {
		errs = append(errs, l.delete(ctx, job))
	}
	if plan.Start != nil {
		errs = append(errs, l.start(ctx, plan.Start))
	}
	return errors.Join(errs...)
}

func (l *look) start(ctx context.Context, s *Start) error {
	for _, job := range s.Replaced {
		if err := l.delete(ctx, job); err != nil {
			return err
		}
	}
	about := s.Job.Name
	l.creating = s.Job.Name // until it is on record, whatever comes between
	job, err := l.client.BatchV1().Jobs(s.Job.Namespace).Create(ctx, s.Job, metav1.CreateOptions{})
	switch {
	case err == nil:
		l.tell(normal("SuccessfulCreate", about, "Created job %v", job.Name))
		skew.Observe(max(0, job.CreationTimestamp.Sub(s.ScheduledTime).Seconds()))
	case apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause):
		return nil // nothing can be created here any more
	case apierrors.IsAlreadyExists(err):
		name := s.Job.Name
		if job, err = l.client.BatchV1().Jobs(s.Job.Namespace).Get(ctx, name, metav1.GetOptions{}); err != nil {
			return err
		}
		if !metav1.IsControlledBy(job, l.cronJob) {
			l.tell(warning("FailedCreate", about, "Error creating job: a Job %s of somebody else is in the way", name))
			return nil // it will be in the way for this tick however soon we look
		}
	default:
		if ctx.Err() == nil {
			l.tell(warning("FailedCreate", about, "Error creating job: %v", err))
		}
		return fmt.Errorf("creating Job %s: %w", s.Job.Name, err)
	}
	if err := l.write(ctx, s.Recorded(job)); err != nil {
		return err
	}
	l.creating = ""
	return nil
}

// delete deletes one Job and, through the garbage collector, its pods. One that
// is unfinished is spared if it has changed: it may have succeeded meanwhile, and
// a success is to be on record before it goes.
func (l *look) delete(ctx context.Context, job *batchv1.Job) error {
	only := metav1.NewUIDPreconditions(string(job.UID))
	if finished(job) == "" {
		only.ResourceVersion = &job.ResourceVersion
	}
	err := l.client.BatchV1().Jobs(job.Namespace).Delete(ctx, job.Name, metav1.DeleteOptions{
		PropagationPolicy: new(metav1.DeletePropagationBackground),
		Preconditions:     only,
	})
	switch {
	case err == nil:
		l.deleted[job.UID] = true
		l.tell(normal("SuccessfulDelete", string(job.UID), "Deleted job %v", job.Name))
	case apierrors.IsNotFound(err), apierrors.IsConflict(err) && finished(job) != "": // gone, or gone and created again
		l.deleted[job.UID] = true
	default:
		if ctx.Err() == nil && !apierrors.IsConflict(err) {
			l.tell(warning("FailedDelete", string(job.UID), "Deleted job: %v", err))
		}
		return fmt.Errorf("deleting Job %s: %w", job.Name, err)
	}
	return nil
}

// write replaces the CronJob's status.
func (l *look) write(ctx context.Context, status batchv1.CronJobStatus) error {
	next := *l.cronJob
	next.Status = status
	written, err := l.client.BatchV1().CronJobs(next.Namespace).UpdateStatus(ctx, &next, metav1.UpdateOptions{})
	if err != nil {
		l.doubt = true
		return fmt.Errorf("writing the status of CronJob %s: %w", next.Name, err)
	}
	l.cronJob, l.known = written, written
	return nil
}

// tell emits an event unless the last look did already.
func (l *look) tell(event Event) {
	if !l.told[event] && !l.telling[event] {
		l.recorder.Event(l.cronJob, event.Type, event.Reason, event.Message)
	}
	l.telling[event] = true
}
