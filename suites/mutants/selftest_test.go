package mutants

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"golang.org/x/sync/semaphore"
)

const (
	// patience with mutants is shorter than that of a run: the unchanged controller takes a fraction of
	// a second.
	patience = 10 * time.Second
	// specsPerCore run at the same time. Most of a spec is waiting.
	specsPerCore = 8
	// shownLines of a failure are printed once more at the end.
	shownLines = 8
)

// TestEveryMutantIsCaught runs each mutant against the specs of the requirements that it
// breaks. One that they do not catch is a hole in the specs. The environment variable
// MUTANTS is a regular expression on the names of some.
func TestEveryMutantIsCaught(t *testing.T) {
	if os.Getenv("JOBCONFORMANCE_SELFTEST") == "" {
		t.Skip("not verified: it starts a cluster; run `make test`")
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
	if len(all) == 0 {
		t.Fatal("MUTANTS names no mutant")
	}
	ctx, stop := signal.NotifyContext(t.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var kinds []*selftest
	for _, kind := range []*selftest{{of: implementation.Reference}, {of: implementation.CRD},
		{of: implementation.Runs}, {of: implementation.Aggregator},
		{of: implementation.Reference, gates: ofWorkloads}} {
		kind.few = os.Getenv("MUTANTS") != ""
		if err := kind.take(t, all); err != nil {
			t.Fatal(err)
		}
		kinds = append(kinds, kind)
	}
	// Mutants of the custom resource wait for each other and leave the processors to the others.
	var both sync.WaitGroup
	for _, s := range kinds {
		both.Go(func() { s.checkAll(ctx) })
	}
	both.Wait()
	var failures []error
	fmt.Println()
	for _, s := range kinds {
		if len(s.all) > 0 {
			fmt.Printf("%d of %d mutants of %s caught in %s\n", s.caught, len(s.all), s.impl.Name,
				s.took.Round(time.Second))
		}
		failures = append(failures, s.failures...)
	}
	for _, failure := range failures {
		t.Error(failure)
	}
	// What a look at the end of a log of CI must show.
	for _, failure := range failures {
		lines := strings.SplitN(failure.Error(), "\n", shownLines+1)
		fmt.Println(strings.Join(lines[:min(len(lines), shownLines)], "\n"))
	}
}

// selftest checks mutants of one implementation on one cluster.
type selftest struct {
	of      string       // the name of the implementation
	gates   []gates.Gate // that are on, as mutants need them
	root    string       // of the checkout
	all     []Mutant
	few     bool // of all that there are
	impl    implementation.Implementation
	dir     string                   // for programs
	red     []string                 // specs that the unchanged controller does not pass
	longest map[string]time.Duration // the longest spec of each requirement, with the unchanged controller
	took    time.Duration

	mu       sync.Mutex
	ended    int
	caught   int
	failures []error // of specs of the unchanged controller, and of mutants that were not caught
}

// take takes the mutants of its implementation and feature gate from all.
func (s *selftest) take(t *testing.T, all []Mutant) error {
	root, err := filepath.Abs("../..")
	if err != nil {
		return err
	}
	impl, err := implementation.Parse(s.of)
	if err != nil {
		return err
	}
	s.all = slices.DeleteFunc(slices.Clone(all), func(m Mutant) bool {
		return m.implementation() != s.of || !slices.Equal(m.gates(), s.gates)
	})
	s.root, s.impl, s.dir = root, impl, t.TempDir()
	return nil
}

// checkAll starts a cluster and checks all mutants on it.
func (s *selftest) checkAll(ctx context.Context) {
	if len(s.all) == 0 {
		return
	}
	start := time.Now()
	err := run.With(ctx, run.Options{
		Build:          build.Builder{AssetsDir: os.Getenv("KUBEBUILDER_ASSETS"), CacheDir: os.Getenv("CACHE_DIR")},
		Implementation: s.impl,
		FeatureGates:   s.featureGates(),
		Reports: filepath.Join("..", "..", "reports", "mutants",
			s.impl.Name+strings.ReplaceAll(s.featureGates(), "=true", "")),
		Out: os.Stdout,
	}, s.run)
	if err != nil {
		s.failures = append(s.failures, err)
	}
	s.took = time.Since(start)
}

// featureGates returns the list of gates of the cluster.
func (s *selftest) featureGates() (list string) {
	for _, gate := range s.gates {
		list = gates.Joined(list, string(gate)+"=true")
	}
	return list
}

// apart reports whether mutants are checked at the same time, each spec with one of its own. The
// webhooks of a custom resource are called for all namespaces, and a controller with a companion or a member works in
// all of theirs, so that there is one at a time.
func (s *selftest) apart() bool {
	return !s.impl.ServesWebhooks() && s.impl.Lacks() == "" && !s.impl.HasMember()
}

// run checks mutants, several at a time.
func (s *selftest) run(ctx context.Context, environment *run.Environment) error {
	room := specsPerCore * runtime.GOMAXPROCS(0)
	start := time.Now()
	programs, err := Build(ctx, s.root, s.dir, s.all)
	if err != nil {
		return err
	}
	console.Line(os.Stdout, fmt.Sprintf("%d mutants of %s", len(s.all), s.impl.Name), "compiled in %s",
		console.Tenths(time.Since(start)))
	// Not while a compiler takes the processors: a spec that the unchanged controller does not pass counts
	// for no mutant.
	if err := s.checkReference(ctx, environment, room); err != nil {
		return err
	}
	free := semaphore.NewWeighted(int64(room))
	var checks sync.WaitGroup
	defer checks.Wait()
	// Those that take the longest come first, the one that runs all specs before them.
	order := func(a, b Mutant) int {
		return cmp.Or(cmp.Compare(b.procs(room), a.procs(room)), cmp.Compare(s.longestOf(b), s.longestOf(a)))
	}
	for _, m := range slices.SortedStableFunc(slices.Values(s.all), order) {
		procs := m.procs(room)
		if !s.apart() {
			procs = room
		}
		if err := free.Acquire(ctx, int64(procs)); err != nil {
			return err
		}
		checks.Go(func() {
			defer free.Release(int64(procs))
			start := time.Now()
			by, err := s.check(ctx, environment, m, programs[m.Name], procs)
			s.note(ctx, m, by, err, time.Since(start))
		})
	}
	return nil
}

// procs is how many specs of a mutant run at the same time.
func (m Mutant) procs(room int) int {
	if m.Warns {
		return room / 2
	}
	return 1
}

// longestOf is how long the longest spec of a mutant takes with the unchanged controller.
func (s *selftest) longestOf(m Mutant) (d time.Duration) {
	for _, id := range m.Breaks {
		took, known := s.longest[id]
		if !known {
			return math.MaxInt64 // its specs are slow
		}
		d = max(d, took)
	}
	return d
}

// checkReference notes how long specs take with the unchanged controller, and those that it does
// not pass: that a mutant fails them shows nothing. Slow ones are run for a few mutants alone, which may have
// no others. They would hold all mutants up, of which those that only warn show that they are green.
func (s *selftest) checkReference(ctx context.Context, environment *run.Environment, procs int) error {
	var broken []string
	for _, m := range s.all {
		broken = append(broken, m.Breaks...)
	}
	labels := covering(broken)
	if !s.few {
		labels = fmt.Sprintf("(%s) && !%s", labels, spec.SlowLabel)
	}
	verdict, err := environment.Check(ctx, s.impl, environment.Builds, run.Selection{
		Apart: s.apart(), Quiet: true, Strict: true, Procs: procs, Labels: labels,
		Reports: filepath.Join(environment.Reports, "reference"),
	})
	if err != nil {
		return err
	}
	for _, spec := range verdict.Failed() {
		s.red = append(s.red, spec.Text)
		s.failures = append(s.failures,
			fmt.Errorf("the unchanged controller does not pass %q:\n%s", spec.Text, spec.Message))
	}
	s.longest = map[string]time.Duration{}
	passed := slices.DeleteFunc(slices.Clone(verdict.Specs), func(s spec.Spec) bool { return !s.Passed })
	for _, spec := range passed {
		for _, id := range spec.Requirements {
			s.longest[id] = max(s.longest[id], spec.Duration)
		}
	}
	console.Line(os.Stdout, s.impl.Name, "passes %d specs, fails %d, in %s", len(passed), len(s.red),
		console.Tenths(verdict.Duration))
	return nil
}

// covering is the label filter for the specs of requirements.
func covering(ids []string) string {
	labels := make([]string, 0, len(ids))
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		labels = append(labels, spec.RequirementLabel+id)
	}
	return strings.Join(labels, " || ")
}

// check returns what has caught a mutant.
func (s *selftest) check(ctx context.Context, environment *run.Environment, m Mutant, program string,
	procs int) (string, error) {
	builds := environment.Builds
	builds.Reference = program
	sel := run.Selection{
		Apart: s.apart(), Quiet: true, Patience: patience, Procs: procs, History: spec.KeepNone,
		Labels: covering(m.Breaks), Reports: filepath.Join(environment.Reports, m.Name),
	}
	if m.Warns {
		if m.Labels != "" {
			sel.Labels += " || " + m.Labels
		}
		sel.Patience = 0 // that of a run, for what no spec may call a failure
	}
	// The first spec that fails mostly shows it. If it does not, all are run.
	sel.FailFast = !m.Warns && !s.impl.HasMember()
	if s.impl.HasMember() { // which has few specs: none but those of what a mutant breaks may fail
		sel.Labels = ""
	}
	verdict, err := environment.Check(ctx, s.impl, builds, sel)
	if err == nil && sel.FailFast && len(verdict.Failed()) > 0 && m.caughtBy(s.shown(verdict)) == nil {
		sel.FailFast = false
		verdict, err = environment.Check(ctx, s.impl, builds, sel)
	}
	switch {
	case err != nil:
		return "", err
	case m.Warns:
		return m.warned(verdict)
	}
	if by := m.caughtBy(s.shown(verdict)); by != nil {
		if others := m.others(s.shown(verdict)); s.impl.HasMember() && len(others) > 0 {
			return "", fmt.Errorf("specs of what it does not break fail as well:%s", ends(others))
		}
		return by.Text, nil
	}
	ran := slices.DeleteFunc(slices.Clone(verdict.Specs), func(spec spec.Spec) bool {
		return !spec.Passed && !spec.Failed
	})
	return "", fmt.Errorf("no spec of %s has shown it:%s", strings.Join(m.Breaks, ", "), ends(ran))
}

// ends returns how specs ended, with their messages.
func ends(specs []spec.Spec) string {
	var b strings.Builder
	for _, spec := range specs {
		fmt.Fprintf(&b, "\n  %s: %s %s %v\n%s", spec.Text, spec.Outcome(), spec.Cause, spec.Invariants,
			console.Indent(spec.Message, 4))
	}
	return b.String()
}

// shown returns the specs that the unchanged controller passes.
func (s *selftest) shown(verdict *record.Run) []spec.Spec {
	return slices.DeleteFunc(slices.Clone(verdict.Specs), func(spec spec.Spec) bool {
		return slices.Contains(s.red, spec.Text)
	})
}

// caughtBy returns the spec that shows what the mutant breaks, nil if none does.
func (m Mutant) caughtBy(specs []spec.Spec) *spec.Spec {
	for _, s := range specs {
		exited := s.Cause == spec.ImplementationExited
		if !s.Failed || s.Cause == spec.Harness || exited != m.Crashes {
			continue
		}
		for _, id := range m.Breaks {
			requirement, _ := table.Find(id)
			covers := slices.Contains(s.Requirements, id)
			shown := exited || s.Asserted && len(s.Missed) == 0 ||
				s.Lacks(slices.Concat(requirement.Grounds, requirement.About))
			if covers && shown || slices.ContainsFunc(requirement.Invariants, s.Breaks) {
				return &s
			}
		}
	}
	return nil
}

// others returns the specs that fail although they are about nothing that the mutant breaks.
func (m Mutant) others(specs []spec.Spec) []spec.Spec {
	return slices.DeleteFunc(specs, func(s spec.Spec) bool {
		return !s.Failed || s.Outcome() == spec.Flaky || slices.ContainsFunc(m.Breaks, func(id string) bool {
			return slices.Contains(s.Requirements, id)
		})
	})
}

// warned returns how many specs warn of a mutant, and an error if it is red, or if a
// requirement that it breaks has no warning.
func (m Mutant) warned(verdict *record.Run) (string, error) {
	if !verdict.Green() {
		verdict.Print(os.Stdout, record.Usual)
		return "", fmt.Errorf("it must be green with warnings:%s", ends(verdict.Failed()))
	}
	warnings := slices.DeleteFunc(slices.Clone(verdict.Specs), func(s spec.Spec) bool {
		return s.Outcome() != spec.Warning
	})
	for _, id := range m.Breaks {
		if !slices.ContainsFunc(warnings, func(s spec.Spec) bool { return slices.Contains(s.Requirements, id) }) {
			return "", fmt.Errorf("no spec warns of %s", id)
		}
	}
	return fmt.Sprintf("warnings of %d specs", len(warnings)), nil
}

// note counts a mutant and prints how its check has ended.
func (s *selftest) note(ctx context.Context, m Mutant, by string, err error, took time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	s.ended++
	word := "caught"
	if err != nil {
		word, by = "NOT CAUGHT", m.Wrong
		s.failures = append(s.failures, fmt.Errorf("the mutant %s was not caught (%s): %w", m.Name, m.Wrong, err))
	} else {
		s.caught++
	}
	fmt.Printf("[%d/%d] %s %s: %s (%s)\n", s.ended, len(s.all), word, m.Name, by, console.Tenths(took))
}
