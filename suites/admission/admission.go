// Package admission has the specs of validation, defaults and admission control.
// Importing it registers them with Ginkgo.
//
// Some, with the label area:api, are about the API server alone: what it accepts,
// defaults and rejects in Jobs and CronJobs. No controller takes part: most of
// their writes are dry runs, and spec.managedBy keeps controllers away from the
// other objects. When one fails, the API server does not behave as its version
// should, because of a distribution's patch, a feature gate, or a webhook or policy
// for all namespaces. Then the results of all other specs in that cluster mean little.
//
// The others, with behaviour:admission, are about the implementation: what it does
// while a quota, a policy, a webhook or a terminating namespace rejects its
// requests, and what it does with pods that differ from its template.
package admission

import (
	"context"
	"errors"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
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

// Counters are the counters of a Job's status.
type Counters = framework.Counters

// answer is the API server's answer to a write: the reason of a rejection, and the
// fields that it names. These are API; the text of a message is not.
type answer struct {
	Reason metav1.StatusReason
	Fields []string
}

func answerTo(err error) answer {
	a := answer{Reason: "Accepted"}
	if err == nil {
		return a
	}
	a.Reason = apierrors.ReasonForError(err)
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Details != nil {
		for _, cause := range status.Status().Details.Causes {
			a.Fields = append(a.Fields, cause.Field)
		}
	}
	return a
}

// expectRejected expects that an object was rejected as invalid because of a field.
func expectRejected(err error, field string, what ...any) {
	GinkgoHelper()
	Expect(answerTo(err)).To(And(HaveField("Reason", metav1.StatusReasonInvalid),
		HaveField("Fields", ContainElement(field))), what...)
}

// invalid is a change that makes a valid object invalid, and the field that the API
// server has to name.
type invalid[T client.Object] struct {
	field  string
	change func(T)
}

type (
	invalidJobs     = []invalid[*batchv1.Job]
	invalidCronJobs = []invalid[*batchv1.CronJob]
)

// dryRun creates an object in the sandbox's namespace as a dry run: the API server
// does everything but store it.
func dryRun[T client.Object](s *framework.Sandbox, object T) (T, error) {
	object.SetNamespace(s.Namespace)
	err := s.Client.Create(s.Context(), object, client.DryRunAll)
	return object, err
}

// accepted creates an object as a dry run, expects that the API server accepts it,
// and returns it as it would be stored.
func accepted[T client.Object](s *framework.Sandbox, object T) T {
	GinkgoHelper()
	made, err := dryRun(s, object)
	Expect(err).NotTo(HaveOccurred(), "the object is valid")
	return made
}

// rejects expects that the API server accepts an object, and rejects it after each
// of the changes.
func rejects[T client.Object](s *framework.Sandbox, make func() T, cases []invalid[T]) {
	GinkgoHelper()
	accepted(s, make())
	for i, c := range cases {
		object := make()
		c.change(object)
		_, err := dryRun(s, object)
		expectRejected(err, c.field, "change %d", i+1)
	}
}

// changed changes an object that exists, whatever its latest revision, as a dry run.
// It returns the object as it would be stored.
func changed[T client.Object](s *framework.Sandbox, object T, change func(T)) (T, error) {
	next := object.DeepCopyObject().(T)
	change(next)
	err := s.Client.Patch(s.Context(), next, client.MergeFrom(object), client.DryRunAll)
	return next, err
}

// unmanaged changes a Job so that no controller acts on it.
func unmanaged(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/jobconformance") }

// indexed makes an Indexed Job with 3 completions.
func indexed(name string) *puppet.JobBuilder {
	return puppet.Job(name).Indexed().Completions(3).Parallelism(3)
}

// perIndex makes an Indexed Job with a backoffLimitPerIndex.
func perIndex(name string) *puppet.JobBuilder {
	return indexed(name).With(func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = ptr.To[int32](1) })
}

// template is the pod template of a Job.
func template(j *batchv1.Job) *corev1.PodSpec { return &j.Spec.Template.Spec }

// kind is a kind of objects that are rejected or changed.
type kind struct{ group, resource string }

var (
	pods = kind{"", "pods"}
	jobs = kind{"batch", "jobs"}
)

func (k kind) rule(operation admissionregistrationv1.OperationType) admissionregistrationv1.RuleWithOperations {
	return admissionregistrationv1.RuleWithOperations{
		Operations: []admissionregistrationv1.OperationType{operation},
		Rule: admissionregistrationv1.Rule{APIGroups: []string{k.group}, APIVersions: []string{"v1"},
			Resources: []string{k.resource}},
	}
}

// matching returns a rule for the sandbox's namespace.
func matching(s *framework.Sandbox,
	rule admissionregistrationv1.RuleWithOperations) *admissionregistrationv1.MatchResources {
	return &admissionregistrationv1.MatchResources{
		NamespaceSelector: s.Selector(),
		ResourceRules:     []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: rule}},
	}
}

