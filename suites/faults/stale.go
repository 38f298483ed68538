package faults

import (
	"context"
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	jobs "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The controller's writes reach the API server, but its watches deliver neither
// them nor the changes of users. What it does meanwhile is not specified.
var _ = Describe("Job faults:", faultLabels, func() {

	// #130103, #137210. Wrong: does not see the counters that it wrote, but sees that
	// counted pods have lost their finalizer, and replaces them.
	It("with a stale view of Jobs, the controller creates no more pods than needed", covers.Requirements(
		StaleJob), covers.Shows(upstream.StaleJob), func(ctx SpecContext) {
		s := started(ctx)
		one := s.Create(puppet.Job("one"))
		three := s.Create(puppet.Job("three").Parallelism(3).Completions(3))
		pod, pods := one.Runs(1)[0], three.Runs(3)

		release := s.Proxy.Hold("jobs")
		s.End(0, pod, pods[0], pods[1])
		s.Proxy.Misses("jobs")
		s.Stays("no pod is created", func(g Gomega) {
			g.Expect(one.Created()).To(HaveLen(1))
			g.Expect(three.Created()).To(HaveLen(3))
		})
		release()
		completes(one, 1)
		pods[2].End(0)
		completes(three, 3)
	})

	// Wrong: goes by the name, and finds a Job that has a pod already.
	It("with a stale view of Jobs, a new Job gets its own pods despite a deleted one of its name", covers.Requirements(
		StaleUID), func(ctx SpecContext) {
		s := started(ctx)
		old := s.Create(puppet.Job("a"))
		pod := old.Runs(1)[0]

		release := s.Proxy.Hold("jobs")
		old.Delete()
		job := s.Create(puppet.Job("a"))
		s.Proxy.Misses("jobs")
		release()
		pod.IsGone()
		job.Runs(1).End(0)
		completes(job, 1)
	})

	// Wrong: waits for a pod of the deleted Job, which the watch has not shown yet. Upstream does
	// where it was still at work on that Job when it was deleted.
	It("with a stale view of pods, a new Job gets its own pods despite a deleted one of its name", covers.Requirements(
		StaleUID), covers.MayShow(upstream.ExpectedForName), func(ctx SpecContext) {
		s := started(ctx)
		release := s.Proxy.Hold("pods")
		old := s.Create(puppet.Job("a"))
		s.Soon("the Job has a pod", func(g Gomega) { g.Expect(old.Created()).To(HaveLen(1)) })
		pod := old.Created()[0]
		old.Delete()
		// A later Job shows that the controller has seen the deletion.
		witness := s.Create(puppet.Job("witness"))
		s.Soon("the witness has a pod", func(g Gomega) { g.Expect(witness.Created()).To(HaveLen(1)) })
		job := s.Create(puppet.Job("a"))
		s.Proxy.Misses("pods")
		release()
		pod.IsGone()
		job.Runs(1).End(0)
		completes(job, 1)
	})

	// The controller has not seen yet that the Job is being deleted. A pod that it adopted now
	// would be deleted with the Job. It has come to that pod when it has adopted a later one.
	// Source: #42639. Wrong: goes by its view of the Job.
	It("with a stale view of Jobs, the controller adopts no pod for a Job that is being deleted", covers.Requirements(
		jobs.NoAdoptionWhileBeingDeleted), func(ctx SpecContext) {
		s := started(ctx)
		job := s.Create(puppet.Job("a").With(func(j *batchv1.Job) { j.Finalizers = []string{"example.com/kept"} }))
		witness := s.Create(puppet.Job("witness"))
		job.Runs(1)
		witness.Runs(1)
		release := s.Proxy.Hold("jobs")
		job.Delete()
		s.Proxy.Misses("jobs")
		adoptsOnlyFor(s, witness, job)
		release()
		job.Change(func(j *batchv1.Job) { j.Finalizers = nil })
		s.Soon("the Job is gone", func(g Gomega) { g.Expect(s.Jobs()).NotTo(ContainElement(HaveField("Name", "a"))) })
	})

	// Wrong: takes an error for the answer that nothing has happened to the Job.
	It("with a stale view of Jobs, the controller adopts no pod for a Job that it cannot read", covers.Requirements(
		jobs.NoAdoptionWhileBeingDeleted), func(ctx SpecContext) {
		s := started(ctx)
		job := s.Create(puppet.Job("a").With(func(j *batchv1.Job) { j.Finalizers = []string{"example.com/kept"} }))
		witness := s.Create(puppet.Job("witness"))
		job.Runs(1)
		witness.Runs(1)
		release, failure := s.Proxy.Hold("jobs"), s.Proxy.On(called(getJobs)("a")).Answer(500)
		job.Delete()
		s.Proxy.Misses("jobs")
		adoptsOnlyFor(s, witness, job)
		failure.Remove()
		release()
		job.Change(func(j *batchv1.Job) { j.Finalizers = nil })
		s.Soon("the Job is gone", func(g Gomega) { g.Expect(s.Jobs()).NotTo(ContainElement(HaveField("Name", "a"))) })
	})

	// The pod would be deleted, as its owner is gone. Wrong: asks for a Job of that name.
	It("with a stale view of Jobs, the controller adopts no pod for a Job that was deleted and created again",
		covers.Requirements(jobs.NoAdoptionForGoneJob), func(ctx SpecContext) {
			s := started(ctx)
			job := s.Create(puppet.Job("a").Parallelism(0))
			witness := s.Create(puppet.Job("witness"))
			witness.Runs(1)
			job.HasStarted()
			release := s.Proxy.Hold("jobs")
			job.Delete()
			s.Soon("the Job is gone", func(g Gomega) {
				g.Expect(s.Jobs()).NotTo(ContainElement(HaveField("Name", "a")))
			})
			s.Create(puppet.Job("a").Parallelism(0))
			s.Proxy.Misses("jobs")
			adoptsOnlyFor(s, witness, job)
			release()
		})

	// Wrong: creates a pod for each that it does not see.
	It("with a stale view of pods, the controller creates no more than needed and counts each once",
		covers.Requirements(
			StalePods), func(ctx SpecContext) {
			s := started(ctx)
			release := s.Proxy.Hold("pods")
			job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).ExitCodes("0"))
			s.Proxy.Misses("pods")
			s.Stays("there are two pods at most", func(g Gomega) {
				g.Expect(len(job.Created())).To(BeNumerically("<=", 2))
			})
			release()
			completes(job, 2)
		})

	// Wrong: finds no pods that it would have to wait for.
	It("with a stale view of pods, a Job fails only after the pods that its controller does not see",
		covers.Requirements(
			StalePods, jobs.FailedAfterAllPods), func(ctx SpecContext) {
			s := started(ctx)
			release := s.Proxy.Hold("pods")
			job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
			s.Soon("the Job has two pods", func(g Gomega) { g.Expect(job.Created()).To(HaveLen(2)) })
			s.Proxy.Misses("pods")
			job.Change(func(j *batchv1.Job) { j.Spec.ActiveDeadlineSeconds = ptr.To[int64](1) })
			over := time.Second + s.Waits().Settle
			s.StaysFor(over, "the Job is not Failed before its pods have ended", func(g Gomega) {
				g.Expect(job.Is(batchv1.JobFailed) && len(s.Active()) > 0).To(BeFalse())
			})
			release()
			s.Soon("the Job is Failed, and its pods have ended", func(g Gomega) {
				g.Expect(job.Is(batchv1.JobFailed)).To(BeTrue())
				g.Expect(s.Active()).To(BeEmpty())
			})
			Expect(job.Created()).To(HaveLen(2))
		})

	// Changes of the Job have the controller look again. Wrong: forgets what it has deleted, and takes any others.
	It("with a stale view of pods, the controller deletes no more pods than are too many", covers.Requirements(
		jobs.LoweredParallelism), func(ctx SpecContext) {
		s := started(ctx)
		job := s.Create(puppet.Job("a").Parallelism(6).Completions(6))
		job.Runs(6)
		release := s.Proxy.Hold("pods")
		job.SetParallelism(3)
		s.Soon("three pods are left", func(g Gomega) { g.Expect(s.Active()).To(HaveLen(3)) })
		s.Proxy.Misses("pods")
		for i := range 2 {
			job.Change(func(j *batchv1.Job) {
				metav1.SetMetaDataLabel(&j.ObjectMeta, "example.com/change", fmt.Sprint(i))
			})
			s.Stays("three pods are left", func(g Gomega) { g.Expect(s.Active()).To(HaveLen(3)) })
		}
		release()
		job.Runs(3)
		Expect(job.Created()).To(HaveLen(6))
	})

	// The controller may ask the API server, or create the pod again: nothing has shown
	// it the first one. It works again when another Job has a pod. Wrong: keeps both.
	DescribeTable("after a lost answer and a stale view of pods, the controller keeps one pod",
		func(ctx SpecContext, builder *puppet.JobBuilder) {
			s := started(ctx)
			release, lost := s.Proxy.Hold("pods"), s.Proxy.On(createPods).Nth(1).LoseAnswer()
			job := s.Create(builder)
			s.Proxy.Meets("create a pod", lost)
			witness := s.Create(puppet.Job("witness"))
			s.Soon("another Job has a pod", func(g Gomega) { g.Expect(witness.Created()).NotTo(BeEmpty()) })
			s.Stays("there are two pods at most", func(g Gomega) {
				g.Expect(len(job.Created())).To(BeNumerically("<=", 2))
			})
			release()
			job.Runs(1).End(0)
			s.Soon("Job a is Complete", func(g Gomega) {
				g.Expect(job.Is(batchv1.JobComplete)).To(BeTrue())
				g.Expect(job.Now().Status.Succeeded).To(BeEquivalentTo(1), "status.succeeded")
			})
		},
		Entry("of a Job", covers.Requirements(HealsLostCreates), puppet.Job("a")),
		Entry("of an index", covers.Requirements(HealsLostCreates), covers.Uses(contract.Indexed),
			puppet.Job("a").Indexed().Completions(1)),
	)

	// Wrong: loses what happened while its watch delivered nothing.
	It("after a stale view of pods, the controller counts the pods that ended meanwhile", covers.Requirements(
		StalePods), func(ctx SpecContext) {
		s := started(ctx)
		job := s.Create(puppet.Job("a").Parallelism(3).Completions(3))
		pods := job.Runs(3)
		release := s.Proxy.Hold("pods")
		pods[:2].End(0)
		s.Proxy.Misses("pods")
		release()
		job.Counts("two pods are counted", Counters{Active: 1, Ready: 1, Succeeded: 2})
		pods[2].End(0)
		completes(job, 3)
	})

	// A Job that it does not see may be new. Wrong: takes every error for the answer that there is no such Job.
	It("the controller keeps the finalizer of a pod whose Job it can neither see nor read", covers.Requirements(
		jobs.FinalizerUntilCounted), func(ctx SpecContext) {
		s := started(ctx)
		release, failure := s.Proxy.Hold("jobs"), s.Proxy.On(getJobs).Answer(500) // one that reads no Job needs none
		job := s.Create(puppet.Job("a"))
		haveEnded(s, job, 1, corev1.PodSucceeded)
		s.Proxy.Misses("jobs")
		s.Stays("the pod has the finalizer", func(g Gomega) {
			g.Expect(job.Pods()).To(HaveEach(HaveField("Finalizers", ContainElement(batchv1.JobTrackingFinalizer))))
		})
		failure.Remove()
		release()
		completes(job, 1)
	})

	// #104666; upstream and the reference list at most 500 uncounted pods in a status.
	// The controller is killed until all pods have ended, so that it sees them at
	// once. Scheduling gates keep the pods from running, which would take long.
	// Wrong: releases pods that it did not list.
	It("the controller counts every pod when more end than its status lists at once", covers.Requirements(
		jobs.CountsOnce, jobs.FinalizerUntilCounted, jobs.ReleasesBeforeFinish), func(ctx SpecContext) {
		const n = 510
		s := started(ctx)
		job := s.Create(puppet.Job("a").Parallelism(n).Completions(n).With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/never"}}
		}))
		job.CountsAfter(time.Minute, "all pods are created", Counters{Active: n})

		s.Proxy.Kill()
		var ends errgroup.Group
		ends.SetLimit(8)
		for _, pod := range job.Pods() {
			ends.Go(func() error {
				ended := pod.DeepCopy()
				ended.Status.Phase = corev1.PodSucceeded
				return s.Client.Status().Patch(ctx, ended, client.MergeFrom(&pod.Pod))
			})
		}
		Expect(ends.Wait()).To(Succeed())
		s.Proxy.Start()
		s.SoonAfter(time.Minute, "Job a is Complete", func(g Gomega) {
			g.Expect(job.Now().Status.CompletionTime).NotTo(BeNil(), "status.completionTime")
		})
		completes(job, n)
	})
})

