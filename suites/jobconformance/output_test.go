package main

import (
	"bytes"
	"encoding/json"
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
	if err := printJSON(&out, listed([]spec.Listed{{Spec: spec.Spec{Text: "a <b>", Labels: spec.Labels{Requirements: []string{"JOB-END-001"}, Level: spec.Must}}}})); err != nil {
		t.Fatal(err)
	}
	var got []listedSpec
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || len(got) != 1 || got[0].Spec != "a <b>" || got[0].Requirements[0] != "JOB-END-001" {
		t.Errorf("%v, %+v from %s", err, got, out.String())
	}
}
