package cronjob

import (
	"context"
	"maps"
	"slices"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// observe gathers what a plan depends on. Where the cache and the CronJob's
// status contradict each other, the API server is asked.
func (c *Controller) observe(ctx context.Context, cronJob *batchv1.CronJob, k *knowledge) (Observation, error) {
	now := c.clock.Now()
	o := Observation{CronJob: cronJob, Now: now, NotBefore: k.scheduleSince(cronJob, now), Deleted: map[types.UID]bool{}}
	cached := loop.Owned[batchv1.Job](c.jobs, cronJob.Namespace, cronJob.UID)
	shown := slices.Clone(cronJob.Status.Active)
	for _, job := range cached {
		shown = append(shown, referenceTo(job))
	}
	for _, ref := range shown {
		if k.deleted[ref.UID] {
			o.Deleted[ref.UID] = true
		}
		if ref.Name == k.creating {
			k.creating = ""
		}
	}
	k.deleted = o.Deleted

	jobs, doubtful, missing := map[types.UID]*batchv1.Job{}, sets.New[string](), uidsOf(cronJob.Status.Active)
	for _, job := range cached {
		// A Job that the status lacks is the trace of an interruption, or gone and
		// still in the cache.
		if _, ours := scheduledTimeOf(cronJob, job); ours && finished(job) == "" && !missing[job.UID] && !o.leaving(job) {
			doubtful.Insert(job.Name)
		} else {
			jobs[job.UID] = job
		}
		delete(missing, job.UID)
	}
	for _, ref := range cronJob.Status.Active {
		if missing[ref.UID] {
			doubtful.Insert(ref.Name)
		}
	}
	if k.creating != "" {
		doubtful.Insert(k.creating)
	}
	for _, name := range sets.List(doubtful) {
		job, err := c.client.BatchV1().Jobs(cronJob.Namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return o, err
		case metav1.IsControlledBy(job, cronJob): // though it may be another one of the name
			jobs[job.UID] = job
		}
	}
	o.Jobs = slices.Collect(maps.Values(jobs))
	return o, nil
}
