package cronjob

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
	batchv1 "k8s.io/api/batch/v1"
)

// schedule tells the ticks of a CronJob: the times, in whole seconds, at which
// it wants a Job.
//
// A schedule is compared with the clock on the wall, as kube-controller-manager
// does it. When that is put forward, times which there are not have no tick: "30
// 2 * * *" passes that day over. When it is put back, times which there are twice
// have two. Only @every goes by time that has passed.
type schedule struct {
	cron.Schedule
	// anchor is the last tick that became a Job, else the CronJob's creation. A
	// tick is always later.
	anchor time.Time
}

// scheduleOf reads spec.schedule. Where it names no time zone, and
// spec.timeZone neither, it means the zone of local, as the API comment on
// timeZone says: that of the controller's process.
func scheduleOf(cronJob *batchv1.CronJob, zone *time.Location, local *time.Location) (schedule, error) {
	anchor := cronJob.CreationTimestamp.Time
	if last := cronJob.Status.LastScheduleTime; last != nil {
		anchor = last.Time
	}
	s := schedule{anchor: anchor.In(local).Truncate(time.Second)}
	parsed, err := parse(cronJob.Spec.Schedule)
	if err != nil {
		return s, err
	}
	switch p := parsed.(type) {
	case cron.ConstantDelaySchedule:
		s.Schedule = every{s.anchor, int64(p.Delay / time.Second)}
	case *cron.SpecSchedule:
		// A zone inside the schedule, which the API no longer accepts in a new
		// CronJob, is stronger than spec.timeZone.
		if zone != nil && !zoneInside(cronJob) {
			p.Location = zone
		}
		s.Schedule = p
	default:
		s.Schedule = parsed
	}
	return s, nil
}

// parse survives schedules that the parser does not, such as "TZ=0" (#134320).
func parse(text string) (parsed cron.Schedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser gave up: %v", r)
		}
	}()
	return cron.ParseStandard(text)
}

func zoneInside(cronJob *batchv1.CronJob) bool { return strings.Contains(cronJob.Spec.Schedule, "TZ") }

// latest returns the last tick that is not after now, or the zero time if there
// is none. It halves the time in question instead of walking through it: a
// CronJob may have slept through millions of ticks, and they need not be evenly
// spaced (#118724, #121327).
func (s schedule) latest(now time.Time) time.Time {
	due := func(tick time.Time) bool { return !tick.IsZero() && !tick.After(now) }
	tick := s.Next(s.anchor)
	if !due(tick) {
		return time.Time{}
	}
	for end := now; ; {
		next := s.Next(tick)
		if !due(next) {
			return tick
		}
		tick = next
		middle := time.Unix((tick.Unix()+end.Unix())/2, 0).In(now.Location())
		if later := s.Next(middle); !due(later) {
			end = middle
		} else if later.After(tick) {
			tick = later
		}
	}
}

// moreThan reports whether more than n ticks lie after from, up to now.
func (s schedule) moreThan(n int, from, now time.Time) bool {
	for tick := s.Next(from); !tick.IsZero() && !tick.After(now); tick = s.Next(tick) {
		if n--; n < 0 {
			return true
		}
	}
	return false
}

// every is "@every <seconds>". cron's own version counts from whenever it is
// asked, and so drifts; this one counts from the anchor (#109250).
type every struct {
	anchor  time.Time
	seconds int64
}

func (e every) Next(t time.Time) time.Time {
	n := int64(1)
	// Whole seconds, because a time.Duration holds no more than 292 years.
	if passed := t.Unix() - e.anchor.Unix(); passed > 0 {
		n += passed / e.seconds
	}
	return time.Unix(e.anchor.Unix()+n*e.seconds, 0).In(t.Location())
}
