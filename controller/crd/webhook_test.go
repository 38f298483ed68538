package crd

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	v1 "github.com/jobconformance/jobconformance/controller/crd/api/v1"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// serving returns a validator whose API server answers the creation of a Job with an error.
func serving(t *testing.T, answer error) *validator {
	t.Helper()
	return &validator{interceptor.NewClient(server(t).(client.WithWatch), interceptor.Funcs{
		Create: func(_ context.Context, _ client.WithWatch, _ client.Object, options ...client.CreateOption) error {
			if !slices.Contains(options, client.CreateOption(client.DryRunAll)) {
				t.Error("a Job is created")
			}
			return answer
		},
	})}
}

func TestDefaultsLeaveWhatIsSet(t *testing.T) {
	c := hourly(policy("Forbid"))
	c.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](0)
	if err := new(validator).Default(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	s := c.Spec
	if s.ConcurrencyPolicy != batchv1.ForbidConcurrent || *s.SuccessfulJobsHistoryLimit != 0 ||
		*s.FailedJobsHistoryLimit != 1 || *s.Suspend {
		t.Errorf("the spec is %+v", s)
	}
}

func TestRefusalsNameTheFields(t *testing.T) {
	gk := schema.GroupKind{Group: "batch", Kind: "Job"}
	template := apierrors.NewInvalid(gk, "",
		field.ErrorList{field.Invalid(field.NewPath("spec", "parallelism"), -1, "too small"),
			field.Required(field.NewPath("spec", "template"), "")})
	policyDenies := apierrors.NewInvalid(gk, "", nil)
	for name, c := range map[string]struct {
		change func(*v1.CronJob)
		answer error
		want   string
	}{
		"valid":              {func(*v1.CronJob) {}, nil, ""},
		"schedule":           {func(c *v1.CronJob) { c.Spec.Schedule = "* *" }, nil, "spec.schedule"},
		"schedule with zone": {func(c *v1.CronJob) { c.Spec.Schedule = "TZ=0" }, nil, "spec.schedule"},
		"zone":               {func(c *v1.CronJob) { c.Spec.TimeZone = ptr.To("local") }, nil, "spec.timeZone"},
		"name and schedule": {func(c *v1.CronJob) {
			c.Name, c.Spec.Schedule = strings.Repeat("a", 53), ""
		}, nil, "spec.schedule metadata.name"},
		"template": {func(*v1.CronJob) {}, template,
			"spec.jobTemplate.spec.parallelism spec.jobTemplate.spec.template"},
		"selector": {func(c *v1.CronJob) {
			c.Spec.JobTemplate.Spec.Selector = &metav1.LabelSelector{}
		}, nil, "spec.jobTemplate.spec.selector"},
		"a policy about Jobs": {func(*v1.CronJob) {}, policyDenies, ""},
		"a quota": {func(*v1.CronJob) {},
			apierrors.NewForbidden(schema.GroupResource{}, "", errors.New("exceeded quota")), ""},
	} {
		w := serving(t, c.answer)
		_, created := w.ValidateCreate(t.Context(), hourly(c.change))
		_, updated := w.ValidateUpdate(t.Context(), hourly(suspended), hourly(c.change))
		for _, err := range []error{created, updated} {
			var fields []string
			var status apierrors.APIStatus
			if errors.As(err, &status) {
				for _, cause := range status.Status().Details.Causes {
					fields = append(fields, cause.Field)
				}
			}
			if got := strings.Join(fields, " "); got != c.want || (err != nil) != (c.want != "") || err != nil &&
				!apierrors.IsInvalid(err) {
				t.Errorf("%s: the answer is %v, want the fields %q", name, err, c.want)
			}
		}
	}
}

func suspended(c *v1.CronJob) { c.Spec.Suspend = ptr.To(true) }

// What is not changed, and what is being deleted, is not refused.
func TestInvalidCronJobsCanGo(t *testing.T) {
	w := serving(t, nil)
	broken := func(c *v1.CronJob) { c.Spec.Schedule = "never" }
	gone := hourly(broken, suspended)
	gone.DeletionTimestamp = &metav1.Time{}
	withDefaults := hourly(broken, func(c *v1.CronJob) { c.Labels = map[string]string{"a": "b"} })
	defaulted := w.Default(t.Context(), withDefaults)
	_, labelled := w.ValidateUpdate(t.Context(), hourly(broken), withDefaults)
	_, deleting := w.ValidateUpdate(t.Context(), hourly(broken), gone)
	_, deleted := w.ValidateDelete(t.Context(), hourly(broken))
	if err := errors.Join(defaulted, labelled, deleting, deleted); err != nil {
		t.Error(err)
	}
}
