package job

import (
	"context"
	"encoding/json"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// patch is a strategic merge patch of a pod's metadata.
type patch struct{ meta map[string]any }

// newPatch fits only this very pod, not another one of the same name.
func newPatch(pod *corev1.Pod) patch { return patch{map[string]any{"uid": pod.UID}} }

func removeFinalizer(pod *corev1.Pod) patch {
	p := newPatch(pod)
	if hasFinalizer(pod) {
		p.meta["$deleteFromPrimitiveList/finalizers"] = []string{batchv1.JobTrackingFinalizer}
	}
	return p
}

func (c *Controller) patch(ctx context.Context, m *memory, pod *corev1.Pod, p patch) error {
	answer, err := c.send(ctx, pod, p)
	if err == nil {
		m.sawPod(answer)
	}
	return err
}

func (c *Controller) send(ctx context.Context, pod *corev1.Pod, p patch) (*corev1.Pod, error) {
	body, err := json.Marshal(map[string]any{"metadata": p.meta})
	if err != nil {
		return nil, err
	}
	return c.client.CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, body, metav1.PatchOptions{})
}
