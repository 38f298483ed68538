package job

import (
	"context"
	"time"

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

// Sources, where a spec names no other: batch/v1 JobSpec.activeDeadlineSeconds;
// https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup.
//
// Deadlines that pods have to meet before a spec may go on are set when they
// have: no spec depends on how fast anything is.
var _ = Describe("activeDeadlineSeconds", Label("area:job", "behaviour:activeDeadlineSeconds"), func() {

	// Wrong: lets the pods run on, or forgets to count them.
	It("fail the Job when they are over, and remove its pods", Covers(FailsAtDeadline, DeadlineDeletesActive, NoCompletionTimeOnFailure), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).ActiveDeadlineSeconds(1))

		exceeds(s, "a", time.Second, Counters{Failed: 2})
		Expect(s.Job("a").Status.CompletionTime).To(BeNil())
		s.Soon("the pods are gone", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source: KEP-3998; #123775.
	It("are declared exceeded at once, but the Job has Failed only when its last pod has ended", Covers(FailedIsAnnounced, FailedAfterAllPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := Running(s, "a", 1)
		setDeadline(ctx, s, "a", 1)
		s.SoonAfter(time.Second, "the Job is about to fail, and its pod is terminating", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(Equal(map[batchv1.JobConditionType]string{
				batchv1.JobFailureTarget: batchv1.JobReasonDeadlineExceeded,
			}))
			g.Expect(CountersOf(s.Job("a"))).To(HaveField("Terminating", int32(1)))
		})
		release(ctx, s, "143", pods...)
		exceeds(s, "a", time.Second, Counters{Failed: 1})
	})

	// Source: #110294. Wrong: looks at the clock only when a pod changes.
	It("end without anything else happening", Covers(DeadlineIsNoticed), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(3).Puppet(map[string]string{puppet.Start: puppet.Hold}))

		exceeds(s, "a", 3*time.Second, Counters{Failed: 1})
	})

	// Wrong: counts from the creation.
	It("do not begin before a Job that was created suspended is resumed", Covers(DeadlineBeginsAtResume), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(1).Suspend())

		s.Soon("the Job is suspended", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobSuspended))
		})
		s.Stays("the deadline is not exceeded", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).NotTo(Or(HaveKey(batchv1.JobFailureTarget), HaveKey(batchv1.JobFailed)))
		})
		ResumeJob(ctx, s, "a")
		exceeds(s, "a", time.Second, Counters{Failed: 1})
		Expect(s.Created()).To(HaveLen(1))
		Expect(s.Job("a").Status.StartTime.Sub(s.Job("a").CreationTimestamp.Time)).To(BeNumerically(">=", 2*time.Second),
			"startTime and creation")
	})

	// "This timer will effectively be stopped and reset when the Job is resumed
	// again." Wrong: fails the suspended Job, or counts from its first start.
	It("begin anew when a Job is resumed", Covers(DeadlineStopsWhileSuspended), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a"))

		pod := Running(s, "a", 1)[0]
		s.Direct(ctx, pod, map[string]string{puppet.Terminate: puppet.Hold})
		started := s.Job("a").Status.StartTime.Time
		SuspendJob(ctx, s, "a")
		s.Soon("the Job is suspended and its pod terminating", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobSuspended))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Terminating: 1}))
		})
		setDeadline(ctx, s, "a", 2)
		goesOn := func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).NotTo(Or(HaveKey(batchv1.JobFailureTarget), HaveKey(batchv1.JobFailed)))
		}
		s.Stays("the deadline is not exceeded", goesOn)
		// The pod's end makes the controller look at the Job once more.
		release(ctx, s, "143", pod)
		s.Soon("the pod is gone", func(g Gomega) {
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{}))
			goesOn(g)
		})
		ResumeJob(ctx, s, "a")
		exceeds(s, "a", 2*time.Second, Counters{Failed: 1})
		Expect(s.Created()).To(HaveLen(2))
		Expect(s.Job("a").Status.StartTime.Sub(started)).To(BeNumerically(">=", 2*time.Second), "startTime before and after")
	})

	// Wrong: does not look at the status first.
	It("say nothing about a Job that was complete before", Covers(DeadlineAfterCompletion), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(3600).ExitCodes("0"))

		Completes(s, "a", Counters{Succeeded: 1})
		setDeadline(ctx, s, "a", 1)
		s.Stays("the Job is complete and has not failed", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobComplete))
			g.Expect(TrueConditions(s.Job("a"))).NotTo(HaveKey(batchv1.JobFailed))
		})
	})

	// "Once a Job reaches activeDeadlineSeconds, all of its running Pods are
	// terminated." Wrong: takes finished ones with them.
	It("leave pods that have succeeded alone", Covers(DeadlineKeepsFinished), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2))

		pods := Running(s, "a", 2)
		s.End(ctx, 0, pods[0])
		Counts(s, "a", "the success is counted", Counters{Active: 1, Ready: 1, Succeeded: 1})
		setDeadline(ctx, s, "a", 1)
		exceeds(s, "a", time.Second, Counters{Succeeded: 1, Failed: 1})
		s.Soon("only the pod that ran is gone", func(g Gomega) { g.Expect(names(s.Pods())).To(ConsistOf(pods[0].Name)) })
	})

	// "Takes precedence over its .spec.backoffLimit." Wrong: wakes up only when
	// the next pod is due, which is after 40 s.
	It("end while the next pod is still put off", Covers(DeadlineBeatsBackoff), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(3).Completions(3))

		pods := Running(s, "a", 3)
		s.End(ctx, 1, pods...)
		failuresCounted(s, pods, Counters{Failed: 3})
		setDeadline(ctx, s, "a", 5)
		exceeds(s, "a", 5*time.Second, Counters{Failed: 3})
		Expect(s.Created()).To(HaveLen(3))
		failed := podNamed(s, s.Created()[0].Name).Status.ContainerStatuses[0].State.Terminated.FinishedAt
		Expect(framework.Condition(s.Job("a"), batchv1.JobFailed).LastTransitionTime.Sub(failed.Time)).To(
			BeNumerically("<", 4*firstBackoff-time.Second), "time between the first failure and the end")
	})

	It("can be shortened while the Job runs", Covers(ChangedDeadline), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(3600))

		Running(s, "a", 1)
		setDeadline(ctx, s, "a", 2)
		exceeds(s, "a", 2*time.Second, Counters{Failed: 1})
	})

	// Wrong: sticks to the deadline that it has seen first.
	It("can be extended before they begin", Covers(ChangedDeadline, DeadlineBeginsAtResume), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(1).Suspend())

		s.Soon("the Job is suspended", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobSuspended))
		})
		framework.Change(ctx, s, s.Job("a"), func(j *batchv1.Job) {
			j.Spec.Suspend, j.Spec.ActiveDeadlineSeconds = ptr.To(false), ptr.To[int64](3600)
		})
		Running(s, "a", 1)
		s.Stays("the Job runs", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1}))
		})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 1})
	})

	// Source: corev1 PodSpec.activeDeadlineSeconds is another field, for the
	// kubelet. Wrong: takes one for the other.
	It("of the pod template are not those of the Job", Covers(PodDeadlineIsNotTheJobs), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.ActiveDeadlineSeconds = ptr.To[int64](3600)
		}).ActiveDeadlineSeconds(1))

		exceeds(s, "a", time.Second, Counters{Failed: 1})
		Expect(s.Created()).To(HaveEach(HaveField("Spec.ActiveDeadlineSeconds", HaveValue(BeEquivalentTo(3600)))))
	})
})

// exceeds waits until the Job has Failed because of its deadline, which must
// not be before the deadline. Both times are the controller's.
func exceeds(s *framework.Sandbox, job string, deadline time.Duration, want Counters) {
	GinkgoHelper()
	s.SoonAfter(deadline, "the Job has Failed", func(g Gomega) {
		g.Expect(TrueConditions(s.Job(job))).To(HaveKey(batchv1.JobFailed))
	})
	failed := s.Job(job)
	Expect(TrueConditions(failed)).To(HaveKeyWithValue(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded))
	Expect(CountersOf(failed)).To(Equal(want))
	for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
		if c := framework.Condition(failed, kind); c != nil {
			Expect(c.LastTransitionTime.Sub(failed.Status.StartTime.Time)).To(BeNumerically(">=", deadline), "time from startTime to %s", kind)
		}
	}
}

func setDeadline(ctx context.Context, s *framework.Sandbox, job string, seconds int64) {
	GinkgoHelper()
	framework.Change(ctx, s, s.Job(job), func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr.To(seconds) })
}
