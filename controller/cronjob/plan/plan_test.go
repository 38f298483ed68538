package plan

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/controller/cronjob/cronexpr"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// TestCreate lists when a Job is created, when to look again and which events there are.
func TestCreate(t *testing.T) {
	for name, c := range map[string]struct {
		cron   *batchv1.CronJob
		jobs   []*batchv1.Job
		now    string // default 10:00:05
		since  string // View.NotBefore
		start  string // the scheduled time, none if empty
		again  string // default 11:00; "never"
		events string
	}{
		"before the first tick":       {cron: Hourly(), now: "08:59", again: "09:00"},
		"at the tick":                 {cron: Hourly(), now: "09:00", start: "09:00", again: "10:00"},
		"first tick after creation":   {cron: Hourly(), now: "09:00:01", start: "09:00", again: "10:00"},
		"created at a tick":           {cron: Hourly(Created("10:00"))},
		"already started":             {cron: Hourly(Last("10:00"))},
		"two missed, only the latest": {cron: Hourly(Last("07:00")), start: "10:00"},
		"last time in the future":     {cron: Hourly(Last("12:00")), again: "13:00"},
		"patched into the past (yearly)": {cron: Hourly(Scheduled("0 0 1 1 *"), Last("2025-06-01T00:00:00Z")),
			start: "2026-01-01T00:00:00Z", again: "2027-01-01T00:00:00Z"},
		"patched a century into the past": {cron: Hourly(Last("1926-01-01T00:00:00Z")), start: "10:00",
			events: "TooManyMissedTimes"},
		"patched into antiquity": {cron: Hourly(Last("0002-01-01T00:00:00Z")), start: "10:00",
			events: "TooManyMissedTimes"},
		"antiquity, @every": {cron: Hourly(Scheduled("@every 1h"), Last("0002-01-01T00:00:00Z")),
			start: "10:00", events: "TooManyMissedTimes"},
		"exactly 100 missed": {cron: Hourly(Scheduled("* * * * *"), Last("08:20")), start: "10:00",
			again: "10:01"},
		"101 missed (#42649, #45825)": {cron: Hourly(Scheduled("* * * * *"), Last("08:19")), start: "10:00",
			again: "10:01", events: "TooManyMissedTimes"},
		"101 missed, deadline keeps 1": {cron: Hourly(Scheduled("* * * * *"), Last("08:19"), Deadline(60)),
			start: "10:00", again: "10:01"},
		"irregular, latest of the morning": {cron: Hourly(Scheduled("30 6-16/4 * * 1-5"),
			Last("2025-01-01T00:00:00Z")), start: "2026-03-10T06:30:00Z", again: "10:30", events: "TooManyMissedTimes"},
		"irregular, over a weekend": {cron: Hourly(Scheduled("0 9 * * 1-5"), Last("2026-03-06T09:00:00Z")),
			now: "2026-03-09T08:00:00Z", again: "2026-03-09T09:00:00Z"},
		"leap days": {cron: Hourly(Scheduled("0 0 29 2 *"), Last("2019-01-01T00:00:00Z")),
			start: "2024-02-29T00:00:00Z", again: "2028-02-29T00:00:00Z"},
		"@hourly":                         {cron: Hourly(Scheduled("@hourly")), start: "10:00"},
		"@every counts from the creation": {cron: Hourly(Scheduled("@every 40m")), start: "09:50", again: "10:30"},
		"@every counts from the last start": {cron: Hourly(Scheduled("@every 40m"), Last("09:07")), start: "09:47",
			again: "10:27"},
		"@every does not drift (#109250)": {cron: Hourly(Scheduled("@every 1h"), Last("09:00")), now: "10:00:59",
			start: "10:00"},
		"@every with a deadline": {cron: Hourly(Scheduled("@every 1h"), Last("09:00"), Deadline(10)),
			start: "10:00"},
		"@every over a million ticks": {cron: Hourly(Scheduled("@every 1s"), Last("2026-02-01T00:00:00Z")),
			start: "10:00:05", again: "10:00:06", events: "TooManyMissedTimes"},

		"time zone": {cron: Hourly(Scheduled("0 11 * * *"), Zone("Europe/Berlin")),
			start: "10:00", again: "2026-03-11T10:00:00Z"},
		"time zone with a summer time": {cron: Hourly(Scheduled("0 9 * * *"), Zone("America/New_York"),
			Last("2026-03-07T14:00:00Z")), now: "2026-03-08T13:30:00Z", start: "2026-03-08T13:00:00Z",
			again: "2026-03-09T13:00:00Z"},
		"CRON_TZ= inside the schedule": {cron: Hourly(Scheduled("CRON_TZ=Europe/Berlin 0 11 * * *")),
			start: "10:00", again: "2026-03-11T10:00:00Z", events: "UnsupportedSchedule"},
		"TZ= is stronger than timeZone": {cron: Hourly(Scheduled("TZ=Europe/Berlin 0 11 * * *"), Zone("Asia/Tokyo")),
			start: "10:00", again: "2026-03-11T10:00:00Z", events: "UnsupportedSchedule"},
		"TZ=0 (#134320)": {cron: Hourly(Scheduled("TZ=0")), again: "never",
			events: "UnsupportedSchedule UnparseableSchedule"},
		"unparseable schedule (#41655)": {cron: Hourly(Scheduled("every now and then")), again: "never",
			events: "UnparseableSchedule"},
		"schedule without a tick": {cron: Hourly(Scheduled("59 23 31 2 *")), again: "never",
			events: "InvalidSchedule"},
		"unknown time zone": {cron: Hourly(Zone("Mars/Olympus")), again: "never",
			events: "UnknownTimeZone"},
		"unknown time zone, suspended": {cron: Hourly(Zone("Mars/Olympus"), Suspended), again: "never",
			events: "UnknownTimeZone"},
		"suspended":                        {cron: Hourly(Suspended), again: "never"},
		"suspended, unparseable":           {cron: Hourly(Scheduled("?!"), Suspended), again: "never"},
		"being deleted":                    {cron: Hourly(BeingDeleted), again: "never"},
		"schedule changed since":           {cron: Hourly(Last("08:00")), since: "10:00:02"},
		"schedule changed before the tick": {cron: Hourly(Last("08:00")), since: "09:59", start: "10:00"},

		"within the deadline":              {cron: Hourly(Deadline(5)), start: "10:00"},
		"beyond the deadline":              {cron: Hourly(Deadline(4)), events: "MissSchedule"},
		"a deadline of centuries":          {cron: Hourly(Deadline(1 << 62)), start: "10:00"},
		"a negative deadline":              {cron: Hourly(Deadline(-1 << 62)), events: "MissSchedule"},
		"deadline passed, earlier in time": {cron: Hourly(Last("07:00"), Deadline(4)), events: "MissSchedule"},

		"Allow beside an active one": {cron: Hourly(Last("09:00"), Active(Started("09:00"))),
			jobs: jobs(Started("09:00")), start: "10:00"},
		"Forbid beside an active one": {cron: Hourly(Last("09:00"), Policy(batchv1.ForbidConcurrent),
			Active(Started("09:00"))), jobs: jobs(Started("09:00")), events: "JobAlreadyActive"},
		"Forbid, active one finished (#58748)": {cron: Hourly(Last("09:00"), Policy(batchv1.ForbidConcurrent),
			Active(Started("09:00"))), jobs: jobs(Started("09:00", Failed)), start: "10:00", events: "SawCompletedJob"},
		"Forbid, active one vanished (#107827)": {cron: Hourly(Last("09:00"), Policy(batchv1.ForbidConcurrent),
			Active(Started("09:00"))), start: "10:00", events: "MissingJob"},
		"Forbid, terminating one still there": {cron: Hourly(Last("09:00"), Policy(batchv1.ForbidConcurrent),
			Active(Started("09:00"))), jobs: jobs(Started("09:00", Terminating)), events: "JobAlreadyActive"},
		"Forbid, start not recorded": {cron: Hourly(Last("08:00"),
			Policy(batchv1.ForbidConcurrent)), jobs: jobs(Started("09:00")), events: "JobAlreadyActive"},
		"Forbid, only a Job made by hand": {cron: Hourly(Policy(batchv1.ForbidConcurrent)),
			jobs: jobs(Started("09:30", Manual)), start: "10:00", events: "UnexpectedJob"},
		"unknown policy beside an active one": {cron: Hourly(Last("09:00"), Policy("Sometimes"),
			Active(Started("09:00"))), jobs: jobs(Started("09:00")), events: "UnknownConcurrencyPolicy"},
		"unknown policy alone": {cron: Hourly(Policy("Sometimes")),
			events: "UnknownConcurrencyPolicy"},
		"no policy at all is Allow": {cron: Hourly(Last("09:00"), Policy(""),
			Active(Started("09:00"))), jobs: jobs(Started("09:00")), start: "10:00"},
		"zone that is a path": {cron: Hourly(Zone("../../etc/passwd")), again: "never",
			events: "UnknownTimeZone"},
		"active for this tick, lastScheduleTime patched": {cron: Hourly(Last("09:00"), Active(Started("10:00"))),
			jobs: jobs(Started("10:00"))},
		"start of this tick not recorded": {cron: Hourly(Last("09:00")), jobs: jobs(Started("10:00"))},
		"finished for this tick, not recorded": {cron: Hourly(Last("09:00")),
			jobs: jobs(Started("10:00", Complete("10:01")))},
		"terminating for this tick, not recorded": {cron: Hourly(Last("09:00")),
			jobs: jobs(Started("10:00", Terminating))},
	} {
		t.Run(name, func(t *testing.T) {
			v := viewOf(c.cron, or(c.now, "10:00:05"), c.jobs...)
			if c.since != "" {
				v.NotBefore = At(c.since)
			}
			before := v
			before.CronJob = v.CronJob.DeepCopy()
			p := New(v)
			if !reflect.DeepEqual(v, before) || !reflect.DeepEqual(New(v), p) {
				t.Error("New is not pure")
			}
			var start, again time.Time
			if p.Create != nil {
				start = p.ScheduledTime
			}
			if p.RequeueAfter != 0 {
				again = v.Now.Add(p.RequeueAfter)
			}
			if c.start == "" && !start.IsZero() || c.start != "" && !start.Equal(At(c.start)) {
				t.Errorf("start %v, want %q", start, c.start)
			}
			if want := or(c.again, "11:00"); want == "never" && !again.IsZero() || want != "never" &&
				!again.Equal(At(want)) {
				t.Errorf("requeue at %v, want %q", again, want)
			}
			if events := reasons(p); events != c.events {
				t.Errorf("events %q, want %q", events, c.events)
			}
		})
	}
}

