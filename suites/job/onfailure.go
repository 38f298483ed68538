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
)

// With restartPolicy OnFailure it is containers that fail, and pods stay. The
// documentation says: "The number of retries in all the containers of Pods with
// .status.phase equal to Pending or Running. If [it] reaches the
// .spec.backoffLimit, the Job is considered failed."
//
// Source, where a spec names no other:
// https://kubernetes.io/docs/concepts/workloads/controllers/job/#pod-backoff-failure-policy.
var _ = Describe("OnFailure", Label("area:job", "behaviour:OnFailure"), func() {

	// Wrong: replaces the pod, or counts the attempts as failed pods.
	It("lets one pod succeed at its third attempt", Covers(RestartsInPlace), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure().BackoffLimit(3).ExitCodes("1,1,0"))

		Completes(s, "a", Counters{Succeeded: 1})
		Expect(s.Created()).To(HaveLen(1))
		Expect(s.Pods()).To(ConsistOf(HaveField("Status.ContainerStatuses", ConsistOf(HaveField("RestartCount", int32(2))))))
		for _, r := range s.History().Jobs("a") {
			Expect(r.Job().Status.Failed).To(BeZero(), "status.failed at revision %s", r.Job().ResourceVersion)
		}
	})

	// Wrong: fails one restart too early, never, or replaces the pod.
	It("fails the Job when the restarts reach the limit, and no earlier", Covers(RestartsReachBackoffLimit, RestartLimitDeletesPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure().BackoffLimit(3).ExitCodes("1,1"))

		restarted(s, 2)
		s.Stays("the pod runs on", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
			g.Expect(s.Created()).To(HaveLen(1))
			g.Expect(s.Active()).To(HaveLen(1))
		})
		Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1}))
		s.Direct(ctx, s.Active()[0], map[string]string{puppet.ExitCodes: "1,1,1"})
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
		s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
		Expect(s.Created()).To(HaveLen(1))
	})

	// Wrong: compares with the limit as for failed pods, or takes a limit of 0
	// for one that is reached from the start.
	It("with a limit of 0 fails the Job at the first restart", Covers(FirstRestartFails), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure().BackoffLimit(0))

		pod := Running(s, "a", 1)[0]
		Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		s.End(ctx, 1, pod)
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
		Expect(s.Created()).To(HaveLen(1))
	})

	It("with a limit of 0 lets a pod succeed that needs no restart", Covers(FirstRestartFails), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure().BackoffLimit(0).Parallelism(2).Completions(2).ExitCodes("0"))

		Completes(s, "a", Counters{Succeeded: 2})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: looks at each pod alone.
	It("adds up the restarts of all pods", Covers(AddsUpRestarts), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure().Parallelism(2).Completions(2).BackoffLimit(2))

		s.End(ctx, 1, Running(s, "a", 2)...)
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: looks at the first container.
	It("adds up the restarts of all containers of a pod", Covers(AddsUpRestarts), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure().BackoffLimit(4).ExitCodes("1").With(func(j *batchv1.Job) {
			containers := &j.Spec.Template.Spec.Containers
			*containers = append(*containers, corev1.Container{Name: "second", Image: puppet.Placeholder})
		}))

		restarted(s, 1)
		Running(s, "a", 1)
		Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
		s.Direct(ctx, s.Active()[0], map[string]string{puppet.ExitCodes: "1,1"}) // 2 in each of 2 containers
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// Wrong: looks at the containers alone, or at pods that run.
	It("adds up the restarts of an init container that fails again and again", Covers(AddsUpInitRestarts), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure().BackoffLimit(2).InitContainer("init").
			Puppet(map[string]string{puppet.InitCodes: "1"}))

		s.Soon("the init container has restarted", func(g Gomega) {
			g.Expect(s.Active()).To(ConsistOf(HaveField("Status.InitContainerStatuses", ConsistOf(HaveField("RestartCount", int32(1))))))
		})
		s.Stays("the Job goes on", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("a"))).To(BeEmpty())
			g.Expect(s.Active()).To(HaveLen(1))
		})
		s.Direct(ctx, s.Active()[0], map[string]string{puppet.InitCodes: "1,1"})
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
		Expect(s.Created()).To(HaveLen(1))
	})

	// The same at once: the status says it before any container has restarted.
	It("adds up the restarts of init containers, too", framework.Simulated("a kubelet overwrites the status of its pods"), Covers(AddsUpInitRestarts), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure().BackoffLimit(2).Puppet(map[string]string{puppet.Start: puppet.Hold}).
			With(func(j *batchv1.Job) {
				j.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: "init", Image: puppet.Placeholder}}
			}))

		s.Soon("the pod is about to start", func(g Gomega) {
			g.Expect(s.Active()).To(ConsistOf(HaveField("Status.InitContainerStatuses", HaveLen(1))))
		})
		framework.ChangeStatus(ctx, s, &s.Active()[0], func(p *corev1.Pod) { p.Status.InitContainerStatuses[0].RestartCount = 2 })
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 1})
	})

	// "Of Pods with .status.phase equal to Pending or Running." Wrong: adds up
	// restarts for ever.
	It("forgets the restarts of pods that have succeeded", Covers(FinishedRestartsDoNotCount), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure().Completions(3).BackoffLimit(2).ExitCodes("1,0"))

		Completes(s, "a", Counters{Succeeded: 3})
		Expect(s.Created()).To(HaveLen(3))
	})

	It("replaces a pod that somebody else deletes, which counts as failed", Covers(DeletedOnFailurePodFails), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure())

		s.Remove(ctx, Running(s, "a", 1)[0])
		CountsAfter(s, firstBackoff, "a", "another pod has taken its place", Counters{Active: 1, Ready: 1, Failed: 1})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 1, Failed: 1})
		Expect(s.Created()).To(HaveLen(2))
	})

	// "The number of Pods with .status.phase = Failed" goes for any
	// restartPolicy: a node that runs out of memory evicts pods so.
	It("replaces a pod that fails as a whole, as often as the limit allows", Covers(DeletedOnFailurePodFails), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure().BackoffLimit(1))

		s.Evict(ctx, Running(s, "a", 1)[0])
		Counts(s, "a", "another pod has taken its place", Counters{Active: 1, Ready: 1, Failed: 1})
		s.Evict(ctx, s.Active()[0])
		Fails(s, "a", batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: 2})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source: JobSpec.activeDeadlineSeconds.
	It("does not keep a Job from its deadline", Covers(DeadlineWhileRestarting), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").OnFailure().ExitCodes("1,1").ActiveDeadlineSeconds(2))

		exceeds(s, "a", 2*time.Second, Counters{Failed: 1})
		s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
		Expect(s.Created()).To(HaveLen(1))
	})
})

// restarted waits until the one active pod has restarted n times.
func restarted(s *framework.Sandbox, n int32) {
	GinkgoHelper()
	s.Soon("the pod has restarted", func(g Gomega) {
		g.Expect(s.Active()).To(ConsistOf(HaveField("Status.ContainerStatuses", HaveEach(HaveField("RestartCount", n)))))
	})
}
