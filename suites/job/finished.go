package job

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("Finished Job:", behaviour.Ownership, func() {
	// Wrong: replaces the pods, keeps their finalizers, or does not set blockOwnerDeletion,
	// by which the garbage collector waits for them.
	It("a Job that is deleted in the foreground is gone after its pods", Covers(
		ForegroundDeletion, NoPodsWhileBeingDeleted, PodsGoWithJob), func(ctx SpecContext) {
		s, job := WithNewJob(ctx, puppet.Job("a").Parallelism(2).Completions(4).Puppet(terminateLater))
		pods := Running(s, "a", 2)
		Expect(s.Client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationForeground))).To(Succeed())
		s.Soon("Job and pods are being deleted", func(g Gomega) {
			g.Expect(s.Job("a").DeletionTimestamp).NotTo(BeNil())
			g.Expect(s.Pods()).To(And(HaveLen(2), HaveEach(HaveField("DeletionTimestamp", Not(BeNil())))))
		})
		s.Stays("the Job exists, and has no other pods", func(g Gomega) {
			g.Expect(s.Jobs()).To(HaveLen(1))
			g.Expect(s.Created()).To(HaveLen(2))
		})
		release(ctx, s, "143", pods...)
		s.Soon("Job and pods are gone", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: deletes finished Jobs or their pods.
	It("a finished Job is deleted only after its ttlSecondsAfterFinished", Covers(
		KeepsFinishedJob, TTLAfterFailure), func(ctx SpecContext) {
		s := framework.New(ctx)
		ending := func(name string, exitCode string, ttl *int32) *batchv1.Job {
			return puppet.Job(name).BackoffLimit(0).ExitCodes(exitCode).
				With(func(j *batchv1.Job) { j.Spec.TTLSecondsAfterFinished = ttl }).Obj()
		}
		framework.Create(s, ending("complete", "0", nil))
		framework.Create(s, ending("complete-long", "0", ptr.To[int32](3600)))
		framework.Create(s, ending("failed", "1", nil))
		framework.Create(s, ending("failed-long", "1", ptr.To[int32](3600)))
		short := framework.Create(s, ending("failed-short", "1", ptr.To[int32](1)))

		s.Soon("four Jobs have finished, and the fifth is gone", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("complete"))).To(HaveKey(batchv1.JobComplete))
			g.Expect(TrueConditions(s.Job("complete-long"))).To(HaveKey(batchv1.JobComplete))
			g.Expect(TrueConditions(s.Job("failed"))).To(HaveKey(batchv1.JobFailed))
			g.Expect(TrueConditions(s.Job("failed-long"))).To(HaveKey(batchv1.JobFailed))
			g.Expect(s.Jobs()).To(HaveLen(4))
			g.Expect(PodsOf(s, short)).To(BeEmpty())
		})
		Expect(TrueConditions(lastOf(s, "failed-short"))).To(HaveKey(batchv1.JobFailed))
		s.Stays("four Jobs and their pods exist", func(g Gomega) {
			g.Expect(s.Jobs()).To(And(HaveLen(4), HaveEach(HaveField("DeletionTimestamp", BeNil()))))
			g.Expect(s.Pods()).To(HaveLen(4))
		})
	})

	It("the controller emits events for created and deleted pods and for the end of a Job", Covers(
		EventsForPods, EventForEnd), func(ctx SpecContext) {
		s, good := WithNewJob(ctx, puppet.Job("good").Parallelism(2).Completions(2))
		bad := framework.Create(s, puppet.Job("bad").BackoffLimit(0).ExitCodes("1").Obj())

		s.SoonEmitted("there are events for created pods", func(g Gomega) {
			g.Expect(eventsOf(s, good, "SuccessfulCreate")).NotTo(BeEmpty())
			g.Expect(eventsOf(s, bad, "SuccessfulCreate")).NotTo(BeEmpty())
		})
		SetParallelism(ctx, s, "good", 1)
		s.SoonEmitted("there is an event for the deleted pod", func(g Gomega) {
			g.Expect(eventsOf(s, good, "SuccessfulDelete")).NotTo(BeEmpty())
		})
		s.Soon("one pod remains", func(g Gomega) {
			g.Expect(PodsOf(s, good)).To(HaveLen(1))
			g.Expect(CountersOf(s.Job("good"))).To(Equal(Counters{Active: 1, Ready: 1}))
		})
		PodsOf(s, good).End(0)
		Counts(s, "good", "the next pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1})
		PodsOf(s, good).End(0)
		s.SoonEmitted("there are events for the end of both Jobs", func(g Gomega) {
			g.Expect(eventsOf(s, good, "Completed")).To(ContainElement(HaveField("Type", "Normal")))
			g.Expect(eventsOf(s, bad, batchv1.JobReasonBackoffLimitExceeded)).To(ContainElement(HaveField("Type", "Warning")))
		})
	})
})

