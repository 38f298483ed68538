package explore

import (
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/protocol"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
)

func TestEveryScenarioCanBeRead(t *testing.T) {
	scenarios, err := Scenarios(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(scenarios) < 20 {
		t.Errorf("there are %d scenarios, 20 or more are promised", len(scenarios))
	}
	if _, err := Scenarios(regexp.MustCompile("^nothing$")); !badinput.Is(err) {
		t.Errorf("no scenario: %v", err)
	}
}

func TestPlansAreReadAsTheyAreWritten(t *testing.T) {
	seen := Seen{
		Writes: map[string]int{"create pods": 2, "update jobs/status": 1},
		Events: map[string]int{"pods": 3},
	}
	plans := seen.Plans()
	if len(plans) != 3*4+3 {
		t.Errorf("%d plans: %v", len(plans), plans)
	}
	both := slices.Concat(plans[0], plans[len(plans)-1])
	for _, plan := range append(plans, both) {
		again, err := ParsePlan(plan.String())
		if err != nil || !slices.Equal(again, plan) {
			t.Errorf("%q became %q: %v", plan, again, err)
		}
	}
	if plan, err := ParsePlan(None); err != nil || len(plan) != 0 {
		t.Errorf("%q, %v", plan, err)
	}
}

func TestImpossiblePlansAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "create pods: lose answer", "create pods 0: lose answer", "create pods 1: hold", "watch pods 1: lose answer",
		"get pods 1: answer 500", "create pods 1: explode", "create pods 1: kill before;", "create pods 1: kill before, create pods 2: kill before",
	} {
		if plan, err := ParsePlan(text); !badinput.Is(err) {
			t.Errorf("%q became %q: %v", text, plan, err)
		}
	}
}

func TestResultsAreOfUseToTheSameImplementationOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	sc := Scenario{Name: "a", Text: "text"}
	plan := Plan{{"create", "pods", 1, Fail}}
	one := Identity{"reference", "1", "v1.37.1"}
	open := func(identity Identity, fresh bool) *Results {
		t.Helper()
		r, err := OpenResults(path, identity, fresh)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	if err := open(one, false).add(sc, plan, Outcome{Scenario: "a", Plan: plan.String(), Reached: true}); err != nil {
		t.Fatal(err)
	}
	has := func(r *Results, s Scenario, p Plan) bool { _, found := r.find(s, p); return found }
	if !has(open(one, false), sc, plan) {
		t.Error("a result is lost")
	}
	if has(open(one, false), Scenario{Name: "a", Text: "other"}, plan) {
		t.Error("a result is of use for another text")
	}
	if has(open(one, false), sc, nil) {
		t.Error("a result is of use for another plan")
	}
	if has(open(Identity{"reference", "2", "v1.37.1"}, true), sc, plan) || !has(open(one, false), sc, plan) {
		t.Error("a fresh start of one implementation is not its own")
	}
	if has(open(one, true), sc, plan) || has(open(one, false), sc, plan) {
		t.Error("a fresh start knows old results")
	}
}

func TestKnownDeviationsExplainNothingElse(t *testing.T) {
	known := []protocol.Bug{{Explored: protocol.Explored{Scenario: "del.*", Plan: "patch pods [0-9]+: .*", Cause: "step 3"}}}
	at := Outcome{Scenario: "deletion", Plan: "patch pods 2: answer 500", Causes: []string{"step 3"}}
	if knownOf(known, at) == nil {
		t.Error("it is not known")
	}
	for what, change := range map[string]func(*Outcome){
		"another scenario": func(o *Outcome) { o.Scenario = "completions" },
		"another plan":     func(o *Outcome) { o.Plan = "create pods 2: answer 500" },
		"another cause":    func(o *Outcome) { o.Causes = []string{"step 3", "job-x"} },
		"no violation":     func(o *Outcome) { o.Causes = nil },
	} {
		other := at
		change(&other)
		if knownOf(known, other) != nil {
			t.Errorf("%s is known", what)
		}
	}
}

func TestScenariosAreForVersions(t *testing.T) {
	sc := Scenario{Since: "v1.32.0"}
	for version, want := range map[string]bool{"v1.31.14": false, "v1.32.0": true, "v1.32.0-rc.1": true, "v1.37.1": true, "strange": false} {
		if sc.In(version) != want {
			t.Errorf("%s: %t", version, !want)
		}
	}
	scenarios, err := Scenarios(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name := range since {
		if !slices.ContainsFunc(scenarios, func(s Scenario) bool { return s.Name == name }) {
			t.Errorf("there is no scenario %s", name)
		}
	}
}
