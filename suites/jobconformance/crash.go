package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
	"github.com/jobconformance/jobconformance/suites/crash"
	"github.com/spf13/cobra"
)

const crashHelp = `Kills a controller with SIGKILL, again and again, while it works on Jobs of all
kinds: Indexed and not, with pods that fail or restart, suspended and resumed. Each
time it is started again. In the end every Job must have exactly the counts that the
exit codes of its pods lead to, no pod may have been created in excess, none may keep
the tracking finalizer, the invariants of the suites must hold over the history, and the
controller must not interfere.

The seed determines the Jobs and the times of the kills, counted in writes. What the
controller is doing at these times depends on the machine as well.

` + exitCodes

const crashExample = `  jobconformance crash
  jobconformance crash -i kube-controller-manager --kills 20 --jobs 20 --seed 7`

func crashCommand() *cobra.Command {
	var t crash.Test
	var o run.Options
	var name string
	c := command("crash", "Kill a controller again and again, and check its Jobs", crashHelp, crashExample,
		func(cmd *cobra.Command, _ []string) (err error) {
			if !cmd.Flags().Changed("seed") {
				t.Seed = rand.Uint64N(1 << 32)
			}
			if t.Implementation, err = onOneCluster(name); err != nil {
				return err
			}
			o.Implementation, o.Out, t.Progress = t.Implementation, cmd.ErrOrStderr(), cmd.ErrOrStderr()
			return runCrash(cmd.Context(), &t, o, cmd.OutOrStdout())
		})
	set := c.Flags()
	implementationFlag(set, &name, implementation.Reference, "the controller to kill: "+processes)
	set.IntVar(&t.Kills, "kills", 200, "how often it is killed")
	set.IntVar(&t.Jobs, "jobs", 200, "how many Jobs it works on")
	set.Uint64Var(&t.Seed, "seed", 0, "seed of the Jobs and of the times of the kills (default: random)")
	clusterFlags(set, &o, "crash")
	return c
}

// violations is the file that has all of them.
const violations = "violations.log"

func runCrash(ctx context.Context, t *crash.Test, o run.Options, out io.Writer) error {
	if t.Kills < 0 || t.Jobs < 1 {
		return badinput.New("there would be nothing to kill or no Jobs",
			fmt.Sprintf("give %s 0 or more and %s 1 or more", console.Flag("kills"), console.Flag("jobs")))
	}
	var tally *crash.Tally
	var reports string
	err := requests.With(ctx, o, func(ctx context.Context, c requests.Cluster) (err error) {
		console.Line(t.Progress, "seed", "%d", t.Seed)
		t.Cluster, reports = c, c.Reports
		if err := c.Claim(violations); err != nil {
			return err
		}
		tally, err = t.Run(ctx)
		return err
	})
	if err != nil {
		return err
	}
	tally.Print(out)
	if tally.Green() {
		return nil
	}
	all := filepath.Join(reports, violations)
	if err := os.WriteFile(all, []byte(tally.All()), 0o644); err != nil {
		return err
	}
	console.Line(t.Progress, "all violations", "%s", console.Path(all))
	return exitCode(exitRed)
}
