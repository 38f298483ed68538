package cronjob

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// controllerUID names the index of Jobs by the UID of their controller.
const controllerUID = "cronjob/controllerUID"

func indexByControllerUID(obj any) ([]string, error) {
	if job, ok := obj.(*batchv1.Job); ok {
		if owner := metav1.GetControllerOfNoCopy(job); owner != nil {
			return []string{string(owner.UID)}, nil
		}
	}
	return nil, nil
}

// observe gathers what a plan depends on. Where the cache and the CronJob's
// status contradict each other, the API server is asked.
func (c *Controller) observe(ctx context.Context, cronJob *batchv1.CronJob, k *knowledge) (Observation, error) {
	now := c.clock.Now()
	o := Observation{CronJob: cronJob, Now: now, NotBefore: k.scheduleSince(cronJob, now), Deleted: map[types.UID]bool{}}
	cached, err := c.jobs.ByIndex(controllerUID, string(cronJob.UID))
	if err != nil {
		return o, err
	}

	seen := map[types.UID]bool{}
	see := func(uid types.UID) {
		seen[uid] = true
		if k.deleted[uid] {
			o.Deleted[uid] = true
		}
	}
	for _, obj := range cached {
		job := obj.(*batchv1.Job)
		if job.Namespace != cronJob.Namespace {
			continue
		}
		see(job.UID)
		if unrecorded(cronJob, job) && !o.leaving(job) {
			if job, err = c.read(ctx, cronJob, job.Name, job.UID); err != nil {
				return o, err
			}
		}
		if job != nil {
			o.Jobs = append(o.Jobs, job)
		}
	}
	for _, ref := range cronJob.Status.Active {
		if seen[ref.UID] {
			continue
		}
		see(ref.UID)
		job, err := c.read(ctx, cronJob, ref.Name, ref.UID)
		if err != nil {
			return o, err
		}
		if job != nil {
			o.Jobs = append(o.Jobs, job)
		}
	}
	k.deleted = o.Deleted
	return o, nil
}

// unrecorded reports whether a Job was started by the controller and is missing
// in the CronJob's status: the trace of an interruption, or of a cache that
// still has a Job that is gone.
func unrecorded(cronJob *batchv1.CronJob, job *batchv1.Job) bool {
	_, ours := scheduledTimeOf(cronJob, job)
	return ours && finished(job) == "" && !contains(cronJob.Status.Active, job.UID)
}

// read asks the API server for a Job of cronJob; it returns nil if there is none.
func (c *Controller) read(ctx context.Context, cronJob *batchv1.CronJob, name string, uid types.UID) (*batchv1.Job, error) {
	job, err := c.client.BatchV1().Jobs(cronJob.Namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if job.UID != uid || !metav1.IsControlledBy(job, cronJob) {
		return nil, nil
	}
	return job, nil
}
