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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("Finished Job:", Label("area:job", "behaviour:ownership"), func() {
	// Wrong: replaces the pods, keeps their finalizers, or does not set blockOwnerDeletion,
	// by which the garbage collector waits for them.
	It("a Job that is deleted in the foreground is gone after its pods", Covers(
		ForegroundDeletion, NoPodsWhileBeingDeleted, PodsGoWithJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(4).Puppet(terminateLater).Obj())

		pods := Running(s, "a", 2)
		Expect(s.Client.Delete(ctx, job, client.PropagationPolicy(metav1.DeletePropagationForeground))).To(Succeed())
		s.Soon("Job and pods are being deleted", func(g Gomega) {
			g.Expect(s.Job("a").DeletionTimestamp).NotTo(BeNil())
			g.Expect(s.Pods()).To(And(HaveLen(2), HaveEach(HaveField("DeletionTimestamp", Not(BeNil())))))
		})
		s.Stays("the Job exists, and has no other pods", func(g Gomega) {
			g.Expect(s.Jobs()).To(HaveLen(1))
			g.Expect(s.Created()).To(HaveLen(2))
		})
		release(ctx, s, "143", pods...)
		s.Soon("Job and pods are gone", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
		Expect(s.Created()).To(HaveLen(2))
	})

	// Wrong: deletes finished Jobs or their pods.
	It("a finished Job is deleted only after its ttlSecondsAfterFinished", Covers(
		KeepsFinishedJob, TTLAfterFailure), func(ctx SpecContext) {
		s := framework.New(ctx)
		ending := func(name string, exitCode string, ttl *int32) *batchv1.Job {
			return puppet.Job(name).BackoffLimit(0).ExitCodes(exitCode).
				With(func(j *batchv1.Job) { j.Spec.TTLSecondsAfterFinished = ttl }).Obj()
		}
		framework.Create(ctx, s, ending("complete", "0", nil))
		framework.Create(ctx, s, ending("complete-long", "0", ptr.To[int32](3600)))
		framework.Create(ctx, s, ending("failed", "1", nil))
		framework.Create(ctx, s, ending("failed-long", "1", ptr.To[int32](3600)))
		short := framework.Create(ctx, s, ending("failed-short", "1", ptr.To[int32](1)))

		s.Soon("four Jobs have finished, and the fifth is gone", func(g Gomega) {
			g.Expect(TrueConditions(s.Job("complete"))).To(HaveKey(batchv1.JobComplete))
			g.Expect(TrueConditions(s.Job("complete-long"))).To(HaveKey(batchv1.JobComplete))
			g.Expect(TrueConditions(s.Job("failed"))).To(HaveKey(batchv1.JobFailed))
			g.Expect(TrueConditions(s.Job("failed-long"))).To(HaveKey(batchv1.JobFailed))
			g.Expect(s.Jobs()).To(HaveLen(4))
			g.Expect(PodsOf(s, short)).To(BeEmpty())
		})
		Expect(TrueConditions(lastOf(s, "failed-short"))).To(HaveKey(batchv1.JobFailed))
		s.Stays("four Jobs and their pods exist", func(g Gomega) {
			g.Expect(s.Jobs()).To(And(HaveLen(4), HaveEach(HaveField("DeletionTimestamp", BeNil()))))
			g.Expect(s.Pods()).To(HaveLen(4))
		})
	})

	It("the controller emits events for created and deleted pods and for the end of a Job", Label("level:should"), Covers(
		EventsForPods, EventForEnd), func(ctx SpecContext) {
		s := framework.New(ctx)
		good := framework.Create(ctx, s, puppet.Job("good").Parallelism(2).Completions(2).Obj())
		bad := framework.Create(ctx, s, puppet.Job("bad").BackoffLimit(0).ExitCodes("1").Obj())

		s.Soon("there are events for created pods", func(g Gomega) {
			g.Expect(eventsOf(s, good, "SuccessfulCreate")).NotTo(BeEmpty())
			g.Expect(eventsOf(s, bad, "SuccessfulCreate")).NotTo(BeEmpty())
		})
		SetParallelism(ctx, s, "good", 1)
		s.Soon("there is an event for the deleted pod", func(g Gomega) {
			g.Expect(eventsOf(s, good, "SuccessfulDelete")).NotTo(BeEmpty())
		})
		s.Soon("one pod remains", func(g Gomega) {
			g.Expect(PodsOf(s, good)).To(HaveLen(1))
			g.Expect(CountersOf(s.Job("good"))).To(Equal(Counters{Active: 1, Ready: 1}))
		})
		s.End(ctx, 0, PodsOf(s, good)...)
		Counts(s, "good", "the next pod runs", Counters{Active: 1, Ready: 1, Succeeded: 1})
		s.End(ctx, 0, PodsOf(s, good)...)
		s.Soon("there are events for the end of both Jobs", func(g Gomega) {
			g.Expect(eventsOf(s, good, "Completed")).To(ContainElement(HaveField("Type", "Normal")))
			g.Expect(eventsOf(s, bad, batchv1.JobReasonBackoffLimitExceeded)).To(ContainElement(HaveField("Type", "Warning")))
		})
	})
})
