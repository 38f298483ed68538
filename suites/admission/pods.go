package admission

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("Job admission, rejected pods:", behaviour.Admission, func() {

	// Wrong: counts rejected pods as failed, so that the Job fails at once; or counts
	// pods as active that it could not create.
	DescribeTable("the Job waits, then completes, after rejections by", func(ctx SpecContext, build build) {
		s := framework.New(ctx)
		object := puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0).Obj()
		denial := build(s, template(object))
		job := s.Handle(framework.Create(s, object))
		waits(s, job)
		denial.lift()
		createsLater(s, 2)
		job.Runs(2).End(0)
		job.CompletesWith(2, Counters{Succeeded: 2})
	},
		Entry("a quota", covers.Requirements(RefusedPodsCountForNothing, CreatesPodsAfterQuota), needsQuotas,
			build(noRoom)),
		Entry("a policy", covers.Requirements(RefusedPodsCountForNothing, CreatesPodsAfterPolicy), needsPolicies,
			build(policy)),
		Entry("a webhook without a server", covers.Requirements(RefusedPodsCountForNothing, CreatesPodsAfterWebhook),
			framework.Needs(spec.Webhooks), build(unserved)),
		Entry("a LimitRange", covers.Requirements(RefusedPodsCountForNothing, CreatesPodsAfterLimitRange),
			framework.Needs(spec.LimitRanges), build(limits)),
		Entry("Pod Security", covers.Requirements(RefusedPodsCountForNothing, CreatesPodsAfterPodSecurity),
			build(restricted)),
		Entry("a missing PriorityClass", covers.Requirements(RefusedPodsCountForNothing, CreatesPodsAfterPriorityClass),
			framework.Needs(spec.PriorityClasses), covers.Shows(upstream.NothingWithoutWorkload), build(noClass)),
	)

	It("the controller emits FailedCreate", covers.Requirements(
		WarnsOfRefusedPods), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		denyPods(s)
		warned(s, s.Create(puppet.Job("a")).UID, "FailedCreate")
	})

	// Wrong: creates no pod unless the quota has room for all.
	It("the controller creates as many pods as a quota has room for", covers.Requirements(
		UsesPartOfAQuota), needsQuotas, func(ctx SpecContext) {
		s := framework.New(ctx)
		fullOfPods(s).set("2")
		job := s.Create(puppet.Job("a").Parallelism(4).Completions(3))
		pods := job.Runs(2)
		s.Stays("two pods are counted", func(g Gomega) {
			job.Reports(g, Counters{Active: 2, Ready: 2})
		})
		pods[0].End(0)
		job.CountsAfter(framework.MaxAPIBackoff, "the pod that succeeded is replaced",
			Counters{Active: 2, Ready: 2, Succeeded: 1})
		s.Active().End(0)
		job.Completes(Counters{Succeeded: 3})
	})

	// Wrong: sends a request for each missing pod at each sync.
	It("the controller sends no burst of requests", covers.Requirements(
		SlowStart), countsRequests, func(ctx SpecContext) {
		s := framework.New(ctx)
		c := count(s, pods.rule(admissionregistrationv1.Create), creating(s, examplePod()))
		const many = 100
		job := s.Create(puppet.Job("a").Parallelism(many).Completions(many))
		waits(s, job)
		c.expectAttempts(many / 3)
	})

	// #32785. Wrong: tries again at once, or every second, for ever.
	It("the controller backs off between requests", covers.Requirements(
		BacksOffWhilePodsAreRefused), countsRequests, func(ctx SpecContext) {
		s := framework.New(ctx)
		c := count(s, pods.rule(admissionregistrationv1.Create), creating(s, examplePod()))
		job := s.Create(puppet.Job("a"))
		c.expectGrowingDelays(s, "the Job has no pods and no condition", hasNothing(s, job))
	})

	// Wrong: checks the deadline only after it has created its pods.
	It("the Job fails after its activeDeadlineSeconds", covers.Requirements(
		DeadlineWhilePodsAreRefused), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		denyPods(s)
		job := s.Create(puppet.Job("a").ActiveDeadlineSeconds(1))
		s.SoonAfter(time.Second, "the Job is Failed", func(g Gomega) {
			g.Expect(job.Conditions()).To(HaveKeyWithValue(batchv1.JobFailed, batchv1.JobReasonDeadlineExceeded))
		})
		job.ReportsNow(Counters{})
	})

	It("the controller creates no pods of a Job suspended in the meantime", covers.Requirements(
		SuspendedWhilePodsAreRefused), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		denial := denyPods(s)
		job := s.Create(puppet.Job("a"))
		waits(s, job)
		job.Suspend()
		job.Becomes(batchv1.JobSuspended)
		denial.lift()
		s.Stays("there are no pods", func(g Gomega) { g.Expect(s.Created()).To(BeEmpty()) })
	})

	// Wrong: goes on with what it remembers of the Job.
	It("the controller creates no pods of a Job deleted in the meantime", covers.Requirements(
		DeletedWhilePodsAreRefused), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		denial := denyPods(s)
		job := s.Create(puppet.Job("a"))
		waits(s, job)
		job.Delete()
		s.Soon("the Job is gone", func(g Gomega) { g.Expect(s.Jobs()).To(BeEmpty()) })
		denial.lift()
		s.Stays("there are no pods", func(g Gomega) { g.Expect(s.Created()).To(BeEmpty()) })
	})

	// Wrong: takes an index for used, whether its pod exists or not.
	It("the controller creates the pod of a rejected index later, and no index twice", covers.Requirements(
		RefusedIndexComesLater), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		const index = "'batch.kubernetes.io/job-completion-index'"
		last := examplePod()
		last.Annotations = map[string]string{batchv1.JobCompletionIndexAnnotation: "2"}
		denial := deny(s, pods.rule(admissionregistrationv1.Create),
			"has(object.metadata.annotations) && "+index+
				" in object.metadata.annotations && object.metadata.annotations["+index+"] == '2' || "+
				"has(object.metadata.labels) && "+index+
				" in object.metadata.labels && object.metadata.labels["+index+"] == '2'",
			creating(s, last))
		job := s.Create(indexed("a"))
		job.Runs(2)
		s.Stays("no other index has a pod", func(g Gomega) { g.Expect(s.Created()).To(HaveLen(2)) })
		denial.lift()
		createsLater(s, 3)
		job.Runs(3).End(0)
		job.Completes(Counters{Succeeded: 3})
		Expect(job.Now().Status.CompletedIndexes).To(Equal("0-2"), "status.completedIndexes")
		Expect(s.Created()).To(HaveLen(3))
	})
})

