package mutants

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
)

// patience is shorter than that of a run: the reference controller, which
// passes with it too, takes a fraction of a second.
const patience = 10 * time.Second

// behaviours are those that the mission names; each needs two mutants.
var behaviours = []string{
	"parallelism", "completions", "backoffLimit", "activeDeadlineSeconds", "OnFailure", "concurrencyPolicy", "historyLimits",
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
		if _, err := m.Overlay("../..", t.TempDir()); err != nil {
			t.Error(err)
		}
	}
	for _, b := range behaviours {
		if count[b] < 2 {
			t.Errorf("behaviour %s has %d mutants, want 2 or more", b, count[b])
		}
	}
}

// TestEveryMutantIsCaught runs each mutant against the specs of the behaviour
// that it breaks. A mutant that no spec turns red is a hole in the suites.
func TestEveryMutantIsCaught(t *testing.T) {
	if os.Getenv("JOBCONFORMANCE_SELFTEST") == "" {
		t.Skip("not verified: it starts a cluster; run `make test`")
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
	defer stop()
	lab, err := run.Open(ctx, run.Options{
		Build:     build.Builder{AssetsDir: os.Getenv("KUBEBUILDER_ASSETS"), CacheDir: os.Getenv("CACHE_DIR")},
		Reference: true,
		Reports:   filepath.Join("..", "..", "reports", "mutants"),
		Out:       os.Stdout,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer lab.Close()

	table := new(strings.Builder)
	columns := tabwriter.NewWriter(table, 0, 0, 3, ' ', 0)
	fmt.Fprintln(columns, "mutant\tcaught\tby")
	defer func() {
		_ = columns.Flush()
		fmt.Printf("\n%s\n", table)
	}()

	reference, err := check(ctx, lab, lab.Builds, run.Selection{})
	if err != nil {
		t.Fatal(err)
	}
	if !reference.Green() {
		t.Fatal("the reference controller itself is red: mutants of it show nothing")
	}
	dir := t.TempDir()
	for built := range compile(ctx, lab, all, dir) {
		if built.err != nil {
			t.Error(built.err)
			continue
		}
		builds := lab.Builds
		builds.Reference = built.program
		verdict, err := check(ctx, lab, builds, run.Selection{
			Labels:   "behaviour:" + built.Behaviour,
			FailFast: true,
			Reports:  filepath.Join(lab.Reports, built.Name),
		})
		if err != nil {
			t.Fatal(err)
		}
		caught, by := "yes", verdict.Ended
		if failed := verdict.Failed(); len(failed) > 0 {
			by = failed[0].Text
		}
		if verdict.Green() {
			caught, by = "NO", "no spec"
			t.Errorf("no spec of %s turned red for the mutant %s: %s", built.Behaviour, built.Name, built.Wrong)
		}
		fmt.Fprintf(columns, "%s\t%s\t%s\n", built.Name, caught, by)
	}
}

func check(ctx context.Context, lab *run.Lab, builds implementation.Builds, sel run.Selection) (*run.Verdict, error) {
	impl, err := implementation.Parse(implementation.Reference)
	if err != nil {
		return nil, err
	}
	sel.Patience = patience
	sel.Quiet = true
	return lab.Check(ctx, impl, builds, sel)
}

type built struct {
	Mutant
	program string
	err     error
}

// compile builds one mutant ahead of the one that is being checked.
func compile(ctx context.Context, lab *run.Lab, all []Mutant, dir string) <-chan built {
	out := make(chan built, 1)
	go func() {
		defer close(out)
		for _, m := range all {
			b := built{Mutant: m, program: filepath.Join(dir, strings.ReplaceAll(m.Name, "/", "-"))}
			var overlay string
			if overlay, b.err = m.Overlay(lab.Root, dir); b.err == nil {
				b.err = implementation.BuildReference(ctx, lab.Root, b.program, overlay)
			}
			select {
			case out <- b:
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}
