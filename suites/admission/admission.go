// Package admission has the specs of what stands between a controller and the
// store. Importing it registers them with Ginkgo.
//
// One part, with the label area:api, is about the API server alone: what it
// accepts, fills in and refuses for Jobs and CronJobs. No controller takes part:
// most of what these specs write is a dry run, and the rest belongs to somebody
// else by spec.managedBy. A red one says nothing of the implementation; it says
// that the cluster's API server is not the one that its version promises: a
// distribution with a patch of its own, a feature gate that somebody switched,
// or a webhook or policy for all namespaces that changes Jobs. What the other
// specs find in such a cluster is worth less.
//
// The other part, behaviour:admission, is about the implementation: what it does
// while a quota, a policy, a webhook or the end of its namespace keeps it from
// what it has to do, and what it makes of pods that come out different from its
// template.
package admission

import (
	"context"
	"errors"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// answer is what the API server says to a write: the reason of its refusal, and
// the fields that it names. Words may change; these are the API.
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

// expectRefused expects that something was refused as invalid for a field.
func expectRefused(err error, field string, what ...any) {
	GinkgoHelper()
	Expect(answerTo(err)).To(And(HaveField("Reason", metav1.StatusReasonInvalid), HaveField("Fields", ContainElement(field))), what...)
}

// wrong is a change by which an object that is fine becomes one to refuse, and
// the field that is to blame.
type wrong[T client.Object] struct {
	field  string
	change func(T)
}

type (
	wrongJobs     = []wrong[*batchv1.Job]
	wrongCronJobs = []wrong[*batchv1.CronJob]
)

// try creates an object in the scene's namespace as a dry run: all is done but
// to keep it.
func try[T client.Object](ctx context.Context, s *framework.Sandbox, object T) (T, error) {
	object.SetNamespace(s.Namespace)
	err := s.Client.Create(ctx, object, client.DryRunAll)
	return object, err
}

// accepted tries an object that must be accepted, and returns it as it would be.
func accepted[T client.Object](ctx context.Context, s *framework.Sandbox, object T) T {
	GinkgoHelper()
	made, err := try(ctx, s, object)
	Expect(err).NotTo(HaveOccurred(), "what the rest is compared with")
	return made
}

// refuses expects that an object is accepted as it is, and refused with each of
// the changes.
func refuses[T client.Object](ctx context.Context, s *framework.Sandbox, make func() T, cases []wrong[T]) {
	GinkgoHelper()
	accepted(ctx, s, make())
	for i, c := range cases {
		object := make()
		c.change(object)
		_, err := try(ctx, s, object)
		expectRefused(err, c.field, "change %d", i+1)
	}
}

// changed tries to change an object that exists, whatever revision it has by
// now, and returns what it would be then. Nothing is kept.
func changed[T client.Object](ctx context.Context, s *framework.Sandbox, object T, change func(T)) (T, error) {
	next := object.DeepCopyObject().(T)
	change(next)
	next.SetResourceVersion("")
	err := s.Client.Update(ctx, next, client.DryRunAll)
	return next, err
}

// somebody is who the Jobs of these specs belong to, so that no controller
// touches them.
const somebody = "example.com/jobconformance"

// managed makes a Job of somebody else's.
func managed(name string) *puppet.JobBuilder {
	return puppet.Job(name).With(func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To(somebody) })
}

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
