package job

import (
	"fmt"
	"math"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
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
	It("a Job that is deleted in the foreground is gone after its pods", covers.Requirements(
		ForegroundDeletion, NoPodsWhileBeingDeleted, PodsGoWithJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(4).Puppet(terminateLater))
		pods := job.Runs(2)
		foreground := client.PropagationPolicy(metav1.DeletePropagationForeground)
		Expect(s.Client.Delete(ctx, job.Made(), foreground)).To(Succeed())
		s.Soon("Job and pods are being deleted", func(g Gomega) {
			g.Expect(job.Now().DeletionTimestamp).NotTo(BeNil())
			g.Expect(s.Pods()).To(And(HaveLen(2), HaveEach(HaveField("DeletionTimestamp", Not(BeNil())))))
		})
		s.Stays("the Job exists, and has no other pods", func(g Gomega) {
			g.Expect(s.Jobs()).To(HaveLen(1))
			g.Expect(s.Created()).To(HaveLen(2))
		})
		release("143", pods...)
		s.Soon("Job and pods are gone", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: deletes finished Jobs or their pods.
	It("a finished Job is deleted only after its ttlSecondsAfterFinished", covers.Requirements(
		KeepsFinishedJob, TTLAfterFailure), func(ctx SpecContext) {
		s := framework.New(ctx)
		ending := func(name string, exitCode string, ttl *int32) *framework.Job {
			return s.Create(puppet.Job(name).BackoffLimit(0).ExitCodes(exitCode).
				With(func(j *batchv1.Job) { j.Spec.TTLSecondsAfterFinished = ttl }))
		}
		complete := ending("complete", "0", nil)
		completeLong := ending("complete-long", "0", ptr.To[int32](3600))
		failed := ending("failed", "1", nil)
		failedLong := ending("failed-long", "1", ptr.To[int32](3600))
		short := ending("failed-short", "1", ptr.To[int32](1))

		s.Soon("four Jobs have finished, and the fifth is gone", func(g Gomega) {
			g.Expect(complete.Conditions()).To(HaveKey(batchv1.JobComplete))
			g.Expect(completeLong.Conditions()).To(HaveKey(batchv1.JobComplete))
			g.Expect(failed.Conditions()).To(HaveKey(batchv1.JobFailed))
			g.Expect(failedLong.Conditions()).To(HaveKey(batchv1.JobFailed))
			g.Expect(s.Jobs()).To(HaveLen(4))
			g.Expect(short.Pods()).To(BeEmpty())
		})
		Expect(framework.TrueConditions(lastOf(s, short))).To(HaveKey(batchv1.JobFailed))
		s.Stays("four Jobs and their pods exist", func(g Gomega) {
			g.Expect(s.Jobs()).To(And(HaveLen(4), HaveEach(HaveField("DeletionTimestamp", BeNil()))))
			g.Expect(s.Pods()).To(HaveLen(4))
		})
	})

	It("the controller emits events for created and deleted pods and for the end of a Job", covers.Requirements(
		EventsForPods, EventForEnd), framework.SendsEvents, func(ctx SpecContext) {
		s := framework.New(ctx)
		good := s.Create(puppet.Job("good").Parallelism(2).Completions(2))
		bad := s.Create(puppet.Job("bad").BackoffLimit(0).ExitCodes("1"))

		s.SoonEmitted("there are events for created pods", func(g Gomega) {
			g.Expect(eventsOf(s, good, "SuccessfulCreate")).NotTo(BeEmpty())
			g.Expect(eventsOf(s, bad, "SuccessfulCreate")).NotTo(BeEmpty())
		})
		good.SetParallelism(1)
		s.SoonEmitted("there is an event for the deleted pod", func(g Gomega) {
			g.Expect(eventsOf(s, good, "SuccessfulDelete")).NotTo(BeEmpty())
		})
		s.Soon("one pod remains", func(g Gomega) {
			g.Expect(good.Pods()).To(HaveLen(1))
			good.Reports(g, Counters{Active: 1, Ready: 1})
		})
		good.Pods().End(0)
		good.Counts("the next pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1})
		good.Pods().End(0)
		s.SoonEmitted("there are events for the end of both Jobs", func(g Gomega) {
			g.Expect(eventsOf(s, good, "Completed")).To(ContainElement(HaveField("Type", "Normal")))
			g.Expect(eventsOf(s, bad,
				batchv1.JobReasonBackoffLimitExceeded)).To(ContainElement(HaveField("Type", "Warning")))
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
	It("the controller fails the Job at its deadline and deletes its pods", covers.Requirements(
		FailsAtDeadline, DeadlineDeletesActive, NoCompletionTimeOnFailure), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		job.Runs(2)
		setDeadline(job, 1)
		exceeds(s, job, time.Second, Counters{Failed: 2})
		Expect(job.Now().Status.CompletionTime).To(BeNil(), "status.completionTime")
		s.Soon("the pods are gone", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
		Expect(s.Created()).To(HaveLen(2))
	})

	// A deadline of 1 s that is taken for 0 s shows at the start of the Job, however busy the machine is. Wrong: fails
	// the Job one second early.
	It("the Job does not fail before its deadline", covers.Requirements(FailsAtDeadline), func(ctx SpecContext) {
		s := framework.New(ctx)
		passes(s, s.Create(puppet.Job("a").ActiveDeadlineSeconds(1)), time.Second)
	})

	// More seconds than a time.Duration holds. Wrong: multiplies first.
	It("a Job with the largest activeDeadlineSeconds has all the time", covers.Requirements(
		FailsAtDeadline), covers.MayArise(spec.DeadlinePassed), covers.Shows(upstream.DeadlineOverflow), func(
		ctx SpecContext) {
		s := framework.New(ctx)
		for _, seconds := range []int64{math.MaxInt64/int64(time.Second) + 1, math.MaxInt64} {
			job := s.Create(puppet.Job(fmt.Sprint("a-", seconds)).ActiveDeadlineSeconds(seconds))
			job.Runs(1).End(0)
			job.Completes(Counters{Succeeded: 1})
		}
	})

	// Source: KEP-3998; #123775.
	It("the Job has FailureTarget at its deadline and is Failed when its last pod has ended", covers.Requirements(
		FailsAtDeadline, FailedIsAnnounced, FailedAfterAllPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Puppet(terminateLater))
		pods := job.Runs(1)
		setDeadline(job, 1)
		s.SoonAfter(time.Second, "the Job has FailureTarget, and its pod is terminating", func(g Gomega) {
			g.Expect(job.Conditions()).To(Equal(because(batchv1.JobReasonDeadlineExceeded, batchv1.JobFailureTarget)))
			job.ReportsTerminating(g, 1)
		})
		release("143", pods...)
		exceeds(s, job, time.Second, Counters{Failed: 1})
	})

	// Source: #110294. Wrong: checks the deadline only when a pod changes.
	It("the controller fails the Job at its deadline although nothing else happens", covers.Requirements(
		DeadlineIsNoticed), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").ActiveDeadlineSeconds(3).Puppet(map[string]string{puppet.Start: puppet.Hold}))
		passes(s, job, 3*time.Second)
		Expect(len(s.Created())).To(BeNumerically("<=", 1), "pods created") // before the deadline, if at all
	})

	// Nothing happens before the deadline is over that could make the controller sync later. Wrong:
	// checks the deadline every minute.
	DescribeTable("the controller fails the Job within 10 s of its deadline",
		framework.OneLeader("none may lead for longer"),
		func(ctx SpecContext, began func(*framework.Sandbox) (*framework.Job, time.Duration)) {
			s := framework.New(ctx)
			job, deadline := began(s)
			failed := passes(s, job, deadline)
			over := job.StartedAt().Add(deadline)
			for _, c := range failed.Status.Conditions {
				Expect(c.LastTransitionTime.Sub(over)).To(BeNumerically("<=", 10*time.Second),
					"time from the deadline to %s", c.Type)
			}
		},
		// The pod does not run, so that a slow machine does not meet the deadline before it does.
		Entry("that it has from the beginning", covers.Requirements(DeadlineInTime), framework.Simulated(
			"a kubelet takes its time to end a pod that waits to start",
		), func(s *framework.Sandbox) (*framework.Job, time.Duration) {
			const deadline = 6 * time.Second
			return s.Create(puppet.Job("a").ActiveDeadlineSeconds(int64(deadline / time.Second)).
				Puppet(map[string]string{puppet.Start: puppet.Hold})), deadline
		}),
		Entry("that it gets while it runs", covers.Requirements(
			DeadlineInTime), func(s *framework.Sandbox) (*framework.Job, time.Duration) {
			job := s.Create(puppet.Job("a").ActiveDeadlineSeconds(3600))
			job.Runs(1)
			catchesUp(s)
			deadline := (time.Since(job.StartedAt()) + 4*time.Second).Truncate(time.Second)
			setDeadline(job, int64(deadline/time.Second))
			return job, deadline
		}),
	)

	// Wrong: counts from the creation of the Job.
	It("the deadline of a Job that is created suspended counts from its resumption", covers.Requirements(
		DeadlineBeginsAtResume), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").ActiveDeadlineSeconds(1).Suspend())
		job.IsSuspended(Counters{})
		s.Stays("the Job does not fail", func(g Gomega) { doesNotFail(g, job) })
		job.Resume()
		passes(s, job, time.Second)
		Expect(len(s.Created())).To(BeNumerically("<=", 1), "pods created") // before the deadline, if at all
		Expect(job.StartedAt().Sub(job.Now().CreationTimestamp.Time)).To(BeNumerically(">=", 2*time.Second),
			"startTime and creation")
	})

	// "This timer will effectively be stopped and reset when the Job is resumed again."
	// Wrong: fails the suspended Job, or counts from its first start.
	It("the deadline stops on suspension and counts from the resumption", covers.Requirements(
		DeadlineStopsWhileSuspended), covers.Shows(upstream.DeadlineWhileSuspended), covers.MayShow(
		upstream.ResumedStatusRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		pod := job.Runs(1)[0]
		pod.Direct(map[string]string{puppet.Terminate: puppet.Hold})
		started := job.StartedAt()
		job.Suspend()
		job.IsSuspended(Counters{Terminating: 1})
		setDeadline(job, 2)
		s.Stays("the Job does not fail", func(g Gomega) { doesNotFail(g, job) })
		// The pod's end triggers another sync of the Job.
		release("143", pod)
		s.Soon("the pod is gone", func(g Gomega) {
			job.Reports(g, Counters{})
			doesNotFail(g, job)
		})
		job.Resume()
		exceeds(s, job, 2*time.Second, Counters{Failed: 1})
		Expect(s.Created()).To(HaveLen(2))
		Expect(job.StartedAt().Sub(started)).To(BeNumerically(">=", 2*time.Second),
			"startTime before and after")
	})

	// One change suspends the Job and has its deadline lie in the past. Wrong: fails the Job before it suspends it.
	It("the deadline stops on suspension, although the same change shortens it", covers.Requirements(
		DeadlineStopsWhileSuspended), covers.MayShow(upstream.DeadlineWhileSuspended, upstream.ResumedStatusRefused),
		func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a").ActiveDeadlineSeconds(3600))
			job.Runs(1)
			s.StaysFor(2*time.Second, "the Job runs", func(g Gomega) { doesNotFail(g, job) })
			job.Change(func(j *batchv1.Job) {
				j.Spec.Suspend, j.Spec.ActiveDeadlineSeconds = ptr.To(true), ptr.To[int64](1)
			})
			job.IsSuspended(Counters{})
			s.Stays("the Job does not fail", func(g Gomega) { doesNotFail(g, job) })
			job.Resume()
			passes(s, job, time.Second)
		})

	// Wrong: checks the deadline before the status.
	It("a Complete Job does not fail at its deadline", covers.Requirements(
		DeadlineAfterCompletion), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").ActiveDeadlineSeconds(3600).ExitCodes("0"))
		job.Completes(Counters{Succeeded: 1})
		setDeadline(job, 1)
		s.Stays("the Job is Complete and not Failed", func(g Gomega) {
			g.Expect(job.Conditions()).To(HaveKey(batchv1.JobComplete))
			g.Expect(job.Conditions()).NotTo(HaveKey(batchv1.JobFailed))
		})
	})

	// "Once a Job reaches activeDeadlineSeconds, all of its running Pods are
	// terminated." Wrong: deletes finished pods.
	It("the controller keeps succeeded pods at the deadline", covers.Requirements(
		DeadlineKeepsFinished), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		pods := job.Runs(2)
		pods[0].End(0)
		job.Counts("the success is counted", Counters{Active: 1, Ready: 1, Succeeded: 1})
		setDeadline(job, 1)
		exceeds(s, job, time.Second, Counters{Succeeded: 1, Failed: 1})
		s.Soon("only the pod that ran is gone", func(g Gomega) {
			g.Expect(s.Pods().Names()).To(ConsistOf(pods[0].Name))
		})
	})

	// "Takes precedence over its .spec.backoffLimit." Wrong: syncs the Job again only when
	// the next pod is due, which is after 40 s.
	It("the controller fails the Job at its deadline during a back-off", covers.Requirements(
		DeadlineBeatsBackoff), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(3).Completions(3))
		pods := job.Runs(3)
		pods.End(1)
		failuresCounted(s, job, pods, Counters{Failed: 3})
		setDeadline(job, 5)
		exceeds(s, job, 5*time.Second, Counters{Failed: 3})
		Expect(s.Created()).To(HaveLen(3))
		failed := framework.Condition(job.Now(), batchv1.JobFailed).LastTransitionTime
		Expect(failed.Sub(s.Created()[0].EndedAt())).To(
			BeNumerically("<", 4*firstBackoff-time.Second+s.Lost()), "time between the first failure and the end")
	})

	It("a deadline that is shortened while the Job runs takes effect", covers.Requirements(
		ChangedDeadline), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").ActiveDeadlineSeconds(3600))
		job.Runs(1)
		setDeadline(job, 2)
		exceeds(s, job, 2*time.Second, Counters{Failed: 1})
	})

	// Wrong: keeps the first deadline.
	It("a deadline that is extended while the Job is suspended takes effect", covers.Requirements(
		ChangedDeadline, DeadlineBeginsAtResume), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").ActiveDeadlineSeconds(1).Suspend())
		job.IsSuspended(Counters{})
		job.Change(func(j *batchv1.Job) {
			j.Spec.Suspend, j.Spec.ActiveDeadlineSeconds = ptr.To(false), ptr.To[int64](3600)
		})
		job.Runs(1)
		s.Stays("the Job runs", func(g Gomega) {
			g.Expect(job.Conditions()).To(BeEmpty())
			job.Reports(g, Counters{Active: 1, Ready: 1})
		})
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 1})
	})

	// Source: corev1 PodSpec.activeDeadlineSeconds is another field, for the kubelet.
	It("activeDeadlineSeconds of the pod template does not affect the Job", covers.Requirements(
		PodDeadlineIsNotTheJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.ActiveDeadlineSeconds = ptr.To[int64](3600)
		}))
		job.Runs(1)
		setDeadline(job, 1)
		exceeds(s, job, time.Second, Counters{Failed: 1})
		Expect(s.Created()).To(HaveEach(HaveField("Spec.ActiveDeadlineSeconds", HaveValue(BeEquivalentTo(3600)))))
	})
})

