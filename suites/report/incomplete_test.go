package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
)

// left is a spec that a run did not come to.
func left(s *spec.Spec) { s.Interrupted, s.Message = true, "not verified: interrupted by SIGINT" }

func incomplete(specs ...spec.Spec) Run {
	run := Run{Run: record.Run{Specs: specs, Incomplete: "interrupted by SIGINT"},
		Implementation: Implementation{Name: "mine"}, Cluster: Cluster{KubernetesVersion: "v1.37.1"}}
	return run
}

// What has failed is red, whatever ended the run; without a failure there is no verdict.
func TestAnIncompleteRunIsNeverGreen(t *testing.T) {
	for name, c := range map[string]struct {
		run  Run
		want Result
	}{
		"all passed so far": {incomplete(ended("a", passed, "JOB-A-001"), ended("b", left, "JOB-A-002")),
			ResultNoVerdict},
		"none was run": {incomplete(ended("a", left, "JOB-A-001"), ended("b", left, "JOB-A-002")),
			ResultNoVerdict},
		"one failed": {incomplete(ended("a", failed, "JOB-A-001"), ended("b", left, "JOB-A-002")),
			ResultNonConformant},
	} {
		r := Judge(c.run, requirements)
		if r.Result != c.want || r.Incomplete != "interrupted by SIGINT" || !slices.Contains(r.NotRun, "b") {
			t.Errorf("%s: %s, %q, not run: %q", name, r.Result, r.Incomplete, r.NotRun)
		}
		var summary strings.Builder
		if err := r.Summarize(&summary); err != nil || !strings.Contains(summary.String(),
			"The run is incomplete: interrupted by SIGINT. Specs not run: ") {
			t.Errorf("%s: the summary is\n%s", name, &summary)
		}
		suite := jUnit(c.run, r, nil)
		if suite.Errors != 1 || suite.TestSuites[0].TestCases[2].Error.Message != "interrupted by SIGINT" {
			t.Errorf("%s: %d errors in junit.xml, want that the run did not come to its end", name, suite.Errors)
		}
		if page := pageOf(t, r); !strings.Contains(page, "<dt>incomplete</dt>") {
			t.Errorf("%s: the page does not say that the run is incomplete", name)
		}
	}
}

func pageOf(t *testing.T, r *Report) string {
	t.Helper()
	folder := t.TempDir()
	if err := WritePage(folder, r, nil, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(folder, PageName))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A harness that fails leaves specs to run, as well.
func TestSpecsThatAFailureOfTheHarnessLeft(t *testing.T) {
	run := incomplete(ended("a", left, "JOB-A-001"), ended("b", notRun, "JOB-A-001"))
	run.Incomplete, run.HarnessError = "", "no room"
	if r := Judge(run, requirements); !slices.Equal(r.NotRun, []string{"a"}) || r.Result != ResultNoVerdict ||
		r.Unfinished() != "the harness failed: no room" {
		t.Errorf("%s, not run: %q, %q", r.Result, r.NotRun, r.Unfinished())
	}
	run.HarnessError = "" // it ended with the first failure, as asked for
	if r := Judge(run, requirements); len(r.NotRun) > 0 || r.Unfinished() != "" {
		t.Errorf("not run: %q, %q", r.NotRun, r.Unfinished())
	}
}

func TestCompareWithAnIncompleteReport(t *testing.T) {
	for name, c := range map[string]struct {
		now                Outcome
		regressed, verdict bool
	}{
		"not come to":  {spec.NotVerified, false, false},
		"harness":      {spec.HarnessError, false, false},
		"broken":       {NonConformant, true, true},
		"holds":        {Conformant, false, false},
		"declined now": {spec.Declined, true, true},
	} {
		old, now := with(Conformant, Conformant), with(Conformant, c.now)
		now.Incomplete = "interrupted by SIGINT"
		got, err := Compare(old, now)
		if err != nil {
			t.Fatal(err)
		}
		if got.Regressed() != c.regressed || got.NoVerdict() == c.verdict {
			t.Errorf("%s: regressed %t, no verdict %t", name, got.Regressed(), got.NoVerdict())
		}
		var b strings.Builder
		if got.Print(&b); strings.Contains(b.String(), "\nNO VERDICT") == c.verdict ||
			!strings.Contains(b.String(), "note: the new one is incomplete") {
			t.Errorf("%s: it prints\n%s", name, &b)
		}
	}
}

func TestMergeOfIncompleteShards(t *testing.T) {
	cut := func(r *Run) {
		r.Specs[1].Passed, r.Incomplete = false, "interrupted by SIGTERM"
		left(&r.Specs[1])
	}
	unborn := func(r *Run) { // its cluster never came to be
		cut(r)
		r.Duration, r.Cluster.NodeImage, r.Cluster.KubernetesVersion = 0, "unknown", ""
	}
	for name, change := range map[string]func(*Run){"in the middle": cut, "at its start": unborn} {
		for _, turned := range []bool{false, true} {
			folders := []string{publishShard(t, 1, nil), publishShard(t, 2, change)}
			if turned {
				slices.Reverse(folders)
			}
			m, err := Merge(folders)
			if err != nil {
				t.Fatal(err)
			}
			r, _, err := m.Write(t.TempDir())
			if err != nil || r.Result != ResultNoVerdict || r.Incomplete != "shard 2: interrupted by SIGTERM" ||
				!slices.Equal(r.NotRun, []string{"Job a: is two"}) || r.Cluster.KubernetesVersion != "v1.37.1" ||
				!m.NoVerdict() {
				t.Errorf("%s: %s, %q, not run: %q, %+v (%v)", name, r.Result, r.Incomplete, r.NotRun, r.Cluster, err)
			}
		}
	}
}
