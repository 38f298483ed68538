package faults

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

var _ = Describe("A Job whose controller was out of touch", labels, func() {

	// Wrong: watches on from where it was, or not at all.
	It("goes on with what its controller missed when watches had expired", Covers(ExpiredWatches), func(ctx SpecContext) {
		s := begin(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(2).Completions(3).Obj())
		pods := running(s.Sandbox, "a", 2)

		release := s.Hold("pods")
		s.End(ctx, 0, pods[0])
		s.Misses("pods")
		s.Expire("pods")
		release()
		s.Soon("the end is counted", func(g Gomega) {
			g.Expect(s.Job("a").Status.Succeeded).To(BeEquivalentTo(1))
		})
		running(s.Sandbox, "a", 2)

		release = s.Hold("jobs")
		setSuspend(ctx, s.Sandbox, "a", true)
		s.Misses("jobs")
		s.Expire("jobs")
		release()
		s.Soon("the Job is suspended", func(g Gomega) {
			g.Expect(framework.Is(s.Job("a"), batchv1.JobSuspended)).To(BeTrue())
			g.Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{Succeeded: 1}))
		})
	})

	// Wrong: a controller that has heard of no deletion keeps the pods of a Job
	// that it does not list any more.
	It("lets its pods go when its deletion was missed", Covers(ExpiredWatches, ReleasesOrphansDespiteFaults), func(ctx SpecContext) {
		s := begin(ctx)
		job := framework.Create(ctx, s.Sandbox, puppet.Job("a").Obj())
		pod := running(s.Sandbox, "a", 1)[0]
		releaseJobs, releasePods := s.Hold("jobs"), s.Hold("pods")
		s.Delete(ctx, job)
		s.Misses("jobs")
		s.Misses("pods")
		s.Expire("jobs")
		s.Expire("pods")
		releaseJobs()
		releasePods()
		s.Soon("the pod is gone", func(g Gomega) {
			g.Expect(s.Pods()).NotTo(ContainElement(HaveField("Name", pod.Name)))
		})
	})

	// Wrong: takes the silence for the end of pods, or gives up for good.
	away := func(ctx context.Context, long time.Duration) {
		s := begin(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(4).Completions(6).Obj())
		pods := running(s.Sandbox, "a", 4)
		s.Cut()
		s.End(ctx, 0, pods[:2]...)
		s.StaysFor(long, "nothing is counted", func(g Gomega) {
			g.Expect(s.Job("a").Status.Succeeded).To(BeZero())
			g.Expect(created(s.Sandbox, "a")).To(HaveLen(4))
		})
		s.Restore()
		// client-go waits up to twice as long as it has tried in vain.
		s.SoonAfter(2*long, "the ends are counted and made up for", func(g Gomega) {
			g.Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{Active: 4, Ready: 4, Succeeded: 2}))
		})
		s.End(ctx, 0, running(s.Sandbox, "a", 4)...)
		completes(s.Sandbox, "a", 6)
	}

	It("goes on when the API server was away for 5 s", takesLong, Covers(APIServerAway), func(ctx SpecContext) {
		away(ctx, 5*time.Second)
	})

	It("goes on when the API server was away for 30 s", Label("slow"), takesLongest, Covers(APIServerAway), func(ctx SpecContext) {
		away(ctx, 30*time.Second)
	})
})
