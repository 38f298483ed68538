package cronjob

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// TestStart says when a Job is due, when to look again and what is told.
func TestStart(t *testing.T) {
	for name, c := range map[string]struct {
		cron  *batchv1.CronJob
		jobs  []*batchv1.Job
		now   string // default 10:00:05
		since string // Observation.NotBefore
		start string // the scheduled time, none if empty
		again string // default 11:00; "never"
		tells string
	}{
		"before the first tick":             {cron: hourly(), now: "08:59", again: "09:00"},
		"at the tick":                       {cron: hourly(), now: "09:00", start: "09:00", again: "10:00"},
		"first tick after creation":         {cron: hourly(), now: "09:00:01", start: "09:00", again: "10:00"},
		"created at a tick":                 {cron: hourly(created("10:00"))},
		"already started":                   {cron: hourly(last("10:00"))},
		"two missed, only the latest":       {cron: hourly(last("07:00")), start: "10:00"},
		"last time in the future":           {cron: hourly(last("12:00")), again: "13:00"},
		"patched into the past (yearly)":    {cron: hourly(scheduled("0 0 1 1 *"), last("2025-06-01T00:00:00Z")), start: "2026-01-01T00:00:00Z", again: "2027-01-01T00:00:00Z"},
		"patched a century into the past":   {cron: hourly(last("1926-01-01T00:00:00Z")), start: "10:00", tells: "TooManyMissedTimes"},
		"patched into antiquity":            {cron: hourly(last("0002-01-01T00:00:00Z")), start: "10:00", tells: "TooManyMissedTimes"},
		"antiquity, @every":                 {cron: hourly(scheduled("@every 1h"), last("0002-01-01T00:00:00Z")), start: "10:00", tells: "TooManyMissedTimes"},
		"exactly 100 missed":                {cron: hourly(scheduled("* * * * *"), last("08:20")), start: "10:00", again: "10:01"},
		"101 missed (#42649, #45825)":       {cron: hourly(scheduled("* * * * *"), last("08:19")), start: "10:00", again: "10:01", tells: "TooManyMissedTimes"},
		"101 missed, deadline keeps 1":      {cron: hourly(scheduled("* * * * *"), last("08:19"), deadline(60)), start: "10:00", again: "10:01"},
		"irregular, latest of the morning":  {cron: hourly(scheduled("30 6-16/4 * * 1-5"), last("2025-01-01T00:00:00Z")), start: "2026-03-10T06:30:00Z", again: "10:30", tells: "TooManyMissedTimes"},
		"irregular, over a weekend":         {cron: hourly(scheduled("0 9 * * 1-5"), last("2026-03-06T09:00:00Z")), now: "2026-03-09T08:00:00Z", again: "2026-03-09T09:00:00Z"},
		"leap days":                         {cron: hourly(scheduled("0 0 29 2 *"), last("2019-01-01T00:00:00Z")), start: "2024-02-29T00:00:00Z", again: "2028-02-29T00:00:00Z"},
		"@hourly":                           {cron: hourly(scheduled("@hourly")), start: "10:00"},
		"@every counts from the creation":   {cron: hourly(scheduled("@every 40m")), start: "09:50", again: "10:30"},
		"@every counts from the last start": {cron: hourly(scheduled("@every 40m"), last("09:07")), start: "09:47", again: "10:27"},
		"@every does not drift (#109250)":   {cron: hourly(scheduled("@every 1h"), last("09:00")), now: "10:00:59", start: "10:00"},
		"@every with a deadline":            {cron: hourly(scheduled("@every 1h"), last("09:00"), deadline(10)), start: "10:00"},
		"@every over a million ticks":       {cron: hourly(scheduled("@every 1s"), last("2026-02-01T00:00:00Z")), start: "10:00:05", again: "10:00:06", tells: "TooManyMissedTimes"},

		"time zone":                        {cron: hourly(scheduled("0 11 * * *"), zone("Europe/Berlin")), start: "10:00", again: "2026-03-11T10:00:00Z"},
		"time zone with a summer time":     {cron: hourly(scheduled("0 9 * * *"), zone("America/New_York"), last("2026-03-07T14:00:00Z")), now: "2026-03-08T13:30:00Z", start: "2026-03-08T13:00:00Z", again: "2026-03-09T13:00:00Z"},
		"CRON_TZ= inside the schedule":     {cron: hourly(scheduled("CRON_TZ=Europe/Berlin 0 11 * * *")), start: "10:00", again: "2026-03-11T10:00:00Z", tells: "UnsupportedSchedule"},
		"TZ= is stronger than timeZone":    {cron: hourly(scheduled("TZ=Europe/Berlin 0 11 * * *"), zone("Asia/Tokyo")), start: "10:00", again: "2026-03-11T10:00:00Z", tells: "UnsupportedSchedule"},
		"TZ=0 (#134320)":                   {cron: hourly(scheduled("TZ=0")), again: "never", tells: "UnsupportedSchedule UnparseableSchedule"},
		"unparseable schedule (#41655)":    {cron: hourly(scheduled("every now and then")), again: "never", tells: "UnparseableSchedule"},
		"schedule without a tick":          {cron: hourly(scheduled("59 23 31 2 *")), again: "never", tells: "InvalidSchedule"},
		"unknown time zone":                {cron: hourly(zone("Mars/Olympus")), again: "never", tells: "UnknownTimeZone"},
		"unknown time zone, suspended":     {cron: hourly(zone("Mars/Olympus"), suspended), again: "never", tells: "UnknownTimeZone"},
		"suspended":                        {cron: hourly(suspended), again: "never"},
		"suspended, unparseable":           {cron: hourly(scheduled("?!"), suspended), again: "never"},
		"being deleted":                    {cron: hourly(beingDeleted), again: "never"},
		"schedule changed since":           {cron: hourly(last("08:00")), since: "10:00:02"},
		"schedule changed before the tick": {cron: hourly(last("08:00")), since: "09:59", start: "10:00"},

		"within the deadline":              {cron: hourly(deadline(5)), start: "10:00"},
		"beyond the deadline":              {cron: hourly(deadline(4)), tells: "MissSchedule"},
		"a deadline of centuries":          {cron: hourly(deadline(1 << 62)), start: "10:00"},
		"a negative deadline":              {cron: hourly(deadline(-1 << 62)), tells: "MissSchedule"},
		"deadline passed, earlier in time": {cron: hourly(last("07:00"), deadline(4)), tells: "MissSchedule"},

		"Allow beside an active one":               {cron: hourly(last("09:00"), active(started("09:00"))), jobs: jobs(started("09:00")), start: "10:00"},
		"Forbid beside an active one":              {cron: hourly(last("09:00"), policy(batchv1.ForbidConcurrent), active(started("09:00"))), jobs: jobs(started("09:00")), tells: "JobAlreadyActive"},
		"Forbid, active one finished (#58748)":     {cron: hourly(last("09:00"), policy(batchv1.ForbidConcurrent), active(started("09:00"))), jobs: jobs(started("09:00", failed)), start: "10:00", tells: "SawCompletedJob"},
		"Forbid, active one vanished (#107827)":    {cron: hourly(last("09:00"), policy(batchv1.ForbidConcurrent), active(started("09:00"))), start: "10:00", tells: "MissingJob"},
		"Forbid, terminating one still there":      {cron: hourly(last("09:00"), policy(batchv1.ForbidConcurrent), active(started("09:00"))), jobs: jobs(started("09:00", terminating)), tells: "JobAlreadyActive"},
		"Forbid, start not written down":           {cron: hourly(last("08:00"), policy(batchv1.ForbidConcurrent)), jobs: jobs(started("09:00")), tells: "JobAlreadyActive"},
		"Forbid, only a Job made by hand":          {cron: hourly(policy(batchv1.ForbidConcurrent)), jobs: jobs(started("09:30", manual)), start: "10:00", tells: "UnexpectedJob"},
		"unknown policy beside an active one":      {cron: hourly(last("09:00"), policy("Sometimes"), active(started("09:00"))), jobs: jobs(started("09:00")), tells: "UnknownConcurrencyPolicy"},
		"unknown policy alone":                     {cron: hourly(policy("Sometimes")), tells: "UnknownConcurrencyPolicy"},
		"no policy at all is Allow":                {cron: hourly(last("09:00"), policy(""), active(started("09:00"))), jobs: jobs(started("09:00")), start: "10:00"},
		"zone that is a path":                      {cron: hourly(zone("../../etc/passwd")), again: "never", tells: "UnknownTimeZone"},
		"active for this tick, time bent":          {cron: hourly(last("09:00"), active(started("10:00"))), jobs: jobs(started("10:00"))},
		"start of this tick not written down":      {cron: hourly(last("09:00")), jobs: jobs(started("10:00"))},
		"finished for this tick, not on record":    {cron: hourly(last("09:00")), jobs: jobs(started("10:00", complete("10:01")))},
		"terminating for this tick, not on record": {cron: hourly(last("09:00")), jobs: jobs(started("10:00", terminating))},
	} {
		t.Run(name, func(t *testing.T) {
			o := Observation{CronJob: c.cron, Jobs: c.jobs, Now: at(or(c.now, "10:00:05"))}
			if c.since != "" {
				o.NotBefore = at(c.since)
			}
			before := o
			before.CronJob = o.CronJob.DeepCopy()
			plan := NewPlan(o)
			if !reflect.DeepEqual(o, before) || !reflect.DeepEqual(NewPlan(o), plan) {
				t.Error("planning is not pure")
			}
			var start, again time.Time
			if plan.Start != nil {
				start = plan.Start.ScheduledTime
			}
			again = plan.LookAgain
			if c.start == "" && !start.IsZero() || c.start != "" && !start.Equal(at(c.start)) {
				t.Errorf("start %v, want %q", start, c.start)
			}
			if want := or(c.again, "11:00"); want == "never" && !again.IsZero() || want != "never" && !again.Equal(at(want)) {
				t.Errorf("look again %v, want %q", again, want)
			}
			if tells := reasons(plan); tells != c.tells {
				t.Errorf("events %q, want %q", tells, c.tells)
			}
		})
	}
}