// TestStatus: the status that the Jobs call for, before anything starts.
func TestStatus(t *testing.T) {
	for name, c := range map[string]struct {
		cron    *batchv1.CronJob
		jobs    []*batchv1.Job
		deleted types.UID
		active  string // names; "same" if the status is not to be written
		last    string // default 10:00
		success string
		events  string
	}{
		"nothing to say": {cron: Hourly(), active: "same"},
		"active": {cron: Hourly(Active(Started("10:00"))), jobs: jobs(Started("10:00")),
			active: "same"},
		"complete": {cron: Hourly(Active(Started("10:00"))),
			jobs: jobs(Started("10:00", Complete("10:03"))), success: "10:03", events: "SawCompletedJob"},
		"failed": {cron: Hourly(Active(Started("10:00"))), jobs: jobs(Started("10:00", Failed)),
			events: "SawCompletedJob"},
		"one of two finished": {cron: Hourly(Active(Started("09:00"), Started("10:00"))),
			jobs: jobs(Started("10:00"), Started("09:00", Failed)), active: NameAt("10:00"), events: "SawCompletedJob"},
		"vanished":            {cron: Hourly(Active(Started("10:00"))), events: "MissingJob"},
		"deleted by us, gone": {cron: Hourly(Active(Started("09:00"))), deleted: Started("09:00").UID},
		"deleted by us, lingering": {cron: Hourly(Active(Started("09:00"))), jobs: jobs(Started("09:00", Terminating)),
			deleted: Started("09:00").UID},
		"deleted by us, stale": {cron: Hourly(), jobs: jobs(Started("09:00")), deleted: Started("09:00").UID,
			active: "same"},
		"deleted by a user": {cron: Hourly(Active(Started("10:00"))), jobs: jobs(Started("10:00", Terminating)),
			active: "same"},
		"listed twice": {cron: Hourly(Active(Started("10:00"), Started("10:00"))), jobs: jobs(Started("10:00")),
			active: NameAt("10:00")},

		"start not recorded (#120649)": {cron: Hourly(), jobs: jobs(Started("11:00")), active: NameAt("11:00"),
			last: "11:00"},
		"older start not recorded": {cron: Hourly(), jobs: jobs(Started("09:00")),
			active: NameAt("09:00")},
		"labels do not matter (#107997)": {cron: Hourly(), jobs: jobs(Started("11:00", func(j *batchv1.Job) {
			j.Labels = nil
		})), active: NameAt("11:00"), last: "11:00"},
		"unknown Job is not adopted": {cron: Hourly(), jobs: jobs(Started("11:00", Manual)), active: "same",
			events: "UnexpectedJob"},
		"unknown Job succeeds (#118530)": {cron: Hourly(),
			jobs: jobs(Started("11:00", Manual, Complete("11:05"))), success: "11:05"},
		"last success does not go back": {cron: Hourly(Succeeded("10:30")),
			jobs: jobs(Started("09:00", Complete("09:05"))), active: "same"},
		"last success of several": {cron: Hourly(Succeeded("08:00")),
			jobs: jobs(Started("10:00", Complete("10:04")), Started("09:00", Complete("10:05"))), success: "10:05"},
		"complete while the CronJob is deleted": {cron: Hourly(BeingDeleted, Active(Started("10:00"))),
			jobs: jobs(Started("10:00", Complete("10:03"))), success: "10:03", events: "SawCompletedJob"},
		"complete while suspended": {cron: Hourly(Suspended, Active(Started("10:00"))),
			jobs: jobs(Started("10:00", Complete("10:03"))), success: "10:03", events: "SawCompletedJob"},
	} {
		t.Run(name, func(t *testing.T) {
			Last("10:00")(c.cron)
			v := viewOf(c.cron, "10:30", c.jobs...)
			v.Deleted = map[types.UID]bool{c.deleted: true}
			p := New(v)
			if p.Create != nil {
				t.Errorf("started %s", p.Create.Name)
			}
			if events := reasons(p); events != c.events {
				t.Errorf("events %q, want %q", events, c.events)
			}
			if (c.active == "same") != (p.Status == nil) {
				t.Fatalf("status %v, want %q", p.Status, c.active)
			}
			if p.Status == nil {
				return
			}
			var active []string
			for _, ref := range p.Status.Active {
				active = append(active, ref.Name)
				if ref.Kind != "Job" || ref.APIVersion != "batch/v1" || ref.Namespace != "ns" || ref.UID == "" {
					t.Errorf("reference %+v", ref)
				}
			}
			if got := strings.Join(active, " "); got != c.active {
				t.Errorf("active %q, want %q", got, c.active)
			}
			if got := p.Status.LastScheduleTime; !got.Equal(Stamp(or(c.last, "10:00"))) {
				t.Errorf("lastScheduleTime %v, want %q", got, or(c.last, "10:00"))
			}
			if got := p.Status.LastSuccessfulTime; c.success == "" && got != nil || c.success != "" &&
				!got.Equal(Stamp(c.success)) {
				t.Errorf("lastSuccessfulTime %v, want %q", got, c.success)
			}
		})
	}
}

