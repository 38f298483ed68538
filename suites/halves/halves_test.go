package halves

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/internal/mutant"
	"github.com/jobconformance/jobconformance/suites/internal/selftest"
	"github.com/jobconformance/jobconformance/suites/mutants"
	"github.com/jobconformance/jobconformance/suites/report"
)

func all(t *testing.T) []Half {
	t.Helper()
	halves, err := All()
	if err != nil {
		t.Fatal(err)
	}
	return halves
}

func TestHalvesFitTheCode(t *testing.T) {
	for _, h := range all(t) {
		if _, err := mutant.Apply("../..", h.Edits); err != nil {
			t.Errorf("%s: %v", h.Name, err)
		}
		if h.Lacks == "" || len(h.NonConformant)+len(h.Warns) == 0 {
			t.Errorf("%s is incomplete", h.Name)
		}
		for _, ids := range [][]string{h.NonConformant, h.Warns} {
			if !slices.IsSorted(ids) {
				t.Errorf("%s: %q is not sorted", h.Name, ids)
			}
			for _, id := range ids {
				if _, found := table.Find(id); !found {
					t.Errorf("%s: there is no requirement %s", h.Name, id)
				}
			}
		}
	}
}

func TestEachGroundHasAHalf(t *testing.T) {
	for ground, id := range table.Principals() {
		if !slices.ContainsFunc(all(t), func(h Half) bool { return slices.Contains(h.NonConformant, id) }) {
			t.Errorf("no half controller lacks %s, of %s", ground, id)
		}
	}
}

// TestHalves runs each Half controller. The environment variable HALVES is a regular expression on
// the names of some.
func TestHalves(t *testing.T) {
	names := selftest.Named(t, "HALVES", "halves")
	some := slices.DeleteFunc(all(t), func(h Half) bool { return !names.MatchString(h.Name) })
	if len(some) == 0 {
		t.Fatal("HALVES names no half controller")
	}
	ctx, environment, impl := selftest.Open(t, "halves")
	programs := compiled(t, ctx, some)
	for _, h := range some {
		t.Run(h.Name, func(t *testing.T) { h.check(t, ctx, environment, impl, programs[h.Name]) })
	}
}

// compiled returns the paths of the programs, by their names.
func compiled(t *testing.T, ctx context.Context, some []Half) map[string]string {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	var sources []mutants.Mutant
	for _, h := range some {
		sources = append(sources, mutants.Mutant{Name: h.Name, Edits: h.Edits})
	}
	programs, err := mutants.Build(ctx, root, t.TempDir(), sources)
	if err != nil {
		t.Fatal(err)
	}
	return programs
}

func (h Half) check(t *testing.T, ctx context.Context, environment *run.Environment,
	impl implementation.Implementation, program string) {
	builds := environment.Builds
	builds.Reference = program
	verdict, err := environment.Check(ctx, impl, builds, run.Selection{
		Labels: h.Labels, Principals: table.Principals(), History: spec.KeepFailed,
		Reports: filepath.Join(environment.Reports, h.Name),
	})
	if err != nil {
		t.Fatal(err)
	}
	verdict.Print(os.Stdout, record.Usual)
	r := report.Judge(report.Run{Run: *verdict, Cluster: report.Cluster{KubernetesVersion: environment.Version()}},
		table.All())
	outcomes := map[spec.Outcome][]string{}
	for _, q := range r.Requirements {
		outcomes[q.Outcome] = append(outcomes[q.Outcome], q.ID)
		if q.Outcome != report.NonConformant && q.Outcome != spec.Warning {
			continue
		}
		for _, e := range q.Evidence {
			t.Logf("%s: %s %s\n%s", q.ID, e.Outcome, e.Spec, e.Note)
		}
	}
	for outcome, want := range map[spec.Outcome][]string{
		report.NonConformant: h.NonConformant, spec.Warning: h.Warns, spec.HarnessError: nil,
	} {
		if diff := cmp.Diff(want, outcomes[outcome]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", outcome, diff)
		}
	}
	t.Logf("%d requirements are conformant, %d not verified", len(outcomes[report.Conformant]),
		len(outcomes[spec.NotVerified]))
}
