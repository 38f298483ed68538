package cronjob

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

// These schedules are fixed, so that another Job may become due while a spec
// runs. Then the Job of either time is right, and Forbid keeps it at one Job.
var _ = Describe("CronJob schedule syntax:", Label("area:cronjob", "behaviour:schedule"), func() {
	startsLatest := func(ctx SpecContext, schedule string, matches func(t time.Time) bool) {
		s := framework.New(ctx)
		before := latest(matches)
		cronJob := Scheduled(ctx, s,
			puppet.CronJob("a", puppet.Job("")).Schedule(schedule).Policy(batchv1.ForbidConcurrent), before.Add(-time.Minute))
		s.Soon("there is one Job, and it is active", func(g Gomega) {
			g.Expect(Existing(s, cronJob)).To(HaveLen(1))
			g.Expect(Active(s, cronJob)).To(Equal(Existing(s, cronJob)))
		})
		Expect(Existing(s, cronJob)).To(Or(Equal(Times(before)), Equal(Times(latest(matches)))))
		Expect(s.CronJob("a").Status.LastScheduleTime).To(Or(BeAt(before), BeAt(latest(matches))))
	}

	// Wrong: takes one for another; a week that begins on Monday.
	DescribeTable("the controller understands the macro", Covers(EveryMacro), startsLatest,
		Entry("@hourly", "@hourly", func(t time.Time) bool { return t.Minute() == 0 }),
		Entry("@daily", "@daily", midnight),
		Entry("@midnight", "@midnight", midnight),
		Entry("@weekly", "@weekly", func(t time.Time) bool { return midnight(t) && t.Weekday() == time.Sunday }),
		Entry("@monthly", "@monthly", func(t time.Time) bool { return midnight(t) && t.Day() == 1 }),
		Entry("@yearly", "@yearly", func(t time.Time) bool { return midnight(t) && t.YearDay() == 1 }),
		Entry("@annually", "@annually", func(t time.Time) bool { return midnight(t) && t.YearDay() == 1 }),
	)

	// Wrong: counts steps from the wrong end of a range, or leaves its end out.
	DescribeTable("the controller understands", Covers(ListsRangesSteps), startsLatest,
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
	It("the controller counts the interval of @every from the last scheduled time", Label("level:should"), Covers(EveryDoesNotDrift), func(ctx SpecContext) {
		s := framework.New(ctx)
		last := Ago(5*time.Hour + 30*time.Minute)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule("@every 1h"), last)

		Starts(s, cronJob, last.Add(5*time.Hour))
		Expect(Existing(s, cronJob)).To(HaveLen(1))
	})
})

func midnight(t time.Time) bool { return t.Hour() == 0 && t.Minute() == 0 }

// latest returns the last minute up to now, in UTC, that matches.
func latest(matches func(t time.Time) bool) time.Time {
	t := Ago(0)
	for !matches(t) {
		t = t.Add(-time.Minute)
	}
	return t
}
