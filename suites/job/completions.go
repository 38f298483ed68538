package job

import (
	"fmt"
	"strconv"
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

// Sources, where a spec names no other: batch/v1 JobSpec.completions,
// JobStatus.succeeded and conditions; KEP-2307.
var _ = Describe("completions", Label("area:job", "behaviour:completions"), func() {

	It("are reached by that many pods that succeed", Covers(CompletesAtCompletions, KeepsFinishedPods, CompletionTime, LeavesTheSpec, CountsOnce, UncountedLists), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(4).ExitCodes("0").Obj())

		Completes(s, "a", Counters{Succeeded: 4})
		Expect(s.Job("a").Spec).To(Equal(job.Spec))
		status := s.Job("a").Status
		Expect(status.CompletionTime.Time).NotTo(BeTemporally("<", status.StartTime.Time))
		Expect(status.UncountedTerminatedPods).To(Or(BeNil(), HaveValue(BeZero())))
		Expect(s.InPhase(corev1.PodSucceeded)).To(HaveLen(4))
		Expect(tracked(s.Pods())).To(BeEmpty())
		Expect(s.Created()).To(HaveLen(4))
	})

	// Source: batch/v1 JobReasonCompletionsReached; KEP-3998.
	It("are the reason that the conditions give", Covers(OneVerdict, CompleteIsAnnounced), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ExitCodes("0"))

		Completes(s, "a", Counters{Succeeded: 1})
		Expect(TrueConditions(s.Job("a"))).To(Equal(map[batchv1.JobConditionType]string{
			batchv1.JobSuccessCriteriaMet: batchv1.JobReasonCompletionsReached,
			batchv1.JobComplete:           batchv1.JobReasonCompletionsReached,
		}))
	})

	// "Setting to 1 means that parallelism is limited to 1."
	It("of 1 let one pod run, whatever the parallelism", Covers(OneCompletionOnePod), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(3).Completions(1))

		s.End(ctx, 0, Running(s, "a", 1)...)
		Completes(s, "a", Counters{Succeeded: 1})
		Expect(s.Created()).To(HaveLen(1))
	})

	// "When both are unset, both are defaulted to 1." Wrong: never starts such a
	// Job, or takes its first pod's end for its own.
	It("left unset together with parallelism are one success of one pod", Covers(DefaultRunsOnePod), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").FinishedAgo(longAgo))

		s.End(ctx, 1, Running(s, "a", 1)...)
		Counts(s, "a", "the failed pod is replaced", Counters{Active: 1, Ready: 1, Failed: 1})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 1, Failed: 1})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: takes 0 for unset.
	It("of 0 are reached without any pod", Covers(ZeroCompletions, CompletionTime), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(0))

		Completes(s, "a", Counters{})
		Expect(s.Created()).To(BeEmpty())
		Expect(s.Job("a").Status.CompletionTime).NotTo(BeNil())
	})

	// Wrong: completes with the first success, or fails with the last failure.
	It("left unset are reached when one pod has succeeded and all others have ended", Covers(WorkQueueCompletes, StartTimeIsFixed), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2))

		pods := Running(s, "a", 2)
		s.End(ctx, 0, pods[0])
		Counts(s, "a", "the success is counted", Counters{Active: 1, Ready: 1, Succeeded: 1})
		s.Stays("the Job waits for the other pod", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
			g.Expect(names(s.Active())).To(ConsistOf(pods[1].Name))
		})
		s.End(ctx, 1, pods[1])
		Completes(s, "a", Counters{Succeeded: 1, Failed: 1})
		// Wrong: stamps it at every look.
		Expect(startTimes(s, "a")).To(HaveLen(1), "start times over time")
	})

	It("do not include pods that fail in between", Covers(FailuresAreNoCompletions), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).FinishedAgo(longAgo))

		s.End(ctx, 1, Running(s, "a", 2)[0])
		Counts(s, "a", "the failed pod is replaced", Counters{Active: 2, Ready: 2, Failed: 1})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 2, Failed: 1})
		Expect(s.Created()).To(HaveLen(3))
	})

	// Wrong: counts the pods that there are.
	It("once counted stay so when the pods are deleted", Covers(CompletionsOutliveTheirPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(1).Completions(2))

		first := Running(s, "a", 1)[0]
		s.End(ctx, 0, first)
		Counts(s, "a", "the success is counted and the next pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1})
		s.Delete(ctx, &first)
		s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(HaveLen(1)) })
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(s.Created()).To(HaveLen(2))
	})

	// The finalizer keeps it until then. Wrong: replaces every pod that is being
	// deleted.
	It("include a succeeded pod that is deleted before it was counted", Covers(DeletedSuccessCounts, FinalizerUntilCounted), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2))

		pods := Running(s, "a", 2)
		s.End(ctx, 0, pods[0])
		s.Soon("the pod has succeeded", func(g Gomega) { g.Expect(s.InPhase(corev1.PodSucceeded)).To(HaveLen(1)) })
		s.Delete(ctx, &pods[0])
		s.Soon("the success is counted and the pod gone", func(g Gomega) {
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1, Succeeded: 1}))
			g.Expect(s.Pods()).To(HaveLen(1))
		})
		s.End(ctx, 0, pods[1])
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source: #99963. The pod that succeeds comes from elsewhere, so that the
	// Job's own is one too many.
	It("once reached make all pods that still run superfluous", Covers(DeletesSurplusAtCompletion, FinishedHasNoActivePods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, puppet.Job("a").Completions(1).Obj())

		own := Running(s, "a", 1)
		stray := framework.Create(ctx, s, strayPod("stray", map[string]string{puppet.ExitCodes: "0"}))
		s.Soon("the stray pod has succeeded", func(g Gomega) { g.Expect(s.InPhase(corev1.PodSucceeded)).To(HaveLen(1)) })
		framework.Change(ctx, s, stray, func(p *corev1.Pod) { p.Labels = job.Spec.Template.Labels })
		s.Soon("the Job is Complete and its own pod gone", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(HaveKey(batchv1.JobComplete))
			g.Expect(names(s.Pods())).NotTo(ContainElements(names(own)))
		})
		// kube-controller-manager before v1.31 counts the surplus as failed.
		Expect(CountersOf(s.Job("a"))).To(And(HaveField("Active", int32(0)), HaveField("Succeeded", int32(1))))
	})

	// Source: https://kubernetes.io/docs/concepts/workloads/controllers/job/#terminal-job-conditions; #123775.
	It("are declared reached at once, but Complete only when the last pod has ended", Covers(CompleteAfterAllPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Puppet(map[string]string{puppet.Terminate: puppet.Hold}))

		pods := Running(s, "a", 2)
		SetParallelism(ctx, s, "a", 1)
		Counts(s, "a", "one pod is terminating", Counters{Active: 1, Ready: 1, Terminating: 1})
		s.End(ctx, 0, s.Active()...)
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

	// Wrong: does not look at the status before it counts its pods.
	It("once reached are never looked at again", Covers(NoPodsOnceDecided, FinishedStatusIsFixed), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(2).ExitCodes("0"))

		Completes(s, "a", Counters{Succeeded: 2})
		complete := s.Job("a").Status
		for _, pod := range s.Pods() {
			s.Delete(ctx, &pod)
		}
		SetParallelism(ctx, s, "a", 3)
		s.Stays("nothing happens", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(2))
			g.Expect(s.Job("a").Status).To(Equal(complete))
		})
		Expect(s.Pods()).To(BeEmpty())
	})

	// Source: JobStatus.completedIndexes; KEP-2214; KEP-4017.
	It("of an Indexed Job are indexes: each runs once and knows which it is", Covers(EveryPodHasAnIndex, IndexedHostname, IndexedPodName, IndexVariable, CompletesWithEveryIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(3).Completions(3))

		pods := byIndex(Running(s, "a", 3))
		Expect(pods).To(And(HaveLen(3), HaveKey("0"), HaveKey("1"), HaveKey("2")))
		for index, pod := range pods {
			Expect(pod.Name).To(HavePrefix("a-" + index + "-"))
			Expect(pod.Spec.Hostname).To(Equal("a-" + index))
			Expect(pod.Labels).To(HaveKeyWithValue(batchv1.JobCompletionIndexAnnotation, index))
			Expect(pod.Spec.Containers[0].Env).To(ConsistOf(HaveField("Name", "JOB_COMPLETION_INDEX")))
		}
		for _, pod := range pods {
			s.End(ctx, 0, pod)
		}
		Completes(s, "a", Counters{Succeeded: 3})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-2"))
		Expect(s.Created()).To(HaveLen(3))
	})

	// "Three or more consecutive numbers are compressed."
	It("of an Indexed Job are written down as ranges", Covers(CompletedIndexesFormat), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(8).Completions(8))

		pods := byIndex(Running(s, "a", 8))
		for _, index := range []int{7, 4, 1, 3, 5} {
			s.End(ctx, 0, pods[strconv.Itoa(index)])
		}
		s.Soon("the completed indexes are there", func(g Gomega) {
			g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("1,3-5,7"))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 3, Ready: 3, Succeeded: 5}))
		})
		s.End(ctx, 0, pods["0"])
		s.Soon("two in a row are no range", func(g Gomega) {
			g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0,1,3-5,7"))
		})
	})

	// Wrong: gives the replacement the next index.
	It("of an Indexed Job need a failed index to run again", Covers(ReplacementKeepsIndex), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(2).Completions(3).FinishedAgo(longAgo))

		pods := byIndex(Running(s, "a", 2))
		Expect(pods).To(And(HaveKey("0"), HaveKey("1")))
		s.End(ctx, 1, pods["1"])
		s.Soon("index 1 runs again", func(g Gomega) {
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2, Failed: 1}))
			g.Expect(byIndex(s.Active())).To(And(HaveKey("0"), HaveKey("1")))
		})
		s.End(ctx, 0, s.Active()...)
		s.Soon("index 2 runs", func(g Gomega) {
			g.Expect(byIndex(s.Active())).To(And(HaveLen(1), HaveKey("2")))
			g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0,1"))
		})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 3, Failed: 1})
	})

	// Source: #108887. Wrong: sees no pod of the index, and starts one.
	It("of an Indexed Job need no index twice, even if its pod is deleted", Covers(SucceededIndexIsDone), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(1).Completions(2))

		first := Running(s, "a", 1)[0]
		s.End(ctx, 0, first)
		s.Soon("index 0 is done and index 1 runs", func(g Gomega) {
			g.Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0"))
			g.Expect(byIndex(s.Active())).To(And(HaveLen(1), HaveKey("1")))
		})
		s.Delete(ctx, &first)
		s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(HaveLen(1)) })
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source: KEP-3715.
	It("of an Indexed Job can be changed together with the parallelism", Covers(ScaleUpRunsNewIndexes, ScaleDownDeletesIndexes), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Indexed().Parallelism(3).Completions(3))
		scale := func(n int32) {
			framework.Change(ctx, s, s.Job("a"), func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = ptr.To(n), ptr.To(n) })
		}

		Running(s, "a", 3)
		scale(2)
		Expect(byIndex(Running(s, "a", 2))).To(And(HaveLen(2), HaveKey("0"), HaveKey("1")))
		scale(4)
		Expect(byIndex(Running(s, "a", 4))).To(And(HaveLen(4), HaveKey("2"), HaveKey("3")))
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 4})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-3"))
	})

	// Source: JobSpec.ttlSecondsAfterFinished. The cluster deletes the Job, if
	// its conditions say when it finished.
	It("once reached let a Job go after its time to live", Covers(FinishTimeForTTL), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").ExitCodes("0").With(func(j *batchv1.Job) {
			j.Spec.TTLSecondsAfterFinished = ptr.To[int32](0)
		}))

		s.Soon("Job and pod are gone", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(1))
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
		last := s.History().Jobs("a")
		Expect(TrueConditions(last[len(last)-1].Job())).To(HaveKey(batchv1.JobComplete))
	})

	// Source: #132042. Wrong: keeps what it knows by the Job's name.
	It("are counted anew for a Job of the same name", Covers(NewJobStartsAtZero), func(ctx SpecContext) {
		s := framework.New(ctx)
		old := framework.Create(ctx, s, puppet.Job("a").Parallelism(4).Completions(4).Obj())

		pods := Running(s, "a", 4)
		s.End(ctx, 1, pods[:3]...) // the next pod would have to wait for 40 s
		failuresCounted(s, pods[:3], Counters{Active: 1, Ready: 1, Failed: 3})
		s.Delete(ctx, old)
		s.Soon("the Job is gone", func(g Gomega) { g.Expect(s.Jobs()).To(BeEmpty()) })
		again := framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(2).Obj())
		Counts(s, "a", "the new Job's pods run", Counters{Active: 2, Ready: 2})
		Expect(s.Created()[5].CreationTimestamp.Sub(again.CreationTimestamp.Time)).To(
			BeNumerically("<", 4*firstBackoff-5*time.Second), "time between the new Job and its last pod")
		s.End(ctx, 0, others(s.Active(), pods...)...)
		Completes(s, "a", Counters{Succeeded: 2})
	})
})

// startTimes are the different ones that a Job has had.
func startTimes(s *framework.Sandbox, job string) map[time.Time]bool {
	times := map[time.Time]bool{}
	for _, r := range s.History().Jobs(job) {
		if start := r.Job().Status.StartTime; start != nil {
			times[start.UTC()] = true
		}
	}
	return times
}

// byIndex are pods by their completion index; a second one of the same index
// fails the spec.
func byIndex(pods []corev1.Pod) map[string]corev1.Pod {
	GinkgoHelper()
	out := map[string]corev1.Pod{}
	for _, pod := range pods {
		index := pod.Annotations[batchv1.JobCompletionIndexAnnotation]
		Expect(out).NotTo(HaveKey(index), fmt.Sprintf("indexes of %v", names(pods)))
		out[index] = pod
	}
	return out
}
