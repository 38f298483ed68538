// Package status has the specs of controllers that write only the status of Jobs whose pods run in another cluster.
// Importing it registers them with Ginkgo.
//
// The specs see nothing of that cluster: the pod template instructs the pods, and the status of the Job judges.
package status

import (
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/status/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	gomegatypes "github.com/onsi/gomega/types"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// reports waits until a field of the status of a Job is as expected.
func reports(s *framework.Sandbox, job *framework.Job, field string, of func(batchv1.JobStatus) any,
	want gomegatypes.GomegaMatcher) {
	GinkgoHelper()
	s.Soon("status."+field+" of Job "+job.Name+" is as in the other cluster", func(g Gomega) {
		g.Expect(of(job.Now().Status)).To(want, "status."+field)
	})
}

func active(status batchv1.JobStatus) any    { return status.Active }
func succeeded(status batchv1.JobStatus) any { return status.Succeeded }

// many pods that succeed one after the other take longer than any spec.
const many = 1000

// runs waits until the status of a Job counts so many active pods.
func runs(s *framework.Sandbox, job *framework.Job, n int32) {
	GinkgoHelper()
	reports(s, job, "active", active, Equal(n))
}

// unready has pods run without being ready.
var unready = map[string]string{puppet.Ready: "false"}

// held has pods terminate for as long as the spec runs.
var held = map[string]string{puppet.Terminate: puppet.Hold}

var _ = Describe("Job status from another cluster, pods:", behaviour.Status, func() {

	// Wrong: counts pods that are ready only.
	It("the Job counts its active pods", covers.Requirements(CountsActive), func(ctx SpecContext) {
		s := framework.New(ctx)
		runs(s, s.Create(puppet.Job("a").Parallelism(2).Completions(2).Puppet(unready)), 2)
	})

	// Wrong: drops the field.
	It("the Job counts its ready pods", covers.Requirements(CountsReady), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		reports(s, job, "ready", func(status batchv1.JobStatus) any { return status.Ready },
			HaveValue(BeEquivalentTo(2)))
	})

	// Wrong: drops the field.
	It("the Job counts its terminating pods", covers.Requirements(CountsTerminating), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).ActiveDeadlineSeconds(1).Puppet(held))
		reports(s, job, "terminating", func(status batchv1.JobStatus) any { return status.Terminating },
			HaveValue(BeEquivalentTo(2)))
	})

	// Wrong: counts nothing before the Job has ended.
	It("the Job counts pods that have succeeded", covers.Requirements(CountsSucceeded), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(1).Completions(many).ExitCodes("0"))
		reports(s, job, "succeeded", succeeded, BeNumerically(">=", 1))
	})

	// Wrong: counts nothing before the Job has ended.
	It("the Job counts pods that have failed", covers.Requirements(CountsFailed), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(1).BackoffLimit(6).ExitCodes("1"))
		reports(s, job, "failed", func(status batchv1.JobStatus) any { return status.Failed },
			BeNumerically(">=", 1))
	})

	// Wrong: drops the field.
	It("the Job has the indexes that have succeeded", covers.Requirements(HasCompletedIndexes),
		func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a").Indexed().Parallelism(1).Completions(3).ExitCodes("0"))
			reports(s, job, "completedIndexes", func(status batchv1.JobStatus) any { return status.CompletedIndexes },
				HavePrefix("0"))
		})

	// Wrong: drops the field.
	It("the Job has the indexes that have failed", covers.Requirements(HasFailedIndexes), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Indexed().Parallelism(1).Completions(3).BackoffLimitPerIndex(0).ExitCodes("1"))
		reports(s, job, "failedIndexes", func(status batchv1.JobStatus) any { return status.FailedIndexes },
			HaveValue(HavePrefix("0")))
	})

	// Wrong: sets it when the Job ends.
	It("the Job has a startTime while its pods run", covers.Requirements(StartsWithItsPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(1))
		runs(s, job, 1)
		reports(s, job, "startTime", func(status batchv1.JobStatus) any { return status.StartTime }, Not(BeNil()))
		Expect(job.Now().Status.StartTime.Before(ptr.To(job.Made().CreationTimestamp))).To(BeFalse(),
			"status.startTime is before the Job was created")
	})
})