var _ = Describe("Job faults:", faultLabels, func() {

	// Wrong: watches on from its old position, or not at all.
	It("after its watches have expired, the controller acts on what it missed", covers.Requirements(
		ExpiredWatches), func(ctx SpecContext) {
		s := started(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(3))
		pods := job.Runs(2)

		release := s.Proxy.Hold("pods")
		pods[0].End(0)
		expire(s, "pods")
		release()
		s.Soon("the pod that succeeded is counted", func(g Gomega) {
			g.Expect(job.Now().Status.Succeeded).To(BeEquivalentTo(1), "status.succeeded")
		})
		job.Runs(2)

		release = s.Proxy.Hold("jobs")
		job.SetParallelism(0)
		expire(s, "jobs")
		release()
		s.Soon("Job a has no active pods", func(g Gomega) {
			g.Expect(job.Pods()).To(HaveEach(HaveField("Status.Phase", corev1.PodSucceeded)))
			job.Reports(g, Counters{Succeeded: 1})
		})
	})

	// Nothing happens for a while before the pod goes, so that nothing from before makes the
	// controller sync later. Wrong: waits for the deletion of a pod that it created and was never
	// shown.
	It("the controller replaces a pod that came and went while the watch of pods was down", covers.Requirements(
		ExpiredWatches), covers.Shows(upstream.UnseenPod), func(ctx SpecContext) {
		s := started(ctx)
		release := s.Proxy.Hold("pods")
		job := s.Create(puppet.Job("a"))
		s.Soon("the Job has a pod", func(g Gomega) { g.Expect(job.Created()).To(HaveLen(1)) })
		s.Stays("the Job has one pod", func(g Gomega) { g.Expect(job.Created()).To(HaveLen(1)) })
		vanishes(s, job.Created()[0])
		expire(s, "pods")
		release()
		s.Soon("another pod is there", func(g Gomega) { g.Expect(s.Active()).To(HaveLen(1)) })
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 1})
	})

	// Nothing happens for a while before the pod goes, as above. Wrong: takes no notice of a pod
	// that is missing from a list.
	It("the controller replaces a pod that it knew and that vanished while the watch of pods was down",
		covers.Requirements(ExpiredWatches), func(ctx SpecContext) {
			s := started(ctx)
			job := s.Create(puppet.Job("a"))
			pod := job.Runs(1)[0]
			s.Stays("the Job has one pod", func(g Gomega) { g.Expect(s.Active()).To(HaveLen(1)) })
			release := s.Proxy.Hold("pods")
			vanishes(s, pod)
			expire(s, "pods")
			release()
			s.Soon("another pod is there", func(g Gomega) { g.Expect(s.Active()).To(HaveLen(1)) })
			s.Active().End(0)
			job.Completes(Counters{Succeeded: 1})
		})

	// Wrong: keeps the pods of a Job that is missing from its list, as it received no deletion.
	It("the controller releases the pods of a Job whose deletion it missed", framework.OnlyReleaser,
		covers.Requirements(
			ExpiredWatches, ReleasesOrphansDespiteFaults), func(ctx SpecContext) {
			s := started(ctx)
			job := s.Create(puppet.Job("a"))
			pod := job.Runs(1)[0]
			releaseJobs, releasePods := s.Proxy.Hold("jobs"), s.Proxy.Hold("pods")
			job.Delete()
			expire(s, "jobs", "pods")
			releaseJobs()
			releasePods()
			pod.IsGone()
		})

	// The controller comes to the pod while it still takes its Job to be there, as it has come to a
	// later one. client-go then shows the other Job as an update of the first. Wrong: does not compare
	// their UIDs.
	It("the controller releases the pods of a Job that was deleted and created again while the watch of Jobs was down",
		framework.OnlyReleaser, covers.Requirements(ExpiredWatches, ReleasesOrphansDespiteFaults),
		covers.Shows(upstream.PodsOfRecreatedJob), func(ctx SpecContext) {
			s := started(ctx)
			old := s.Create(puppet.Job("a"))
			pod := old.Runs(1)[0]
			release := s.Proxy.Hold("jobs")
			old.Delete()
			s.Soon("the pod terminates", func(g Gomega) {
				g.Expect(s.Pods()).To(ContainElement(
					And(HaveField("UID", pod.UID), HaveField("DeletionTimestamp", Not(BeNil())))))
			})
			witness := framework.Create(s, &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Name: "witness", Finalizers: []string{batchv1.JobTrackingFinalizer},
					Labels: map[string]string{batchv1.JobNameLabel: "gone"}},
				Spec: *old.Made().Spec.Template.Spec.DeepCopy(),
			})
			s.Soon("a later pod that has no owner has no finalizer any more", func(g Gomega) {
				g.Expect(s.Pods()).To(ContainElement(
					And(HaveField("UID", witness.UID), HaveField("Finalizers", BeEmpty()))))
			})
			vanishes(s, s.Pod(witness))
			job := s.Create(puppet.Job("a"))
			expire(s, "jobs")
			release()
			pod.IsGone()
			job.Runs(1).End(0)
			completes(job, 1)
		})

	// Wrong: takes the silence for the end of pods, or gives up for good.
	unreachable := func(ctx context.Context, long time.Duration) {
		s := started(ctx)
		job := s.Create(puppet.Job("a").Parallelism(4).Completions(6))
		pods := job.Runs(4)
		s.Proxy.Cut()
		pods[:2].End(0)
		s.StaysFor(long, "no pod is counted or created", func(g Gomega) {
			g.Expect(job.Now().Status.Succeeded).To(BeZero(), "status.succeeded")
			g.Expect(job.Created()).To(HaveLen(4))
		})
		s.Proxy.Restore()
		// client-go waits up to twice as long as its attempts have failed.
		job.CountsAfter(2*long, "two pods are counted and replaced", Counters{Active: 4, Ready: 4, Succeeded: 2})
		job.Runs(4).End(0)
		// One that has read the pods by itself may still wait to watch them.
		s.SoonAfter(2*long, "the other pods are counted", func(g Gomega) {
			g.Expect(job.Now().Status.Succeeded).To(BeEquivalentTo(6), "status.succeeded")
		})
		completes(job, 6)
	}

	It("after 5 s without the API server, the controller completes the Job", covers.Requirements(
		APIServerAway), func(ctx SpecContext) {
		unreachable(ctx, 5*time.Second)
	})

	It("after 30 s without the API server, the controller completes the Job", Label("slow"), covers.Requirements(
		APIServerAway), func(ctx SpecContext) {
		unreachable(ctx, 30*time.Second)
	})
})

