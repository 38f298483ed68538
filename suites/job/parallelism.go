package job

import (
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Sources, where a spec names no other: batch/v1 JobSpec.parallelism and
// JobStatus.active, ready and terminating.
var _ = Describe("Job parallelism:", behaviour.Parallelism, func() {
	// Wrong: creates as many pods as completions at once, or one pod at a time.
	It("the controller runs as many pods at once as parallelism asks for", covers.Requirements(
		RunsAsMany, StatusActive, StartTime), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(3).Completions(5))
		job.Runs(3)
		job.ReportsNow(Counters{Active: 3, Ready: 3})
		Expect(s.Created()).To(HaveLen(3))
		s.At("the Job has started", job.ReportsStart)
	})

	// Wrong: replaces a finished pod before its cache has the pods that it has just created.
	It("the controller never exceeds parallelism while pods finish as soon as they start", covers.Requirements(
		NeverMoreThanParallelism), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(4).Completions(12).ExitCodes("0"))
		job.CompletesWith(12, Counters{Succeeded: 12})
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

	// Source: the API server's default. Wrong: takes completions for parallelism.
	It("the controller runs one pod at a time if parallelism is not set", covers.Requirements(
		ParallelismIsOne), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Completions(3))
		job.Runs(1).End(0)
		job.Counts("the next pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1})
		Expect(s.Created()).To(HaveLen(2))
	})

	It("the controller runs no more pods than completions", covers.Requirements(
		NoMoreThanCompletions), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(5).Completions(2))
		job.Runs(2)
		Expect(s.Created()).To(HaveLen(2))
	})

	// "When the work left to do is less than max parallelism." Wrong: replaces each pod
	// that has succeeded as long as the Job is not Complete.
	It("the controller runs no more pods than completions are left", covers.Requirements(
		NoMoreThanCompletions, StatusCounts), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(3))
		job.Runs(2)[0].End(0)
		job.Counts("a third pod runs", Counters{Active: 2, Ready: 2, Succeeded: 1})
		s.Active()[0].End(0)
		job.Counts("one pod is left to run", Counters{Active: 1, Ready: 1, Succeeded: 2})
		s.Active().End(0)
		job.CompletesWith(3, Counters{Succeeded: 3})
	})

	// Wrong: takes 0 for unset.
	It("the controller creates no pods while parallelism is 0", covers.Requirements(
		ZeroParallelism, QuietWhenIdle), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(0).Completions(2))
		startsWithoutPods(s, job)
		// Wrong: writes an unchanged status again and again.
		Expect(len(s.History().Jobs("a"))).To(BeNumerically("<=", 10), "revisions of the Job")
		job.SetParallelism(2)
		job.Runs(2)
	})

	// Wrong: reads parallelism once, or starts over with new pods.
	It("the controller adds pods to the running ones when parallelism is raised", covers.Requirements(
		RaisedParallelism), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(1).Completions(4))
		first := job.Runs(1)
		job.SetParallelism(3)
		Expect(job.Runs(3).Names()).To(ContainElements(first.Names()))
		Expect(s.Created()).To(HaveLen(3))
	})

	// A surplus pod loses its finalizer before it is deleted, and so is not counted
	// (KEP-2307). Wrong: counts surplus pods as failed, or deletes all pods.
	It("the controller does not count surplus pods as failed when parallelism is lowered", covers.Requirements(
		LoweredParallelism, SurplusDoesNotFail), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(3).Completions(3).BackoffLimit(0))
		before := job.Runs(3)
		job.SetParallelism(1)
		after := job.Runs(1)
		Expect(before.Names()).To(ContainElements(after.Names()))
		s.Soon("the surplus pods are gone", func(g Gomega) {
			g.Expect(s.Pods()).To(HaveLen(1))
			job.Reports(g, Counters{Active: 1, Ready: 1})
		})
		after.End(0)
		job.Counts("the next pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1})
		Expect(s.Created()).To(HaveLen(4))
	})

	// Source: JobStatus.terminating; #121342. Wrong: forgets pods that it has deleted.
	It("the controller deletes all pods when parallelism is 0, and counts them as terminating", covers.Requirements(
		ZeroParallelism, StatusTerminating), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).Puppet(terminateLater))
		pods := job.Runs(2)
		job.SetParallelism(0)
		job.Counts("both pods are terminating", Counters{Terminating: 2})
		release("143", pods[0])
		job.Counts("one pod is terminating", Counters{Terminating: 1})
		release("143", pods[1])
		s.Soon("both pods are gone", func(g Gomega) {
			g.Expect(s.Pods()).To(BeEmpty())
			job.Reports(g, Counters{})
		})
		Expect(job.Conditions()).To(BeEmpty())
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: expects a pod that is being deleted to end before it is gone.
	It("the controller does not count a terminating pod any more that has vanished",
		covers.Requirements(StatusTerminating),
		framework.Simulated("a kubelet reports the end of its pods"), func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a").Puppet(terminateLater))
			pod := job.Runs(1)[0]
			pod.Change(func(p *corev1.Pod) { controllerutil.AddFinalizer(p, ownFinalizer) })
			s.Finally(func() { removeFinalizer(s, &pod.Pod, ownFinalizer) })
			pod.Remove()
			replaced := Counters{Active: 1, Ready: 1, Terminating: 1, Failed: 1}
			job.Counts("the pod is terminating, and replaced", replaced)
			// The deletion changes the pod once more. Nothing but its end makes the controller
			// sync later.
			Expect(s.Client.Delete(ctx, &pod.Pod, client.GracePeriodSeconds(0))).To(Succeed())
			s.Stays("the pod is terminating", func(g Gomega) { job.Reports(g, replaced) })
			removeFinalizer(s, &pod.Pod, ownFinalizer)
			job.Counts("the pod is gone", Counters{Active: 1, Ready: 1, Failed: 1})
		})

	// Wrong: subtracts those that it deletes.
	It("pods that terminate count while others are deleted", covers.Requirements(
		StatusTerminating), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(4).Completions(4).Puppet(terminateLater))
		job.Runs(4)
		job.SetParallelism(2)
		terminating := func() {
			job.Counts("two pods are terminating", Counters{Active: 2, Ready: 2, Terminating: 2})
		}
		terminating()
		catchesUp(s) // with its own deletions, which it may write a status without
		terminating()
		before := s.Recorder.Position()
		job.SetParallelism(1)
		job.Counts("three pods are terminating", Counters{Active: 1, Ready: 1, Terminating: 3})
		s.StaysSince(before, "two pods or three are terminating", func(g Gomega) {
			g.Expect(job.Now().Status.Terminating).To(HaveValue(BeNumerically(">=", 2)), "status.terminating")
		})
	})

	// Several pods in a row, as the controller's own write of the status may lead it to a pod that has
	// just ended. Wrong: waits for more pods to end.
	It("the controller counts a pod within 10 s of its end, and replaces it", covers.Requirements(
		CountsInTime), framework.OneLeader("none may lead for longer"), func(ctx SpecContext) {
		s := framework.New(ctx)
		const rounds = 3
		job := s.Create(puppet.Job("a").Completions(rounds + 1))
		first := func(revisions []history.Revision, what func(history.Revision) bool) history.Revision {
			return revisions[slices.IndexFunc(revisions, what)]
		}
		pods := job.Runs(1)
		for n := range int32(rounds) {
			ended := pods[0].UID
			// One that gathers changes has none left then.
			s.May("the pod is reported as ready", func(g Gomega) { job.ReportsReady(g, 1) })
			s.StaysFor(time.Second, "the pod runs", func(g Gomega) { g.Expect(s.Active()).To(HaveLen(1)) })
			pods.End(0)
			s.Soon("the pod is counted", func(g Gomega) {
				g.Expect(job.Now().Status.Succeeded).To(Equal(n+1), "status.succeeded")
			})
			pods = job.Runs(1)
			h := s.History()
			end := first(h.Pods(""), func(r history.Revision) bool {
				return r.Pod().UID == ended && r.Pod().Status.Phase == corev1.PodSucceeded
			})
			counted := first(h.Jobs("a"), func(r history.Revision) bool { return r.Job().Status.Succeeded == n+1 })
			replaced := first(h.Pods(""), func(r history.Revision) bool { return r.Pod().UID == pods[0].UID })
			Expect(counted.At.Sub(end.At)).To(BeNumerically("<=", 10*time.Second), "time until the pod is counted")
			Expect(replaced.At.Sub(end.At)).To(BeNumerically("<=", 10*time.Second), "time until it is replaced")
		}
	})

	// All pods but the oldest three are ready, so that an order by age alone deletes others. Wrong:
	// deletes those that have got furthest, or any.
	It("the controller deletes the pods first that are not ready", covers.Requirements(
		SurplusIsNotReady), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(6).Completions(6).Puppet(map[string]string{puppet.Ready: ""}))
		pods := job.Runs(6)
		for _, pod := range pods[:3] {
			pod.Direct(map[string]string{puppet.Ready: "false"})
		}
		job.Counts("three pods are ready", Counters{Active: 6, Ready: 3})
		job.SetParallelism(3)
		s.Soon("the ready pods remain", func(g Gomega) { g.Expect(s.Active().Names()).To(ConsistOf(pods[3:].Names())) })
	})

	// Source: JobSpec.completions: null means that the success of any pod signals the
	// success of all. Wrong: replaces pods up to parallelism.
	It("the controller creates no pod for a work queue after its first success", covers.Requirements(
		WorkQueueStopsAtSuccess), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(3).FinishedAgo(longAgo))
		pods := job.Runs(3)
		pods[0].End(0)
		job.Counts("the success is counted, and two pods run", Counters{Active: 2, Ready: 2, Succeeded: 1})
		pods[1].End(1)
		job.Counts("the failure is counted, and one pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1, Failed: 1})
		s.Stays("only the last pod runs", func(g Gomega) {
			g.Expect(s.Active().Names()).To(ConsistOf(pods[2].Name))
		})
		pods[2].End(0)
		job.CompletesWith(3, Counters{Succeeded: 2, Failed: 1})
	})

	It("the controller replaces a failed pod of a work queue without success", covers.Requirements(
		WorkQueueReplacesFailures), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).FinishedAgo(longAgo))
		job.Runs(2)[0].End(1)
		job.Counts("the pod is replaced", Counters{Active: 2, Ready: 2, Failed: 1})
		Expect(s.Created()).To(HaveLen(3))
	})

	// Source: JobSpec.podReplacementPolicy. Wrong: waits until the pod has ended, or does
	// not count it, as if it had been surplus.
	It("a pod that somebody else deletes is replaced at once", covers.Requirements(
		ReplacesDeletedAtOnce), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).Puppet(terminateLater))
		pods := job.Runs(2)
		pods[0].Remove()
		job.CountsAfter(firstBackoff, "the pod is replaced", Counters{Active: 2, Ready: 2, Terminating: 1, Failed: 1})
		release("143", pods[0])
		s.Soon("the deleted pod is gone", func(g Gomega) {
			job.Reports(g, Counters{Active: 2, Ready: 2, Failed: 1})
			g.Expect(s.Pods().Names()).NotTo(ContainElement(pods[0].Name))
		})
		Expect(s.Created()).To(HaveLen(3))
	})

	// Source: KEP-3939.
	It("terminating pods count towards it with podReplacementPolicy Failed", covers.Requirements(
		FailedReplacesAfterEnd, FailedCountsAfterEnd), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).Puppet(terminateLater).
			PodReplacementPolicy(batchv1.Failed))
		pods := job.Runs(2)
		pods[0].Remove()
		job.Counts("the deleted pod is terminating", Counters{Active: 1, Ready: 1, Terminating: 1})
		s.Stays("the deleted pod is neither replaced nor counted as failed", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(2))
			job.Reports(g, Counters{Active: 1, Ready: 1, Terminating: 1})
		})
		release("143", pods[0])
		job.CountsAfter(firstBackoff, "the pod is replaced", Counters{Active: 2, Ready: 2, Failed: 1})
	})

	// Source: JobStatus.active: pending and running pods. Wrong: counts only running pods,
	// and creates more.
	It("pods that have not started yet count towards it", covers.Requirements(PendingPodsCount,
		StatusActive), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(4).Puppet(
			map[string]string{puppet.Start: puppet.Hold}))
		s.Stays("at most two pods are created", func(g Gomega) {
			g.Expect(len(s.Created())).To(BeNumerically("<=", 2))
		})
		job.Counts("both pods are active", Counters{Active: 2})
		for _, pod := range s.Active() {
			pod.Direct(map[string]string{puppet.Start: ""})
		}
		job.Runs(2)
		Expect(s.Created()).To(HaveLen(2))
	})

	// "If the Job controller failed to create Pods for any reason (lack of ResourceQuota,
	// ...)." Wrong: gives up, or counts a rejected pod as failed.
	It("the controller creates the pods when a quota no longer rejects them", covers.Requirements(
		RetriesToCreatePods), framework.Needs(spec.ResourceQuotas), func(ctx SpecContext) {
		s := framework.New(ctx)
		quota := s.Refuse(orphanPod("refused", nil), "pods")
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0))

		startsWithoutPods(s, job)
		s.Delete(quota)
		job.Runs(2).End(0)
		job.CompletesWith(2, Counters{Succeeded: 2})
	})

	// Source: JobStatus.ready.
	It("only ready pods count as ready", covers.Requirements(StatusReady), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).Puppet(map[string]string{puppet.Ready: "false"}))
		s.Soon("both pods run and are not ready", func(g Gomega) {
			g.Expect(s.InPhase(corev1.PodRunning)).To(HaveLen(2))
			job.Reports(g, Counters{Active: 2})
		})
		pod := s.Active()[0]
		pod.Direct(map[string]string{puppet.Ready: ""})
		job.Counts("one pod is ready", Counters{Active: 2, Ready: 1})
		pod.Direct(map[string]string{puppet.Ready: "false"})
		job.Counts("no pod is ready", Counters{Active: 2})
	})

	// Source: JobSpec.suspend; KEP-2232.
	It("a Job that is created suspended has no pods until it is resumed", covers.Requirements(
		SuspendedHasNoPods, SuspendedCondition), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).Suspend())
		s.Soon("the Job is Suspended", func(g Gomega) {
			g.Expect(job.Conditions()).To(HaveKey(batchv1.JobSuspended))
		})
		s.Stays("no pod is created", func(g Gomega) {
			g.Expect(s.Created()).To(BeEmpty())
			job.Reports(g, Counters{})
		})
		job.Resume()
		job.Runs(2)
		Expect(framework.Condition(job.Now(), batchv1.JobSuspended)).To(HaveField("Status", corev1.ConditionFalse))
	})

	// Source: JobSpec.suspend: will delete all active Pods, and reset the StartTime;
	// KEP-2232; #125089; #134521. Wrong: counts the deleted pods as failed, forgets
	// successes, or keeps the first startTime.
	It("the controller deletes the active pods of a suspended Job and creates new ones on resumption",
		covers.Requirements(
			SuspensionDeletesPods, ResumeStartsAnew, SuspensionKeepsCounts), covers.Shows(upstream.ReadyWithoutActive,
			upstream.ResumedStatusRefused), func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a").Parallelism(2).Completions(3).BackoffLimit(0))
			job.Runs(2)[0].End(0)
			job.Counts("the success is counted", Counters{Active: 2, Ready: 2, Succeeded: 1})
			started := job.StartedAt()
			job.Suspend()
			s.Soon("the Job is suspended and its active pods are gone", func(g Gomega) {
				g.Expect(job.Conditions()).To(HaveKey(batchv1.JobSuspended))
				job.Reports(g, Counters{Succeeded: 1})
				g.Expect(s.Pods()).To(HaveLen(1))
			})
			s.Stays("the Job creates no pod", func(g Gomega) {
				g.Expect(s.Created()).To(HaveLen(3))
				g.Expect(job.Now().Status.Succeeded).To(BeEquivalentTo(1), "status.succeeded")
			})
			job.Counts("the Job is as it was", Counters{Succeeded: 1}) // the status may have been behind
			job.Resume()
			job.Runs(2).End(0)
			job.Completes(Counters{Succeeded: 3})
			Expect(job.StartedAt().Sub(started)).To(BeNumerically(">=", 2*time.Second),
				"startTime before and after")
		})
})

// startsWithoutPods waits until the Job has started, and expects that it has no pods
// and does not finish.
func startsWithoutPods(s *framework.Sandbox, job *framework.Job) {
	GinkgoHelper()
	job.HasStarted()
	s.Stays("the Job has no pods and has not finished", func(g Gomega) {
		g.Expect(s.Created()).To(BeEmpty())
		job.Reports(g, Counters{})
		g.Expect(job.Conditions()).To(BeEmpty())
	})
}
