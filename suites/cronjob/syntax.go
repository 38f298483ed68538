package cronjob

import (
	"fmt"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

var _ = Describe("CronJob schedule change:", behaviour.Schedule, func() {

	// One witness shows that the controller has seen this CronJob with its former schedule, by
	// which no Job was due, and another one that it has come to the new schedule. Wrong: takes
	// past times of the new schedule for missed ones, at once or 3 s later.
	It("the controller starts no Job for past times of a new schedule", covers.Requirements(
		ChangedScheduleSkipsThePast), framework.OneLeader("a new leader does not know the former schedule"), func(
		ctx SpecContext) {
		s := framework.New(ctx)
		before, past := framework.Ago(40*time.Minute), framework.Ago(20*time.Minute)
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(before)), before)
		s.Due(puppet.CronJob("witness", puppet.Job("")), before).Starts(before)

		cronJob.Change(func(c *batchv1.CronJob) { c.Spec.Schedule = puppet.Daily(past) })
		s.Due(puppet.CronJob("later-witness", puppet.Job("")), before).Starts(before)
		cronJob.KeepsRunning()
	})

	// Nothing but the schedule changes at first. Wrong: keeps to the schedule that it
	// saw first.
	It("the controller starts Jobs by the new schedule at once", covers.Requirements(
		ChangedSchedule), func(ctx SpecContext) {
		s := framework.New(ctx)
		before, tick := framework.Ago(40*time.Minute), framework.Ago(20*time.Minute)
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(before)), before)
		cronJob.Change(func(c *batchv1.CronJob) { c.Spec.Schedule = puppet.Daily(tick) })
		cronJob.SetLastScheduleTime(tick.Add(-time.Minute))

		cronJob.Starts(tick)
		Expect(cronJob.Existing()).To(Equal(framework.Times(tick)))
	})
})

// These schedules are fixed, so that another Job may become due while a spec
// runs. Then the Job of either time is right, and Forbid keeps it at one Job.
var _ = Describe("CronJob schedule syntax:", behaviour.Schedule, func() {
	startsLatest := func(ctx SpecContext, schedule string, matches func(t time.Time) bool) {
		s := framework.New(ctx)
		before := latest(matches)
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).
			Schedule(schedule).Policy(batchv1.ForbidConcurrent), before.Add(-time.Minute))
		cronJob.StartsOne()
		Expect(cronJob.Existing()).To(BeElementOf(framework.Times(before), framework.Times(latest(matches))))
	}

	// Wrong: takes one for another; a week that begins on Monday.
	DescribeTable("the controller understands the macro", covers.Requirements(EveryMacro), startsLatest,
		Entry("@hourly", "@hourly", func(t time.Time) bool { return t.Minute() == 0 }),
		Entry("@daily", "@daily", midnight),
		Entry("@midnight", "@midnight", midnight),
		Entry("@weekly", "@weekly", func(t time.Time) bool { return midnight(t) && t.Weekday() == time.Sunday }),
		Entry("@monthly", "@monthly", func(t time.Time) bool { return midnight(t) && t.Day() == 1 }),
		Entry("@yearly", "@yearly", func(t time.Time) bool { return midnight(t) && t.YearDay() == 1 }),
		Entry("@annually", "@annually", func(t time.Time) bool { return midnight(t) && t.YearDay() == 1 }),
	)

	// Wrong: counts steps from the wrong end of a range, or leaves its end out.
	DescribeTable("the controller understands", covers.Requirements(ListsRangesSteps), startsLatest,
		Entry("lists", "5,25,45 * * * *", func(t time.Time) bool { return t.Minute()%20 == 5 }),
		Entry("ranges", "0 21-23 * * *", func(t time.Time) bool { return t.Minute() == 0 && t.Hour() >= 21 }),
		Entry("steps", "*/15 * * * *", func(t time.Time) bool { return t.Minute()%15 == 0 }),
		Entry("steps in a range", "7-59/20 * * * *", func(t time.Time) bool { return t.Minute()%20 == 7 }),
		Entry("names of weekdays", "30 12 * * TUE,sat", func(t time.Time) bool {
			return t.Hour() == 12 && t.Minute() == 30 && (t.Weekday() == time.Tuesday || t.Weekday() == time.Saturday)
		}),
		Entry("names of months", "30 12 1 jan-MAR *", func(t time.Time) bool {
			return t.Hour() == 12 && t.Minute() == 30 && t.Day() == 1 && t.Month() <= time.March
		}),
		Entry("question marks", "45 6 ? * ?", func(t time.Time) bool { return t.Hour() == 6 && t.Minute() == 45 }),
	)

	// #109250. Wrong: counts from the time of its own sync.
	It("the controller counts the interval of @every from the last scheduled time", covers.Requirements(
		EveryDoesNotDrift), func(ctx SpecContext) {
		s := framework.New(ctx)
		last := framework.Ago(5*time.Hour + 30*time.Minute)
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule("@every 1h"), last)

		cronJob.Starts(last.Add(5 * time.Hour))
		Expect(cronJob.Existing()).To(HaveLen(1))
	})

	// The interval is over in some seconds. #109250. Wrong: begins another one at each sync.
	It("the controller starts the Job of @every an interval after the last scheduled time", covers.Requirements(
		EveryDoesNotDrift), func(ctx SpecContext) {
		const interval = 10 * time.Minute
		s, last := framework.New(ctx), time.Now().Add(6*time.Second-interval).Truncate(time.Second)
		startsAt(s, s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule("@every 10m"), last), last.Add(interval))
	})

	It("the controller starts the first Job of @every an interval after the CronJob's creation", covers.Requirements(
		EveryDoesNotDrift), framework.OneLeader("two of its times may pass while no replica leads"), func(
		ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("")).Schedule("@every 10s"))
		startsAt(s, cronJob, cronJob.Made().CreationTimestamp.Add(10*time.Second))
	})
})

