package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/score"
	"github.com/spf13/cobra"
)

const scoreHelp = `Measures how many wrong controllers the suites catch: it changes the source of
upstream's Job and CronJob controllers at random places, one change for each mutant, and
runs the specs that reach the changed statement against it, until one fails. Changes that
keep the contract are listed with a reason in suites/score/equivalent.yaml, are not run and
do not count.

With --mutants, changes that you have written yourself are run instead, each with the text
that it replaces in a function; suites/score/README.md shows such a file.

With --coverage, nothing is changed: the specs run against the unchanged controller, and coverage.md
has the statements of its source that none of them reaches, with the reasons that the list has.

Needs the source of the version: the module k8s.io/kubernetes, from the Go module cache
or proxy. The unchanged controller is run first, and must be green.

Results are saved in results.jsonl in the folder for reports: the same command resumes,
and a mutant that was run against the same version and the same sources of the suites is
not run again. table.md has all of them, survivors.yaml those that survived. In a checkout,
the figure goes into suites/score/measured, for make figures.

A shard runs every nth of the drawn mutants, and the unchanged controller as well. To put shards
together, append their results.jsonl to one in a new folder, and give that folder to the same
command without --shard: it runs what is missing, and measures the whole. A copy of one shard's
baseline.jsonl there saves running the unchanged controller again.

Exit codes: 0 the goal is reached, or a shard was run: the goal is one of the whole; 1 it is not, 2 bad input, 3 no figure because the
harness failed, 130 after Ctrl-C, 143 after SIGTERM. After these three, the same command
resumes.`

const scoreExample = `  jobconformance score --count 20 --seed 1
  jobconformance score --count 200 --seed 1 --goal 95
  jobconformance score --kubernetes-version v1.36.3 --count 50
  jobconformance score --feature-gates WorkloadWithJob=true --files job_scheduling_manager.go
  jobconformance score --mutants my-bug.yaml
  jobconformance score --coverage`

// scoring has the values of the flags.
type scoring struct {
	score.Options
	goal float64
}

func scoreCommand() *cobra.Command {
	var s scoring
	c := command("score", "Count how many mutants of upstream's controllers the suites catch", scoreHelp, scoreExample,
		func(cmd *cobra.Command, _ []string) error {
			if s.Own != "" && (cmd.Flags().Changed("seed") || cmd.Flags().Changed("count")) {
				return badinput.New("nothing is drawn where mutants are given",
					"leave out "+console.Flag("mutants")+", or the seed and the count")
			}
			if s.Coverage {
				for _, name := range []string{"seed", "count", "mutants", "files", "shard", "goal"} {
					if cmd.Flags().Changed(name) {
						return badinput.New("nothing is drawn for "+console.Flag("coverage"),
							"leave out "+console.Flag(name))
					}
				}
			} else if !cmd.Flags().Changed("seed") {
				if s.Shard.Count > 0 && s.Own == "" {
					return seedless()
				}
				s.Seed = uint64(rand.Uint32N(1_000_000))
			}
			return s.run(cmd.Context(), cmd.OutOrStdout())
		})
	set := c.Flags()
	set.IntVar(&s.Count, "count", 200, "mutants to draw; with more, the same seed draws the same ones first")
	set.Uint64Var(&s.Seed, "seed", 0, "seed of the draw (default: random)")
	set.StringVar(&s.Own, "mutants", "", "file with mutants to run instead of drawn ones")
	set.BoolVar(&s.Coverage, "coverage", false, "print which statements of upstream's controllers no spec reaches")
	set.StringVar(&s.Files, "files", "", "draw only from files whose names match this pattern, such as job_*.go")
	set.StringVar(&s.Labels, "labels", "", "have the mutants meet only the specs with these labels, as for run")
	shardFlag(set, &s.Shard, "mutants")
	set.Float64Var(&s.goal, "goal", 95, "percent of the mutants, without equivalent ones, that must be caught")
	set.IntVar(&s.Specs, "specs", 5*runtime.NumCPU(), "specs that run at the same time, two for each mutant")
	versionFlags(set, &s.Options.Options)
	buildFlags(set, &s.Options.Build, &s.Options.Reports, "score")
	return c
}

