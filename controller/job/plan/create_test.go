package plan

import (
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

func TestNewPods(t *testing.T) {
	job := MakeJob(WithIndexes)
	job.Name = strings.Repeat("x", 63)
	pod := newPod(job, 7, nil)
	if want := strings.Repeat("x", 55) + "-7-"; pod.GenerateName != want {
		t.Errorf("prefix %s, want %s", pod.GenerateName, want)
	}
	if pod.Labels[batchv1.JobCompletionIndexAnnotation] != "7" || CompletionIndex(pod) != 7 || pod.Spec.Hostname != job.Name+"-7" {
		t.Errorf("%+v", pod)
	}
	if env := pod.Spec.Containers[0].Env; len(env) != 1 || env[0].ValueFrom.FieldRef.FieldPath != "metadata.labels['batch.kubernetes.io/job-completion-index']" {
		t.Errorf("%+v", env)
	}
	job.Spec.Template.Spec.InitContainers = []corev1.Container{{Name: "setup", Env: []corev1.EnvVar{{Name: completionIndexEnv, Value: "mine"}}}}
	if env := newPod(job, 7, nil).Spec.InitContainers[0].Env; len(env) != 1 || env[0].Value != "mine" {
		t.Errorf("a variable of the user's is overwritten: %+v", env)
	}
	if len(job.Spec.Template.Labels) != 2 || len(job.Spec.Template.Spec.Containers[0].Env) != 0 {
		t.Error("the template changed")
	}
	owner := newPod(MakeJob(), noIndex, nil).OwnerReferences[0]
	if !*owner.Controller || !*owner.BlockOwnerDeletion || owner.Kind != "Job" || owner.APIVersion != "batch/v1" {
		t.Errorf("%+v", owner)
	}
}
