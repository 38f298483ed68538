package cronjob

import (
	"context"
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("owner", Label("area:cronjob", "behaviour:ownership"), func() {

	// The Job looks as if the CronJob had started it. The garbage collector deletes
	// it, as its owner does not exist; a finalizer keeps it. Wrong: goes by the name
	// in the reference, and waits for the Job.
	It("of a Job is a CronJob's UID, not its name", Covers(KnowsCronJobByUID), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, tick := ago(40*time.Minute), ago(30*time.Minute)
		stranger := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "5a1f4b0c-0000-4000-8000-000000000000"}}
		foreign := framework.Create(ctx, s, owned(untouched(fmt.Sprintf("a-%d", first.Unix()/60)), stranger).With(func(j *batchv1.Job) {
			j.Finalizers = []string{hold}
			metav1.SetMetaDataAnnotation(&j.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation, first.Format(time.RFC3339))
		}).Obj())
		DeferCleanup(func(ctx context.Context) {
			patch := []byte(`{"metadata":{"finalizers":null}}`)
			err := s.Client.Patch(ctx, foreign.DeepCopy(), client.RawPatch(types.MergePatchType, patch))
			Expect(client.IgnoreNotFound(err)).To(Succeed())
		})
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent), tick)

		startsFor(s, cronJob, tick)
		s.Stays("only the CronJob's own Job is active", func(g Gomega) {
			g.Expect(active(s, cronJob)).To(Equal(ticks(tick)))
			g.Expect(s.CronJob("a").Status.Active).To(HaveLen(1))
			g.Expect(s.Job(foreign.Name).Status).To(BeZero())
		})
	})

	// The garbage collector goes by the references that the controller has set.
	It("takes its Jobs and their pods with it", Covers(JobsGoWithCronJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := ago(30*time.Minute), ago(20*time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("")), first)
		complete := startsFor(s, cronJob, first)
		end(ctx, s, complete, 0)
		s.Soon("the first Job has ended", func(g Gomega) { g.Expect(active(s, cronJob)).To(BeEmpty()) })
		moveOn(ctx, s, cronJob, second)
		runs(s, startsFor(s, cronJob, second))

		s.Delete(ctx, cronJob)
		s.Soon("nothing is left", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})

	// Wrong: finds Jobs by the CronJob's name, or by how theirs begin.
	It("can leave its Jobs behind, which are not those of the next one of its name", Covers(OrphanedJobsRun, NotTheEarlierCronJobsJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := ago(30*time.Minute), ago(20*time.Minute)
		forbid := func() *puppet.CronJobBuilder {
			return puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent).SuccessfulJobsHistoryLimit(0)
		}
		old := due(ctx, s, forbid(), first)
		job := startsFor(s, old, first)
		pod := runs(s, job)
		Expect(s.Client.Delete(ctx, old, client.PropagationPolicy(metav1.DeletePropagationOrphan))).To(Succeed())
		s.Soon("the CronJob is gone, and its Job without an owner", func(g Gomega) {
			g.Expect(s.History().CronJobs("a")).To(ContainElement(HaveField("Type", BeEquivalentTo("DELETED"))))
			g.Expect(s.Job(job.Name).OwnerReferences).To(BeEmpty())
		})

		again := due(ctx, s, forbid(), second)
		startsFor(s, again, second)
		Expect(active(s, again)).To(Equal(ticks(second)))
		end(ctx, s, job, 0)
		s.Soon("the Job that was left is Complete", func(g Gomega) {
			g.Expect(framework.Is(s.Job(job.Name), batchv1.JobComplete)).To(BeTrue())
		})
		s.Stays("nobody deletes it or takes it for its success", func(g Gomega) {
			g.Expect(s.Job(job.Name)).To(And(HaveField("OwnerReferences", BeEmpty()), HaveField("DeletionTimestamp", BeNil())))
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeNil())
			g.Expect(s.InPhase(corev1.PodSucceeded)).To(ConsistOf(HaveField("UID", pod.UID)))
		})
	})
})
