package main

import (
	"context"
	"io"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/leaks"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/spf13/cobra"
)

const leaksHelp = `Has waves of Jobs and CronJobs come and go under a controller, on an embedded cluster, and looks after
each what its process still has: open watches, descriptors, threads, resident memory and, where its
metrics are served, goroutines. A command names {metrics} or {metricsPort} for that.

A leak is what grows from the second wave to the last, by one for each five objects or by
64 KiB of memory for each, and in each wave but one at most.

` + exitCodes

const leaksExample = `  jobconformance leaks
  jobconformance leaks -i 'exec:./mine --kubeconfig={kubeconfig} --metrics-bind-address={metrics}' --waves=20`

func leaksCommand() *cobra.Command {
	var l leaks.Options
	var o run.Options
	var name string
	c := command("leaks", "Look for what a controller keeps of objects that are gone", leaksHelp, leaksExample,
		func(cmd *cobra.Command, _ []string) (err error) {
			if o.Implementation, err = proxied(name); err != nil {
				return err
			}
			o.Out, l.Progress = cmd.ErrOrStderr(), cmd.ErrOrStderr()
			return runLeaks(cmd.Context(), l, o, name, cmd.OutOrStdout())
		})
	set := c.Flags()
	implementationFlag(set, &name, implementation.Reference, "the controller: "+processes)
	set.IntVar(&l.Waves, "waves", 6, "how many waves of objects come and go")
	set.IntVar(&l.Objects, "objects", 40, "how many Jobs and CronJobs there are in a wave")
	clusterFlags(set, &o, "leaks")
	return c
}

func runLeaks(ctx context.Context, l leaks.Options, o run.Options, name string, out io.Writer) error {
	if l.Waves < 3 || l.Objects < 10 {
		return badinput.New("too few objects would come and go to see what is left of them",
			"give "+console.Flag("waves")+" 3 or more and "+console.Flag("objects")+" 10 or more")
	}
	var tally *leaks.Tally
	err := scenario.With(ctx, o,
		func(ctx context.Context, env *run.Environment, environment scenario.Environment) (err error) {
			tally, err = leaks.Run(ctx, env, environment, l)
			return err
		})
	if err != nil {
		return err
	}
	tally.Print(out, name)
	return verdict(tally.Green())
}
