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

var _ = Describe("a new schedule", Label("area:cronjob", "behaviour:schedule"), func() {

	// Another CronJob shows that the controller has seen this one with the schedule
	// that it had before, which had nothing due. Wrong: takes the past of the new
	// schedule for missed.
	It("is not one for the past", Label("level:should"), Covers(ChangedScheduleSkipsThePast), func(ctx SpecContext) {
		s := framework.New(ctx)
		before, past := ago(40*time.Minute), ago(20*time.Minute)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(before)).Obj())
		lastStart(ctx, s, cronJob, before)
		startsFor(s, due(ctx, s, puppet.CronJob("witness", puppet.Job("")), before), before)

		change(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.Schedule = puppet.Daily(past) })
		s.Stays("there is no Job", func(g Gomega) { g.Expect(starts(s, cronJob)).To(BeEmpty()) })
	})

	// Nothing but the schedule changes first. Wrong: sticks to the schedule that it
	// has seen first.
	It("is the one to go by from then on", Covers(ChangedSchedule), func(ctx SpecContext) {
		s := framework.New(ctx)
		before, tick := ago(40*time.Minute), ago(20*time.Minute)
		cronJob := framework.Create(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(before)).Obj())
		lastStart(ctx, s, cronJob, before)
		change(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.Schedule = puppet.Daily(tick) })
		lastStart(ctx, s, cronJob, tick.Add(-time.Minute))

		startsFor(s, cronJob, tick)
		Expect(starts(s, cronJob)).To(Equal(ticks(tick)))
	})
})
