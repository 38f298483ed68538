// Package score measures what the suites are worth: it changes the source of upstream's
// controllers at random places, one change for each mutant, and counts for how many of the
// mutants a run would be red.
//
// Kept tools for mutation testing do not fit. gremlins and go-mutesting, from whose lists
// the operators were taken, and ooze run `go test` in the folder of a changed file, and
// build anew for each mutant: here the tests are specs with a cluster, and one build takes a
// minute. So all mutants are in one program (see program.go), which is compiled once.
//
// A first run with upstream's unchanged controller must pass. It notes which statements each
// spec reaches: a mutant is run against those specs alone that reach its statement, first
// against those that have caught the most others, until one fails. A mutant that no spec
// reaches has survived.
package score

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/process"
	"github.com/jobconformance/jobconformance/fixtures/run"
	runfolder "github.com/jobconformance/jobconformance/fixtures/run/folder"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/internal/campaign"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"golang.org/x/sync/semaphore"
)

// Options of Run.
type Options struct {
	run.Options
	// Seed determines which mutants are drawn.
	Seed uint64
	// Count is how many of them.
	Count int
	// Shard runs only every nth of the mutants. Default: all.
	Shard run.Shard
	// Files is a pattern of path.Match for the names of the files that mutants are drawn from. Default: all.
	Files string
	// Coverage draws no mutants: the specs run against upstream's unchanged controller alone.
	Coverage bool
	// Labels is a filter of Ginkgo for the specs that mutants meet. Default: all.
	Labels string
	// Own is a file with mutants that are run instead of drawn ones; see type Own.
	Own string
	// Specs is how many run at the same time.
	Specs int
	// Suites identifies the specs: results of others are not taken over.
	Suites string
}

// Result is how one mutant has ended: a line of the file from which Run resumes.
type Result struct {
	ID     string `json:"id"`
	On     string `json:"on"` // the version and the suites that it was run with
	Mutant Mutant `json:"mutant"`
	// Spec is the text of the one that has caught it, or that warns of it; empty if none does.
	Spec string `json:"spec,omitempty"`
	// Warns says that the spec is about what a controller SHOULD or MAY do: a run would be green,
	// with a warning. The mutant has survived.
	Warns        bool     `json:"warns,omitempty"`
	Requirements []string `json:"requirements,omitempty"` // of the spec
	Invariants   []string `json:"invariants,omitempty"`   // that it broke
	Exited       bool     `json:"exited,omitempty"`       // it crashed
	Message      string   `json:"message,omitempty"`      // the first line of the spec's
	// Harness is why nothing is known of the mutant: the harness failed, or no spec could
	// start it. It is run again.
	Harness  string  `json:"harness,omitempty"`
	Ran      int     `json:"ran"`      // specs that it was run against
	Reaching int     `json:"reaching"` // specs that reach its statement
	Seconds  float64 `json:"seconds"`
}

// Caught reports whether a spec has caught the mutant.
func (r Result) Caught() bool { return r.Spec != "" && !r.Warns }

// Campaign is what Run has found out.
type Campaign struct {
	Version string
	Seed    uint64
	On      string   // the version and the suites
	Results []Result // of the drawn mutants that were run, in the order of the draw
	Drawn   int
	Broken  int // mutants that do not compile
	// Coverage is what the specs have reached, with Options.Coverage.
	Coverage *Coverage
	list     List
}

