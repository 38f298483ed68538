package admission

import (
	"context"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// kind is a kind of objects that are rejected or changed.
type kind struct{ group, resource string }

var (
	pods = kind{"", "pods"}
	jobs = kind{"batch", "jobs"}
)

func (k kind) rule(operation admissionregistrationv1.OperationType) admissionregistrationv1.RuleWithOperations {
	return admissionregistrationv1.RuleWithOperations{
		Operations: []admissionregistrationv1.OperationType{operation},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{k.group}, APIVersions: []string{"v1"}, Resources: []string{k.resource}},
	}
}

// matching returns a rule for the sandbox's namespace.
func matching(s *framework.Sandbox, rule admissionregistrationv1.RuleWithOperations) *admissionregistrationv1.MatchResources {
	return &admissionregistrationv1.MatchResources{
		NamespaceSelector: s.Selector(),
		ResourceRules:     []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: rule}},
	}
}

// denial is something that makes the API server reject some requests in a sandbox's
// namespace.
type denial struct {
	// lift removes it.
	lift func(ctx context.Context)
}

// request is one that a denial rejects. It must be a dry run.
type request func(ctx context.Context) error

// creating returns a request that creates an object, as a dry run.
func creating(s *framework.Sandbox, object client.Object) request {
	object.SetNamespace(s.Namespace)
	return func(ctx context.Context) error {
		return s.Client.Create(ctx, object.DeepCopyObject().(client.Object), client.DryRunAll)
	}
}

// awaitDenied waits until the API server rejects a request.
func awaitDenied(ctx context.Context, s *framework.Sandbox, example request) {
	GinkgoHelper()
	s.Until(ctx, "the API server rejects the request", func(ctx context.Context) (bool, error) {
		err := example(ctx)
		if apierrors.IsForbidden(err) || apierrors.IsInternalError(err) {
			return true, nil
		}
		return false, err
	})
}

// awaitAccepted waits until the API server accepts a request. An object that the
// request deletes may be gone by then: the implementation deletes it, too.
func awaitAccepted(ctx context.Context, s *framework.Sandbox, example request) {
	GinkgoHelper()
	s.Until(ctx, "the API server accepts the request", func(ctx context.Context) (bool, error) {
		err := example(ctx)
		if apierrors.IsForbidden(err) || apierrors.IsInternalError(err) {
			return false, nil
		}
		return err == nil || apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

// deny creates a policy that rejects requests for which when, in CEL, is true.
func deny(ctx context.Context, s *framework.Sandbox, rule admissionregistrationv1.RuleWithOperations, when string, example request) denial {
	GinkgoHelper()
	policy := framework.CreateClusterWide(ctx, s, &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "refuse"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			FailurePolicy:    ptr.To(admissionregistrationv1.Fail),
			MatchConstraints: matching(s, rule),
			Validations: []admissionregistrationv1.Validation{{
				Expression: "!(" + when + ")",
				Message:    "not now",
				Reason:     ptr.To(metav1.StatusReasonForbidden),
			}},
		},
	})
	binding := framework.CreateClusterWide(ctx, s, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "refuse"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        policy.Name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			MatchResources:    &admissionregistrationv1.MatchResources{NamespaceSelector: s.Selector()},
		},
	})
	awaitDenied(ctx, s, example)
	return denial{lift: func(ctx context.Context) {
		GinkgoHelper()
		Expect(s.Client.Delete(ctx, binding)).To(Succeed())
		awaitAccepted(ctx, s, example)
	}}
}

// denyPods creates a policy that rejects all new pods.
func denyPods(ctx context.Context, s *framework.Sandbox) denial {
	GinkgoHelper()
	return deny(ctx, s, pods.rule(admissionregistrationv1.Create), "true", creating(s, examplePod()))
}

// denyJobs creates a policy that rejects all new Jobs.
func denyJobs(ctx context.Context, s *framework.Sandbox) denial {
	GinkgoHelper()
	return deny(ctx, s, jobs.rule(admissionregistrationv1.Create), "true", creating(s, exampleJob()))
}

// added adds a label and an annotation to an object.
const added = `Object{metadata: Object.metadata{labels: {"example.com/added": "yes"}, annotations: {"example.com/added": "yes"}}}`

// applying returns a mutation by an apply configuration in CEL.
func applying(expression string) admissionregistrationv1.Mutation {
	return admissionregistrationv1.Mutation{
		PatchType:          admissionregistrationv1.PatchTypeApplyConfiguration,
		ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{Expression: expression},
	}
}

// patching returns a mutation by a JSON patch in CEL.
func patching(expression string) admissionregistrationv1.Mutation {
	return admissionregistrationv1.Mutation{
		PatchType: admissionregistrationv1.PatchTypeJSONPatch,
		JSONPatch: &admissionregistrationv1.JSONPatch{Expression: expression},
	}
}

// mutate creates a policy that changes new objects in the sandbox's namespace, and
// waits until an example is changed.
func mutate[T client.Object](ctx context.Context, s *framework.Sandbox, k kind, by admissionregistrationv1.Mutation, example T, shows func(T) bool) {
	GinkgoHelper()
	policy := framework.CreateClusterWide(ctx, s, &admissionregistrationv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "rewrite"},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			FailurePolicy:      ptr.To(admissionregistrationv1.Fail),
			ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
			MatchConstraints:   matching(s, k.rule(admissionregistrationv1.Create)),
			Mutations:          []admissionregistrationv1.Mutation{by},
		},
	})
	framework.CreateClusterWide(ctx, s, &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "rewrite"},
		Spec: admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{
			PolicyName:     policy.Name,
			MatchResources: &admissionregistrationv1.MatchResources{NamespaceSelector: s.Selector()},
		},
	})
	example.SetNamespace(s.Namespace)
	s.Until(ctx, "the API server changes new objects", func(ctx context.Context) (bool, error) {
		now := example.DeepCopyObject().(T)
		err := s.Client.Create(ctx, now, client.DryRunAll)
		return err == nil && shows(now), err
	})
}

// examplePod returns a pod like those of a Job.
func examplePod() *corev1.Pod {
	template := puppet.Job("").Obj().Spec.Template
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "example", Labels: map[string]string{"example.com/example": "yes"}, Annotations: template.Annotations},
		Spec:       template.Spec,
	}
}

func exampleJob() *batchv1.Job { return puppet.Job("example").Obj() }
