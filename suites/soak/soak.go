// Package soak runs random workloads against an implementation until its time is
// over: mixes of Jobs and CronJobs of all features, with random pod ends, edits,
// suspensions, deletions, faults and restarts. What breaks an invariant, or never
// comes to its end, is made as small as it gets and written down as a scenario.
package soak

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/internal/campaign"
	"github.com/jobconformance/jobconformance/suites/scenario"
	batchv1 "k8s.io/api/batch/v1"
)

// Options of a soak. Run is required.
type Options struct {
	// Run runs a scenario, as scenario.Environment does.
	Run func(context.Context, *scenario.Scenario) (*scenario.Result, error)
	// Time is for how long workloads are begun. Default: as many as Count says.
	Time time.Duration
	// Count is how many workloads run at most. Default: no limit.
	Count int
	// Seed of the first workload; the next one has the next number.
	Seed int
	// Shard runs only every nth of the workloads that Seed and Count are about. Default: all.
	Shard run.Shard
	// Seeds are those of all workloads. Default: as Seed, Count and Time say.
	Seeds []int
	// Tempo is for workloads whose end states are compared: pauses last so many times as long,
	// and no Job has activeDeadlineSeconds, which end sooner or later than a pod on a machine
	// that is faster or slower. Default: the workloads as they are.
	Tempo float64
	// Workers is how many run at the same time. Default: 6.
	Workers int
	// Shrink is how long the first workload that went wrong is made smaller.
	Shrink time.Duration
	// Folder takes the workloads that went wrong.
	Folder string
	// Out takes progress.
	Out io.Writer
}

// Finding is a workload that went wrong.
type Finding struct {
	Seed int
	// File has its scenario.
	File string
	campaign.Finding

	workload *scenario.Scenario
}

// progressEvery is how often a soak says how far it is.
const progressEvery = 15 * time.Second

// Run runs workloads. An error means that there is no verdict; what comes with
// it is what was seen until then.
func Run(ctx context.Context, o Options) (*Tally, error) {
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		return nil, err
	}
	t := &Tally{start: time.Now(), first: o.seed(0), step: max(o.Shard.Count, 1), seeds: o.Seeds}
	pool := campaign.Pool{Workers: o.Workers}
	if o.Time > 0 {
		pool.Until = t.start.Add(o.Time)
	}
	reportCtx, stop := context.WithCancel(ctx)
	var reporting sync.WaitGroup
	reporting.Go(func() { o.report(reportCtx, t) })
	err := campaign.Each(ctx, pool, o.deal(), func(ctx context.Context, seed int) error { return o.run(ctx, seed, t) })
	stop()
	reporting.Wait()
	t.took = time.Since(t.start)
	if err != nil || len(t.Findings) == 0 || o.Shrink == 0 {
		return t, err
	}
	return t, o.shrink(ctx, t)
}

// deal returns the seeds of all workloads.
func (o Options) deal() iter.Seq[int] {
	if o.Seeds != nil {
		return slices.Values(o.Seeds)
	}
	return func(yield func(int) bool) {
		for n := 0; o.Count == 0 || o.seed(n) < o.Seed+o.Count; n++ {
			if !yield(o.seed(n)) {
				return
			}
		}
	}
}

// seed returns that of a workload of this shard, by its index from 0.
func (o Options) seed(n int) int {
	return o.Seed + max(o.Shard.Number-1, 0) + n*max(o.Shard.Count, 1)
}

func (o Options) report(ctx context.Context, t *Tally) {
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			fmt.Fprintln(o.Out, t.Line())
		case <-ctx.Done():
			return
		}
	}
}

// run runs the workload of one seed.
func (o Options) run(ctx context.Context, seed int, t *Tally) error {
	s := Workload.Example(seed)
	s.Description = fmt.Sprintf("random workload %d", seed)
	if o.Tempo > 0 {
		atTempo(s, o.Tempo)
	}
	result, err := o.Run(ctx, s)
	if err != nil {
		return fmt.Errorf("workload %d: %w", seed, err)
	}
	if result.Green() {
		t.add(result)
		t.end(seed, result.End())
		return os.RemoveAll(result.Log)
	}
	finding := Finding{Seed: seed, Finding: campaign.FindingOf(result), workload: s}
	if finding.File, finding.History, err = o.keep(fmt.Sprintf("workload-%d", seed), s, result); err != nil {
		return err
	}
	t.add(result)
	t.blame(finding)
	fmt.Fprintf(o.Out, "workload %d went wrong: %s\n  %s\n", seed, finding.File,
		campaign.Shortened(finding.Why, 3, "  "))
	return nil
}

// atTempo changes a workload as Options.Tempo says.
func atTempo(s *scenario.Scenario, tempo float64) {
	for i := range s.Steps {
		step := &s.Steps[i]
		step.Pause = time.Duration(float64(step.Pause) * tempo)
		if step.Create == nil {
			continue
		}
		if job, ok := step.Create.Object.(*batchv1.Job); ok {
			job.Spec.ActiveDeadlineSeconds = nil
		}
	}
}

// keep writes down a workload that went wrong, and its history.
func (o Options) keep(name string, s *scenario.Scenario, r *scenario.Result) (file, saved string, err error) {
	file, saved = filepath.Join(o.Folder, name+".yaml"), filepath.Join(o.Folder, name+".jsonl.zst")
	return file, saved, errors.Join(s.Save(file), r.Save(saved))
}

// shrink makes the first finding as small as it gets. What depends on a race may
// not show again: then it stays as it is, and the tally says so.
func (o Options) shrink(ctx context.Context, t *Tally) error {
	first := &t.Findings[0]
	fmt.Fprintf(o.Out, "workload %d is made smaller, for up to %s\n", first.Seed, o.Shrink)
	until := time.Now().Add(o.Shrink)
	again, err := o.Run(ctx, first.workload)
	switch {
	case err != nil:
		return err
	case again.Green():
		fmt.Fprintf(o.Out, "workload %d went well this time: it takes a race\n", first.Seed)
		return nil
	}
	reduction := campaign.Reduction{
		Run: o.Run, Freedom: campaign.Objects, End: 1, Until: until, Workers: o.Workers,
	}
	smallest, result, err := reduction.Of(ctx, first.workload, again)
	if err != nil {
		return err
	}
	small := *smallest
	small.Description += ", made small"
	first.Smallest, _, err = o.keep(fmt.Sprintf("workload-%d-small", first.Seed), &small, result)
	return err
}