var _ = Describe("Job status from another cluster, end:", behaviour.Status, func() {

	// Wrong: writes Complete without SuccessCriteriaMet, which the API server refuses again and again.
	It("the Job becomes Complete", covers.Requirements(EndsComplete), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).ExitCodes("0"))
		job.Becomes(batchv1.JobComplete)
		Expect(job.Conditions()).To(HaveKey(batchv1.JobSuccessCriteriaMet))
	})

	// Wrong: writes Failed without FailureTarget, which the API server refuses again and again.
	It("the Job becomes Failed", covers.Requirements(EndsFailed), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).ExitCodes("1"))
		job.Becomes(batchv1.JobFailed)
		Expect(job.Conditions()).To(HaveKey(batchv1.JobFailureTarget))
	})

	// Wrong: copies FailureTarget with Failed only, or makes it Failed.
	It("the Job that fails is not Failed before its pods have ended", covers.Requirements(EndsWithItsPods),
		covers.Uses(contract.PodReplacementPolicy), func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).ActiveDeadlineSeconds(1).Puppet(held))
			job.Becomes(batchv1.JobFailureTarget)
			s.Stays("the Job is not Failed yet", func(g Gomega) {
				g.Expect(job.Conditions()).NotTo(HaveKey(batchv1.JobFailed))
			})
		})

	// Wrong: makes conditions of its own.
	It("the Job has the reason of its failure", covers.Requirements(EndsWithReason), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").BackoffLimit(0).ExitCodes("1"))
		failed := func() *batchv1.JobCondition { return kinds.Condition(job.Now(), batchv1.JobFailed) }
		if !s.Happens("Job a is Failed", func(g Gomega) { g.Expect(failed()).NotTo(BeNil()) }) {
			Skip("not verified: the Job does not become Failed")
		}
		Expect(failed().Reason).To(Equal(batchv1.JobReasonBackoffLimitExceeded), "the reason of Failed")
	})
})

// hasSuspended waits until the condition Suspended of a Job has a status.
func hasSuspended(s *framework.Sandbox, job *framework.Job, status corev1.ConditionStatus) {
	GinkgoHelper()
	s.Soon("the condition Suspended of Job "+job.Name+" is "+string(status), func(g Gomega) {
		g.Expect(kinds.Condition(job.Now(), batchv1.JobSuspended)).To(HaveValue(HaveField("Status", status)),
			"condition Suspended")
	})
}

var _ = Describe("Job status from another cluster, changes:", behaviour.Status, func() {

	// Wrong: passes on what a new Job has only.
	It("the Job that is suspended has no active pods", covers.Requirements(SuspendsThere), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		runs(s, job, 2)
		job.Suspend()
		runs(s, job, 0)
	})

	// Wrong: copies conditions about the end of a Job only.
	It("the Job has the condition Suspended", covers.Requirements(IsSuspended), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).Suspend())
		hasSuspended(s, job, corev1.ConditionTrue)
		job.Resume()
		hasSuspended(s, job, corev1.ConditionFalse)
	})

	// Wrong: suspends for good.
	It("the Job that is resumed has active pods", covers.Requirements(ResumesThere), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).Suspend())
		job.Resume()
		runs(s, job, 2)
	})

	// Wrong: writes the time of its own write.
	It("the condition keeps its lastTransitionTime", covers.Requirements(KeepsTransitionTimes),
		covers.Uses(contract.Suspend), func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a").Parallelism(1).Completions(many).ExitCodes("0").Suspend())
			suspended := func() *batchv1.JobCondition { return kinds.Condition(job.Now(), batchv1.JobSuspended) }
			becomes := func(status corev1.ConditionStatus) {
				if !s.Happens("the condition Suspended of Job a is "+string(status), func(g Gomega) {
					g.Expect(suspended()).To(HaveValue(HaveField("Status", status)))
				}) {
					Skip("not verified: the Job has no condition while it runs")
				}
			}
			becomes(corev1.ConditionTrue)
			job.Resume()
			becomes(corev1.ConditionFalse)
			since := suspended().LastTransitionTime
			s.Soon("the status of Job a is written again, in another second", func(g Gomega) { // pods end each second
				g.Expect(s.History().Jobs("a")).To(ContainElement(HaveField("At",
					BeTemporally(">", since.Add(2*time.Second)))))
			})
			Expect(suspended()).To(HaveValue(HaveField("LastTransitionTime", since)))
		})

	// Wrong: passes on what a new Job has only.
	It("the Job has more active pods when parallelism is raised", covers.Requirements(PassesParallelism),
		func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a").Parallelism(1).Completions(3))
			runs(s, job, 1)
			job.SetParallelism(3)
			runs(s, job, 3)
		})

	// Wrong: passes parallelism on only.
	It("the Indexed Job has more active pods when completions are raised", covers.Requirements(PassesCompletions),
		func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a").Indexed().Parallelism(1).Completions(1))
			runs(s, job, 1)
			job.Change(func(j *batchv1.Job) {
				j.Spec.Parallelism, j.Spec.Completions = ptr.To[int32](3), ptr.To[int32](3)
			})
			runs(s, job, 3)
		})

	// Wrong: knows a Job in the other cluster by its name.
	It("the Job that is created again counts its own pods", covers.Requirements(IsNotItsPredecessor),
		func(ctx SpecContext) {
			s := framework.New(ctx)
			first := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
			runs(s, first, 2)
			Expect(s.Client.Delete(ctx, first.Made(), client.PropagationPolicy(metav1.DeletePropagationBackground))).
				To(Succeed())
			second := s.Create(puppet.Job("a").Parallelism(3).Completions(3)) // which no change makes of the first
			runs(s, second, 3)
			Expect(second.Now().UID).To(Equal(second.UID))
		})
})
