package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// published is a run whose report has not been written yet.
type published struct {
	keep    spec.Keep // which histories are kept
	started time.Time
	flags   *flags
}

// prepare has a run save all histories for the report, and explain its failures.
func (f *flags) prepare(environment *run.Environment) published {
	p := published{keep: f.selection.History, started: time.Now(), flags: f}
	f.selection.History = spec.KeepAll
	f.selection.Explain = func(s spec.Spec) string { return report.Explain(s, environment.Reports, f.again(s.Text)) }
	return p
}

// write judges the run, also one that was cut short by a failure of the harness. Of a repeated run
// the record is that of the last one.
func (p published) write(environment *run.Environment, found record.Run) (*report.Report, error) {
	f := p.flags
	found.Date = p.started
	judged := report.Run{
		Run:            found,
		Implementation: f.described,
		Cluster: report.Cluster{
			Kind: environment.ClusterKind(), KubernetesVersion: environment.Version(),
			FeatureGates: environment.FeatureGates(), NodeImage: environment.NodeImage(),
			Environment: f.options.Environment,
		},
		Selection: report.Selection{
			Skip: f.selection.Skip, Labels: f.labels, Requirements: f.requirements, RerunFailed: f.rerunFailed,
			Strict:               f.selection.Strict,
			Shard:                f.selection.Shard.String(),
			DeclinedRequirements: f.selection.DeclinedRequirements,
			Expectations:         report.Expectations(f.selection.Expectations),
		},
	}
	dialect := f.options.Implementation.Dialect()
	judged.Implementation.ManagedBy, judged.Implementation.CronJob = dialect.ManagedBy, dialect.CronJob.String()
	judged.Implementation.Upstream = f.upstream
	if f.options.Implementation.Lacks() != "" {
		judged.Implementation.Controllers = f.options.Implementation.Controllers()
	}
	judged.Implementation.Name = cmp.Or(judged.Implementation.Name, f.implementation)
	if judged.Implementation.Version == "" {
		switch impl := f.options.Implementation; {
		case impl.Upstream() != "": // it has a version of its own
		case impl.Origin() == spec.Upstream:
			judged.Implementation.Version = environment.Version()
		case impl.Bundled():
			judged.Implementation.Version = version.Suite()
		}
	}
	switch {
	case f.selection.MayBeFixed:
		judged.Selection.KnownBugs = "allow"
	case f.knownBugs == "off":
		judged.Selection.KnownBugs = f.knownBugs
	}
	if f.rerunFailed == "" {
		judged.Selection.Focus = f.selection.Focus
	}
	for _, name := range f.decline {
		judged.Selection.Declined = append(judged.Selection.Declined, contract.Feature(name))
	}
	r, err := report.Publish(environment.Reports, judged, p.keep, f.again)
	if err == nil && f.printResults {
		err = report.PrintShard(f.options.Out, environment.Reports)
	}
	if err == nil {
		err = report.GitHub(f.options.Out, judged, r)
	}
	return r, err
}

// selecting are the flags that another choice of specs replaces, and those that are only
// about where the results go.
var selecting = []string{"focus", "skip", "labels", "requirement", "rerun-failed", "shard", "repeat", "fail-fast",
	"output", "output-dir", "history", "print-results"}

// again returns the command that runs one spec again, with the flags that the user gave.
func (f *flags) again(text string) string {
	words := []string{console.Program("run")}
	f.set.Visit(func(flag *pflag.Flag) {
		value := flag.Value.String()
		if slice, ok := flag.Value.(pflag.SliceValue); ok {
			value = strings.Join(slice.GetSlice(), ",")
		}
		if !slices.Contains(selecting, flag.Name) {
			words = append(words, console.Argument(flag.Name, value))
		}
	})
	return strings.Join(append(words, console.Argument("focus", spec.Exactly(text))), " ")
}

// rerun selects the specs that failed in an earlier run.
func (f *flags) rerun() error {
	if f.rerunFailed == "" {
		return nil
	}
	r, err := report.Load(f.rerunFailed)
	if err != nil {
		return err
	}
	failed := r.Failed()
	if len(failed) == 0 {
		return errNothingFailed
	}
	f.selection.Focus = spec.Exactly(failed...)
	return nil
}

// errNothingFailed ends a run that has nothing to do, which is green.
var errNothingFailed = errors.New("no spec failed in that run")

func compareCommand() *cobra.Command {
	var output format
	c := command("compare OLD NEW", "Print what got better and worse from one report.yaml to another",
		`Compares two reports, requirement by requirement. The outcomes, from the
best to the worst, are conformant, warning, known issue, the unknown ones (declined, not
verified, harness error), and non-conformant or unexpected pass.

Exit codes: 0 nothing is worse, 1 something is, 2 a report cannot be read.`,
		"  jobconformance compare v1.36/report.yaml v1.37/report.yaml",
		func(cmd *cobra.Command, args []string) error {
			var reports [2]*report.Report
			for i, path := range args {
				r, err := report.Load(path)
				if err != nil {
					return err
				}
				reports[i] = r
			}
			c := report.Compare(reports[0], reports[1])
			if output == asText {
				c.Print(cmd.OutOrStdout())
			} else if err := printJSON(cmd.OutOrStdout(), c); err != nil {
				return err
			}
			return verdict(!c.Regressed())
		})
	outputFlag(c.Flags(), &output, "the comparison")
	return c
}
