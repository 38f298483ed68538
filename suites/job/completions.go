package job

import (
	"fmt"
	"strconv"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Sources, where a spec names no other: batch/v1 JobSpec.completions,
// JobStatus.succeeded and conditions; KEP-2307.
var _ = Describe("Job completions:", behaviour.Completions, func() {
	It("the Job is Complete when that many pods have succeeded", covers.Requirements(
		CompletesAtCompletions, KeepsFinishedPods, LeavesTheSpec, CountsOnce, OneConditionPerType,
		UncountedLists), framework.NoQueue(
		"a queue changes the spec of the Job after its creation"), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(4).ExitCodes("0"))
		job.Completes(Counters{Succeeded: 4})
		Expect(job.Now().Spec).To(Equal(job.Made().Spec), "spec")
		Expect(job.Now().Status.UncountedTerminatedPods).To(framework.Either(BeNil(), HaveValue(BeZero())),
			"status.uncountedTerminatedPods")
		Expect(s.InPhase(corev1.PodSucceeded)).To(HaveLen(4))
		Expect(tracked(s.Pods())).To(BeEmpty())
		Expect(s.Created()).To(HaveLen(4))
	})

	// The harness's clock and the controller's may differ a little. Wrong: gives another time.
	It("the completionTime is when the Job became Complete", covers.Requirements(CompletionTime),
		func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a"))
			pod := job.Runs(1)[0]
			pod.End(0)
			job.Becomes(batchv1.JobComplete)
			const skew = 10 * time.Second
			Expect(job.Now().Status.CompletionTime.Time).To(And(
				BeTemporally(">=", pod.EndedAt().Add(-skew)), BeTemporally("<=", time.Now().Add(skew))),
				"status.completionTime")
		})

	// Wrong: adopts it, and takes its finalizer for a sign that it is not counted.
	It("a counted pod that loses its owner is not counted again", covers.Requirements(CountsOnce), covers.Shows(
		upstream.CountedAgain), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Completions(2))
		job.Runs(1).End(0)
		before := Counters{Active: 1, Ready: 1, Succeeded: 1}
		job.Counts("the first pod is counted, and the second one runs", before)
		s.Soon("the first pod is released", func(g Gomega) { g.Expect(tracked(s.Pods())).To(HaveLen(1)) })
		s.InPhase(corev1.PodSucceeded)[0].Change(func(p *corev1.Pod) { p.OwnerReferences = nil })
		s.Stays("it is not counted again", func(g Gomega) { job.Reports(g, before) })
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 2})
	})

	// Source: batch/v1 JobReasonCompletionsReached; KEP-3998.
	It("the conditions of a Complete Job have the reason CompletionsReached", covers.Requirements(
		OneVerdict, CompleteIsAnnounced), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").ExitCodes("0"))
		job.Completes(Counters{Succeeded: 1})
		Expect(job.Conditions()).To(Equal(
			because(batchv1.JobReasonCompletionsReached, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)))
	})

	// "Setting to 1 means that parallelism is limited to 1."
	It("a Job with completions 1 runs one pod at a time, whatever the parallelism", covers.Requirements(
		OneCompletionOnePod), func(ctx SpecContext) {
		job := framework.New(ctx).Create(puppet.Job("a").Parallelism(3).Completions(1))
		job.Runs(1).End(0)
		job.CompletesWith(1, Counters{Succeeded: 1})
	})

	// "When both are unset, both are defaulted to 1." Wrong: never starts such a Job, or
	// ends it with its first pod.
	It("a Job without completions and parallelism runs one pod until one has succeeded", covers.Requirements(
		DefaultRunsOnePod), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").FinishedAgo(longAgo))
		job.Runs(1).End(1)
		job.Counts("the failed pod is replaced", Counters{Active: 1, Ready: 1, Failed: 1})
		s.Active().End(0)
		job.CompletesWith(2, Counters{Succeeded: 1, Failed: 1})
	})

	// Wrong: takes 0 for unset.
	It("a Job with completions 0 is Complete without any pod", covers.Requirements(
		ZeroCompletions, CompletionTime), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(0))
		job.Completes(Counters{})
		Expect(s.Created()).To(BeEmpty())
		Expect(job.Now().Status.CompletionTime).NotTo(BeNil(), "status.completionTime")
	})

	// Wrong: completes the Job with the first success, or fails it with the last failure.
	It("a Job without completions is Complete when one pod has succeeded and all have ended", covers.Requirements(
		WorkQueueCompletes, StartTimeIsFixed), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2))
		pods := job.Runs(2)
		pods[0].End(0)
		job.Counts("the success is counted", Counters{Active: 1, Ready: 1, Succeeded: 1})
		s.Stays("the Job waits for the other pod", func(g Gomega) {
			g.Expect(job.Conditions()).To(BeEmpty())
			g.Expect(s.Active().Names()).To(ConsistOf(pods[1].Name))
		})
		pods[1].End(1)
		job.CompletesWith(2, Counters{Succeeded: 1, Failed: 1})
		// Wrong: sets startTime at every sync.
		Expect(startTimes(s, job)).To(HaveLen(1), "startTime at all revisions")
	})

	It("the Job replaces failed pods and does not count them as succeeded", covers.Requirements(
		FailuresAreNoCompletions), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).FinishedAgo(longAgo))
		job.Runs(2)[0].End(1)
		job.Counts("the failed pod is replaced", Counters{Active: 2, Ready: 2, Failed: 1})
		s.Active().End(0)
		job.CompletesWith(3, Counters{Succeeded: 2, Failed: 1})
	})

	// Wrong: counts the pods that exist.
	It("the Job keeps counting a succeeded pod after it is deleted", covers.Requirements(
		CompletionsOutliveTheirPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(1).Completions(2))
		first := job.Runs(1)[0]
		first.End(0)
		job.Counts("the success is counted and the next pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1})
		first.Delete()
		s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(HaveLen(1)) })
		s.Active().End(0)
		job.CompletesWith(2, Counters{Succeeded: 2})
	})

	// The finalizer keeps the pod until it is counted. Wrong: replaces every pod that is
	// being deleted.
	It("the Job counts a succeeded pod that is deleted before it was counted", covers.Requirements(
		DeletedSuccessCounts, FinalizerUntilCounted), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		pods := job.Runs(2)
		pods[0].End(0)
		podsReach(s, corev1.PodSucceeded, 1)
		pods[0].Delete()
		s.Soon("the success is counted and the pod is gone", func(g Gomega) {
			job.Reports(g, Counters{Active: 1, Ready: 1, Succeeded: 1})
			g.Expect(s.Pods()).To(HaveLen(1))
		})
		pods[1].End(0)
		job.CompletesWith(2, Counters{Succeeded: 2})
	})

	// Source: #99963. The Job gets a pod that has succeeded and is not counted, so that its
	// first pod is surplus.
	It("the controller deletes active pods when completions are reached", covers.Requirements(
		DeletesSurplusAtCompletion, FinishedHasNoActivePods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Completions(1))
		first := job.Runs(1)
		orphan := framework.Create(s, orphanPod("orphan", map[string]string{puppet.ExitCodes: "0"}))
		podsReach(s, corev1.PodSucceeded, 1)
		framework.Change(s, orphan, func(p *corev1.Pod) {
			p.Labels = job.Made().Spec.Template.Labels
			own(job, p)
		})
		s.Soon("the Job is Complete and its first pod is gone", func(g Gomega) {
			g.Expect(job.Conditions()).To(HaveKey(batchv1.JobComplete))
			g.Expect(s.Pods().Names()).NotTo(ContainElements(first.Names()))
		})
		// kube-controller-manager before v1.31 counts the surplus pod as failed.
		Expect(job.Counters().Succeeded).To(BeEquivalentTo(1), "status.succeeded")
		s.At("no pod is active", func(g Gomega) { job.ReportsActive(g, 0) })
	})

	// Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions; #123775.
	It("the Job has SuccessCriteriaMet at once and is Complete when its last pod has ended", covers.Requirements(
		CompleteAfterAllPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Puppet(terminateLater))
		pods := job.Runs(2)
		job.SetParallelism(1)
		job.Counts("one pod is terminating", Counters{Active: 1, Ready: 1, Terminating: 1})
		s.Active().End(0)
		s.Soon("the success criteria are met", func(g Gomega) {
			g.Expect(job.Conditions()).To(HaveKey(batchv1.JobSuccessCriteriaMet))
			job.Reports(g, Counters{Terminating: 1, Succeeded: 1})
		})
		s.Stays("the Job is not Complete", func(g Gomega) {
			g.Expect(job.Conditions()).NotTo(HaveKey(batchv1.JobComplete))
		})
		for _, pod := range s.Pods() {
			if pod.DeletionTimestamp != nil {
				release("143", pod)
			}
		}
		job.Completes(Counters{Succeeded: 1})
		Expect(s.Created()).To(HaveLen(len(pods)))
	})

	// Wrong: counts pods before it reads the status.
	It("the controller leaves a Complete Job alone", covers.Requirements(
		NoPodsOnceDecided, FinishedStatusIsFixed), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).ExitCodes("0"))
		job.Completes(Counters{Succeeded: 2})
		complete := job.Now().Status
		for _, pod := range s.Pods() {
			pod.Delete()
		}
		job.SetParallelism(3)
		s.Stays("Job and pods stay as they are", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(2))
			g.Expect(job.Now().Status).To(Equal(complete), "status")
		})
		Expect(s.Pods()).To(BeEmpty())
	})

	// Source: JobStatus.completedIndexes; KEP-2214; KEP-4017.
	It("an Indexed Job runs each index once", covers.Requirements(CompletesWithEveryIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3))
		pods := byIndex(job.Runs(3))
		Expect(pods).To(And(HaveLen(3), HaveKey("0"), HaveKey("1"), HaveKey("2")))
		for _, pod := range pods {
			pod.End(0)
		}
		job.Completes(Counters{Succeeded: 3})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("0-2"), "status.completedIndexes")
		Expect(s.Created()).To(HaveLen(3))
	})

	// "Three or more consecutive numbers are compressed."
	It("an Indexed Job lists completedIndexes as ranges", covers.Requirements(
		CompletedIndexesFormat), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(8))
		pods := byIndex(job.Runs(8))
		for _, index := range []int{7, 4, 1, 3, 5} {
			pods[strconv.Itoa(index)].End(0)
		}
		s.Soon("five indexes are completed", func(g Gomega) {
			g.Expect(job.Now().Status.CompletedIndexes).To(Equal("1,3-5,7"), "status.completedIndexes")
			job.Reports(g, Counters{Active: 3, Ready: 3, Succeeded: 5})
		})
		pods["0"].End(0)
		indexesComplete(s, job, "0,1,3-5,7")
	})

	// Wrong: creates the replacement for the next index.
	It("an Indexed Job retries a failed index", covers.Requirements(ReplacementKeepsIndex), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Parallelism(2).Completions(3).FinishedAgo(longAgo))
		pods := byIndex(job.Runs(2))
		Expect(pods).To(And(HaveKey("0"), HaveKey("1")))
		pods["1"].End(1)
		s.Soon("index 1 runs again", func(g Gomega) {
			job.Reports(g, Counters{Active: 2, Ready: 2, Failed: 1})
			g.Expect(byIndex(s.Active())).To(And(HaveKey("0"), HaveKey("1")))
		})
		s.Active().End(0)
		s.Soon("index 2 runs", func(g Gomega) {
			g.Expect(byIndex(s.Active())).To(And(HaveLen(1), HaveKey("2")))
			g.Expect(job.Now().Status.CompletedIndexes).To(Equal("0,1"), "status.completedIndexes")
		})
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 3, Failed: 1})
	})

	// Source: #108887. Wrong: creates a pod for an index that has none.
	It("an Indexed Job does not run a completed index again after its pod is deleted", covers.Requirements(
		SucceededIndexIsDone), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Parallelism(1).Completions(2))
		first := job.Runs(1)[0]
		first.End(0)
		s.Soon("index 0 is completed and index 1 runs", func(g Gomega) {
			g.Expect(job.Now().Status.CompletedIndexes).To(Equal("0"), "status.completedIndexes")
			g.Expect(byIndex(s.Active())).To(And(HaveLen(1), HaveKey("1")))
		})
		first.Delete()
		s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(HaveLen(1)) })
		s.Active().End(0)
		job.CompletesWith(2, Counters{Succeeded: 2})
	})

	// Source: KEP-3715.
	It("an Indexed Job follows a change of completions and parallelism together", covers.Requirements(
		ScaleUpRunsNewIndexes, ScaleDownDeletesIndexes), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(indexed(3))
		job.Runs(3)
		rescale(job, 2)
		Expect(byIndex(job.Runs(2))).To(And(HaveLen(2), HaveKey("0"), HaveKey("1")))
		rescale(job, 4)
		Expect(byIndex(job.Runs(4))).To(And(HaveLen(4), HaveKey("2"), HaveKey("3")))
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 4})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("0-3"), "status.completedIndexes")
	})

	// Source: JobSpec.ttlSecondsAfterFinished. The cluster deletes the Job; it finds the
	// time in the conditions.
	It("a Complete Job is deleted after ttlSecondsAfterFinished", covers.Requirements(
		FinishTimeForTTL), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").ExitCodes("0").With(func(j *batchv1.Job) {
			j.Spec.TTLSecondsAfterFinished = ptr.To[int32](0)
		}))
		s.Soon("Job and pod are gone", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(1))
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
		Expect(framework.TrueConditions(lastOf(s, job))).To(HaveKey(batchv1.JobComplete))
	})

	// Source: #132042. Wrong: keeps counters by the Job's name.
	It("a Job with the name of a deleted one inherits neither counters nor back-off", covers.Requirements(
		NewJobStartsAtZero), covers.MayShow(upstream.StatusWrongInBackoff), func(ctx SpecContext) {
		s := framework.New(ctx)
		old := s.Create(puppet.Job("a").Parallelism(4).Completions(4))
		pods := old.Runs(4)
		pods[:3].End(1) // the next pod is due after 40 s
		failuresCounted(s, old, pods[:3], Counters{Active: 1, Ready: 1, Failed: 3})
		old.Delete()
		s.Soon("the Job is gone", func(g Gomega) { g.Expect(s.Jobs()).To(BeEmpty()) })
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		job.Counts("the pods of the new Job run", Counters{Active: 2, Ready: 2})
		Expect(s.Created()[5].CreationTimestamp.Sub(job.Made().CreationTimestamp.Time)).To(
			BeNumerically("<", 4*firstBackoff-5*time.Second+s.Lost()), "time between the new Job and its last pod")
		s.Active().Without(pods...).End(0)
		job.Completes(Counters{Succeeded: 2})
	})
})

// lastOf returns the last revision of a Job that is gone.
func lastOf(s *framework.Sandbox, job *framework.Job) *batchv1.Job {
	revisions := s.History().Jobs(job.Name)
	return revisions[len(revisions)-1].Job()
}

// startTimes returns every startTime that a Job has had.
func startTimes(s *framework.Sandbox, job *framework.Job) map[time.Time]bool {
	times := map[time.Time]bool{}
	for _, r := range s.History().Jobs(job.Name) {
		if start := r.Job().Status.StartTime; start != nil {
			times[start.UTC()] = true
		}
	}
	return times
}

// byIndex returns pods by their completion index. It fails the spec if two pods have
// the same index.
func byIndex(pods framework.Pods) map[string]framework.Pod {
	GinkgoHelper()
	out := map[string]framework.Pod{}
	for _, pod := range pods {
		index := kinds.CompletionIndex(&pod.Pod)
		Expect(out).NotTo(HaveKey(index), fmt.Sprintf("indexes of %v", pods.Names()))
		out[index] = pod
	}
	return out
}
