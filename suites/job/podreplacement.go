package job

import (
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

// Source: KEP-3939. What both policies do with one pod is among the specs of
// parallelism.
var _ = Describe("podReplacementPolicy", Label("area:job", "behaviour:podReplacementPolicy"), func() {
	held := func(policy batchv1.PodReplacementPolicy) *puppet.JobBuilder {
		return puppet.Job("a").PodReplacementPolicy(policy).Puppet(map[string]string{puppet.Terminate: puppet.Hold})
	}

	Describe("Failed", func() {
		// Wrong: replaces all when the first of them has ended.
		It("replaces each pod when it has ended", Covers(FailedReplacesAfterEnd, FailedCountsAfterEnd), func(ctx SpecContext) {
			s := WithJob(ctx, held(batchv1.Failed).Parallelism(3).Completions(3))

			pods := Running(s, "a", 3)
			s.Remove(ctx, pods[0])
			s.Remove(ctx, pods[1])
			waiting := func(g Gomega) {
				g.Expect(s.Created()).To(HaveLen(3))
				g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1, Terminating: 2}))
			}
			s.Soon("two pods are terminating", waiting)
			s.Stays("nothing takes their place", waiting)
			release(ctx, s, "143", pods[0])
			CountsAfter(s, firstBackoff, "a", "one pod is replaced", Counters{Active: 2, Ready: 2, Terminating: 1, Failed: 1})
			release(ctx, s, "143", pods[1])
			CountsAfter(s, 2*firstBackoff, "a", "both pods are replaced", Counters{Active: 3, Ready: 3, Failed: 2})
			Expect(s.Created()).To(HaveLen(5))
		})

		// Wrong: takes every deleted pod for a failed one.
		It("counts a pod as succeeded that ends so although it is deleted", Covers(FailedCountsAfterEnd), func(ctx SpecContext) {
			s := WithJob(ctx, held(batchv1.Failed).BackoffLimit(0))

			pod := Running(s, "a", 1)[0]
			s.Delete(ctx, &pod)
			Counts(s, "a", "the pod is terminating", Counters{Terminating: 1})
			release(ctx, s, "0", pod)
			Completes(s, "a", Counters{Succeeded: 1})
			Expect(s.Created()).To(HaveLen(1))
		})

		// Wrong: counts terminating pods, but not by their index; or stops altogether.
		It("keeps an index from being started twice, but not the others", Covers(FailedBlocksTheIndexOnly), func(ctx SpecContext) {
			s := WithJob(ctx, held(batchv1.Failed).Indexed().Parallelism(2).Completions(3))

			pod := Running(s, "a", 2)[0]
			index := indexesOf(s.Active())[0]
			s.Remove(ctx, pod)
			Counts(s, "a", "the pod is terminating", Counters{Active: 1, Ready: 1, Terminating: 1})
			SetParallelism(ctx, s, "a", 3)
			bothOthers := func(g Gomega) {
				g.Expect(indexesOf(s.Active())).To(And(HaveLen(2), Not(ContainElement(index))))
				g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2, Terminating: 1}))
			}
			s.Soon("both other indexes run", bothOthers)
			s.Stays("the index of the terminating pod does not", bothOthers)
			release(ctx, s, "143", pod)
			s.SoonAfter(firstBackoff, "it runs again", func(g Gomega) {
				g.Expect(indexesOf(s.Active())).To(ConsistOf("0", "1", "2"))
				g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3, Failed: 1}))
			})
		})

		// Wrong: forgets pods that it has deleted itself.
		It("makes a resumed Job wait for its old pods", Covers(FailedDelaysResume), func(ctx SpecContext) {
			s := WithJob(ctx, held(batchv1.Failed).Parallelism(2).Completions(2))

			pods := Running(s, "a", 2)
			SuspendJob(ctx, s, "a")
			s.Soon("the Job is suspended", func(g Gomega) {
				g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobSuspended))
				g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Terminating: 2}))
			})
			ResumeJob(ctx, s, "a")
			s.Stays("no pod is created", func(g Gomega) {
				g.Expect(s.Created()).To(HaveLen(2))
				g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Terminating: 2}))
			})
			release(ctx, s, "143", pods[0])
			Counts(s, "a", "one pod runs", Counters{Active: 1, Ready: 1, Terminating: 1})
			release(ctx, s, "143", pods[1])
			Running(s, "a", 2)
			Expect(s.Created()).To(HaveLen(4))
		})

		It("replaces a failed pod that nobody deletes", Covers(BothReplaceFailed), func(ctx SpecContext) {
			s := WithJob(ctx, puppet.Job("a").PodReplacementPolicy(batchv1.Failed).FinishedAgo(longAgo))

			s.End(ctx, 1, Running(s, "a", 1)...)
			CountsAfter(s, firstBackoff, "a", "another pod has taken its place", Counters{Active: 1, Ready: 1, Failed: 1})
		})
	})

	Describe("TerminatingOrFailed", func() {
		// Wrong: counts the pod twice, or lets it complete the Job beside the pod that
		// has taken its place.
		It("counts a pod as failed that is deleted, even if it succeeds in the end", Covers(TerminatingReplacesAtOnce, TerminatingStaysFailed), func(ctx SpecContext) {
			s := WithJob(ctx, held(batchv1.TerminatingOrFailed))

			pod := Running(s, "a", 1)[0]
			s.Remove(ctx, pod)
			CountsAfter(s, firstBackoff, "a", "another pod has taken its place", Counters{Active: 1, Ready: 1, Terminating: 1, Failed: 1})
			release(ctx, s, "0", pod)
			s.Soon("the pod is gone", func(g Gomega) {
				g.Expect(s.Pods()).To(HaveLen(1))
				g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1, Failed: 1}))
			})
			s.End(ctx, 0, s.Active()...)
			Completes(s, "a", Counters{Succeeded: 1, Failed: 1})
		})

		It("lets a resumed Job go on beside its old pods", Covers(FailedDelaysResume), func(ctx SpecContext) {
			s := WithJob(ctx, held(batchv1.TerminatingOrFailed).Parallelism(2).Completions(2))

			pods := Running(s, "a", 2)
			SuspendJob(ctx, s, "a")
			s.Soon("the Job is suspended", func(g Gomega) {
				g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobSuspended))
				g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Terminating: 2}))
			})
			ResumeJob(ctx, s, "a")
			Counts(s, "a", "two new pods run beside the old ones", Counters{Active: 2, Ready: 2, Terminating: 2})
			release(ctx, s, "143", pods...)
			Counts(s, "a", "the old pods are gone", Counters{Active: 2, Ready: 2})
			Expect(s.Created()).To(HaveLen(4))
		})
	})
})