func TestSurplus(t *testing.T) {
	good := func(tick string, changes ...JobChange) *batchv1.Job {
		return Started(tick, append([]JobChange{Complete("09:59")}, changes...)...)
	}
	bad := func(tick string) *batchv1.Job { return Started(tick, Failed) }
	limits := func(successful, failed *int32) Change {
		return func(c *batchv1.CronJob) {
			c.Spec.SuccessfulJobsHistoryLimit, c.Spec.FailedJobsHistoryLimit = successful, failed
		}
	}
	for name, c := range map[string]struct {
		cron *batchv1.CronJob
		jobs []*batchv1.Job
		want []*batchv1.Job
	}{
		"within the limits": {cron: Hourly(),
			jobs: jobs(good("01:00"), good("02:00"), good("03:00"), bad("04:00"))},
		"the oldest of the successful": {cron: Hourly(),
			jobs: jobs(good("04:00"), good("02:00"), good("01:00"), good("03:00")), want: jobs(good("01:00"))},
		"the oldest of the failed": {cron: Hourly(), jobs: jobs(bad("04:00"), bad("02:00"), bad("03:00")),
			want: jobs(bad("02:00"), bad("03:00"))},
		"both": {cron: Hourly(limits(ptr.To[int32](1), ptr.To[int32](0))),
			jobs: jobs(good("02:00"), bad("03:00"), good("04:00")), want: jobs(good("02:00"), bad("03:00"))},
		"no limits": {cron: Hourly(limits(nil, nil)),
			jobs: jobs(good("01:00"), good("02:00"), good("03:00"), good("04:00"), bad("05:00"), bad("06:00"))},
		"limits of zero": {cron: Hourly(limits(ptr.To[int32](0), ptr.To[int32](0))),
			jobs: jobs(good("01:00"), bad("05:00")), want: jobs(good("01:00"), bad("05:00"))},
		"unfinished ones do not count": {cron: Hourly(),
			jobs: jobs(good("01:00"), good("02:00"), good("03:00"), Started("04:00"))},
		"never started, by creation": {cron: Hourly(), jobs: jobs(good("01:00", NeverStarted), good("02:00"),
			good("03:00"), good("04:00")), want: jobs(good("01:00"))},
		"terminating, not again (#59676)": {cron: Hourly(),
			jobs: jobs(good("01:00", Terminating), good("02:00"), good("03:00"), good("04:00"))},
		"suspended": {cron: Hourly(Suspended, limits(ptr.To[int32](0), nil)), jobs: jobs(good("01:00")),
			want: jobs(good("01:00"))},
		"bad schedule": {cron: Hourly(Scheduled("?"), limits(ptr.To[int32](0), nil)),
			jobs: jobs(good("01:00")), want: jobs(good("01:00"))},
		"CronJob being deleted": {cron: Hourly(BeingDeleted, limits(ptr.To[int32](0), nil)), jobs: jobs(good("01:00"))},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(viewOf(c.cron, "10:30", c.jobs...))
			if got, want := Names(p.Delete), Names(c.want); got != want {
				t.Errorf("deletes %v, want %v", got, want)
			}
		})
	}
	t.Run("negative limits", func(t *testing.T) {
		p := New(viewOf(Hourly(limits(ptr.To[int32](-1), ptr.To[int32](math.MinInt32))), "08:45", good("01:00"),
			bad("02:00")))
		if events := reasons(p); len(p.Delete) != 0 || events != "InvalidHistoryLimit InvalidHistoryLimit" {
			t.Errorf("deletes %v, events %q", Names(p.Delete), events)
		}
	})
	t.Run("deleted by us already", func(t *testing.T) {
		v := viewOf(Hourly(), "10:30", good("01:00"), good("02:00"), good("03:00"), good("04:00"))
		v.Deleted = map[types.UID]bool{good("01:00").UID: true}
		p := New(v)
		if len(p.Delete) != 0 {
			t.Errorf("deletes %v", Names(p.Delete))
		}
	})
}

