package job

import (
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
)

// flaw says why a Job cannot be worked on, with the reason for an event, or
// nothing. kube-apiserver refuses such Jobs today; an older or a newer one may
// have stored them. They are left alone rather than guessed at: with a selector
// that does not match the template, say, every pod would be created in vain.
func flaw(job *batchv1.Job) (reason, message string) {
	spec := job.Spec
	mode := ptr.Deref(spec.CompletionMode, batchv1.NonIndexedCompletion)
	if mode != batchv1.NonIndexedCompletion && mode != batchv1.IndexedCompletion {
		return "UnknownCompletionMode", "Skipped Job sync because completion mode is unknown"
	}
	if indexed(job) && spec.Completions == nil {
		return "InvalidSpec", "Skipped the Job: spec.completionMode Indexed needs spec.completions"
	}
	selector, err := metav1.LabelSelectorAsSelector(spec.Selector)
	if err != nil || selector.Empty() || !selector.Matches(labels.Set(spec.Template.Labels)) {
		return "InvalidSpec", "Skipped the Job: spec.selector does not match the labels of spec.template"
	}
	wide := func(n *int32) int64 { return int64(ptr.Deref(n, 0)) }
	for _, number := range []struct {
		field string
		value int64
	}{
		{"parallelism", wide(spec.Parallelism)},
		{"completions", wide(spec.Completions)},
		{"backoffLimit", wide(spec.BackoffLimit)},
		{"backoffLimitPerIndex", wide(spec.BackoffLimitPerIndex)},
		{"maxFailedIndexes", wide(spec.MaxFailedIndexes)},
		{"activeDeadlineSeconds", ptr.Deref(spec.ActiveDeadlineSeconds, 0)},
	} {
		if number.value < 0 {
			return "InvalidSpec", fmt.Sprintf("Skipped the Job: spec.%s is negative", number.field)
		}
	}
	return "", ""
}