var _ = Describe("Job admission, mutated pods:", behaviour.Admission, func() {

	// Wrong: takes pods that differ from the template for those of another owner.
	It("pods with additional labels and annotations are counted", covers.Requirements(
		CountsPodsWithAddedLabels), needsMutations, func(ctx SpecContext) {
		s := framework.New(ctx)
		mutate(s, pods, applying(added),
			examplePod(), func(p *corev1.Pod) bool { return p.Labels["example.com/added"] == "yes" })
		job := s.Create(puppet.Job("a").Parallelism(3).Completions(3).FinishedAgo("1h"))
		all := job.Runs(3)
		Expect(all).To(HaveEach(HaveField("Labels", HaveKeyWithValue("example.com/added", "yes"))))
		all[0].End(1)
		job.CountsAfter(kinds.FirstBackoff, "the failed pod is replaced", Counters{Active: 3, Ready: 3, Failed: 1})
		s.Active().End(0)
		job.CompletesWith(4, Counters{Succeeded: 3, Failed: 1})
	})

	// Two patches: the API server of 1.36.3 panics over a list of objects in one.
	// Wrong: replaces pods whose containers are not those of the template.
	It("pods with an additional sidecar are counted", covers.Requirements(
		CountsPodsWithAddedSidecars), needsMutations, func(ctx SpecContext) {
		s := framework.New(ctx)
		mutate(s, pods, patching(`[JSONPatch{op: "add", path: "/spec/initContainers", value: []},
			JSONPatch{op: "add", path: "/spec/initContainers/-", value: Object.spec.initContainers{
				name: "sidecar", image: object.spec.containers[0].image, restartPolicy: "Always",
				command: ["sh", "-c", "trap 'exit 0' TERM; sleep 3600 & wait"]}}]`),
			examplePod(), func(p *corev1.Pod) bool { return len(p.Spec.InitContainers) > 0 })
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		all := job.Runs(2)
		Expect(all).To(HaveEach(HaveField("Spec.InitContainers", ContainElement(HaveField("Name", "sidecar")))))
		all.End(0)
		job.CompletesWith(2, Counters{Succeeded: 2})
	})
})