// denial is something that makes the API server reject some requests in a sandbox's
// namespace.
type denial struct {
	// lift removes it.
	lift func()
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
func awaitDenied(s *framework.Sandbox, example request) {
	GinkgoHelper()
	s.Enforced("the API server rejects the request", func(ctx context.Context) (bool, error) {
		err := example(ctx)
		if apierrors.IsForbidden(err) || apierrors.IsInternalError(err) {
			return true, nil
		}
		return false, err
	})
}

// awaitAccepted waits until the API server accepts a request. An object that the
// request deletes may be gone by then: the implementation deletes it, too.
func awaitAccepted(s *framework.Sandbox, example request) {
	GinkgoHelper()
	s.Enforced("the API server accepts the request", func(ctx context.Context) (bool, error) {
		err := example(ctx)
		if apierrors.IsForbidden(err) || apierrors.IsInternalError(err) {
			return false, nil
		}
		return err == nil || apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
}

// What specs need that others do not.
var (
	needsPolicies  = framework.Needs(spec.ValidatingPolicies)
	needsMutations = framework.Needs(spec.MutatingPolicies)
	needsQuotas    = framework.Needs(spec.ResourceQuotas)
	countsRequests = slices.Concat(framework.LocalAPIServer("a webhook in this process counts requests"),
		framework.OneLeader("a new leader does not know how often its requests have failed"))
)

// deny creates a policy that rejects requests for which when, in CEL, is true.
func deny(s *framework.Sandbox, rule admissionregistrationv1.RuleWithOperations, when string, example request) denial {
	GinkgoHelper()
	policy := framework.CreateClusterWide(s, &admissionregistrationv1.ValidatingAdmissionPolicy{
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
	binding := framework.CreateClusterWide(s, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "refuse"},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName:        policy.Name,
			ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			MatchResources:    &admissionregistrationv1.MatchResources{NamespaceSelector: s.Selector()},
		},
	})
	awaitDenied(s, example)
	return denial{lift: func() {
		GinkgoHelper()
		Expect(s.Client.Delete(s.Context(), binding)).To(Succeed())
		awaitAccepted(s, example)
	}}
}

// denyPods creates a policy that rejects all new pods.
func denyPods(s *framework.Sandbox) denial {
	GinkgoHelper()
	return deny(s, pods.rule(admissionregistrationv1.Create), "true", creating(s, examplePod()))
}

// denyJobs creates a policy that rejects all new Jobs.
func denyJobs(s *framework.Sandbox) denial {
	GinkgoHelper()
	return deny(s, jobs.rule(admissionregistrationv1.Create), "true", creating(s, exampleJob()))
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
func mutate[T client.Object](s *framework.Sandbox, k kind, by admissionregistrationv1.Mutation, example T,
	shows func(T) bool) {
	GinkgoHelper()
	policy := framework.CreateClusterWide(s, &admissionregistrationv1.MutatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "rewrite"},
		Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			FailurePolicy:      ptr.To(admissionregistrationv1.Fail),
			ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
			MatchConstraints:   matching(s, k.rule(admissionregistrationv1.Create)),
			Mutations:          []admissionregistrationv1.Mutation{by},
		},
	})
	framework.CreateClusterWide(s, &admissionregistrationv1.MutatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "rewrite"},
		Spec: admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{
			PolicyName:     policy.Name,
			MatchResources: &admissionregistrationv1.MatchResources{NamespaceSelector: s.Selector()},
		},
	})
	example.SetNamespace(s.Namespace)
	s.Enforced("the API server changes new objects", func(ctx context.Context) (bool, error) {
		now := example.DeepCopyObject().(T)
		err := s.Client.Create(ctx, now, client.DryRunAll)
		return err == nil && shows(now), err
	})
}

// examplePod returns a pod like those of a Job.
func examplePod() *corev1.Pod {
	template := puppet.Job("").Obj().Spec.Template
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "example", Labels: map[string]string{"example.com/example": "yes"},
			Annotations: template.Annotations},
		Spec: template.Spec,
	}
}

func exampleJob() *batchv1.Job { return puppet.Job("example").Obj() }
