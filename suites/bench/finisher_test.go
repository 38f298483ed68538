package bench

import (
	"testing"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
)

func pod(name, scheduler, code string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name, Annotations: map[string]string{exitCode: code}},
		Spec:       corev1.PodSpec{SchedulerName: scheduler, Containers: []corev1.Container{{Name: "main", Image: "none"}}},
		Status:     corev1.PodStatus{Phase: corev1.PodPending},
	}
}

func TestFinisherEndsItsPods(t *testing.T) {
	g, ctx := NewWithT(t), t.Context()
	c := fake.NewClientset(pod("early", scheduler, "0"))
	p, err := finishPods(ctx, c, "a")
	g.Expect(err).NotTo(HaveOccurred())
	defer p.stop()
	for _, made := range []*corev1.Pod{pod("failing", scheduler, "3"), pod("foreign", "default-scheduler", "0")} {
		_, err := c.CoreV1().Pods("a").Create(ctx, made, metav1.CreateOptions{})
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Eventually(p.ended.Load).Should(BeEquivalentTo(2))
	g.Expect(p.err()).NotTo(HaveOccurred())

	phase := func(name string) corev1.PodStatus {
		seen, err := c.CoreV1().Pods("a").Get(ctx, name, metav1.GetOptions{})
		g.Expect(err).NotTo(HaveOccurred())
		return seen.Status
	}
	g.Expect(phase("early").Phase).To(Equal(corev1.PodSucceeded))
	g.Expect(phase("failing").Phase).To(Equal(corev1.PodFailed))
	g.Expect(phase("failing").ContainerStatuses[0].State.Terminated.ExitCode).To(BeEquivalentTo(3))
	g.Expect(phase("foreign").Phase).To(Equal(corev1.PodPending))
}
