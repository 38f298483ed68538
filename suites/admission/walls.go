package admission

import (
	"context"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// The walls that keep all pods out, each in its own way. One may need something
// of the pods.
type build func(ctx context.Context, s *framework.Sandbox, pod *corev1.PodSpec) wall

func policy(ctx context.Context, s *framework.Sandbox, _ *corev1.PodSpec) wall {
	GinkgoHelper()
	return refusePods(ctx, s)
}

// unserved registers a webhook that nobody serves.
func unserved(ctx context.Context, s *framework.Sandbox, _ *corev1.PodSpec) wall {
	GinkgoHelper()
	example := creating(s, examplePod())
	config := hook(ctx, s, pods.rule(admissionregistrationv1.Create), admissionregistrationv1.WebhookClientConfig{URL: ptr.To("https://127.0.0.1:1/")})
	stands(ctx, s, example)
	return wall{lift: func(ctx context.Context) {
		GinkgoHelper()
		Expect(s.Client.Delete(ctx, config)).To(Succeed())
		fell(ctx, s, example)
	}}
}

// quota is one that the API server keeps to.
type quota struct {
	*framework.Sandbox
	*corev1.ResourceQuota
	resource corev1.ResourceName
	example  request
}

// full makes a quota without room for a resource, of which the example needs
// some.
func full(ctx context.Context, s *framework.Sandbox, name corev1.ResourceName, example request) *quota {
	GinkgoHelper()
	made := framework.Create(ctx, s, &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "room"},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{name: resource.MustParse("0")}},
	})
	stands(ctx, s, example)
	return &quota{s, made, name, example}
}

// leave makes room. The quota is not deleted for that: the API server may believe
// in one that is gone for long yet.
func (q *quota) leave(ctx context.Context, room string) {
	GinkgoHelper()
	framework.Change(ctx, q.Sandbox, q.ResourceQuota, func(r *corev1.ResourceQuota) { r.Spec.Hard[q.resource] = resource.MustParse(room) })
	fell(ctx, q.Sandbox, q.example)
}

func (q *quota) wall() wall { return wall{lift: func(ctx context.Context) { q.leave(ctx, "100") }} }

// fullOfPods is a quota without room for pods.
func fullOfPods(ctx context.Context, s *framework.Sandbox) *quota {
	GinkgoHelper()
	return full(ctx, s, corev1.ResourcePods, creating(s, examplePod()))
}

func noRoom(ctx context.Context, s *framework.Sandbox, _ *corev1.PodSpec) wall {
	GinkgoHelper()
	return fullOfPods(ctx, s).wall()
}

// limits asks for more than the pods do. As for quotas, lift does not delete it.
func limits(ctx context.Context, s *framework.Sandbox, pod *corev1.PodSpec) wall {
	GinkgoHelper()
	set := func(cpu string) []corev1.LimitRangeItem {
		return []corev1.LimitRangeItem{{Type: corev1.LimitTypeContainer, Min: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}}
	}
	pod.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("10m")}
	example := examplePod()
	example.Spec = *pod.DeepCopy()
	made := framework.Create(ctx, s, &corev1.LimitRange{ObjectMeta: metav1.ObjectMeta{Name: "limits"}, Spec: corev1.LimitRangeSpec{Limits: set("1")}})
	stands(ctx, s, creating(s, example))
	return wall{lift: func(ctx context.Context) {
		GinkgoHelper()
		framework.Change(ctx, s, made, func(l *corev1.LimitRange) { l.Spec.Limits = set("1m") })
		fell(ctx, s, creating(s, example))
	}}
}

// restricted lets pods in only that say much about their security.
func restricted(ctx context.Context, s *framework.Sandbox, _ *corev1.PodSpec) wall {
	GinkgoHelper()
	const level = "pod-security.kubernetes.io/enforce"
	set := func(to string) {
		GinkgoHelper()
		s.ChangeNamespace(ctx, func(n *corev1.Namespace) { n.Labels[level] = to })
	}
	set("restricted")
	example := creating(s, examplePod())
	stands(ctx, s, example)
	return wall{lift: func(ctx context.Context) {
		GinkgoHelper()
		set("baseline")
		fell(ctx, s, example)
	}}
}

// noClass gives the pods a PriorityClass that is not there yet.
func noClass(_ context.Context, s *framework.Sandbox, pod *corev1.PodSpec) wall {
	const late = "late"
	pod.PriorityClassName = s.ClusterWideName(late)
	return wall{lift: func(ctx context.Context) {
		GinkgoHelper()
		framework.CreateClusterWide(ctx, s, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: late}, Value: 1000})
	}}
}