// exceeds is passes that also expects counters.
func exceeds(s *framework.Sandbox, job *framework.Job, deadline time.Duration, want Counters) {
	GinkgoHelper()
	Expect(framework.CountersOf(passes(s, job, deadline))).To(Equal(want))
}

// passes waits until the Job is Failed because of its deadline, and expects that this
// was not before the deadline. Both times are the controller's. It returns the Job as it was then.
func passes(s *framework.Sandbox, job *framework.Job, deadline time.Duration) *batchv1.Job {
	GinkgoHelper()
	s.SoonAfter(deadline, "the Job is Failed", func(g Gomega) {
		g.Expect(job.Conditions()).To(HaveKey(batchv1.JobFailed))
	})
	failed := job.Now()
	Expect(framework.TrueConditions(failed)).To(HaveKeyWithValue(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded))
	for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobFailed} {
		if c := framework.Condition(failed, kind); c != nil {
			Expect(c.LastTransitionTime.Sub(job.StartedAt())).To(
				BeNumerically(">=", deadline), "time from startTime to %s", kind)
		}
	}
	return failed
}

// doesNotFail expects that the Job neither is Failed nor is about to fail.
func doesNotFail(g Gomega, job *framework.Job) {
	g.Expect(job.Conditions()).NotTo(Or(HaveKey(batchv1.JobFailureTarget), HaveKey(batchv1.JobFailed)))
}

func setDeadline(job *framework.Job, seconds int64) {
	GinkgoHelper()
	job.Change(func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr.To(seconds) })
}
