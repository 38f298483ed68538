package expectations

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/report"
)

const kubernetes = "v1.37.1"

// checked judges specs as a run with a file of expectations does. The path may be empty.
func checked(t *testing.T, path string, specs ...spec.Spec) (*report.Report, record.Run) {
	t.Helper()
	var expected []spec.Expectation
	if path != "" {
		var err error
		if expected, err = Load(path); err != nil {
			t.Fatal(err)
		}
	}
	found := record.Run{Specs: slices.Clone(specs), Expectations: expected, Date: time.Unix(1e9, 0)}
	principals := table.Principals()
	for i, s := range found.Specs {
		s.Missed = slices.Clone(s.Missed)
		for j, m := range s.Missed {
			s.Missed[j].Principal = principals[m.Ground]
		}
		s.KnownIssue = spec.FindExpected(expected, s)
		found.Specs[i] = s
	}
	found.BlameGrounds()
	found.Settle(version.Skew{APIServer: kubernetes})
	return report.Judge(report.Run{Run: found, Cluster: report.Cluster{KubernetesVersion: kubernetes},
		Selection: report.Selection{Expectations: report.Expectations(expected)}}, table.All()), found
}

func ended(text string, end func(*spec.Spec), requirements ...string) spec.Spec {
	s := spec.Spec{Text: text, Labels: spec.Labels{Requirements: requirements}}
	end(&s)
	return s
}

func passed(s *spec.Spec) { s.Passed = true }
func failed(s *spec.Spec) {
	s.Failed, s.Cause, s.Asserted = true, spec.Assertion, true
	s.Message = "Not within 30s: the failed pod is replaced.\nstatus.failed of Job a is 0, not 1"
}
func broke(invariants ...string) func(*spec.Spec) {
	return func(s *spec.Spec) {
		s.Failed, s.Cause, s.Invariants = true, spec.Invariant, invariants
		s.Message = strings.Join(invariants, "\n")
	}
}
func unready(s *spec.Spec) {
	s.Passed, s.Missed = true, []spec.Missed{{Ground: spec.JobReady, Message: "status.ready of Job a is 0, not 1"}}
}

// A controller of which much fails in all ways: what is written of it makes the next run green, and
// the one after a repair says what holds by now.
func TestTheNextRunIsGreen(t *testing.T) {
	first := []spec.Spec{
		ended("a pod is replaced", failed, "JOB-COMPLETIONS-002", "JOB-BACKOFF-001"),
		ended("a pod is tracked", broke("job-pod-is-tracked"), "JOB-PARALLELISM-001"),
		ended("a pod is ready", unready, "JOB-PARALLELISM-002"),
		ended("a Job is complete", passed, "JOB-END-001"),
	}
	without, found := checked(t, "", first...)
	if found.Green() {
		t.Fatal("a run in which specs failed is green")
	}
	path := filepath.Join(t.TempDir(), "expectations.yaml")
	changes, err := Write(path, without)
	if err != nil {
		t.Fatal(err)
	}
	var broken []string
	for _, q := range without.Requirements {
		if q.Outcome == report.NonConformant {
			broken = append(broken, q.ID)
		}
	}
	if len(broken) < 4 || !slices.Equal(changes.Added, broken) || len(changes.Red)+len(changes.Dropped) > 0 {
		t.Errorf("%+v, want that %v are added", changes, broken)
	}
	with, found := checked(t, path, first...)
	if !found.Green() || len(with.KnownIssues) == 0 || with.Result != report.ResultPartial {
		t.Errorf("the run with the file is %s: %s", with.Result, with.Count())
	}
	if changes, err := Write(path, with); err != nil || len(changes.Added)+len(changes.Dropped) > 0 ||
		changes.Kept != len(broken) {
		t.Errorf("once more, it changes: %+v, %v", changes, err)
	}

	repaired := slices.Clone(first)
	repaired[0] = ended("a pod is replaced", passed, "JOB-COMPLETIONS-002", "JOB-BACKOFF-001")
	better, found := checked(t, path, repaired...)
	if found.Green() || better.Specs[spec.UnexpectedPass] != 1 {
		t.Errorf("what holds by now does not make the run red: %s", better.Count())
	}
	if changes, err = Write(path, better); err != nil ||
		!slices.Equal(changes.Dropped, []string{"JOB-BACKOFF-001", "JOB-COMPLETIONS-002"}) || len(changes.Red) > 0 {
		t.Errorf("%+v, %v, want that two are dropped", changes, err)
	}
	if _, found := checked(t, path, repaired...); !found.Green() {
		t.Error("the run with the file that was written anew is red")
	}
}

