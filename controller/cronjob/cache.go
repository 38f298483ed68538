package cronjob

import (
	"time"

	"github.com/jobconformance/jobconformance/controller/cronjob/plan"
	"github.com/jobconformance/jobconformance/controller/internal/loop"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

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
	// deleted are the UIDs of Jobs that the controller deleted and that the CronJob's status or the
	// informer still have.
	deleted map[types.UID]bool
	// emitted are the events of the last sync, emitting those of this one.
	emitted, emitting map[plan.Event]bool
	// schedule, zone and last are the CronJob's at the last sync; changed is when it took this
	// schedule.
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
