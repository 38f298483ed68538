package cronjob

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/controller/cronjob/cronexpr"
	"github.com/jobconformance/jobconformance/controller/cronjob/plan"
	"github.com/jobconformance/jobconformance/controller/internal/loop"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
)

// observe gathers the View of a CronJob. Where the informer and the CronJob's status contradict each
// other, it asks the API server. It returns nil if the CronJob is gone.
// CRON-OWNERS-001, CRON-OWNERS-003, CRON-ADMISSION-007
func (c *Controller) observe(ctx context.Context, cronJob *batchv1.CronJob, known *Cache) (*plan.View, error) {
	if known.unconfirmed {
		live, err := c.client.BatchV1().CronJobs(cronJob.Namespace).Get(ctx, cronJob.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) || err == nil && live.UID != cronJob.UID {
			return nil, nil // as the informer is going to show
		}
		if err != nil {
			return nil, fmt.Errorf("reading CronJob %s: %w", cronJob.Name, err)
		}
		known.cronJob, known.unconfirmed = live, false
	}
	cronJob = known.latestCronJob(cronJob)
	now := c.clock.Now()
	v := &plan.View{CronJob: cronJob, Now: now, NotBefore: known.scheduleSince(cronJob, now), Deleted: map[types.UID]bool{}}
	if cronJob.Spec.TimeZone != nil {
		v.Zone, v.ZoneErr = time.LoadLocation(*cronJob.Spec.TimeZone)
	}
	v.Schedule, v.ScheduleErr = cronexpr.Parse(cronJob.Spec.Schedule, v.Zone)

	cached := loop.Owned[batchv1.Job](c.jobs, cronJob.Namespace, cronJob.UID)
	shown := slices.Clone(cronJob.Status.Active)
	for _, job := range cached {
		shown = append(shown, plan.ReferenceTo(job))
	}
	for _, ref := range shown {
		if known.deleted[ref.UID] {
			v.Deleted[ref.UID] = true
		}
		if ref.Name == known.creating {
			known.creating = ""
		}
	}
	known.deleted = v.Deleted

	jobs, unconfirmed, missing := map[types.UID]*batchv1.Job{}, sets.New[string](), plan.UIDs(cronJob.Status.Active)
	for _, job := range cached {
		// An unfinished Job that the status lacks is the trace of an interruption, or gone and still
		// in the informer.
		_, ours := plan.ScheduledTime(cronJob, job)
		terminating := job.DeletionTimestamp != nil || v.Deleted[job.UID]
		if ours && plan.Finished(job) == "" && !missing[job.UID] && !terminating {
			unconfirmed.Insert(job.Name)
		} else {
			jobs[job.UID] = job
		}
		delete(missing, job.UID)
	}
	for _, ref := range cronJob.Status.Active {
		if missing[ref.UID] {
			unconfirmed.Insert(ref.Name)
		}
	}
	if known.creating != "" {
		unconfirmed.Insert(known.creating)
	}
	for _, name := range sets.List(unconfirmed) {
		job, err := c.client.BatchV1().Jobs(cronJob.Namespace).Get(ctx, name, metav1.GetOptions{})
		switch {
		case apierrors.IsNotFound(err):
		case err != nil:
			return nil, err
		case metav1.IsControlledBy(job, cronJob): // though it may be another one of the name
			jobs[job.UID] = job
		}
	}
	v.Jobs = slices.Collect(maps.Values(jobs))
	return v, nil
}
