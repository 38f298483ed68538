package plan

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestTrim(t *testing.T) {
	at, always := metav1.NewTime(Noon), ptr.To(corev1.ContainerRestartPolicyAlways)
	pod, want := MakePod("a ix=1"), MakePod("a ix=1")
	pod.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubelet"}}
	pod.Annotations["example.com/notes"] = "of a user"
	pod.Spec = corev1.PodSpec{
		NodeName:       "node",
		InitContainers: []corev1.Container{{Name: "setup"}, {Name: "proxy", Image: "proxy", RestartPolicy: always}},
		Containers:     []corev1.Container{{Name: "main", Image: "pi"}},
	}
	want.Spec = corev1.PodSpec{NodeName: "node",
		InitContainers: []corev1.Container{{Name: "proxy", RestartPolicy: always}}}
	full := func(name string) []corev1.ContainerStatus {
		return []corev1.ContainerStatus{
			{Name: name, Image: "pi", RestartCount: 3,
				State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 4, Reason: "Error",
					FinishedAt: at}}},
			{Name: "runs", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: at}}},
		}
	}
	kept := func(name string) []corev1.ContainerStatus {
		return []corev1.ContainerStatus{
			{Name: name, RestartCount: 3,
				State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 4,
					FinishedAt: at}}},
			{Name: "runs"},
		}
	}
	pod.Status = corev1.PodStatus{
		Phase: corev1.PodFailed, Message: "failed", PodIP: "10.0.0.1",
		Conditions: []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
			Reason: "Evicted", LastTransitionTime: at}},
		InitContainerStatuses: full("proxy"), ContainerStatuses: full("main"),
	}
	want.Status = corev1.PodStatus{
		Phase: corev1.PodFailed,
		Conditions: []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue,
			LastTransitionTime: at}},
		InitContainerStatuses: kept("proxy"), ContainerStatuses: kept("main"),
	}
	for range 2 { // a cache.TransformFunc may see an object again
		Trim(pod)
		if diff := cmp.Diff(want, pod); diff != "" {
			t.Fatal(diff)
		}
	}
}

// TestTrimSucceeded: of a pod that succeeded there is no more to learn than when.
func TestTrimSucceeded(t *testing.T) {
	at := metav1.NewTime(Noon)
	pod := MakePod("a succeeded")
	pod.Annotations = map[string]string{"example.com/notes": "of a user"}
	pod.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: at},
		{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: "PodCompleted", LastTransitionTime: at},
	}
	want := MakePod("a succeeded")
	want.Annotations = nil
	want.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse,
		LastTransitionTime: at}}
	Trim(pod)
	if diff := cmp.Diff(want, pod); diff != "" {
		t.Error(diff)
	}
}