// expire waits until the implementation has missed a change of each of the
// resources, and then lets its watches expire.
func expire(s *framework.Sandbox, resources ...string) {
	GinkgoHelper()
	for _, resource := range resources {
		s.Proxy.Misses(resource)
	}
	for _, resource := range resources {
		s.Proxy.Expire(resource)
	}
}

// adoptsOnlyFor creates a pod that fits each of two Jobs, and waits until the controller has adopted that of the first
// one, the later of them; the other one keeps no owner.
func adoptsOnlyFor(s *framework.Sandbox, witness, job *framework.Job) {
	GinkgoHelper()
	orphan := func(name string, of *framework.Job) {
		framework.Create(s, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: of.Made().Spec.Template.Labels},
			Spec:       *of.Made().Spec.Template.Spec.DeepCopy(),
		})
	}
	orphan("orphan", job)
	created := s.Recorder.Position()
	orphan("another", witness)
	s.Soon("the pod of the other Job is adopted", func(g Gomega) {
		g.Expect(s.History().Pods("another")).To(ContainElement(HaveField("Pod().OwnerReferences", HaveLen(1))))
	})
	s.StaysSince(created, "the pod has no owner", func(g Gomega) {
		g.Expect(s.Pods()).To(ContainElement(
			And(HaveField("Name", "orphan"), HaveField("OwnerReferences", BeEmpty()))))
	})
}
