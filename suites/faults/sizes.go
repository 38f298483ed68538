package faults

import (
	"fmt"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	jobs "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("Job faults:", faultLabels, func() {

	// Upstream lists at most 500 pods in uncountedTerminatedPods. The spec creates the pods itself, as they
	// have ended, so that neither scheduler nor kubelet have to cope with them. Source: #104666. Wrong: takes
	// a pod for released that did not fit into the list, or one with which a full list was written.
	It("the controller counts once more pods than one write of the status can list", covers.Requirements(
		jobs.CountsOnce), func(ctx SpecContext) {
		const all, failures = 520, 5
		s := framework.Behind(ctx)
		job := s.Create(puppet.Job("a").Parallelism(all).Completions(all))
		haveEnded(s, job, all, corev1.PodSucceeded)
		failed := s.Proxy.On(releasePods).First(failures).Answer(500)
		s.Proxy.Start()
		s.Proxy.Meets("release a pod", failed)
		s.SoonAfter(time.Minute, "Job a is Complete", func(g Gomega) { // it may release one pod after the other
			g.Expect(job.Is(batchv1.JobComplete)).To(BeTrue())
		})
		job.CompletesWith(all, Counters{Succeeded: all})
		h := s.History()
		if !h.Ordered("Job", "Pod") {
			Skip("not verified: the API server does not order the revisions of Jobs and pods")
		}
		for r, state := range h.States() {
			counted, tracked := 0, 0
			if now := state.Jobs[job.UID].Job(); now != nil {
				counted = int(now.Status.Succeeded)
			}
			for _, p := range state.Pods {
				if slices.Contains(p.Object.GetFinalizers(), batchv1.JobTrackingFinalizer) {
					tracked++
				}
			}
			if counted+tracked > all {
				Fail(fmt.Sprintf("At revision %d, %d pods are counted and %d have the finalizer, of %d in all.",
					r.Version(), counted, tracked, all))
			}
		}
	})

	// The verdict is written with the first 500. Wrong: counts no others of a Job that fails.
	It("the controller counts more failed pods than one write of the status can list", covers.Requirements(
		jobs.CountsFailuresBeyondTheLimit), func(ctx SpecContext) {
		const all, failures = 520, 5
		s := framework.Behind(ctx)
		job := s.Create(puppet.Job("a").Parallelism(all).Completions(all).BackoffLimit(0))
		haveEnded(s, job, all, corev1.PodFailed)
		failed := s.Proxy.On(releasePods).First(failures).Answer(500)
		s.Proxy.Start()
		s.Proxy.Meets("release a pod", failed)
		s.SoonAfter(time.Minute, "Job a is Failed", func(g Gomega) { g.Expect(job.Is(batchv1.JobFailed)).To(BeTrue()) })
		job.FailsWith(all, batchv1.JobReasonBackoffLimitExceeded, Counters{Failed: all})
	})
})

// haveEnded creates n pods of a Job that are in a final phase. Nobody schedules them.
func haveEnded(s *framework.Sandbox, job *framework.Job, n int, phase corev1.PodPhase) {
	GinkgoHelper()
	var requests errgroup.Group
	requests.SetLimit(16)
	for i := range n {
		requests.Go(func() error {
			pod := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{
					Namespace: s.Namespace, Name: fmt.Sprintf("%s-%03d", job.Name, i),
					Labels:     job.Made().Spec.Template.Labels,
					Finalizers: []string{batchv1.JobTrackingFinalizer},
					OwnerReferences: []metav1.OwnerReference{
						*metav1.NewControllerRef(job.Made(), batchv1.SchemeGroupVersion.WithKind("Job"))},
				},
				Spec: corev1.PodSpec{
					SchedulingGates: []corev1.PodSchedulingGate{{Name: "example.com/never"}},
					RestartPolicy:   corev1.RestartPolicyNever,
					Containers:      []corev1.Container{{Name: "main", Image: puppet.Placeholder}},
				},
			}
			if err := s.Client.Create(s.Context(), pod); err != nil {
				return err
			}
			before := pod.DeepCopy()
			pod.Status.Phase = phase
			return s.Client.Status().Patch(s.Context(), pod, client.MergeFrom(before))
		})
	}
	Expect(requests.Wait()).To(Succeed())
	s.Soon("all pods have ended", func(g Gomega) {
		g.Expect(job.Pods()).To(And(HaveLen(n), HaveEach(HaveField("Status.Phase", phase))))
	})
}
