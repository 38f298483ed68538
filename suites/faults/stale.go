package faults

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The controller's writes reach the API server, but its watches deliver neither
// them nor the changes of users. What it does meanwhile is not specified.
var _ = Describe("Job faults:", jobLabels, func() {

	// #130103, #137210. Wrong: does not see the counters that it wrote, but sees that
	// counted pods have lost their finalizer, and replaces them.
	It("with a stale view of Jobs, the controller creates no more pods than needed", Covers(StaleJob), Shows(upstream.StaleJob), func(ctx SpecContext) {
		s := started(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("one").Obj())
		framework.Create(ctx, s.Sandbox, puppet.Job("three").Parallelism(3).Completions(3).Obj())
		one, three := Running(s.Sandbox, "one", 1), Running(s.Sandbox, "three", 3)

		release := s.Hold("jobs")
		s.End(ctx, 0, one[0], three[0], three[1])
		s.Misses("jobs")
		s.Stays("no pod is created", func(g Gomega) {
			g.Expect(CreatedFor(s.Sandbox, s.Job("one"))).To(HaveLen(1))
			g.Expect(CreatedFor(s.Sandbox, s.Job("three"))).To(HaveLen(3))
		})
		release()
		completes(s.Sandbox, "one", 1)
		s.End(ctx, 0, three[2])
		completes(s.Sandbox, "three", 3)
	})

	// Wrong: goes by the name, and finds a Job that has a pod already.
	It("with a stale view of Jobs, a new Job gets its own pods despite a deleted one of its name", Covers(StaleUID), func(ctx SpecContext) {
		s := started(ctx)
		old := framework.Create(ctx, s.Sandbox, puppet.Job("a").Obj())
		pod := Running(s.Sandbox, "a", 1)[0]

		release := s.Hold("jobs")
		s.Delete(ctx, old)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Obj())
		s.Misses("jobs")
		release()
		gone(s.Sandbox, pod)
		s.End(ctx, 0, Running(s.Sandbox, "a", 1)...)
		completes(s.Sandbox, "a", 1)
	})

	// Wrong: creates a pod for each that it does not see.
	It("with a stale view of pods, the controller creates no more than needed and counts each once", Covers(StalePods), func(ctx SpecContext) {
		s := started(ctx)
		release := s.Hold("pods")
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(2).Completions(2).ExitCodes("0").Obj())
		s.Misses("pods")
		s.Stays("there are two pods at most", func(g Gomega) {
			g.Expect(len(CreatedFor(s.Sandbox, s.Job("a")))).To(BeNumerically("<=", 2))
		})
		release()
		completes(s.Sandbox, "a", 2)
	})

	// Wrong: loses what happened while its watch delivered nothing.
	It("after a stale view of pods, the controller counts the pods that ended meanwhile", Covers(StalePods), func(ctx SpecContext) {
		s := started(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(3).Completions(3).Obj())
		pods := Running(s.Sandbox, "a", 3)
		release := s.Hold("pods")
		s.End(ctx, 0, pods[:2]...)
		s.Misses("pods")
		release()
		Counts(s.Sandbox, "a", "two pods are counted", Counters{Active: 1, Ready: 1, Succeeded: 2})
		s.End(ctx, 0, pods[2])
		completes(s.Sandbox, "a", 3)
	})

	// #104666; upstream and the reference list at most 500 uncounted pods in a status.
	// The controller is killed until all pods have ended, so that it sees them at
	// once. Scheduling gates keep the pods from running, which would take long.
	// Wrong: releases pods that it did not list.
	It("the controller counts every pod when more end than its status lists at once", takesLong, Covers(CountsOnce, ReleasesBeforeFinish), func(ctx SpecContext) {
		const n = 510
		s := started(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(n).Completions(n).With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/never"}}
		}).Obj())
		CountsAfter(s.Sandbox, time.Minute, "a", "all pods are created", Counters{Active: n})

		s.Kill()
		var ends errgroup.Group
		ends.SetLimit(8)
		for _, pod := range PodsOf(s.Sandbox, s.Job("a")) {
			ends.Go(func() error {
				ended := pod.DeepCopy()
				ended.Status.Phase = corev1.PodSucceeded
				return s.Client.Status().Patch(ctx, ended, client.MergeFrom(&pod))
			})
		}
		Expect(ends.Wait()).To(Succeed())
		s.Start()
		s.SoonAfter(time.Minute, "Job a is Complete", func(g Gomega) { g.Expect(s.Job("a").Status.CompletionTime).NotTo(BeNil()) })
		completes(s.Sandbox, "a", n)
	})
})
