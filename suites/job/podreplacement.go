package job

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Source: KEP-3939. The specs of each policy with one pod are in parallelism.go.
var _ = Describe("Job podReplacementPolicy Failed:", behaviour.PodReplacementPolicy, func() {
	// Wrong: replaces all when the first of them has ended.
	It("the controller replaces each deleted pod when it has ended", covers.Requirements(
		FailedReplacesAfterEnd, FailedCountsAfterEnd), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(withPolicy(batchv1.Failed).Parallelism(3).Completions(3))
		pods := job.Runs(3)
		pods[0].Remove()
		pods[1].Remove()
		twoTerminate := func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(3))
			job.Reports(g, Counters{Active: 1, Ready: 1, Terminating: 2})
		}
		s.Soon("two pods are terminating", twoTerminate)
		s.Stays("no pod replaces them", twoTerminate)
		release("143", pods[0])
		job.CountsAfter(firstBackoff, "one pod is replaced", Counters{Active: 2, Ready: 2, Terminating: 1, Failed: 1})
		release("143", pods[1])
		job.CountsAfter(2*firstBackoff, "both pods are replaced", Counters{Active: 3, Ready: 3, Failed: 2})
		Expect(s.Created()).To(HaveLen(5))
	})

	// Wrong: counts every deleted pod as failed.
	It("a deleted pod that succeeds counts as succeeded", covers.Requirements(
		FailedCountsAfterEnd), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(withPolicy(batchv1.Failed).BackoffLimit(0))
		pod := job.Runs(1)[0]
		pod.Delete()
		job.Counts("the pod is terminating", Counters{Terminating: 1})
		release("0", pod)
		job.CompletesWith(1, Counters{Succeeded: 1})
	})

	// Wrong: counts terminating pods without their index, or starts no index at all.
	It("the controller does not start the index of a terminating pod", covers.Requirements(
		FailedBlocksTheIndexOnly), covers.Uses(contract.Indexed), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(withPolicy(batchv1.Failed).Indexed().Parallelism(2).Completions(3))
		pod := job.Runs(2)[0]
		index := indexesOf(s.Active())[0]
		pod.Remove()
		job.Counts("the pod is terminating", Counters{Active: 1, Ready: 1, Terminating: 1})
		job.SetParallelism(3)
		othersRun := func(g Gomega) {
			g.Expect(indexesOf(s.Active())).To(And(HaveLen(2), Not(ContainElement(index))))
			g.Expect(s.Created()).To(HaveLen(3))
			job.Reports(g, Counters{Active: 2, Ready: 2, Terminating: 1})
		}
		s.Soon("both other indexes run", othersRun)
		s.Stays("the index of the terminating pod does not run", othersRun)
		release("143", pod)
		s.SoonAfter(firstBackoff, "the index runs again", func(g Gomega) {
			g.Expect(indexesOf(s.Active())).To(ConsistOf("0", "1", "2"))
			job.Reports(g, Counters{Active: 3, Ready: 3, Failed: 1})
		})
	})

	// Wrong: ignores pods that it has deleted itself.
	It("a resumed Job waits for its old pods", covers.Requirements(FailedDelaysResume), covers.MayShow(
		upstream.ResumedStatusRefused), covers.Uses(contract.Suspend), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(withPolicy(batchv1.Failed).Parallelism(2).Completions(2))
		pods := job.Runs(2)
		job.Suspend()
		job.IsSuspended(Counters{Terminating: 2})
		job.Resume()
		s.Stays("no pod is created", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(2)) })
		job.Counts("both pods are terminating", Counters{Terminating: 2}) // the status may have been behind
		release("143", pods[0])
		job.Counts("one pod runs", Counters{Active: 1, Ready: 1, Terminating: 1})
		release("143", pods[1])
		job.Runs(2)
		Expect(s.Created()).To(HaveLen(4))
	})

	// Wrong: creates the pods at once, as those that terminate are of another template.
	It("a Job that is resumed with other resources waits for its old pods", covers.Requirements(
		FailedDelaysNewTemplate), covers.MayShow(upstream.ResumedStatusRefused), covers.Uses(
		contract.Suspend), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(withPolicy(batchv1.Failed).Parallelism(2).Completions(2))
		pods := job.Runs(2)
		job.Suspend()
		job.IsSuspended(Counters{Terminating: 2})
		requests := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("1m")}
		job.Change(func(j *batchv1.Job) { j.Spec.Template.Spec.Containers[0].Resources.Requests = requests })
		job.Resume()
		s.Stays("no pod is created", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(2)) })
		release("143", pods...)
		for _, pod := range job.Runs(2) {
			Expect(pod.Spec.Containers[0].Resources.Requests).To(
				HaveKeyWithValue(corev1.ResourceCPU, requests[corev1.ResourceCPU]))
		}
		Expect(s.Created()).To(HaveLen(4))
	})

	It("the controller replaces a failed pod", covers.Requirements(BothReplaceFailed), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").PodReplacementPolicy(batchv1.Failed).FinishedAgo(longAgo))
		job.Runs(1).End(1)
		job.CountsAfter(firstBackoff, "the pod is replaced", Counters{Active: 1, Ready: 1, Failed: 1})
	})
})

