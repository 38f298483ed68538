package job

import (
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

// Whose a pod is decides what it counts for, so that these specs are of the
// same behaviour as those of completions.
var _ = Describe("pods", Label("area:job", "behaviour:completions"), func() {

	// Source: batch/v1 JobSpec.template, JobNameLabel and ControllerUidLabel.
	It("are made from the template, and marked with their Job", Covers(PodFollowsTemplate, PodLabels, PodNameFollowsJob, JobOwnsPod, TrackingFinalizer), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, puppet.Job("a").Puppet(map[string]string{"example.org/note": "kept"}).With(func(j *batchv1.Job) {
			j.Spec.Template.Labels = map[string]string{"example.org/app": "a"}
			j.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "b"}}
		}).Obj())

		Running(s, "a", 1)
		pod := s.Created()[0]
		Expect(pod.GenerateName).To(HavePrefix("a-"))
		Expect(pod.Annotations).To(HaveKeyWithValue("example.org/note", "kept"))
		Expect(pod.Labels).To(And(
			HaveKeyWithValue("example.org/app", "a"),
			HaveKeyWithValue(batchv1.JobNameLabel, "a"),
			HaveKeyWithValue(batchv1.ControllerUidLabel, string(job.UID))))
		Expect(pod.Spec.Containers[0].Env).To(ConsistOf(corev1.EnvVar{Name: "A", Value: "b"}))
		Expect(pod.Spec.RestartPolicy).To(Equal(corev1.RestartPolicyNever))
		Expect(pod.OwnerReferences).To(ConsistOf(And(HaveField("UID", job.UID), HaveField("Controller", HaveValue(BeTrue())))))
		Expect(pod.Finalizers).To(ContainElement(batchv1.JobTrackingFinalizer))
	})

	// Source: metav1.OwnerReference; batch/v1 JobSpec.selector.
	It("are let go and replaced when they no longer match the selector", Covers(ReleasesUnmatchedPods, ReleasesLostPods), func(ctx SpecContext) {
		s := WithJob(ctx, puppet.Job("a"))

		lost := Running(s, "a", 1)[0]
		framework.Change(ctx, s, &lost, func(p *corev1.Pod) { p.Labels = map[string]string{"example.org/app": "other"} })
		s.Soon("it is let go and another pod has taken its place", func(g Gomega) {
			pod := podNamed(s, lost.Name)
			g.Expect(pod.OwnerReferences).To(BeEmpty())
			g.Expect(tracked([]corev1.Pod{*pod})).To(BeEmpty())
			g.Expect(s.Active()).To(HaveLen(2))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1}))
		})
		s.End(ctx, 0, lost)
		s.End(ctx, 0, others(s.Active(), lost)...)
		Completes(s, "a", Counters{Succeeded: 1})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Source: batch/v1 JobSpec.manualSelector; metav1.OwnerReference.
	It("are adopted that were there before and match the selector", Covers(AdoptsPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		labels := map[string]string{"example.org/app": "a"}
		stray := strayPod("stray", nil)
		stray.Labels = labels
		framework.Create(ctx, s, stray)
		s.Soon("the stray pod runs", func(g Gomega) { g.Expect(s.InPhase(corev1.PodRunning)).To(HaveLen(1)) })
		job := framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(2).With(func(j *batchv1.Job) {
			j.Spec.ManualSelector = ptr.To(true)
			j.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
			j.Spec.Template.Labels = labels
		}).Obj())

		Running(s, "a", 2)
		Expect(podNamed(s, "stray")).To(HaveField("OwnerReferences", ConsistOf(HaveField("UID", job.UID))))
		Expect(tracked(s.Pods())).To(HaveLen(2))
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 2})
	})

	// Whatever its labels say. Wrong: goes by labels alone.
	It("are not the Job's if something else controls them", Covers(LeavesForeignPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		owner := framework.Create(ctx, s, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}})
		job := framework.Create(ctx, s, puppet.Job("a").Obj())

		own := Running(s, "a", 1)
		foreign := strayPod("foreign", map[string]string{puppet.ExitCodes: "0"})
		foreign.Labels = job.Spec.Template.Labels
		foreign.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID, Controller: ptr.To(true),
		}}
		framework.Create(ctx, s, foreign)
		s.Soon("the foreign pod has succeeded", func(g Gomega) { g.Expect(s.InPhase(corev1.PodSucceeded)).To(HaveLen(1)) })
		s.Stays("the pod stays as it is, and the Job runs on", func(g Gomega) {
			g.Expect(s.InPhase(corev1.PodSucceeded)).To(ConsistOf(And(
				HaveField("OwnerReferences", Equal(foreign.OwnerReferences)),
				HaveField("Finalizers", BeEmpty()), HaveField("DeletionTimestamp", BeNil()))))
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 1, Ready: 1}))
		})
		s.End(ctx, 0, own...)
		Completes(s, "a", Counters{Succeeded: 1})
	})

	// A finalizer holds the Job, as the garbage collector's own does when pods are
	// to go first. Source: #42639. Wrong: looks at the spec alone.
	It("are neither made nor adopted for a Job that is being deleted", Covers(NoAdoptionWhileBeingDeleted, NoPodsWhileBeingDeleted), func(ctx SpecContext) {
		s := framework.New(ctx)
		const hold = "example.com/hold"
		job := framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(4).FinishedAgo(longAgo).
			With(func(j *batchv1.Job) { j.Finalizers = []string{hold} }).Obj())

		pods := Running(s, "a", 2)
		s.Delete(ctx, job)
		s.Soon("the Job is being deleted", func(g Gomega) { g.Expect(s.Job("a").DeletionTimestamp).NotTo(BeNil()) })
		s.End(ctx, 0, pods[0])
		s.End(ctx, 1, pods[1])
		stray := strayPod("stray", nil)
		stray.Labels = job.Spec.Template.Labels
		framework.Create(ctx, s, stray)
		s.Stays("no pod takes their place", func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(3)) // two and the stray one
			g.Expect(podNamed(s, "stray").OwnerReferences).To(BeEmpty())
		})
		framework.Change(ctx, s, s.Job("a"), func(j *batchv1.Job) { controllerutil.RemoveFinalizer(j, hold) })
		s.Soon("Job and pods are gone", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(names(s.Pods())).To(ConsistOf("stray"))
		})
	})

	// Source: KEP-2307; #108752, #109429. Wrong: leaves the finalizers on when
	// there is no Job any more to count for.
	It("all go with a Job that is deleted", Covers(PodsGoWithJob, ReleasesOrphans), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, puppet.Job("a").Parallelism(3).Completions(4).Obj())

		pods := Running(s, "a", 3)
		s.End(ctx, 0, pods[0])
		s.End(ctx, 1, pods[1])
		s.Delete(ctx, job)
		s.Soon("Job and pods are gone", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})

	// Source: metav1.DeletePropagationOrphan; KEP-2307.
	It("are free when their Job is deleted without them", Covers(OrphanedPodsRun, ReleasesOrphans), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(2).Obj())

		Running(s, "a", 2)
		Expect(s.Client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationOrphan))).To(Succeed())
		s.Soon("the Job is gone and its pods have neither owner nor finalizer", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Active()).To(And(HaveLen(2), HaveEach(And(
				HaveField("OwnerReferences", BeEmpty()), HaveField("Finalizers", BeEmpty())))))
		})
	})
})

// strayPod is a pod that belongs to nobody.
func strayPod(name string, annotations map[string]string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Annotations: annotations},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "main", Image: puppet.Placeholder}},
		},
	}
	puppet.Apply(&pod.ObjectMeta, &pod.Spec)
	return pod
}