// Sources, where a spec names no other: batch/v1 JobSpec.activeDeadlineSeconds;
// https://kubernetes.io/docs/concepts/workloads/controllers/job/#job-termination-and-cleanup.
//
// Where pods have to run before the deadline, the spec sets it once they run: no spec
// depends on the speed of a machine.
var _ = Describe("Job activeDeadlineSeconds:", behaviour.ActiveDeadlineSeconds, func() {
	// Wrong: keeps the pods, or does not count them.
	It("the controller fails the Job at its deadline and deletes its pods", Covers(
		FailsAtDeadline, DeadlineDeletesActive, NoCompletionTimeOnFailure), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).ActiveDeadlineSeconds(1))
		exceeds(s, "a", time.Second, Counters{Failed: 2})
		Expect(s.Job("a").Status.CompletionTime).To(BeNil())
		s.Soon("the pods are gone", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source: KEP-3998; #123775.
	It("the Job has FailureTarget at its deadline and is Failed when its last pod has ended", Covers(
		FailedIsAnnounced, FailedAfterAllPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Puppet(terminateLater))
		pods := Running(s, "a", 1)
		setDeadline(ctx, s, "a", 1)
		s.SoonAfter(time.Second, "the Job has FailureTarget, and its pod is terminating", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(Equal(because(batchv1.JobReasonDeadlineExceeded, batchv1.JobFailureTarget)))
			g.Expect(CountersOf(s.Job("a"))).To(HaveField("Terminating", int32(1)))
		})
		release(ctx, s, "143", pods...)
		exceeds(s, "a", time.Second, Counters{Failed: 1})
	})

	// Source: #110294. Wrong: checks the deadline only when a pod changes.
	It("the controller fails the Job at its deadline although nothing else happens", Covers(
		DeadlineIsNoticed), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(3).Puppet(map[string]string{puppet.Start: puppet.Hold}))
		exceeds(s, "a", 3*time.Second, Counters{Failed: 1})
	})

	// Nothing happens before the deadline is over that could make the controller sync later. Wrong:
	// checks the deadline every minute.
	DescribeTable("the controller fails the Job within 10 s of its deadline",
		func(ctx SpecContext, began func(SpecContext) (*framework.Sandbox, time.Duration)) {
			s, deadline := began(ctx)
			exceeds(s, "a", deadline, Counters{Failed: 1})
			failed := s.Job("a")
			over := failed.Status.StartTime.Add(deadline)
			for _, c := range failed.Status.Conditions {
				Expect(c.LastTransitionTime.Sub(over)).To(BeNumerically("<=", 10*time.Second), "time from the deadline to %s", c.Type)
			}
		},
		// The pod does not run, so that a slow machine does not meet the deadline before it does.
		Entry("that it has from the beginning", Covers(DeadlineInTime), framework.Simulated("a kubelet takes its time to end a pod that waits to start"), func(ctx SpecContext) (*framework.Sandbox, time.Duration) {
			const deadline = 6 * time.Second
			return WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(int64(deadline/time.Second)).Puppet(map[string]string{puppet.Start: puppet.Hold})), deadline
		}),
		Entry("that it gets while it runs", Covers(DeadlineInTime), func(ctx SpecContext) (*framework.Sandbox, time.Duration) {
			s := WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(3600))
			Running(s, "a", 1)
			catchesUp(ctx, s)
			deadline := (time.Since(s.Job("a").Status.StartTime.Time) + 4*time.Second).Truncate(time.Second)
			setDeadline(ctx, s, "a", int64(deadline/time.Second))
			return s, deadline
		}),
	)

	// Wrong: counts from the creation of the Job.
	It("the deadline of a Job that is created suspended counts from its resumption", Covers(
		DeadlineBeginsAtResume), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(1).Suspend())
		suspended(s, Counters{})
		s.Stays("the Job does not fail", func(g Gomega) { doesNotFail(g, s) })
		ResumeJob(ctx, s, "a")
		exceeds(s, "a", time.Second, Counters{Failed: 1})
		Expect(s.Created()).To(HaveLen(1))
		Expect(s.Job("a").Status.StartTime.Sub(s.Job("a").CreationTimestamp.Time)).To(BeNumerically(">=", 2*time.Second),
			"startTime and creation")
	})

	// "This timer will effectively be stopped and reset when the Job is resumed again."
	// Wrong: fails the suspended Job, or counts from its first start.
	It("the deadline stops on suspension and counts from the resumption", Covers(
		DeadlineStopsWhileSuspended), Shows(upstream.DeadlineWhileSuspended), MayShow(upstream.ResumedStatusRefused), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a"))
		pod := Running(s, "a", 1)[0]
		pod.Direct(map[string]string{puppet.Terminate: puppet.Hold})
		started := s.Job("a").Status.StartTime.Time
		SuspendJob(ctx, s, "a")
		suspended(s, Counters{Terminating: 1})
		setDeadline(ctx, s, "a", 2)
		s.Stays("the Job does not fail", func(g Gomega) { doesNotFail(g, s) })
		// The pod's end triggers another sync of the Job.
		release(ctx, s, "143", pod)
		s.Soon("the pod is gone", func(g Gomega) {
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{}))
			doesNotFail(g, s)
		})
		ResumeJob(ctx, s, "a")
		exceeds(s, "a", 2*time.Second, Counters{Failed: 1})
		Expect(s.Created()).To(HaveLen(2))
		Expect(s.Job("a").Status.StartTime.Sub(started)).To(BeNumerically(">=", 2*time.Second), "startTime before and after")
	})

	// Wrong: checks the deadline before the status.
	It("a Complete Job does not fail at its deadline", Covers(DeadlineAfterCompletion), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(3600).ExitCodes("0"))
		Completes(s, "a", Counters{Succeeded: 1})
		setDeadline(ctx, s, "a", 1)
		s.Stays("the Job is Complete and not Failed", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobComplete))
			g.Expect(TrueConditions(s.Job("a"))).NotTo(HaveKey(batchv1.JobFailed))
		})
	})

	// "Once a Job reaches activeDeadlineSeconds, all of its running Pods are
	// terminated." Wrong: deletes finished pods.
	It("the controller keeps succeeded pods at the deadline", Covers(DeadlineKeepsFinished), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2))
		pods := Running(s, "a", 2)
		pods[0].End(0)
		Counts(s, "a", "the success is counted", Counters{Active: 1, Ready: 1, Succeeded: 1})
		setDeadline(ctx, s, "a", 1)
		exceeds(s, "a", time.Second, Counters{Succeeded: 1, Failed: 1})
		s.Soon("only the pod that ran is gone", func(g Gomega) { g.Expect(names(s.Pods())).To(ConsistOf(pods[0].Name)) })
	})

	// "Takes precedence over its .spec.backoffLimit." Wrong: syncs the Job again only when
	// the next pod is due, which is after 40 s.
	It("the controller fails the Job at its deadline during a back-off", Covers(
		DeadlineBeatsBackoff), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(3).Completions(3))
		pods := Running(s, "a", 3)
		pods.End(1)
		failuresCounted(s, pods, Counters{Failed: 3})
		setDeadline(ctx, s, "a", 5)
		exceeds(s, "a", 5*time.Second, Counters{Failed: 3})
		Expect(s.Created()).To(HaveLen(3))
		failed := framework.Condition(s.Job("a"), batchv1.JobFailed).LastTransitionTime
		Expect(failed.Sub(endOf(s, s.Created()[0].Name))).To(
			BeNumerically("<", 4*firstBackoff-time.Second), "time between the first failure and the end")
	})

	It("a deadline that is shortened while the Job runs takes effect", Covers(ChangedDeadline), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(3600))
		Running(s, "a", 1)
		setDeadline(ctx, s, "a", 2)
		exceeds(s, "a", 2*time.Second, Counters{Failed: 1})
	})

	// Wrong: keeps the first deadline.
	It("a deadline that is extended while the Job is suspended takes effect", Covers(
		ChangedDeadline, DeadlineBeginsAtResume), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ActiveDeadlineSeconds(1).Suspend())
		suspended(s, Counters{})
		framework.Change(s, s.Job("a"), func(j *batchv1.Job) {
			j.Spec.Suspend, j.Spec.ActiveDeadlineSeconds = ptr.To(false), ptr.To[int64](3600)
		})
		Running(s, "a", 1)
		s.Stays("the Job runs", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1}))
		})
		s.Active().End(0)
		Completes(s, "a", Counters{Succeeded: 1})
	})

	// Source: corev1 PodSpec.activeDeadlineSeconds is another field, for the kubelet.
	It("activeDeadlineSeconds of the pod template does not affect the Job", Covers(
		PodDeadlineIsNotTheJobs), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.ActiveDeadlineSeconds = ptr.To[int64](3600)
		}).ActiveDeadlineSeconds(1))
		exceeds(s, "a", time.Second, Counters{Failed: 1})
		Expect(s.Created()).To(HaveEach(HaveField("Spec.ActiveDeadlineSeconds", HaveValue(BeEquivalentTo(3600)))))
	})
})