// Run draws mutants and runs the suites against each of them. What was run before, against
// the same suites, is not repeated. The campaign is not nil where some were run, also with
// an error.
func Run(ctx context.Context, o Options) (*Campaign, error) {
	list, err := ReadList()
	if err != nil {
		return nil, err
	}
	temporary, err := runfolder.NewTemporary()
	if err != nil {
		return nil, err
	}
	defer temporary.Remove()
	scratch := temporary.Path
	start := time.Now()
	sources, err := o.Build.Sources(ctx, filepath.Join(scratch, "module"))
	if err != nil {
		return nil, err
	}
	packages, imports, err := load(ctx, sources)
	if err != nil {
		return nil, err
	}
	c := &Campaign{Version: sources.Version, Seed: o.Seed, On: o.on(sources.Version), list: list}
	var drawn []*Mutant
	switch {
	case o.Coverage:
	case o.Own != "":
		if drawn, err = readOwn(o.Own, packages, imports); err != nil {
			return nil, err
		}
		console.Line(o.Out, fmt.Sprintf("%d mutants", len(drawn)), "%s", console.Path(o.Own))
	default:
		all := everyMutant(packages, o.Files, list, gates.On(o.FeatureGates, sources.Version))
		if len(all) == 0 {
			return nil, badinput.New("no file is named "+o.Files, "give "+console.Flag("files")+
				" a name or a pattern, such as job_*.go")
		}
		drawn, c.Broken = draw(all, o.Seed, o.Count, imports)
		console.Line(o.Out, fmt.Sprintf("%d of %d mutants", len(drawn), len(all)),
			"drawn in %s; %d more do not compile", console.Tenths(time.Since(start)), c.Broken)
	}
	if !o.Coverage {
		if err := o.Shard.Check(len(drawn), "mutants"); err != nil {
			return nil, err
		}
	}
	drawn = run.Every(o.Shard, drawn)
	c.Drawn = len(drawn)
	earlier, err := openResults(o.Reports, c.On)
	if err != nil {
		return nil, err
	}
	if err := earlier.Close(); err != nil {
		return nil, err
	}
	if c.collect(drawn, earlier.done); c.Complete() {
		console.Line(o.Out, "resumed", "all %d mutants were run before", c.Drawn)
		return c, nil
	}
	if n := list.ofOthers(c.Version, drawn); n > 0 {
		console.Line(o.Out, "equivalent", "%d of them are listed for another version only: look at them again", n)
	}
	start = time.Now()
	program, err := compile(ctx, sources, packages, drawn, filepath.Join(scratch, "programs"), o.Out)
	if err != nil {
		return nil, err
	}
	console.Line(o.Out, programName, "compiled in %s", console.Tenths(time.Since(start)))

	if o.Implementation, err = implementation.Parse(implementation.KubeControllerManager); err != nil {
		return nil, err
	}
	o.Confine = process.Off // it notes in the folder of the run what it reaches
	err = run.With(ctx, o.Options, func(ctx context.Context, env *run.Environment) error {
		r := &runner{Campaign: c, Environment: env, options: o, program: program, numbers: number(packages)}
		if err := r.run(ctx, drawn); err != nil || !o.Coverage {
			return err
		}
		found := coverage(packages, r.numbers, r.reached, list, gates.On(o.FeatureGates, sources.Version))
		found.Version, found.Specs = sources.Version, r.specs
		c.Coverage = &found
		return nil
	})
	return c, err
}

// on names what results depend on: others are not taken over.
func (o Options) on(version string) string {
	return strings.TrimSpace(strings.Join([]string{version, o.Suites, o.FeatureGates, o.Labels}, " "))
}

// Partly reports whether the figure is that of a part of the mutants or specs, or not of the default gates.
func (o Options) Partly() bool {
	return o.Own != "" || o.Shard.Count > 0 || o.Files != "" || o.Labels != "" || o.FeatureGates != ""
}

// runner runs mutants on one cluster.
type runner struct {
	*Campaign
	*run.Environment
	options  Options
	program  func(n int) string
	numbers  map[node]int
	known    []spec.Bug
	baseline baseline
	reached  map[int]bool // statements that any spec of the baseline reaches
	specs    int          // of the baseline
	*results

	mu     sync.Mutex
	began  time.Time
	ran    int // now, not in an earlier run
	failed error
}

