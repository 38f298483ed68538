// Package repro runs scenarios on embedded clusters of several versions, and
// compares the outcomes with the known bugs of each version.
package repro

import (
	"cmp"
	"context"
	"io"
	"path/filepath"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"golang.org/x/sync/errgroup"
)

// Options of Run. Those without a default are required.
type Options struct {
	Scenario       *scenario.Scenario
	Implementation implementation.Implementation
	// Versions of Kubernetes, as in v1.36.1.
	Versions []string
	// Repeat is how often the scenario is run on each version. Default: once.
	Repeat int
	// Procs is how many of them run at the same time. Default: DefaultProcs.
	Procs int
	// Build is where binaries come from; its version is set from Versions.
	Build build.Builder
	// Reports is the folder for histories, the page and logs.
	Reports string
	// Out takes progress, line by line.
	Out io.Writer
}

// DefaultProcs is small, because some scenarios measure time.
const DefaultProcs = 4

// Outcome is the outcome of a scenario on one version.
type Outcome struct {
	Version string
	// Red is whether red was expected, Reds how often it was red, of Times.
	Red         bool
	Reds, Times int
	// Result is the first that was not as expected, or else the first.
	Result *scenario.Result
	// History is the file of the Result's history.
	History string
}

// AsExpected reports whether every run was as expected.
func (o Outcome) AsExpected() bool {
	if o.Red {
		return o.Reds == o.Times
	}
	return o.Reds == 0
}

// Run runs a scenario on each version, one after the other. The error is a
// *badinput.Error where the caller can correct it; the outcomes so far come with
// it.
func Run(ctx context.Context, o Options) (outcomes []Outcome, err error) {
	for _, version := range o.Versions {
		outcome, err := runOn(ctx, o, version)
		if err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, outcome)
	}
	return outcomes, nil
}

func runOn(ctx context.Context, o Options, version string) (Outcome, error) {
	outcome := Outcome{Version: version, Red: library.Red(o.Scenario, o.Implementation.Name, version), Times: max(o.Repeat, 1)}
	var results []*scenario.Result
	err := onCluster(ctx, o, version, func(ctx context.Context, environment scenario.Environment) (err error) {
		results, err = repeat(ctx, o, environment, outcome.Times)
		return err
	})
	if err != nil {
		return outcome, err
	}
	outcome.Result = results[0]
	for _, r := range results {
		if !r.Green() {
			outcome.Reds++
		}
		if outcome.Result.Green() != outcome.Red && r.Green() == outcome.Red {
			outcome.Result = r
		}
	}
	outcome.History = filepath.Join(o.Reports, "histories", history.FileName(version+" "+o.Scenario.Description, outcome.Result.Namespace))
	return outcome, outcome.Result.Save(outcome.History)
}

// onCluster calls do with a cluster of a version.
func onCluster(ctx context.Context, o Options, version string, do func(context.Context, scenario.Environment) error) error {
	o.Build.KubernetesVersion = version
	return scenario.With(ctx, run.Options{
		Implementation: o.Implementation, Build: o.Build, Out: o.Out, Reports: filepath.Join(o.Reports, version),
	}, func(ctx context.Context, _ *run.Environment, environment scenario.Environment) error {
		return do(ctx, environment)
	})
}

// parallel calls do for 0 to n-1, Procs at the same time.
func (o Options) parallel(ctx context.Context, n int, do func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(cmp.Or(o.Procs, DefaultProcs))
	for i := range n {
		group.Go(func() error { return do(ctx, i) })
	}
	return group.Wait()
}

func repeat(ctx context.Context, o Options, environment scenario.Environment, times int) ([]*scenario.Result, error) {
	results := make([]*scenario.Result, times)
	return results, o.parallel(ctx, times, func(ctx context.Context, i int) (err error) {
		results[i], err = environment.Run(ctx, library.Among(o.Scenario, o.Implementation.Name, environment.Version))
		if err == nil {
			console.Line(o.Out, environment.Version, "%s after %s", console.Color(results[i].Green()), console.Tenths(results[i].Took))
		}
		return err
	})
}
