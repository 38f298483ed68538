package cronjob

import (
	"context"
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("CronJob ownership:", Label("area:cronjob", "behaviour:ownership"), func() {

	// The Job looks as if the CronJob had started it. The garbage collector deletes
	// it, because its owner does not exist; a finalizer keeps it. Wrong: goes by the
	// name in the owner reference, and waits for the Job.
	It("the controller identifies a Job's owner by UID, not by name", Covers(KnowsCronJobByUID), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, tick := Ago(40*time.Minute), Ago(30*time.Minute)
		deleted := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "5a1f4b0c-0000-4000-8000-000000000000"}}
		foreign := framework.Create(ctx, s, owned(unmanaged(fmt.Sprintf("a-%d", first.Unix()/60)), deleted).With(func(j *batchv1.Job) {
			j.Finalizers = []string{finalizer}
			metav1.SetMetaDataAnnotation(&j.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation, first.Format(time.RFC3339))
		}).Obj())
		DeferCleanup(func(ctx context.Context) {
			patch := []byte(`{"metadata":{"finalizers":null}}`)
			err := s.Client.Patch(ctx, foreign.DeepCopy(), client.RawPatch(types.MergePatchType, patch))
			Expect(client.IgnoreNotFound(err)).To(Succeed())
		})
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent), tick)

		Starts(s, cronJob, tick)
		s.Stays("only the CronJob's own Job is active", func(g Gomega) {
			g.Expect(Active(s, cronJob)).To(Equal(Times(tick)))
			g.Expect(s.CronJob("a").Status.Active).To(HaveLen(1))
			g.Expect(s.Job(foreign.Name).Status).To(BeZero())
		})
	})

	// The garbage collector needs the owner references that the controller sets.
	It("Jobs and pods are deleted after their CronJob", Covers(JobsGoWithCronJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := Ago(30*time.Minute), Ago(20*time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), first)
		complete := Starts(s, cronJob, first)
		finish(ctx, s, complete, 0)
		s.Soon("no Job is active", func(g Gomega) { g.Expect(Active(s, cronJob)).To(BeEmpty()) })
		NextDue(ctx, s, cronJob, second)
		runningPod(s, Starts(s, cronJob, second))

		s.Delete(ctx, cronJob)
		s.Soon("there are no Jobs and no pods", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})

	// Wrong: finds Jobs by the CronJob's name, or by the beginning of theirs.
	It("the controller does not adopt orphaned Jobs of an earlier CronJob of the same name", Covers(OrphanedJobsRun, NotTheEarlierCronJobsJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := Ago(30*time.Minute), Ago(20*time.Minute)
		forbid := func() *puppet.CronJobBuilder {
			return puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent).SuccessfulJobsHistoryLimit(0)
		}
		old := Due(ctx, s, forbid(), first)
		job := Starts(s, old, first)
		pod := runningPod(s, job)
		Expect(s.Client.Delete(ctx, old, client.PropagationPolicy(metav1.DeletePropagationOrphan))).To(Succeed())
		s.Soon("the CronJob is gone, and its Job has no owner", func(g Gomega) {
			g.Expect(s.History().CronJobs("a")).To(ContainElement(HaveField("Type", BeEquivalentTo("DELETED"))))
			g.Expect(s.Job(job.Name).OwnerReferences).To(BeEmpty())
		})

		again := Due(ctx, s, forbid(), second)
		Starts(s, again, second)
		Expect(Active(s, again)).To(Equal(Times(second)))
		finish(ctx, s, job, 0)
		s.Soon("the orphaned Job is Complete", func(g Gomega) {
			g.Expect(framework.Is(s.Job(job.Name), batchv1.JobComplete)).To(BeTrue())
		})
		s.Stays("the orphaned Job exists, and its success is not recorded", func(g Gomega) {
			g.Expect(s.Job(job.Name)).To(And(HaveField("OwnerReferences", BeEmpty()), HaveField("DeletionTimestamp", BeNil())))
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeNil())
			g.Expect(s.InPhase(corev1.PodSucceeded)).To(ConsistOf(HaveField("UID", pod.UID)))
		})
	})
})
