package plan

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
)

// ticks are the times, in whole seconds, at which a CronJob wants a Job.
type ticks struct {
	schedule Schedule
	// since is the last tick that became a Job, else the CronJob's creation. A tick is always later.
	since time.Time
}

// ticksOf begins after the status' lastScheduleTime, in the time zone of now.
func ticksOf(v View, status batchv1.CronJobStatus) ticks {
	since := v.CronJob.CreationTimestamp.Time
	if last := status.LastScheduleTime; last != nil {
		since = last.Time // CRON-SCHEDULE-005
	}
	return ticks{v.Schedule, since.In(v.Now.Location()).Truncate(time.Second)}
}

// next returns the first tick after t; zero if there is none within five years.
func (k ticks) next(t time.Time) time.Time { return k.schedule.Next(k.since, t) }

// latest returns the last tick that is not after now, or the zero time if there is none. It halves
// the time in question instead of walking through it: a CronJob may have missed millions of ticks,
// and they need not be evenly spaced (#118724, #121327).
func (k ticks) latest(now time.Time) time.Time {
	due := func(tick time.Time) bool { return !tick.IsZero() && !tick.After(now) }
	tick := k.next(k.since)
	if !due(tick) {
		return time.Time{}
	}
	for end := now; ; {
		next := k.next(tick)
		if !due(next) {
			return tick
		}
		tick = next
		middle := time.Unix((tick.Unix()+end.Unix())/2, 0).In(now.Location())
		if later := k.next(middle); !due(later) {
			end = middle
		} else if later.After(tick) {
			tick = later
		}
	}
}

// moreThan reports whether more than n ticks lie after from, up to now.
func (k ticks) moreThan(n int, from, now time.Time) bool {
	for tick := k.next(from); !tick.IsZero() && !tick.After(now); tick = k.next(tick) {
		if n--; n < 0 {
			return true
		}
	}
	return false
}
