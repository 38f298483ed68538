package report

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// A badge is green for what was verified, and for nothing else.
func TestBadge(t *testing.T) {
	of := func(result Result, outcomes ...Outcome) *Report {
		r := with(outcomes...)
		r.Result = result
		return r
	}
	incomplete := of(ResultNoVerdict, Conformant, Conformant)
	incomplete.Incomplete = "interrupted by SIGINT"
	crashed := of(ResultNonConformant, Conformant)
	crashed.Crashes = []spec.Crash{{}}
	provisional := of(ResultConformant, Conformant, NonConformant)
	provisional.Requirements[1].Provisional = true
	expected := of(ResultPartial, Conformant, spec.KnownIssue)
	expected.Requirements[1].Expected = &Expectation{}
	both := of(ResultNonConformant, Conformant, NonConformant)
	both.Requirements[1].ID = "CRON-A-001"
	for name, c := range map[string]struct {
		report         *Report
		message, color string
		job            string // the message of this part; empty for the same
	}{
		"conformant": {of(ResultConformant, Conformant, Conformant),
			"conformant, 2 of 2 requirements", "brightgreen", ""},
		"a known issue": {of(ResultConformant, Conformant, spec.KnownIssue),
			"conformant, 1 of 2 requirements", "green", ""},
		"a feature declined": {of(ResultConformant, Conformant, spec.Declined),
			"conformant, 1 of 2 requirements", "green", ""},
		"partial": {of(ResultPartial, Conformant, spec.NotVerified),
			"partial, 1 of 2 requirements", "yellow", ""},
		"expected to fail": {expected,
			"partial, 1 of 2 requirements", "yellow", ""},
		"broken": {of(ResultNonConformant, Conformant, NonConformant),
			"non-conformant, 1 of 2 requirements", "red", ""},
		"a crash": {crashed,
			"non-conformant, 1 of 1 requirements", "red", ""},
		"ended early": {incomplete,
			"no verdict, 2 of 2 requirements", "lightgrey", ""},
		"provisional": {provisional,
			"conformant, 1 of 1 requirements", "brightgreen", ""},
		"broken in other part": {both, "non-conformant, 1 of 2 requirements", "red", "conformant, 1 of 1 requirements"},
		"all declined":         {of(ResultConformant, spec.Declined), "declined, 0 of 1 requirements", "lightgrey", ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, found := c.report.Badge("")
			if want := (Badge{1, "batch/v1 conformance", c.message, c.color}); !found || b != want {
				t.Errorf("%+v, want %+v", b, want)
			}
			if c.job == "" {
				c.job = c.message
			}
			b, found = c.report.Badge(contract.Job)
			if !found || b.Label != "batch/v1 Job conformance" || b.Message != c.job {
				t.Errorf("of Jobs: %+v, want %s", b, c.job)
			}
			if _, found := c.report.Badge(contract.API); found {
				t.Error("there is a badge of no requirement")
			}
		})
	}
}

func TestWriteBadge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "badge.json")
	if err := WriteBadge(path, Badge{1, "a", "b", "c"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	var got map[string]any
	if err == nil {
		err = json.Unmarshal(text, &got)
	}
	if err != nil || len(got) != 4 || got["schemaVersion"] != 1.0 || got["label"] != "a" || got["message"] != "b" ||
		got["color"] != "c" {
		t.Errorf("%s, %v", text, err)
	}
	if err := WriteBadge(filepath.Join(path, "x"), Badge{}); !badinput.Is(err) {
		t.Errorf("%v", err)
	}
}
