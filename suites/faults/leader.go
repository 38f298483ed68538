package faults

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

// led returns a sandbox with a Job of two running pods, their leader, and another
// replica that waits.
func led(ctx context.Context, completions int32) (
	s *framework.Sandbox, leader *framework.Proxied, job *framework.Job, pods framework.Pods,
) {
	GinkgoHelper()
	s = framework.New(ctx)
	leader, second := s.Leaders(0)
	leader.Start()
	job = s.Create(puppet.Job("a").Parallelism(2).Completions(completions))
	pods = job.Runs(2)
	second.Start()
	return s, leader, job, pods
}

var _ = Describe("Job faults:", faultLabels, func() {

	// Wrong: starts again because another replica created the pods.
	It("after a change of leader, the new leader continues the Job", covers.Requirements(
		LeaderChanges), func(ctx SpecContext) {
		_, first, job, pods := led(ctx, 4)
		first.LosesLease()
		pods.End(0)
		job.Counts("the new leader counts two pods and replaces them", Counters{Active: 2, Ready: 2, Succeeded: 2})
		job.Runs(2).End(0)
		completes(job, 4)
	})

	// Wrong: adds to the counters of any revision.
	It("after a change of leader, a late status write of the old leader counts no pod twice", covers.Requirements(
		LeaderChanges), func(ctx SpecContext) {
		s, first, job, pods := led(ctx, 2)
		arrives := make(chan struct{})
		late := first.On(writeStatus).Nth(1).Until(arrives)
		pods.End(0)
		first.Meets("count the pods", late)
		first.LosesLease()
		s.Soon("the new leader has completed the Job", func(g Gomega) {
			g.Expect(job.Is(batchv1.JobComplete)).To(BeTrue())
		})
		close(arrives)
		s.Stays("the Job is Complete with two pods", func(g Gomega) {
			g.Expect(job.Is(batchv1.JobComplete)).To(BeTrue())
			job.Reports(g, Counters{Succeeded: 2})
			g.Expect(job.Created()).To(HaveLen(2))
		})
	})
})

var _ = Describe("Faults of replicas:", faultLabels, func() {

	// Wrong: works without the Lease.
	DescribeTable("a replica that waits for the Lease writes nothing", func(ctx SpecContext,
		work func(*framework.Sandbox, string)) {
		s := framework.New(ctx)
		first, second := s.Leaders(0)
		first.Start()
		work(s, "a")
		second.Start()
		second.AsksForLease("ask for the Lease")
		work(s, "b")
		Expect(second.Writes(time.Time{})).To(BeEmpty(), "requests of the replica that waits")
	},
		Entry("of Jobs", covers.Requirements(OnlyTheLeaderWrites), runsJob),
		Entry("of CronJobs", covers.Requirements(OnlyTheCronLeaderWrites), runsCronJob),
	)

	// Wrong: goes on until it has tried to renew the Lease for long enough, or for ever.
	DescribeTable("a leader that stood still until another one led writes nothing once it has read that", func(
		ctx SpecContext, work func(*framework.Sandbox, string)) {
		s := framework.New(ctx)
		first, second := s.Leaders(framework.Expires)
		first.Start()
		work(s, "a")
		second.Start()
		first.Freeze()
		second.Leads() // nobody has work, which the first one might begin before it has read that
		first.Thaw()
		read := first.AsksForLease("ask for the Lease")
		work(s, "b")
		Expect(first.Writes(read.Add(framework.Noticed))).To(BeEmpty(), "requests of the replica that led")
	},
		Entry("of Jobs", covers.Requirements(OnlyTheLeaderWrites), covers.MayShow(upstream.WokenLeader), runsJob),
		Entry("of CronJobs", covers.Requirements(OnlyTheCronLeaderWrites), covers.MayShow(upstream.WokenLeader),
			runsCronJob),
	)
})

// runsJob has a Job run to its end.
func runsJob(s *framework.Sandbox, name string) {
	GinkgoHelper()
	s.Create(puppet.Job(name).ExitCodes("0")).Completes(Counters{Succeeded: 1})
}

// runsCronJob has a CronJob start a Job, which runs to its end.
func runsCronJob(s *framework.Sandbox, name string) {
	GinkgoHelper()
	tick := framework.Ago(30 * time.Minute)
	cronJob := s.Due(puppet.CronJob(name, puppet.Job("")), tick)
	cronJob.Runs(tick)
	s.Handle(&cronJob.Jobs()[0]).Runs(1).End(0)
	s.Soon("no Job is active", func(g Gomega) { cronJob.Refers(g) })
}

var _ = Describe("CronJob faults:", faultLabels, func() {

	// Wrong: gives the Job of a scheduled time another name each time.
	It("after a change of leader, a late request of the old leader creates no second Job", covers.Requirements(
		CronSurvivesCrashes), covers.MayArise(spec.Restarted), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := s.Leaders(0)
		arrives := make(chan struct{})
		late := first.On(createJobs).Nth(1).Until(arrives)
		first.Start()
		tick := framework.Ago(30 * time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		first.Meets("create the Job", late)
		second.Start()

		first.LosesLease()
		cronJob.Runs(tick)
		close(arrives)
		cronJob.KeepsRunning(tick)
		Expect(cronJob.Started()).To(Equal(framework.Times(tick)))
	})

	// Wrong: patches the status without saying which revision it has seen.
	It("after a change of leader, a late status write of the old leader sets nothing back", covers.Requirements(
		CronSurvivesCrashes), covers.MayArise(spec.Restarted), covers.MayShow(upstream.LostStart), func(
		ctx SpecContext) {
		s := framework.New(ctx)
		old, young := s.Leaders(0)
		arrives := make(chan struct{})
		late := old.On(writeCronJobStatus).Nth(1).Until(arrives)
		old.Start()
		first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), first)
		old.Meets("record the start of the Job", late)
		young.Start()
		old.LosesLease()
		cronJob.Runs(first)
		s.Handle(&cronJob.Jobs()[0]).Runs(1).End(0)
		s.Soon("no Job is active", func(g Gomega) { cronJob.Refers(g) })
		cronJob.NextDue(second)
		cronJob.Starts(second)
		close(arrives)
		s.Stays("the second Job is the one that was started last", func(g Gomega) {
			cronJob.Refers(g, second)
			cronJob.ScheduledLast(g, second)
		})
	})
})
