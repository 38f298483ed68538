package faults

import (
	"context"
	"net/http"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	// trouble is how long the implementation stands still, the API server restarts, and a right is gone.
	trouble = 3 * time.Second
	// retryAfter is what the proxy answers with 429.
	retryAfter = time.Second
)

// halfway is a Job that needs three pods, of which two run.
func halfway(ctx context.Context) (s *framework.Sandbox, job *framework.Job, pods framework.Pods) {
	GinkgoHelper()
	s = started(ctx)
	job = s.Create(puppet.Job("a").Parallelism(2).Completions(3))
	return s, job, job.Runs(2)
}

// completesDespite expects every pod to be created and counted once, although a fault meets these calls twice each.
func completesDespite(ctx context.Context, f fault) {
	GinkgoHelper()
	s := started(ctx)
	var all []func()
	for _, calls := range []faultproxy.Calls{createPods, releasePods, writeStatus} {
		all = append(all, inject(s, calls, f, f))
	}
	jobs := createEach(s, puppet.Job("").Parallelism(2).Completions(2).ExitCodes("0"))
	for _, happened := range all {
		happened()
	}
	for _, job := range jobs {
		completes(job, 2)
	}
}

// catchesUp has a pod of the Job succeed and another Job be created, and calls meanwhile after that. It waits until the
// controller has done what is to be done for both.
func catchesUp(s *framework.Sandbox, job *framework.Job, pods framework.Pods, meanwhile func()) {
	GinkgoHelper()
	end(s, 0, pods[0])
	later := s.Create(puppet.Job("later"))
	meanwhile()
	// client-go waits up to twice as long as its attempts have failed.
	job.CountsAfter(2*trouble, "the pod is counted and replaced", Counters{Active: 2, Ready: 2, Succeeded: 1})
	later.Runs(1)
	s.Active().End(0)
	completes(job, 3)
	completes(later, 1)
}

// What nodes, networks and API servers do to a controller that has no fault of its own.
var _ = Describe("Job faults:", faultLabels, func() {

	// Wrong: does nothing from then on, as it has noticed that it stood still.
	It("after its process stood still, the controller acts on what it missed", covers.Requirements(
		CatchesUpAfterStandstill), func(ctx SpecContext) {
		s, job, pods := halfway(ctx)
		s.Proxy.Freeze()
		catchesUp(s, job, pods, func() {
			s.StaysFor(trouble, "the process stands still", func(Gomega) {})
			s.Proxy.Thaw()
		})
	})

	// Wrong: tries again by its own delays alone.
	It("the controller repeats a throttled request after Retry-After", covers.Requirements(
		WaitsForRetryAfter), func(ctx SpecContext) {
		s, creations := started(ctx), beginning(createPods)("a")
		throttled := s.Proxy.On(creations).First(refused).Answer(http.StatusTooManyRequests)
		job := s.Create(puppet.Job("a"))
		s.Proxy.Meets("create the pod", throttled)
		job.Runs(1)
		var last time.Time
		for _, call := range s.Calls() {
			if !creations.Has(call) {
				continue
			}
			if !last.IsZero() {
				Expect(call.At.Sub(last)).To(BeNumerically(">=", retryAfter), "time until the request is repeated")
			}
			last = call.At
		}
	})

	// The status of the answer arrives, and says that all is well. Wrong: takes the rest for empty.
	It("with answers that break off, every pod is created and counted once", covers.Requirements(
		ReadsFullAnswers), func(ctx SpecContext) {
		completesDespite(ctx, (*faultproxy.Rule).BreakOff)
	})

	// Wrong: connects once, at its start.
	It("the controller takes a new connection when the API server ends one", covers.Requirements(
		TakesNewConnections), func(ctx SpecContext) {
		completesDespite(ctx, (*faultproxy.Rule).GoAway)
	})

	// The second pod leaves no trace: a list alone shows that it is gone. Wrong: watches on from where it was.
	It("after a restart of the API server, the controller acts on what it missed", covers.Requirements(
		APIServerRestarts), func(ctx SpecContext) {
		s, job, pods := halfway(ctx)
		s.Proxy.Outage(s.Context(), trouble)
		vanishes(s, pods[1])
		end(s, 0, pods[0])
		job.CountsAfter(2*trouble, "one pod is counted, and both are replaced",
			Counters{Active: 2, Ready: 2, Succeeded: 1})
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 3})
		Expect(job.Created()).To(HaveLen(4))
	})

	// As above, a list alone shows that the second pod is gone. Wrong: waits for further events.
	It("after a watch has shown that it expired, the controller acts on what it missed", covers.Requirements(
		ExpiredWatches), func(ctx SpecContext) {
		s, job, pods := halfway(ctx)
		release := s.Proxy.Hold("pods")
		vanishes(s, pods[1])
		end(s, 0, pods[0])
		s.Proxy.Misses("pods")
		ended, cancel := context.WithTimeout(ctx, s.Waits().Reaction)
		defer cancel()
		s.Proxy.EndWatches(ended, "pods", faultproxy.Expired)
		release()
		job.Counts("one pod is counted, and both are replaced", Counters{Active: 2, Ready: 2, Succeeded: 1})
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 3})
		Expect(job.Created()).To(HaveLen(4))
	})

	// Wrong: takes it for final that it may not read or write them.
	It("the controller goes on when it may read and write Jobs and pods again", covers.Requirements(
		RightsReturn), func(ctx SpecContext) {
		s, job, pods := halfway(ctx)
		var denied []*faultproxy.Rule
		for _, resource := range []string{"pods", "jobs", "jobs/status"} {
			denied = append(denied, s.Proxy.On(faultproxy.Calls{Resource: resource}).Answer(http.StatusForbidden))
		}
		s.Proxy.Expire("pods")
		s.Proxy.Expire("jobs")
		catchesUp(s, job, pods, func() {
			s.StaysFor(trouble, "no pod is counted or created", func(g Gomega) {
				g.Expect(job.Now().Status.Succeeded).To(BeZero(), "status.succeeded")
				g.Expect(s.Active()).To(HaveLen(1))
			})
			for _, rule := range denied {
				rule.Remove()
			}
		})
	})

	// The list is older by the change that took the finalizer from the pod. One that asks for the newest state does not
	// get it. Wrong: counts the pod again, as it has the finalizer there.
	It("after a restart that begins with an old list of pods, the controller counts no pod again", covers.Requirements(
		OldLists), covers.Shows(upstream.CountedFromOldList), func(ctx SpecContext) {
		s := started(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		pods := job.Runs(2)
		pods[0].End(0)
		one := Counters{Active: 1, Ready: 1, Succeeded: 1}
		job.Counts("the pod is counted", one)
		released(s, pods[0])
		s.Stays("the pod is counted", func(g Gomega) { job.Reports(g, one) }) // a watch has shown all of it
		s.Proxy.Kill()
		s.Proxy.ShowPast("pods", 1, 1, trouble)
		s.Proxy.Start()
		s.StaysFor(2*trouble, "the pod is counted once", func(g Gomega) {
			g.Expect(job.Now().Status.Succeeded).To(BeEquivalentTo(1), "status.succeeded")
		})
		pods[1].End(0)
		completes(job, 2)
	})
})
