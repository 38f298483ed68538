package faults

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

// The controller is killed at a request, before it has gone through or after
// that, and started again at once. It is alone with one request at a time then:
// nothing else is on its way as it dies.
var _ = Describe("A Job whose controller crashes", labels, func() {

	// Wrong: relies on what it remembers of pods that it asked for.
	It("has as many pods as it needs, before and after one is created", Covers(SurvivesCrashes), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		before := s.On(createPods).Nth(1).Before(s.Crash)
		after := s.On(createPods).Nth(2).After(s.Crash)
		s.Start()
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Completions(2).ExitCodes("0").Obj())
		s.Meets("create a pod", before)
		s.Meets("create it again", after)
		completes(s.Sandbox, "a", 2)
	})

	// Wrong: counts in memory, or after it has released.
	It("counts its pods once, before and after the status is written", Covers(SurvivesCrashes), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		before := s.On(writeStatus).Nth(2).Before(s.Crash)
		after := s.On(writeStatus).Nth(3).After(s.Crash)
		s.Start()
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Completions(2).ExitCodes("0").Obj())
		s.Meets("write the status", before)
		s.Meets("write it again", after)
		completes(s.Sandbox, "a", 2)
	})

	// Wrong: counts pods anew that hold the finalizer, or not those that have
	// lost it.
	It("counts its pods once, before and after one is released", Covers(SurvivesCrashes), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		before := s.On(releasePods).Nth(1).Before(s.Crash)
		after := s.On(releasePods).Nth(2).After(s.Crash)
		s.Start()
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Completions(2).ExitCodes("0").Obj())
		s.Meets("release a pod", before)
		s.Meets("release it again", after)
		completes(s.Sandbox, "a", 2)
	})

	// Wrong: finds a Job that says that it is suspended, and looks no further.
	It("is suspended as a whole, before and after a pod is deleted", Covers(SurvivesCrashes), func(ctx SpecContext) {
		s := begin(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(2).Completions(2).Obj())
		running(s.Sandbox, "a", 2)
		before := s.On(deletePods).Nth(1).Before(s.Crash)
		setSuspend(ctx, s.Sandbox, "a", true)
		s.Meets("delete a pod", before)
		after := s.On(deletePods).Nth(1).After(s.Crash)
		s.Meets("delete a pod", after)
		s.Soon("the Job has no pods", func(g Gomega) {
			g.Expect(pods(s.Sandbox, "a")).To(BeEmpty())
			g.Expect(framework.Is(s.Job("a"), batchv1.JobSuspended)).To(BeTrue())
			g.Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{}))
		})
		Expect(created(s.Sandbox, "a")).To(HaveLen(2))
	})
})

var _ = Describe("A CronJob whose controller crashes", cronLabels, func() {

	// #120649, #136918. Wrong: starts a Job twice, or never takes it up again.
	It("has one Job, before and after that is started", Covers(CronSurvivesCrashes), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		before := s.On(createJobs).Nth(1).Before(s.Crash)
		after := s.On(createJobs).Nth(2).After(s.Crash)
		s.Start()
		tick := ago(30 * time.Minute)
		due(ctx, s.Sandbox, puppet.CronJob("a", puppet.Job("").ExitCodes("0")), tick)
		s.Meets("start a Job", before)
		s.Meets("start it again", after)
		succeeds(s.Sandbox, "a", tick)
	})

	// The same. Wrong: takes the Job of a status that was not written for one of
	// somebody else.
	It("has one Job, before and after that is on record", Covers(CronSurvivesCrashes), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		before := s.On(writeCronStatus).Nth(1).Before(s.Crash)
		after := s.On(writeCronStatus).Nth(2).After(s.Crash)
		s.Start()
		tick := ago(30 * time.Minute)
		due(ctx, s.Sandbox, puppet.CronJob("a", puppet.Job("").ExitCodes("0")), tick)
		s.Meets("write the status", before)
		s.Meets("write it again", after)
		succeeds(s.Sandbox, "a", tick)
	})
})
