// Package soak runs random workloads against an implementation until its time is
// over: mixes of Jobs and CronJobs of all features, with random pod ends, edits,
// suspensions, deletions, faults and restarts. What breaks an invariant, or never
// comes to its end, is made as small as it gets and written down as a scenario.
package soak

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	"pgregory.net/rapid"
)

// Options of a soak. Environment is required.
type Options struct {
	Environment scenario.Environment
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
	Why  string
	// File has the scenario, History what happened.
	File, History string
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
	seeds := make(chan int)
	group, running := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(seeds)
		return o.deal(running, seeds)
	})
	for range o.Workers {
		group.Go(func() error {
			for seed := range seeds {
				if err := o.run(running, seed, t); err != nil {
					return fmt.Errorf("workload %d: %w", seed, err)
				}
			}
			return nil
		})
	}
	reportCtx, stop := context.WithCancel(ctx)
	var reporting sync.WaitGroup
	reporting.Go(func() { o.report(reportCtx, t) })
	err := group.Wait()
	stop()
	reporting.Wait()
	if err == nil {
		err = context.Cause(ctx)
	}
	t.took = time.Since(t.start)
	if err != nil || len(t.Findings) == 0 || o.Shrink == 0 {
		return t, err
	}
	return t, o.shrink(ctx, t)
}

// deal hands out seeds until time or count is up.
func (o Options) deal(ctx context.Context, seeds chan<- int) error {
	var over <-chan time.Time
	if o.Time > 0 {
		timer := time.NewTimer(o.Time)
		defer timer.Stop()
		over = timer.C
	}
	for n := 0; o.Seeds == nil || n < len(o.Seeds); n++ {
		seed := o.seed(n)
		if o.Seeds != nil {
			seed = o.Seeds[n]
		} else if o.Count > 0 && seed >= o.Seed+o.Count {
			return nil
		}
		select {
		case seeds <- seed:
		case <-over:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return nil
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
	result, err := o.Environment.Run(ctx, s)
	if err != nil {
		return err
	}
	if result.Green() {
		t.add(result)
		t.end(seed, result.End())
		return os.RemoveAll(result.Log)
	}
	finding, err := o.keep(fmt.Sprintf("workload-%d", seed), s, result)
	if err != nil {
		return err
	}
	finding.Seed = seed
	t.add(result)
	t.blame(finding)
	fmt.Fprintf(o.Out, "workload %d went wrong: %s\n  %s\n", seed, finding.File, firstLines(finding.Why, 3))
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

// keep writes down a workload that went wrong.
func (o Options) keep(name string, s *scenario.Scenario, r *scenario.Result) (Finding, error) {
	f := Finding{
		Why:     r.Why(),
		File:    filepath.Join(o.Folder, name+".yaml"),
		History: filepath.Join(o.Folder, name+".jsonl.zst"),
	}
	text, err := s.YAML()
	if err != nil {
		return f, err
	}
	return f, errors.Join(os.WriteFile(f.File, text, 0o644), r.Save(f.History))
}

// shrink makes the first finding as small as it gets. What depends on a race may
// not show again: then it stays as it is, and the result says so.
func (o Options) shrink(ctx context.Context, t *Tally) error {
	first := t.Findings[0]
	fmt.Fprintf(o.Out, "workload %d is made smaller, for up to %s\n", first.Seed, o.Shrink)
	beginWith(first.Seed, o.Shrink)
	shrinking, stop := context.WithTimeout(ctx, 2*o.Shrink)
	defer stop()
	s := &shrinker{name: fmt.Sprint("workload ", first.Seed)}
	var smallest *scenario.Scenario
	var result *scenario.Result
	s.run(func() {
		rapid.Check(s, func(rt *rapid.T) {
			next := Workload.Draw(rt, "workload")
			next.Description = fmt.Sprintf("random workload %d, made small", first.Seed)
			r, err := o.Environment.Run(shrinking, next)
			if err != nil || r.Green() {
				return
			}
			if smallest == nil || len(next.Steps) <= len(smallest.Steps) {
				smallest, result = next, r
			}
			rt.Fatalf("it went wrong")
		})
	})
	if smallest == nil {
		fmt.Fprintf(o.Out, "workload %d went well this time: it takes a race\n", first.Seed)
		return ctx.Err()
	}
	finding, err := o.keep(fmt.Sprintf("workload-%d-small", first.Seed), smallest, result)
	if err != nil {
		return err
	}
	finding.Seed = first.Seed
	t.Smallest = &finding
	return ctx.Err()
}

// beginWith makes the next rapid.Check begin with a seed, and end after a time.
func beginWith(seed int, limit time.Duration) {
	testing.Init() // package rapid asks for its flags
	if !flag.Parsed() {
		// This program has others, which package flag does not know.
		_ = flag.CommandLine.Parse(nil)
	}
	for name, value := range map[string]string{
		"rapid.seed": strconv.Itoa(seed), "rapid.checks": "1", "rapid.nofailfile": "true", "rapid.shrinktime": limit.String(),
	} {
		if err := flag.Set(name, value); err != nil {
			panic(err) // the flags and the values are those of the package
		}
	}
}

// shrinker is what package rapid talks to, outside of a test.
type shrinker struct {
	name   string
	failed bool
}

// end is how a test ends before its time.
type end struct{}

// run runs what may end so.
func (s *shrinker) run(check func()) {
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(end); !ok {
				panic(r)
			}
		}
	}()
	check()
}

func (s *shrinker) Helper()               {}
func (s *shrinker) Name() string          { return s.name }
func (s *shrinker) Logf(string, ...any)   {}
func (s *shrinker) Log(...any)            {}
func (s *shrinker) Skipf(string, ...any)  { s.SkipNow() }
func (s *shrinker) Skip(...any)           { s.SkipNow() }
func (s *shrinker) SkipNow()              { panic(end{}) }
func (s *shrinker) Errorf(string, ...any) { s.Fail() }
func (s *shrinker) Error(...any)          { s.Fail() }
func (s *shrinker) Fatalf(string, ...any) { s.FailNow() }
func (s *shrinker) Fatal(...any)          { s.FailNow() }
func (s *shrinker) FailNow()              { s.failed = true; panic(end{}) }
func (s *shrinker) Fail()                 { s.failed = true }
func (s *shrinker) Failed() bool          { return s.failed }

var _ rapid.TB = (*shrinker)(nil)
