package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/run/folder"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/spf13/cobra"
)

const mergeHelp = `Makes one report of the shards of a run: of the folders that run --shard=1/4, --shard=2/4
and so on have written, on as many machines; or of their logs, if they have printed their results
with --print-results. A log may be that of several shards. The shards must be of the same program,
implementation, cluster and selection. The saved histories are copied; the logs stay in
the folders of the shards.

Exit codes: 0 green, 1 red, 2 bad input, 3 no verdict: a shard is missing, or the harness
failed in one.`

func mergeCommand() *cobra.Command {
	var into, since string
	c := command("merge PATH...", "Make one report of the shards of a run", mergeHelp,
		`  jobconformance run --shard=1/2 --output-dir=out/1
  jobconformance run --shard=2/2 --output-dir=out/2
  jobconformance merge --output-dir=out/all out/1 out/2
  jobconformance merge --output-dir=out/all results.log`,
		func(cmd *cobra.Command, args []string) error {
			before, err := loadSince(since)
			if err != nil {
				return err
			}
			merged, err := report.Merge(args)
			if err != nil {
				return err
			}
			merged.Earlier = before
			reports, err := folder.Open(into)
			if err != nil {
				return err
			}
			defer reports.Close()
			if err := reports.Reserve(folder.ResultFiles...); err != nil {
				return err
			}
			if err := reports.Claim("histories/"); err != nil {
				return err
			}
			r, copied, err := merged.Write(reports.Dir)
			if err := errors.Join(err, reports.Add(copied...)); err != nil {
				return err
			}
			out := cmd.OutOrStdout()
			if err := report.GitHub(out, merged.Run, r); err != nil {
				return err
			}
			console.Line(out, fmt.Sprintf("%d of %d shards", merged.Shards(), merged.Count), "merged")
			console.Line(out, "reports", "%s", console.Path(reports.Dir))
			r.PrintCauses(out, filepath.Join(console.Path(reports.Dir), report.PageName), usualDetail())
			merged.Print(out, usualDetail())
			if merged.NoVerdict() {
				return exitCode(exitHarness)
			}
			return verdict(merged.Green())
		})
	c.Flags().StringVar(&into, "output-dir", folder.Default("merged"),
		"folder for the report; by default below $ARTIFACTS, where it is set")
	sinceFlag(c.Flags(), &since)
	return c
}
