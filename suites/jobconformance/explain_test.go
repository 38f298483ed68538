package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/mutants"
)

func TestExplainFindsByIDAndByItsBeginning(t *testing.T) {
	for word, want := range map[string]struct{ requirements, rules int }{
		"JOB-TRACKING-001":   {1, 0},
		"job-tracking-001":   {1, 0},
		"job-pod-is-tracked": {0, 1},
		"JOB-TRACK":          {0, 0},
		"nothing":            {0, 0},
	} {
		if r, i := named(word); len(r) != want.requirements || len(i) != want.rules {
			t.Errorf("%s stands for %d requirements and %d invariants, want %v", word, len(r), len(i), want)
		}
	}
	if r, _ := named("JOB-TRACKING"); len(r) < 2 {
		t.Errorf("JOB-TRACKING stands for %d requirements", len(r))
	}
}

func TestExplainSuggestsTheNearestID(t *testing.T) {
	for word, want := range map[string]string{
		"JOB-TRACKNG-001":   "did you mean JOB-TRACKING-001?",
		"job-pod-is-traked": "did you mean job-pod-is-tracked?",
		"xyz":               "jobconformance explain lists all",
	} {
		if got := unknownID(word).Error(); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %s", word, got)
		}
	}
}

func TestExplainWhatARequirementIsAbout(t *testing.T) {
	r, _ := table.Find("JOB-BACKOFF-002")
	var out bytes.Buffer
	explainRequirement(&out, r, nil, nil)
	const want = "what it is about\n" +
		"    A pod of a Job failed, and backoffLimit was not exceeded. (failed-within-limit)\n"
	if !strings.Contains(out.String(), want) {
		t.Errorf("it lacks %q:\n%s", want, &out)
	}
}

func TestExplainARequirement(t *testing.T) {
	r, _ := table.Find("JOB-TRACKING-001")
	covering := spec.Spec{Text: "Job a: b", Source: spec.Source{File: "suites/job/a.go", Line: 7}}
	covering.Requirements = []string{r.ID}
	other := spec.Spec{Text: "Job c: d"}
	var out bytes.Buffer
	explainRequirement(&out, r, []spec.Listed{{Spec: covering}, {Spec: other}},
		[]mutants.Mutant{{Wrong: "It forgets.", Breaks: []string{r.ID}}, {Wrong: "It sleeps.", Breaks: []string{"X"}}})
	for _, want := range []string{r.ID, r.Text, "It forgets.", "Job a: b", "suites/job/a.go:7", "job-pod-is-tracked",
		"--requirement=" + r.ID} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not have %q:\n%s", want, &out)
		}
	}
	for _, no := range []string{"It sleeps.", "Job c: d"} {
		if strings.Contains(out.String(), no) {
			t.Errorf("it has %q", no)
		}
	}
}
