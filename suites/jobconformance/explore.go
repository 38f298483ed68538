package main

import (
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
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/explore"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/spf13/cobra"
)

const exploreHelp = `Plays scenarios once without faults, and then once for each thing that can go wrong
on the way: each write of the implementation is answered with 500, loses its answer,
or is the moment at which the implementation is killed and started again, before the
write or after it; each event of Jobs, Pods and CronJobs, with all that follow it,
comes 2 s late. Every run must reach the scenario's end state and stay in it, and all
invariants must hold. Writes of Events are left alone: they are best effort.

Results are kept in results.jsonl in the folder for reports. What is there for the same
implementation (its very binary), version and scenario is not played again.

Exit codes: 0 all was played and nothing was wrong but what is known, 1 a violation,
2 bad input, 3 no verdict: time was over before all was played, or the harness
failed; 130 interrupted. After 3 and 130, the same command goes on where it was.`

// exploration has the values of the flags.
type exploration struct {
	implementation string
	options        run.Options
	scenarios      string
	plan           string
	minutes        float64
	workers        int
	fresh          bool

	impl    implementation.Implementation
	stories []explore.Story
	faults  explore.Plan
}

// exploreCommand is the command that looks for faults that an implementation
// does not survive; it sets the exit code.
func exploreCommand(code *int) *cobra.Command {
	var x exploration
	command := &cobra.Command{
		Use:   "explore",
		Short: "Play scenarios with one fault at every write and every event",
		Long:  exploreHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			x.options.Out = cmd.OutOrStdout()
			*code, err = x.run(cmd.Context(), cmd.OutOrStdout())
			return err
		},
	}
	set := command.Flags()
	set.SortFlags = false
	set.StringVarP(&x.implementation, "implementation", "i", implementation.Reference, "reference, kube-controller-manager or exec:COMMAND")
	set.StringVar(&x.scenarios, "scenarios", "", "only those whose names match this regular expression")
	set.StringVar(&x.plan, "plan", "", `play one scenario under this plan alone and print its timeline: "create pods 2: lose answer", or "none"`)
	set.Float64Var(&x.minutes, "minutes", 0, "begin no run after so many minutes (default: go on until all were played)")
	set.IntVar(&x.workers, "workers", 0, "scenarios that are played at the same time (default: 3 for each core)")
	set.BoolVar(&x.fresh, "fresh", false, "play everything, also what was played before")
	theatreFlags(set, &x.options)
	set.StringVar(&x.options.Reports, "reports", filepath.Join("reports", "explore"), "folder for reports")
	return command
}

// check does everything that can be refused before anything is started.
func (x *exploration) check() (err error) {
	if x.impl, err = proxied(x.implementation); err != nil {
		return err
	}
	which, err := regexp.Compile(x.scenarios)
	if err != nil {
		return badinput.Wrap(err, "--scenarios is not a regular expression", "mend it")
	}
	if x.stories, err = explore.Stories(which); err != nil {
		return err
	}
	if x.minutes < 0 || x.workers < 0 {
		return badinput.New("the numbers of minutes and of workers are 0 or more", "mend --minutes or --workers")
	}
	if x.workers == 0 {
		x.workers = 3 * runtime.NumCPU()
	}
	if x.plan == "" {
		return nil
	}
	if len(x.stories) > 1 {
		return badinput.New(fmt.Sprintf("a plan is for one scenario, and %d match", len(x.stories)), "choose one by --scenarios='^name$'")
	}
	x.faults, err = explore.ParsePlan(x.plan)
	return err
}

