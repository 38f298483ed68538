package main

import (
	"context"
	"io"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/bench"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
	"github.com/spf13/cobra"
)

const benchHelp = `Measures the reference controller and kube-controller-manager of the cluster's
version, with its Job and CronJob controllers only. They take turns on one embedded
cluster: each row runs in a namespace of its own, with a process of its own. Prints
Markdown; progress goes to standard error.

  seconds        from the first request until the last Job is finished
  calls per pod  the controller's requests without watches, from the API server's
                 audit log
  peak MiB       maximum resident memory of the process (VmHWM)
  CPU seconds    of the process, for this row only
  by hand        seconds without a controller: the Job's pods, as a controller creates
                 them, are created, and each loses its finalizer when it has ended; the
                 ratio is the reference's to that

Figures are medians over --repeat; a ratio below 1 means that the reference needs
less. KWOK does not run the pods: the benchmark writes one status for each pod as
soon as it sees the pod. It measures as well what the machine does without a
controller.

Exit codes: 0 measured, 2 bad input, 3 no figures because the harness failed,
130 after Ctrl-C, 143 after SIGTERM. An interrupted command stops everything that it started.`

const benchExample = `  jobconformance bench
  jobconformance bench --rows jobs,indexed --qps 200/400 --repeat 5
  jobconformance bench --rows long --qps unlimited --floors=false
  jobconformance bench --scale 0.1`

func benchCommand() *cobra.Command {
	var b bench.Options
	var o run.Options
	var limits []string
	c := command("bench", "Measure the reference controller against kube-controller-manager", benchHelp, benchExample,
		func(cmd *cobra.Command, _ []string) error {
			for _, text := range limits {
				limit, err := bench.ParseLimit(text)
				if err != nil {
					return err
				}
				b.Limits = append(b.Limits, limit)
			}
			o.Out, b.Progress = cmd.ErrOrStderr(), cmd.ErrOrStderr()
			return runBench(cmd.Context(), b, o, cmd.OutOrStdout())
		})
	set := c.Flags()
	set.StringSliceVar(&b.Rows, "rows", nil,
		"rows to measure: "+strings.Join(bench.RowNames(), ", ")+" (default: all but long)")
	set.StringSliceVar(&limits, "qps", []string{"200/400", "unlimited"},
		"rate limits of the controllers' clients, as requests a second/at once, or unlimited; one table for each")
	set.IntVar(&b.Repeat, "repeat", 1, "measure every row this many times, and print medians")
	set.Float64Var(&b.Scale, "scale", 1, "size of the rows; 0.1 checks in a minute that everything works")
	set.BoolVar(&b.Floors, "floors", true, "measure what the machine does without a controller, too")
	clusterFlags(set, &o, "bench")
	return c
}

func runBench(ctx context.Context, b bench.Options, o run.Options, out io.Writer) (err error) {
	if err := b.Check(); err != nil {
		return err
	}
	if o.Implementation, err = implementation.Parse(implementation.Reference); err != nil {
		return err
	}
	return requests.With(ctx, o, func(ctx context.Context, c requests.Cluster) error {
		return (&bench.Bench{Options: b, Cluster: c}).Run(ctx, out)
	})
}