// TestStatus says what the Jobs make of the status before anything starts.
func TestStatus(t *testing.T) {
	for name, c := range map[string]struct {
		cron    *batchv1.CronJob
		jobs    []*batchv1.Job
		deleted types.UID
		active  string // names; "same" if the status is not to be written
		last    string // default 10:00
		success string
		tells   string
	}{
		"nothing to say":           {cron: hourly(), active: "same"},
		"still active":             {cron: hourly(active(started("10:00"))), jobs: jobs(started("10:00")), active: "same"},
		"complete":                 {cron: hourly(active(started("10:00"))), jobs: jobs(started("10:00", complete("10:03"))), success: "10:03", tells: "SawCompletedJob"},
		"failed":                   {cron: hourly(active(started("10:00"))), jobs: jobs(started("10:00", failed)), tells: "SawCompletedJob"},
		"one of two finished":      {cron: hourly(active(started("09:00"), started("10:00"))), jobs: jobs(started("10:00"), started("09:00", failed)), active: nameAt("10:00"), tells: "SawCompletedJob"},
		"vanished":                 {cron: hourly(active(started("10:00"))), tells: "MissingJob"},
		"deleted by us, gone":      {cron: hourly(active(started("09:00"))), deleted: started("09:00").UID},
		"deleted by us, lingering": {cron: hourly(active(started("09:00"))), jobs: jobs(started("09:00", terminating)), deleted: started("09:00").UID},
		"deleted by us, stale":     {cron: hourly(), jobs: jobs(started("09:00")), deleted: started("09:00").UID, active: "same"},
		"deleted by a user":        {cron: hourly(active(started("10:00"))), jobs: jobs(started("10:00", terminating)), active: "same"},
		"listed twice":             {cron: hourly(active(started("10:00"), started("10:00"))), jobs: jobs(started("10:00")), active: nameAt("10:00")},

		"start not written down (#120649)":      {cron: hourly(), jobs: jobs(started("11:00")), active: nameAt("11:00"), last: "11:00"},
		"older start not written down":          {cron: hourly(), jobs: jobs(started("09:00")), active: nameAt("09:00")},
		"labels do not matter (#107997)":        {cron: hourly(), jobs: jobs(started("11:00", func(j *batchv1.Job) { j.Labels = nil })), active: nameAt("11:00"), last: "11:00"},
		"unknown Job is not adopted":            {cron: hourly(), jobs: jobs(started("11:00", manual)), active: "same", tells: "UnexpectedJob"},
		"unknown Job succeeds (#118530)":        {cron: hourly(), jobs: jobs(started("11:00", manual, complete("11:05"))), success: "11:05"},
		"last success does not go back":         {cron: hourly(succeeded("10:30")), jobs: jobs(started("09:00", complete("09:05"))), active: "same"},
		"last success of several":               {cron: hourly(succeeded("08:00")), jobs: jobs(started("10:00", complete("10:04")), started("09:00", complete("10:05"))), success: "10:05"},
		"complete while the CronJob is deleted": {cron: hourly(beingDeleted, active(started("10:00"))), jobs: jobs(started("10:00", complete("10:03"))), success: "10:03", tells: "SawCompletedJob"},
		"complete while suspended":              {cron: hourly(suspended, active(started("10:00"))), jobs: jobs(started("10:00", complete("10:03"))), success: "10:03", tells: "SawCompletedJob"},
	} {
		t.Run(name, func(t *testing.T) {
			last("10:00")(c.cron)
			plan := NewPlan(Observation{CronJob: c.cron, Jobs: c.jobs, Deleted: map[types.UID]bool{c.deleted: true}, Now: at("10:30")})
			if plan.Start != nil {
				t.Errorf("started %s", plan.Start.Job.Name)
			}
			if tells := reasons(plan); tells != c.tells {
				t.Errorf("events %q, want %q", tells, c.tells)
			}
			if (c.active == "same") != (plan.Status == nil) {
				t.Fatalf("status %v, want %q", plan.Status, c.active)
			}
			if plan.Status == nil {
				return
			}
			var active []string
			for _, ref := range plan.Status.Active {
				active = append(active, ref.Name)
				if ref.Kind != "Job" || ref.APIVersion != "batch/v1" || ref.Namespace != "ns" || ref.UID == "" {
					t.Errorf("reference %+v", ref)
				}
			}
			if got := strings.Join(active, " "); got != c.active {
				t.Errorf("active %q, want %q", got, c.active)
			}
			if got := plan.Status.LastScheduleTime; !got.Equal(stamp(or(c.last, "10:00"))) {
				t.Errorf("lastScheduleTime %v, want %q", got, or(c.last, "10:00"))
			}
			if got := plan.Status.LastSuccessfulTime; c.success == "" && got != nil || c.success != "" && !got.Equal(stamp(c.success)) {
				t.Errorf("lastSuccessfulTime %v, want %q", got, c.success)
			}
		})
	}
}