// The reasons are the message without what differs from run to run, for people to edit.
func TestReasons(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(*spec.Spec)
		want string
	}{
		"an expectation": {failed, `Not within 30s: the failed pod is replaced. status.failed of Job a is 0, not 1, in "s"`},
		"an invariant":   {broke("job-pods-are-needed", "job-counts-no-more-than-pods"), ", in \"s\""},
		"names and times": {func(s *spec.Spec) {
			failed(s)
			s.Message = "Pod a-1-ndcqb of 4449c443-135d-4552-b5d1-1a9f5e1df318 ended at 2026-11-26T08:28:20.1Z"
		}, `Pod a-1-* of UID ended at TIME, in "s"`},
	} {
		t.Run(name, func(t *testing.T) {
			r, _ := checked(t, "", ended("s", c.end, "JOB-COMPLETIONS-002"))
			for _, q := range r.Requirements {
				if fails(q) && !strings.HasSuffix(seen(q), c.want) {
					t.Errorf("%s: %s, want %s", q.ID, seen(q), c.want)
				}
			}
		})
	}
}

// What people have written stays as it is.
func TestEntriesThatHoldStay(t *testing.T) {
	path := write(t, `# Ours. See the wiki.
- requirement: JOB-COMPLETIONS-002 # all pods
  fails: we replace nothing
  issue: https://example.com/7
# planned
- feature: success-policy
  decline: v2
- requirement: CRON-ZONE
  fails: UTC only
`)
	var zones []string
	specs := []spec.Spec{ended("a pod is replaced", failed, "JOB-COMPLETIONS-002")}
	for _, q := range table.All() {
		if strings.HasPrefix(q.ID, "CRON-ZONE-") {
			zones = append(zones, q.ID)
			specs = append(specs, ended(q.ID, failed, q.ID))
		}
	}
	specs[1] = ended("a zone", passed, zones[0]) // one of the group holds
	specs = append(specs, ended("a delay", failed, "JOB-BACKOFF-001"))
	r, _ := checked(t, path, specs...)
	changes, err := Write(path, r)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(changes.Added, []string{"JOB-BACKOFF-001"}) || !slices.Equal(changes.Dropped, zones[:1]) ||
		changes.Kept != 2 {
		t.Errorf("%+v", changes)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"# Ours. See the wiki.\n- requirement: JOB-COMPLETIONS-002 # all pods\n  fails: we replace nothing\n",
		"# planned\n- feature: success-policy\n  decline: v2\n", "- requirement: " + zones[1] + "\n  fails: UTC only\n",
		"- requirement: JOB-BACKOFF-001\n  fails: "} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the file lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), zones[0]) {
		t.Errorf("%s holds, and is expected to fail:\n%s", zones[0], text)
	}
}

func TestNothingIsLeft(t *testing.T) {
	path := write(t, "- {requirement: JOB-COMPLETIONS-002, fails: x}\n")
	r, _ := checked(t, path, ended("a pod is replaced", passed, "JOB-COMPLETIONS-002"))
	if changes, err := Write(path, r); err != nil || len(changes.Dropped) != 1 {
		t.Fatalf("%+v, %v", changes, err)
	}
	if all, err := Load(path); err != nil || len(all) > 0 {
		t.Errorf("%v, %v, want a file that expects nothing", all, err)
	}
	none := filepath.Join(t.TempDir(), "none.yaml")
	if _, err := Write(none, r); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a file was made of a run in which nothing failed")
	}
}

// Nobody can expect what differs from run to run.
func TestFlakyAndHarnessErrorsGetNoEntry(t *testing.T) {
	again := func(s *spec.Spec) { failed(s); s.Again = &spec.Again{Passed: true} }
	r, _ := checked(t, "", ended("a", again, "JOB-END-001"),
		ended("b", func(s *spec.Spec) { failed(s); s.Cause = spec.Harness }, "JOB-COMPLETIONS-002"))
	r.Crashes = []spec.Crash{{Exit: "exit code 2"}}
	r.UnexpectedPasses = []report.Issue{{Issue: "kubernetes/kubernetes#7", Remedy: "take #7 off"}}
	path := filepath.Join(t.TempDir(), "expectations.yaml")
	changes, err := Write(path, r)
	if err != nil || len(changes.Added) > 0 || len(changes.Red) != 4 {
		t.Errorf("%+v, %v", changes, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("it made a file")
	}
}

func TestFilesThatCannotBeWritten(t *testing.T) {
	r, _ := checked(t, "", ended("a", failed, "JOB-END-001"))
	for name, path := range map[string]string{
		"a folder":       t.TempDir(),
		"no folder":      filepath.Join(t.TempDir(), "a", "b.yaml"),
		"another's file": write(t, "a: b"),
	} {
		if _, err := Write(path, r); !badinput.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
