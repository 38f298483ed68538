package faults

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

var _ = Describe("Job faults:", jobLabels, func() {

	// Wrong: watches on from its old position, or not at all.
	It("after its watches have expired, the controller acts on what it missed", Covers(ExpiredWatches), func(ctx SpecContext) {
		s := started(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(2).Completions(3).Obj())
		pods := Running(s.Sandbox, "a", 2)

		release := s.Hold("pods")
		s.End(ctx, 0, pods[0])
		expire(s, "pods")
		release()
		s.Soon("the pod that succeeded is counted", func(g Gomega) {
			g.Expect(s.Job("a").Status.Succeeded).To(BeEquivalentTo(1))
		})
		Running(s.Sandbox, "a", 2)

		release = s.Hold("jobs")
		SuspendJob(ctx, s.Sandbox, "a")
		expire(s, "jobs")
		release()
		s.Soon("Job a is Suspended", func(g Gomega) {
			g.Expect(framework.Is(s.Job("a"), batchv1.JobSuspended)).To(BeTrue())
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Succeeded: 1}))
		})
	})

	// Wrong: a controller that received no deletion keeps the pods of a Job that is
	// missing from its list.
	It("the controller releases the pods of a Job whose deletion it missed", Covers(ExpiredWatches, ReleasesOrphansDespiteFaults), func(ctx SpecContext) {
		s := started(ctx)
		job := framework.Create(ctx, s.Sandbox, puppet.Job("a").Obj())
		pod := Running(s.Sandbox, "a", 1)[0]
		releaseJobs, releasePods := s.Hold("jobs"), s.Hold("pods")
		s.Delete(ctx, job)
		expire(s, "jobs", "pods")
		releaseJobs()
		releasePods()
		gone(s.Sandbox, pod)
	})

	// Wrong: takes the silence for the end of pods, or gives up for good.
	unreachable := func(ctx context.Context, long time.Duration) {
		s := started(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(4).Completions(6).Obj())
		pods := Running(s.Sandbox, "a", 4)
		s.Cut()
		s.End(ctx, 0, pods[:2]...)
		s.StaysFor(long, "no pod is counted or created", func(g Gomega) {
			g.Expect(s.Job("a").Status.Succeeded).To(BeZero())
			g.Expect(CreatedFor(s.Sandbox, s.Job("a"))).To(HaveLen(4))
		})
		s.Restore()
		// client-go waits up to twice as long as its attempts have failed.
		CountsAfter(s.Sandbox, 2*long, "a", "two pods are counted and replaced", Counters{Active: 4, Ready: 4, Succeeded: 2})
		s.End(ctx, 0, Running(s.Sandbox, "a", 4)...)
		completes(s.Sandbox, "a", 6)
	}

	It("after 5 s without the API server, the controller completes the Job", takesLong, Covers(APIServerAway), func(ctx SpecContext) {
		unreachable(ctx, 5*time.Second)
	})

	It("after 30 s without the API server, the controller completes the Job", Label("slow"), takesLongest, Covers(APIServerAway), func(ctx SpecContext) {
		unreachable(ctx, 30*time.Second)
	})
})

// expire waits until the implementation has missed a change of each of the
// resources, and then lets its watches expire.
func expire(s *framework.Faulty, resources ...string) {
	GinkgoHelper()
	for _, resource := range resources {
		s.Misses(resource)
	}
	for _, resource := range resources {
		s.Expire(resource)
	}
}
