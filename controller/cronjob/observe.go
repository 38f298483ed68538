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
	"k8s.io/utils/ptr"
)

// observe gathers the View of a CronJob. Where the informer and the CronJob's status contradict each
// other, it asks the API server. It returns nil if the CronJob is gone.
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
	v := &plan.View{CronJob: cronJob, Now: now, NotBefore: known.scheduleSince(cronJob, now),
		Deleted: map[types.UID]bool{}}
	if cronJob.Spec.TimeZone != nil {
		v.Zone, v.ZoneErr = time.LoadLocation(*cronJob.Spec.TimeZone)
	}
	v.Schedule, v.ScheduleErr = cronexpr.Parse(cronJob.Spec.Schedule, v.Zone)

	// CRON-OWNERS-001, CRON-ADMISSION-007
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
		if missing[ref.UID] && ref.Name != "" { // without one, there is nothing to ask for
			unconfirmed.Insert(ref.Name)
		}
	}
	if known.creating != "" {
		unconfirmed.Insert(known.creating)
	}
	known.ahead = len(unconfirmed) > 0
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

// Cache is what this process knows about one CronJob that its informers may not show yet. Only the
// sync of this CronJob uses it, and there is one at a time. After a crash it is empty, as are the
// informers.
type Cache struct {
	// cronJob is the newest revision that was read or written past the informer; nil once the
	// informer has caught up.
	cronJob *batchv1.CronJob
	// unconfirmed is set when the CronJob may be newer than cronJob and the informer: after a status
	// write that failed, or the answer to which was lost. The next sync reads it from the API server.
	unconfirmed bool
	// creating is the name of a Job that may have been created and that the status does not have
	// yet; empty if there is none.
	creating string
	// ahead is true if the last sync had to ask the API server for Jobs.
	ahead bool
	// deleted are the UIDs of Jobs that the controller deleted and that the CronJob's status or the
	// informer still have.
	deleted map[types.UID]bool
	// emitted are the events of the last sync, emitting those of this one.
	emitted, emitting map[plan.Event]bool
	// schedule, zone and last are the CronJob's at the end of the last sync; changed is when it took
	// this schedule.
	schedule, zone string
	last           *metav1.Time
	changed        time.Time
}

// latestCronJob corrects what the informer shows by what was read or written past it.
func (k *Cache) latestCronJob(shown *batchv1.CronJob) *batchv1.CronJob {
	if k.cronJob != nil && loop.Newer(k.cronJob, shown) {
		return k.cronJob
	}
	k.cronJob = nil
	return shown
}

// wrote notes what this process wrote. A lastScheduleTime that a user sets afterwards differs from that.
func (k *Cache) wrote(cronJob *batchv1.CronJob) {
	k.cronJob, k.last = cronJob, cronJob.Status.LastScheduleTime
}

// scheduleSince returns when the CronJob took its present schedule, or zero if it had it all along. A
// user who sets lastScheduleTime after that has the ticks counted from there.
func (k *Cache) scheduleSince(cronJob *batchv1.CronJob, now time.Time) time.Time {
	schedule, zone, last := cronJob.Spec.Schedule, ptr.Deref(cronJob.Spec.TimeZone, ""), cronJob.Status.LastScheduleTime
	switch {
	case k.schedule == "" || !last.Equal(k.last):
		k.changed = time.Time{}
	case schedule != k.schedule || zone != k.zone:
		k.changed = now
	}
	k.schedule, k.zone, k.last = schedule, zone, last
	return k.changed
}

func (k *Cache) beginEvents() { k.emitting = map[plan.Event]bool{} }
func (k *Cache) endEvents()   { k.emitted = k.emitting }

// isNew reports whether neither this sync nor the last one emitted an event.
func (k *Cache) isNew(e plan.Event) bool {
	known := k.emitted[e] || k.emitting[e]
	k.emitting[e] = true
	return !known
}
