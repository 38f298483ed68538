package job

import (
	"context"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// hold is a finalizer by which a spec keeps something that is deleted.
const hold = "example.org/hold"

// Source: batch/v1 JobStatus.terminating, active and ready; KEP-3939, KEP-2879.
var _ = Describe("terminating", Label("area:job", "behaviour:podReplacementPolicy"), func() {

	// A finalizer of somebody else's holds the pod. Wrong: goes by the
	// deletionTimestamp alone, and waits for a pod that has ended.
	It("does not mean pods that have ended and cannot go yet", Covers(EndedIsNotTerminating), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Completions(2))

		pod := Running(s, "a", 1)[0]
		framework.Change(ctx, s, &pod, func(p *corev1.Pod) { controllerutil.AddFinalizer(p, hold) })
		DeferCleanup(func(ctx context.Context) { letGo(ctx, s, &pod, hold) })
		s.End(ctx, 0, pod)
		nextRuns := func(g Gomega) {
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1, Succeeded: 1}))
		}
		s.Soon("the success is counted and the next pod runs", nextRuns)
		s.Delete(ctx, &pod)
		s.Soon("the pod is being deleted", func(g Gomega) { g.Expect(podNamed(s, pod.Name).DeletionTimestamp).NotTo(BeNil()) })
		s.Stays("it does not count as terminating", nextRuns)
		s.End(ctx, 0, others(s.Active(), pod)...)
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(podNamed(s, pod.Name).DeletionTimestamp).NotTo(BeNil())
	})

	// The pod is ready to its end. Wrong: counts what the condition says.
	It("means neither active nor ready", Covers(TerminatingIsNotActive), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(3).Completions(3).PodReplacementPolicy(batchv1.Failed).
			Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := Running(s, "a", 3)
		for i, want := range []Counters{
			{Active: 2, Ready: 2, Terminating: 1}, {Active: 1, Ready: 1, Terminating: 2}, {Terminating: 3},
		} {
			s.Delete(ctx, &pods[i])
			Counts(s, "a", "one more pod is terminating", want)
		}
		release(ctx, s, "0", pods...)
		Completes(s, "a", Counters{Succeeded: 3})
	})
})