func TestReplace(t *testing.T) {
	old, going, byHand := Started("08:00"), Started("09:00", Terminating), Started("09:30", Manual)
	p := New(viewOf(Hourly(Policy(batchv1.ReplaceConcurrent), Last("09:00"), Active(old, going)), "10:00:05",
		byHand, going, old, Started("07:00", Complete("07:10"))))
	if p.Create == nil {
		t.Fatal("nothing started")
	}
	if got, want := Names(p.Replace), Names(jobs(old)); got != want {
		t.Errorf("replaces %v, want %v", got, want)
	}
	status := p.Recorded(Started("10:00"))
	if len(status.Active) != 1 || status.Active[0].Name != NameAt("10:00") {
		t.Errorf("active %v, want only the new Job", status.Active)
	}
}

func TestRecorded(t *testing.T) {
	p := New(viewOf(Hourly(Last("09:00"), Active(Started("09:00"))), "10:00:05", jobs(Started("09:00"))...))
	status := p.Recorded(Started("10:00"))
	if len(status.Active) != 2 || !status.LastScheduleTime.Equal(Stamp("10:00")) {
		t.Errorf("%+v", status)
	}
	// The Job was found, and has finished already.
	status = p.Recorded(Started("10:00", Complete("10:00:03")))
	if len(status.Active) != 1 || !status.LastScheduleTime.Equal(Stamp("10:00")) {
		t.Errorf("%+v", status)
	}
}

