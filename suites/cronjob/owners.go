package cronjob

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// More about Jobs that are not finished is in jobs.go.
var _ = Describe("CronJob ownership:", behaviour.Ownership, unmanagedJobs, func() {
	// #133313, #120181. The garbage collector deletes the first of the Jobs, as its owner does not exist; a
	// finalizer keeps it. Wrong: goes by the name in the owner reference.
	DescribeTable("the controller takes no finished Job for its own whose owner has the CronJob's name and",
		func(ctx SpecContext, owner func(*framework.Sandbox) metav1.OwnerReference) {
			s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
			reference := owner(s)
			foreign := s.Create(unmanaged("foreign").With(func(j *batchv1.Job) {
				j.OwnerReferences, j.Finalizers = []metav1.OwnerReference{reference}, []string{finalizer}
			}))
			keptUntilTheEnd(s, foreign)
			setFinished(s, foreign, batchv1.JobComplete, framework.Ago(2*time.Hour))
			cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0), tick)
			due := s.Recorder.Position()
			cronJob.Starts(tick)
			s.StaysSince(due, "the success of the other Job is not recorded", func(g Gomega) {
				g.Expect(cronJob.Now().Status.LastSuccessfulTime).To(BeNil(), "status.lastSuccessfulTime")
			})
			if reference.Kind == "Job" { // which exists, so that nobody else deletes its Jobs
				Expect(foreign.Now().DeletionTimestamp).To(BeNil())
			}
		},
		Entry("another UID", covers.Requirements(KnowsCronJobByUID), covers.Shows(upstream.OwnedByName),
			func(*framework.Sandbox) metav1.OwnerReference {
				return *metav1.NewControllerRef(
					&metav1.ObjectMeta{Name: "a", UID: "5a1f4b0c-0000-4000-8000-000000000000"},
					batchv1.SchemeGroupVersion.WithKind("CronJob"))
			}),
		Entry("another kind", covers.Requirements(KnowsCronJobByUID, HistoryLeavesOthers),
			covers.Shows(upstream.OwnedByName),
			func(s *framework.Sandbox) metav1.OwnerReference {
				job := s.Create(unmanaged("a")).Made()
				return *metav1.NewControllerRef(job, batchv1.SchemeGroupVersion.WithKind("Job"))
			}),
	)

	// Wrong: takes any owner of a Job for its controller.
	It("the controller leaves a finished Job alone that has the CronJob as an owner and not as its controller",
		covers.Requirements(HistoryLeavesOthers), func(ctx SpecContext) {
			s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
			cronJob := idle(s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0))
			foreign := s.Create(owned(unmanaged("foreign"), cronJob).With(func(j *batchv1.Job) {
				j.OwnerReferences[0].Controller = nil
			}))
			setFinished(s, foreign, batchv1.JobComplete, framework.Ago(2*time.Hour))
			cronJob.NextDue(tick)
			cronJob.Starts(tick)
			s.Stays("the Job is not deleted", func(g Gomega) {
				g.Expect(foreign.Now().DeletionTimestamp).To(BeNil())
			})
		})

	// Wrong: looks at the first owner alone.
	It("the controller deletes a finished Job that it controls beside another owner", covers.Requirements(
		KnowsJobsByOwner), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := idle(s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0))
		other := metav1.NewControllerRef(s.Create(unmanaged("other")).Made(),
			batchv1.SchemeGroupVersion.WithKind("Job"))
		other.Controller = nil
		job := s.Create(owned(unmanaged("both"), cronJob).With(func(j *batchv1.Job) {
			j.OwnerReferences = append([]metav1.OwnerReference{*other}, j.OwnerReferences...)
		}))
		setFinished(s, job, batchv1.JobComplete, framework.Ago(2*time.Hour))
		cronJob.ActsOnJobs("the Job is deleted", func(g Gomega) {
			g.Expect(s.JobNames()).To(Equal([]string{"other"}))
		})
	})

	// The garbage collector deletes the Job, as there is no such CronJob in its namespace. Source: #134654, of
	// pods. Wrong: looks Jobs up by the UID of their owner in all namespaces.
	It("the controller does not wait for a Job of another namespace", covers.Requirements(
		NotFromOtherNamespaces), func(ctx SpecContext) {
		s := framework.New(ctx)
		other := s.Other()
		first, tick := framework.Ago(40*time.Minute), framework.Ago(30*time.Minute)
		cronJob := idle(s, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent))
		before := s.Recorder.Position()
		foreign := other.Create(owned(unmanaged(s.JobName("a", first)), cronJob).With(func(j *batchv1.Job) {
			j.Finalizers = []string{finalizer}
			metav1.SetMetaDataAnnotation(&j.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation,
				first.Format(time.RFC3339))
		}))
		keptUntilTheEnd(other, foreign)
		cronJob.NextDue(tick)
		cronJob.Starts(tick)
		s.StaysSince(before, "the other Job is not active", func(g Gomega) {
			g.Expect(cronJob.Now().Status.Active).NotTo(ContainElement(HaveField("UID", foreign.UID)), "status.active")
		})
	})
})

// keptUntilTheEnd removes the finalizer of a Job when the spec has ended.
func keptUntilTheEnd(s *framework.Sandbox, job *framework.Job) {
	s.Finally(func() {
		patch := []byte(`{"metadata":{"finalizers":null}}`)
		err := s.Client.Patch(s.Context(), job.Made().DeepCopy(), client.RawPatch(types.MergePatchType, patch))
		Expect(client.IgnoreNotFound(err)).To(Succeed())
	})
}
