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

// kind of object that is refused or changed.
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

// matching is a rule within the scene's namespace.
func matching(s *framework.Sandbox, rule admissionregistrationv1.RuleWithOperations) *admissionregistrationv1.MatchResources {
	return &admissionregistrationv1.MatchResources{
		NamespaceSelector: s.Selector(),
		ResourceRules:     []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: rule}},
	}
}

// wall is something that keeps everybody in a scene's namespace from something.
type wall struct {
	// lift takes it away.
	lift func(ctx context.Context)
}

// request is one that a wall refuses. It must be a dry run.
type request func(ctx context.Context) error

// creating is a dry run that creates an object.
func creating(s *framework.Sandbox, object client.Object) request {
	object.SetNamespace(s.Namespace)
	return func(ctx context.Context) error {
		return s.Client.Create(ctx, object.DeepCopyObject().(client.Object), client.DryRunAll)
	}
}

// stands waits until a wall refuses a request.
func stands(ctx context.Context, s *framework.Sandbox, example request) {
	GinkgoHelper()
	s.Until(ctx, "the request is refused", func(ctx context.Context) (bool, error) {
		err := example(ctx)
		if apierrors.IsForbidden(err) || apierrors.IsInternalError(err) {
			return true, nil
		}
		return false, err
	})
}

// fell waits until nothing refuses a request any more. What is to be deleted may
// be gone by then: the implementation has asked, too.
func fell(ctx context.Context, s *framework.Sandbox, example request) {
	GinkgoHelper()
	s.Until(ctx, "the request is no longer refused", func(ctx context.Context) (bool, error) {
		err := example(ctx)
		if apierrors.IsForbidden(err) || apierrors.IsInternalError(err) {
			return false, nil
		}
		return err == nil || apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

// refuse has a policy refuse requests for which when, in CEL, is true.
func refuse(ctx context.Context, s *framework.Sandbox, rule admissionregistrationv1.RuleWithOperations, when string, example request) wall {
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
	stands(ctx, s, example)
	return wall{lift: func(ctx context.Context) {
		GinkgoHelper()
		Expect(s.Client.Delete(ctx, binding)).To(Succeed())
		fell(ctx, s, example)
	}}
}

// refusePods has a policy refuse all new pods.
func refusePods(ctx context.Context, s *framework.Sandbox) wall {
	GinkgoHelper()
	return refuse(ctx, s, pods.rule(admissionregistrationv1.Create), "true", creating(s, examplePod()))
}

// refuseJobs has a policy refuse all new Jobs.
func refuseJobs(ctx context.Context, s *framework.Sandbox) wall {
	GinkgoHelper()
	return refuse(ctx, s, jobs.rule(admissionregistrationv1.Create), "true", creating(s, exampleJob()))
}

// added puts a label and an annotation on an object.
const added = `Object{metadata: Object.metadata{labels: {"example.com/added": "yes"}, annotations: {"example.com/added": "yes"}}}`

// applying is a change by an apply configuration in CEL.
func applying(expression string) admissionregistrationv1.Mutation {
	return admissionregistrationv1.Mutation{
		PatchType:          admissionregistrationv1.PatchTypeApplyConfiguration,
		ApplyConfiguration: &admissionregistrationv1.ApplyConfiguration{Expression: expression},
	}
}

// patching is a change by a JSON patch in CEL.
func patching(expression string) admissionregistrationv1.Mutation {
	return admissionregistrationv1.Mutation{
		PatchType: admissionregistrationv1.PatchTypeJSONPatch,
		JSONPatch: &admissionregistrationv1.JSONPatch{Expression: expression},
	}
}

// rewrite has a policy change new objects in the scene's namespace, and returns
// when it shows in an example.
func rewrite[T client.Object](ctx context.Context, s *framework.Sandbox, k kind, by admissionregistrationv1.Mutation, example T, shows func(T) bool) {
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
	s.Until(ctx, "new objects are rewritten", func(ctx context.Context) (bool, error) {
		now := example.DeepCopyObject().(T)
		err := s.Client.Create(ctx, now, client.DryRunAll)
		return err == nil && shows(now), err
	})
}

// examplePod is a pod as a Job's.
func examplePod() *corev1.Pod {
	template := puppet.Job("").Obj().Spec.Template
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "example", Labels: map[string]string{"example.com/example": "yes"}, Annotations: template.Annotations},
		Spec:       template.Spec,
	}
}

func exampleJob() *batchv1.Job { return puppet.Job("example").Obj() }