func TestNewJob(t *testing.T) {
	c := Hourly(Scheduled("0 11 * * *"), Zone("Europe/Berlin"))
	job := New(viewOf(c, "10:00:05")).Create
	if want := fmt.Sprintf("report-%d", At("10:00").Unix()/60); job.Name != want || job.Namespace != "ns" {
		t.Errorf("name %s/%s, want ns/%s", job.Namespace, job.Name, want)
	}
	if got, want := job.Annotations[batchv1.CronJobScheduledTimestampAnnotation],
		"2026-03-10T11:00:00+01:00"; got != want {
		t.Errorf("scheduled timestamp %s, want %s", got, want)
	}
	if job.Labels["l"] != "1" || job.Annotations["a"] != "1" || *job.Spec.Parallelism != 2 {
		t.Errorf("the template is not copied: %+v", job)
	}
	if len(job.OwnerReferences) != 1 {
		t.Fatalf("owners %v", job.OwnerReferences)
	}
	owner := job.OwnerReferences[0]
	if owner.APIVersion != "batch/v1" || owner.Kind != "CronJob" || owner.Name != "report" || owner.UID != c.UID ||
		!*owner.Controller || !*owner.BlockOwnerDeletion {
		t.Errorf("owner %+v", owner)
	}
	if _, ok := c.Spec.JobTemplate.Annotations[batchv1.CronJobScheduledTimestampAnnotation]; ok {
		t.Error("the template was changed")
	}
	job = newJob(Hourly(), At("10:00"), nil)
	if got, want := job.Annotations[batchv1.CronJobScheduledTimestampAnnotation], "2026-03-10T10:00:00Z"; got != want {
		t.Errorf("without time zone: scheduled timestamp %s, want %s", got, want)
	}
}