var _ = Describe("Job podReplacementPolicy TerminatingOrFailed:", behaviour.PodReplacementPolicy, func() {

	// Wrong: counts the pod twice, or counts it as succeeded.
	It("a deleted pod counts as failed, even if it succeeds", covers.Requirements(
		TerminatingReplacesAtOnce, TerminatingStaysFailed), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(withPolicy(batchv1.TerminatingOrFailed))
		pod := job.Runs(1)[0]
		pod.Remove()
		job.CountsAfter(firstBackoff, "the pod is replaced", Counters{Active: 1, Ready: 1, Terminating: 1, Failed: 1})
		release("0", pod)
		s.Soon("the pod is gone", func(g Gomega) {
			g.Expect(s.Pods()).To(HaveLen(1))
			job.Reports(g, Counters{Active: 1, Ready: 1, Failed: 1})
		})
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 1, Failed: 1})
	})

	It("a resumed Job runs beside its old pods", covers.Requirements(FailedDelaysResume), covers.MayShow(
		upstream.ResumedStatusRefused), covers.Uses(contract.Suspend), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(withPolicy(batchv1.TerminatingOrFailed).Parallelism(2).Completions(2))
		pods := job.Runs(2)
		job.Suspend()
		job.IsSuspended(Counters{Terminating: 2})
		job.Resume()
		job.Counts("two new pods run beside the old ones", Counters{Active: 2, Ready: 2, Terminating: 2})
		release("143", pods...)
		job.Counts("the old pods are gone", Counters{Active: 2, Ready: 2})
		Expect(s.Created()).To(HaveLen(4))
	})
})

// Source: batch/v1 JobStatus.terminating, active and ready; KEP-3939, KEP-2879.
var _ = Describe("Job status.terminating:", behaviour.PodReplacementPolicy, func() {
	// Wrong: counts by the deletionTimestamp alone, and waits for a pod that has ended.
	It("the controller does not count a pod that has ended and has a finalizer", covers.Requirements(
		EndedIsNotTerminating), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Completions(2))
		pod := job.Runs(1)[0]
		pod.Change(func(p *corev1.Pod) { controllerutil.AddFinalizer(p, ownFinalizer) })
		s.Finally(func() { removeFinalizer(s, &pod.Pod, ownFinalizer) })
		pod.End(0)
		nextRuns := func(g Gomega) {
			job.Reports(g, Counters{Active: 1, Ready: 1, Succeeded: 1})
		}
		s.Soon("the success is counted and the next pod runs", nextRuns)
		before := s.Recorder.Position()
		pod.Delete()
		isBeingDeleted(s, pod)
		s.StaysSince(before, "the pod does not count as terminating", nextRuns)
		s.Active().Without(pod).End(0)
		job.Completes(Counters{Succeeded: 2})
		Expect(pod.Now().DeletionTimestamp).NotTo(BeNil())
	})

	// The pods are ready until they end. Wrong: counts by the condition Ready.
	It("the controller counts a terminating pod neither as active nor as ready", covers.Requirements(
		TerminatingIsNotActive, FailedCountsAfterEnd), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(3).Completions(3).PodReplacementPolicy(batchv1.Failed).
			Puppet(terminateLater))
		pods := job.Runs(3)
		for i, want := range []Counters{
			{Active: 2, Ready: 2, Terminating: 1}, {Active: 1, Ready: 1, Terminating: 2}, {Terminating: 3},
		} {
			pods[i].Delete()
			job.Counts("one more pod is terminating", want)
		}
		release("0", pods...)
		job.Completes(Counters{Succeeded: 3})
	})
})

// ownFinalizer keeps an object that a spec deletes.
const ownFinalizer = "example.org/keep"

