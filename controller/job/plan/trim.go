package plan

import corev1 "k8s.io/api/core/v1"

// Trim empties the fields of a pod that neither a Plan nor its execution depends on, which are most
// of it: a controller keeps thousands of pods in memory.
func Trim(pod *corev1.Pod) {
	var sidecars []corev1.Container
	for _, c := range pod.Spec.InitContainers {
		if c.RestartPolicy != nil {
			sidecars = append(sidecars, corev1.Container{Name: c.Name, RestartPolicy: c.RestartPolicy})
		}
	}
	pod.Spec = corev1.PodSpec{NodeName: pod.Spec.NodeName, InitContainers: sidecars}
	pod.Status = corev1.PodStatus{
		Phase:                 pod.Status.Phase,
		Conditions:            pod.Status.Conditions,
		InitContainerStatuses: trimStatuses(pod.Status.InitContainerStatuses),
		ContainerStatuses:     trimStatuses(pod.Status.ContainerStatuses),
	}
	for i := range pod.Status.Conditions {
		c := &pod.Status.Conditions[i]
		*c = corev1.PodCondition{Type: c.Type, Status: c.Status, LastTransitionTime: c.LastTransitionTime}
	}
}

func trimStatuses(statuses []corev1.ContainerStatus) []corev1.ContainerStatus {
	for i := range statuses {
		s := &statuses[i]
		*s = corev1.ContainerStatus{Name: s.Name, RestartCount: s.RestartCount, State: corev1.ContainerState{Terminated: s.State.Terminated}}
		if end := s.State.Terminated; end != nil {
			*end = corev1.ContainerStateTerminated{ExitCode: end.ExitCode, FinishedAt: end.FinishedAt}
		}
	}
	return statuses
}
