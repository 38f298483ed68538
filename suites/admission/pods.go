package admission

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

var _ = Describe("Job admission, rejected pods:", Label("area:job", "behaviour:admission"), func() {

	// Wrong: counts rejected pods as failed, so that the Job fails at once; or counts
	// pods as active that it could not create.
	DescribeTable("the Job waits, then completes, after rejections by", func(ctx SpecContext, build build) {
		s := framework.New(ctx)
		job := puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0).Obj()
		denial := build(ctx, s, template(job))
		made := framework.Create(ctx, s, job)

		warned(s, made.UID, "FailedCreate")
		waits(s, "a")
		denial.lift(ctx)
		s.End(ctx, 0, Running(s, "a", 2)...)
		Completes(s, "a", Counters{Succeeded: 2})
		Expect(s.Created()).To(HaveLen(2))
	},
		Entry("a quota", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterQuota), build(noRoom)),
		Entry("a policy", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterPolicy), build(policy)),
		Entry("a webhook without a server", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterWebhook), build(unserved)),
		Entry("a LimitRange", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterLimitRange), build(limits)),
		Entry("Pod Security", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterPodSecurity), build(restricted)),
		Entry("a missing PriorityClass", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterPriorityClass), build(noClass)),
	)

	// Wrong: creates no pod unless the quota has room for all.
	It("the controller creates as many pods as a quota has room for", Covers(UsesPartOfAQuota), func(ctx SpecContext) {
		s := framework.New(ctx)
		fullOfPods(ctx, s).set(ctx, "2")
		made := framework.Create(ctx, s, puppet.Job("a").Parallelism(4).Completions(3).Obj())
		warned(s, made.UID, "FailedCreate")

		pods := Running(s, "a", 2)
		s.Stays("two pods are counted", func(g Gomega) {
			g.Expect(CountersOf(s.Job("a"))).To(Equal(Counters{Active: 2, Ready: 2}))
		})
		s.End(ctx, 0, pods[0])
		Counts(s, "a", "the pod that succeeded is replaced", Counters{Active: 2, Ready: 2, Succeeded: 1})
		s.End(ctx, 0, s.Active()...)
		Completes(s, "a", Counters{Succeeded: 3})
	})

	// Wrong: sends a request for each missing pod at each sync.
	It("the controller sends no burst of requests", Covers(SlowStart), framework.LocalAPIServer("a webhook in this process counts requests"), func(ctx SpecContext) {
		s := framework.New(ctx)
		c := count(ctx, s, pods.rule(admissionregistrationv1.Create), creating(s, examplePod()))
		const many = 100
		framework.Create(ctx, s, puppet.Job("a").Parallelism(many).Completions(many).Obj())
		waits(s, "a")
		c.expectAttempts(many - 1)
	})

	// Wrong: tries again at once, for ever.
	It("the controller backs off between requests", Covers(BacksOffWhilePodsAreRefused), framework.LocalAPIServer("a webhook in this process counts requests"), func(ctx SpecContext) {
		s := framework.New(ctx)
		c := count(ctx, s, pods.rule(admissionregistrationv1.Create), creating(s, examplePod()))
		framework.Create(ctx, s, puppet.Job("a").Obj())
		waits(s, "a")
		c.expectAttempts(maxAttempts)
		c.lift(ctx)
		s.End(ctx, 0, Running(s, "a", 1)...)
		Completes(s, "a", Counters{Succeeded: 1})
	})

	// Wrong: checks the deadline only after it has created its pods.
	It("the Job fails after its activeDeadlineSeconds", Covers(DeadlineWhilePodsAreRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		denyPods(ctx, s)
		framework.Create(ctx, s, puppet.Job("a").ActiveDeadlineSeconds(1).Obj())
		s.SoonAfter(time.Second, "the Job is Failed", func(g Gomega) {
			g.Expect(framework.Condition(s.Job("a"), batchv1.JobFailed)).To(HaveValue(And(
				HaveField("Status", corev1.ConditionTrue), HaveField("Reason", batchv1.JobReasonDeadlineExceeded))))
		})
		Expect(CountersOf(s.Job("a"))).To(Equal(Counters{}))
	})

	It("the controller creates no pods of a Job suspended in the meantime", Covers(SuspendedWhilePodsAreRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		denial := denyPods(ctx, s)
		made := framework.Create(ctx, s, puppet.Job("a").Obj())
		warned(s, made.UID, "FailedCreate")
		framework.Change(ctx, s, s.Job("a"), func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true) })
		s.Soon("the Job is Suspended", func(g Gomega) { g.Expect(framework.Is(s.Job("a"), batchv1.JobSuspended)).To(BeTrue()) })
		denial.lift(ctx)
		s.Stays("there are no pods", func(g Gomega) { g.Expect(s.Created()).To(BeEmpty()) })
	})

	// Wrong: goes on with what it remembers of the Job.
	It("the controller creates no pods of a Job deleted in the meantime", Covers(DeletedWhilePodsAreRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		denial := denyPods(ctx, s)
		made := framework.Create(ctx, s, puppet.Job("a").Obj())
		warned(s, made.UID, "FailedCreate")
		s.Delete(ctx, made)
		s.Soon("the Job is gone", func(g Gomega) { g.Expect(s.Jobs()).To(BeEmpty()) })
		denial.lift(ctx)
		s.Stays("there are no pods", func(g Gomega) { g.Expect(s.Created()).To(BeEmpty()) })
	})

	// Wrong: takes an index for used, whether its pod exists or not.
	It("the controller creates the pod of a rejected index later, and no index twice", Covers(RefusedIndexComesLater), func(ctx SpecContext) {
		s := framework.New(ctx)
		const index = "'batch.kubernetes.io/job-completion-index'"
		last := examplePod()
		last.Annotations = map[string]string{batchv1.JobCompletionIndexAnnotation: "2"}
		denial := deny(ctx, s, pods.rule(admissionregistrationv1.Create),
			"has(object.metadata.annotations) && "+index+" in object.metadata.annotations && object.metadata.annotations["+index+"] == '2'",
			creating(s, last))
		made := framework.Create(ctx, s, indexed("a").Obj())
		Running(s, "a", 2)
		warned(s, made.UID, "FailedCreate")
		denial.lift(ctx)
		s.End(ctx, 0, Running(s, "a", 3)...)
		Completes(s, "a", Counters{Succeeded: 3})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-2"))
		Expect(s.Created()).To(HaveLen(3))
	})
})
