package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/report"
)

// A rerun checks what was red, not the default.
func TestARerunHasTheFlagsOfItsReport(t *testing.T) {
	first := new(flags)
	given := []string{"-i", "exec:sh {kubeconfig}", "--controllers=job", "--decline=indexed,suspend", "--strict",
		"--labels=slow", "--output-dir=x"}
	if err := first.command().ParseFlags(given); err != nil {
		t.Fatal(err)
	}
	path := writeReport(t, report.Run{Implementation: report.Implementation{Name: first.implementation},
		Flags: first.given()})
	for name, c := range map[string]struct {
		given []string
		wrong string // empty: it is fine
	}{
		"nothing":            {nil, ""},
		"the same":           {[]string{"-i", "exec:sh {kubeconfig}"}, ""},
		"others that do not": {[]string{"--procs=1", "--output-dir=y"}, ""},
		"another": {[]string{"-i", "reference"},
			"had --implementation='exec:sh {kubeconfig}', and this one has --implementation=reference"},
		"more declined":   {[]string{"--decline=indexed"}, "leave --decline out"},
		"another version": {[]string{"--kubernetes-version=v1.36.1"}, "leave --kubernetes-version out"},
	} {
		t.Run(name, func(t *testing.T) {
			var f flags
			if err := f.command().ParseFlags(append(c.given, "--rerun-failed="+path)); err != nil {
				t.Fatal(err)
			}
			err := f.restore()
			if c.wrong != "" {
				if !badinput.Is(err) || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("%v, want %q", err, c.wrong)
				}
				return
			}
			if err != nil || f.implementation != first.implementation || !f.selection.Strict || f.labels != "" ||
				strings.Join(f.decline, " ") != "indexed suspend" || strings.Join(f.controllers, " ") != "job" {
				t.Errorf("it is run with %+v (%v)", f.given(), err)
			}
		})
	}
}

func TestARerunOfAReportWithoutFlags(t *testing.T) {
	for name, fine := range map[string]bool{"reference": true, "mine": false} {
		var f flags
		path := writeReport(t, report.Run{Implementation: report.Implementation{Name: name}})
		if err := f.command().ParseFlags([]string{"--rerun-failed=" + path}); err != nil {
			t.Fatal(err)
		}
		if err := f.restore(); (err == nil) != fine || err != nil && !badinput.Is(err) {
			t.Errorf("the report of %s: %v", name, err)
		}
	}
}

func writeReport(t *testing.T, run report.Run) string {
	t.Helper()
	run.Cluster.KubernetesVersion = "v1.37.1"
	run.Run = record.Run{Specs: []spec.Spec{{Text: "a", Failed: true,
		Labels: spec.Labels{Requirements: []string{table.All()[0].ID}}}}}
	dir := t.TempDir()
	if err := report.Write(dir, report.Judge(run, table.All())); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, report.FileName)
}
