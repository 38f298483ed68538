package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/spf13/cobra"
)

const checkHistoryHelp = `Checks every invariant over histories that runs have saved, without a cluster.
FILE is one history, or a folder of them, such as reports/e2e/histories.

Exit codes: 0 all hold, 1 one does not, 2 a file cannot be read.`

const checkHistoryExample = `  jobconformance check-history reports/e2e/histories
  jobconformance check-history --timeline reports/e2e/histories/*`

func checkHistoryCommand() *cobra.Command {
	var timeline bool
	c := command("check-history FILE...", "Check the invariants over saved histories", checkHistoryHelp,
		checkHistoryExample,
		func(cmd *cobra.Command, args []string) error {
			files, err := historyFiles(args)
			if err != nil {
				return err
			}
			return judge(cmd.OutOrStdout(), files, timeline)
		})
	c.Flags().BoolVar(&timeline, "timeline", false, "print the histories, too: one line for each revision")
	return c
}

// historyFiles replaces folders by the histories in them.
func historyFiles(args []string) ([]string, error) {
	var files []string
	for _, arg := range args {
		if info, err := os.Stat(arg); err != nil || !info.IsDir() {
			files = append(files, arg)
			continue
		}
		inside, err := fs.Glob(os.DirFS(arg), "*"+history.Suffix)
		if err != nil {
			return nil, err
		}
		if len(inside) == 0 {
			return nil, badinput.New("there are no histories in "+arg,
				"run the suites with "+console.Flag("history", "all")+" to save some")
		}
		for _, file := range inside {
			files = append(files, filepath.Join(arg, file))
		}
	}
	return files, nil
}

// judge prints the violations, and how many histories have any.
func judge(out io.Writer, files []string, timeline bool) error {
	revisions, broken, violations := 0, 0, 0
	for _, file := range files {
		about, h, err := history.Load(file)
		if err != nil {
			return err
		}
		revisions += len(h.Revisions)
		found := invariants.Check(h, invariants.OptionsFor(about)...)
		if timeline || len(found) > 0 {
			fmt.Fprintf(out, "%s\n  %s, Kubernetes %s: %s\n", file, about.Implementation, about.Kubernetes, about.Spec)
		}
		if timeline {
			fmt.Fprintln(out, h.Timeline())
		}
		if len(found) > 0 {
			broken++
		}
		violations += len(found)
		for _, v := range found {
			fmt.Fprintln(out, v)
		}
	}
	fmt.Fprintf(out, "%d histories, %d revisions, %d invariants: %d violations in %d histories\n",
		len(files), revisions, len(invariants.Invariants()), violations, broken)
	return verdict(violations == 0)
}
