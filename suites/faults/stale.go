package faults

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// The controller's writes reach the API server, but its watches deliver neither
// them nor the changes of users. What it does meanwhile is not specified.
var _ = Describe("Job faults:", jobLabels, func() {

	// #130103, #137210. Wrong: does not see the counters that it wrote, but sees that
	// counted pods have lost their finalizer, and replaces them.
	It("with a stale view of Jobs, the controller creates no more pods than needed", Covers(StaleJob), Shows(upstream.StaleJob), func(ctx SpecContext) {
		s := started(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("one").Obj())
		framework.Create(ctx, s.Sandbox, puppet.Job("three").Parallelism(3).Completions(3).Obj())
		one, three := Running(s.Sandbox, "one", 1), Running(s.Sandbox, "three", 3)

		release := s.Hold("jobs")
		s.End(ctx, 0, one[0], three[0], three[1])
		s.Misses("jobs")
		s.Stays("no pod is created", func(g Gomega) {
			g.Expect(CreatedFor(s.Sandbox, s.Job("one"))).To(HaveLen(1))
			g.Expect(CreatedFor(s.Sandbox, s.Job("three"))).To(HaveLen(3))
		})
		release()
		completes(s.Sandbox, "one", 1)
		s.End(ctx, 0, three[2])
		completes(s.Sandbox, "three", 3)
	})

	// Wrong: goes by the name, and finds a Job that has a pod already.
	It("with a stale view of Jobs, a new Job gets its own pods despite a deleted one of its name", Covers(StaleUID), func(ctx SpecContext) {
		s := started(ctx)
		old := framework.Create(ctx, s.Sandbox, puppet.Job("a").Obj())
		pod := Running(s.Sandbox, "a", 1)[0]

		release := s.Hold("jobs")
		s.Delete(ctx, old)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Obj())
		s.Misses("jobs")
		release()
		gone(s.Sandbox, pod)
		s.End(ctx, 0, Running(s.Sandbox, "a", 1)...)
		completes(s.Sandbox, "a", 1)
	})

	// Wrong: creates a pod for each that it does not see.
	It("with a stale view of pods, the controller creates no more than needed and counts each once", Covers(StalePods), func(ctx SpecContext) {
		s := started(ctx)
		release := s.Hold("pods")
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(2).Completions(2).ExitCodes("0").Obj())
		s.Misses("pods")
		s.Stays("there are two pods at most", func(g Gomega) {
			g.Expect(len(CreatedFor(s.Sandbox, s.Job("a")))).To(BeNumerically("<=", 2))
		})
		release()
		completes(s.Sandbox, "a", 2)
	})

	// The controller may ask the API server, or create the pod again: nothing has shown
	// it the first one. Wrong: keeps both.
	DescribeTable("after a lost answer and a stale view of pods, the controller keeps one pod",
		func(ctx SpecContext, job *puppet.JobBuilder) {
			s := started(ctx)
			release, lost := s.Hold("pods"), s.On(createPods).Nth(1).LoseAnswer()
			framework.Create(ctx, s.Sandbox, job.Obj())
			s.Meets("create a pod", lost)
			s.Stays("there are two pods at most", func(g Gomega) {
				g.Expect(len(CreatedFor(s.Sandbox, s.Job("a")))).To(BeNumerically("<=", 2))
			})
			release()
			s.End(ctx, 0, Running(s.Sandbox, "a", 1)...)
			s.Soon("Job a is Complete", func(g Gomega) {
				g.Expect(framework.Is(s.Job("a"), batchv1.JobComplete)).To(BeTrue())
				g.Expect(s.Job("a").Status.Succeeded).To(BeEquivalentTo(1))
			})
		},
		Entry("of a Job", Covers(HealsLostCreates), puppet.Job("a")),
		Entry("of an index", Covers(HealsLostCreates), puppet.Job("a").Indexed().Completions(1)),
	)

	// Wrong: loses what happened while its watch delivered nothing.
	It("after a stale view of pods, the controller counts the pods that ended meanwhile", Covers(StalePods), func(ctx SpecContext) {
		s := started(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(3).Completions(3).Obj())
		pods := Running(s.Sandbox, "a", 3)
		release := s.Hold("pods")
		s.End(ctx, 0, pods[:2]...)
		s.Misses("pods")
		release()
		Counts(s.Sandbox, "a", "two pods are counted", Counters{Active: 1, Ready: 1, Succeeded: 2})
		s.End(ctx, 0, pods[2])
		completes(s.Sandbox, "a", 3)
	})

	// #104666; upstream and the reference list at most 500 uncounted pods in a status.
	// The controller is killed until all pods have ended, so that it sees them at
	// once. Scheduling gates keep the pods from running, which would take long.
	// Wrong: releases pods that it did not list.
	It("the controller counts every pod when more end than its status lists at once", takesLong, Covers(CountsOnce, FinalizerUntilCounted, ReleasesBeforeFinish), func(ctx SpecContext) {
		const n = 510
		s := started(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(n).Completions(n).With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/never"}}
		}).Obj())
		CountsAfter(s.Sandbox, time.Minute, "a", "all pods are created", Counters{Active: n})

		s.Kill()
		var ends errgroup.Group
		ends.SetLimit(8)
		for _, pod := range PodsOf(s.Sandbox, s.Job("a")) {
			ends.Go(func() error {
				ended := pod.DeepCopy()
				ended.Status.Phase = corev1.PodSucceeded
				return s.Client.Status().Patch(ctx, ended, client.MergeFrom(&pod))
			})
		}
		Expect(ends.Wait()).To(Succeed())
		s.Start()
		s.SoonAfter(time.Minute, "Job a is Complete", func(g Gomega) { g.Expect(s.Job("a").Status.CompletionTime).NotTo(BeNil()) })
		completes(s.Sandbox, "a", n)
	})
})

