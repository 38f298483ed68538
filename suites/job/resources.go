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
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// These specs are about the resources of pods. Those of suspended Jobs are in suspend.go.
var _ = Describe("Job pods:", behaviour.Completions, func() {
	// Wrong: replaces a pod that is not as the template makes it, or takes the resources from the last pod.
	It("the controller leaves a pod alone that is resized in place", covers.Requirements(
		ResizedPodsRun), framework.Needs(spec.PodResizes), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Completions(2).BackoffLimit(0).With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.Containers[0].Resources.Requests = cpu("10m")
		}))
		pod := job.Runs(1)[0]
		resized := pod.Now().DeepCopy()
		resized.Spec.Containers[0].Resources.Requests = cpu("20m")
		Expect(s.Client.SubResource("resize").Patch(
			s.Context(), resized, client.StrategicMergeFrom(pod.Now()))).To(Succeed())
		staysTheSamePod(s, job)
		Expect(pod.Now().Spec.Containers[0].Resources.Requests).To(Equal(cpu("20m")), "requests of the pod")
		pod.End(0)
		next := successor(s, job, 2, Counters{Active: 1, Ready: 1, Succeeded: 1})
		Expect(next.Spec.Containers[0].Resources.Requests).To(Equal(cpu("10m")), "requests of the next pod")
		next.End(0)
		job.CompletesWith(2, Counters{Succeeded: 2})
	})

	// The claim does not exist, and so the pod waits for it. Wrong: copies the fields of the template that it knows.
	It("the controller creates pods with the resource claims of the template", covers.Requirements(
		ClaimsPassThrough), func(ctx SpecContext) {
		s := framework.New(ctx)
		claims := []corev1.PodResourceClaim{{Name: "device", ResourceClaimName: ptr.To("missing")}}
		used := []corev1.ResourceClaim{{Name: "device", Request: "one"}}
		job := s.Create(puppet.Job("a").With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.ResourceClaims = claims
			j.Spec.Template.Spec.Containers[0].Resources.Claims = used
		}))
		job.Counts("the pod is Pending", Counters{Active: 1})
		pod := s.Created()[0]
		Expect(pod.Spec.ResourceClaims).To(Equal(claims), "spec.resourceClaims")
		Expect(pod.Spec.Containers[0].Resources.Claims).To(Equal(used), "claims of the container")
	})
})

// cpu is a list of resources.
func cpu(quantity string) corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(quantity)}
}
