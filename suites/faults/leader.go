package faults

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
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
	leader, second := s.Leaders()
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

var _ = Describe("CronJob faults:", faultLabels, func() {

	// Wrong: gives the Job of a scheduled time another name each time.
	It("after a change of leader, a late request of the old leader creates no second Job", covers.Requirements(
		CronSurvivesCrashes), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := s.Leaders()
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
})
