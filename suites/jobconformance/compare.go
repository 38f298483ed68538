package main

import (
	"fmt"
	"io"
	"path/filepath"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/spf13/cobra"
)

func compareCommand() *cobra.Command {
	var output format
	c := command("compare OLD NEW [REPORT]...", "Print what got better and worse from one report.yaml to another",
		`Compares two reports, requirement by requirement. The outcomes, from the
best to the worst, are conformant, warning, known issue, the unknown ones (declined, not
verified, harness error), and non-conformant or unexpected pass. A known issue that some runs do not
show is neither better nor worse than conformant.

Of specs that passed in both, the kinds of requests are printed of which the implementation sent half as
many more, and 30 more at least, but for those of Events. That is not worse: no requirement says how
many there may be.

OLD and NEW are report.yaml, or folders of reports. What an incomplete new report has not
verified is not worse.

Of more than two reports it prints a table: how many requirements of each profile, and of each area, as
in JOB-BACKOFF, are conformant in each of them, and how the others ended. None is judged.

Exit codes: 0 nothing is worse, or the table was printed, 1 something is, 2 a report cannot be read, 3 no
verdict: nothing is worse in the part that an incomplete new report has.`,
		"  jobconformance compare v1.36/report.yaml v1.37/report.yaml\n"+
			"  jobconformance compare main reports/e2e # folders of reports\n"+
			"  jobconformance compare v1.35 v1.36 v1.37 reports/e2e # a table of four",
		func(cmd *cobra.Command, args []string) error {
			var reports []*report.Report
			for _, path := range args {
				r, err := report.Load(path)
				if err != nil {
					return err
				}
				reports = append(reports, r)
			}
			if len(reports) > 2 {
				return printOverview(cmd.OutOrStdout(), report.NewOverview(reports), output)
			}
			c, err := report.Compare(reports[0], reports[1])
			if err != nil {
				return err
			}
			if output == asText {
				c.Print(cmd.OutOrStdout())
			} else if err := printJSON(cmd.OutOrStdout(), c); err != nil {
				return err
			}
			if c.NoVerdict() {
				return exitCode(exitHarness)
			}
			return verdict(!c.Regressed())
		})
	outputFlag(c.Flags(), &output, "the comparison")
	return c
}

func printOverview(out io.Writer, o report.Overview, as format) error {
	if as == asJSON {
		return printJSON(out, o)
	}
	o.Print(out)
	return nil
}

const badgeHelp = `Writes what shields.io needs for a badge of a report: JSON for its endpoint
https://img.shields.io/endpoint?url=..., which names the file where you publish it.

The badge has the result, and how many requirements are conformant of all that apply. What was declined or
left out counts among the latter. A report of which a part was not verified is partial, in yellow, never
conformant, in green.

Exit codes: 0 it was written, whatever the result, 2 bad input.`

func badgeCommand() *cobra.Command {
	var part string
	c := command("badge REPORT FILE", "Write a report's badge for shields.io", badgeHelp,
		`  jobconformance badge reports/e2e badge.json
  jobconformance badge --part=job reports/e2e/report.yaml job.json`,
		func(cmd *cobra.Command, args []string) error {
			r, err := report.Load(args[0])
			if err != nil {
				return err
			}
			profile := contract.Profile(part)
			switch profile {
			case "", contract.Job, contract.CronJob, contract.API:
			default:
				return badinput.New(fmt.Sprintf("%s is no part of a report", console.Flag("part", part)),
					"use job, cronjob or api")
			}
			b, found := r.Badge(profile)
			if !found {
				return badinput.New("the report has no requirement of "+part, "leave "+console.Flag("part")+" out")
			}
			if err := report.WriteBadge(filepath.Clean(args[1]), b); err != nil {
				return err
			}
			console.Line(cmd.OutOrStdout(), console.Path(args[1]), "%s: %s", b.Label, b.Message)
			return nil
		})
	c.Flags().StringVar(&part, "part", "", "make it about these requirements only: job, cronjob or api (default: all)")
	return c
}
