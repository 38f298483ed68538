package scheduling

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/scheduling/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The quotas that count scheduling objects.
const (
	allWorkloads corev1.ResourceName = "count/workloads.scheduling.k8s.io"
	allPodGroups corev1.ResourceName = "count/podgroups.scheduling.k8s.io"
)

// noWorkloads creates a quota without room for Workloads.
func noWorkloads(s *framework.Sandbox) *corev1.ResourceQuota {
	GinkgoHelper()
	s.Except(invariants.JobsRun)
	return s.Refuse(&schedulingv1beta1.Workload{
		ObjectMeta: metav1.ObjectMeta{Name: "example"},
		Spec: schedulingv1beta1.WorkloadSpec{PodGroupTemplates: []schedulingv1beta1.PodGroupTemplate{{Name: "a",
			SchedulingPolicy: schedulingv1beta1.PodGroupSchedulingPolicy{
				Basic: &schedulingv1beta1.BasicSchedulingPolicy{}}}}},
	}, allWorkloads)
}

// noPodGroups creates a quota without room for PodGroups.
func noPodGroups(s *framework.Sandbox) *corev1.ResourceQuota {
	GinkgoHelper()
	s.Except(invariants.JobsRun)
	return s.Refuse(&schedulingv1beta1.PodGroup{
		ObjectMeta: metav1.ObjectMeta{Name: "example"},
		Spec: schedulingv1beta1.PodGroupSpec{SchedulingPolicy: schedulingv1beta1.PodGroupSchedulingPolicy{
			Basic: &schedulingv1beta1.BasicSchedulingPolicy{}}},
	}, allPodGroups)
}

var _ = Describe("Job scheduling, refusals:", behaviour.Scheduling, func() {
	// Wrong: creates pods without a group. Wrong: gives up.
	DescribeTable("the pods wait while a quota has no room for", func(ctx SpecContext,
		refuse func(*framework.Sandbox) *corev1.ResourceQuota) {
		s := framework.New(ctx)
		quota := refuse(s)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2))
		s.Stays("the Job has no pods", func(g Gomega) { g.Expect(s.Created()).To(BeEmpty()) })
		s.Delete(quota)
		s.SoonAfter(framework.MaxAPIBackoff, "the Job has its pods", func(g Gomega) {
			g.Expect(s.Active()).To(HaveLen(2))
		})
		_, group := groups(s, job)
		Expect(job.Created()).To(HaveEach(joins(group)))
	},
		Entry("Workloads", covers.Requirements(WaitsForWorkload), framework.Needs(spec.ResourceQuotas), noWorkloads),
		Entry("PodGroups", covers.Requirements(WaitsForPodGroup), framework.Needs(spec.ResourceQuotas), noPodGroups),
	)

	It("an event shows that the Workload was refused", covers.Requirements(
		WarnsOfRefusal), framework.Needs(spec.ResourceQuotas), func(ctx SpecContext) {
		s := framework.New(ctx)
		noWorkloads(s)
		job := s.Create(puppet.Job("a"))
		s.SoonEmitted("the controller has emitted a Warning FailedWorkloadCreate", func(g Gomega) {
			g.Expect(s.Events()).To(ContainElement(And(HaveField("InvolvedObject.UID", job.UID),
				HaveField("Type", corev1.EventTypeWarning), HaveField("Reason", "FailedWorkloadCreate"))))
		})
	})

	// Wrong: does nothing about a Job until it has both objects.
	DescribeTable("a Job fails at its deadline while it is refused", func(ctx SpecContext,
		refuse func(*framework.Sandbox) *corev1.ResourceQuota) {
		s := framework.New(ctx)
		refuse(s)
		job := s.Create(puppet.Job("a").ActiveDeadlineSeconds(1))
		job.Fails(batchv1.JobReasonDeadlineExceeded, Counters{})
	},
		Entry("its Workload", covers.Requirements(EndsUngrouped), covers.Shows(upstream.NothingWithoutWorkload),
			framework.Needs(spec.ResourceQuotas), noWorkloads),
		Entry("its PodGroup", covers.Requirements(EndsUngrouped), covers.Shows(upstream.NothingWithoutWorkload),
			framework.Needs(spec.ResourceQuotas), noPodGroups),
	)

	// Wrong: does nothing about a Job until it has both objects.
	DescribeTable("a Job can be suspended while it is refused", covers.Uses(contract.Suspend), func(ctx SpecContext,
		refuse func(*framework.Sandbox) *corev1.ResourceQuota) {
		s := framework.New(ctx)
		refuse(s)
		job := s.Create(puppet.Job("a"))
		job.Suspend()
		job.IsSuspended(Counters{})
	},
		Entry("its Workload", covers.Requirements(SuspendsUngrouped), covers.Shows(upstream.NothingWithoutWorkload),
			framework.Needs(spec.ResourceQuotas), noWorkloads),
		Entry("its PodGroup", covers.Requirements(SuspendsUngrouped), covers.Shows(upstream.NothingWithoutWorkload),
			framework.Needs(spec.ResourceQuotas), noPodGroups),
	)
})
