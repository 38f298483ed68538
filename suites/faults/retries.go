package faults

import (
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// longestRetry is how long a controller may take to try a request again that failed after it
// had succeeded before. Where the delay doubles with each failure from 100 ms on, the eighth is
// 12.8 s; from 1 s on, the fifth is 16 s; from 5 ms on, the twelfth is 10.2 s.
const longestRetry = 10 * time.Second

var _ = Describe("Job faults:", faultLabels, func() {

	// No event follows the end of a pod, and the controller has seen those before, as it has seen the
	// witness: it has to retry by itself. Wrong: remembers failures after a success.
	It("the controller retries a status write as soon as before, after it has succeeded", Covers(SuccessEndsRetryDelay), func(ctx SpecContext) {
		const failures = 12
		s := framework.Behind(ctx)
		s.Proxy.Start()
		framework.Create(s, puppet.Job("a").Parallelism(failures).Completions(failures).Obj())
		for i, pod := range Running(s, "a", failures) {
			failure := s.Proxy.On(writeStatus).Mentioning(string(pod.UID)).Nth(1).Answer(409)
			pod.End(0)
			s.Proxy.Meets("record a pod that has ended", failure)
			// What the controller still had to write would make it try the next one again.
			s.Soon("the pod is counted and released", func(g Gomega) {
				status := s.Job("a").Status
				g.Expect(status.Succeeded).To(BeEquivalentTo(i + 1))
				g.Expect(status.UncountedTerminatedPods).To(Or(BeNil(), HaveValue(BeZero())))
			})
			witness := fmt.Sprint("witness-", i)
			framework.Create(s, puppet.Job(witness).Suspend().Obj())
			suspended(s, witness)
		}
		completes(s, "a", failures)
		expectRetries(s, writeStatus)
	})
})

var _ = Describe("CronJob faults:", faultLabels, func() {

	// Nothing happens after a failed create request that could make the controller sync: the Job before
	// stays as it is. Wrong: remembers failures after a success.
	It("the controller retries to create a Job as soon as before, after it has succeeded", Covers(SuccessEndsCronRetryDelay), func(ctx SpecContext) {
		const failures = 12
		s := startedCronJob(ctx)
		tick := Ago(2 * time.Hour)
		cronJob := Scheduled(ctx, s, puppet.CronJob("a", puppet.Job("").Suspend()).Schedule(puppet.Daily(tick)), tick)
		for range failures {
			failure := s.Proxy.On(createJobs).Nth(1).Answer(500)
			tick = tick.Add(6 * time.Minute)
			NextDue(ctx, s, cronJob, tick)
			s.Proxy.Meets("create a Job", failure)
			suspended(s, Starts(s, cronJob, tick).Name)
		}
		expectRetries(s, createJobs)
	})
})

// expectRetries expects that each of some requests that failed was made again within longestRetry.
func expectRetries(s *framework.Sandbox, calls faultproxy.Calls) {
	GinkgoHelper()
	var failed time.Time
	for _, call := range s.Calls() {
		if !calls.Has(call) {
			continue
		}
		if !failed.IsZero() {
			Expect(call.At.Sub(failed)).To(BeNumerically("<", longestRetry), "time until a request that failed is made again")
		}
		failed = time.Time{}
		if call.Fault != "" {
			failed = call.At
		}
	}
}
