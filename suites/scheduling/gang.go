package scheduling

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/scheduling/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Job scheduling, gangs:", behaviour.Scheduling, func() {
	It("both objects have the minCount of the Job", covers.Requirements(GangOfJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(gang(puppet.Job("a").Parallelism(3).Completions(5), 2))
		groups(s, job)
		expectSizes(Default, s, job, 2)
	})

	// Wrong: takes the completions. Wrong: writes what it has found out into the Job.
	DescribeTable("without minCount it is the parallelism", func(ctx SpecContext, parallelism, want int32) {
		s := framework.New(ctx)
		job := s.Create(gang(puppet.Job("a").Parallelism(parallelism).Completions(5), 0))
		groups(s, job)
		expectSizes(Default, s, job, want)
		s.Stays("the Job has no minCount", func(g Gomega) {
			g.Expect(job.Now().Spec.Scheduling.SchedulingPolicy.Gang.MinCount).To(BeNil())
		})
	},
		Entry("of 3", covers.Requirements(GangOfParallelism), int32(3), int32(3)),
		Entry("of 0, and at least 1", covers.Requirements(GangOfParallelism), int32(0), int32(1)),
	)

	// Wrong: changes one of the two objects.
	DescribeTable("both objects follow a minCount that", func(ctx SpecContext, before, after int32) {
		s := framework.New(ctx)
		job := s.Create(gang(puppet.Job("a").Parallelism(3).Completions(3), before))
		job.Runs(3)
		groups(s, job)
		setMinCount(job, after)
		sizes(s, job, after)
	},
		Entry("grows", covers.Requirements(FollowsMinCount), int32(1), int32(3)),
		Entry("shrinks", covers.Requirements(FollowsMinCount), int32(3), int32(2)),
	)

	It("both objects follow a minCount that changes again and again", covers.Requirements(
		FollowsMinCount), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(gang(puppet.Job("a").Parallelism(5).Completions(5), 1))
		job.Runs(5)
		groups(s, job)
		for _, n := range []int32{5, 2, 4, 3} {
			setMinCount(job, n)
		}
		sizes(s, job, 3)
	})

	DescribeTable("without minCount both objects follow a parallelism that",
		func(ctx SpecContext, before, after int32) {
			s := framework.New(ctx)
			job := s.Create(gang(puppet.Job("a").Parallelism(before).Completions(9), 0))
			job.Runs(before)
			groups(s, job)
			job.SetParallelism(after)
			sizes(s, job, max(after, 1))
		},
		Entry("grows", covers.Requirements(FollowsParallelism), int32(2), int32(3)),
		Entry("shrinks", covers.Requirements(FollowsParallelism), int32(3), int32(2)),
		Entry("becomes 0", covers.Requirements(FollowsParallelism), int32(2), int32(0)),
	)

	// Wrong: makes the pods of the gang anew.
	It("a changed minCount leaves the pods as they are", covers.Requirements(
		ResizeKeepsPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(gang(puppet.Job("a").Parallelism(3).Completions(3), 1))
		pods := job.Runs(3)
		groups(s, job)
		setMinCount(job, 3)
		sizes(s, job, 3)
		s.Stays("the Job has the pods that it had", func(g Gomega) {
			g.Expect(job.Pods().UIDs()).To(ConsistOf(pods.UIDs()))
			g.Expect(s.Active()).To(HaveLen(3), "active pods")
		})
	})
})

var _ = Describe("Job scheduling, suspension:", behaviour.Scheduling, covers.Uses(contract.Suspend), func() {
	// Whether the PodGroup is the one from before is open. Wrong: forgets the group of a Job that has run before.
	It("the pods of a resumed Job belong to a PodGroup of the Job", covers.Requirements(
		GroupAfterResume), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		job.Runs(2)
		groups(s, job)
		job.Suspend()
		job.IsSuspended(Counters{})
		job.Resume()
		job.Runs(2)
		_, group := groups(s, job)
		Expect(s.Active()).To(HaveEach(joins(group)))
	})

	It("a Job that was created suspended has both objects before its first pod", covers.Requirements(
		GroupOfSuspended), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Suspend())
		job.IsSuspended(Counters{})
		job.Resume()
		job.Runs(1)
		_, group := groups(s, job)
		before, _ := firstOf(s, "PodGroup", job.Made())
		pod, _ := firstOf(s, "Pod", job.Made())
		Expect(before).To(BeNumerically("<", pod), "the PodGroup comes before the pod")
		Expect(job.Created()).To(HaveEach(joins(group)))
	})

	It("both objects have a minCount that was changed while the Job was suspended", covers.Requirements(
		SizeWhileSuspended), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(gang(puppet.Job("a").Parallelism(3).Completions(3), 1))
		job.Runs(3)
		groups(s, job)
		job.Suspend()
		job.IsSuspended(Counters{})
		setMinCount(job, 2)
		job.Resume()
		job.Runs(3)
		sizes(s, job, 2)
	})
})
