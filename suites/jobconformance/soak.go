package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/soak"
	"github.com/spf13/cobra"
)

const soakHelp = `Plays random mixes of Jobs and CronJobs of all features against a controller, on an
embedded cluster: with random pod ends, edits, suspensions, deletions, faults and
restarts. Every invariant must hold, and all that is left must come to its end.

What goes wrong is written down as a scenario in the folder soak of the reports, with
its history; the first of them is made as small as it gets. The seed decides on the
workloads, not on what happens in a race.

Exit codes: 0 all went well, 1 something went wrong, 2 bad input, 3 the harness itself
failed, 130 interrupted.`

// soaking has the values of the flags.
type soaking struct {
	soak.Options
	implementation string
	minutes        float64
	options        run.Options
}

// soakCommand sets the exit code.
func soakCommand(code *int, out io.Writer) *cobra.Command {
	var s soaking
	command := &cobra.Command{
		Use:   "soak",
		Short: "Play random workloads with faults against a controller",
		Long:  soakHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("seed") {
				s.Seed = 1 + int(rand.Uint32N(1_000_000_000)) // 0 means any to package rapid
			}
			green, err := s.run(cmd.Context(), out)
			if err == nil && !green {
				*code = exitRed
			}
			return err
		},
	}
	set := command.Flags()
	set.SortFlags = false
	set.StringVarP(&s.implementation, "implementation", "i", implementation.Reference, "the controller: reference, kube-controller-manager or exec:COMMAND")
	set.Float64Var(&s.minutes, "minutes", 10, "for how long workloads are begun")
	set.IntVar(&s.Count, "count", 0, "how many workloads are played at most (default: as many as there is time for)")
	set.IntVar(&s.Seed, "seed", 0, "seed of the first workload; the next ones count up (default: any)")
	set.IntVar(&s.Workers, "workers", 6, "workloads that are played at the same time")
	set.DurationVar(&s.Shrink, "shrink", 2*time.Minute, "for how long the first workload that went wrong is made smaller")
	theatreFlags(set, &s.options)
	set.StringVar(&s.options.Reports, "reports", "", "folder for reports (default: reports in the checkout)")
	return command
}

func (s *soaking) run(ctx context.Context, out io.Writer) (green bool, err error) {
	switch {
	case s.minutes < 0 || s.Count < 0 || s.Shrink < 0 || s.minutes == 0 && s.Count == 0:
		return false, badinput.New("there is no time to play anything", "give --minutes more than 0")
	case s.Workers < 1:
		return false, badinput.New("nobody plays", "give --workers 1 or more")
	}
	impl, err := proxied(s.implementation)
	if err != nil {
		return false, err
	}
	s.options.Implementation, s.options.Out = impl, out
	ctx, lab, theatre, closeTheatre, err := openTheatre(ctx, s.options)
	if err != nil {
		return false, err
	}
	defer closeTheatre()
	s.Theatre = theatre
	s.Time = time.Duration(s.minutes * float64(time.Minute))
	s.Folder, s.Out = filepath.Join(lab.Reports, "soak"), out
	fmt.Fprintf(out, "%-70s %d\n", "seed", s.Seed)

	tally, err := soak.Run(ctx, s.Options)
	if err != nil {
		return false, err
	}
	lab.Close()
	tally.Print(out, func(file string) string {
		return fmt.Sprintf("make repro SCENARIO=%s IMPLEMENTATION=%s", file, s.implementation)
	})
	return tally.Green(), nil
}