func (s *scoring) run(ctx context.Context, out io.Writer) error {
	switch {
	case s.Count < 1:
		return badinput.New("no mutant would be drawn", "give "+console.Flag("count")+" 1 or more")
	case s.goal < 0 || s.goal > 100:
		return badinput.New(fmt.Sprintf("%g is no percentage", s.goal), "give "+console.Flag("goal")+" 0 to 100")
	case s.Specs < 2:
		return badinput.New("no mutant could be run", "give "+console.Flag("specs")+" 2 or more")
	}
	suites, err := suitesDigest()
	if err != nil {
		return err
	}
	s.Out, s.Suites = out, suites
	if s.Own == "" && !s.Coverage {
		console.Line(out, "seed", "%d", s.Seed)
	}
	campaign, err := score.Run(ctx, s.Options)
	if campaign != nil && len(campaign.Results) > 0 {
		err = errors.Join(err, s.write(campaign, out))
	}
	if err != nil {
		return err
	}
	if c := campaign.Coverage; c != nil {
		return s.writeCoverage(c, out)
	}
	measured := campaign.Measured()
	if s.Shard.Count > 0 {
		_, err := fmt.Fprintf(out, "\nshard %s: %s\n", &s.Shard, measured)
		return err
	}
	green := measured.Percent() >= s.goal
	fmt.Fprintf(out, "\n%s %s; the goal is %g %%\n", console.Color(green), measured, s.goal)
	return verdict(green)
}

// writeCoverage writes what no spec reaches, and prints how much of each file is reached.
func (s *scoring) writeCoverage(c *score.Coverage, out io.Writer) error {
	path := filepath.Join(s.Reports, "coverage.md")
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := errors.Join(c.Write(file), file.Close()); err != nil {
		return err
	}
	for _, f := range c.Files {
		console.Line(out, filepath.Base(f.File), "%.1f %% of %d statements", f.Percent(), f.Statements-f.LeftOut)
	}
	console.Line(out, "coverage.md", "%s", console.Path(path))
	_, err = fmt.Fprintf(out, "\n%s\n", c)
	return err
}

// write writes what is known, also of a campaign that was interrupted.
func (s *scoring) write(c *score.Campaign, out io.Writer) error {
	for name, print := range map[string]func(io.Writer) error{
		"table.md":       func(w io.Writer) error { c.WriteTable(w); return nil },
		"survivors.yaml": c.WriteSurvivors,
	} {
		path := filepath.Join(s.Reports, name)
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		if err := errors.Join(print(file), file.Close()); err != nil {
			return err
		}
		console.Line(out, name, "%s", console.Path(path))
	}
	if !c.Complete() {
		fmt.Fprintf(out, "so far %s\n", c.Measured())
		return nil
	}
	if s.Partly() {
		return nil
	}
	err := c.Measured().Save(".")
	if errors.Is(err, fs.ErrNotExist) {
		console.Line(out, "figure", "not saved: this folder is no checkout of jobconformance")
		return nil
	}
	return err
}

// decisive are the folders of a checkout whose sources decide how a mutant ends.
var decisive = []string{
	"suites/job", "suites/metrics", "suites/cronjob", "suites/faults", "suites/admission",
	"suites/contract", "suites/explore", "suites/scenario",
	"fixtures/framework", "fixtures/sandbox", "fixtures/history", "fixtures/invariants", "fixtures/faultproxy",
	"fixtures/puppet",
	"fixtures/kinds", "fixtures/load", "fixtures/protocol", "fixtures/spec",
}

// suitesDigest identifies the suites: by their sources in a checkout, elsewhere by this
// program.
func suitesDigest() (string, error) {
	sum := sha256.New()
	for _, folder := range decisive {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			fmt.Fprintf(sum, "%s %d\n%s", path, len(text), text)
			return err
		})
		switch {
		case errors.Is(err, fs.ErrNotExist):
			program, err := os.Executable()
			if err != nil {
				return "", err
			}
			return digest(program)
		case err != nil:
			return "", err
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil))[:16], nil
}
