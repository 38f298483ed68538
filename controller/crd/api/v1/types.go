// Package v1 has the API of CronJobs in a group of their own: the fields of batch/v1's.
//
// +kubebuilder:object:generate=true
// +groupName=batch.jobconformance.io
package v1

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion of the types in this package.
var GroupVersion = schema.GroupVersion{Group: "batch.jobconformance.io", Version: "v1"}

// ScheduledAt is the annotation of a Job with its scheduled time, in RFC 3339.
const ScheduledAt = "batch.jobconformance.io/scheduled-at"

// AddToScheme makes the types known to a scheme.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(GroupVersion, &CronJob{}, &CronJobList{}, &Run{}, &RunList{})
	metav1.AddToGroupVersion(scheme, GroupVersion)
	return nil
}

// CronJobSpec says when Jobs are started, and which; or Runs, where it has a template of them.
type CronJobSpec struct {
	JobSpec `json:",inline"`
	// RunTemplate is what Runs are made of, which are started in place of Jobs. Default: Jobs are.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	RunTemplate *RunTemplateSpec `json:"runTemplate,omitempty"`
}

// JobSpec are the fields of batch/v1's CronJob.
type JobSpec struct {
	// Schedule in cron syntax: five fields, or a macro such as @hourly.
	// +kubebuilder:validation:MinLength=1
	Schedule string `json:"schedule"`
	// TimeZone of the schedule, as in Europe/Prague. Default: that of the controller's process.
	// +optional
	TimeZone *string `json:"timeZone,omitempty"`
	// StartingDeadlineSeconds is how late a Job may start. Default: any time.
	// +optional
	// +kubebuilder:validation:Minimum=0
	StartingDeadlineSeconds *int64 `json:"startingDeadlineSeconds,omitempty"`
	// ConcurrencyPolicy says what becomes of a Job while an earlier one runs. Default: Allow.
	// +optional
	// +kubebuilder:validation:Enum=Allow;Forbid;Replace
	ConcurrencyPolicy batchv1.ConcurrencyPolicy `json:"concurrencyPolicy,omitempty"`
	// Suspend keeps Jobs from being started. Default: false.
	// +optional
	Suspend *bool `json:"suspend,omitempty"`
	// JobTemplate is what the Jobs are made of.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	JobTemplate batchv1.JobTemplateSpec `json:"jobTemplate"`
	// SuccessfulJobsHistoryLimit is how many successful Jobs are kept. Default: 3.
	// +optional
	// +kubebuilder:validation:Minimum=0
	SuccessfulJobsHistoryLimit *int32 `json:"successfulJobsHistoryLimit,omitempty"`
	// FailedJobsHistoryLimit is how many failed Jobs are kept. Default: 1.
	// +optional
	// +kubebuilder:validation:Minimum=0
	FailedJobsHistoryLimit *int32 `json:"failedJobsHistoryLimit,omitempty"`
}

// CronJobStatus is what the controller has done and seen.
type CronJobStatus struct {
	// Active are the Jobs that run.
	// +optional
	Active []corev1.ObjectReference `json:"active,omitempty"`
	// LastScheduleTime is the scheduled time of the last Job that was started.
	// +optional
	LastScheduleTime *metav1.Time `json:"lastScheduleTime,omitempty"`
	// LastSuccessfulTime is when a Job last succeeded.
	// +optional
	LastSuccessfulTime *metav1.Time `json:"lastSuccessfulTime,omitempty"`
}

// CronJob starts Jobs by a schedule.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type CronJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   CronJobSpec   `json:"spec"`
	Status CronJobStatus `json:"status,omitzero"`
}

// CronJobList is a list of CronJobs.
//
// +kubebuilder:object:root=true
type CronJobList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []CronJob `json:"items"`
}

// RunTemplateSpec is what Runs are made of.
type RunTemplateSpec struct {
	// +optional
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec RunSpec `json:"spec"`
}

// RunSpec is one pod that runs to its end.
type RunSpec struct {
	// Pod is what it is made of.
	Pod corev1.PodTemplateSpec `json:"pod"`
	// Retries are how often it may fail. Default: up to who runs it.
	// +optional
	Retries *int32 `json:"retries,omitempty"`
	// Paused keeps it from being created. Default: false.
	// +optional
	Paused *bool `json:"paused,omitempty"`
}

// Phases by which a Run has ended.
const (
	RunSucceeded = "Succeeded"
	RunFailed    = "Failed"
)

// RunStatus is what became of the pod.
type RunStatus struct {
	// Phase is RunSucceeded or RunFailed once the Run has ended.
	// +optional
	Phase string `json:"phase,omitempty"`
	// Began and Ended are when it did.
	// +optional
	Began *metav1.Time `json:"began,omitempty"`
	// +optional
	Ended *metav1.Time `json:"ended,omitempty"`
}

// Run is a Job of a kind of its own. No controller of it is here: a check runs it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
type Run struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitzero"`

	Spec   RunSpec   `json:"spec"`
	Status RunStatus `json:"status,omitzero"`
}

// RunList is a list of Runs.
//
// +kubebuilder:object:root=true
type RunList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitzero"`

	Items []Run `json:"items"`
}
