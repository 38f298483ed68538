// Package wrong holds controllers that explorations show to be wrong by one dimension alone.
package wrong

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

//go:embed wrong.yaml
var descriptions []byte

// wrong is a controller that only one dimension exposes.
type wrong struct {
	Name string `json:"name"`
	// Wrong says in a sentence what it does.
	Wrong string `json:"wrong"`
	// Also is the name of the dimension.
	Also string `json:"also"`
	// Scenarios is a regular expression on the names of those that show it.
	Scenarios string `json:"scenarios"`
	// Edits make it of the reference controller.
	Edits []mutant.Edit `json:"edits"`
}

func all(t *testing.T) []wrong { return selftest.Described[wrong](t, descriptions) }

func TestWrongControllersFitTheCode(t *testing.T) {
	for _, w := range all(t) {
		if _, err := mutant.Apply("../../..", w.Edits); err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
		of, err := explore.Dimensions(w.Also)
		if err != nil {
			t.Errorf("%s: %v", w.Name, err)
		}
		if _, err := explore.Scenarios(regexp.MustCompile(w.Scenarios), of...); err != nil || w.Wrong == "" {
			t.Errorf("%s is incomplete: %v", w.Name, err)
		}
	}
}

// TestDimensionsShowWhatNothingElseShows explores each of them without its dimension, and with it. The environment
// variable WRONG is a regular expression on the names of some.
func TestDimensionsShowWhatNothingElseShows(t *testing.T) {
	names := selftest.Named(t, "WRONG", "test")
	some := slices.DeleteFunc(all(t), func(w wrong) bool { return !names.MatchString(w.Name) })
	var sources []mutants.Mutant
	for _, w := range some {
		sources = append(sources, mutants.Mutant{Name: w.Name, Edits: w.Edits})
	}
	selftest.Scenarios(t, "../../..", "wrong", sources,
		func(ctx context.Context, env *run.Environment, environment scenario.Environment,
			programs map[string]string) error {
			environment.Patience = 10 * time.Second // they do what they do at once, or never
			for _, w := range some {
				t.Run(w.Name, func(t *testing.T) {
					impl, err := implementation.Parse("exec:" + programs[w.Name] +
						" --kubeconfig={kubeconfig} --leader-elect=false --metrics-bind-address=0")
					if err != nil {
						t.Fatal(err)
					}
					environment.Implementation = impl
					if w.explore(t, ctx, env, environment).Red() {
						t.Error("what goes wrong in every exploration shows it, too")
					}
					if !w.explore(t, ctx, env, environment, w.Also).Red() {
						t.Errorf("it was not caught: %s", w.Wrong)
					}
				})
			}
			return nil
		})
}

// explore returns what an exploration with some dimensions shows of the controller.
func (w wrong) explore(t *testing.T, ctx context.Context, env *run.Environment, environment scenario.Environment,
	also ...string) *explore.Tally {
	t.Helper()
	of, err := explore.Dimensions(w.Also)
	if err != nil {
		t.Fatal(err)
	}
	scenarios, err := explore.Scenarios(regexp.MustCompile(w.Scenarios), of...)
	if err != nil {
		t.Fatal(err)
	}
	dimensions, err := explore.Dimensions(also...)
	if err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(env.Reports, w.Name)
	results, err := explore.OpenResults(filepath.Join(folder, "results.jsonl"),
		explore.Identity{Implementation: w.Name}, len(also) == 0)
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	e := explore.Explorer{
		Runner: explore.On(environment), Results: results, Folder: folder, Workers: 6, Out: os.Stdout, FailFast: true,
		Also: dimensions, Each: 1000, Again: func(_, plan string) string { return plan },
	}
	tally, err := e.Run(ctx, scenarios)
	if err != nil {
		t.Fatal(err)
	}
	tally.Print(os.Stdout)
	return tally
}
