package plan

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

func TestOrphaned(t *testing.T) {
	finished := Is(batchv1.JobComplete, corev1.ConditionTrue)
	other := func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/other") }
	ofReplicaSet := MakePod("a running")
	ofReplicaSet.OwnerReferences[0].Kind = "ReplicaSet"
	for _, row := range []struct {
		name     string
		pod      *corev1.Pod
		owner    *batchv1.Job
		matching []batchv1.Job
		want     bool
	}{
		{"a pod whose Job counts it", MakePod("a running"), MakeJob(), nil, false},
		{"a pod whose Job is finished", MakePod("a running"), MakeJob(finished), nil, true},
		{"a pod whose Job is gone", MakePod("a running"), nil, nil, true},
		{"a pod whose finished Job is another controller's", MakePod("a running"), MakeJob(finished, other), nil, false},
		{"a pod of another kind of controller", ofReplicaSet, nil, nil, false},
		{"a pod that a Job will adopt", MakePod("a running orphan"), nil, []batchv1.Job{*MakeJob()}, false},
		{"a pod that no Job will adopt, as it is being deleted", MakePod("a running orphan deleted"), nil, []batchv1.Job{*MakeJob()}, true},
		{"a pod that only a finished Job matches", MakePod("a running orphan"), nil, []batchv1.Job{*MakeJob(finished)}, true},
		{"a pod that nothing matches", MakePod("a running orphan"), nil, nil, true},
	} {
		if got := Orphaned(row.pod, row.owner, row.matching); got != row.want {
			t.Errorf("%s: %t", row.name, got)
		}
	}
}

func TestFailureAction(t *testing.T) {
	job := MakeJob(Rule("Ignore In 42"))
	for pod, want := range map[string]bool{"a failed exit=42": true, "a failed exit=1": false, "a running exit=42": false} {
		if _, matched := FailureAction(job, MakePod(pod)); matched != want {
			t.Errorf("%s: %t", pod, matched)
		}
	}
}

func TestByProgress(t *testing.T) {
	pods := MakePods("unknown", "sidecar running", "steady running", "fresh running ready ago=1s", "old running ready ago=9s", "unborn", "pending", "unassigned")
	pods[0].Status.Phase, pods[0].Spec.NodeName, pods[6].Spec.NodeName = corev1.PodUnknown, "node", "node"
	pods[1].Spec.InitContainers = []corev1.Container{{Name: "proxy", RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)}}
	pods[1].Status.InitContainerStatuses = []corev1.ContainerStatus{{Name: "proxy", RestartCount: 3}}
	pods[5].CreationTimestamp.Reset()
	var got string
	for _, pod := range byProgress(pods) {
		got += pod.Name + " "
	}
	if want := "unborn unassigned pending unknown sidecar steady fresh old "; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