var _ = Describe("Job faults:", jobLabels, func() {

	// Wrong: watches on from its old position, or not at all.
	It("after its watches have expired, the controller acts on what it missed", Covers(ExpiredWatches), func(ctx SpecContext) {
		s := started(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(2).Completions(3).Obj())
		pods := Running(s.Sandbox, "a", 2)

		release := s.Hold("pods")
		s.End(ctx, 0, pods[0])
		expire(s, "pods")
		release()
		s.Soon("the pod that succeeded is counted", func(g Gomega) {
			g.Expect(s.Job("a").Status.Succeeded).To(BeEquivalentTo(1))
		})
		Running(s.Sandbox, "a", 2)

		release = s.Hold("jobs")
		SuspendJob(ctx, s.Sandbox, "a")
		expire(s, "jobs")
		release()
		s.Soon("Job a is Suspended", func(g Gomega) {
			g.Expect(framework.Is(s.Job("a"), batchv1.JobSuspended)).To(BeTrue())
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Succeeded: 1}))
		})
	})

	// Wrong: waits for the deletion of a pod that it created and was never shown.
	It("the controller replaces a pod that came and went while the watch of pods was down", Covers(ExpiredWatches), Shows(upstream.UnseenPod), func(ctx SpecContext) {
		s := started(ctx)
		release := s.Hold("pods")
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Obj())
		s.Soon("the Job has a pod", func(g Gomega) { g.Expect(CreatedFor(s.Sandbox, s.Job("a"))).To(HaveLen(1)) })
		pod := CreatedFor(s.Sandbox, s.Job("a"))[0]
		framework.Change(ctx, s.Sandbox, pod.DeepCopy(), func(p *corev1.Pod) { p.Finalizers = nil })
		s.Delete(ctx, &pod)
		gone(s.Sandbox, pod)
		expire(s, "pods")
		release()
		s.Soon("another pod is there", func(g Gomega) { g.Expect(s.Active()).To(HaveLen(1)) })
		s.End(ctx, 0, s.Active()...)
		Completes(s.Sandbox, "a", Counters{Succeeded: 1})
	})

	// Wrong: a controller that received no deletion keeps the pods of a Job that is
	// missing from its list.
	It("the controller releases the pods of a Job whose deletion it missed", Covers(ExpiredWatches, ReleasesOrphansDespiteFaults), func(ctx SpecContext) {
		s := started(ctx)
		job := framework.Create(ctx, s.Sandbox, puppet.Job("a").Obj())
		pod := Running(s.Sandbox, "a", 1)[0]
		releaseJobs, releasePods := s.Hold("jobs"), s.Hold("pods")
		s.Delete(ctx, job)
		expire(s, "jobs", "pods")
		releaseJobs()
		releasePods()
		gone(s.Sandbox, pod)
	})

	// Wrong: takes the silence for the end of pods, or gives up for good.
	unreachable := func(ctx context.Context, long time.Duration) {
		s := started(ctx)
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Parallelism(4).Completions(6).Obj())
		pods := Running(s.Sandbox, "a", 4)
		s.Cut()
		s.End(ctx, 0, pods[:2]...)
		s.StaysFor(long, "no pod is counted or created", func(g Gomega) {
			g.Expect(s.Job("a").Status.Succeeded).To(BeZero())
			g.Expect(CreatedFor(s.Sandbox, s.Job("a"))).To(HaveLen(4))
		})
		s.Restore()
		// client-go waits up to twice as long as its attempts have failed.
		CountsAfter(s.Sandbox, 2*long, "a", "two pods are counted and replaced", Counters{Active: 4, Ready: 4, Succeeded: 2})
		s.End(ctx, 0, Running(s.Sandbox, "a", 4)...)
		completes(s.Sandbox, "a", 6)
	}

	It("after 5 s without the API server, the controller completes the Job", takesLong, Covers(APIServerAway), func(ctx SpecContext) {
		unreachable(ctx, 5*time.Second)
	})

	It("after 30 s without the API server, the controller completes the Job", Label("slow"), takesLongest, Covers(APIServerAway), func(ctx SpecContext) {
		unreachable(ctx, 30*time.Second)
	})
})

