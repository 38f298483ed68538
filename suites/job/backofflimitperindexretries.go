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

// These specs are about the count of an index's failures, and its back-off.
var _ = Describe("Job backoffLimitPerIndex:", Label("area:job", "behaviour:backoffLimitPerIndex"), func() {
	// Wrong: omits the annotation on the first pod, or counts for all indexes together.
	It("each pod has the number of failures of its index as an annotation", Covers(
		FailureCountAnnotation), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimitPerIndex(2).FinishedAgo(longAgo))
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

	// Wrong: counts ignored failures, or omits their number.
	It("ignored failures do not count, and each pod has their number as an annotation", Covers(
		IgnoredFailureCountAnnotation, FailureCountAnnotation), func(ctx SpecContext) {
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

	// Times are in full seconds; most of the delay is in the past already. Wrong: creates the
	// next pod at once.
	It("the controller waits 10 s after the first failure of an index", Covers(BackoffPerIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(3).FinishedAgo("6s"))
		s.End(ctx, 1, Running(s, "a", 1)...)
		expectNextPodAfter(s, firstBackoff)
	})

	// Wrong: has a constant delay.
	It("the controller waits 20 s after the second failure of an index", Covers(BackoffPerIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(3).FinishedAgo(longAgo))
		s.End(ctx, 1, Running(s, "a", 1)...)
		pod := indexRunsAgain(s, "0", 2)
		s.Direct(ctx, pod, map[string]string{puppet.FinishedAgo: "16s"})
		s.End(ctx, 1, pod)
		expectNextPodAfter(s, 2*firstBackoff)
	})

	// The delay of index 0 after three failures is 40 s, which is longer than any reaction may
	// take. On a kubelet, whose failures are recent, index 1 may run from the first failure
	// on. Wrong: has one back-off for the whole Job.
	It("the back-off of an index does not delay another index", framework.Simulated(
		"a kubelet stamps its own time"), Covers(BackoffLeavesOtherIndexes), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(1).Completions(2).BackoffLimitPerIndex(9).
			FinishedAgo(longAgo))
		s.End(ctx, 1, Running(s, "a", 1)...)
		s.End(ctx, 1, indexRunsAgain(s, "0", 2))
		third := indexRunsAgain(s, "0", 3)
		s.Direct(ctx, third, map[string]string{puppet.FinishedAgo: ""})
		s.End(ctx, 1, third)
		s.Soon("no index runs", func(g Gomega) {
			g.Expect(podNamed(s, third.Name).Status.Phase).To(Equal(corev1.PodFailed))
			g.Expect(CountersOf(s.Job("a"))).To(HaveField("Active", int32(0)))
		})
		SetParallelism(ctx, s, "a", 2)
		s.Soon("the other index runs", func(g Gomega) {
			g.Expect(byIndex(s.Active())).To(HaveKey("1"))
		})
		next := byIndex(s.Created()[3:])["1"].CreationTimestamp
		Expect(next.Sub(endOf(s, third.Name))).To(
			BeNumerically("<", 4*firstBackoff-time.Second), "time between the failure of index 0 and the pod of index 1")
	})

	// Wrong: removes the finalizer of the failed pod at once, and starts to count at 0.
	It("the controller counts a failed pod that is deleted before it is replaced", Covers(
		IndexFailuresOutliveThePod), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(2).BackoffLimitPerIndex(1).FinishedAgo("6s"))
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
		indexesFail(s, "0")
		s.End(ctx, 0, pods["1"])
		Fails(s, "a", batchv1.JobReasonFailedIndexes, Counters{Succeeded: 1, Failed: 2})
		Expect(s.Created()).To(HaveLen(3))
	})
})

// failureCounts returns the index-failure-count of an index's pods, in the order of
// their creation.
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