func (x *exploration) run(ctx context.Context, out io.Writer) (int, error) {
	if err := x.check(); err != nil {
		return 0, err
	}
	x.options.Implementation = x.impl
	ctx, lab, theatre, closeTheatre, err := openTheatre(ctx, x.options)
	if err != nil {
		return 0, err
	}
	defer closeTheatre()
	x.stories = slices.DeleteFunc(x.stories, func(s explore.Story) bool {
		late := !s.In(lab.Version())
		if late {
			fmt.Fprintf(out, "%-70s is left out: it is about what came with %s\n", s.Name, s.Since)
		}
		return late
	})
	if len(x.stories) == 0 {
		return 0, badinput.New("no scenario is left", "choose others by --scenarios")
	}
	if x.plan != "" {
		return x.replay(ctx, lab, theatre, out)
	}
	return x.explore(ctx, lab, theatre, out)
}

func (x *exploration) explore(ctx context.Context, lab *run.Lab, theatre scenario.Theatre, out io.Writer) (int, error) {
	program, err := digest(x.impl.Program(lab.Builds))
	if err != nil {
		return 0, err
	}
	identity := explore.Identity{Implementation: x.implementation, Program: program, Kubernetes: lab.Version()}
	results, err := explore.OpenResults(filepath.Join(lab.Reports, "results.jsonl"), identity, x.fresh)
	if err != nil {
		return 0, badinput.Wrap(err, "the results cannot be read or written", "choose another folder with --reports")
	}
	defer results.Close()
	e := &explore.Explorer{
		Stage: explore.On(theatre), Results: results, Folder: lab.Reports, Workers: x.workers, Out: out, Again: x.again,
		Known: explore.Expected(x.implementation, lab.Version()),
	}
	if x.minutes > 0 {
		e.Until = time.Now().Add(time.Duration(x.minutes * float64(time.Minute)))
	}
	tally, err := e.Run(ctx, x.stories)
	if err != nil {
		return 0, err
	}
	lab.Close()
	tally.Print(out)
	switch {
	case tally.Red():
		return exitRed, nil
	case !tally.Complete():
		fmt.Fprintln(out, "The same command goes on where this one was.")
		return exitHarness, nil
	}
	return exitGreen, nil
}

// digest tells builds of a program apart.
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

// replay plays one plan and shows all that has happened.
func (x *exploration) replay(ctx context.Context, lab *run.Lab, theatre scenario.Theatre, out io.Writer) (int, error) {
	r, err := explore.On(theatre)(ctx, x.stories[0], x.faults)
	if err != nil {
		return 0, err
	}
	lab.Close()
	fmt.Fprintln(out, r.Result.History.Timeline())
	switch {
	case !r.Result.Green():
		fmt.Fprintf(out, "%s\n\nRED %s: %s, %s\n", r.Result.Why(), x.implementation, x.stories[0].Name, x.plan)
		return exitRed, nil
	case !r.Reached:
		fmt.Fprintf(out, "NOT REACHED %s: %s, %s\n", x.implementation, x.stories[0].Name, x.plan)
		return exitHarness, nil
	}
	fmt.Fprintf(out, "GREEN %s: %s, %s\n", x.implementation, x.stories[0].Name, x.plan)
	return exitGreen, nil
}

// again is the command that plays a plan alone.
func (x *exploration) again(story, plan string) string {
	if plan == "" {
		plan = explore.None
	}
	words := []string{"make", "explore", "IMPLEMENTATION=" + quoted(x.implementation)}
	if v := x.options.Build.KubernetesVersion; v != build.DefaultKubernetesVersion {
		words = append(words, "KUBERNETES_VERSION="+quoted(v))
	}
	if gates := x.options.FeatureGates; gates != "" {
		words = append(words, "FEATURE_GATES="+quoted(gates))
	}
	return strings.Join(append(words, "SCENARIOS="+quoted("^"+story+"$"), "PLAN="+quoted(plan)), " ")
}

var needsQuotes = regexp.MustCompile(`[^A-Za-z0-9._/:=,-]`)

// quoted is a word for make and the shell that it calls.
func quoted(word string) string {
	word = strings.ReplaceAll(word, "$", "$$")
	if !needsQuotes.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
