package mutants

import (
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

// behaviours are the core of the contract: each needs two mutants.
var behaviours = []string{
	"parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "OnFailure", "concurrencyPolicy",
	"historyLimits",
}

func TestEveryBehaviourHasTwoMutantsThatFitTheCode(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, m := range all {
		count[m.Behaviour]++
		if m.Wrong == "" {
			t.Errorf("%s does not say what is wrong with it", m.Name)
		}
		if _, err := m.edited("../.."); err != nil {
			t.Error(err)
		}
	}
	for _, b := range behaviours {
		if count[b] < 2 {
			t.Errorf("behaviour %s has %d mutants, want 2 or more", b, count[b])
		}
	}
}

// A requirement that exists is covered by a spec: TestRequirementsAndSpecsFit in package
// suites holds that.
func TestEveryMutantBreaksRequirements(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range all {
		if m.Labels != "" && !m.Warns {
			t.Errorf("%s has labels, and does not only warn", m.Name)
		}
		if len(m.Breaks) == 0 {
			t.Errorf("%s does not say which requirement it breaks", m.Name)
		}
		for _, id := range m.Breaks {
			r, found := table.Find(id)
			switch {
			case !found:
				t.Errorf("%s breaks the unknown requirement %s: take an ID from suites/REQUIREMENTS.md", m.Name, id)
			case r.Profile() == contract.API && !m.ofResource():
				t.Errorf("%s breaks %s, which is about the API server", m.Name, id)
			case m.Warns && r.Level() == spec.Must:
				t.Errorf("%s may only warn, and breaks %s, which says MUST", m.Name, id)
			}
		}
	}
}

func TestWhatShowsThatAMutantIsCaught(t *testing.T) {
	covering := spec.Labels{Requirements: []string{"JOB-PARALLELISM-001"}}
	m := Mutant{Breaks: covering.Requirements}
	for name, c := range map[string]struct {
		mutant Mutant
		spec   spec.Spec
		want   bool
	}{
		"an expectation": {m,
			spec.Spec{Labels: covering, Failed: true, Asserted: true, Cause: spec.Assertion}, true},
		"an expectation, and more": {m, spec.Spec{Labels: covering, Failed: true, Asserted: true,
			Cause: spec.Invariant, Invariants: []string{"job-a"}}, true},
		"its invariant": {m, spec.Spec{Failed: true, Cause: spec.Invariant,
			Invariants: []string{"job-active-within-parallelism"}}, true},
		"an expectation of another": {m, spec.Spec{Failed: true, Asserted: true, Cause: spec.Assertion}, false},
		"another invariant": {m,
			spec.Spec{Labels: covering, Failed: true, Cause: spec.Invariant, Invariants: []string{"job-a"}}, false},
		"an exit": {m,
			spec.Spec{Labels: covering, Failed: true, Asserted: true, Cause: spec.ImplementationExited}, false},
		"an exit that is wanted": {Mutant{Breaks: m.Breaks, Crashes: true},
			spec.Spec{Labels: covering, Failed: true, Cause: spec.ImplementationExited}, true},
		"no exit although it is": {Mutant{Breaks: m.Breaks, Crashes: true},
			spec.Spec{Labels: covering, Failed: true, Asserted: true, Cause: spec.Assertion}, false},
		"an error of the harness": {m,
			spec.Spec{Labels: covering, Failed: true, Asserted: true, Cause: spec.Harness}, false},
		"a panic of the spec":          {m, spec.Spec{Labels: covering, Failed: true, Cause: spec.Assertion}, false},
		"a spec that has passed":       {m, spec.Spec{Labels: covering, Passed: true}, false},
		"a spec that was not selected": {m, spec.Spec{Labels: covering}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.mutant.caughtBy([]spec.Spec{c.spec}) != nil; got != c.want {
				t.Errorf("caught is %t, want %t", got, c.want)
			}
		})
	}
}

func TestACopyOfAMutantImportsItself(t *testing.T) {
	p := packages{
		"controller": {"main.go": "package main\n\nimport \"" + module +
			"controller/job\"\n\nfunc main() { job.New().Run() }\n"},
		"controller/job": {"job.go": "package job\n\nimport \"" + module +
			"controller/job/plan\"\n\ntype T struct{ plan.P }\n\nfunc New() T " +
			"{ return T{P: plan.P{}} }\n"},
		"controller/job/plan": {"plan.go": "package plan\n"},
		"controller/cronjob":  {"cronjob.go": "package cronjob\n"},
	}
	wrong := "package plan\n\ntype P struct{}\n\nfunc (P) Run() {}\n"
	got, err := p.copy("/r", "a_b", map[string]string{"/r/controller/job/plan/plan.go": wrong}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/r/controller/mutants/a_b_main.go": "package main\n\nimport \"" + module +
			"controller/mutants/job\"\n\nfunc main_a_b() { job.New_a_b().Run() }\n",
		"/r/controller/mutants/job/a_b_job.go": "package job\n\nimport \"" + module +
			"controller/mutants/job/plan\"\n\ntype T_a_b struct{ plan.P_a_b }\n\nfunc New_a_b() T_a_b " +
			"{ return T_a_b{P_a_b: plan.P_a_b{}} }\n",
		"/r/controller/mutants/job/plan/a_b_plan.go": "package plan\n\ntype P_a_b struct{}\n\nfunc (P_a_b) Run() {}\n",
	} {
		if got[path] != want {
			t.Errorf("%s is %q, want %q", path, got[path], want)
		}
	}
	if len(got) != 3 {
		t.Errorf("%d files were copied, want 3", len(got))
	}
}