// withPolicy returns a Job with a podReplacementPolicy whose pods terminate later.
func withPolicy(policy batchv1.PodReplacementPolicy) *puppet.JobBuilder {
	return puppet.Job("a").PodReplacementPolicy(policy).Puppet(terminateLater)
}

// With restartPolicy OnFailure containers fail and restart, and their pods remain. The
// documentation says: "The number of retries in all the containers of Pods with
// .status.phase equal to Pending or Running. If [it] reaches the .spec.backoffLimit, the
// Job is considered failed."
//
// Source, where a spec names no other:
// https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy.
var _ = Describe("Job restartPolicy OnFailure:", behaviour.OnFailure, func() {
	// Wrong: replaces the pod, or counts restarts as failed pods.
	It("the Job completes when its pod succeeds at the third attempt", covers.Requirements(
		RestartsInPlace), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").OnFailure().BackoffLimit(3).ExitCodes("1,1"))
		restarted(s, 2)
		s.Stays("the pod is not replaced", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(1)) })
		s.Active()[0].Direct(map[string]string{puppet.ExitCodes: "1,1,0"})
		job.CompletesWith(1, Counters{Succeeded: 1})
		Expect(s.Pods()).To(ConsistOf(
			HaveField("Status.ContainerStatuses", ConsistOf(HaveField("RestartCount", int32(2))))))
		for _, r := range s.History().Jobs("a") {
			Expect(r.Job().Status.Failed).To(BeZero(), "status.failed at revision %s", r.Job().ResourceVersion)
		}
	})

	// Wrong: fails the Job one restart too early or never, or replaces the pod.
	It("the controller fails the Job when the restarts reach backoffLimit", covers.Requirements(
		RestartsReachBackoffLimit, RestartLimitDeletesPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").OnFailure().BackoffLimit(3).ExitCodes("1,1"))
		restarted(s, 2)
		s.Stays("the pod runs", func(g Gomega) {
			g.Expect(job.Conditions()).To(BeEmpty())
			g.Expect(s.Created()).To(HaveLen(1))
			g.Expect(s.Active()).To(HaveLen(1))
		})
		job.Counts("the pod is ready", Counters{Active: 1, Ready: 1}) // it may have just become so
		s.Active()[0].Direct(map[string]string{puppet.ExitCodes: "1,1,1"})
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
		s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
		Expect(s.Created()).To(HaveLen(1))
	})

	// Wrong: compares restarts with the limit as it compares failed pods, or fails the Job from
	// the start.
	It("a Job with backoffLimit 0 fails at the first restart", covers.Requirements(
		FirstRestartFails), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").OnFailure().BackoffLimit(0))
		pod := job.Runs(1)[0]
		Expect(job.Conditions()).To(BeEmpty())
		pod.End(1)
		job.FailsWith(1, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	It("a Job with backoffLimit 0 completes if its pods need no restart", covers.Requirements(
		FirstRestartFails), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").OnFailure().BackoffLimit(0).
			Parallelism(2).Completions(2).ExitCodes("0"))
		job.CompletesWith(2, Counters{Succeeded: 2})
	})

	// Wrong: compares each pod with the limit.
	It("the controller adds up the restarts of all pods", covers.Requirements(AddsUpRestarts), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").OnFailure().Parallelism(2).Completions(2).BackoffLimit(2))
		job.Runs(2).End(1)
		job.FailsWith(2, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
	})

	// Wrong: counts the restarts of the first container.
	It("the controller adds up the restarts of all containers of a pod", covers.Requirements(
		AddsUpRestarts), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").OnFailure().BackoffLimit(4).ExitCodes("1").Container("second"))
		restarted(s, 1)
		job.Runs(1)
		Expect(job.Conditions()).To(BeEmpty())
		s.Active()[0].Direct(map[string]string{puppet.ExitCodes: "1,1"}) // 2 in each of 2 containers
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// Wrong: ignores init containers, or pending pods.
	It("the controller adds up the restarts of a failing init container", covers.Requirements(
		AddsUpInitRestarts), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").OnFailure().BackoffLimit(2).InitContainer("init").
			Puppet(map[string]string{puppet.InitCodes: "1"}))
		s.Soon("the init container has restarted", func(g Gomega) {
			g.Expect(s.Active()).To(ConsistOf(
				HaveField("Status.InitContainerStatuses", ConsistOf(HaveField("RestartCount", int32(1))))))
		})
		s.Stays("the Job runs", func(g Gomega) {
			g.Expect(job.Conditions()).To(BeEmpty())
			g.Expect(s.Active()).To(HaveLen(1))
		})
		s.Active()[0].Direct(map[string]string{puppet.InitCodes: "1,1"})
		job.FailsWith(1, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// The status reports the restarts before any container has restarted.
	It("the controller adds up the restarts in the status of init containers", framework.Simulated(
		"a kubelet overwrites the status of its pods"), covers.Requirements(AddsUpInitRestarts), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").OnFailure().BackoffLimit(2).Puppet(
			map[string]string{puppet.Start: puppet.Hold}).
			InitContainer("init"))
		s.Soon("the pod is about to start", func(g Gomega) {
			g.Expect(s.Active()).To(ConsistOf(HaveField("Status.InitContainerStatuses", HaveLen(1))))
		})
		s.Active()[0].ChangeStatus(func(p *corev1.Pod) {
			p.Status.InitContainerStatuses[0].RestartCount = 2
		})
		job.Fails(batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	It("a Job fails or runs on when sidecars have restarted as often as backoffLimit", framework.Simulated(
		"a kubelet overwrites the status of its pods"), covers.Requirements(OtherRestarts), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").OnFailure().BackoffLimit(2).With(withSidecar))
		pod := job.Runs(1)[0]
		pod.ChangeStatus(func(p *corev1.Pod) { p.Status.InitContainerStatuses[0].RestartCount = 2 })
		limit := batchv1.JobReasonBackoffLimitExceeded
		s.Stays("the Job fails for its restarts, or runs", func(g Gomega) {
			g.Expect(job.Conditions()).To(framework.Either(
				BeEmpty(), HaveKeyWithValue(batchv1.JobFailureTarget, limit)))
		})
		AddReportEntry("conditions of the Job", job.Conditions())
		if len(job.Conditions()) > 0 {
			job.Fails(limit, Counters{Failed: 1})
			return
		}
		pod.End(0)
		job.Completes(Counters{Succeeded: 1})
	})

	// "Of Pods with .status.phase equal to Pending or Running." Wrong: adds up the restarts of
	// all pods that ever existed.
	It("the controller does not count the restarts of succeeded pods", covers.Requirements(
		FinishedRestartsDoNotCount), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").OnFailure().Completions(3).BackoffLimit(2).ExitCodes("1,0"))
		for n := range int32(2) { // one pod after the other
			s.Soon("another pod has succeeded", func(g Gomega) {
				g.Expect(job.Counters().Succeeded).To(BeNumerically(">", n), "status.succeeded")
			})
		}
		job.CompletesWith(3, Counters{Succeeded: 3})
	})

	It("a pod that somebody else deletes is replaced and counts as failed", covers.Requirements(
		DeletedOnFailurePodFails), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").OnFailure())
		job.Runs(1)[0].Remove()
		job.CountsAfter(firstBackoff, "another pod has replaced it", Counters{Active: 1, Ready: 1, Failed: 1})
		s.Active().End(0)
		job.CompletesWith(2, Counters{Succeeded: 1, Failed: 1})
	})

	// "The number of Pods with .status.phase = Failed" applies to any restartPolicy: a node
	// that runs out of memory evicts pods.
	It("the controller replaces an evicted pod within backoffLimit", covers.Requirements(
		DeletedOnFailurePodFails), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").OnFailure().BackoffLimit(1))
		job.Runs(1)[0].Evict()
		job.Counts("another pod has replaced it", Counters{Active: 1, Ready: 1, Failed: 1})
		s.Active()[0].Evict()
		job.FailsWith(2, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
	})

	// Source: JobSpec.activeDeadlineSeconds.
	It("the controller fails the Job at its deadline while containers restart", covers.Requirements(
		DeadlineWhileRestarting), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").OnFailure().ExitCodes("1,1"))
		restarted(s, 2)
		setDeadline(job, 2)
		exceeds(s, job, 2*time.Second, Counters{Failed: 1})
		s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
		Expect(s.Created()).To(HaveLen(1))
	})
})

// restarted waits until the one active pod has restarted n times.
func restarted(s *framework.Sandbox, n int32) {
	GinkgoHelper()
	s.Soon("the pod has restarted", func(g Gomega) {
		g.Expect(s.Active()).To(ConsistOf(
			HaveField("Status.ContainerStatuses", HaveEach(HaveField("RestartCount", n)))))
	})
}
