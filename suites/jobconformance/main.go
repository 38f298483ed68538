// Command jobconformance checks a Job and CronJob controller: it starts a
// cluster, puts the controller into it, runs the suites, and says which
// behaviours hold. `make e2e` calls it.
package main

import (
	"context"
	"errors"
	"fmt"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/cluster"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/run"
	ginkgo "github.com/onsi/ginkgo/v2/types"
	"github.com/spf13/cobra"
)

// Exit codes of this program.
const (
	exitGreen       = 0
	exitRed         = 1
	exitBadInput    = 2
	exitHarness     = 3
	exitInterrupted = 130
)

const help = `Checks a Job and CronJob controller against the batch/v1 contract, on a cluster
that it starts for the purpose and stops again.

IMPLEMENTATION is one of
  reference                 the bundled controller, built from this checkout
  kube-controller-manager   the upstream one, of the cluster's version
  exec:COMMAND ARGUMENTS    any other; {kubeconfig} becomes the path of a
                            kubeconfig, which is in $KUBECONFIG as well

Exit codes: 0 green, 1 red, 2 bad input, 3 the harness itself failed,
130 interrupted. Reports go to the folder reports/: report.yaml says of every
requirement how it ended, index.html shows it with timelines; junit.xml and
report.json are for other programs; the rest are logs.`

type flags struct {
	implementation string
	repeat         int
	requirements   []string
	decline        []string
	listOnly       bool
	rerunFailed    string // a report.yaml
	name           string // of the implementation in the report, with its
	version        string // version and
	contact        string // where to ask about it
	options        run.Options
	selection      run.Selection
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func execute(ctx context.Context, args []string, out, errs io.Writer) int {
	code := exitGreen
	var f flags
	command := &cobra.Command{
		Use:           "jobconformance",
		Short:         "Check a Job and CronJob controller against the batch/v1 contract",
		Long:          help,
		Args:          cobra.NoArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			f.options.Out = out
			code, err = f.run(cmd.Context(), out)
			return err
		},
	}
	set := command.Flags()
	set.SortFlags = false
	set.StringVarP(&f.implementation, "implementation", "i", implementation.Reference, "the controller to check")
	set.StringVar(&f.options.Cluster, "cluster", cluster.EmbeddedKind, "where it is checked: embedded, kind or existing")
	set.StringVar(&f.selection.Focus, "focus", "", "run only specs whose text matches this regular expression")
	set.StringSliceVar(&f.requirements, "requirement", nil, "run only specs of these requirements, for example JOB-BACKOFF-001,JOB-BACKOFF-002")
	set.StringSliceVar(&f.decline, "decline", nil, "features that the implementation does not claim; their specs are left out")
	set.StringVar(&f.selection.Labels, "labels", "", "run only specs that match this label filter, for example 'behaviour:parallelism && !slow'")
	set.IntVar(&f.selection.Procs, "procs", 0, fmt.Sprintf("specs that run at the same time (default: %d, with real kubelets %d)", run.DefaultProcs, run.KubeletProcs))
	set.IntVar(&f.repeat, "repeat", 1, "run the specs so many times, up to the first red run")
	set.BoolVar(&f.selection.FailFast, "fail-fast", false, "end with the first spec that fails")
	set.StringVar(&f.options.Build.KubernetesVersion, "kubernetes-version", build.DefaultKubernetesVersion, "version of the control plane and of kube-controller-manager as the implementation")
	set.StringVar(&f.options.FeatureGates, "feature-gates", "", "feature gates of both, as A=true,B=false (default: those that the version needs)")
	set.StringVar(&f.options.NodeImage, "node-image", "", "node image of a kind cluster (default: kind's own)")
	set.StringVar(&f.options.KindConfig, "kind-config", "", "configuration of a kind cluster (default: kind-config.yaml in the checkout)")
	set.StringVar(&f.options.PuppetImage, "puppet-image", "", "image that pods run from on real kubelets (default: "+puppet.DefaultImage+")")
	set.StringSliceVar(&f.options.Images, "load", nil, "archives of images to load into the nodes of a kind cluster")
	set.StringVar(&f.options.Kubeconfig, "kubeconfig", "", "kubeconfig of an existing cluster (default: as kubectl finds it)")
	set.BoolVar(&f.options.Keep, "keep", false, "leave a kind cluster there for later runs")
	set.StringVar(&f.options.Build.AssetsDir, "assets", "", "folder with ready-made kube-apiserver and etcd to use instead of built ones, as in $KUBEBUILDER_ASSETS")
	set.StringVar(&f.options.Build.CacheDir, "cache-dir", "", "folder for built control planes (default: jobconformance in the user's cache folder)")
	f.selection.History = protocol.KeepFailed
	set.Var(&f.selection.History, "history", "save the histories of specs for check-history: failed, all or none")
	set.StringVar(&f.options.Reports, "reports", "", "folder for reports (default: reports in the checkout)")
	set.BoolVar(&f.listOnly, "list", false, "say which specs would be run, without a cluster")
	set.StringVar(&f.rerunFailed, "rerun-failed", "", "run exactly the specs that failed in the run of this report.yaml")
	set.StringVar(&f.name, "name", "", "the implementation's name in the report (default: as --implementation)")
	set.StringVar(&f.version, "implementation-version", "", "its version, for the report")
	set.StringVar(&f.contact, "contact", "", "where to ask about it, for the report: a URL or an address")
	command.AddCommand(checkHistory(&code), compareReports(&code), exploreCommand(&code))
	command.AddCommand(soakCommand(&code, out), reproCommand(&code, out), matrixCommand(&code, out))
	command.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return badinput.New(err.Error(), "see jobconformance --help")
	})
	command.SetArgs(args)
	command.SetOut(out)
	command.SetErr(errs)
	command.CompletionOptions.DisableDefaultCmd = true

	err := command.ExecuteContext(ctx)
	var harness run.HarnessError
	switch {
	case err == nil:
		return code
	case errors.Is(err, errNothingFailed):
		fmt.Fprintln(out, "jobconformance: nothing to do:", err)
		return exitGreen
	case ctx.Err() != nil:
		fmt.Fprintln(errs, "jobconformance: interrupted, everything is stopped")
		return exitInterrupted
	case badinput.Is(err), strings.HasPrefix(err.Error(), "unknown command"):
		fmt.Fprintln(errs, "jobconformance:", err)
		return exitBadInput
	case errors.As(err, &harness):
		fmt.Fprintln(errs, "jobconformance: the harness failed, this is no verdict:", err)
		return exitHarness
	default:
		fmt.Fprintln(errs, "jobconformance: the run failed, this is no verdict:", err)
		return exitHarness
	}
}

