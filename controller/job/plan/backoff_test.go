package plan

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestBackoffDoublesUpToItsMax(t *testing.T) {
	for failures, want := range map[int]time.Duration{1: 10 * time.Second, 2: 20 * time.Second, 6: 320 * time.Second, 7: 10 * time.Minute, 1 << 30: 10 * time.Minute} {
		if got := DefaultBackoff.after(failures, Noon).Sub(Noon); got != want {
			t.Errorf("after %d failures %s, want %s", failures, got, want)
		}
	}
}

func TestFinishTime(t *testing.T) {
	at := func(d time.Duration) metav1.Time { return metav1.NewTime(Noon.Add(d)) }
	ended := func(name string, d time.Duration) corev1.ContainerStatus {
		return corev1.ContainerStatus{Name: name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: at(d)}}}
	}
	unready := []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: at(-5 * time.Second)}}
	for _, row := range []struct {
		name   string
		change func(*corev1.Pod)
		want   time.Duration
	}{
		{"the last container", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{ended("a", -20*time.Second), ended("b", -10*time.Second)}
		}, -10 * time.Second},
		{"a sidecar ends last", func(p *corev1.Pod) {
			p.Spec.InitContainers = []corev1.Container{{Name: "setup"}, {Name: "proxy", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)}}
			p.Status.ContainerStatuses = []corev1.ContainerStatus{ended("a", -20*time.Second)}
			p.Status.InitContainerStatuses = []corev1.ContainerStatus{ended("setup", 0), ended("proxy", -15*time.Second)}
		}, -15 * time.Second},
		{"a container without a time, but readiness has one", func(p *corev1.Pod) {
			p.Status.ContainerStatuses = []corev1.ContainerStatus{ended("a", -20*time.Second), {Name: "b"}}
			p.Status.Conditions = unready
		}, -5 * time.Second},
		{"when its deletion began", func(p *corev1.Pod) {
			p.DeletionTimestamp, p.DeletionGracePeriodSeconds = ptr.To(at(30*time.Second)), ptr.To[int64](33)
		}, -3 * time.Second},
		{"at worst its creation", func(*corev1.Pod) {}, -time.Minute},
	} {
		pod := MakePod("a")
		row.change(pod)
		if got := finishTime(pod).Sub(Noon); got != row.want {
			t.Errorf("%s: %s, want %s", row.name, got, row.want)
		}
	}
}
