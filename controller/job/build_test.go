package job

import (
	"fmt"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/controller/job/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// Noon is the time at which tests begin.
var Noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// MakeJob returns a Job of one pod that was started a minute before Noon, as an API server returns it.
func MakeJob(changes ...func(*batchv1.Job)) *batchv1.Job {
	labels := map[string]string{batchv1.ControllerUidLabel: "job-uid"}
	job := &batchv1.Job{}
	job.Namespace, job.Name, job.UID, job.ResourceVersion = "ns", "pi", "job-uid", "10"
	job.Spec.BackoffLimit = ptr.To[int32](6)
	job.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	job.Spec.Template.Labels = labels
	job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
	job.Spec.Template.Spec.Containers = []corev1.Container{{Name: "main", Image: "pi"}}
	job.Status.StartTime = ptr.To(metav1.NewTime(Noon.Add(-time.Minute)))
	Size(1, 1)(job)
	for _, change := range changes {
		change(job)
	}
	return job
}

func Size(parallelism, completions int32) func(*batchv1.Job) {
	return func(j *batchv1.Job) { j.Spec.Parallelism, j.Spec.Completions = &parallelism, &completions }
}

func Unstarted(j *batchv1.Job) { j.Status.StartTime = nil }
func Indexed(j *batchv1.Job)   { j.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion) }

// MakePod reads "NAME [PHASE] [bare] [deleted] [1h]": bare has no finalizer, and the duration is for
// how long the pod has existed or, if it has ended, been over.
func MakePod(text string) *corev1.Pod {
	words := strings.Fields(text)
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name, pod.UID, pod.ResourceVersion = "ns", words[0], types.UID(words[0]), "5"
	pod.Labels = map[string]string{batchv1.ControllerUidLabel: "job-uid"}
	pod.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(MakeJob(), plan.Kind)}
	pod.Finalizers = []string{batchv1.JobTrackingFinalizer}
	pod.Status.Phase = corev1.PodPending
	since := time.Duration(0)
	for _, word := range words[1:] {
		switch word {
		case "running":
			pod.Status.Phase = corev1.PodRunning
		case "succeeded":
			pod.Status.Phase = corev1.PodSucceeded
		case "failed":
			pod.Status.Phase = corev1.PodFailed
		case "bare":
			pod.Finalizers = nil
		case "deleted":
			pod.DeletionTimestamp = ptr.To(metav1.NewTime(Noon))
		default:
			var err error
			if since, err = time.ParseDuration(word); err != nil {
				panic(err)
			}
		}
	}
	pod.CreationTimestamp = metav1.NewTime(Noon.Add(-since))
	if plan.Terminal(pod) {
		code := map[corev1.PodPhase]int32{corev1.PodFailed: 1}[pod.Status.Phase]
		pod.Status.ContainerStatuses = exited(code, pod.CreationTimestamp.Time)
	}
	return pod
}

// exited is the status of a pod's only container.
func exited(code int32, at time.Time) []corev1.ContainerStatus {
	end := &corev1.ContainerStateTerminated{ExitCode: code, FinishedAt: metav1.NewTime(at)}
	return []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{Terminated: end}}}
}

// describeStatus puts a status into a line, without what is empty or zero.
func describeStatus(s batchv1.JobStatus) string {
	var parts []string
	for _, count := range []struct {
		of string
		n  int32
	}{{"active", s.Active}, {"ready", ptr.Deref(s.Ready, 0)}, {"terminating", ptr.Deref(s.Terminating, 0)},
		{"succeeded", s.Succeeded}, {"failed", s.Failed}} {
		if count.n != 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", count.of, count.n))
		}
	}
	if u := s.UncountedTerminatedPods; u != nil && len(u.Succeeded)+len(u.Failed) > 0 {
		parts = append(parts, fmt.Sprintf("uncounted=%v", *u))
	}
	if s.CompletedIndexes != "" || s.FailedIndexes != nil {
		parts = append(parts, fmt.Sprintf("indexes=%s/%s", s.CompletedIndexes, ptr.Deref(s.FailedIndexes, "")))
	}
	for _, c := range s.Conditions {
		parts = append(parts, fmt.Sprintf("%s=%s", c.Type, c.Status))
	}
	if s.StartTime == nil {
		parts = append(parts, "unstarted")
	}
	if s.CompletionTime != nil {
		parts = append(parts, "completed")
	}
	return strings.Join(parts, ", ")
}
