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
	Expect(answerTo(err)).To(And(HaveField("Reason", metav1.StatusReasonInvalid), HaveField("Fields", ContainElement(field))), what...)
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
func dryRun[T client.Object](ctx context.Context, s *framework.Sandbox, object T) (T, error) {
	object.SetNamespace(s.Namespace)
	err := s.Client.Create(ctx, object, client.DryRunAll)
	return object, err
}

// accepted creates an object as a dry run, expects that the API server accepts it,
// and returns it as it would be stored.
func accepted[T client.Object](ctx context.Context, s *framework.Sandbox, object T) T {
	GinkgoHelper()
	made, err := dryRun(ctx, s, object)
	Expect(err).NotTo(HaveOccurred(), "the object is valid")
	return made
}

// rejects expects that the API server accepts an object, and rejects it after each
// of the changes.
func rejects[T client.Object](ctx context.Context, s *framework.Sandbox, make func() T, cases []invalid[T]) {
	GinkgoHelper()
	accepted(ctx, s, make())
	for i, c := range cases {
		object := make()
		c.change(object)
		_, err := dryRun(ctx, s, object)
		expectRejected(err, c.field, "change %d", i+1)
	}
}

// changed changes an object that exists, whatever its latest revision, as a dry run.
// It returns the object as it would be stored.
func changed[T client.Object](ctx context.Context, s *framework.Sandbox, object T, change func(T)) (T, error) {
	next := object.DeepCopyObject().(T)
	change(next)
	next.SetResourceVersion("")
	err := s.Client.Update(ctx, next, client.DryRunAll)
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
