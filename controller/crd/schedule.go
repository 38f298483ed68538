package crd

import (
	"fmt"
	"sort"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

// schedule is when a CronJob wants Jobs: at times in whole seconds after since.
type schedule struct {
	cron  cron.Schedule
	since time.Time
}

// parseSchedule reads a schedule in a time zone; nil is that of the times that next is called with.
func parseSchedule(text string, zone *time.Location) (s schedule, err error) {
	defer func() {
		if r := recover(); r != nil { // "TZ=0" makes the parser panic
			err = fmt.Errorf("it cannot be read: %v", r)
		}
	}()
	if s.cron, err = cron.ParseStandard(text); err != nil {
		return s, err
	}
	if fields, ok := s.cron.(*cron.SpecSchedule); ok && zone != nil && !strings.Contains(text, "TZ=") {
		fields.Location = zone
	}
	return s, nil
}

// next returns the first time after t, zero if there is none within five years. Times of @every are
// counted from since on: the parser counts them from whenever it is asked.
func (s schedule) next(t time.Time) time.Time {
	every, ok := s.cron.(cron.ConstantDelaySchedule)
	if !ok {
		return s.cron.Next(t)
	}
	period := int64(every.Delay / time.Second)
	passed := max(0, t.Unix()-s.since.Unix())
	return s.since.Add(time.Duration(passed/period+1) * every.Delay)
}

// latest returns the last time that is not after now, zero if there is none. It is the first second
// with nothing due after it. To look for that takes 30 steps however many times were missed.
func (s schedule) latest(now time.Time) time.Time {
	seconds := sort.Search(int(max(0, now.Unix()-s.since.Unix())), func(n int) bool {
		next := s.next(s.since.Add(time.Duration(n) * time.Second))
		return next.IsZero() || next.After(now)
	})
	if seconds == 0 {
		return time.Time{}
	}
	return s.since.Add(time.Duration(seconds) * time.Second)
}

// moreThan reports whether more than n times lie between from and now.
func (s schedule) moreThan(n int, from, now time.Time) bool {
	for t := s.next(from); !t.IsZero() && !t.After(now); t = s.next(t) {
		if n--; n < 0 {
			return true
		}
	}
	return false
}
