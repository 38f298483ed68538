package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/explore"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

var exploreHelp = `Runs scenarios once without faults, and then once for each possible fault: each
write of the implementation is answered with 500, loses its answer, or kills and
restarts the implementation, before or after it is carried out; each event of Jobs,
Pods and CronJobs, with all later ones, arrives 2 s late. Every run must reach the
scenario's end state and stay in it, and all invariants must hold. Writes of Events
are not disturbed: they are best effort.

With --actions, a user acts as well, at a write or at the end of a pod: patches,
suspends, scales, deletes or creates the Job or CronJob again, or deletes or releases
a pod. --also takes in further kinds of disturbances:

` + explore.DimensionsHelp() + `
For each new cause, the smallest scenario that shows it is saved in the folder
found of the reports, for repro --scenario. Where the same folder has the results of
another implementation, end states that differ are printed.

Results are saved in results.jsonl in the folder for reports. A run that is there for
the same implementation (by the digest of its binary), version and scenario is not
repeated. Shards are put together by one results.jsonl after the other in one folder,
and the same command without --shard.

Exit codes: 0 all runs done, and no violations but known ones, 1 a violation, 2 bad
input, 3 no verdict: the time was over before all runs were done, or the harness
failed, 130 after Ctrl-C, 143 after SIGTERM. After these three, the same command resumes.`

const exploreExample = `  jobconformance explore
  jobconformance explore --scenarios indexed --minutes 10
  jobconformance explore --scenarios '^parallelism$' --plan 'create pods 2: lose answer'`

// exploration has the values of the flags.
type exploration struct {
	implementation string
	options        run.Options
	scenarios      string
	plan           string
	minutes        float64
	workers        int
	pairs, actions int
	also           []string
	each           int
	only           bool
	fresh          bool
	failFast       bool
	shard          run.Shard

	impl       implementation.Implementation
	chosen     []explore.Scenario
	dimensions []explore.Dimension
	faults     explore.Plan
}

func exploreCommand() *cobra.Command {
	var x exploration
	c := command("explore", "Run scenarios with one fault at every write and every event", exploreHelp, exploreExample,
		func(cmd *cobra.Command, _ []string) error {
			x.options.Out = cmd.OutOrStdout()
			return x.run(cmd.Context(), x.options.Out)
		})
	set := c.Flags()
	implementationFlag(set, &x.implementation, implementation.Reference, "the controller: "+processes)
	set.IntVar(&x.pairs, "pairs", 0, "run each scenario with this many pairs of faults as well")
	set.IntVar(&x.actions, "actions", 0,
		"run scenarios in which a user acts with this many actions as well, alone and beside a fault")
	set.StringSliceVar(&x.also, "also", nil, "run each scenario with these kinds of disturbances as well, or with all")
	set.IntVar(&x.each, "each", 30, "how many runs of a scenario each kind of --also may take")
	set.BoolVar(&x.only, "only", false, "with --also, leave out the faults at every write and event")
	x.flags(set, "explore", "create pods 2: lose answer")
	return c
}

// flags are those of all explorations.
func (x *exploration) flags(set *pflag.FlagSet, command, plan string) {
	set.StringVar(&x.scenarios, "scenarios", "", "only those whose names match this regular expression")
	set.StringVar(&x.plan, "plan", "", fmt.Sprintf(
		"run one scenario with only this fault and print its timeline, for example %q, or %q", plan, explore.None))
	set.Float64Var(&x.minutes, "minutes", 0,
		"start no run after this many minutes (default: continue until all are done)")
	set.IntVar(&x.workers, "workers", 0, "scenarios that run at the same time (default: 8 for each core)")
	set.BoolVar(&x.fresh, "fresh", false, "repeat the runs that have saved results, too")
	set.BoolVar(&x.failFast, "fail-fast", false, "start no run after the first violation that is not known")
	shardFlag(set, &x.shard, "scenarios")
	clusterFlags(set, &x.options, command)
}

// check rejects bad input before anything is started.
func (x *exploration) check() (err error) {
	if x.impl, err = proxied(x.implementation); err != nil {
		return err
	}
	if x.pairs < 0 || x.actions < 0 || x.each < 0 {
		return badinput.New("a number of pairs, actions or runs is negative", fmt.Sprintf(
			"give %s, %s and %s 0 or more",
			console.Flag("pairs"), console.Flag("actions"), console.Flag("each")))
	}
	if x.only && len(x.also) == 0 {
		return badinput.New("nothing is left to run", "name dimensions with "+console.Flag("also"))
	}
	if x.dimensions, err = explore.Dimensions(x.also...); err != nil {
		return err
	}
	return x.choose()
}

// choose reads which scenarios are run, and how.
func (x *exploration) choose() error {
	which, err := regexp.Compile(x.scenarios)
	if err != nil {
		return badinput.Wrap(err, console.Flag("scenarios")+" is not a regular expression", "correct it")
	}
	if x.chosen, err = explore.Scenarios(which, x.dimensions...); err != nil {
		return err
	}
	if len(x.chosen) > 0 {
		if err := x.shard.Check(len(x.chosen), "scenarios"); err != nil {
			return err
		}
	}
	x.chosen = run.Every(x.shard, x.chosen)
	if x.minutes < 0 || x.workers < 0 {
		return badinput.New("a number of minutes or workers is negative",
			fmt.Sprintf("give %s and %s 0 or more", console.Flag("minutes"), console.Flag("workers")))
	}
	if x.workers == 0 {
		x.workers = 8 * runtime.NumCPU()
	}
	if x.plan == "" {
		return nil
	}
	if len(x.chosen) > 1 {
		return badinput.New(fmt.Sprintf("a plan is for one scenario, and %d match", len(x.chosen)),
			"choose one with "+console.Flag("scenarios"))
	}
	x.faults, err = explore.ParsePlan(x.plan)
	return err
}

