package report

import (
	"encoding/xml"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"

	"github.com/joshdk/go-junit"
)

// read writes a run and reads it with a library that CI tools use.
func read(t *testing.T, run Run) junit.Suite {
	t.Helper()
	folder := t.TempDir()
	run.Cluster.KubernetesVersion = "v1.37.1"
	pictures := map[string]Picture{}
	for _, s := range run.Specs {
		pictures[s.Text] = Picture{Again: "make e2e FOCUS='" + s.Text + "'", Details: "The last events of " + s.Text,
			Refused: "13 times patch jobs/a/status: 422"}
	}
	if err := WriteJUnit(folder, run, Judge(run, requirements), pictures); err != nil {
		t.Fatal(err)
	}
	suites, err := junit.IngestFile(filepath.Join(folder, JUnitName))
	if err != nil || len(suites) != 1 {
		t.Fatalf("%d suites, %v", len(suites), err)
	}
	return suites[0]
}

func TestJUnitHasTheOutcomeOfEachSpec(t *testing.T) {
	other := ended("Job x: of another version", notRun)
	other.Versions = []string{"< 1.31.0"}
	specs := []spec.Spec{
		ended("Job x: passes", passed, "JOB-A-001"), ended("Job x: <fails>", quoting, "JOB-A-001"),
		ended("Job x: warns", should),
		ended("Job x: is known", known), ended("Job x: is fixed", fixed), ended("Job x: has no API server", harness),
		ended("Job x: is left out", notRun), ended("Job x: is cut off", cutOff), ended("no theme", passed), other,
		ended("Job x: is declined", func(s *spec.Spec) { s.Declined = []string{"indexed"} }),
	}
	suite := read(t, Run{Run: record.Run{Specs: specs, Crashes: []spec.Crash{{Exit: "exit code 1", Log: "panic: no"}},
		Interferences: []spec.Interference{{What: "deletes a node", Object: "nodes a", Spec: "Job x: fails"}}}})
	tests := map[string]junit.Test{}
	for _, test := range suite.Tests {
		name := test.Name
		if test.Classname != spec.Suite {
			name = test.Classname + ": " + name
		}
		tests[name] = test
	}
	if len(suite.Tests) != 11 || len(tests) != 11 {
		t.Errorf("%d tests, want 9 specs, one for the exit and one for the interference", len(suite.Tests))
	}
	for name, want := range map[string]struct {
		status  junit.Status
		message string
		output  string
	}{
		"Job x: passes":  {junit.StatusPassed, "", ""},
		"Job x: <fails>": {junit.StatusFailed, "JOB-A-001: Not within 30s.", "Again: make e2e FOCUS='Job x: <fails>'"},
		"Job x: warns": {junit.StatusSkipped, "warning, its requirements say SHOULD: Expected 1 to equal 2",
			""},
		"Job x: is known": {junit.StatusSkipped,
			"known issue kubernetes/kubernetes#7 (Kubernetes < 1.38.0): It forgets.", ""},
		"Job x: is fixed": {junit.StatusFailed,
			"the known bug kubernetes/kubernetes#7 did not show: take it off the list of known " +
				"bugs, or correct its versions", ""},
		"Job x: has no API server": {junit.StatusError, "no API server", ""},
		"Job x: is cut off":        {junit.StatusSkipped, "not verified: the time was over", ""},
		"Job x: is declined":       {junit.StatusSkipped, "declined: the implementation does not claim indexed", ""},
		"no theme":                 {junit.StatusPassed, "", ""},
		"the implementation runs until it is stopped": {junit.StatusFailed, "exit code 1", "panic: no"},
		"the controller does not interfere": {junit.StatusFailed,
			"the controller interferes: deletes a node: nodes a (in the spec \"Job x: fails\")", ""},
	} {
		got, found := tests[name]
		if !found || got.Status != want.status || got.Message != want.message {
			t.Errorf("%s: %s with %q, want %s with %q", name, got.Status, got.Message, want.status, want.message)
		}
		if got.Error != nil && !strings.Contains(got.Error.Error(), want.output) {
			t.Errorf("%s: %v lacks %q", name, got.Error, want.output)
		}
		class, _, found := strings.Cut(name, ": ")
		if !found {
			class = spec.Suite
		}
		if got.Classname != class {
			t.Errorf("%s has the class %q, want %q", name, got.Classname, class)
		}
	}
	if out := tests["Job x: <fails>"].SystemOut; !strings.Contains(out, "13 times patch jobs/a/status: 422\n"+
		"The last events of Job x: <fails>") {
		t.Errorf("a failed spec has the output %q", out)
	}
	if out := tests["Job x: passes"].SystemOut; out != "" {
		t.Errorf("a spec that passed has the output %q", out)
	}
	if out := tests["Job x: is known"].SystemOut; !strings.Contains(out, "Expected 1 to equal 2") {
		t.Errorf("a known issue has the output %q, want the failure", out)
	}
	if n := suite.Totals; n.Passed != 2 || n.Failed != 4 || n.Error != 1 || n.Skipped != 4 {
		t.Errorf("totals %+v", n)
	}
}

func cutOff(s *spec.Spec) { s.Message = "not verified: the time was over" }

// A label that is edited must not cost a test its history.
func TestNamesInJUnitDoNotChangeWithLabels(t *testing.T) {
	plain := ended("Job x: passes", passed)
	labelled := ended("Job x: passes", passed, "JOB-A-001")
	labelled.Behaviours, labelled.Versions, labelled.Level = []string{"x"}, []string{">= 1.31.0"}, spec.Should
	a, b := read(t, Run{Run: record.Run{Specs: []spec.Spec{plain}}}).Tests[0],
		read(t, Run{Run: record.Run{Specs: []spec.Spec{labelled}}}).Tests[0]
	if a.Name != b.Name || a.Classname != b.Classname {
		t.Errorf("%s of %s, then %s of %s", a.Name, a.Classname, b.Name, b.Classname)
	}
}

// The attributes of a suite count what is in it, for readers that do not count.
func TestJUnitCounts(t *testing.T) {
	folder := t.TempDir()
	run := Run{Run: record.Run{Specs: []spec.Spec{ended("a", failed), ended("b", harness), ended("c", cutOff),
		ended("d", passed), ended("e", notRun)}, HarnessError: "the API server ended"}}
	if err := WriteJUnit(folder, run, Judge(run, requirements), nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, JUnitName))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Suite    struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
		} `xml:"testsuite"`
	}
	if err := xml.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if s := got.Suite; s.Tests != 5 || s.Failures != 1 || s.Errors != 2 || s.Skipped != 1 || got.Tests != s.Tests ||
		got.Failures != s.Failures || got.Errors != s.Errors {
		t.Errorf("%+v", got)
	}
}

func TestJUnitSaysWhereSpecsAre(t *testing.T) {
	s := ended("Job x: fails", failed)
	s.Source, s.Location = spec.Source{File: "suites/job/x.go", Line: 40}, spec.Source{File: "suites/job/y.go", Line: 7}
	run := Run{Run: record.Run{Specs: []spec.Spec{s}}}
	text, err := xml.Marshal(jUnit(run, Judge(run, requirements), nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		` file="suites/job/x.go"`, `<property name="line" value="40">`,
		"suites/job/y.go:7 (spec: suites/job/x.go:40)",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("it lacks %s:\n%s", want, text)
		}
	}
}