var _ = Describe("Job admission, rejected changes of pods:", behaviour.Admission, func() {

	// Wrong: takes a pod for deleted once it has sent the request.
	It("pods whose deletion is rejected stay active, and are deleted later", covers.Requirements(
		UndeletablePodsCount), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		all := job.Runs(2)
		denial := deny(s, pods.rule(admissionregistrationv1.Delete), "true", deleting(s, &all[0].Pod))
		job.SetParallelism(0)
		s.Stays("both pods are active and counted", func(g Gomega) {
			g.Expect(s.Active()).To(HaveLen(2))
			g.Expect(job.Counters().Failed).To(BeZero(), "status.failed")
			job.ReportsActive(g, 2)
		})
		denial.lift()
		s.SoonAfter(framework.MaxAPIBackoff, "both pods are gone", func(g Gomega) {
			g.Expect(s.Pods()).To(BeEmpty())
			job.Reports(g, Counters{})
		})
	})

	// Wrong: tries again at once, for ever.
	It("the controller backs off when the deletion of a pod is rejected", covers.Requirements(
		BacksOffWhileDeletionIsRefused), countsRequests, func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		pod := job.Runs(1)[0]
		c := count(s, pods.rule(admissionregistrationv1.Delete), deleting(s, &pod.Pod))
		job.SetParallelism(0)
		c.expectGrowingDelays(s, "the pod is active", func(g Gomega) { g.Expect(s.Active()).To(HaveLen(1)) })
	})

	It("the controller emits FailedDelete", covers.Requirements(
		WarnsOfUndeletablePods), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		pod := job.Runs(1)[0]
		deny(s, pods.rule(admissionregistrationv1.Delete), "true", deleting(s, &pod.Pod))
		job.SetParallelism(0)
		warned(s, job.UID, "FailedDelete")
	})

	// Wrong: counts pods before it has released them, and again afterwards; or makes
	// the Job Complete while pods still have the finalizer.
	It("pods whose release is rejected are counted once, and released later", covers.Requirements(
		NotCompleteBeforeRelease), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		all := job.Runs(2)
		const tracked = "'batch.kubernetes.io/job-tracking' in "
		denial := deny(s, pods.rule(admissionregistrationv1.Update),
			"has(oldObject.metadata.finalizers) && "+tracked+"oldObject.metadata.finalizers && "+
				"!(has(object.metadata.finalizers) && "+tracked+"object.metadata.finalizers)",
			releasing(s, all[0]))
		all.End(0)
		s.Soon("the pods have succeeded", func(g Gomega) { g.Expect(s.InPhase(corev1.PodSucceeded)).To(HaveLen(2)) })
		s.Stays("the Job is not Complete", func(g Gomega) {
			g.Expect(job.Is(batchv1.JobComplete)).To(BeFalse())
			g.Expect(s.Pods()).To(HaveEach(HaveField("Finalizers", ContainElement(batchv1.JobTrackingFinalizer))))
		})
		denial.lift()
		s.SoonAfter(framework.MaxAPIBackoff, "the pods are released", func(g Gomega) {
			g.Expect(s.Pods()).To(HaveEach(HaveField("Finalizers", BeEmpty())))
		})
		job.CompletesWith(2, Counters{Succeeded: 2})
	})
})

// deleting returns a request that deletes an object, as a dry run.
func deleting(s *framework.Sandbox, object client.Object) request {
	return func(ctx context.Context) error {
		return s.Client.Delete(ctx, object.DeepCopyObject().(client.Object), client.DryRunAll)
	}
}

// releasing returns a request that removes the finalizers of a pod, as a dry run.
func releasing(s *framework.Sandbox, pod framework.Pod) request {
	return func(ctx context.Context) error {
		next := pod.DeepCopy()
		next.Finalizers = nil
		return s.Client.Patch(ctx, next, client.MergeFrom(&pod.Pod), client.DryRunAll)
	}
}

var _ = Describe("Job admission, terminating namespace:", behaviour.Admission, func() {

	// Wrong: keeps its finalizer on pods whose Job was deleted first; or keeps creating
	// Jobs and pods, which is rejected, and never syncs those that are left.
	It("the controller releases pods, whatever the order of deletions", covers.Requirements(JobsLetTheNamespaceGo,
		CronJobsLetTheNamespaceGo), func(ctx SpecContext) {
		s := framework.New(ctx)
		// Upstream's controller counts a pod for a second as active that it could not
		// create in a terminating namespace. It depends on timing whether it tries.
		s.Except("job-counts-what-is-there")
		s.Create(puppet.Job("a").Parallelism(3))
		s.Create(puppet.Job("slow").Puppet(map[string]string{puppet.Terminate: puppet.Hold}))
		s.Due(puppet.CronJob("c", puppet.Job("")), framework.Ago(3*time.Minute))
		s.Soon("all pods run", func(g Gomega) { g.Expect(s.InPhase(corev1.PodRunning)).To(HaveLen(5)) })

		s.DeleteNamespace()
		var left framework.Pods
		// Whether Jobs still exist then depends on the version.
		s.Soon("the slow pod is the only one left, and is being deleted", func(g Gomega) {
			left = s.Pods()
			g.Expect(left).To(ConsistOf(And(
				HaveField("OwnerReferences", ContainElement(HaveField("Name", "slow"))),
				HaveField("DeletionTimestamp", Not(BeNil())))))
		})
		left[0].Direct(map[string]string{puppet.Terminate: "143"})
		s.Soon("there are no pods", func(g Gomega) { g.Expect(s.Pods()).To(BeEmpty()) })
		s.NamespaceGoes()
	})
})
