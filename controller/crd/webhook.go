package crd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	v1 "github.com/jobconformance/jobconformance/controller/crd/api/v1"
	"github.com/jobconformance/jobconformance/controller/cronjob/cronexpr"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// maxName is how long the name of a CronJob can be: those of its Jobs have 11 characters more.
const maxName = 52

// validator sets the defaults of CronJobs and validates them.
//
// +kubebuilder:webhook:path=/mutate-batch-jobconformance-io-v1-cronjob,mutating=true,failurePolicy=fail,sideEffects=None,groups=batch.jobconformance.io,resources=cronjobs,verbs=create;update,versions=v1,name=default.cronjobs.batch.jobconformance.io,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate-batch-jobconformance-io-v1-cronjob,mutating=false,failurePolicy=fail,sideEffects=None,groups=batch.jobconformance.io,resources=cronjobs,verbs=create;update,versions=v1,name=validate.cronjobs.batch.jobconformance.io,admissionReviewVersions=v1
type validator struct {
	client client.Client // creates Jobs as a dry run
}

var (
	_ admission.Defaulter[*v1.CronJob] = (*validator)(nil)
	_ admission.Validator[*v1.CronJob] = (*validator)(nil)
)

// SetupWithManager has a manager serve the webhook.
func (w *validator) SetupWithManager(mgr manager.Manager) error {
	return builder.WebhookManagedBy(mgr, &v1.CronJob{}).WithDefaulter(w).WithValidator(w).Complete()
}

// Default implements admission.Defaulter.
func (w *validator) Default(_ context.Context, cronJob *v1.CronJob) error {
	spec := &cronJob.Spec
	if spec.ConcurrencyPolicy == "" {
		spec.ConcurrencyPolicy = batchv1.AllowConcurrent
	}
	if spec.Suspend == nil {
		spec.Suspend = ptr.To(false)
	}
	if spec.SuccessfulJobsHistoryLimit == nil {
		spec.SuccessfulJobsHistoryLimit = ptr.To[int32](3)
	}
	if spec.FailedJobsHistoryLimit == nil {
		spec.FailedJobsHistoryLimit = ptr.To[int32](1)
	}
	return nil
}

// ValidateCreate implements admission.Validator.
func (w *validator) ValidateCreate(ctx context.Context, cronJob *v1.CronJob) (admission.Warnings, error) {
	return nil, w.validate(ctx, cronJob)
}

// ValidateUpdate implements admission.Validator. A CronJob that is invalid because it was stored
// while no webhook was served can still get labels and lose its finalizers. It has no defaults either.
func (w *validator) ValidateUpdate(ctx context.Context, before, after *v1.CronJob) (admission.Warnings, error) {
	before = before.DeepCopy()
	if err := w.Default(ctx, before); err != nil {
		return nil, err
	}
	if after.DeletionTimestamp != nil || equality.Semantic.DeepEqual(before.Spec, after.Spec) {
		return nil, nil
	}
	return nil, w.validate(ctx, after)
}

// ValidateDelete implements admission.Validator.
func (w *validator) ValidateDelete(context.Context, *v1.CronJob) (admission.Warnings, error) {
	return nil, nil
}

// validate returns an error of the reason Invalid that names all fields that are wrong.
func (w *validator) validate(ctx context.Context, cronJob *v1.CronJob) error {
	wrong := validateSpec(&cronJob.Spec, field.NewPath("spec"))
	if len(cronJob.Name) > maxName {
		wrong = append(wrong, field.Invalid(field.NewPath("metadata", "name"), cronJob.Name,
			fmt.Sprintf("must be no more than %d characters", maxName)))
	}
	template, err := w.validateTemplate(ctx, cronJob, field.NewPath("spec", "jobTemplate"))
	if err != nil {
		return err
	}
	if wrong = append(wrong, template...); len(wrong) > 0 {
		return apierrors.NewInvalid(v1.GroupVersion.WithKind("CronJob").GroupKind(), cronJob.Name, wrong)
	}
	return nil
}

func validateSpec(spec *v1.CronJobSpec, path *field.Path) (wrong field.ErrorList) {
	at := path.Child("schedule")
	if strings.Contains(spec.Schedule, "TZ") {
		wrong = append(wrong, field.Invalid(at, spec.Schedule, "cannot have a time zone: use timeZone"))
	} else if _, err := cronexpr.Parse(spec.Schedule, nil); err != nil {
		wrong = append(wrong, field.Invalid(at, spec.Schedule, err.Error()))
	}
	if zone := spec.TimeZone; zone != nil {
		at := path.Child("timeZone")
		switch _, err := time.LoadLocation(*zone); {
		case *zone == "" || strings.EqualFold(*zone, "Local"):
			wrong = append(wrong, field.Invalid(at, *zone, "must be the name of a time zone, such as Etc/UTC"))
		case err != nil:
			wrong = append(wrong, field.Invalid(at, *zone, err.Error()))
		}
	}
	return wrong
}

// validateTemplate has the API server validate a Job of the template. Other refusals, such as that of
// a quota, are about this moment: they come back when a Job is started.
func (w *validator) validateTemplate(ctx context.Context, cronJob *v1.CronJob,
	path *field.Path) (wrong field.ErrorList, err error) {
	if cronJob.Spec.RunTemplate != nil {
		return nil, nil // its schema has all rules
	}
	spec := cronJob.Spec.JobTemplate.Spec.DeepCopy()
	if at := path.Child("spec"); spec.ManualSelector != nil && *spec.ManualSelector {
		wrong = append(wrong, field.Invalid(at.Child("manualSelector"), true, "each Job gets a selector of its own"))
		spec.ManualSelector = nil
	}
	if at := path.Child("spec"); spec.Selector != nil {
		wrong = append(wrong, field.Invalid(at.Child("selector"), spec.Selector, "each Job gets a selector of its own"))
		spec.Selector = nil
	}
	if at := path.Child("spec"); ptr.Deref(spec.CompletionMode, "") == batchv1.IndexedCompletion &&
		spec.Completions == nil {
		// Of a Job, the API server would take 1.
		wrong = append(wrong, field.Required(at.Child("completions"), "with the completion mode Indexed"))
	}
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: "validate-", Namespace: cronJob.Namespace,
			Labels: cronJob.Spec.JobTemplate.Labels, Annotations: cronJob.Spec.JobTemplate.Annotations,
		},
		Spec: *spec,
	}
	err = w.client.Create(ctx, job, client.DryRunAll)
	var status apierrors.APIStatus
	switch {
	case err == nil, apierrors.IsForbidden(err):
		return wrong, nil
	case !apierrors.IsInvalid(err) || !errors.As(err, &status) || status.Status().Details == nil:
		return wrong, fmt.Errorf("validating the Job template: %w", err)
	}
	for _, cause := range status.Status().Details.Causes {
		if strings.HasPrefix(cause.Field, "spec") || strings.HasPrefix(cause.Field, "metadata") {
			kind := field.ErrorType(cause.Type)
			detail := strings.TrimPrefix(strings.TrimPrefix(cause.Message, kind.String()), ": ") // with the value
			wrong = append(wrong, &field.Error{Type: kind, Field: path.Child(cause.Field).String(),
				BadValue: field.OmitValueType{}, Detail: detail})
		}
	}
	return wrong, nil
}
