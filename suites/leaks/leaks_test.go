package leaks

import (
	"context"
	_ "embed"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/internal/mutant"
	"github.com/jobconformance/jobconformance/suites/internal/selftest"
	"github.com/jobconformance/jobconformance/suites/mutants"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

//go:embed leaks.yaml
var descriptions []byte

// leaky is a controller that keeps something of objects that are gone.
type leaky struct {
	Name string `json:"name"`
	// Wrong says in a sentence what it does.
	Wrong string `json:"wrong"`
	// Leaks is the name of the gauge that shows it.
	Leaks string `json:"leaks"`
	// Edits make it of the reference controller.
	Edits []mutant.Edit `json:"edits"`
}

func all(t *testing.T) []leaky { return selftest.Described[leaky](t, descriptions) }

func TestLeakyControllersFitTheCode(t *testing.T) {
	for _, l := range all(t) {
		if _, err := mutant.Apply("../..", l.Edits); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
		known := slices.ContainsFunc(gauges, func(g gauge) bool { return g.name == l.Leaks })
		if !known || l.Wrong == "" {
			t.Errorf("%s is incomplete", l.Name)
		}
	}
}

// TestLeaksAreFound has waves of objects come and go under each of them, and under the reference.
func TestLeaksAreFound(t *testing.T) {
	names := selftest.Named(t, "LEAKS", "test")
	some := slices.DeleteFunc(all(t), func(l leaky) bool { return !names.MatchString(l.Name) })
	var sources []mutants.Mutant
	for _, l := range some {
		sources = append(sources, mutants.Mutant{Name: l.Name, Edits: l.Edits})
	}
	selftest.Scenarios(t, "../..", "leaks", sources,
		func(ctx context.Context, env *run.Environment, environment scenario.Environment,
			programs map[string]string) error {
			check := func(name string) (tally *Tally) {
				t.Run(name, func(t *testing.T) {
					var err error
					o := Options{Waves: 5, Objects: 40, Progress: os.Stdout}
					if tally, err = Run(ctx, env, environment, o); err != nil {
						t.Fatal(err)
					}
					tally.Print(os.Stdout, name)
				})
				return tally
			}
			if tally := check(implementation.Reference); tally != nil && len(tally.Leaks()) > 0 {
				t.Errorf("the reference leaks: %s", strings.Join(tally.Leaks(), "\n"))
			}
			for _, l := range some {
				wrong, err := implementation.Parse("exec:" + programs[l.Name] +
					" --kubeconfig={kubeconfig} --leader-elect=false --metrics-bind-address={metrics}")
				if err != nil {
					return err
				}
				environment.Implementation = wrong
				tally := check(l.Name)
				found := func(leak string) bool { return strings.Contains(leak, l.Leaks) }
				if tally != nil && !slices.ContainsFunc(tally.Leaks(), found) {
					t.Errorf("%s is not caught: %s", l.Name, l.Wrong)
				}
			}
			return nil
		})
}
