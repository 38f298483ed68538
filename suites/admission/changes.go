package admission

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("a Job whose pods come out different", Label("area:job", "behaviour:admission"), func() {

	// Wrong: takes pods that differ from the template for somebody else's.
	It("counts those with more labels and annotations", Covers(CountsPodsWithAddedLabels), func(ctx SpecContext) {
		s := framework.New(ctx)
		rewrite(ctx, s, pods, applying(added),
			examplePod(), func(p *corev1.Pod) bool { return p.Labels["example.com/added"] == "yes" })
		framework.Create(ctx, s, indexed("a").FinishedAgo("1h").Obj())
		all := running(s, "a", 3)
		Expect(all).To(HaveEach(HaveField("Labels", HaveKeyWithValue("example.com/added", "yes"))))
		s.End(ctx, 1, all[0])
		s.SoonAfter(10*time.Second, "another pod has taken its place", func(g Gomega) {
			g.Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{Active: 3, Ready: 3, Failed: 1}))
		})
		s.End(ctx, 0, s.Active()...)
		completes(s, "a", counters{Succeeded: 3, Failed: 1})
		Expect(s.Created()).To(HaveLen(4))
	})

	// Two patches: the API server of 1.36.3 panics over a list of objects in one.
	// Wrong: replaces pods whose containers are not those of the template.
	It("counts those with a sidecar more", Covers(CountsPodsWithAddedSidecars), func(ctx SpecContext) {
		s := framework.New(ctx)
		rewrite(ctx, s, pods, patching(`[JSONPatch{op: "add", path: "/spec/initContainers", value: []},
			JSONPatch{op: "add", path: "/spec/initContainers/-", value: Object.spec.initContainers{
				name: "sidecar", image: object.spec.containers[0].image, restartPolicy: "Always",
				command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"]}}]`),
			examplePod(), func(p *corev1.Pod) bool { return len(p.Spec.InitContainers) > 0 })
		framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(2).Obj())
		all := running(s, "a", 2)
		Expect(all).To(HaveEach(HaveField("Spec.InitContainers", ContainElement(HaveField("Name", "sidecar")))))
		s.End(ctx, 0, all...)
		completes(s, "a", counters{Succeeded: 2})
		Expect(s.Created()).To(HaveLen(2))
	})
})

var _ = Describe("a Job that may not change its pods", Label("area:job", "behaviour:admission"), func() {

	// Wrong: takes a pod for deleted once it has tried.
	It("goes on to count those that it may not delete, and deletes them later", Covers(UndeletablePodsCount), func(ctx SpecContext) {
		s := framework.New(ctx)
		made := framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(2).Obj())
		all := running(s, "a", 2)
		wall := refuse(ctx, s, pods.rule(admissionregistrationv1.Delete), "true", deleting(s, all[0]))
		framework.Change(ctx, s, s.Job("a"), func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](0) })
		warned(s, made.UID, "FailedDelete")
		s.Stays("both pods are there and counted", func(g Gomega) {
			g.Expect(s.Active()).To(HaveLen(2))
			g.Expect(framework.CountersOf(s.Job("a"))).To(And(HaveField("Active", BeEquivalentTo(2)), HaveField("Failed", BeZero())))
		})
		wall.lift(ctx)
		s.Soon("they are gone", func(g Gomega) {
			g.Expect(s.Pods()).To(BeEmpty())
			g.Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{}))
		})
	})

	// Wrong: tries again at once, for ever.
	It("does not go on trying to delete them without a pause", Covers(BacksOffWhileDeletionIsRefused), framework.LocalAPIServer("a webhook in this process counts requests"), func(ctx SpecContext) {
		s := framework.New(ctx)
		framework.Create(ctx, s, puppet.Job("a").Obj())
		pod := running(s, "a", 1)[0]
		c := count(ctx, s, pods.rule(admissionregistrationv1.Delete), deleting(s, pod))
		framework.Change(ctx, s, s.Job("a"), func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true) })
		s.Soon("it was tried", func(g Gomega) { g.Expect(c.attempts()).NotTo(BeEmpty()) })
		s.Stays("the pod is there", func(g Gomega) { g.Expect(s.Active()).To(HaveLen(1)) })
		attempts := c.attempts()
		Expect(len(attempts)).To(BeNumerically("<=", loop), "attempts %v", since(attempts))
		c.lift(ctx)
		s.Soon("the pod is gone", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
	})

	// Wrong: counts pods before it has let go of them, and once more after that;
	// or is Complete while pods hang on.
	It("counts pods once that it may let go of only later", Covers(NotCompleteBeforeRelease), func(ctx SpecContext) {
		s := framework.New(ctx)
		framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(2).Obj())
		all := running(s, "a", 2)
		const tracked = "'batch.kubernetes.io/job-tracking' in "
		wall := refuse(ctx, s, pods.rule(admissionregistrationv1.Update),
			"has(oldObject.metadata.finalizers) && "+tracked+"oldObject.metadata.finalizers && "+
				"!(has(object.metadata.finalizers) && "+tracked+"object.metadata.finalizers)",
			releasing(s, all[0]))
		s.End(ctx, 0, all...)
		s.Soon("the pods have succeeded", func(g Gomega) { g.Expect(s.InPhase(corev1.PodSucceeded)).To(HaveLen(2)) })
		s.Stays("the Job is not Complete", func(g Gomega) {
			g.Expect(framework.Is(s.Job("a"), batchv1.JobComplete)).To(BeFalse())
			g.Expect(s.Pods()).To(HaveEach(HaveField("Finalizers", ContainElement(batchv1.JobTrackingFinalizer))))
		})
		wall.lift(ctx)
		completes(s, "a", counters{Succeeded: 2})
		Expect(s.Created()).To(HaveLen(2))
	})
})

