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
)

// No controller has to emit these events, but users look for them.
var _ = Describe("CronJob events:", Label("area:cronjob", "behaviour:schedule", "level:should"), func() {

	It("the controller emits SuccessfulCreate and SawCompletedJob for a Job", Covers(EventsForStartAndEnd), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := Ago(30 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		job := Starts(s, cronJob, tick)
		emits(s, cronJob, "SuccessfulCreate", HaveField("Message", ContainSubstring(job.Name)))

		finish(ctx, s, job, 0)
		emits(s, cronJob, "SawCompletedJob", HaveField("Message", ContainSubstring(job.Name)))
	})

	It("the controller emits SuccessfulDelete for a Job beyond the history limit", Covers(EventForDeletedJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := Ago(30 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0), tick)
		job := Starts(s, cronJob, tick)
		finish(ctx, s, job, 0)
		emits(s, cronJob, "SuccessfulDelete", HaveField("Message", ContainSubstring(job.Name)))
	})

	It("the controller emits MissingJob and UnexpectedJob", Covers(EventsForMissingAndUnexpected), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := Ago(30 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		job := Starts(s, cronJob, tick)
		s.Delete(ctx, &job)
		emits(s, cronJob, "MissingJob")
		framework.Create(ctx, s, owned(puppet.Job("by-hand"), cronJob).Obj())
		emits(s, cronJob, "UnexpectedJob", HaveField("Type", "Warning"))
	})
})
