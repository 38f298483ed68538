package faults

import (
	"strconv"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

// What a controller computes from its clock changes with it: deadlines, delays, which times have come. These specs are
// about what does not. The clocks of the API server and of nodes stay.
const far = 20 * time.Minute

var _ = Describe("Job faults:", faultLabels, func() {

	// Wrong: writes a completionTime before the startTime.
	DescribeTable("the controller completes a Job although its clock is moved", func(ctx SpecContext,
		by time.Duration) {
		s := started(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(4))
		pods := job.Runs(2)
		job.HasStarted()
		s.Proxy.MoveClock(by)
		pods.End(0)
		job.Counts("two pods are counted and replaced", Counters{Active: 2, Ready: 2, Succeeded: 2})
		job.Runs(2).End(0)
		completes(job, 4)
	},
		Entry("forwards", covers.Requirements(RunsWithMovedClock), far),
		Entry("backwards", covers.Requirements(RunsWithMovedClock), covers.Shows(upstream.CompletedBeforeStart), -far),
	)
})

var _ = Describe("CronJob faults:", faultLabels, func() {

	// No Job of that time is there, whose name would be taken. Another CronJob shows that the controller has seen the
	// change. Wrong: corrects a lastScheduleTime that has not come yet.
	It("the controller starts no second Job for a scheduled time when its clock is set back and forth",
		covers.Requirements(StartsNothingAgain), func(ctx SpecContext) {
			s, tick := framework.Behind(ctx), framework.Ago(far/2)
			s.Proxy.Start()
			cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)), tick)
			for at, by := range []time.Duration{0, -far, 0} {
				s.Proxy.MoveClock(by)
				cronJob.Change(func(c *batchv1.CronJob) { c.Labels = map[string]string{"changed": strconv.Itoa(at)} })
				s.Due(puppet.CronJob("witness-"+strconv.Itoa(at), puppet.Job("")), tick.Add(-far)).StartsOne()
			}
			cronJob.KeepsRunning()
		})
})

var _ = Describe("Faults of replicas:", faultLabels, func() {

	// Wrong: compares the Lease's renewTime, of the leader's clock, with its own.
	DescribeTable("a replica whose clock is ahead leaves the Lease to a leader that renews it", func(ctx SpecContext,
		work func(*framework.Sandbox, string)) {
		s := framework.New(ctx)
		first, second := s.Leaders(0)
		first.Start()
		work(s, "a")
		taken := second.MayNotTakeLease()
		second.StartsWithClock(far)
		second.AsksForLease("ask for the Lease again")
		work(s, "b")
		Expect(taken()).To(BeEmpty(), "requests of the replica that waits for the Lease")
	},
		Entry("of Jobs", covers.Requirements(LeaderClockAhead), runsJob),
		Entry("of CronJobs", covers.Requirements(CronLeaderClockAhead), runsCronJob),
	)

	// Wrong: compares the Lease's renewTime, of the leader's clock, with its own.
	DescribeTable("a replica whose clock is behind takes the Lease of a leader that is gone", func(ctx SpecContext,
		work func(*framework.Sandbox, string)) {
		s := framework.New(ctx)
		first, second := s.Leaders(framework.Expires)
		first.Start()
		work(s, "a")
		second.StartsWithClock(-far)
		second.AsksForLease("ask for the Lease again")
		first.Kill()
		s.StaysFor(framework.Expires, "nobody leads", func(Gomega) {})
		work(s, "b")
	},
		Entry("of Jobs", covers.Requirements(LeaderClockBehind), runsJob),
		Entry("of CronJobs", covers.Requirements(CronLeaderClockBehind), runsCronJob),
	)
})
