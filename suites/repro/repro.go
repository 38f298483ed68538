// Package repro plays scenarios on embedded clusters of several versions, and says
// whether each version shows what it is expected to show.
package repro

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/regressions"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"golang.org/x/sync/errgroup"
)

// Options of Play. Those without a default are required.
type Options struct {
	Scenario       *scenario.Scenario
	Implementation implementation.Implementation
	// Versions of Kubernetes, as in v1.36.1.
	Versions []string
	// Repeat plays the scenario so often on each version. Default: once.
	Repeat int
	// Procs is how many of them are played at the same time. Default:
	// DefaultProcs.
	Procs int
	// Build says where binaries come from; the version is that of Versions.
	Build build.Builder
	// Reports is the folder for histories, the page and logs.
	Reports string
	// Out takes progress, line by line.
	Out io.Writer
}

// DefaultProcs is small, so that a scenario which looks at the clock has a machine
// to play on.
const DefaultProcs = 4

// Outcome is what became of a scenario on one version.
type Outcome struct {
	Version string
	// Red says what was expected, Reds how often it was so, of Times.
	Red         bool
	Reds, Times int
	// Result is the first that was not as expected, or else the first.
	Result *scenario.Result
	// History is the file of the Result's history.
	History string
}

// AsExpected tells whether every time was as expected.
func (o Outcome) AsExpected() bool {
	if o.Red {
		return o.Reds == o.Times
	}
	return o.Reds == 0
}

// Play plays a scenario on each version, one after the other. The error is a
// *badinput.Error where the caller can mend it; the outcomes up to there come
// with it.
func Play(ctx context.Context, o Options) (outcomes []Outcome, err error) {
	for _, version := range o.Versions {
		outcome, err := playOn(ctx, o, version)
		if err != nil {
			return outcomes, err
		}
		outcomes = append(outcomes, outcome)
	}
	return outcomes, nil
}

func playOn(ctx context.Context, o Options, version string) (Outcome, error) {
	outcome := Outcome{Version: version, Red: regressions.Red(o.Scenario, o.Implementation.Name, version), Times: max(o.Repeat, 1)}
	var results []*scenario.Result
	err := onCluster(ctx, o, version, func(ctx context.Context, theatre scenario.Theatre) (err error) {
		results, err = repeat(ctx, o, theatre, outcome.Times)
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

// onCluster starts a cluster of a version, for as long as do lasts.
func onCluster(ctx context.Context, o Options, version string, do func(context.Context, scenario.Theatre) error) error {
	o.Build.KubernetesVersion = version
	lab, err := run.Open(ctx, run.Options{
		Implementation: o.Implementation, Build: o.Build, Bare: true, Out: o.Out, Reports: filepath.Join(o.Reports, version),
	})
	if err != nil {
		return err
	}
	defer lab.Close()
	theatre, err := scenario.In(lab, o.Implementation)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case err := <-lab.Ended():
			cancel(err)
		case <-ctx.Done():
		}
	}()
	return do(ctx, theatre)
}

func repeat(ctx context.Context, o Options, theatre scenario.Theatre, times int) ([]*scenario.Result, error) {
	results := make([]*scenario.Result, times)
	plays, ctx := errgroup.WithContext(ctx)
	plays.SetLimit(cmp.Or(o.Procs, DefaultProcs))
	for i := range times {
		plays.Go(func() error {
			r, err := theatre.Play(ctx, regressions.Among(o.Scenario, o.Implementation.Name, theatre.Version))
			if err != nil {
				return err
			}
			results[i] = r
			fmt.Fprintf(o.Out, "%-70s %s after %s\n", theatre.Version, colour(r.Green()), r.Took.Round(100*time.Millisecond))
			return nil
		})
	}
	return results, plays.Wait()
}

func colour(green bool) string {
	if green {
		return "GREEN"
	}
	return "RED"
}