func (r *runner) run(ctx context.Context, drawn []*Mutant) (err error) {
	bugs, err := library.Bugs()
	if err != nil {
		return err
	}
	release := r.Environment.Version()
	for _, bug := range bugs {
		if bug.In(spec.Upstream, release, r.Environment.GatesOn(release)) {
			r.known = append(r.known, bug)
		}
	}
	if err := r.measureBaseline(ctx); err != nil {
		return err
	}
	if r.results, err = openResults(r.Reports, r.On); err != nil {
		return err
	}
	defer r.results.Close()
	r.began = time.Now()
	defer func() { r.collect(drawn, r.done) }()
	return r.runAll(ctx, drawn)
}

// results are those that a folder has.
type results struct {
	*campaign.File[Result]
	done  map[string]Result // of the same version and suites, by the mutant's ID
	kills map[string]int    // by the text of a spec
}

func openResults(folder, on string) (*results, error) {
	file, earlier, err := campaign.OpenFile(filepath.Join(folder, resultsFile), func(Result) bool { return true })
	if err != nil {
		return nil, badinput.Wrap(err, "the results cannot be read or written",
			"choose another folder with "+console.Flag("output-dir"))
	}
	r := &results{file, map[string]Result{}, map[string]int{}}
	for _, result := range earlier {
		r.kills[result.Spec]++
		if result.On == on && result.Harness == "" {
			r.done[result.ID] = result
		}
	}
	return r, nil
}

// collect notes the results of the mutants in the order in which they were drawn.
func (c *Campaign) collect(drawn []*Mutant, done map[string]Result) {
	c.Results = nil
	for _, m := range drawn {
		if result, ok := done[m.ID()]; ok {
			c.Results = append(c.Results, result)
		}
	}
}

func (r *runner) runAll(ctx context.Context, drawn []*Mutant) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	free := semaphore.NewWeighted(int64(r.options.Specs))
	var running sync.WaitGroup
	defer running.Wait()
	left := 0
	for _, m := range drawn {
		if _, is := r.done[m.ID()]; !is {
			left++
		}
	}
	if ended := len(drawn) - left; ended > 0 {
		console.Line(r.options.Out, "resumed", "%d of %d mutants were run before", ended, len(drawn))
	}
	for n, m := range drawn {
		r.mu.Lock()
		_, is := r.done[m.ID()]
		r.mu.Unlock()
		if is {
			continue
		}
		if err := free.Acquire(ctx, specsPerMutant); err != nil {
			break
		}
		running.Go(func() {
			defer free.Release(specsPerMutant)
			start := time.Now()
			result, err := r.check(ctx, m, r.program(n+1))
			result.Seconds = time.Since(start).Seconds()
			if err := r.note(ctx, result, err, left); err != nil {
				cancel()
			}
		})
	}
	running.Wait()
	if r.failed != nil {
		return r.failed
	}
	return ctx.Err()
}

// note saves a result and prints a line about it. An error ends the campaign.
func (r *runner) note(ctx context.Context, result Result, err error, left int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		err = r.Append(result)
	}
	if err != nil {
		if r.failed == nil {
			r.failed = fmt.Errorf("mutant %s (%s): %w", result.ID, &result.Mutant, err)
		}
		return err
	}
	r.done[result.ID] = result
	r.kills[result.Spec]++
	r.ran++
	took := time.Since(r.began)
	remaining := time.Duration(float64(took) / float64(r.ran) * float64(left-r.ran))
	word := "SURVIVED"
	switch {
	case result.Caught():
		word = "caught"
	case result.Harness != "":
		word = "NOT STARTED"
	case r.list.reason(r.Campaign.Version, result.Mutant) != "":
		word = "equivalent"
	}
	_, _ = fmt.Fprintf(r.options.Out, "[%d/%d, %s left] %s %s\n", r.ran, left, remaining.Round(time.Second), word,
		&result.Mutant)
	if result.Spec != "" {
		warning := ""
		if result.Warns {
			warning = "the warning "
		}
		_, _ = fmt.Fprintf(r.options.Out, "    by %s%s: %s\n", warning, by(result), result.Spec)
	}
	return nil
}

const (
	resultsFile  = "results.jsonl"
	baselineFile = "baseline.jsonl"
	// mutantsFolder has the logs of the mutants that are running.
	mutantsFolder = "mutants/"
)