// expire waits until the implementation has missed a change of each of the
// resources, and then lets its watches expire.
func expire(s *framework.Faulty, resources ...string) {
	GinkgoHelper()
	for _, resource := range resources {
		s.Misses(resource)
	}
	for _, resource := range resources {
		s.Expire(resource)
	}
}

// replicas adds two replicas of the implementation that share a Lease in the
// sandbox's namespace. The first to start leads. The Lease lasts longer than a
// spec, so that a busy machine does not make its holder lose it.
func replicas(s *framework.Sandbox) (first, second *framework.Proxied) {
	GinkgoHelper()
	flags := []string{
		"--leader-elect=true", "--leader-elect-resource-name=" + lease, "--leader-elect-resource-namespace=" + s.Namespace,
		"--leader-elect-lease-duration=5m", "--leader-elect-renew-deadline=4m", "--leader-elect-retry-period=1s",
	}
	first, second = s.Replica("first", flags...), s.Replica("second", flags...)
	switch name := first.Implementation(); name {
	case implementation.Reference, implementation.KubeControllerManager:
	default:
		Skip("not verified: the flags for the leader election of " + name + " are unknown")
	}
	return first, second
}

const lease = "jobconformance"

// led returns a sandbox with a Job of two running pods, their leader, and another
// replica that waits.
func led(ctx context.Context, completions int32) (*framework.Sandbox, *framework.Proxied, []corev1.Pod) {
	GinkgoHelper()
	s := framework.New(ctx)
	first, second := replicas(s)
	first.Start()
	framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(completions).Obj())
	pods := Running(s, "a", 2)
	second.Start()
	return s, first, pods
}

// expireLease disconnects the leader and clears the Lease's holder, as if the
// Lease had expired. The leader does not know that.
func expireLease(ctx context.Context, s *framework.Sandbox, leader *framework.Proxied) {
	GinkgoHelper()
	leader.Cut()
	free := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"holderIdentity":"","leaseDurationSeconds":1}}`))
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: lease}}
	Expect(s.Client.Patch(ctx, l, free)).To(Succeed())
}

var _ = Describe("Job faults:", jobLabels, func() {

	// Wrong: starts again because another replica created the pods.
	It("after a change of leader, the new leader continues the Job", Covers(LeaderChanges), func(ctx SpecContext) {
		s, first, pods := led(ctx, 4)
		expireLease(ctx, s, first)
		s.End(ctx, 0, pods...)
		Counts(s, "a", "the new leader counts two pods and replaces them", Counters{Active: 2, Ready: 2, Succeeded: 2})
		s.End(ctx, 0, Running(s, "a", 2)...)
		completes(s, "a", 4)
	})

	// Wrong: adds to the counters of any revision.
	It("after a change of leader, a late status write of the old leader counts no pod twice", Covers(LeaderChanges), func(ctx SpecContext) {
		s, first, pods := led(ctx, 2)
		arrives := make(chan struct{})
		late := first.On(writeStatus).Nth(1).Until(arrives)
		s.End(ctx, 0, pods...)
		first.Meets("count the pods", late)
		expireLease(ctx, s, first)
		s.Soon("the new leader has completed the Job", func(g Gomega) {
			g.Expect(framework.Is(s.Job("a"), batchv1.JobComplete)).To(BeTrue())
		})
		close(arrives)
		s.Stays("the Job is Complete with two pods", func(g Gomega) {
			g.Expect(framework.Is(s.Job("a"), batchv1.JobComplete)).To(BeTrue())
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Succeeded: 2}))
			g.Expect(CreatedFor(s, s.Job("a"))).To(HaveLen(2))
		})
	})
})

var _ = Describe("CronJob faults:", cronJobLabels, func() {

	// Wrong: gives the Job of a scheduled time another name each time.
	It("after a change of leader, a late request of the old leader creates no second Job", Covers(CronSurvivesCrashes), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := replicas(s)
		arrives := make(chan struct{})
		late := first.On(createJobs).Nth(1).Until(arrives)
		first.Start()
		tick := Ago(30 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		first.Meets("create the Job", late)
		second.Start()

		expireLease(ctx, s, first)
		Runs(s, cronJob, tick)
		close(arrives)
		KeepsRunning(s, cronJob, tick)
		Expect(Started(s, cronJob)).To(Equal(Times(tick)))
	})
})
