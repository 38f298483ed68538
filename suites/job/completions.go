package job

import (
	"fmt"
	"strconv"
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
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Sources, where a spec names no other: batch/v1 JobSpec.completions,
// JobStatus.succeeded and conditions; KEP-2307.
var _ = Describe("Job completions:", behaviour.Completions, func() {
	It("the Job is Complete when that many pods have succeeded", Covers(
		CompletesAtCompletions, KeepsFinishedPods, CompletionTime, LeavesTheSpec, CountsOnce, OneConditionPerType,
		UncountedLists), framework.NoQueue("a queue changes the spec of the Job after its creation"), func(ctx SpecContext) {
		s, job := WithNewJob(ctx, puppet.Job("a").Parallelism(2).Completions(4).ExitCodes("0"))
		Completes(s, "a", Counters{Succeeded: 4})
		Expect(s.Job("a").Spec).To(Equal(job.Spec))
		status := s.Job("a").Status
		Expect(status.CompletionTime.Time).NotTo(BeTemporally("<", status.StartTime.Time))
		Expect(status.UncountedTerminatedPods).To(Or(BeNil(), HaveValue(BeZero())))
		Expect(s.InPhase(corev1.PodSucceeded)).To(HaveLen(4))
		Expect(tracked(s.Pods())).To(BeEmpty())
		Expect(s.Created()).To(HaveLen(4))
	})

	// Wrong: adopts it, and takes its finalizer for a sign that it is not counted.
	It("a counted pod that loses its owner is not counted again", Covers(CountsOnce), Shows(upstream.CountedAgain), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Completions(2))
		Running(s, "a", 1).End(0)
		before := Counters{Active: 1, Ready: 1, Succeeded: 1}
		Counts(s, "a", "the first pod is counted, and the second one runs", before)
		s.Soon("the first pod is released", func(g Gomega) { g.Expect(tracked(s.Pods())).To(HaveLen(1)) })
		s.InPhase(corev1.PodSucceeded)[0].Change(func(p *corev1.Pod) { p.OwnerReferences = nil })
		s.Stays("it is not counted again", func(g Gomega) { g.Expect(CountersOf(s.Job("a"))).To(Equal(before)) })
		s.Active().End(0)
		Completes(s, "a", Counters{Succeeded: 2})
	})

	// Source: batch/v1 JobReasonCompletionsReached; KEP-3998.
	It("the conditions of a Complete Job have the reason CompletionsReached", Covers(
		OneVerdict, CompleteIsAnnounced), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ExitCodes("0"))
		Completes(s, "a", Counters{Succeeded: 1})
		Expect(TrueConditions(s.Job("a"))).To(Equal(
			because(batchv1.JobReasonCompletionsReached, batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)))
	})

	// "Setting to 1 means that parallelism is limited to 1."
	It("a Job with completions 1 runs one pod at a time, whatever the parallelism", Covers(
		OneCompletionOnePod), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(3).Completions(1))
		Running(s, "a", 1).End(0)
		CompletesWith(s, 1, "a", Counters{Succeeded: 1})
	})

	// "When both are unset, both are defaulted to 1." Wrong: never starts such a Job, or
	// ends it with its first pod.
	It("a Job without completions and parallelism runs one pod until one has succeeded", Covers(
		DefaultRunsOnePod), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").FinishedAgo(longAgo))
		Running(s, "a", 1).End(1)
		Counts(s, "a", "the failed pod is replaced", Counters{Active: 1, Ready: 1, Failed: 1})
		s.Active().End(0)
		CompletesWith(s, 2, "a", Counters{Succeeded: 1, Failed: 1})
	})

	// Wrong: takes 0 for unset.
	It("a Job with completions 0 is Complete without any pod", Covers(
		ZeroCompletions, CompletionTime), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(0))
		Completes(s, "a", Counters{})
		Expect(s.Created()).To(BeEmpty())
		Expect(s.Job("a").Status.CompletionTime).NotTo(BeNil())
	})

	// Wrong: completes the Job with the first success, or fails it with the last failure.
	It("a Job without completions is Complete when one pod has succeeded and all have ended", Covers(
		WorkQueueCompletes, StartTimeIsFixed), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2))
		pods := Running(s, "a", 2)
		pods[0].End(0)
		Counts(s, "a", "the success is counted", Counters{Active: 1, Ready: 1, Succeeded: 1})
		s.Stays("the Job waits for the other pod", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
			g.Expect(names(s.Active())).To(ConsistOf(pods[1].Name))
		})
		pods[1].End(1)
		CompletesWith(s, 2, "a", Counters{Succeeded: 1, Failed: 1})
		// Wrong: sets startTime at every sync.
		Expect(startTimes(s, "a")).To(HaveLen(1), "startTime at all revisions")
	})

	It("the Job replaces failed pods and does not count them as succeeded", Covers(
		FailuresAreNoCompletions), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).FinishedAgo(longAgo))
		Running(s, "a", 2)[0].End(1)
		Counts(s, "a", "the failed pod is replaced", Counters{Active: 2, Ready: 2, Failed: 1})
		s.Active().End(0)
		CompletesWith(s, 3, "a", Counters{Succeeded: 2, Failed: 1})
	})

	// Wrong: counts the pods that exist.
	It("the Job keeps counting a succeeded pod after it is deleted", Covers(
		CompletionsOutliveTheirPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(1).Completions(2))
		first := Running(s, "a", 1)[0]
		first.End(0)
		Counts(s, "a", "the success is counted and the next pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1})
		first.Delete()
		s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(HaveLen(1)) })
		s.Active().End(0)
		CompletesWith(s, 2, "a", Counters{Succeeded: 2})
	})

	// The finalizer keeps the pod until it is counted. Wrong: replaces every pod that is
	// being deleted.
	It("the Job counts a succeeded pod that is deleted before it was counted", Covers(
		DeletedSuccessCounts, FinalizerUntilCounted), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2))
		pods := Running(s, "a", 2)
		pods[0].End(0)
		podsReach(s, corev1.PodSucceeded, 1)
		pods[0].Delete()
		s.Soon("the success is counted and the pod is gone", func(g Gomega) {
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1, Succeeded: 1}))
			g.Expect(s.Pods()).To(HaveLen(1))
		})
		pods[1].End(0)
		CompletesWith(s, 2, "a", Counters{Succeeded: 2})
	})

	// Source: #99963. The Job gets a pod that has succeeded and is not counted, so that its
	// first pod is surplus.
	It("the controller deletes active pods when completions are reached", Covers(
		DeletesSurplusAtCompletion, FinishedHasNoActivePods), func(ctx SpecContext) {
		s, job := WithNewJob(ctx, puppet.Job("a").Completions(1))
		first := Running(s, "a", 1)
		orphan := framework.Create(s, orphanPod("orphan", map[string]string{puppet.ExitCodes: "0"}))
		podsReach(s, corev1.PodSucceeded, 1)
		framework.Change(s, orphan, func(p *corev1.Pod) {
			p.Labels = job.Spec.Template.Labels
			own(job, p)
		})
		s.Soon("the Job is Complete and its first pod is gone", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobComplete))
			g.Expect(names(s.Pods())).NotTo(ContainElements(names(first)))
		})
		// kube-controller-manager before v1.31 counts the surplus pod as failed.
		Expect(CountersOf(s.Job("a"))).To(And(HaveField("Active", int32(0)), HaveField("Succeeded", int32(1))))
	})

	// Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions; #123775.
	It("the Job has SuccessCriteriaMet at once and is Complete when its last pod has ended", Covers(
		CompleteAfterAllPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Puppet(terminateLater))
		pods := Running(s, "a", 2)
		SetParallelism(ctx, s, "a", 1)
		Counts(s, "a", "one pod is terminating", Counters{Active: 1, Ready: 1, Terminating: 1})
		s.Active().End(0)
		s.Soon("the success criteria are met", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobSuccessCriteriaMet))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Terminating: 1, Succeeded: 1}))
		})
		s.Stays("the Job is not Complete", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).NotTo(HaveKey(batchv1.JobComplete))
		})
		for _, pod := range s.Pods() {
			if pod.DeletionTimestamp != nil {
				release(ctx, s, "143", pod)
			}
		}
		Completes(s, "a", Counters{Succeeded: 1})
		Expect(s.Created()).To(HaveLen(len(pods)))
	})

	// Wrong: counts pods before it reads the status.
	It("the controller leaves a Complete Job alone", Covers(
		NoPodsOnceDecided, FinishedStatusIsFixed), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).ExitCodes("0"))
		Completes(s, "a", Counters{Succeeded: 2})
		complete := s.Job("a").Status
		for _, pod := range s.Pods() {
			pod.Delete()
		}
		SetParallelism(ctx, s, "a", 3)
		s.Stays("Job and pods stay as they are", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(2))
			g.Expect(s.Job("a").Status).To(Equal(complete))
		})
		Expect(s.Pods()).To(BeEmpty())
	})

	// Source: JobStatus.completedIndexes; KEP-2214; KEP-4017.
	It("an Indexed Job runs each index once, in a pod that has its index", Covers(
		EveryPodHasAnIndex, IndexedHostname, IndexedPodName, IndexVariable, CompletesWithEveryIndex), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(3))
		pods := byIndex(Running(s, "a", 3))
		Expect(pods).To(And(HaveLen(3), HaveKey("0"), HaveKey("1"), HaveKey("2")))
		for index, pod := range pods {
			Expect(pod.Name).To(HavePrefix("a-" + index + "-"))
			Expect(pod.Spec.Hostname).To(Equal("a-" + index))
			Expect(pod.Labels).To(HaveKeyWithValue(batchv1.JobCompletionIndexAnnotation, index))
			Expect(pod.Spec.Containers[0].Env).To(ConsistOf(HaveField("Name", "JOB_COMPLETION_INDEX")))
		}
		for _, pod := range pods {
			pod.End(0)
		}
		Completes(s, "a", Counters{Succeeded: 3})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-2"))
		Expect(s.Created()).To(HaveLen(3))
	})

	// "Three or more consecutive numbers are compressed."
	It("an Indexed Job lists completedIndexes as ranges", Covers(CompletedIndexesFormat), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(8))
		pods := byIndex(Running(s, "a", 8))
		for _, index := range []int{7, 4, 1, 3, 5} {
			pods[strconv.Itoa(index)].End(0)
		}
		s.Soon("five indexes are completed", func(g Gomega) {
			g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("1,3-5,7"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3, Succeeded: 5}))
		})
		pods["0"].End(0)
		indexesComplete(s, "0,1,3-5,7")
	})

	// Wrong: creates the replacement for the next index.
	It("an Indexed Job retries a failed index", Covers(ReplacementKeepsIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(3).FinishedAgo(longAgo))
		pods := byIndex(Running(s, "a", 2))
		Expect(pods).To(And(HaveKey("0"), HaveKey("1")))
		pods["1"].End(1)
		s.Soon("index 1 runs again", func(g Gomega) {
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2, Failed: 1}))
			g.Expect(byIndex(s.Active())).To(And(HaveKey("0"), HaveKey("1")))
		})
		s.Active().End(0)
		s.Soon("index 2 runs", func(g Gomega) {
			g.Expect(byIndex(s.Active())).To(And(HaveLen(1), HaveKey("2")))
			g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0,1"))
		})
		s.Active().End(0)
		Completes(s, "a", Counters{Succeeded: 3, Failed: 1})
	})

	// Source: #108887. Wrong: creates a pod for an index that has none.
	It("an Indexed Job does not run a completed index again after its pod is deleted", Covers(
		SucceededIndexIsDone), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(1).Completions(2))
		first := Running(s, "a", 1)[0]
		first.End(0)
		s.Soon("index 0 is completed and index 1 runs", func(g Gomega) {
			g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0"))
			g.Expect(byIndex(s.Active())).To(And(HaveLen(1), HaveKey("1")))
		})
		first.Delete()
		s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(HaveLen(1)) })
		s.Active().End(0)
		CompletesWith(s, 2, "a", Counters{Succeeded: 2})
	})

	// Source: KEP-3715.
	It("an Indexed Job follows a change of completions and parallelism together", Covers(
		ScaleUpRunsNewIndexes, ScaleDownDeletesIndexes), func(ctx SpecContext) {
		s := WithJob(ctx, indexed(3))
		Running(s, "a", 3)
		rescale(ctx, s, 2)
		Expect(byIndex(Running(s, "a", 2))).To(And(HaveLen(2), HaveKey("0"), HaveKey("1")))
		rescale(ctx, s, 4)
		Expect(byIndex(Running(s, "a", 4))).To(And(HaveLen(4), HaveKey("2"), HaveKey("3")))
		s.Active().End(0)
		Completes(s, "a", Counters{Succeeded: 4})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-3"))
	})

	// Source: JobSpec.ttlSecondsAfterFinished. The cluster deletes the Job; it finds the
	// time in the conditions.
	It("a Complete Job is deleted after ttlSecondsAfterFinished", Covers(FinishTimeForTTL), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ExitCodes("0").With(func(j *batchv1.Job) {
			j.Spec.TTLSecondsAfterFinished = ptr.To[int32](0)
		}))
		s.Soon("Job and pod are gone", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(1))
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
		Expect(TrueConditions(lastOf(s, "a"))).To(HaveKey(batchv1.JobComplete))
	})

	// Source: #132042. Wrong: keeps counters by the Job's name.
	It("a Job with the name of a deleted one inherits neither counters nor back-off", Covers(
		NewJobStartsAtZero), MayShow(upstream.StatusWrongInBackoff), func(ctx SpecContext) {
		s, old := WithNewJob(ctx, puppet.Job("a").Parallelism(4).Completions(4))
		pods := Running(s, "a", 4)
		pods[:3].End(1) // the next pod is due after 40 s
		failuresCounted(s, pods[:3], Counters{Active: 1, Ready: 1, Failed: 3})
		s.Delete(old)
		s.Soon("the Job is gone", func(g Gomega) { g.Expect(s.Jobs()).To(BeEmpty()) })
		again := framework.Create(s, puppet.Job("a").Parallelism(2).Completions(2).Obj())
		Counts(s, "a", "the pods of the new Job run", Counters{Active: 2, Ready: 2})
		Expect(s.Created()[5].CreationTimestamp.Sub(again.CreationTimestamp.Time)).To(
			BeNumerically("<", 4*firstBackoff-5*time.Second), "time between the new Job and its last pod")
		others(s.Active(), pods...).End(0)
		Completes(s, "a", Counters{Succeeded: 2})
	})
})

// lastOf returns the last revision of a Job that is gone.
func lastOf(s *framework.Sandbox, job string) *batchv1.Job {
	revisions := s.History().Jobs(job)
	return revisions[len(revisions)-1].Job()
}

// startTimes returns every startTime that a Job has had.
func startTimes(s *framework.Sandbox, job string) map[time.Time]bool {
	times := map[time.Time]bool{}
	for _, r := range s.History().Jobs(job) {
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
		index := pod.Annotations[batchv1.JobCompletionIndexAnnotation]
		Expect(out).NotTo(HaveKey(index), fmt.Sprintf("indexes of %v", names(pods)))
		out[index] = pod
	}
	return out
}
