package main

import (
	"bytes"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/yaml"
)

func TestGenJobHasOneIndexForEachShard(t *testing.T) {
	var out, errs bytes.Buffer
	args := []string{"gen", "job", "--shards=3", "--parallelism=2", "--cpu=500m", "--image=a", "--claim=b", "--", "-i",
		"kube-controller-manager"}
	if code := execute(t.Context(), args, &out, &errs); code != exitGreen {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	var job batchv1.Job
	if err := yaml.UnmarshalStrict(out.Bytes(), &job); err != nil {
		t.Fatal(err)
	}
	if *job.Spec.Parallelism != 2 || job.Spec.Template.Spec.Containers[0].Resources.Requests.Cpu().String() != "500m" {
		t.Errorf("%+v", job.Spec)
	}
	if *job.Spec.Completions != 3 || *job.Spec.CompletionMode != batchv1.IndexedCompletion ||
		*job.Spec.BackoffLimitPerIndex < 1 {
		t.Errorf("%+v", job.Spec)
	}
	want := []string{"jobconformance", "run", "--shard=auto/3", "--output-dir=/results/$(JOB_COMPLETION_INDEX)", "-i",
		"kube-controller-manager"}
	if got := job.Spec.Template.Spec.Containers[0].Command; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestGenJobWithoutAVolumePrintsResults(t *testing.T) {
	var out, errs bytes.Buffer
	if code := execute(t.Context(), []string{"gen", "job", "--image=a"}, &out, &errs); code != exitGreen {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	var job batchv1.Job
	if err := yaml.UnmarshalStrict(out.Bytes(), &job); err != nil {
		t.Fatal(err)
	}
	pod := job.Spec.Template.Spec
	if !slices.Contains(pod.Containers[0].Command, "--print-results") || pod.Volumes[0].EmptyDir == nil {
		t.Errorf("%+v", pod)
	}
}