// deleting is a dry run that deletes a pod.
func deleting(s *framework.Sandbox, pod corev1.Pod) request {
	return func(ctx context.Context) error { return s.Client.Delete(ctx, pod.DeepCopy(), client.DryRunAll) }
}

// releasing is a dry run that takes the finalizers off a pod.
func releasing(s *framework.Sandbox, pod corev1.Pod) request {
	return func(ctx context.Context) error {
		next := pod.DeepCopy()
		next.Finalizers = nil
		return s.Client.Patch(ctx, next, client.MergeFrom(&pod), client.DryRunAll)
	}
}

var _ = Describe("a Job in a namespace that goes", Label("area:job", "behaviour:admission"), func() {

	// Wrong: keeps its finalizer on pods whose Job went first; or keeps making
	// Jobs and pods where nothing can be made any more, and never looks at those
	// that are left.
	It("lets go of its pods, whatever order things are deleted in", Covers(JobsLetTheNamespaceGo, CronJobsLetTheNamespaceGo), func(ctx SpecContext) {
		s := framework.New(ctx)
		// Upstream's controller counts a pod as active for a second that it could
		// not create because the namespace goes; it depends on how long that
		// takes whether it tries.
		s.Except("job-counts-what-is-there")
		framework.Create(ctx, s, puppet.Job("a").Parallelism(3).Obj())
		framework.Create(ctx, s, puppet.Job("held").Puppet(map[string]string{puppet.Terminate: puppet.Hold}).Obj())
		due(ctx, s, puppet.CronJob("c", puppet.Job("")), lastTick())
		s.Soon("all pods run", func(g Gomega) { g.Expect(s.InPhase(corev1.PodRunning)).To(HaveLen(5)) })

		s.DeleteNamespace(ctx)
		var held []corev1.Pod
		// Whether Jobs are still there then depends on the version.
		s.Soon("a held pod is all that is left of the pods", func(g Gomega) {
			held = s.Pods()
			g.Expect(held).To(ConsistOf(And(
				HaveField("Labels", HaveKeyWithValue(batchv1.JobNameLabel, "held")),
				HaveField("DeletionTimestamp", Not(BeNil())))))
		})
		s.Direct(ctx, held[0], map[string]string{puppet.Terminate: "143"})
		s.Soon("no pod is left", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
		s.NamespaceGoes(ctx)
	})
})
