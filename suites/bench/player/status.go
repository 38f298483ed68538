package player

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// end lets a pod's containers have run, and be over, with the exit code of the
// pod's annotation.
func end(pod *corev1.Pod) {
	now := metav1.Now()
	code, _ := strconv.ParseInt(pod.Annotations[ExitCode], 10, 32)
	phase, reason, why := corev1.PodSucceeded, "Completed", "PodCompleted"
	if code != 0 {
		phase, reason, why = corev1.PodFailed, "Error", "PodFailed"
	}
	pod.Status.Phase = phase
	pod.Status.StartTime = &now
	pod.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: now},
		{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: why, LastTransitionTime: now},
		{Type: corev1.ContainersReady, Status: corev1.ConditionFalse, Reason: why, LastTransitionTime: now},
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: now},
	}
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Started: ptr.To(false),
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: int32(code), Reason: reason, StartedAt: now, FinishedAt: now,
			}},
		})
	}
}