func TestSurplus(t *testing.T) {
	good := func(tick string, changes ...jobChange) *batchv1.Job {
		return started(tick, append([]jobChange{complete("09:59")}, changes...)...)
	}
	bad := func(tick string) *batchv1.Job { return started(tick, failed) }
	limits := func(successful, failed *int32) change {
		return func(c *batchv1.CronJob) {
			c.Spec.SuccessfulJobsHistoryLimit, c.Spec.FailedJobsHistoryLimit = successful, failed
		}
	}
	for name, c := range map[string]struct {
		cron *batchv1.CronJob
		jobs []*batchv1.Job
		want []*batchv1.Job
	}{
		"within the limits":               {cron: hourly(), jobs: jobs(good("01:00"), good("02:00"), good("03:00"), bad("04:00"))},
		"the oldest of the successful":    {cron: hourly(), jobs: jobs(good("04:00"), good("02:00"), good("01:00"), good("03:00")), want: jobs(good("01:00"))},
		"the oldest of the failed":        {cron: hourly(), jobs: jobs(bad("04:00"), bad("02:00"), bad("03:00")), want: jobs(bad("02:00"), bad("03:00"))},
		"both":                            {cron: hourly(limits(ptr.To[int32](1), ptr.To[int32](0))), jobs: jobs(good("02:00"), bad("03:00"), good("04:00")), want: jobs(good("02:00"), bad("03:00"))},
		"no limits":                       {cron: hourly(limits(nil, nil)), jobs: jobs(good("01:00"), good("02:00"), good("03:00"), good("04:00"), bad("05:00"), bad("06:00"))},
		"limits of zero":                  {cron: hourly(limits(ptr.To[int32](0), ptr.To[int32](0))), jobs: jobs(good("01:00"), bad("05:00")), want: jobs(good("01:00"), bad("05:00"))},
		"unfinished ones do not count":    {cron: hourly(), jobs: jobs(good("01:00"), good("02:00"), good("03:00"), started("04:00"))},
		"never started, by creation":      {cron: hourly(), jobs: jobs(good("01:00", neverStarted), good("02:00"), good("03:00"), good("04:00")), want: jobs(good("01:00"))},
		"terminating, not again (#59676)": {cron: hourly(), jobs: jobs(good("01:00", terminating), good("02:00"), good("03:00"), good("04:00"))},
		"suspended":                       {cron: hourly(suspended, limits(ptr.To[int32](0), nil)), jobs: jobs(good("01:00")), want: jobs(good("01:00"))},
		"bad schedule":                    {cron: hourly(scheduled("?"), limits(ptr.To[int32](0), nil)), jobs: jobs(good("01:00")), want: jobs(good("01:00"))},
		"CronJob being deleted":           {cron: hourly(beingDeleted, limits(ptr.To[int32](0), nil)), jobs: jobs(good("01:00"))},
	} {
		t.Run(name, func(t *testing.T) {
			plan := NewPlan(Observation{CronJob: c.cron, Jobs: c.jobs, Now: at("10:30")})
			if got, want := names(plan.Surplus), names(c.want); got != want {
				t.Errorf("deletes %v, want %v", got, want)
			}
		})
	}
	t.Run("negative limits", func(t *testing.T) {
		plan := NewPlan(Observation{
			CronJob: hourly(limits(ptr.To[int32](-1), ptr.To[int32](math.MinInt32))), Jobs: jobs(good("01:00"), bad("02:00")), Now: at("08:45"),
		})
		if told := reasons(plan); len(plan.Surplus) != 0 || told != "InvalidHistoryLimit InvalidHistoryLimit" {
			t.Errorf("deletes %v, events %q", names(plan.Surplus), told)
		}
	})
	t.Run("deleted by us already", func(t *testing.T) {
		plan := NewPlan(Observation{
			CronJob: hourly(), Jobs: jobs(good("01:00"), good("02:00"), good("03:00"), good("04:00")), Now: at("10:30"),
			Deleted: map[types.UID]bool{good("01:00").UID: true},
		})
		if len(plan.Surplus) != 0 {
			t.Errorf("deletes %v", names(plan.Surplus))
		}
	})
}

