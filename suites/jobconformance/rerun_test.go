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

// A rerun of a run that was ended comes to what that did not come to.
func TestARerunOfAnIncompleteReport(t *testing.T) {
	covers := spec.Labels{Requirements: []string{table.All()[0].ID}}
	passed := spec.Spec{Text: "c", Passed: true, Labels: covers}
	left := spec.Spec{Text: "b", Interrupted: true, Labels: covers}
	failed := spec.Spec{Text: "a", Failed: true, Labels: covers}
	for name, c := range map[string]struct {
		of    record.Run
		focus string
		err   string
	}{
		"failed and left": {record.Run{Incomplete: "x", Specs: []spec.Spec{failed, left, passed}},
			spec.Exactly("a", "b"), ""},
		"only left":     {record.Run{HarnessError: "x", Specs: []spec.Spec{left, passed}}, spec.Exactly("b"), ""},
		"nothing known": {record.Run{Incomplete: "x"}, "", "does not know of any spec, as its run was ended: x"},
		"all passed":    {record.Run{Specs: []spec.Spec{passed}}, "", errNothingFailed.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			f := flags{rerunFailed: writeReport(t, report.Run{Run: c.of})}
			var err error
			if f.earlier, err = report.Load(f.rerunFailed); err == nil {
				err = f.rerun()
			}
			if f.selection.Focus != c.focus || (err == nil) != (c.err == "") ||
				err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("it runs %q (%v), want %q", f.selection.Focus, err, c.focus)
			}
		})
	}
}

func writeReport(t *testing.T, run report.Run) string {
	t.Helper()
	run.Cluster.KubernetesVersion = "v1.37.1"
	if run.Specs == nil && run.Incomplete == "" {
		run.Run = record.Run{Specs: []spec.Spec{{Text: "a", Failed: true,
			Labels: spec.Labels{Requirements: []string{table.All()[0].ID}}}}}
	}
	dir := t.TempDir()
	if err := report.Write(dir, report.Judge(run, table.All())); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, report.FileName)
}
