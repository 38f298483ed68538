package faults

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
)

// The controller is killed at a request, before or after the API server handles
// it, and restarted at once. One request at a time goes through then: no other
// is in flight when the controller is killed.
var _ = Describe("Job faults:", jobLabels, func() {

	DescribeTable("every pod is counted once despite crashes before and after",
		func(ctx SpecContext, calls faultproxy.Calls, n int) {
			s := framework.Behind(ctx)
			bothHappened := crashAround(s, calls, n)
			s.Start()
			framework.Create(ctx, s.Sandbox, puppet.Job("a").Completions(2).ExitCodes("0").Obj())
			bothHappened()
			completes(s.Sandbox, "a", 2)
		},
		// Wrong: relies on what it remembers of pods that it created.
		Entry("creating a pod", Covers(SurvivesCrashes), createPods, 1),
		// Wrong: counts in memory, or after it has released.
		Entry("writing the status", Covers(SurvivesCrashes), writeStatus, 2),
		// Wrong: counts pods again that have the finalizer, or not those that have
		// lost it.
		Entry("releasing a pod", Covers(SurvivesCrashes), releasePods, 1),
	)

	// Wrong: finds a Job that is Suspended, and does not check its pods.
	It("the Job is suspended despite crashes before and after deleting a pod", Covers(SurvivesCrashes), func(ctx SpecContext) {
		s := started(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(2).Completions(2).Obj())
		Running(s.Sandbox, "a", 2)
		before := s.On(deletePods).Nth(1).Before(s.Crash)
		SuspendJob(ctx, s.Sandbox, "a")
		s.Meets("delete a pod", before)
		after := s.On(deletePods).Nth(1).After(s.Crash)
		s.Meets("delete a pod", after)
		suspended(s.Sandbox, "a")
		expectCreated(s.Sandbox, "a", 2)
	})
})

var _ = Describe("CronJob faults:", cronJobLabels, func() {

	DescribeTable("exactly one Job starts despite crashes before and after",
		func(ctx SpecContext, calls faultproxy.Calls) {
			s := framework.Behind(ctx)
			bothHappened := crashAround(s, calls, 1)
			s.Start()
			tick := Ago(30 * time.Minute)
			cronJob := Due(ctx, s.Sandbox, puppet.CronJob("a", puppet.Job("").ExitCodes("0")), tick)
			bothHappened()
			succeeds(s.Sandbox, cronJob, tick)
		},
		// #120649, #136918. Wrong: starts a Job twice, or never adds it to
		// status.active.
		Entry("creating it", Covers(CronSurvivesCrashes), Shows(upstream.LostStart), createJobs),
		// The same issues. Wrong: takes the Job that the status lacks for one of
		// another owner.
		Entry("writing the status", Covers(CronSurvivesCrashes), Shows(upstream.LostStart), writeCronJobStatus),
	)
})
