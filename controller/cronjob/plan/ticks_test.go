package plan

import (
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // as the program has it

	"github.com/jobconformance/jobconformance/controller/cronjob/cronexpr"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"
)

// schedules are of all kinds.
var schedules = []string{
	"* * * * *", "*/7 * * * *", "0 * * * *", "30 6-16/4 * * 1-5", "0 0 1 1 *", "15 2 * * *", "59 23 29 2 *",
	"@hourly", "@every 1h", "@every 95s", "@every 40m", "@every 10s", "59 23 31 2 *",
}

// zones have all kinds of summer time: none, one of an hour, one of half an hour,
// one that begins at midnight.
var zones = []string{"UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Asia/Beirut",
	"Asia/Kathmandu"}

func location(t interface{ Fatal(...any) }, name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return zone
}

// TestLatest compares the search by halves with a walk.
func TestLatest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Hourly(Scheduled(rapid.SampledFrom(schedules).Draw(t, "schedule")))
		now := At("2018-01-01T00:00:00Z").Add(
			time.Duration(rapid.IntRange(0, 365*24*3600).Draw(t, "now")) * time.Second)
		back := time.Duration(rapid.IntRange(0, 3*24*3600).Draw(t, "back")) * time.Second
		c.Status.LastScheduleTime = &metav1.Time{Time: now.Add(-back)}
		s, err := parsedTicks(c, location(t, rapid.SampledFrom(zones).Draw(t, "zone")))
		if err != nil {
			t.Fatal(err)
		}
		var want time.Time
		missed := 0
		for tick := s.next(s.since); !tick.IsZero() && !tick.After(now); tick = s.next(tick) {
			want = tick
			missed++
		}
		if got := s.latest(now); !got.Equal(want) {
			t.Errorf("latest %v, want %v", got, want)
		}
		if got := s.moreThan(tooMany, s.since, now); got != (missed > tooMany) {
			t.Errorf("more than %d missed: %v, but it is %d", tooMany, got, missed)
		}
	})
}

// TestSummerTime lists the ticks of a day on which the clock is put forward or
// back, each by the local time and how far it is from UTC.
func TestSummerTime(t *testing.T) {
	const (
		forward = "2026-03-29" // in Berlin 02:00 is 03:00
		back    = "2026-10-25" // in Berlin 03:00 is 02:00
	)
	for name, c := range map[string]struct {
		schedule, zone, day, want string
	}{
		"forward, an hour that there is not": {"30 2 * * *", "Europe/Berlin", forward, ""},
		"forward, the last moment before":    {"59 1 * * *", "Europe/Berlin", forward, "01:59+01"},
		"forward, the first moment after":    {"0 3 * * *", "Europe/Berlin", forward, "03:00+02"},
		"forward, every hour": {"30 0-4 * * *", "Europe/Berlin", forward,
			"00:30+01 01:30+01 03:30+02 04:30+02"},
		"forward, @hourly": {"@hourly", "Europe/Berlin", forward,
			"00:00+01 01:00+01 03:00+02 04:00+02"},
		"forward, @every 90m":                 {"@every 90m", "Europe/Berlin", forward, "01:30+01 04:00+02"},
		"forward, at a midnight there is not": {"0 0 * * *", "Asia/Beirut", forward, ""},
		"forward, @daily at such a midnight":  {"@daily", "Asia/Beirut", forward, ""},

		"back, an hour that there is twice": {"30 2 * * *", "Europe/Berlin", back, "02:30+02 02:30+01"},
		"back, the last moment before":      {"59 1 * * *", "Europe/Berlin", back, "01:59+02"},
		"back, the first moment after":      {"0 3 * * *", "Europe/Berlin", back, "03:00+01"},
		"back, every hour": {"30 0-4 * * *", "Europe/Berlin", back,
			"00:30+02 01:30+02 02:30+02 02:30+01 03:30+01 04:30+01"},
		"back, @hourly":    {"@hourly", "Europe/Berlin", back, "00:00+02 01:00+02 02:00+02 02:00+01 03:00+01 04:00+01"},
		"back, @every 90m": {"@every 90m", "Europe/Berlin", back, "01:30+02 02:00+01 03:30+01"},
	} {
		t.Run(name, func(t *testing.T) {
			zone := location(t, c.zone)
			midnight, err := time.ParseInLocation(time.DateOnly, c.day, zone)
			if err != nil {
				t.Fatal(err)
			}
			cron := Hourly(Scheduled(c.schedule), func(cron *batchv1.CronJob) {
				// Before midnight, and for @every at midnight.
				cron.CreationTimestamp.Time = midnight.Add(-time.Second)
				if strings.HasPrefix(c.schedule, "@every") {
					cron.CreationTimestamp.Time = midnight
				}
			})
			s, err := parsedTicks(cron, zone)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for tick := s.next(s.since).In(zone); tick.Hour() < 5 &&
				tick.Format(time.DateOnly) == c.day; tick = s.next(tick).In(zone) {
				got = append(got, tick.Format("15:04-07"))
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("ticks %q, want %q", got, c.want)
			}
		})
	}
}