// TestLocalTime: a schedule without a zone is meant in the zone of the process.
func TestLocalTime(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	v := viewOf(Hourly(Scheduled("0 11 * * *")), "10:00:05")
	v.Now = v.Now.In(berlin)
	p := New(v)
	if p.Create == nil || !p.ScheduledTime.Equal(At("10:00")) {
		t.Errorf("start %+v, want one for 11:00 in Berlin", p.ScheduledTime)
	}
}

func jobs(jobs ...*batchv1.Job) []*batchv1.Job { return jobs }

func reasons(p Plan) string {
	var out []string
	for _, e := range p.Events {
		out = append(out, e.Reason)
	}
	return strings.Join(out, " ")
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// viewOf parses the schedule as the controller does.
func viewOf(cronJob *batchv1.CronJob, now string, jobs ...*batchv1.Job) View {
	v := View{CronJob: cronJob, Jobs: jobs, Now: At(now)}
	if cronJob.Spec.TimeZone != nil {
		v.Zone, v.ZoneErr = time.LoadLocation(*cronJob.Spec.TimeZone)
	}
	v.Schedule, v.ScheduleErr = cronexpr.Parse(cronJob.Spec.Schedule, v.Zone)
	return v
}

// TestThousandsOfActiveJobs: a status that somebody else has filled costs one sync.
func TestThousandsOfActiveJobs(t *testing.T) {
	const many = 5000
	c := Hourly(Last("10:00"), Policy(batchv1.ReplaceConcurrent))
	var running []*batchv1.Job
	for n := range many {
		job := Started("09:00", func(j *batchv1.Job) {
			j.Name, j.UID = fmt.Sprint("j-", n), types.UID(fmt.Sprint("uid-", n))
		})
		if n%2 == 0 {
			running = append(running, job)
		}
		Active(job)(c)
	}
	began := time.Now()
	p := New(viewOf(c, "11:00:05", running...))
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the Plan took %v", took)
	}
	if p.Create == nil || len(p.Replace) != many/2 || len(p.Status.Active) != many/2 {
		t.Fatalf("creates %v", p.Create)
	}
	if !slices.ContainsFunc(p.Events, func(e Event) bool { return e.Reason == "MissingJob" }) {
		t.Error("no event for the missing Jobs")
	}
}
