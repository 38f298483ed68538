package plan

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
)

// validate returns why a Job cannot be worked on, with the reason for an Event, or nothing.
// kube-apiserver refuses such Jobs today; an older or a newer one may have stored them. They are
// left alone rather than guessed at: with a selector that does not match the template, say, every
// pod would be created and never counted.
func validate(job *batchv1.Job) (reason, message string) {
	spec := job.Spec
	mode := ptr.Deref(spec.CompletionMode, batchv1.NonIndexedCompletion)
	if mode != batchv1.NonIndexedCompletion && mode != batchv1.IndexedCompletion {
		return "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown"
	}
	if Indexed(job) && spec.Completions == nil {
		return "InvalidSpec", "Skipped the Job: spec.completionMode Indexed needs spec.completions"
	}
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err != nil || selector.Empty() || !selector.Matches(labels.Set(spec.Template.Labels)) {
		return "InvalidSpec", "Skipped the Job: spec.selector does not match the labels of spec.template"
	}
	for _, number := range []struct {
		field string
		value *int32
	}{
		{"parallelism", spec.Parallelism},
		{"completions", spec.Completions},
		{"backoffLimit", spec.BackoffLimit},
		{"backoffLimitPerIndex", spec.BackoffLimitPerIndex},
		{"maxFailedIndexes", spec.MaxFailedIndexes},
	} {
		if number.value != nil && *number.value < 0 {
			return "InvalidSpec", fmt.Sprintf("Skipped the Job: spec.%s is negative", number.field)
		}
	}
	if ptr.Deref(spec.ActiveDeadlineSeconds, 0) < 0 {
		return "InvalidSpec", "Skipped the Job: spec.activeDeadlineSeconds is negative"
	}
	return "", ""
}