// run does everything that can be refused before anything is started.
func (f *flags) run(ctx context.Context, out io.Writer) (int, error) {
	impl, err := implementation.Parse(f.implementation)
	if err != nil {
		return 0, err
	}
	if err := f.check(); err != nil {
		return 0, err
	}
	if err := f.selectByContract(); err != nil {
		return 0, err
	}
	if err := f.rerun(); err != nil {
		return 0, err
	}
	if f.listOnly {
		return 0, f.list(ctx, out)
	}
	if err := f.options.Where.Check(impl); err != nil {
		return 0, err
	}
	if impl.Warning != "" {
		fmt.Fprintln(out, "note:", impl.Warning)
	}
	f.options.Implementation = impl
	lab, err := run.Open(ctx, f.options)
	if err != nil {
		return 0, err
	}
	defer lab.Close()
	publish := f.prepare(lab)
	verdict, err := f.repeated(ctx, lab, impl, out)
	if err != nil {
		if verdict != nil && len(verdict.Specs) > 0 && ctx.Err() == nil {
			err = errors.Join(err, publish.write(lab, verdict, err))
		}
		return 0, err
	}
	if err := publish.write(lab, verdict, nil); err != nil {
		return 0, err
	}
	// The cluster goes before the last word is said.
	lab.Close()
	fmt.Fprintf(out, "%-70s %s\n", "reports", relative(lab.Reports))
	verdict.Print(out)
	if !verdict.Green() {
		return exitRed, nil
	}
	return exitGreen, nil
}

func (f *flags) check() error {
	if _, err := regexp.Compile(f.selection.Focus); err != nil {
		return badinput.Wrap(err, "the focus is not a regular expression", "mend it")
	}
	if _, err := ginkgo.ParseLabelFilter(f.selection.Labels); err != nil {
		return badinput.New(fmt.Sprintf("%q is not a label filter", f.selection.Labels), "write one like 'behaviour:parallelism && !slow'")
	}
	if f.selection.Procs < 0 || f.repeat < 1 {
		return badinput.New("the numbers of processes and of repeats are 1 or more", "mend --procs or --repeat")
	}
	return nil
}

func (f *flags) repeated(ctx context.Context, lab *run.Lab, impl implementation.Implementation, out io.Writer) (*run.Verdict, error) {
	for n := 1; ; n++ {
		if f.repeat > 1 {
			fmt.Fprintf(out, "run %d of %d\n", n, f.repeat)
		}
		verdict, err := lab.Check(ctx, impl, lab.Builds, f.selection)
		if err != nil || !verdict.Green() || n == f.repeat {
			return verdict, err
		}
		verdict.Print(out)
	}
}

// relative shortens a path for people.
func relative(path string) string {
	if wd, err := os.Getwd(); err == nil {
		if short, err := filepath.Rel(wd, path); err == nil && !strings.HasPrefix(short, "..") {
			return short
		}
	}
	return path
}