// startsAt waits for the first Job of a CronJob, and expects that it is that of a time to come.
func startsAt(s *framework.Sandbox, cronJob *framework.CronJob, tick time.Time) {
	GinkgoHelper()
	s.NeedsSeconds()
	s.SoonAfter(time.Until(tick), "a Job is started", func(g Gomega) { g.Expect(cronJob.Started()).NotTo(BeEmpty()) })
	Expect(cronJob.Started()[0]).To(Equal(framework.Times(tick)[0]))
}

func midnight(t time.Time) bool { return t.Hour() == 0 && t.Minute() == 0 }

// latest returns the last minute up to now, in UTC, that matches.
func latest(matches func(t time.Time) bool) time.Time {
	t := framework.Ago(0)
	for !matches(t) {
		t = t.Add(-time.Minute)
	}
	return t
}

// Source: batch/v1 CronJobSpec.timeZone; KEP-3140. The API server rejects unknown
// zones, so that no controller has to.
var _ = Describe("CronJob timeZone:", behaviour.Schedule, func() {

	// It is never the same day in both zones. Wrong: takes the hour from the zone, and
	// the day from UTC.
	It("the controller uses the time zone for days and weekdays, too", covers.Requirements(
		LocalDays), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		start := func(name, zone string, offset time.Duration, weekday bool) {
			local := tick.In(time.FixedZone(zone, int(offset.Seconds())))
			schedule := fmt.Sprintf("%d %d %d %d *", local.Minute(), local.Hour(), local.Day(), local.Month())
			if weekday {
				schedule = fmt.Sprintf("%d %d * * %s", local.Minute(), local.Hour(),
					strings.ToUpper(local.Weekday().String()[:3]))
			}
			s.Scheduled(puppet.CronJob(name, puppet.Job("")).
				Schedule(schedule).TimeZone(zone), framework.LastBefore(tick)).Starts(tick)
		}
		start("east-day", "Pacific/Kiritimati", 14*time.Hour, false)
		start("east-weekday", "Pacific/Kiritimati", 14*time.Hour, true)
		start("west-day", "Pacific/Pago_Pago", -11*time.Hour, false)
		start("west-weekday", "Pacific/Pago_Pago", -11*time.Hour, true)
	})

	// Noon in New York is 16:00 UTC in July and 17:00 UTC in January. Wrong: uses
	// today's offset, or the zone's standard offset.
	It("the controller uses the zone's offset at the scheduled time", covers.Requirements(
		DaylightSaving), func(ctx SpecContext) {
		s := framework.New(ctx)
		for _, season := range []struct {
			name  string
			month time.Month
			hours int
		}{{"summer", time.July, -4}, {"winter", time.January, -5}} {
			local := time.FixedZone(season.name, season.hours*3600)
			tick := time.Date(time.Now().Year(), season.month, 15, 12, 0, 0, 0, local)
			if tick.After(time.Now()) {
				tick = tick.AddDate(-1, 0, 0)
			}
			s.Scheduled(puppet.CronJob(season.name, puppet.Job("")).
				Schedule(fmt.Sprintf("0 12 15 %d *", season.month)).TimeZone("America/New_York"),
				tick.Add(-2*time.Hour)).Starts(tick)
		}
	})
})
