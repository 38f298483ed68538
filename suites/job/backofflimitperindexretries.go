package job

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// How the failures of an index are remembered, and for how long they put its next
// pod off.
var _ = Describe("backoffLimitPerIndex", Label("area:job", "behaviour:backoffLimitPerIndex"), func() {

	// Wrong: has no annotation on the first pod, or counts for all indexes
	// together.
	It("has pods tell how often their index has failed", Covers(FailureCountAnnotation), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimitPerIndex(2).FinishedAgo(longAgo))

		pods := byIndex(Running(s, "a", 2))
		Expect(failureCounts(s.Created(), "0")).To(Equal([]string{"0"}))
		Expect(failureCounts(s.Created(), "1")).To(Equal([]string{"0"}))
		s.End(ctx, 1, pods["0"])
		s.End(ctx, 1, indexRunsAgain(s, "0", 3))
		indexRunsAgain(s, "0", 4)
		s.End(ctx, 1, pods["1"])
		indexRunsAgain(s, "1", 5)
		Expect(failureCounts(s.Created(), "0")).To(Equal([]string{"0", "1", "2"}))
		Expect(failureCounts(s.Created(), "1")).To(Equal([]string{"0", "1"}))
	})

	// Wrong: counts it, or forgets it.
	It("leaves out failures that are ignored, and has pods tell their number, too", Covers(IgnoredFailureCountAnnotation, FailureCountAnnotation), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(1).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(ignore, in, 42)))

		s.End(ctx, 42, Running(s, "a", 1)...)
		s.End(ctx, 1, indexRunsAgain(s, "0", 2))
		s.End(ctx, 42, indexRunsAgain(s, "0", 3))
		s.End(ctx, 1, indexRunsAgain(s, "0", 4))
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Failed: 2})
		Expect(failedIndexes(s)).To(Equal("0"))
		Expect(failureCounts(s.Created(), "0")).To(Equal([]string{"0", "0", "1", "1"}))
		ignored := annotations(s.Created(), "0", batchv1.JobIndexIgnoredFailureCountAnnotation)
		Expect(ignored[0]).To(Or(BeEmpty(), Equal("0"))) // absent means zero
		Expect(ignored[1:]).To(Equal([]string{"1", "1", "2"}))
	})

	// Times are in full seconds; most of the delay is in the past already.
	//
	// Wrong: starts the next pod at once, or as if none had failed.
	It("puts an index off for 10 s after its first failure", Covers(BackoffPerIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(3).FinishedAgo("6s"))

		s.End(ctx, 1, Running(s, "a", 1)...)
		expectNextPodAfter(s, firstBackoff)
	})

	// Wrong: the delay never grows.
	It("puts an index off for 20 s after its second failure", Covers(BackoffPerIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(3).FinishedAgo(longAgo))

		s.End(ctx, 1, Running(s, "a", 1)...)
		pod := indexRunsAgain(s, "0", 2)
		s.Direct(ctx, pod, map[string]string{puppet.FinishedAgo: "16s"})
		s.End(ctx, 1, pod)
		expectNextPodAfter(s, 2*firstBackoff)
	})

	// Three failures put index 0 off for 40 s, which is longer than any reaction
	// may take. On a kubelet, whose failures are not long ago, index 1 may have the
	// only place from the first failure on. Wrong: waits for the delay of the whole
	// Job.
	It("does not put another index off", framework.Simulated("a kubelet stamps its own time"), Covers(BackoffLeavesOtherIndexes), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(1).Completions(2).BackoffLimitPerIndex(9).FinishedAgo(longAgo))

		s.End(ctx, 1, Running(s, "a", 1)...)
		s.End(ctx, 1, indexRunsAgain(s, "0", 2))
		third := indexRunsAgain(s, "0", 3)
		s.Direct(ctx, third, map[string]string{puppet.FinishedAgo: ""})
		s.End(ctx, 1, third)
		s.Soon("the index waits", func(g Gomega) {
			g.Expect(podNamed(s, third.Name).Status.Phase).To(Equal(corev1.PodFailed))
			g.Expect(CountersOf(s.Job("a"))).To(HaveField("Active", int32(0)))
		})
		SetParallelism(ctx, s, "a", 2)
		s.Soon("the other index runs", func(g Gomega) {
			g.Expect(byIndex(s.Active())).To(HaveKey("1"))
		})
		next := byIndex(s.Created()[3:])["1"].CreationTimestamp
		Expect(next.Sub(podNamed(s, third.Name).Status.ContainerStatuses[0].State.Terminated.FinishedAt.Time)).To(
			BeNumerically("<", 4*firstBackoff-time.Second), "time between the last failure of index 0 and the first pod of index 1")
	})

	// Wrong: lets the failed pod go at once, and begins anew.
	It("remembers the failure of a pod that is deleted before it is replaced", Covers(IndexFailuresOutliveThePod), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(2).BackoffLimitPerIndex(1).FinishedAgo("6s"))

		pods := byIndex(Running(s, "a", 2))
		failed := pods["0"]
		s.End(ctx, 1, failed)
		s.Soon("the pod has failed", func(g Gomega) {
			g.Expect(podNamed(s, failed.Name).Status.Phase).To(Equal(corev1.PodFailed))
		})
		s.Delete(ctx, &failed)
		retry := indexRunsAgain(s, "0", 3)
		Expect(failureCounts(s.Created(), "0")).To(Equal([]string{"0", "1"}))
		s.Soon("the deleted pod is gone", func(g Gomega) { g.Expect(names(s.Pods())).NotTo(ContainElement(failed.Name)) })
		s.End(ctx, 1, retry)
		s.Soon("the index has failed", func(g Gomega) { g.Expect(failedIndexes(s)).To(Equal("0")) })
		s.End(ctx, 0, pods["1"])
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
		Expect(s.Created()).To(HaveLen(3))
	})
})

// failureCounts are what the pods of an index say of its failures, in the order
// of their creation.
func failureCounts(pods []corev1.Pod, index string) []string {
	return annotations(pods, index, batchv1.JobIndexFailureCountAnnotation)
}

func annotations(pods []corev1.Pod, index, name string) []string {
	var out []string
	for _, p := range pods {
		if p.Annotations[batchv1.JobCompletionIndexAnnotation] == index {
			out = append(out, p.Annotations[name])
		}
	}
	return out
}
