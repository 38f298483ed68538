package main

import (
	"cmp"
	"io"
	"os"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/spf13/pflag"
)

// published is a run whose report has not been written yet.
type published struct {
	keep    spec.Keep // which histories are kept
	started time.Time
	flags   *flags
	before  *report.Report // that of --since
}

// prepare has a run save all histories for the report, and explain its failures.
func (f *flags) prepare(environment *run.Environment) published {
	p := published{keep: f.selection.History, started: time.Now(), flags: f}
	f.selection.History = spec.KeepAll
	f.selection.Explain = func(s spec.Spec) string { return report.Explain(s, environment.Reports, f.again(s.Text)) }
	return p
}

// usualDetail is how much is printed without a flag about that.
func usualDetail() record.Detail {
	if console.InCI(os.Getenv) {
		return record.Short
	}
	return record.Usual
}

// write judges the run, also one that was cut short by a failure of the harness. Of a repeated run
// the record is that of the last one.
func (p published) write(environment *run.Environment, found record.Run, out io.Writer) (*report.Report, error) {
	f := p.flags
	found.Date = p.started
	judged := report.Run{
		Run:            found,
		Flags:          f.given(),
		Earlier:        p.before,
		Implementation: f.described,
		Cluster: report.Cluster{
			Kind: environment.ClusterKind(), KubernetesVersion: environment.Version(),
			FeatureGates: environment.FeatureGates(), NodeImage: environment.NodeImage(),
			Environment: f.options.Environment,
		},
		Selection: report.Selection{
			Skip: f.selection.Skip, Labels: f.labels, Requirements: f.requirements, RerunFailed: f.rerunFailed,
			Strict:               f.selection.Strict,
			FlakyAllowed:         f.selection.FlakyAllowed,
			Shard:                f.selection.Shard.String(),
			Next:                 f.next,
			DeclinedRequirements: f.selection.DeclinedRequirements,
			Expectations:         report.Expectations(f.selection.Expectations),
		},
	}
	dialect := f.options.Implementation.Dialect()
	judged.Implementation.ManagedBy, judged.Implementation.CronJob = dialect.ManagedBy, dialect.Resource()
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
		err = report.PrintShard(out, environment.Reports)
	}
	if err == nil {
		err = report.GitHub(out, judged, r)
	}
	return r, err
}

func sinceFlag(set *pflag.FlagSet, path *string) {
	set.StringVar(path, "since", "",
		"an earlier report.yaml, or its folder: the result says what is new since then, and since when the rest is "+
			"broken, if each run is given the report of the one before (default: none)")
}

// loadSince loads the report of --since; nil if none is given.
func loadSince(path string) (*report.Report, error) {
	if path == "" {
		return nil, nil
	}
	return report.Load(path)
}
