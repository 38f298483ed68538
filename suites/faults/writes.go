package faults

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// Each request that a Job controller makes, in trouble. A 429 says when to come
// back, which a client library may do by itself.
var _ = Describe("A Job whose controller's requests go wrong", labels, func() {
	jobs := []string{"a", "b", "c", "d"}

	// Wrong: takes a request that failed for done, or creates a pod again that
	// was created without an answer.
	It("has exactly the pods that it needs, whatever becomes of requests for them", Covers(CreatesDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		allMet := trouble(s, createPods, fails, isPutOff, isLost, unanswered)
		s.Start()
		for _, job := range jobs {
			framework.Create(ctx, s.Sandbox, puppet.Job(job).Parallelism(2).Completions(2).ExitCodes("0").Obj())
		}
		allMet()
		for _, job := range jobs {
			completes(s.Sandbox, job, 2)
		}
	})

	// The first write that fails says that a Job has started, the others that pods
	// have ended. Wrong: counts in its memory and not from what is on record.
	It("counts its pods once, whatever becomes of writes of its status", Covers(CountsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		firstMet := trouble(s, writeStatus, fails)
		s.Start()
		for _, job := range jobs {
			framework.Create(ctx, s.Sandbox, puppet.Job(job).Parallelism(3).Completions(3).Obj())
		}
		firstMet()
		var all []corev1.Pod
		for _, job := range jobs {
			all = append(all, running(s.Sandbox, job, 3)...)
		}
		allMet := trouble(s, writeStatus, fails, conflicts, isPutOff, isLost, unanswered)
		s.End(ctx, 0, all...)
		allMet()
		for _, job := range jobs {
			completes(s.Sandbox, job, 3)
		}
	})

	// Wrong: forgets the reason, or counts the failure again, as it decides anew.
	It("has failed for its reason, whatever becomes of writes of its status", Covers(CountsDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		allMet := trouble(s, writeStatus, unanswered, conflicts, fails, unanswered)
		s.Start()
		for _, job := range jobs {
			framework.Create(ctx, s.Sandbox, puppet.Job(job).BackoffLimit(0).ExitCodes("1").Obj())
		}
		allMet()
		for _, job := range jobs {
			s.Soon("Job "+job+" has Failed", func(g Gomega) {
				g.Expect(framework.Is(s.Job(job), batchv1.JobFailed)).To(BeTrue())
			})
			Expect(framework.Condition(s.Job(job), batchv1.JobFailed).Reason).To(Equal(batchv1.JobReasonBackoffLimitExceeded))
			Expect(framework.CountersOf(s.Job(job))).To(Equal(counters{Failed: 1}))
			Expect(created(s.Sandbox, job)).To(HaveLen(1))
		}
	})

	// Wrong: takes a pod for released whose finalizer it failed to remove.
	It("releases the pods that it has counted, whatever becomes of requests for that", Covers(ReleasesDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		allMet := trouble(s, releasePods, fails, conflicts, isPutOff, isLost, unanswered)
		s.Start()
		for _, job := range jobs {
			framework.Create(ctx, s.Sandbox, puppet.Job(job).Parallelism(2).Completions(2).ExitCodes("0").Obj())
		}
		allMet()
		for _, job := range jobs {
			completes(s.Sandbox, job, 2)
			Expect(pods(s.Sandbox, job)).To(HaveEach(HaveField("Finalizers", BeEmpty())))
		}
	})

	// Wrong: takes a pod for deleted that it failed to delete.
	It("stops its pods when it is suspended, whatever becomes of requests for that", Covers(DeletesDespiteFaults), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		allMet := trouble(s, deletePods, fails, isPutOff, isLost, unanswered)
		s.Start()
		for _, job := range jobs {
			framework.Create(ctx, s.Sandbox, puppet.Job(job).Parallelism(2).Completions(2).Obj())
		}
		for _, job := range jobs {
			running(s.Sandbox, job, 2)
		}
		for _, job := range jobs {
			setSuspend(ctx, s.Sandbox, job, true)
		}
		allMet()
		for _, job := range jobs {
			s.Soon("Job "+job+" has no pods", func(g Gomega) {
				g.Expect(pods(s.Sandbox, job)).To(BeEmpty())
				g.Expect(framework.Is(s.Job(job), batchv1.JobSuspended)).To(BeTrue())
				g.Expect(framework.CountersOf(s.Job(job))).To(Equal(counters{}))
			})
			Expect(created(s.Sandbox, job)).To(HaveLen(2))
		}
	})

	// Wrong: tries once, as nothing wakes it for a pod whose Job is gone.
	It("lets its pods go when it is gone, even if requests for that failed", Covers(ReleasesOrphansDespiteFaults), func(ctx SpecContext) {
		s := begin(ctx)
		job := framework.Create(ctx, s.Sandbox, puppet.Job("a").Obj())
		pod := running(s.Sandbox, "a", 1)[0]
		trouble, since := s.On(releasePods).Answer(500), time.Now()
		s.Delete(ctx, job)
		s.Meets("the pod is released", trouble)
		s.Soon("the pod has stopped", func(g Gomega) {
			g.Expect(s.Pods()).To(ContainElement(And(HaveField("Name", pod.Name), HaveField("Status.Phase", Or(Equal(corev1.PodFailed), Equal(corev1.PodSucceeded))))))
		})
		trouble.Remove()
		// Whoever doubles a delay waits once more for as long as it has tried.
		s.SoonAfter(2*time.Since(since), "the pod is gone", func(g Gomega) {
			g.Expect(s.Pods()).NotTo(ContainElement(HaveField("Name", pod.Name)))
		})
	})

	// Wrong: repeats a step because its event could not be written.
	It("completes although no event can be written", Covers(FinishesWithoutEvents), func(ctx SpecContext) {
		s := framework.Behind(ctx)
		s.On(createEvents).Answer(500)
		s.Start()
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(2).Completions(4).ExitCodes("0").Obj())
		completes(s.Sandbox, "a", 4)
		Expect(s.Events()).NotTo(ContainElement(HaveField("InvolvedObject.Kind", "Job")))
	})
})
