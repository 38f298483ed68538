package job

import (
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// forgotten is on specs about failures in a row: of those that were counted, a new leader may know nothing.
var forgotten = framework.OneLeader("a new leader may not know of earlier failures")

// These specs check that a back-off is neither too short nor too long. Most of it is over
// when a pod ends, by the times in its status; the rest is waited for. Those with several
// failures at the same time are among the faults: there, no failure is seen before the
// others.
var _ = Describe("Job backoffLimit:", behaviour.BackoffLimit, framework.Simulated(
	"a kubelet stamps its own time"), func() {
	// Wrong: doubles the delay no more than once; begins with a longer one.
	It("the controller waits 80 s after the fourth failure, and not longer", covers.Requirements(
		BackoffDoubles), forgotten, func(ctx SpecContext) {
		s, pod := withThreeFailures(ctx)
		pod.Direct(map[string]string{puppet.FinishedAgo: "72s", puppet.ExitCodes: "1"})
		podsReach(s, corev1.PodFailed, 4)
		nextPodIsDue(s, pod.EndedAt(), 8*firstBackoff)
	})

	// Wrong: takes the pod's creation, or the time of its own sync, for the end.
	It("the controller waits 80 s from when a pod whose containers run on stopped being ready", covers.Requirements(
		BackoffOfUnterminated), forgotten, func(ctx SpecContext) {
		s, pod := withThreeFailures(ctx)
		nextPodIsDue(s, loseNode(s, pod, 76*time.Second), 8*firstBackoff)
	})

	// The pod counts as failed while it terminates, and is ready until then. It is older than the
	// back-off. Wrong: takes its creation for its end.
	It("the controller waits 10 s from the deletion of a pod whose containers run on", covers.Requirements(
		FirstBackoff), covers.MayArise(spec.FailedWithinLimit), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Puppet(terminateLater))
		pod := job.Runs(1)[0]
		s.StaysFor(firstBackoff+2*time.Second, "the pod runs", func(g Gomega) { g.Expect(s.Active()).To(HaveLen(1)) })
		Expect(s.Client.Delete(ctx, &pod.Pod)).To(Succeed())
		isBeingDeleted(s, pod)
		deleted := pod.Now()
		grace := time.Duration(*deleted.DeletionGracePeriodSeconds) * time.Second
		nextPodIsDue(s, deleted.DeletionTimestamp.Add(-grace), firstBackoff)
	})
})

var _ = Describe("Job podFailurePolicy:", behaviour.PodFailurePolicy, framework.Simulated(
	"a kubelet terminates containers"), func() {
	// Wrong: panics, or takes the exit code that is not there for 0.
	It("a failed pod whose containers run on matches no rule with exit codes", covers.Requirements(
		UnterminatedHasNoExitCode), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").PodFailurePolicy(
			onExitCodes(failJob, in, 42), onExitCodes(failJob, batchv1.PodFailurePolicyOnExitCodesOpNotIn, 42)))
		loseNode(s, job.Runs(1)[0], time.Hour)
		job.Counts("the failure is counted, and the pod replaced", Counters{Active: 1, Ready: 1, Failed: 1})
		Expect(job.Conditions()).To(BeEmpty())
	})
})

var _ = Describe("Job backoffLimitPerIndex:", behaviour.BackoffLimitPerIndex, framework.Simulated(
	"a kubelet stamps its own time"), func() {
	// Wrong: counts for the delay only what counts towards the limit.
	It("the controller waits 40 s after the third ignored failure of an index, and not longer", covers.Requirements(
		IgnoredFailuresDelayIndex), covers.Uses(contract.PodFailurePolicy), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Completions(1).BackoffLimitPerIndex(1).FinishedAgo(longAgo).
			PodFailurePolicy(onExitCodes(ignore, in, 42)))
		job.Runs(1).End(42)
		indexRunsAgain(s, job, "0", 2).End(42)
		pod := indexRunsAgain(s, job, "0", 3)
		pod.Direct(map[string]string{puppet.FinishedAgo: "36s", puppet.ExitCodes: "42"})
		podsReach(s, corev1.PodFailed, 3)
		nextPodIsDue(s, pod.EndedAt(), 4*firstBackoff)
	})
})

