// Package scheduling has the specs of Jobs that are scheduled as workloads: their Workloads, PodGroups and gangs
// (KEP-5547). They run where the feature gate WorkloadWithJob is on.
package scheduling

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	gomegatypes "github.com/onsi/gomega/types"
	batchv1 "k8s.io/api/batch/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// Counters of a Job's status.
type Counters = framework.Counters

// delegates is the annotation of a Job whose PodGroup is made from a template of its controller's Workload.
const delegates = "scheduling.k8s.io/group-template-name"

// gang has a Job scheduled as a gang; a minCount of 0 leaves that open.
func gang(job *puppet.JobBuilder, minCount int32) *puppet.JobBuilder {
	return job.With(func(j *batchv1.Job) {
		of := &schedulingv1alpha3.WorkloadPodGroupGangSchedulingPolicy{}
		if minCount > 0 {
			of.MinCount = ptr.To(minCount)
		}
		j.Spec.Scheduling = &batchv1.JobSchedulingConfiguration{
			SchedulingPolicy: &schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{Gang: of}}
	})
}

// setMinCount changes the size of a Job's gang.
func setMinCount(job *framework.Job, n int32) {
	GinkgoHelper()
	job.Change(func(j *batchv1.Job) { j.Spec.Scheduling.SchedulingPolicy.Gang.MinCount = ptr.To(n) })
}

// workloadsOf returns the Workloads that have an object as their controller.
func workloadsOf(s *framework.Sandbox, owner metav1.Object) (all []schedulingv1beta1.Workload) {
	for _, w := range s.Recorder.Workloads() {
		if metav1.IsControlledBy(&w, owner) {
			all = append(all, w)
		}
	}
	return all
}

// podGroupsOf returns the PodGroups that have an object as their controller.
func podGroupsOf(s *framework.Sandbox, owner metav1.Object) (all []schedulingv1beta1.PodGroup) {
	for _, g := range s.Recorder.PodGroups() {
		if metav1.IsControlledBy(&g, owner) {
			all = append(all, g)
		}
	}
	return all
}

// groups waits until a Job has a Workload and a PodGroup, and returns them.
func groups(s *framework.Sandbox, job *framework.Job) (schedulingv1beta1.Workload, schedulingv1beta1.PodGroup) {
	GinkgoHelper()
	s.Soon("the Job has a Workload and a PodGroup", func(g Gomega) {
		g.Expect(workloadsOf(s, job.Made())).To(HaveLen(1), "Workloads")
		g.Expect(podGroupsOf(s, job.Made())).To(HaveLen(1), "PodGroups")
	})
	return workloadsOf(s, job.Made())[0], podGroupsOf(s, job.Made())[0]
}

// getsPods waits until a Job has n pods, in whatever state they are, after requests that failed.
func getsPods(s *framework.Sandbox, job *framework.Job, n int) {
	GinkgoHelper()
	s.SoonAfter(framework.MaxAPIBackoff, "the Job has its pods", func(g Gomega) {
		g.Expect(job.Pods()).To(HaveLen(n))
	})
}

// created returns how many objects of a kind were ever created in the namespace.
func created(s *framework.Sandbox, kind string) (n int) {
	for _, r := range s.History().Revisions {
		if r.Kind() == kind && r.Created() {
			n++
		}
	}
	return n
}

// none expects that nobody ever created a Workload or PodGroup, but those that the spec has made.
func none(s *framework.Sandbox, own int) {
	GinkgoHelper()
	Expect(created(s, "Workload")+created(s, "PodGroup")).To(Equal(own), "Workloads and PodGroups created")
}

// firstOf returns the position in the history of the first creation of an object of a kind that has a controller.
func firstOf(s *framework.Sandbox, kind string, owner metav1.Object) (position int, revision history.Revision) {
	GinkgoHelper()
	for i, r := range s.History().Revisions {
		if r.Kind() == kind && r.Created() && metav1.IsControlledBy(r.Object, owner) {
			return i, r
		}
	}
	Fail("no " + kind + " of the Job was created")
	return 0, history.Revision{}
}

// joins matches pods that belong to a PodGroup.
func joins(group schedulingv1beta1.PodGroup) gomegatypes.GomegaMatcher {
	return HaveField("Spec.SchedulingGroup", HaveValue(HaveField("PodGroupName", HaveValue(Equal(group.Name)))))
}

// sizes waits until both scheduling objects of a Job are gangs of n.
func sizes(s *framework.Sandbox, job *framework.Job, n int32) {
	GinkgoHelper()
	s.Soon("the Workload and the PodGroup have that minCount", func(g Gomega) { expectSizes(g, s, job, n) })
}

func expectSizes(g Gomega, s *framework.Sandbox, job *framework.Job, n int32) {
	g.Expect(workloadsOf(s, job.Made())).To(ConsistOf(HaveField("Spec.PodGroupTemplates", ConsistOf(
		HaveField("SchedulingPolicy.Gang", HaveValue(HaveField("MinCount", n)))))), "Workload")
	g.Expect(podGroupsOf(s, job.Made())).To(ConsistOf(
		HaveField("Spec.SchedulingPolicy.Gang", HaveValue(HaveField("MinCount", n)))), "PodGroup")
}
