package faults

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// A controller's writes go through, but it does not hear of them, nor of what
// users do. How far it goes on in that state is its own affair.
var _ = Describe("A Job whose controller has an old view", labels, func() {

	// #130103, #137210. Wrong: does not see its own counting, but sees that
	// counted pods have lost their finalizer, and replaces them.
	It("gets no more pods than it needs, if the view is of Jobs", Covers(StaleJob), func(ctx SpecContext) {
		s := begin(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("one").Obj())
		framework.Create(ctx, s.Sandbox, puppet.Job("three").Parallelism(3).Completions(3).Obj())
		one, three := running(s.Sandbox, "one", 1), running(s.Sandbox, "three", 3)

		release := s.Hold("jobs")
		s.End(ctx, 0, one[0], three[0], three[1])
		s.Misses("jobs")
		s.Stays("no pod is created", func(g Gomega) {
			g.Expect(created(s.Sandbox, "one")).To(HaveLen(1))
			g.Expect(created(s.Sandbox, "three")).To(HaveLen(3))
		})
		release()
		completes(s.Sandbox, "one", 1)
		s.End(ctx, 0, three[2])
		completes(s.Sandbox, "three", 3)
	})

	// Wrong: goes by the name, and finds a Job with a pod already.
	It("is not taken for its predecessor of the same name", Covers(StaleUID), func(ctx SpecContext) {
		s := begin(ctx)
		old := framework.Create(ctx, s.Sandbox, puppet.Job("a").Obj())
		pod := running(s.Sandbox, "a", 1)[0]

		release := s.Hold("jobs")
		s.Delete(ctx, old)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Obj())
		s.Misses("jobs")
		release()
		s.Soon("the old pod is gone", func(g Gomega) {
			g.Expect(s.Pods()).NotTo(ContainElement(HaveField("UID", pod.UID)))
		})
		s.End(ctx, 0, running(s.Sandbox, "a", 1)...)
		completes(s.Sandbox, "a", 1)
	})

	// Wrong: creates a pod for each that it does not see.
	It("gets no more pods than it needs and counts each once, if the view is of pods", Covers(StalePods), func(ctx SpecContext) {
		s := begin(ctx)
		release := s.Hold("pods")
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(2).Completions(2).ExitCodes("0").Obj())
		s.Misses("pods")
		s.Stays("there are two pods at most", func(g Gomega) {
			g.Expect(len(created(s.Sandbox, "a"))).To(BeNumerically("<=", 2))
		})
		release()
		completes(s.Sandbox, "a", 2)
	})

	// Wrong: loses what happened while it did not look.
	It("counts what ended out of its sight", Covers(StalePods), func(ctx SpecContext) {
		s := begin(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(3).Completions(3).Obj())
		pods := running(s.Sandbox, "a", 3)
		release := s.Hold("pods")
		s.End(ctx, 0, pods[:2]...)
		s.Misses("pods")
		release()
		s.Soon("two pods are counted", func(g Gomega) {
			g.Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{Active: 1, Ready: 1, Succeeded: 2}))
		})
		s.End(ctx, 0, pods[2])
		completes(s.Sandbox, "a", 3)
	})

	// #104666; upstream's and the reference's status have room for 500 at a time. The
	// controller sees all ends at once, as it is away until then. Nobody runs the
	// pods, which would take long. Wrong: lets pods go that it did not note.
	It("counts each of more pods than it can note at once", takesLong, Covers(CountsOnce, ReleasesBeforeFinish), func(ctx SpecContext) {
		const n = 510
		s := begin(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(n).Completions(n).With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/never"}}
		}).Obj())
		s.SoonAfter(time.Minute, "all pods are there", func(g Gomega) {
			g.Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{Active: n}))
		})

		s.Kill()
		var ends errgroup.Group
		ends.SetLimit(8)
		for _, pod := range pods(s.Sandbox, "a") {
			ends.Go(func() error {
				ended := pod.DeepCopy()
				ended.Status.Phase = corev1.PodSucceeded
				return s.Client.Status().Patch(ctx, ended, client.MergeFrom(&pod))
			})
		}
		Expect(ends.Wait()).To(Succeed())
		s.Start()
		s.SoonAfter(time.Minute, "Job a has ended", func(g Gomega) { g.Expect(s.Job("a").Status.CompletionTime).NotTo(BeNil()) })
		completes(s.Sandbox, "a", n)
	})
})
