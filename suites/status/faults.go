package status

import (
	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/status/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

// Each of these specs starts the implementation itself, behind a fault proxy to each cluster. They look at the active
// pods of a Job that goes on: its end is what other specs are about.
var _ = Describe("Job status from another cluster, faults:", Label(spec.FaultsLabel), behaviour.Status, func() {

	twoPods := func() *puppet.JobBuilder { return puppet.Job("a").Parallelism(2).Completions(2) }

	// start starts the implementation, and waits until it reports the pods of a Job.
	start := func(ctx SpecContext) (*framework.Sandbox, *framework.Member, *framework.Job) {
		GinkgoHelper()
		s := framework.Behind(ctx)
		member := s.Member()
		s.Proxy.Start()
		job := s.Create(twoPods())
		runs(s, job, 2)
		return s, member, job
	}

	// Wrong: reports on the Jobs that it has brought there itself, since its start.
	It("the Job counts the pod that succeeded while the controller did not run", covers.Requirements(SurvivesRestart),
		func(ctx SpecContext) {
			s, member, job := start(ctx)
			s.Proxy.Kill()
			member.Succeed("a", 1)
			s.Proxy.Start()
			runs(s, job, 1)
		})

	// Wrong: remembers which Job it has brought there, and takes what it does not remember for the one of that name.
	It("the Job that was created again while the controller did not run counts its own pods",
		covers.Requirements(IsNotItsPredecessor), func(ctx SpecContext) {
			s, member, first := start(ctx)
			s.Proxy.Kill()
			member.Succeed("a", 2) // after a failure, the Job controller there may delay the pods of the next one
			first.Delete()
			second := s.Create(twoPods())
			s.Proxy.Start()
			runs(s, second, 2)
			Expect(second.Now().Status.Succeeded).To(BeZero(), "status.succeeded")
		})

	// Wrong: takes a cluster that does not answer for one in which all has failed.
	It("the Job does not end while its cluster cannot be reached", covers.Requirements(OutlivesConnection),
		func(ctx SpecContext) {
			s, member, job := start(ctx)
			member.Cut()
			s.Stays("the Job is neither Complete nor Failed", func(g Gomega) {
				g.Expect(job.Conditions()).NotTo(Or(HaveKey(batchv1.JobComplete), HaveKey(batchv1.JobFailed)))
			})
		})

	// Wrong: looks no more at a cluster that has not answered once.
	It("the Job counts the pod that succeeded while its cluster could not be reached",
		covers.Requirements(CatchesUp, OutlivesConnection), func(ctx SpecContext) {
			s, member, job := start(ctx)
			member.Cut()
			member.Succeed("a", 1)
			member.Restore()
			runs(s, job, 1)
		})

	// Wrong: forgets a write that has failed.
	It("the Job gets its status although writes of it have failed", covers.Requirements(RepeatsWrites),
		func(ctx SpecContext) {
			s, member, job := start(ctx)
			refused := s.Proxy.On(faultproxy.Calls{Verb: "patch|update", Resource: "jobs/status"}).From(1).Answer(500)
			member.Succeed("a", 1)
			s.Proxy.Meets("the status is written", refused)
			s.Stays("no write succeeds", func(g Gomega) { g.Expect(job.Now().Status.Active).To(BeEquivalentTo(2)) })
			refused.Remove()
			s.SoonAfter(framework.MaxAPIBackoff, "status.active of Job a is as in the other cluster", func(g Gomega) {
				g.Expect(job.Now().Status.Active).To(BeEquivalentTo(1), "status.active")
			})
		})
})
