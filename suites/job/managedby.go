package job

import (
	"context"
	"slices"
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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// Source: KEP-4368. No invariant covers Jobs of another controller.
var _ = Describe("Job managedBy:", Label("area:job", "behaviour:managedBy"), func() {
	foreign := func() *puppet.JobBuilder {
		return puppet.Job("a").Parallelism(2).Completions(2).ManagedBy("example.org/other")
	}

	// Wrong: reads the field only when the Job is new.
	It("the controller writes neither pods nor status for a Job of another controller", Covers(
		LeavesManagedJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, foreign().Obj())

		SuspendJob(ctx, s, "a")
		ResumeJob(ctx, s, "a")
		SetParallelism(ctx, s, "a", 3)
		catchesUp(ctx, s)
		s.Stays("the Job has no pods, no status and no finalizers", func(g Gomega) {
			g.Expect(PodsOf(s, job)).To(BeEmpty())
			for _, r := range s.History().Jobs("a") {
				g.Expect(r.Job().Status).To(BeZero())
				g.Expect(r.Job().Finalizers).To(BeEmpty())
			}
		})
	})

	// Wrong: selects pods by their owner alone, or removes any tracking finalizer.
	It("the controller leaves the pods of another controller's Job alone", Covers(
		LeavesManagedJobs, LeavesManagedPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, foreign().Obj())
		owned := func(name string, annotations map[string]string) *corev1.Pod {
			pod := orphanOf(job, name, "")
			pod.Annotations = annotations
			pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
			owner := metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))
			pod.OwnerReferences = []metav1.OwnerReference{*owner}
			return pod
		}
		pods := []*corev1.Pod{
			owned("succeeds", map[string]string{puppet.ExitCodes: "0"}),
			owned("fails", map[string]string{puppet.ExitCodes: "1"}),
			owned("runs", nil), owned("another", nil), owned("surplus", nil),
			orphanOf(job, "orphan", ""),
		}
		for _, pod := range pods {
			framework.Create(ctx, s, pod)
			DeferCleanup(func(ctx context.Context) { removeFinalizer(ctx, s, pod, batchv1.JobTrackingFinalizer) })
		}
		lost := podNamed(s, "another")
		framework.Change(ctx, s, lost, func(p *corev1.Pod) { p.Labels = nil })
		s.Soon("two pods have ended, and four run", func(g Gomega) {
			g.Expect(s.InPhase(corev1.PodRunning)).To(HaveLen(4))
			g.Expect(s.InPhase(corev1.PodSucceeded)).To(HaveLen(1))
			g.Expect(s.InPhase(corev1.PodFailed)).To(HaveLen(1))
		})
		catchesUp(ctx, s)
		s.Stays("Job and pods stay as they are", func(g Gomega) {
			g.Expect(s.Job("a").Status).To(BeZero())
			for _, pod := range pods {
				g.Expect(podNamed(s, pod.Name)).To(And(
					HaveField("OwnerReferences", Equal(pod.OwnerReferences)),
					HaveField("Finalizers", Equal(pod.Finalizers)),
					HaveField("DeletionTimestamp", BeNil())))
			}
			g.Expect(PodsOf(s, job)).To(HaveLen(5))
		})
	})

	// Wrong: corrects the counters, or acts once the Job has finished.
	It("the controller keeps the status that another controller writes", Covers(
		LeavesManagedStatus), func(ctx SpecContext) {
		s := framework.New(ctx)
		framework.Create(ctx, s, foreign().Obj())
		now := metav1.NewTime(time.Now().Truncate(time.Second))
		condition := func(kind batchv1.JobConditionType) batchv1.JobCondition {
			return batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue, LastProbeTime: now, LastTransitionTime: now}
		}
		for _, write := range []func(*batchv1.JobStatus){
			func(status *batchv1.JobStatus) {
				status.StartTime, status.Active, status.Ready = &now, 2, ptr.To[int32](1)
			},
			func(status *batchv1.JobStatus) {
				status.Active, status.Ready, status.Succeeded, status.CompletionTime = 0, ptr.To[int32](0), 2, &now
				status.Conditions = []batchv1.JobCondition{condition(batchv1.JobSuccessCriteriaMet), condition(batchv1.JobComplete)}
			},
		} {
			framework.ChangeStatus(ctx, s, s.Job("a"), func(j *batchv1.Job) { write(&j.Status) })
			written := s.Job("a").Status
			catchesUp(ctx, s)
			s.Stays("the status stays as it was written", func(g Gomega) { g.Expect(s.Job("a").Status).To(Equal(written)) })
		}
	})

	// Wrong: leaves every Job with the field alone.
	It("the controller runs a Job with the reserved name", Covers(OwnManagedBy), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a").Parallelism(2).Completions(3).ManagedBy(batchv1.JobControllerName))
		s.End(ctx, 0, Running(s, "a", 2)...)
		Counts(s, "a", "the last pod runs", Counters{Active: 1, Ready: 1, Succeeded: 2})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 3})
		Expect(tracked(s.Pods())).To(BeEmpty())
		Expect(s.Created()).To(HaveLen(3))
	})
})

// catchesUp waits until another Job of the namespace is Complete: by then the controller
// has seen what was written before.
func catchesUp(ctx context.Context, s *framework.Sandbox) {
	GinkgoHelper()
	generateName := func(j *batchv1.Job) { j.GenerateName = "witness-" }
	witness := framework.Create(ctx, s, puppet.Job("").With(generateName).ExitCodes("0").Obj())
	s.Soon("the witness is Complete", func(g Gomega) {
		g.Expect(TrueConditions(s.Job(witness.Name))).To(HaveKey(batchv1.JobComplete))
	})
}

// removeFinalizer removes a finalizer from a pod, if the pod still exists, so that its
// namespace can be deleted.
func removeFinalizer(ctx context.Context, s *framework.Sandbox, pod *corev1.Pod, finalizer string) {
	GinkgoHelper()
	now := &corev1.Pod{}
	err := s.Client.Get(ctx, client.ObjectKeyFromObject(pod), now)
	if err == nil && slices.Contains(now.Finalizers, finalizer) {
		before := now.DeepCopy()
		controllerutil.RemoveFinalizer(now, finalizer)
		err = s.Client.Patch(ctx, now, client.MergeFrom(before))
	}
	Expect(client.IgnoreNotFound(err)).To(Succeed())
}
