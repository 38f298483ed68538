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

var _ = Describe("CronJob schedule change:", Label("area:cronjob", "behaviour:schedule"), func() {

	// Another CronJob shows that the controller has seen this one with its former
	// schedule, by which no Job was due. Wrong: takes past times of the new schedule
	// for missed ones.
	It("the controller starts no Job for past times of a new schedule", Label("level:should"), Covers(ChangedScheduleSkipsThePast), func(ctx SpecContext) {
		s := framework.New(ctx)
		before, past := Ago(40*time.Minute), Ago(20*time.Minute)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(before)), before)
		Starts(s, Due(ctx, s, puppet.CronJob("witness", puppet.Job("")), before), before)

		ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.Schedule = puppet.Daily(past) })
		KeepsRunning(s, cronJob)
	})

	// Nothing but the schedule changes at first. Wrong: keeps to the schedule that it
	// saw first.
	It("the controller starts Jobs by the new schedule at once", Covers(ChangedSchedule), func(ctx SpecContext) {
		s := framework.New(ctx)
		before, tick := Ago(40*time.Minute), Ago(20*time.Minute)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(before)), before)
		ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.Schedule = puppet.Daily(tick) })
		SetLastScheduleTime(ctx, s, cronJob, tick.Add(-time.Minute))

		Starts(s, cronJob, tick)
		Expect(Existing(s, cronJob)).To(Equal(Times(tick)))
	})
})
