package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/soak"
	"github.com/spf13/cobra"
)

const soakHelp = `Runs random mixes of Jobs and CronJobs with all features against a controller, on an
embedded cluster: with random pod ends, edits, suspensions, deletions, faults and
restarts. Every invariant must hold, and everything must come to its end.

A workload that fails is saved as a scenario in the folder workloads of the reports, with
its history; the first one is reduced. The seed determines the workloads, not the
order of concurrent events. Machines with the same --seed and different shards run different
workloads. Each prints its own verdict: the whole is green if all of them are.

With --against, the same workloads run with a second controller afterwards, without
activeDeadlineSeconds. Those that end otherwise are run again with each, up to four times, with longer
and with shorter pauses. Where each controller always comes to its own end, the two ends are
printed: reasons to look, which do not change the verdict. A red workload of either controller
does. Where one of them comes to several, the workload's end depends on when things happen.

` + exitCodes

const soakExample = `  jobconformance soak --minutes 30
  jobconformance soak -i kube-controller-manager --count 1 --seed 4711`

// soaking has the values of the flags.
type soaking struct {
	soak.Options
	implementation string
	against        string
	minutes        float64
	options        run.Options
}

func soakCommand() *cobra.Command {
	var s soaking
	c := command("soak", "Run random workloads with faults against a controller", soakHelp, soakExample,
		func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("seed") {
				if s.Shard.Count > 0 {
					return seedless()
				}
				s.Seed = 1 + int(rand.Uint32N(1_000_000_000)) // package rapid takes 0 for a random one
			}
			return s.run(cmd.Context(), cmd.OutOrStdout())
		})
	set := c.Flags()
	implementationFlag(set, &s.implementation, implementation.Reference, "the controller: "+processes)
	set.StringVar(&s.against, "against", "",
		"run the same workloads with this controller afterwards, and print end states that differ")
	set.Float64Var(&s.minutes, "minutes", 10, "start workloads for this many minutes")
	set.IntVar(&s.Count, "count", 0, "maximum number of workloads, of all shards together (default: no limit)")
	set.IntVar(&s.Seed, "seed", 0, "seed of the first workload; later ones count up (default: random)")
	shardFlag(set, &s.Shard, "workloads")
	set.IntVar(&s.Workers, "workers", 6, "workloads that run at the same time")
	set.DurationVar(&s.Shrink, "shrink", 2*time.Minute, "for how long the first workload that failed is reduced")
	clusterFlags(set, &s.options, "soak")
	return c
}

// seedless is the error of a shard that would draw other things than the other shards.
func seedless() error {
	return badinput.New("a shard without a seed would not fit the others",
		"give all of them the same "+console.Flag("seed"))
}

func (s *soaking) run(ctx context.Context, out io.Writer) (err error) {
	switch {
	case s.minutes < 0 || s.Count < 0 || s.Shrink < 0 || s.minutes == 0 && s.Count == 0:
		return badinput.New("no workload would be run", "give "+console.Flag("minutes")+" more than 0")
	case s.Workers < 1:
		return badinput.New("no workload could run", "give "+console.Flag("workers")+" 1 or more")
	}
	if s.Count > 0 {
		if err := s.Shard.Check(s.Count, "workloads"); err != nil {
			return err
		}
	}
	if s.options.Implementation, err = proxied(s.implementation); err != nil {
		return err
	}
	var other implementation.Implementation
	if s.against != "" {
		if other, err = proxied(s.against); err != nil {
			return err
		}
	}
	s.options.Out, s.Out = out, out
	s.Time = time.Duration(s.minutes * float64(time.Minute))
	console.Line(out, "seed", "%d", s.Seed)
	if s.against != "" {
		s.Tempo = 1
	}
	tally, err := s.soak(ctx, s.implementation)
	if err != nil {
		return err
	}
	if s.against == "" {
		return verdict(tally.Green())
	}
	s.Time, s.Count = 0, tally.Workloads()*max(s.Shard.Count, 1)
	against, err := s.other(ctx, other)
	if err != nil {
		return err
	}
	green := tally.Green() && against.Green()
	for _, s.Tempo = range tempos {
		s.Count, s.Seeds = 0, tally.Differing(against)
		if len(s.Seeds) == 0 {
			break
		}
		fmt.Fprintf(out, "\n%d end states differ; these workloads are run again\n", len(s.Seeds))
		more, err := s.soak(ctx, s.implementation)
		if err != nil {
			return err
		}
		moreAgainst, err := s.other(ctx, other)
		if err != nil {
			return err
		}
		tally.Again(more)
		against.Again(moreAgainst)
		green = green && more.Green() && moreAgainst.Green()
	}
	tally.Compare(out, s.against, against)
	return verdict(green)
}

// tempos are those at which workloads whose end states differ are run again: which of two
// concurrent events comes first, and how far a controller is when a user acts, must not count.
var tempos = []float64{4, 0.25, 1, 2}

// other runs the workloads with the second controller.
func (s *soaking) other(ctx context.Context, impl implementation.Implementation) (*soak.Tally, error) {
	second := *s
	second.options.Implementation = impl
	second.options.Reports = filepath.Join(s.options.Reports, "against")
	return second.soak(ctx, s.against)
}

// soak runs the workloads with one implementation, and prints what was seen.
func (s *soaking) soak(ctx context.Context, name string) (tally *soak.Tally, err error) {
	err = scenario.With(ctx, s.options,
		func(ctx context.Context, env *run.Environment, environment scenario.Environment) (err error) {
			s.Folder = filepath.Join(env.Reports, "workloads")
			s.Run = func(ctx context.Context, workload *scenario.Scenario) (*scenario.Result, error) {
				return environment.Run(ctx, workload)
			}
			tally, err = soak.Run(ctx, s.Options)
			return err
		})
	if err == nil {
		tally.Print(s.Out, func(file string) string {
			return console.Program("repro") + " " + console.Argument("scenario", file) + " " +
				console.Argument("implementation", name)
		})
	}
	return tally, err
}
