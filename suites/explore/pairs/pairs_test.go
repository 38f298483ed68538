// Package pairs holds controllers that keep the contract alone, and break it with the objects of another one:
// a hand-over has to show each of them.
package pairs

import (
	"context"
	_ "embed"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/explore"
	"github.com/jobconformance/jobconformance/suites/internal/mutant"
	"github.com/jobconformance/jobconformance/suites/internal/selftest"
	"github.com/jobconformance/jobconformance/suites/mutants"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

//go:embed pairs.yaml
var descriptions []byte

// pair is a controller that takes over from the reference.
type pair struct {
	Name string `json:"name"`
	// Wrong says in a sentence what it does.
	Wrong string `json:"wrong"`
	// Scenarios is a regular expression on the names of those that show it.
	Scenarios string `json:"scenarios"`
	// Edits make it of the reference controller.
	Edits []mutant.Edit `json:"edits"`
}

func all(t *testing.T) []pair { return selftest.Described[pair](t, descriptions) }

func TestPairsFitTheCode(t *testing.T) {
	for _, p := range all(t) {
		if _, err := mutant.Apply("../../..", p.Edits); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
		if _, err := explore.Scenarios(regexp.MustCompile(p.Scenarios)); err != nil || p.Wrong == "" {
			t.Errorf("%s is incomplete: %v", p.Name, err)
		}
	}
}

// TestWrongPairsAreCaught has each of them take over from the reference. The environment variable PAIRS is a
// regular expression on the names of some.
func TestWrongPairsAreCaught(t *testing.T) {
	names := selftest.Named(t, "PAIRS", "test")
	some := slices.DeleteFunc(all(t), func(p pair) bool { return !names.MatchString(p.Name) })
	var sources []mutants.Mutant
	for _, p := range some {
		sources = append(sources, mutants.Mutant{Name: p.Name, Edits: p.Edits})
	}
	selftest.Scenarios(t, "../../..", "pairs", sources,
		func(ctx context.Context, env *run.Environment, environment scenario.Environment,
			programs map[string]string) error {
			environment.Patience = 10 * time.Second // they do what they do at once, or never
			for _, p := range some {
				t.Run(p.Name, func(t *testing.T) { p.check(t, ctx, env, environment, programs[p.Name]) })
			}
			return nil
		})
}

func (p pair) check(t *testing.T, ctx context.Context, env *run.Environment, environment scenario.Environment,
	program string) {
	wrong, err := implementation.Parse("exec:" + program +
		" --kubeconfig={kubeconfig} --leader-elect=false --metrics-bind-address=0")
	if err != nil {
		t.Fatal(err)
	}
	scenarios, err := explore.Scenarios(regexp.MustCompile(p.Scenarios))
	if err != nil {
		t.Fatal(err)
	}
	alone := environment
	alone.Implementation = wrong
	for _, s := range scenarios {
		if r, _, err := explore.On(alone)(ctx, s, nil); err != nil || !r.Green() {
			t.Fatalf("alone, %s: %v %s", s.Name, err, r.Why())
		}
	}
	environment.Successors = []implementation.Implementation{wrong}
	folder := filepath.Join(env.Reports, p.Name)
	results, err := explore.OpenResults(filepath.Join(folder, "results.jsonl"),
		explore.Identity{Implementation: "reference, then " + p.Name}, true)
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	e := explore.Explorer{
		Runner: explore.On(environment), Results: results, Folder: folder, Workers: 3, Out: os.Stdout, HandOver: true,
		FailFast: true, Again: func(_, plan string) string { return plan },
	}
	tally, err := e.Run(ctx, scenarios)
	if err != nil {
		t.Fatal(err)
	}
	tally.Print(os.Stdout)
	if !tally.Red() {
		t.Errorf("it was not caught: %s", p.Wrong)
	}
}
