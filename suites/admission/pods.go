package admission

import (
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
)

var _ = Describe("a Job whose pods are refused", Label("area:job", "behaviour:admission"), func() {

	// Wrong: counts refused pods as failed, so that the Job is over at once; or
	// counts those as active that it only wanted.
	DescribeTable("waits, and goes on by itself when they no longer are, after", func(ctx SpecContext, build build) {
		s := framework.New(ctx)
		job := puppet.Job("a").Parallelism(2).Completions(2).BackoffLimit(0).Obj()
		wall := build(ctx, s, template(job))
		made := framework.Create(ctx, s, job)

		warned(s, made.UID, "FailedCreate")
		waits(s, "a")
		wall.lift(ctx)
		s.End(ctx, 0, running(s, "a", 2)...)
		completes(s, "a", counters{Succeeded: 2})
		Expect(s.Created()).To(HaveLen(2))
	},
		Entry("a quota", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterQuota), build(noRoom)),
		Entry("a policy", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterPolicy), build(policy)),
		Entry("a webhook that nobody serves", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterWebhook), build(unserved)),
		Entry("a LimitRange", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterLimitRange), build(limits)),
		Entry("a level of Pod Security", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterPodSecurity), build(restricted)),
		Entry("a PriorityClass that is not there yet", Covers(RefusedPodsCountForNothing, WarnsOfRefusedPods, CreatesPodsAfterPriorityClass), build(noClass)),
	)

	// Wrong: gives up the room that there is for the room that there is not.
	It("uses the room that a quota leaves, again and again", Covers(UsesPartOfAQuota), func(ctx SpecContext) {
		s := framework.New(ctx)
		fullOfPods(ctx, s).leave(ctx, "2")
		made := framework.Create(ctx, s, puppet.Job("a").Parallelism(4).Completions(3).Obj())
		warned(s, made.UID, "FailedCreate")

		pods := running(s, "a", 2)
		s.Stays("no more pods are counted than there are", func(g Gomega) {
			g.Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{Active: 2, Ready: 2}))
		})
		s.End(ctx, 0, pods[0])
		s.Soon("another pod has taken the room", func(g Gomega) {
			g.Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{Active: 2, Ready: 2, Succeeded: 1}))
		})
		s.End(ctx, 0, s.Active()...)
		completes(s, "a", counters{Succeeded: 3})
	})

	// Wrong: sends a request for each pod that is missing, each time it looks.
	It("is no burst of requests", Covers(SlowStart), framework.LocalAPIServer("a webhook in this process counts requests"), func(ctx SpecContext) {
		s := framework.New(ctx)
		c := count(ctx, s, pods.rule(admissionregistrationv1.Create), creating(s, examplePod()))
		const many = 100
		framework.Create(ctx, s, puppet.Job("a").Parallelism(many).Completions(many).Obj())
		waits(s, "a")
		attempts := c.attempts()
		Expect(len(attempts)).To(And(BeNumerically(">", 0), BeNumerically("<", many)), "attempts %v", since(attempts))
	})

	// Wrong: asks again at once, for ever.
	It("is no endless loop of requests", Covers(BacksOffWhilePodsAreRefused), framework.LocalAPIServer("a webhook in this process counts requests"), func(ctx SpecContext) {
		s := framework.New(ctx)
		c := count(ctx, s, pods.rule(admissionregistrationv1.Create), creating(s, examplePod()))
		framework.Create(ctx, s, puppet.Job("a").Obj())
		waits(s, "a")
		attempts := c.attempts()
		Expect(len(attempts)).To(And(BeNumerically(">", 0), BeNumerically("<=", loop)), "attempts %v", since(attempts))
		c.lift(ctx)
		s.End(ctx, 0, running(s, "a", 1)...)
		completes(s, "a", counters{Succeeded: 1})
	})

	// Wrong: looks at the deadline only after it has made its pods.
	It("fails when its deadline is over", Covers(DeadlineWhilePodsAreRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		refusePods(ctx, s)
		framework.Create(ctx, s, puppet.Job("a").ActiveDeadlineSeconds(1).Obj())
		s.SoonAfter(time.Second, "the Job has Failed", func(g Gomega) {
			g.Expect(framework.Condition(s.Job("a"), batchv1.JobFailed)).To(HaveValue(And(
				HaveField("Status", corev1.ConditionTrue), HaveField("Reason", batchv1.JobReasonDeadlineExceeded))))
		})
		Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{}))
	})

	It("makes none when it is suspended before they are allowed", Covers(SuspendedWhilePodsAreRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		wall := refusePods(ctx, s)
		made := framework.Create(ctx, s, puppet.Job("a").Obj())
		warned(s, made.UID, "FailedCreate")
		framework.Change(ctx, s, s.Job("a"), func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true) })
		s.Soon("the Job is Suspended", func(g Gomega) { g.Expect(framework.Is(s.Job("a"), batchv1.JobSuspended)).To(BeTrue()) })
		wall.lift(ctx)
		s.Stays("there are no pods", func(g Gomega) { g.Expect(s.Created()).To(BeEmpty()) })
	})

	// Wrong: goes on with what it remembers of the Job.
	It("makes none when it is deleted before they are allowed", Covers(DeletedWhilePodsAreRefused), func(ctx SpecContext) {
		s := framework.New(ctx)
		wall := refusePods(ctx, s)
		made := framework.Create(ctx, s, puppet.Job("a").Obj())
		warned(s, made.UID, "FailedCreate")
		s.Delete(ctx, made)
		s.Soon("the Job is gone", func(g Gomega) { g.Expect(s.Jobs()).To(BeEmpty()) })
		wall.lift(ctx)
		s.Stays("there are no pods", func(g Gomega) { g.Expect(s.Created()).To(BeEmpty()) })
	})

	// Wrong: takes an index for given out, whether there is a pod or not.
	It("makes the pod of an index that was refused, and no other twice", Covers(RefusedIndexComesLater), func(ctx SpecContext) {
		s := framework.New(ctx)
		const index = "'batch.kubernetes.io/job-completion-index'"
		last := examplePod()
		last.Annotations = map[string]string{batchv1.JobCompletionIndexAnnotation: "2"}
		wall := refuse(ctx, s, pods.rule(admissionregistrationv1.Create),
			"has(object.metadata.annotations) && "+index+" in object.metadata.annotations && object.metadata.annotations["+index+"] == '2'",
			creating(s, last))
		made := framework.Create(ctx, s, indexed("a").Obj())
		running(s, "a", 2)
		warned(s, made.UID, "FailedCreate")
		wall.lift(ctx)
		s.End(ctx, 0, running(s, "a", 3)...)
		completes(s, "a", counters{Succeeded: 3})
		Expect(s.Job("a").Status.CompletedIndexes).To(Equal("0-2"))
		Expect(s.Created()).To(HaveLen(3))
	})
})