// exceeds waits until the Job is Failed because of its deadline, and expects that this
// was not before the deadline. Both times are the controller's.
func exceeds(s *framework.Sandbox, job string, deadline time.Duration, want Counters) {
	GinkgoHelper()
	s.SoonAfter(deadline, "the Job is Failed", func(g Gomega) {
		g.Expect(TrueConditions(s.Job(job))).To(HaveKey(batchv1.JobFailed))
	})
	failed := s.Job(job)
	Expect(TrueConditions(failed)).To(HaveKeyWithValue(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded))
	Expect(CountersOf(failed)).To(Equal(want))
	for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
		if c := framework.Condition(failed, kind); c != nil {
			Expect(c.LastTransitionTime.Sub(failed.Status.StartTime.Time)).To(
				BeNumerically(">=", deadline), "time from startTime to %s", kind)
		}
	}
}

// doesNotFail expects that the Job neither is Failed nor is about to fail.
func doesNotFail(g Gomega, s *framework.Sandbox) {
	g.Expect(TrueConditions(s.Job("a"))).NotTo(Or(HaveKey(batchv1.JobFailureTarget), HaveKey(batchv1.JobFailed)))
}

func setDeadline(ctx context.Context, s *framework.Sandbox, job string, seconds int64) {
	GinkgoHelper()
	framework.Change(s, s.Job(job), func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr.To(seconds) })
}
