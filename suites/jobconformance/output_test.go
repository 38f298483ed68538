package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/spec"
)

func TestOutput(t *testing.T) {
	var f format
	if err := f.Set("yaml"); err == nil || !strings.Contains(err.Error(), "json") {
		t.Errorf("yaml: %v, want an error that names the formats", err)
	}
	var out bytes.Buffer
	labels := []string{"requirement:JOB-END-001", "level:must", "slow"}
	s := spec.Spec{Text: "a <b>", Source: spec.Source{File: "suites/a.go", Line: 7}, Labels: spec.ParseLabels(labels)}
	if err := printJSON(&out, listed([]spec.Listed{{Spec: s}})); err != nil {
		t.Fatal(err)
	}
	var got []listedSpec
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got) != 1 || got[0].Spec != "a <b>" ||
		got[0].Requirements[0] != "JOB-END-001" {
		t.Errorf("%v, %+v from %s", err, got, out.String())
	}
	if got[0].File != "suites/a.go" || got[0].Line != 7 || !slices.Equal(got[0].Labels, labels) {
		t.Errorf("the spec is at %s:%d with %q", got[0].File, got[0].Line, got[0].Labels)
	}
}