var _ = Describe("Job backoffLimitPerIndex:", behaviour.BackoffLimitPerIndex, framework.Simulated(
	"a kubelet stamps its own time"), func() {
	// One index is due 20 s after its second failure, the other one soon. Wrong: waits for the longest
	// of several back-offs, or for that of the first index.
	DescribeTable("an index runs again when its back-off is over, while that of another goes on",
		func(ctx SpecContext, first, second string) {
			s := framework.New(ctx)
			job := s.Create(indexed(2).BackoffLimitPerIndex(2).FinishedAgo(longAgo))
			byIndex(job.Runs(2))[second].End(1)
			later, sooner := indexRunsAgain(s, job, second, 3), byIndex(s.Active())[first]
			later.Direct(map[string]string{puppet.FinishedAgo: "0s", puppet.ExitCodes: "1"})
			podsReach(s, corev1.PodFailed, 2)
			sooner.Direct(map[string]string{puppet.FinishedAgo: "6s", puppet.ExitCodes: "1"})
			podsReach(s, corev1.PodFailed, 3)
			nextPodIsDue(s, sooner.EndedAt(), firstBackoff)
			next := s.Created()[3]
			Expect(indexesOf(framework.Pods{next})).To(ConsistOf(first))
			Expect(next.CreationTimestamp.Time).To(BeTemporally("<", later.EndedAt().Add(2*firstBackoff-2*time.Second)))
		},
		Entry("of a higher index", covers.Requirements(BackoffLeavesOtherIndexes), "0", "1"),
		Entry("of a lower index", covers.Requirements(BackoffLeavesOtherIndexes), "1", "0"),
	)
})

var _ = Describe("Job backoffLimit:", behaviour.BackoffLimit, framework.Simulated(
	"a kubelet stamps its own time"), func() {
	// Wrong: leaves init containers out.
	It("the controller waits 10 s after the end of the sidecar, where that ended last", covers.Requirements(
		BackoffAfterSidecars), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").With(withSidecar))
		pod, at := job.Runs(1)[0], time.Now().Truncate(time.Second)
		ended := func(ago time.Duration) corev1.ContainerState {
			return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1,
				FinishedAt: metav1.NewTime(at.Add(-ago))}}
		}
		const sidecarEnded = 2 * time.Second
		framework.ChangeStatus(s, pod.Now(), func(p *corev1.Pod) {
			p.Status.Phase = corev1.PodFailed
			p.Status.ContainerStatuses[0].State = ended(time.Hour)
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "sidecar", State: ended(sidecarEnded)}}
		})
		nextPodIsDue(s, at.Add(-sidecarEnded), firstBackoff)
	})
})

// How pods fail that do not show when they ended. Source: #76370, #72593: nodes reject pods within
// milliseconds, and each gets a successor.
var (
	rejectedByNode = func(p *corev1.PodStatus) { p.Reason, p.ContainerStatuses = "OutOfcpu", nil }
	neverStarted   = func(*corev1.PodStatus) {}
	endedSometime  = func(p *corev1.PodStatus) {
		p.ContainerStatuses[0].State = corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "ContainerStatusUnknown"}}
	}
)

var _ = Describe("Job backoffLimit:", behaviour.BackoffLimit, framework.Simulated(
	"a kubelet reports its pods itself"), func() {
	// Wrong: takes no time for one long ago.
	DescribeTable("the controller waits 10 s from the creation of a failed pod",
		func(ctx SpecContext, fails func(*corev1.PodStatus)) {
			waitsFromCreation(ctx, puppet.Job("a"), fails)
		},
		Entry("that its node rejected", covers.Requirements(BackoffOfRejected), rejectedByNode),
		Entry("whose containers never started", covers.Requirements(BackoffOfRejected), neverStarted),
		Entry("whose container ended nobody knows when", covers.Requirements(BackoffOfRejected), endedSometime),
	)
})

var _ = Describe("Job backoffLimitPerIndex:", behaviour.BackoffLimitPerIndex, framework.Simulated(
	"a kubelet reports its pods itself"), func() {
	It("the controller waits 10 s from the creation of an index's pod that its node rejected", covers.Requirements(
		RejectedDelaysIndex), func(ctx SpecContext) {
		waitsFromCreation(ctx, indexed(1).BackoffLimitPerIndex(3), rejectedByNode)
	})
})

// waitsFromCreation has the pod of a Job fail before its containers start, and expects the back-off from
// its creation on.
func waitsFromCreation(ctx context.Context, job *puppet.JobBuilder, fails func(*corev1.PodStatus)) {
	GinkgoHelper()
	s := framework.New(ctx)
	s.Create(job.Puppet(map[string]string{puppet.Start: puppet.Hold}))
	s.Soon("the pod is about to start", func(g Gomega) {
		g.Expect(s.Active()).To(ConsistOf(HaveField("Status.ContainerStatuses", HaveLen(1))))
	})
	pod := s.Active()[0]
	pod.ChangeStatus(func(p *corev1.Pod) {
		p.Status.Phase = corev1.PodFailed
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue}}
		fails(&p.Status)
	})
	nextPodIsDue(s, pod.CreationTimestamp.Time, firstBackoff)
}

// manyFailures are so many that 10 s, doubled for each after the first, are more than a time.Duration holds.
const manyFailures = 31