func TestReplace(t *testing.T) {
	old, going, byHand := started("08:00"), started("09:00", terminating), started("09:30", manual)
	plan := NewPlan(Observation{
		CronJob: hourly(policy(batchv1.ReplaceConcurrent), last("09:00"), active(old, going)),
		Jobs:    jobs(byHand, going, old, started("07:00", complete("07:10"))),
		Now:     at("10:00:05"),
	})
	if plan.Start == nil {
		t.Fatal("nothing started")
	}
	if got, want := names(plan.Start.Replaced), names(jobs(old)); got != want {
		t.Errorf("replaces %v, want %v", got, want)
	}
	status := plan.Start.Recorded(started("10:00"))
	if len(status.Active) != 1 || status.Active[0].Name != nameAt("10:00") {
		t.Errorf("active %v, want only the new Job", status.Active)
	}
}

func TestRecorded(t *testing.T) {
	plan := NewPlan(Observation{CronJob: hourly(last("09:00"), active(started("09:00"))), Jobs: jobs(started("09:00")), Now: at("10:00:05")})
	status := plan.Start.Recorded(started("10:00"))
	if len(status.Active) != 2 || !status.LastScheduleTime.Equal(stamp("10:00")) {
		t.Errorf("%+v", status)
	}
	// The Job was found, and has finished already.
	status = plan.Start.Recorded(started("10:00", complete("10:00:03")))
	if len(status.Active) != 1 || !status.LastScheduleTime.Equal(stamp("10:00")) {
		t.Errorf("%+v", status)
	}
}

