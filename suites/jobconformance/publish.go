package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/cluster"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/spf13/cobra"
)

// published is a run whose report has not been written yet.
type published struct {
	keep    protocol.Keep // which histories are kept
	started time.Time
	flags   *flags
}

// prepare has a run save all histories for the report, and explain its failures.
func (f *flags) prepare(environment *run.Environment) published {
	p := published{keep: f.selection.History, started: time.Now(), flags: f}
	f.selection.History = protocol.KeepAll
	f.selection.Explain = func(s protocol.Spec) string { return report.Explain(s, environment.Reports, f.again(s.Text)) }
	return p
}

// write judges the run, also one that was cut short by a failure of the harness.
func (p published) write(environment *run.Environment, verdict *run.Verdict, failure error) error {
	f := p.flags
	judged := report.Run{
		Implementation: report.Implementation{Name: cmp.Or(f.name, f.implementation), Version: f.version, Contact: f.contact},
		Cluster:        report.Cluster{Kind: environment.ClusterKind(), KubernetesVersion: environment.Version()},
		Date:           p.started,
		Duration:       verdict.Duration,
		Specs:          verdict.Specs,
		Crashes:        verdict.Crashes,
	}
	if f.version == "" && (f.implementation == implementation.KubeControllerManager || f.implementation == implementation.Builtin) {
		judged.Implementation.Version = environment.Version()
	}
	for _, name := range f.decline {
		judged.Declined = append(judged.Declined, contract.Feature(name))
	}
	if failure != nil {
		judged.HarnessError = failure.Error()
	}
	_, err := report.Publish(environment.Reports, judged, p.keep, f.again)
	return err
}

// again returns the command that runs one spec again.
func (f *flags) again(spec string) string {
	variables := []string{"IMPLEMENTATION=" + f.implementation}
	for _, v := range []struct{ name, value, unset string }{
		{"CLUSTER", f.options.Cluster, cluster.EmbeddedKind},
		{"KUBERNETES_VERSION", f.options.Build.KubernetesVersion, build.DefaultKubernetesVersion},
		{"FEATURE_GATES", f.options.FeatureGates, ""},
		{"NODE_IMAGE", f.options.NodeImage, ""},
		{"KIND_CONFIG", f.options.KindConfig, ""},
		{"PUPPET_IMAGE", f.options.PuppetImage, ""},
		{"LOAD", strings.Join(f.options.Images, ","), ""},
		{"KUBECONFIG", f.options.Kubeconfig, ""},
	} {
		if v.value != v.unset {
			variables = append(variables, v.name+"="+v.value)
		}
	}
	return report.Again(variables, spec)
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
	f.selection.Focus = report.Exactly(failed...)
	return nil
}

// errNothingFailed ends a run that has nothing to do, which is green.
var errNothingFailed = errors.New("no spec failed in that run")

// list prints the specs that would run.
func (f *flags) list(ctx context.Context, out io.Writer) error {
	specs, err := run.List(ctx, f.options, f.selection)
	if err != nil {
		return err
	}
	n := 0
	for _, s := range specs {
		if s.Passed {
			n++
			fmt.Fprintf(out, "%s [%s]\n", s.Text, strings.Join(s.Requirements, " "))
		}
	}
	fmt.Fprintf(out, "%d of %d specs\n", n, len(specs))
	return nil
}

func compareCommand() *cobra.Command {
	return command("compare OLD NEW", "Print what got better and worse from one report.yaml to another",
		`Compares two reports, requirement by requirement. What was conformant and is
non-conformant, declined or not verified now is worse.

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
			c.Print(cmd.OutOrStdout())
			return verdict(!c.Regressed())
		})
}
