package cronjob

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

// The schedules of these specs are what they are, so that a tick may come while
// a spec runs. Then either of two ticks is right, and Forbid keeps it at one Job.
var _ = Describe("syntax", Label("area:cronjob", "behaviour:schedule"), func() {
	schedule := func(ctx SpecContext, schedule string, ticks func(t time.Time) bool) {
		s := framework.New(ctx)
		early := latest(ticks)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(schedule).Policy(batchv1.ForbidConcurrent).Obj())
		lastStart(ctx, s, cronJob, early.Add(-time.Minute))
		startsLatest(s, cronJob, early, ticks)
	}

	// Wrong: takes one for another; a week that begins on Monday.
	DescribeTable("has a macro", Covers(EveryMacro), schedule,
		Entry("@hourly", "@hourly", func(t time.Time) bool { return t.Minute() == 0 }),
		Entry("@daily", "@daily", midnight),
		Entry("@midnight", "@midnight", midnight),
		Entry("@weekly", "@weekly", func(t time.Time) bool { return midnight(t) && t.Weekday() == time.Sunday }),
		Entry("@monthly", "@monthly", func(t time.Time) bool { return midnight(t) && t.Day() == 1 }),
		Entry("@yearly", "@yearly", func(t time.Time) bool { return midnight(t) && t.YearDay() == 1 }),
		Entry("@annually", "@annually", func(t time.Time) bool { return midnight(t) && t.YearDay() == 1 }),
	)

	// Wrong: counts steps from the wrong end of a range, or leaves its end out.
	DescribeTable("has more than numbers", Covers(ListsRangesSteps), schedule,
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

	// #109250. Wrong: counts from whenever it looks.
	It("has intervals, which follow each other from the last scheduled time on", Label("level:should"), Covers(EveryDoesNotDrift), func(ctx SpecContext) {
		s := framework.New(ctx)
		last := ago(5*time.Hour + 30*time.Minute)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule("@every 1h").Obj())
		lastStart(ctx, s, cronJob, last)

		startsFor(s, cronJob, last.Add(5*time.Hour))
		Expect(starts(s, cronJob)).To(HaveLen(1))
	})
})

func midnight(t time.Time) bool { return t.Hour() == 0 && t.Minute() == 0 }

// latest is the last minute up to now, in UTC, for which ticks holds.
func latest(ticks func(t time.Time) bool) time.Time {
	t := ago(0)
	for !ticks(t) {
		t = t.Add(-time.Minute)
	}
	return t
}

// startsLatest waits until there is one Job, for the latest tick: the one that
// was so before, or the one that is so when the Job is there.
func startsLatest(s *framework.Sandbox, cronJob *batchv1.CronJob, before time.Time, due func(t time.Time) bool) {
	GinkgoHelper()
	s.Soon("there is a Job, and the status says for when", func(g Gomega) {
		g.Expect(starts(s, cronJob)).To(HaveLen(1))
		g.Expect(active(s, cronJob)).To(Equal(starts(s, cronJob)))
	})
	Expect(starts(s, cronJob)).To(Or(Equal(ticks(before)), Equal(ticks(latest(due)))))
	Expect(s.CronJob(cronJob.Name).Status.LastScheduleTime.UTC()).To(Or(
		BeTemporally("==", before), BeTemporally("==", latest(due))))
}
