package expectations

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

func TestLoad(t *testing.T) {
	path := write(t, `# ours
- requirement: JOB-PARALLELISM-002
  decline: one pod at a time
- {requirement: CRON-ZONE, fails: " we know UTC only ", issue: "example.com/7"}

- feature: success-policy
  decline: planned
`)
	all, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	zones, policies := 0, 0
	for _, e := range all {
		r, _ := table.Find(e.Requirement)
		switch {
		case e.Requirement == "JOB-PARALLELISM-002":
			if e.Fails || e.String() != "one pod at a time" || e.Entry != path+":2" {
				t.Errorf("%+v", e)
			}
		case strings.HasPrefix(e.Requirement, "CRON-ZONE-"):
			zones++
			if !e.Fails || e.String() != "we know UTC only (example.com/7)" || e.Entry != path+":4" {
				t.Errorf("%+v", e)
			}
		case r.Feature == contract.SuccessPolicy:
			policies++
			if e.Fails || e.Entry != path+":6" || len(e.Invariants) != len(r.Invariants) {
				t.Errorf("%+v", e)
			}
		default:
			t.Errorf("also expects something of %s", e.Requirement)
		}
	}
	if zones < 2 || policies < 5 {
		t.Errorf("%d requirements of zones and %d of policies", zones, policies)
	}
}

func TestMistakesHaveALine(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"empty":           {"", ":1: it is empty"},
		"no list":         {"requirement: JOB-STATUS-003", "line 1: cannot unmarshal"},
		"no YAML":         {"- requirement: JOB-STATUS-003\n   decline: x", "line 2: mapping values"},
		"unknown ID":      {"\n- {requirement: JOB-NONE-001, decline: x}", `:2: unknown requirement "JOB-NONE-001"`},
		"half a word":     {"- {requirement: CRON-ZO, decline: x}", `unknown requirement "CRON-ZO"`},
		"unknown feature": {"- {feature: magic, decline: x}", `:1: unknown feature "magic"`},
		"core":            {"- {feature: core, decline: x}", ":1: the core cannot be declined"},
		"nothing named":   {"- {decline: x}", ":1: it names no requirement"},
		"two things":      {"- {requirement: CRON-ZONE, feature: suspend, decline: x}", ":1: it names no requirement"},
		"no reason":       {"- {requirement: CRON-ZONE}", ":1: it has no reason"},
		"an empty reason": {"- {requirement: CRON-ZONE, decline: ' '}", ":1: it has no reason"},
		"both":            {"- {requirement: CRON-ZONE, decline: x, fails: y}", ":1: it has no reason, or two"},
		"twice": {"- {requirement: CRON-ZONE, decline: x}\n- {requirement: CRON-ZONE-001, fails: y}",
			":2: CRON-ZONE-001 is expected already, in line 1"},
		"unknown field": {"- {requirement: CRON-ZONE, declined: x}", `line 1: unknown field "declined"`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(write(t, c.text))
			if !badinput.Is(err) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !badinput.Is(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func write(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "expectations.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
