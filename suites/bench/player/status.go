package player

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// run lets all containers of a pod run, ready.
func run(pod *corev1.Pod) {
	now := metav1.Now()
	pod.Status.Phase = corev1.PodRunning
	pod.Status.StartTime = &now
	pod.Status.Conditions = conditions(corev1.ConditionTrue, "", now)
	pod.Status.ContainerStatuses = nil
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Ready: true, Started: ptr.To(true),
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: now}},
		})
	}
}

// end lets them end, with the exit code of the pod's annotation.
func end(pod *corev1.Pod) {
	now := metav1.Now()
	code, _ := strconv.ParseInt(pod.Annotations[ExitCode], 10, 32)
	phase, reason, why := corev1.PodSucceeded, "Completed", "PodCompleted"
	if code != 0 {
		phase, reason, why = corev1.PodFailed, "Error", "PodFailed"
	}
	pod.Status.Phase = phase
	pod.Status.Conditions = conditions(corev1.ConditionFalse, why, now)
	for i := range pod.Status.ContainerStatuses {
		s := &pod.Status.ContainerStatuses[i]
		started := now
		if s.State.Running != nil {
			started = s.State.Running.StartedAt
		}
		s.Ready, s.Started = false, ptr.To(false)
		s.State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: int32(code), Reason: reason, StartedAt: started, FinishedAt: now,
		}}
	}
}

func conditions(ready corev1.ConditionStatus, reason string, now metav1.Time) []corev1.PodCondition {
	return []corev1.PodCondition{
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: now},
		{Type: corev1.PodReady, Status: ready, Reason: reason, LastTransitionTime: now},
		{Type: corev1.ContainersReady, Status: ready, Reason: reason, LastTransitionTime: now},
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: now},
	}
}