// TestTicksGoForward: whatever the clock does, a tick is later than what it
// follows, and none is passed over by looking from a later moment.
func TestTicksGoForward(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Hourly(Scheduled(rapid.SampledFrom(schedules).Draw(t, "schedule")))
		s, err := parsedTicks(c, location(t, rapid.SampledFrom(zones).Draw(t, "zone")))
		if err != nil {
			t.Fatal(err)
		}
		from := At("2018-01-01T00:00:00Z").Add(
			time.Duration(rapid.IntRange(0, 365*24*3600).Draw(t, "from")) * time.Second)
		tick := s.next(from)
		if tick.IsZero() {
			return
		}
		between := from.Add(time.Duration(
			rapid.IntRange(0, max(0, int(tick.Sub(from).Seconds())-1)).Draw(t, "between")) * time.Second)
		if !tick.After(from) || !s.next(between).Equal(tick) {
			t.Errorf("after %v comes %v, and after %v %v", from, tick, between, s.next(between))
		}
	})
}

// TestDescriptors: all that the API server lets pass can be read.
func TestDescriptors(t *testing.T) {
	from := At("2026-03-10T12:34:56Z") // a Tuesday
	for text, want := range map[string]string{
		"@yearly":       "2027-01-01T00:00:00Z",
		"@annually":     "2027-01-01T00:00:00Z",
		"@monthly":      "2026-04-01T00:00:00Z",
		"@weekly":       "2026-03-15T00:00:00Z",
		"@daily":        "2026-03-11T00:00:00Z",
		"@midnight":     "2026-03-11T00:00:00Z",
		"@hourly":       "2026-03-10T13:00:00Z",
		"@every 1h30m":  "2026-03-10T14:04:56Z",
		"@every 1ms":    "2026-03-10T12:34:57Z", // a second at least
		"@every 2.9s":   "2026-03-10T12:34:58Z", // whole seconds
		"0 12 ? * MON":  "2026-03-16T12:00:00Z",
		"0 12 1 * MON":  "2026-03-16T12:00:00Z", // either will do
		"*/20 3 29 2 *": "2028-02-29T03:00:00Z",
	} {
		s, err := parsedTicks(Hourly(Scheduled(text), func(c *batchv1.CronJob) {
			c.CreationTimestamp.Time = from
		}), nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if got := s.next(from); !got.Equal(At(want)) {
			t.Errorf("%s: %v, want %s", text, got, want)
		}
	}
	for _, text := range []string{"", "* * * *", "* * * * * *", "60 * * * *", "@every", "@every -", "@reboot", "TZ=0",
		"TZ=", "TZ=Mars/Olympus * * * * *", "CRON_TZ=UTC"} {
		if s, err := parsedTicks(Hourly(Scheduled(text)), nil); err == nil {
			t.Errorf("%q is %v", text, slices.Collect(func(yield func(time.Time) bool) { yield(s.next(from)) }))
		}
	}
}

func parsedTicks(c *batchv1.CronJob, zone *time.Location) (ticks, error) {
	schedule, err := cronexpr.Parse(c.Spec.Schedule, zone)
	return ticksOf(View{CronJob: c, Schedule: schedule, Now: At("10:00")}, c.Status), err
}
