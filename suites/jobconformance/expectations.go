package main

import (
	"fmt"
	"io"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/expectations"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/spf13/cobra"
)

const expectationsHelp = `Writes what fails in a report into the file of --expectations: an entry for each requirement that
is not conformant, with what was seen for a reason, which is yours to edit. The next run with the
file is green as long as nothing else fails, and red where something holds that the file expects
to fail.

A file that is there keeps its entries and reasons, but for requirements that hold by now. What is
flaky, or what the harness failed at, gets no entry.

Exit codes: 0 the file expects all that is red, 1 it cannot, 2 bad input.`

func expectationsCommand() *cobra.Command {
	return command("expectations REPORT FILE", "Write what fails in a report into the file of --expectations",
		expectationsHelp, `  jobconformance expectations reports/e2e/report.yaml expectations.yaml
  jobconformance run --expectations=expectations.yaml`,
		func(cmd *cobra.Command, args []string) error {
			r, err := report.Load(args[0])
			if err != nil {
				return err
			}
			changes, err := expectations.Write(args[1], r)
			if err != nil {
				return err
			}
			printChanges(cmd.OutOrStdout(), args[1], changes)
			return verdict(len(changes.Red) == 0)
		})
}

func printChanges(out io.Writer, file string, c *expectations.Changes) {
	for _, what := range []struct {
		word string
		ids  []string
	}{{"fails", c.Added}, {"holds by now", c.Dropped}} {
		for _, id := range what.ids {
			fmt.Fprintf(out, "%-14s %s\n", what.word, id)
		}
	}
	for _, red := range c.Red {
		fmt.Fprintf(out, "%-14s %s\n", "stays red", red)
	}
	fmt.Fprintf(out, "%s: %d added, %d dropped, %d entries kept\n", console.Path(file), len(c.Added), len(c.Dropped),
		c.Kept)
}