// Wrong: shifts the delay, so that it becomes negative; or has no maximum.
var _ = Describe("Job backoffLimit:", behaviour.BackoffLimit, framework.Simulated(
	"a kubelet stamps its own time"), func() {
	DescribeTable("after many failures in a row, the controller", forgotten,
		func(ctx SpecContext, ago string, goesOn func(*framework.Sandbox, *framework.Job)) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a").Parallelism(0).Completions(1).BackoffLimit(2 * manyFailures))
			failedBefore(s, job, manyFailures, "", map[string]string{puppet.FinishedAgo: ago})
			job.Counts("the failures are counted", Counters{Failed: manyFailures})
			job.SetParallelism(1)
			goesOn(s, job)
		},
		Entry("creates no pod after a minute", covers.Requirements(BackoffDoubles), "1m", createsNone),
		Entry("creates a pod after 10 min", covers.Requirements(BackoffIsLimited), "601s", createsOne),
	)
})

var _ = Describe("Job backoffLimitPerIndex:", behaviour.BackoffLimitPerIndex, framework.Simulated(
	"a kubelet stamps its own time"), func() {
	DescribeTable("after many failures of an index in a row, the controller",
		func(ctx SpecContext, ago string, goesOn func(*framework.Sandbox, *framework.Job)) {
			s := framework.New(ctx)
			s.ExceptRest() // the pod records failures that the history does not have
			s.Except("job-index-failure-count")
			job := s.Create(indexed(1).Parallelism(0).BackoffLimitPerIndex(2 * manyFailures))
			failedBefore(s, job, 1, "0", map[string]string{puppet.FinishedAgo: ago,
				batchv1.JobIndexFailureCountAnnotation: fmt.Sprint(manyFailures - 1)})
			catchesUp(s)
			job.SetParallelism(1)
			goesOn(s, job)
		},
		Entry("creates no pod of it after a minute", covers.Requirements(BackoffPerIndex), "1m", createsNone),
		Entry("creates a pod of it after 10 min", covers.Requirements(BackoffIsLimited),
			covers.Uses(contract.BackoffLimitPerIndex), "601s", createsOne),
	)
})

// failedBefore gives a Job n pods of an index that have failed, with annotations.
func failedBefore(s *framework.Sandbox, job *framework.Job, n int, index string, annotations map[string]string) {
	GinkgoHelper()
	annotations[puppet.ExitCodes] = "1"
	name := func(i int) string { return fmt.Sprint("failed-", i) }
	for i := range n {
		framework.Create(s, orphanPod(name(i), maps.Clone(annotations)))
	}
	podsReach(s, corev1.PodFailed, n)
	for i := range n {
		match(s, job, name(i), index)
	}
}

func createsNone(s *framework.Sandbox, job *framework.Job) {
	GinkgoHelper()
	s.Stays("no pod is created", func(g Gomega) { g.Expect(job.Created()).To(BeEmpty()) })
}

func createsOne(_ *framework.Sandbox, job *framework.Job) {
	GinkgoHelper()
	job.Runs(1)
}

// withThreeFailures returns a sandbox with a Job of which three pods have failed long ago,
// and its running pod.
func withThreeFailures(ctx context.Context) (*framework.Sandbox, framework.Pod) {
	GinkgoHelper()
	s := framework.New(ctx)
	job := s.Create(puppet.Job("a").FinishedAgo(longAgo))
	for failures := int32(1); failures <= 3; failures++ {
		job.Runs(1).End(1)
		job.Counts("the next pod runs", Counters{Active: 1, Ready: 1, Failed: failures})
	}
	return s, s.Active()[0]
}

// nextPodIsDue waits for one more pod, and expects that it is not created before the
// back-off after the last failure, nor later than one reaction may take. Times are in
// full seconds.
func nextPodIsDue(s *framework.Sandbox, ended time.Time, backoff time.Duration) {
	GinkgoHelper()
	before := len(s.Created()) - len(s.Active()) // on a busy machine it may be there already
	s.SoonAfter(time.Until(ended.Add(backoff)), "another pod is created", func(g Gomega) {
		g.Expect(s.Created()).To(HaveLen(before + 1))
	})
	Expect(s.Created()[before].CreationTimestamp.Sub(ended)).To(
		BeNumerically(">=", backoff-time.Second), "time between failure and next pod")
}

// loseNode has a running pod fail as on a node that is lost: its containers are reported
// as running. It stopped being ready at the time that is returned.
func loseNode(s *framework.Sandbox, pod framework.Pod, ago time.Duration) time.Time {
	GinkgoHelper()
	since := metav1.NewTime(time.Now().Add(-ago).Truncate(time.Second))
	framework.ChangeStatus(s, pod.Now(), func(p *corev1.Pod) {
		p.Status.Phase, p.Status.Reason = corev1.PodFailed, "NodeLost"
		ready := kinds.Ready(p)
		ready.Status, ready.LastTransitionTime = corev1.ConditionFalse, since
	})
	return since.Time
}
