package cronjob

import (
	"time"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// knowledge is what the controller knows of one CronJob better than its caches,
// which may lag behind. Only the worker that holds the CronJob's key uses it, and
// nothing breaks when a restart loses it.
type knowledge struct {
	// known is the newest revision that was read or written past the cache; nil
	// once the cache has caught up.
	known *batchv1.CronJob
	// doubt is set when the CronJob may be newer than known and the cache: after
	// a status write that failed, or the answer to which was lost. The next look
	// asks the API server.
	doubt bool
	// creating is the name of a Job that may have been created and that the
	// status does not have yet; empty if there is none.
	creating string
	// deleted are the UIDs of Jobs that the controller deleted and that the
	// CronJob's status or the cache still have.
	deleted map[types.UID]bool
	// told are the events of the last look.
	told map[Event]bool
	// schedule, zone and last are the CronJob's at the last look; changed is when
	// it took this schedule.
	schedule, zone string
	last           *metav1.Time
	changed        time.Time
}

// newest returns the newer of the cached and the known revision.
func (k *knowledge) newest(cached *batchv1.CronJob) *batchv1.CronJob {
	if k.known != nil && loop.Newer(k.known, cached) {
		return k.known
	}
	k.known = nil
	return cached
}

// scheduleSince returns when the CronJob took its present schedule, or zero if
// it had it all along. Whoever sets lastScheduleTime after that has the ticks
// counted from there.
func (k *knowledge) scheduleSince(cronJob *batchv1.CronJob, now time.Time) time.Time {
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
