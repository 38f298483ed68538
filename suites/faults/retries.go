package faults

import (
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

// longestRetry is how long a controller may take to try a request again that failed after it
// had succeeded before. Where the delay doubles with each failure from 100 ms on, the eighth is
// 12.8 s; from 1 s on, the fifth is 16 s; from 5 ms on, the twelfth is 10.2 s.
const longestRetry = 10 * time.Second

var _ = Describe("Job faults:", faultLabels, func() {

	// No event follows the end of a pod, and the controller has seen those before, as it has seen the
	// witness: it has to retry by itself. Wrong: remembers failures after a success.
	It("the controller retries a status write as soon as before, after it has succeeded", covers.Requirements(
		SuccessEndsRetryDelay), func(ctx SpecContext) {
		const failures = 12
		s := framework.Behind(ctx)
		s.Proxy.Start()
		job := s.Create(puppet.Job("a").Parallelism(failures).Completions(failures))
		for i, pod := range job.Runs(failures) {
			failure := s.Proxy.On(writeStatus).Mentioning(string(pod.UID)).Nth(1).Answer(409)
			pod.End(0)
			s.Proxy.Meets("record a pod that has ended", failure)
			// What the controller still had to write would make it try the next one again.
			s.Soon("the pod is counted and released", func(g Gomega) {
				status := job.Now().Status
				g.Expect(status.Succeeded).To(BeEquivalentTo(i + 1))
				g.Expect(status.UncountedTerminatedPods).To(framework.Either(BeNil(), HaveValue(BeZero())))
			})
			s.Create(puppet.Job(fmt.Sprint("witness-", i)).Parallelism(0)).HasStarted()
		}
		completes(job, failures)
		expectRetries(s, writeStatus)
	})

	// There is nothing to do for a Job without parallelism but to write its status. Wrong: tries every second, for
	// ever.
	It("the controller tries to write a status less and less often while that fails", covers.Requirements(
		BacksOffWhileStatusIsRefused), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		failure := s.Proxy.On(writeStatus).Answer(500)
		s.Proxy.Start()
		job := s.Create(puppet.Job("a").Parallelism(0))
		s.Proxy.Meets("write the status", failure)
		s.StaysFor(framework.RefusedFor, "the Job has no status", func(g Gomega) {
			g.Expect(job.Now().Status).To(BeZero())
		})
		expectGrowingDelays(s, writeStatus)
		failure.Remove()
	})

	// Nothing happens after the end of the pod that could wake the controller. Wrong: tries every second, for ever.
	It("the controller tries to release a pod less and less often while that fails", covers.Requirements(
		BacksOffWhileReleaseIsRefused), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		s.Proxy.Start()
		job := s.Create(puppet.Job("a"))
		pod := job.Runs(1)[0]
		failure := s.Proxy.On(releasePods).Answer(500)
		pod.End(0)
		s.Proxy.Meets("release the pod", failure)
		s.StaysFor(framework.RefusedFor, "the pod has its finalizer", func(g Gomega) {
			g.Expect(pod.Now().Finalizers).To(ContainElement(batchv1.JobTrackingFinalizer))
		})
		expectGrowingDelays(s, releasePods)
		failure.Remove()
	})
})

var _ = Describe("CronJob faults:", faultLabels, func() {

	// Nothing happens after a failed create request that could make the controller sync: the Job before
	// stays as it is. Wrong: remembers failures after a success.
	It("the controller retries to create a Job as soon as before, after it has succeeded", covers.Requirements(
		SuccessEndsCronRetryDelay), func(ctx SpecContext) {
		const failures = 12
		s := startedCronJob(ctx)
		tick := framework.Ago(2 * time.Hour)
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("").Parallelism(0)).Schedule(puppet.Daily(tick)), tick)
		for range failures {
			failure := s.Proxy.On(createJobs).Nth(1).Answer(500)
			tick = tick.Add(6 * time.Minute)
			cronJob.NextDue(tick)
			s.Proxy.Meets("create a Job", failure)
			cronJob.Starts(tick).HasStarted()
		}
		expectRetries(s, createJobs)
	})

	It("the controller tries to write a status less and less often while that fails", covers.Requirements(
		BacksOffWhileCronStatusIsRefused), covers.MayShow(upstream.LostStart), func(ctx SpecContext) {
		s, tick := startedCronJob(ctx), framework.Ago(2*time.Hour)
		cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("").Parallelism(0)).Schedule(puppet.Daily(tick)))
		ofA := writeCronJobStatus
		ofA.Name = "a"
		failure := s.Proxy.On(ofA).Answer(500)
		cronJob.SetLastScheduleTime(framework.LastBefore(tick))
		s.Proxy.Meets("write the status", failure)
		s.StaysFor(framework.RefusedFor, "no second Job is started", func(g Gomega) {
			g.Expect(len(cronJob.Started())).To(BeNumerically("<=", 1))
		})
		expectGrowingDelays(s, ofA)
		failure.Remove()
	})
})

// expectGrowingDelays is framework.ExpectGrowingDelays for calls that were refused.
func expectGrowingDelays(s *framework.Sandbox, calls faultproxy.Calls) {
	GinkgoHelper()
	var attempts []time.Time
	for _, call := range s.Calls() {
		if calls.Has(call) && call.Fault != "" {
			attempts = append(attempts, call.At)
		}
	}
	framework.ExpectGrowingDelays(attempts, s.Calls())
}

// expectRetries expects that each of some requests that failed was made again within longestRetry.
func expectRetries(s *framework.Sandbox, calls faultproxy.Calls) {
	GinkgoHelper()
	var failed time.Time
	for _, call := range s.Calls() {
		if !calls.Has(call) {
			continue
		}
		if !failed.IsZero() {
			Expect(call.At.Sub(failed)).To(BeNumerically("<", longestRetry),
				"time until a request that failed is made again")
		}
		failed = time.Time{}
		if call.Fault != "" {
			failed = call.At
		}
	}
}
