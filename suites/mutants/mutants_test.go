package mutants

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
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

// environments is how many clusters check mutants side by side. Most of a check is
// waiting, so that more of them than cores are worth their start.
const environments = 3

// TestEveryMutantIsCaught runs each mutant against the specs of the behaviour
// that it breaks. A mutant that no spec turns red is a hole in the suites. The
// environment variable MUTANTS is a regular expression on the names of some.
func TestEveryMutantIsCaught(t *testing.T) {
	if os.Getenv("JOBCONFORMANCE_SELFTEST") == "" {
		t.Skip("not verified: it starts clusters; run `make test`")
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	if wanted := os.Getenv("MUTANTS"); wanted != "" {
		named, err := regexp.Compile(wanted)
		if err != nil {
			t.Fatalf("MUTANTS is no regular expression: %v", err)
		}
		all = slices.DeleteFunc(all, func(m Mutant) bool { return !named.MatchString(m.Name) })
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt)
	defer stop()

	impl, err := implementation.Parse(implementation.Reference)
	if err != nil {
		t.Fatal(err)
	}
	free := make(chan *run.Environment, environments)
	for n := range environments {
		environment, err := run.Open(ctx, run.Options{
			Build:          build.Builder{AssetsDir: os.Getenv("KUBEBUILDER_ASSETS"), CacheDir: os.Getenv("CACHE_DIR")},
			Implementation: impl,
			Reports:        filepath.Join("..", "..", "reports", "mutants", fmt.Sprint("cluster-", n+1)),
			Out:            os.Stdout,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer environment.Close()
		free <- environment
	}

	environment := <-free
	reference, err := check(ctx, environment, environment.Builds, run.Selection{Patience: patience})
	if err != nil {
		t.Fatal(err)
	}
	if !reference.Green() {
		reference.Print(os.Stdout)
		t.Fatal("the reference controller itself is red: mutants of it show nothing")
	}
	root := environment.Root
	free <- environment

	var results sync.Map // name of the mutant to its line in the table
	var checks sync.WaitGroup
	for built := range compile(ctx, root, all, t.TempDir()) {
		environment := <-free
		checks.Go(func() {
			defer func() { free <- environment }()
			start := time.Now()
			by, err := caughtBy(ctx, environment, built)
			_ = os.Remove(built.program) // all of them would fill a small disk
			line := fmt.Sprintf("%s\tyes\t%s", built.Name, by)
			switch {
			case err != nil:
				t.Errorf("%s: %v", built.Name, err)
				line = fmt.Sprintf("%s\t?\t%v", built.Name, err)
			case by == "":
				t.Errorf("no spec of %s turned red for the mutant %s: %s", built.Behaviour, built.Name, built.Wrong)
				line = fmt.Sprintf("%s\tNO\tno spec", built.Name)
			}
			results.Store(built.Name, line)
			fmt.Printf("mutant %-50s checked in %s\n", built.Name, time.Since(start).Round(100*time.Millisecond))
		})
	}
	checks.Wait()

	fmt.Println()
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "mutant\tcaught\tby")
	for _, m := range all {
		if line, ok := results.Load(m.Name); ok {
			fmt.Fprintln(table, line)
		}
	}
	_ = table.Flush()
}

// caughtBy returns what turned red for a mutant, nothing if it is not caught.
func caughtBy(ctx context.Context, environment *run.Environment, b built) (string, error) {
	if b.err != nil {
		return "", b.err
	}
	builds := environment.Builds
	builds.Reference = b.program
	sel := run.Selection{
		Labels: "behaviour:" + b.Behaviour, FailFast: true, Strict: true, Patience: patience,
		Reports: filepath.Join(environment.Reports, b.Name),
	}
	if b.Warns {
		// All specs beside those of two other mutants: that takes the time of a run.
		sel.Labels, sel.FailFast, sel.Strict, sel.Patience = "", false, false, 0
	}
	verdict, err := check(ctx, environment, builds, sel)
	if err != nil {
		return "", err
	}
	if b.Warns {
		return warnedBy(verdict)
	}
	if failed := verdict.Failed(); len(failed) > 0 {
		return failed[0].Text, nil
	}
	if len(verdict.Crashes) > 0 {
		return "a crash: " + verdict.Crashes[0].Exit, nil
	}
	return "", nil
}

// warnedBy returns the specs that warn of a mutant, and an error if it is red.
func warnedBy(verdict *run.Verdict) (string, error) {
	if !verdict.Green() {
		verdict.Print(os.Stdout)
		return "", fmt.Errorf("it must be green with warnings, and %d specs failed", len(verdict.Failed()))
	}
	var warnings []string
	for _, s := range verdict.Specs {
		if s.Outcome() == protocol.Warning {
			warnings = append(warnings, s.Text)
		}
	}
	return strings.Join(warnings, "\n\t\t"), nil
}

func check(ctx context.Context, environment *run.Environment, builds implementation.Builds, sel run.Selection) (*run.Verdict, error) {
	impl, err := implementation.Parse(implementation.Reference)
	if err != nil {
		return nil, err
	}
	sel.Quiet = true
	return environment.Check(ctx, impl, builds, sel)
}

type built struct {
	Mutant
	program string
	err     error
}

// compile builds one mutant ahead of the one that is being checked.
func compile(ctx context.Context, root string, all []Mutant, dir string) <-chan built {
	out := make(chan built, 1)
	go func() {
		defer close(out)
		for _, m := range all {
			b := built{Mutant: m, program: filepath.Join(dir, strings.ReplaceAll(m.Name, "/", "-"))}
			var overlay string
			if overlay, b.err = m.Overlay(root, dir); b.err == nil {
				b.err = implementation.BuildReference(ctx, root, b.program, overlay)
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