func TestNewJob(t *testing.T) {
	c := hourly(scheduled("0 11 * * *"), zone("Europe/Berlin"))
	job := NewPlan(Observation{CronJob: c, Now: at("10:00:05")}).Start.Job
	if want := fmt.Sprintf("report-%d", at("10:00").Unix()/60); job.Name != want || job.Namespace != "ns" {
		t.Errorf("name %s/%s, want ns/%s", job.Namespace, job.Name, want)
	}
	if got, want := job.Annotations[batchv1.CronJobScheduledTimestampAnnotation], "2026-03-10T11:00:00+01:00"; got != want {
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
	job = newJob(hourly(), at("10:00"), nil)
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
	plan := NewPlan(Observation{CronJob: hourly(scheduled("0 11 * * *")), Now: at("10:00:05").In(berlin)})
	if plan.Start == nil || !plan.Start.ScheduledTime.Equal(at("10:00")) {
		t.Errorf("start %+v, want one for 11:00 in Berlin", plan.Start)
	}
}

func jobs(jobs ...*batchv1.Job) []*batchv1.Job { return jobs }

func succeeded(t string) change {
	return func(c *batchv1.CronJob) { c.Status.LastSuccessfulTime = stamp(t) }
}

func reasons(plan Plan) string {
	var out []string
	for _, e := range plan.Events {
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
