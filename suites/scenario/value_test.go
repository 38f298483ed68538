package scenario

import (
	"reflect"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
)

func TestTextsAreFilled(t *testing.T) {
	now := time.Date(2026, 7, 15, 12, 0, 30, 500, time.UTC)
	world := map[string]any{"jobs": map[string]any{"a": map[string]any{
		"metadata": map[string]any{"uid": "1-2"}, "spec": map[string]any{"parallelism": int64(3)},
		"status": map[string]any{"active": []any{}},
	}}}
	for text, want := range map[string]any{
		"plain":                                 "plain",
		"${jobs.a.metadata.uid}":                "1-2",
		"uid ${jobs.a.metadata.uid}, ${1 + 1}":  "uid 1-2, 2",
		"${jobs.a.spec.parallelism}":            int64(3),
		"${now}":                                "2026-07-15T12:00:30Z",
		"${now - duration('9m30s')}":            "2026-07-15T11:51:00Z",
		"${now.getMinutes()} ${now.getHours()}": "0 12",
		"${jobs.a.status.failed}":               "no such key: failed",
		"${jobs.a.status.active}":               "is a list, and no text, number or time",
	} {
		got, err := fill(map[string]any{"x": []any{text}}, world, now)
		if err != nil {
			if wrong, isText := want.(string); !isText || !strings.Contains(err.Error(), wrong) {
				t.Errorf("%s: %v, want %v", text, err, want)
			}
			continue
		}
		if want := map[string]any{"x": []any{want}}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %#v, want %#v", text, got, want)
		}
	}
}

// The type of a field that is one expression is known only when that is evaluated.
func TestAnObjectWithExpressionsIsReadAndFilled(t *testing.T) {
	s, err := Read("open.yaml", []byte(`description: d
steps:
- create:
    apiVersion: batch/v1
    kind: Job
    metadata: {name: a, labels: {of: "${jobs.b.metadata.uid}"}}
    spec:
      parallelism: "${1 + 1}"
      template: {spec: {restartPolicy: Never, containers: [{name: main, image: puppet}]}}
- create: {apiVersion: example.com/v1, kind: Widget, metadata: {name: w}, spec: {x: 1}}
`))
	if err != nil {
		t.Fatal(err)
	}
	world := map[string]any{"jobs": map[string]any{"b": map[string]any{"metadata": map[string]any{"uid": "7"}}}}
	object, err := s.Steps[0].Create.filled(func(v any) (any, error) { return fill(v, world, time.Now()) })
	if err != nil {
		t.Fatal(err)
	}
	job, isJob := object.(*batchv1.Job)
	if !isJob || *job.Spec.Parallelism != 2 || job.Labels["of"] != "7" {
		t.Errorf("it is %v", object)
	}
	if kind := kindOf(s.Steps[1].Create.Object); kind != "Widget" {
		t.Errorf("the kind is %q", kind)
	}
	text, err := s.YAML()
	if err != nil || !strings.Contains(string(text), "${jobs.b.metadata.uid}") {
		t.Errorf("it is written as %s, %v", text, err)
	}
	if _, err := Read("again.yaml", text); err != nil {
		t.Error(err)
	}
}
