// Package cronexpr parses spec.schedule of CronJobs.
package cronexpr

import (
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// Schedule is a parsed schedule.
type Schedule interface {
	// Next returns the first tick after t; zero if there is none within five years. since is where
	// the intervals of @every begin, and not after t.
	Next(since, t time.Time) time.Time
}

// Parse reads a schedule in a time zone; nil is the zone of the times that Next is called with. A
// zone inside the schedule, which the API server no longer accepts in a new CronJob, takes
// precedence.
//
// A schedule is compared with the clock on the wall, as in kube-controller-manager. When that is put
// forward, times that do not exist have no tick: "30 2 * * *" skips that day. When it is put back,
// times that exist twice have two. Only @every goes by time that has passed.
func Parse(text string, zone *time.Location) (Schedule, error) {
	parsed, err := parse(text)
	switch p := parsed.(type) {
	case cron.ConstantDelaySchedule:
		return every{seconds: int64(p.Delay / time.Second)}, nil
	case *cron.SpecSchedule:
		if zone != nil && !HasZone(text) {
			p.Location = zone // CRON-LOCAL-001
		}
		return wallClock{p}, nil
	}
	return nil, err
}

// parse survives schedules that the parser does not, such as "TZ=0" (#134320).
func parse(text string) (parsed cron.Schedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the parser panicked: %v", r)
		}
	}()
	return cron.ParseStandard(text) // CRON-SCHEDULE-009, CRON-SCHEDULE-010, CRON-SYNTAX-001, CRON-SYNTAX-002
}

// HasZone reports whether a schedule has a time zone inside.
func HasZone(text string) bool { return strings.Contains(text, "TZ") }

type wallClock struct{ *cron.SpecSchedule }

func (s wallClock) Next(_, t time.Time) time.Time { return s.SpecSchedule.Next(t) }

// every is "@every <seconds>". cron's own version counts from whenever it is called, and so drifts;
// this one counts from since (#109250).
type every struct{ seconds int64 }

func (e every) Next(since, t time.Time) time.Time {
	n := int64(1)
	// Whole seconds, because a time.Duration ends after 292 years.
	if passed := t.Unix() - since.Unix(); passed > 0 {
		n += passed / e.seconds
	}
	return time.Unix(since.Unix()+n*e.seconds, 0).In(t.Location())
}
