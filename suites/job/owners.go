package job

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// These pods have all that a pod of the Job has, but for one part of what makes it the owner: another UID,
// and no controller at all, are in pods.go. Source: #134654.
var _ = Describe("Job owner references:", behaviour.Ownership, func() {
	// countsOne has a check expect that no other pod than its own counts for the Job.
	countsOne := func(job *framework.Job) func(Gomega) {
		return func(g Gomega) {
			g.Expect(job.Counters()).To(And(
				HaveField("Active", BeNumerically("<=", 1)), HaveField("Terminating", BeZero()),
				HaveField("Succeeded", BeZero()), HaveField("Failed", BeZero())))
		}
	}

	// The garbage collector deletes the pod, as there is no such Job in its namespace; a finalizer keeps
	// it, so that a wrong controller has something to count. Wrong: looks pods up by the UID of their
	// owner in all namespaces.
	It("the controller leaves a pod of another namespace alone that names the Job as its owner", covers.Requirements(
		NotFromOtherNamespaces), func(ctx SpecContext) {
		s := framework.New(ctx)
		other := s.Other()
		job := s.Create(puppet.Job("a"))
		pods := job.Runs(1)
		before := s.Recorder.Position()
		foreign := foreignPod(job)
		framework.Create(other, foreign)
		other.Finally(func() { removeFinalizer(other, foreign, ownFinalizer) })
		isBeingDeleted(other, other.Pod(foreign))
		catchesUp(other)
		s.StaysSince(before, "the Job has one pod", countsOne(job))
		pods.End(0)
		job.CompletesWith(1, Counters{Succeeded: 1})
	})

	// Wrong: looks for pods to adopt by their labels in all namespaces.
	It("the controller leaves a pod of another namespace alone that matches the selector", covers.Requirements(
		NotFromOtherNamespaces), func(ctx SpecContext) {
		s := framework.New(ctx)
		other := s.Other()
		labels := map[string]string{"example.org/app": s.Namespace}
		orphan := orphanPod("orphan", nil)
		orphan.Labels = labels
		framework.Create(other, orphan)
		podsReach(other, corev1.PodRunning, 1)
		before := other.Recorder.Position()
		job := s.Create(puppet.Job("a").With(selecting(labels)))
		pods := job.Runs(1)
		other.StaysSince(before, "the pod stays as it is", func(g Gomega) {
			g.Expect(podNamed(other, "orphan")).To(And(HaveField("OwnerReferences", BeEmpty()),
				HaveField("Finalizers", BeEmpty()), HaveField("DeletionTimestamp", BeNil())))
		})
		pods.End(0)
		job.CompletesWith(1, Counters{Succeeded: 1})
	})

	// Wrong: compares the UID alone.
	DescribeTable("the controller leaves a pod alone whose owner reference has the Job's UID and",
		func(ctx SpecContext, change func(*metav1.OwnerReference), settles func(*framework.Sandbox, framework.Pod)) {
			s := framework.New(ctx)
			job := s.Create(puppet.Job("a"))
			pods := job.Runs(1)
			before := s.Recorder.Position()
			foreign := foreignPod(job)
			change(&foreign.OwnerReferences[0])
			framework.Create(s, foreign)
			s.Finally(func() { removeFinalizer(s, foreign, ownFinalizer) })
			settles(s, s.Pod(foreign))
			s.StaysSince(before, "the Job has one pod", countsOne(job))
			s.Stays("the Job has one pod", countsOne(job))
			pods.End(0)
			job.CompletesWith(2, Counters{Succeeded: 1})
		},
		// The garbage collector leaves alone what it does not know.
		Entry("another kind", covers.Requirements(OwnerInAllParts), func(owner *metav1.OwnerReference) {
			owner.APIVersion, owner.Kind = "example.com/v1", "Other"
		}, func(s *framework.Sandbox, foreign framework.Pod) {
			podsReach(s, corev1.PodRunning, 2)
			foreign.End(0)
			podsReach(s, corev1.PodSucceeded, 1)
		}),
		// It deletes the pod of a Job that there is not.
		Entry("another name", covers.Requirements(OwnerInAllParts), func(owner *metav1.OwnerReference) {
			owner.Name = "b"
		}, isBeingDeleted),
	)

	// Users do so to have the pod go with another object, too. Wrong: reads the first owner.
	It("the controller counts a pod that has another owner before the Job, which is not its controller",
		covers.Requirements(CompletesAtCompletions), framework.Needs(spec.ConfigMaps), func(ctx SpecContext) {
			s := framework.New(ctx)
			owner := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "owner"}}
			framework.Create(s, owner)
			job := s.Create(puppet.Job("a"))
			pod := job.Runs(1)[0]
			pod.Change(func(p *corev1.Pod) {
				p.OwnerReferences = append([]metav1.OwnerReference{
					{APIVersion: "v1", Kind: "ConfigMap", Name: owner.Name, UID: owner.UID}}, p.OwnerReferences...)
			})
			s.Stays("the Job has one pod", func(g Gomega) {
				g.Expect(s.Pods()).To(HaveLen(1))
				job.Reports(g, Counters{Active: 1, Ready: 1})
			})
			pod.End(0)
			job.CompletesWith(1, Counters{Succeeded: 1})
		})
})

// foreignPod returns a pod like those of a Job, with a finalizer of the spec's own. It terminates later.
func foreignPod(job *framework.Job) *corev1.Pod {
	pod := orphanOf(job, "foreign", "")
	own(job, pod)
	pod.Finalizers = append(pod.Finalizers, ownFinalizer)
	for name, value := range terminateLater {
		metav1.SetMetaDataAnnotation(&pod.ObjectMeta, name, value)
	}
	return pod
}
