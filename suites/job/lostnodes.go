package job

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// No kubelet ends such a pod: it terminates, however long ago its grace period was over, until the garbage collector of
// pods gives it up, or a user deletes it by force.
//
// Source: https://kubernetes.io/docs/concepts/architecture/nodes/#node-status; KEP-3939.
var _ = Describe("Job pod on a node that is gone:", behaviour.PodReplacementPolicy, framework.Simulated(
	"the kubelet of the node answers"), func() {

	// Wrong: takes a pod for gone when its grace period is over.
	It("with podReplacementPolicy TerminatingOrFailed, the Job is Complete when the pod is gone", covers.Requirements(
		TerminatingReplacesAtOnce, CompleteAfterAllPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(withPolicy(batchv1.TerminatingOrFailed))
		lost := job.Runs(1)[0]
		deleteWithin(s, lost, 1)
		job.CountsAfter(firstBackoff, "the pod is replaced", Counters{Active: 1, Ready: 1, Terminating: 1, Failed: 1})
		s.Active().End(0)
		decided := func(g Gomega) {
			g.Expect(job.Conditions()).To(And(HaveKey(batchv1.JobSuccessCriteriaMet),
				Not(HaveKey(batchv1.JobComplete))))
			job.Reports(g, Counters{Terminating: 1, Succeeded: 1, Failed: 1})
		}
		s.Soon("the success criteria are met", decided)
		s.Stays("the Job is not Complete", decided)
		deleteWithin(s, lost, 0)
		job.CompletesWith(2, Counters{Succeeded: 1, Failed: 1})
	})

	// A deletion by force does not end it: it has the finalizer until it is counted. Wrong: takes a pod for gone when
	// its grace period is over, and replaces it.
	It("with podReplacementPolicy Failed, the pod is replaced when it is given up", covers.Requirements(
		FailedReplacesAfterEnd, FailedCountsAfterEnd), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(withPolicy(batchv1.Failed))
		lost := job.Runs(1)[0]
		deleteWithin(s, lost, 0)
		terminates := func(g Gomega) {
			g.Expect(s.Created()).To(HaveLen(1))
			job.Reports(g, Counters{Terminating: 1})
		}
		s.Soon("the pod is terminating", terminates)
		job.Change(func(j *batchv1.Job) { metav1.SetMetaDataAnnotation(&j.ObjectMeta, "example.com/look", "again") })
		s.Stays("no pod replaces it", terminates)
		collected(s, lost)
		job.Counts("the pod is replaced", Counters{Active: 1, Ready: 1, Failed: 1})
		s.Active().End(0)
		job.CompletesWith(2, Counters{Succeeded: 1, Failed: 1})
	})

	// Nobody else removes the finalizer. Wrong: waits for the end of the pod, as it does before it replaces it.
	It("with podReplacementPolicy Failed, a Job deleted in the foreground goes when the pod is deleted by force",
		covers.Requirements(ForegroundDeletion, PodsGoWithJob, FailedReplacesAfterEnd), func(ctx SpecContext) {
			s := framework.New(ctx)
			job := s.Create(withPolicy(batchv1.Failed))
			lost := job.Runs(1)[0]
			deleteWithin(s, lost, 1)
			job.Counts("the pod is terminating", Counters{Terminating: 1})
			foreground := client.PropagationPolicy(metav1.DeletePropagationForeground)
			Expect(s.Client.Delete(ctx, job.Made(), foreground)).To(Succeed())
			s.Soon("the pod is released", func(g Gomega) { g.Expect(tracked(s.Pods())).To(BeEmpty()) })
			deleteWithin(s, lost, 0)
			s.Soon("Job and pod are gone", func(g Gomega) {
				g.Expect(s.Jobs()).To(BeEmpty())
				g.Expect(s.Pods()).To(BeEmpty())
			})
			Expect(s.Created()).To(HaveLen(1))
		})
})

// deleteWithin deletes a pod with a grace period in seconds; by force with 0.
func deleteWithin(s *framework.Sandbox, pod framework.Pod, seconds int64) {
	GinkgoHelper()
	Expect(s.Client.Delete(s.Context(), &pod.Pod, client.GracePeriodSeconds(seconds))).To(Succeed())
}
