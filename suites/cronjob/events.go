package cronjob

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// What a controller tells, and how, is its own affair; but there are people who
// look for these.
var _ = Describe("events", Label("area:cronjob", "behaviour:schedule", "level:should"), func() {

	It("tell that a Job was started and has ended", Covers(EventsForStartAndEnd), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		job := startsFor(s, cronJob, tick)
		s.Soon("there is an event of the start", func(g Gomega) {
			g.Expect(happened(s, cronJob, "SuccessfulCreate")).To(ContainElement(HaveField("Message", ContainSubstring(job.Name))))
		})

		end(ctx, s, job, 0)
		s.Soon("there is an event of the end", func(g Gomega) {
			g.Expect(happened(s, cronJob, "SawCompletedJob")).To(ContainElement(HaveField("Message", ContainSubstring(job.Name))))
		})
	})

	It("tell that a Job was deleted for the history limits", Covers(EventForDeletedJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0), tick)
		job := startsFor(s, cronJob, tick)
		end(ctx, s, job, 0)
		s.Soon("there is an event of the deletion", func(g Gomega) {
			g.Expect(happened(s, cronJob, "SuccessfulDelete")).To(ContainElement(HaveField("Message", ContainSubstring(job.Name))))
		})
	})

	It("tell of a Job that is gone, and of one that came from elsewhere", Covers(EventsForMissingAndUnexpected), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		job := startsFor(s, cronJob, tick)
		s.Delete(ctx, &job)
		s.Soon("there is an event of the Job that is gone", func(g Gomega) {
			g.Expect(happened(s, cronJob, "MissingJob")).NotTo(BeEmpty())
		})
		framework.Create(ctx, s, owned(puppet.Job("by-hand"), cronJob).Obj())
		s.Soon("there is a warning of the other one", func(g Gomega) {
			g.Expect(happened(s, cronJob, "UnexpectedJob")).To(ContainElement(HaveField("Type", "Warning")))
		})
	})
})
