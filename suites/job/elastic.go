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
	"k8s.io/utils/ptr"
)

// Source: KEP-3715.
var _ = Describe("elastic Indexed Job", Label("area:job", "behaviour:indexed"), func() {

	// Wrong: remembers by the status what it should not, or forgets what it should
	// remember.
	It("forgets completed indexes that are scaled away, and runs them again when they are back", Covers(ScaleDownForgetsIndexes, ReturnedIndexRunsAgain), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(4).Completions(4))

		pods := byIndex(Running(s, "a", 4))
		s.End(ctx, 0, pods["1"], pods["3"])
		s.Soon("two indexes are completed", func(g Gomega) {
			g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("1,3"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2, Succeeded: 2}))
		})
		rescale(ctx, s, "a", 3)
		s.Soon("index 3 is forgotten", func(g Gomega) {
			g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("1"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2, Succeeded: 1}))
		})
		Expect(indexesOf(s.Active())).To(ConsistOf("0", "2"))
		rescale(ctx, s, "a", 4)
		s.Soon("index 3 runs again", func(g Gomega) {
			g.Expect(indexesOf(s.Active())).To(ConsistOf("0", "2", "3"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3, Succeeded: 1}))
		})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 4})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-3"))
	})

	// Wrong: starts completed indexes anew.
	It("keeps completed indexes when it grows", Covers(ScaleUpRunsNewIndexes), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2))

		pods := byIndex(Running(s, "a", 2))
		s.End(ctx, 0, pods["0"])
		s.Soon("index 0 is completed", func(g Gomega) { g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0")) })
		rescale(ctx, s, "a", 4)
		s.Soon("the new indexes run beside the old one", func(g Gomega) {
			g.Expect(indexesOf(s.Active())).To(ConsistOf("1", "2", "3"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3, Succeeded: 1}))
		})
		Expect(names(s.Active())).To(ContainElement(pods["1"].Name))
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 4})
		Expect(s.Created()).To(HaveLen(4))
	})

	// Wrong: takes the youngest pods, or any.
	It("removes the pods of indexes that are scaled away, and only those", Covers(ScaleDownDeletesIndexes), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(5).Completions(5).BackoffLimit(0))

		pods := byIndex(Running(s, "a", 5))
		rescale(ctx, s, "a", 2)
		s.Soon("two pods are left", func(g Gomega) {
			g.Expect(names(s.Pods())).To(ConsistOf(pods["0"].Name, pods["1"].Name))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2}))
		})
	})

	// Wrong: subtracts failures with their index.
	It("keeps counting the failures of indexes that are scaled away", Covers(ScaleDownKeepsFailures), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(3).Completions(3).BackoffLimit(1))

		pods := byIndex(Running(s, "a", 3))
		s.End(ctx, 1, pods["2"])
		s.Soon("the failure is counted", func(g Gomega) { g.Expect(CountersOf(s.Job("a")).Failed).To(Equal(int32(1))) })
		rescale(ctx, s, "a", 2)
		s.Soon("the failure is still counted", func(g Gomega) {
			g.Expect(indexesOf(s.Active())).To(ConsistOf("0", "1"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2, Failed: 1}))
		})
		s.End(ctx, 1, pods["1"])
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 3})
	})

	// Wrong: waits for a pod that is no longer wanted, or looks at completions once.
	It("is complete when it is scaled down to what has succeeded", Covers(ScaleDownCompletes), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(3).Completions(3))

		pods := byIndex(Running(s, "a", 3))
		s.End(ctx, 0, pods["0"], pods["1"])
		s.Soon("two indexes are completed", func(g Gomega) { g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0,1")) })
		rescale(ctx, s, "a", 2)
		s.Soon("the Job is Complete, and its third pod gone", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobComplete))
			g.Expect(names(s.Pods())).To(ConsistOf(pods["0"].Name, pods["1"].Name))
		})
		Expect(s.Job("a").Status).To(And(HaveField("Succeeded", int32(2)), HaveField("CompletedIndexes", "0,1")))
	})
})

// rescale sets completions and parallelism of an Indexed Job to n.
func rescale(ctx context.Context, s *framework.Sandbox, job string, n int32) {
	GinkgoHelper()
	framework.Change(ctx, s, s.Job(job), func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = ptr.To(n), ptr.To(n) })
}
