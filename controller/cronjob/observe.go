package cronjob

import (
	"context"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
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
	active, seen, got := uidsOf(cronJob.Status.Active), map[types.UID]bool{}, map[types.UID]bool{}
	var doubtful []corev1.ObjectReference
	see := func(name string, uid types.UID) {
		seen[uid] = true
		if k.deleted[uid] {
			o.Deleted[uid] = true
		}
		if name == k.creating {
			k.creating = ""
		}
	}
	add := func(job *batchv1.Job) {
		if !got[job.UID] {
			o.Jobs = append(o.Jobs, job)
		}
		got[job.UID] = true
	}
	for _, obj := range cached {
		job := obj.(*batchv1.Job)
		if job.Namespace != cronJob.Namespace {
			continue
		}
		see(job.Name, job.UID)
		// A Job that the status lacks is the trace of an interruption, or gone and
		// still in the cache.
		if _, ours := scheduledTimeOf(cronJob, job); ours && finished(job) == "" && !active[job.UID] && !o.leaving(job) {
			doubtful = append(doubtful, referenceTo(job))
		} else {
			add(job)
		}
	}
	for _, ref := range cronJob.Status.Active {
		if !seen[ref.UID] {
			see(ref.Name, ref.UID)
			doubtful = append(doubtful, ref)
		}
	}
	if k.creating != "" {
		doubtful = append(doubtful, corev1.ObjectReference{Name: k.creating})
	}
	for _, ref := range doubtful {
		job, err := c.client.BatchV1().Jobs(cronJob.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return o, err
		case metav1.IsControlledBy(job, cronJob): // though it may be another one of the name
			add(job)
		}
	}
	k.deleted = o.Deleted
	return o, nil
}
