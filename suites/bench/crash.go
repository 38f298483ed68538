package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/bench/crash"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
	"github.com/spf13/cobra"
)

const crashHelp = `Kills a controller with SIGKILL, again and again, in the middle of Jobs of all kinds:
Indexed and not, with pods that fail or restart, suspended and resumed. Each time it
is started again. In the end every Job must have the very counts that its pods'
scripts lead to, no pod more than that may ever have been there, none may keep the
tracking finalizer, and the invariants of the suites hold over all that happened.

The seed decides on the Jobs and on the moments, counted in writes; what happens in
a moment depends on the machine as well.

Exit codes: 0 all is well, 1 something is not, 2 bad input, 3 there is no result,
130 interrupted.`

// ordeal has the values of the flags.
type ordeal struct {
	crash.Ordeal
	implementation string
	options        run.Options
	errs           io.Writer
}

func crashCommand() *cobra.Command {
	var c ordeal
	command := &cobra.Command{
		Use:   "crash",
		Short: "Kill a controller again and again, and count what becomes of its Jobs",
		Long:  crashHelp,
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.errs = cmd.ErrOrStderr()
			if !cmd.Flags().Changed("seed") {
				c.Seed = rand.Uint64N(1 << 32)
			}
			return c.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	set := command.Flags()
	set.SortFlags = false
	set.StringVarP(&c.implementation, "implementation", "i", implementation.Reference, "the controller to kill: reference, kube-controller-manager or exec:COMMAND")
	set.IntVar(&c.Kills, "kills", 200, "how often it is killed")
	set.IntVar(&c.Jobs, "jobs", 200, "how many Jobs it works on")
	set.Uint64Var(&c.Seed, "seed", 0, "seed of the Jobs and the moments (default: any)")
	commonFlags(command, &c.options)
	return command
}

func (c *ordeal) run(ctx context.Context, out io.Writer) error {
	impl, err := implementation.Parse(c.implementation)
	if err != nil {
		return err
	}
	if c.Kills < 0 || c.Jobs < 1 {
		return badinput.New("there is nothing to kill, or no work for it", "give --kills 0 or more and --jobs 1 or more")
	}
	counter := &requests.Counter{}
	lab, client, err := openLab(ctx, c.options, c.implementation, counter, c.errs)
	if err != nil {
		return err
	}
	defer lab.Close()
	fmt.Fprintf(c.errs, "%-70s %d\n", "seed", c.Seed)
	c.Lab, c.Client, c.Counter, c.Implementation, c.Progress = lab, client, counter, impl, c.errs
	tally, err := c.Ordeal.Run(ctx)
	if err != nil {
		return err
	}
	lab.Close()
	tally.Print(out)
	if tally.Green() {
		return nil
	}
	all := filepath.Join(lab.Reports, "violations.log")
	if err := os.WriteFile(all, []byte(tally.All()), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(c.errs, "%-70s %s\n", "all violations", all)
	return errRed
}
