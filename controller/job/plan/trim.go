package plan

import (
	"maps"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// Trim empties the fields of a pod that neither a Plan nor its execution depends on, which are most
// of it: a controller keeps thousands of pods in memory.
func Trim(pod *corev1.Pod) {
	pod.ManagedFields = nil
	maps.DeleteFunc(pod.Annotations, func(key, _ string) bool { return !slices.Contains(indexAnnotations, key) })
	if len(pod.Annotations) == 0 {
		pod.Annotations = nil
	}
	var sidecars []corev1.Container
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy != nil {
			sidecars = append(sidecars, corev1.Container{Name: c.Name, RestartPolicy: c.RestartPolicy})
		}
	}
	pod.Spec = corev1.PodSpec{NodeName: pod.Spec.NodeName, InitContainers: sidecars}
	pod.Status = corev1.PodStatus{
		Phase:                 pod.Status.Phase,
		Conditions:            trimConditions(pod),
		InitContainerStatuses: trimStatuses(pod.Status.InitContainerStatuses),
		ContainerStatuses:     trimStatuses(pod.Status.ContainerStatuses),
	}
}

// indexAnnotations are all that a Plan reads.
var indexAnnotations = []string{batchv1.JobCompletionIndexAnnotation, batchv1.JobIndexFailureCountAnnotation,
	batchv1.JobIndexIgnoredFailureCountAnnotation}

// trimConditions returns the conditions without reasons and messages. Of a pod that succeeded, only
// Ready matters: it may say when the pod ended. Of others, a podFailurePolicy may name any.
func trimConditions(pod *corev1.Pod) (kept []corev1.PodCondition) {
	for _, c := range pod.Status.Conditions {
		if pod.Status.Phase != corev1.PodSucceeded || c.Type == corev1.PodReady {
			kept = append(kept, corev1.PodCondition{Type: c.Type, Status: c.Status,
				LastTransitionTime: c.LastTransitionTime})
		}
	}
	return kept
}

func trimStatuses(statuses []corev1.ContainerStatus) []corev1.ContainerStatus {
	for i := range statuses {
		s := &statuses[i]
		*s = corev1.ContainerStatus{Name: s.Name, RestartCount: s.RestartCount,
			State: corev1.ContainerState{Terminated: s.State.Terminated}}
		if end := s.State.Terminated; end != nil {
			*end = corev1.ContainerStateTerminated{ExitCode: end.ExitCode, FinishedAt: end.FinishedAt}
		}
	}
	return statuses
}
