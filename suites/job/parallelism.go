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
	"k8s.io/utils/ptr"
)

// Sources, where a spec names no other: batch/v1 JobSpec.parallelism and
// JobStatus.active, ready and terminating.
var _ = Describe("parallelism", Label("area:job", "behaviour:parallelism"), func() {

	// Wrong: starts all pods that will ever be needed, or one after the other.
	It("is how many pods run at once", Covers(RunsAsMany, StatusActive, StartTime), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(3).Completions(5))

		Running(s, "a", 3)
		Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3}))
		Expect(s.Created()).To(HaveLen(3))
		Expect(s.Job("a").Status.StartTime).NotTo(BeNil())
	})

	// Wrong: replaces pods that finished before its cache knows of those it has
	// created already.
	It("is never exceeded while pods end as soon as they start", Covers(NeverMoreThanParallelism), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(4).Completions(12).ExitCodes("0"))

		Completes(s, "a", Counters{Succeeded: 12})
		Expect(s.Created()).To(HaveLen(12))
		for revision, state := range s.History().States() {
			active := 0
			for _, r := range state.Pods {
				if framework.IsActive(*r.Pod()) {
					active++
				}
			}
			Expect(active).To(BeNumerically("<=", 4), "active pods at revision %s of %s",
				revision.Object.GetResourceVersion(), revision.Object.GetName())
			if j := revision.Job(); j != nil {
				Expect(j.Status.Active).To(BeNumerically("<=", 4), "status.active at revision %s", j.ResourceVersion)
			}
		}
	})

	// Source: the API server's default. Wrong: takes completions for it.
	It("is one when it is not set", Covers(ParallelismIsOne), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Completions(3))

		first := Running(s, "a", 1)
		s.End(ctx, 0, first...)
		Counts(s, "a", "the next pod has taken its place", Counters{Active: 1, Ready: 1, Succeeded: 1})
		Expect(s.Created()).To(HaveLen(2))
	})

	It("gives way to the number of completions", Covers(NoMoreThanCompletions), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(5).Completions(2))

		Running(s, "a", 2)
		Expect(s.Created()).To(HaveLen(2))
	})

	// "When the work left to do is less than max parallelism." Wrong: replaces
	// each pod that has succeeded as long as the Job is not complete.
	It("gives way to the number of completions that are left", Covers(NoMoreThanCompletions, StatusCounts), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(3))

		s.End(ctx, 0, Running(s, "a", 2)[0])
		Counts(s, "a", "a third pod has taken its place", Counters{Active: 2, Ready: 2, Succeeded: 1})
		s.End(ctx, 0, s.Active()[0])
		Counts(s, "a", "one pod is left", Counters{Active: 1, Ready: 1, Succeeded: 2})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 3})
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: takes 0 for unset.
	It("of 0 starts nothing until it is raised", Covers(ZeroParallelism, QuietWhenIdle), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(0).Completions(2))

		s.Soon("the Job has started", func(g Gomega) { g.Expect(s.Job("a").Status.StartTime).NotTo(BeNil()) })
		s.Stays("there are no pods and no verdict", func(g Gomega) {
			g.Expect(s.Created()).To(BeEmpty())
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{}))
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		})
		// Wrong: writes what it has written before.
		Expect(len(s.History().Jobs("a"))).To(BeNumerically("<=", 10), "revisions of the Job")
		SetParallelism(ctx, s, "a", 2)
		Running(s, "a", 2)
	})

	// Wrong: looks at it once, or starts over with new pods.
	It("can be raised while pods run, which go on", Covers(RaisedParallelism), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(1).Completions(4))

		first := Running(s, "a", 1)
		SetParallelism(ctx, s, "a", 3)
		Expect(names(Running(s, "a", 3))).To(ContainElements(names(first)))
		Expect(s.Created()).To(HaveLen(3))
	})

	// Surplus pods are let go before they are deleted, so that they count for
	// nothing (KEP-2307). Wrong: counts them as failed, or takes them all.
	It("can be lowered: surplus pods go without counting as failed, and the Job goes on", Covers(LoweredParallelism, SurplusDoesNotFail), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(3).Completions(3).BackoffLimit(0))

		before := Running(s, "a", 3)
		SetParallelism(ctx, s, "a", 1)
		after := Running(s, "a", 1)
		Expect(names(before)).To(ContainElements(names(after)))
		s.Soon("the surplus is gone", func(g Gomega) {
			g.Expect(s.Pods()).To(HaveLen(1))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1}))
		})
		s.End(ctx, 0, after...)
		Counts(s, "a", "the next pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1})
		Expect(s.Created()).To(HaveLen(4))
	})

	// Source: JobStatus.terminating; #121342. Wrong: stops looking at pods that
	// it has deleted.
	It("of 0 removes every pod, and tells of those that take their time", Covers(ZeroParallelism, StatusTerminating), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).
			Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := Running(s, "a", 2)
		SetParallelism(ctx, s, "a", 0)
		Counts(s, "a", "both pods are terminating", Counters{Terminating: 2})
		release(ctx, s, "143", pods[0])
		Counts(s, "a", "one pod is terminating", Counters{Terminating: 1})
		release(ctx, s, "143", pods[1])
		s.Soon("nothing is left", func(g Gomega) {
			g.Expect(s.Pods()).To(BeEmpty())
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{}))
		})
		Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source: JobSpec.completions: null means that the success of any pod
	// signals the success of all. Wrong: keeps up the number of pods.
	It("of a work queue holds until the first success; then nothing is started any more", Covers(WorkQueueStopsAtSuccess), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(3).FinishedAgo(longAgo))

		pods := Running(s, "a", 3)
		s.End(ctx, 0, pods[0])
		Counts(s, "a", "the success is counted, and the others run on", Counters{Active: 2, Ready: 2, Succeeded: 1})
		s.End(ctx, 1, pods[1])
		Counts(s, "a", "the failure is counted, and the last one runs on", Counters{Active: 1, Ready: 1, Succeeded: 1, Failed: 1})
		s.Stays("the last pod runs on alone", func(g Gomega) {
			g.Expect(names(s.Active())).To(ConsistOf(pods[2].Name))
		})
		s.End(ctx, 0, pods[2])
		Completes(s, "a", Counters{Succeeded: 2, Failed: 1})
		Expect(s.Created()).To(HaveLen(3))
	})

	It("of a work queue without success is kept up when a pod fails", Covers(WorkQueueReplacesFailures), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).FinishedAgo(longAgo))

		s.End(ctx, 1, Running(s, "a", 2)[0])
		Counts(s, "a", "another pod has taken its place", Counters{Active: 2, Ready: 2, Failed: 1})
		Expect(s.Created()).To(HaveLen(3))
	})

	// Source: JobSpec.podReplacementPolicy. Wrong: waits for the pod's end, or
	// takes it for a surplus one that counts for nothing.
	It("is kept up at once when somebody else deletes a pod", Covers(ReplacesDeletedAtOnce), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).
			Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := Running(s, "a", 2)
		s.Remove(ctx, pods[0])
		CountsAfter(s, firstBackoff, "a", "another pod has taken its place", Counters{Active: 2, Ready: 2, Terminating: 1, Failed: 1})
		release(ctx, s, "143", pods[0])
		s.Soon("the deleted pod is gone", func(g Gomega) {
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2, Failed: 1}))
			g.Expect(names(s.Pods())).NotTo(ContainElement(pods[0].Name))
		})
		Expect(s.Created()).To(HaveLen(3))
	})

	// Source: KEP-3939.
	It("includes terminating pods when podReplacementPolicy is Failed", Covers(FailedReplacesAfterEnd, FailedCountsAfterEnd), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).
			Puppet(map[string]string{puppet.Terminate: puppet.Hold}).
			With(func(j *batchv1.Job) { j.Spec.PodReplacementPolicy = ptr.To(batchv1.Failed) }))

		pods := Running(s, "a", 2)
		s.Remove(ctx, pods[0])
		Counts(s, "a", "the deleted pod is terminating", Counters{Active: 1, Ready: 1, Terminating: 1})
		s.Stays("it is neither replaced nor counted", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(2))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1, Terminating: 1}))
		})
		release(ctx, s, "143", pods[0])
		CountsAfter(s, firstBackoff, "a", "another pod has taken its place", Counters{Active: 2, Ready: 2, Failed: 1})
	})

	// Source: JobStatus.active: pending and running pods. Wrong: counts only
	// those that run, and starts more.
	It("includes pods that have not started yet", Covers(PendingPodsCount, StatusActive), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(4).
			Puppet(map[string]string{puppet.Start: puppet.Hold}))

		s.Stays("at most two pods are created", func(g Gomega) {
			g.Expect(len(s.Created())).To(BeNumerically("<=", 2))
		})
		Counts(s, "a", "both are active", Counters{Active: 2})
		for _, pod := range s.Active() {
			s.Direct(ctx, pod, map[string]string{puppet.Start: ""})
		}
		Running(s, "a", 2)
		Expect(s.Created()).To(HaveLen(2))
	})

	// "If the Job controller failed to create Pods for any reason (lack of
	// ResourceQuota, ...)." Wrong: gives up, or counts an attempt as a failure.
	It("is reached when pods can be created again", Covers(RetriesToCreatePods), func(ctx SpecContext) {
		s := framework.New(ctx)
		quota := s.Refuse(ctx, strayPod("refused", nil), "pods")
		framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0).Obj())

		s.Soon("the Job has started", func(g Gomega) { g.Expect(s.Job("a").Status.StartTime).NotTo(BeNil()) })
		s.Stays("there are no pods and no verdict", func(g Gomega) {
			g.Expect(s.Created()).To(BeEmpty())
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{}))
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		})
		s.Delete(ctx, quota)
		s.End(ctx, 0, Running(s, "a", 2)...)
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source: JobStatus.ready.
	It("is not what status.ready counts: only pods that are ready", Covers(StatusReady), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).
			Puppet(map[string]string{puppet.Ready: "false"}))

		s.Soon("both pods run, unready", func(g Gomega) {
			g.Expect(s.InPhase(corev1.PodRunning)).To(HaveLen(2))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2}))
		})
		pod := s.Active()[0]
		s.Direct(ctx, pod, map[string]string{puppet.Ready: ""})
		Counts(s, "a", "one pod is ready", Counters{Active: 2, Ready: 1})
		s.Direct(ctx, pod, map[string]string{puppet.Ready: "false"})
		Counts(s, "a", "none is ready any more", Counters{Active: 2})
	})

	// Source: JobSpec.suspend; KEP-2232.
	It("has to wait while the Job is suspended from the start", Covers(SuspendedHasNoPods, SuspendedCondition), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).Suspend())

		s.Soon("the Job says that it is suspended", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKeyWithValue(batchv1.JobSuspended, "JobSuspended"))
		})
		s.Stays("no pod is created, and the Job has not started", func(g Gomega) {
			g.Expect(s.Created()).To(BeEmpty())
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{}))
			g.Expect(s.Job("a").Status.StartTime).To(BeNil())
		})
		ResumeJob(ctx, s, "a")
		Running(s, "a", 2)
		Expect(s.Job("a").Status.StartTime).NotTo(BeNil())
		Expect(*framework.Condition(s.Job("a"), batchv1.JobSuspended)).To(And(
			HaveField("Status", corev1.ConditionFalse), HaveField("Reason", "JobResumed")))
	})

	// Source: JobSpec.suspend: will delete all active Pods, and reset the
	// StartTime; KEP-2232; #125089; #134521. Wrong: counts the pods as failed,
	// forgets the successes, or keeps the first startTime.
	It("ends with suspension and comes back with resumption", Covers(SuspensionDeletesPods, ResumeStartsAnew, SuspensionKeepsCounts), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(3).BackoffLimit(0))

		s.End(ctx, 0, Running(s, "a", 2)[0])
		Counts(s, "a", "one success is counted", Counters{Active: 2, Ready: 2, Succeeded: 1})
		started := s.Job("a").Status.StartTime.Time
		SuspendJob(ctx, s, "a")
		s.Soon("the Job is suspended and its active pods are gone", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKeyWithValue(batchv1.JobSuspended, "JobSuspended"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Succeeded: 1}))
			g.Expect(s.Pods()).To(HaveLen(1))
		})
		s.Stays("it rests", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(3))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Succeeded: 1}))
		})
		ResumeJob(ctx, s, "a")
		s.End(ctx, 0, Running(s, "a", 2)...)
		Completes(s, "a", Counters{Succeeded: 3})
		Expect(s.Job("a").Status.StartTime.Sub(started)).To(BeNumerically(">=", 2*time.Second), "startTime before and after")
	})
})