func (x *exploration) run(ctx context.Context, out io.Writer) error {
	if err := x.check(); err != nil {
		return err
	}
	x.options.Implementation = x.impl
	var print func() error // the result, after the cluster has stopped
	err := scenario.With(ctx, x.options,
		func(ctx context.Context, env *run.Environment, environment scenario.Environment) (err error) {
			if err := x.keep(environment.Version, out); err != nil {
				return err
			}
			if x.plan != "" {
				print, err = x.replay(ctx, environment, x.implementation, out)
			} else {
				print, err = x.explore(ctx, env, environment, out)
			}
			return err
		})
	if err != nil {
		return err
	}
	return print()
}

// keep leaves out the scenarios that a version of Kubernetes does not have yet.
func (x *exploration) keep(of string, out io.Writer) error {
	x.chosen = slices.DeleteFunc(x.chosen, func(s explore.Scenario) bool {
		later := !s.In(of)
		if later {
			console.Line(out, s.Name, "is left out: it needs Kubernetes %s", s.Since)
		}
		return later
	})
	if len(x.chosen) == 0 {
		return badinput.New("no scenario is left", "choose others with "+console.Flag("scenarios"))
	}
	return nil
}

func (x *exploration) explore(ctx context.Context, env *run.Environment, environment scenario.Environment,
	out io.Writer) (print func() error, err error) {
	program, err := digest(x.impl.Program(env.Builds))
	if err != nil {
		return nil, err
	}
	of := cmp.Or(x.impl.Upstream(), env.Version())
	known, err := explore.Expected(x.implementation, of, env.GatesOn(of))
	if err != nil {
		return nil, err
	}
	unknown, err := explore.Unknown(x.dimensions, env.Config())
	if err != nil {
		return nil, err
	}
	identity := explore.Identity{Implementation: x.implementation, Program: program, Kubernetes: env.Version()}
	return x.begin(ctx, env.Reports, identity, out, &explore.Explorer{
		Runner: explore.On(environment), Known: known, Pairs: x.pairs, Actions: x.actions,
		Also: x.dimensions, Each: x.each, Only: x.only, Unknown: unknown,
		Again: func(sc, plan string) string {
			return x.again("explore", sc, plan, console.Argument("implementation", x.implementation))
		},
	})
}

// begin runs an exploration of the chosen scenarios. What it returns prints the result.
func (x *exploration) begin(ctx context.Context, reports string, identity explore.Identity, out io.Writer,
	e *explore.Explorer) (print func() error, err error) {
	results, err := explore.OpenResults(filepath.Join(reports, "results.jsonl"), identity, x.fresh)
	if err != nil {
		return nil, badinput.Wrap(err, "the results cannot be read or written",
			"choose another folder with "+console.Flag("output-dir"))
	}
	defer results.Close()
	e.Results, e.Folder, e.Workers, e.Out, e.FailFast = results, reports, x.workers, out, x.failFast
	if x.minutes > 0 {
		e.Until = time.Now().Add(time.Duration(x.minutes * float64(time.Minute)))
	}
	tally, err := e.Run(ctx, x.chosen)
	if err != nil {
		return nil, err
	}
	return func() error {
		tally.Print(out)
		if !tally.Red() && !tally.Complete() {
			fmt.Fprintln(out, "The same command resumes.")
			return exitCode(exitHarness)
		}
		return verdict(!tally.Red())
	}, nil
}

// digest identifies a build of a program.
func digest(program string) (string, error) {
	file, err := os.Open(program)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil))[:16], nil
}

// replay runs one plan and prints its timeline.
func (x *exploration) replay(ctx context.Context, environment scenario.Environment, of string,
	out io.Writer) (print func() error, err error) {
	r, _, err := explore.On(environment)(ctx, x.chosen[0], x.faults)
	if err != nil {
		return nil, err
	}
	return replayed(r, fmt.Sprintf("%s: %s, %s", of, x.chosen[0].Name, x.plan), out), nil
}

// replayed prints the timeline of a run that is called title, and its verdict.
func replayed(r *scenario.Result, title string, out io.Writer) (print func() error) {
	return func() error {
		fmt.Fprintln(out, r.History.Timeline())
		word, code := console.Color(r.Green()), verdict(r.Green())
		if !r.Green() {
			fmt.Fprintf(out, "%s\n\n", r.Why())
		} else if len(r.Unmet) > 0 {
			word, code = "NOT REACHED", exitCode(exitHarness)
		}
		fmt.Fprintf(out, "%s %s\n", word, title)
		return code
	}
}

// again returns the command that runs only one plan. The words say whose.
func (x *exploration) again(command, scenario, plan string, words ...string) string {
	if plan == "" {
		plan = explore.None
	}
	words = append([]string{console.Program(command)}, words...)
	given := [][2]string{{"also", strings.Join(x.also, ",")}, {"kubernetes-version", x.options.Build.KubernetesVersion},
		{"kubernetes-source", x.options.Build.Source}, {"feature-gates", x.options.FeatureGates}}
	for _, flag := range given {
		if flag[1] != "" {
			words = append(words, console.Argument(flag[0], flag[1]))
		}
	}
	return strings.Join(append(words, console.Argument("scenarios", "^"+scenario+"$"), console.Argument("plan", plan)),
		" ")
}
