package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/suites/regressions"
	"github.com/jobconformance/jobconformance/suites/repro"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const reproHelp = `Plays a bug of upstream by the number of its issue, on an embedded cluster of a version
that has it and on one that has not; or a scenario of your own from a file (see
suites/scenario/README.md).

Exit codes: 0 every version did as expected (a scenario from a file: green), 1 one did
not, 2 bad input, 3 the harness itself failed, 130 interrupted.`

// reproducing has the values of the flags.
type reproducing struct {
	repro.Options
	issue, file, implementation string
	list                        bool
}

// reproCommand sets the exit code.
func reproCommand(code *int, out io.Writer) *cobra.Command {
	var r reproducing
	command := &cobra.Command{
		Use:   "repro",
		Short: "Play a bug of upstream by its number, or a scenario from a file",
		Long:  reproHelp,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			r.Out = out
			asExpected, err := r.run(cmd.Context())
			if err == nil && !asExpected {
				*code = exitRed
			}
			return err
		},
	}
	set := command.Flags()
	set.SortFlags = false
	set.StringVar(&r.issue, "issue", "", "number of the issue in kubernetes/kubernetes, or of the pull request that mends it")
	set.StringVar(&r.file, "scenario", "", "file with a scenario to play instead")
	set.StringSliceVar(&r.Versions, "version", nil, "versions of Kubernetes (default: one that has the bug and one that has not; for a file "+build.DefaultKubernetesVersion+")")
	set.StringVarP(&r.implementation, "implementation", "i", "", "the controller: reference, kube-controller-manager or exec:COMMAND (default: kube-controller-manager; for a file reference)")
	set.BoolVar(&r.list, "list", false, "say which bugs are known")
	reproFlags(set, &r.Options)
	return command
}

// run tells whether all was as expected.
func (r *reproducing) run(ctx context.Context) (bool, error) {
	known, err := regressions.All()
	switch {
	case err != nil:
		return false, err
	case r.list:
		list(r.Out, known)
		return true, nil
	case (r.issue == "") == (r.file == ""):
		return false, badinput.New("there is nothing to play, or two things", "give ISSUE or SCENARIO; LIST=1 shows the issues that are known")
	case r.Repeat < 1 || r.Procs < 1:
		return false, badinput.New("the numbers of repeats and of scenarios at a time are 1 or more", "mend --repeat or --procs")
	}
	if err := r.choose(known); err != nil {
		return false, err
	}
	impl, err := proxied(r.implementation)
	if err != nil {
		return false, err
	}
	if impl.Warning != "" {
		fmt.Fprintln(r.Out, "note:", impl.Warning)
	}
	r.Options.Implementation = impl
	outcomes, err := repro.Play(ctx, r.Options)
	if err != nil {
		return false, err
	}
	page, err := repro.WritePage(r.Reports, r.Scenario, impl.Name, outcomes)
	if err != nil {
		return false, err
	}
	repro.Print(r.Out, r.Scenario, outcomes)
	fmt.Fprintf(r.Out, "\n%-70s %s\n%s\n", "timelines", relative(page), repro.LastLine(r.Scenario, impl.Name, outcomes))
	for _, o := range outcomes {
		if !o.AsExpected() {
			return false, nil
		}
	}
	return true, nil
}

// choose fills in what is played, on which versions, and against what.
func (r *reproducing) choose(known []regressions.Regression) (err error) {
	if r.file != "" {
		if r.Scenario, err = scenario.Load(r.file); err != nil {
			return err
		}
		r.implementation = cmp.Or(r.implementation, implementation.Reference)
		if len(r.Versions) == 0 {
			r.Versions = []string{build.DefaultKubernetesVersion}
		}
		// Somebody's own scenario is red or green, whatever it says of versions.
		r.Scenario.Affected = ""
		return nil
	}
	number, err := strconv.Atoi(strings.TrimPrefix(r.issue, "#"))
	if err != nil {
		return badinput.New(fmt.Sprintf("%q is no number of an issue", r.issue), "give one as in 139428")
	}
	found, err := findBug(known, number)
	if err != nil {
		return err
	}
	r.Scenario = found.Scenario
	r.implementation = cmp.Or(r.implementation, implementation.KubeControllerManager)
	if len(r.Versions) == 0 {
		for _, version := range []string{found.Red, found.Green} {
			if version != "" {
				r.Versions = append(r.Versions, version)
			}
		}
	}
	if len(r.Versions) == 0 {
		r.Versions = []string{build.DefaultKubernetesVersion}
	}
	return nil
}

func findBug(known []regressions.Regression, number int) (regressions.Regression, error) {
	if found, ok := regressions.Find(known, number); ok {
		return found, nil
	}
	if at, shown := regressions.Shown()[number]; shown {
		return regressions.Regression{}, badinput.New(fmt.Sprintf("issue %d has no scenario: specs show it", number), "run make e2e REQUIREMENT="+at)
	}
	nearest := strings.ReplaceAll(strings.Trim(fmt.Sprint(regressions.Nearest(known, number, 3)), "[]"), " ", ", ")
	return regressions.Regression{}, badinput.New(fmt.Sprintf("issue %d is not known", number), "take one of the nearest, "+nearest+", or see them all with LIST=1")
}

// list prints what is known.
func list(out io.Writer, known []regressions.Regression) {
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "issue\tpull\tversions that have it\tred\tgreen\t")
	for _, r := range known {
		fmt.Fprintf(table, "%d\t%d\t%s\t%s\t%s\t%s\n", r.Issue, r.Pull, cmp.Or(r.Affected, "-"), cmp.Or(r.Red, "-"), cmp.Or(r.Green, "-"), r.Description)
	}
	_ = table.Flush()
}

// reproFlags are those that repro and repro-matrix share.
func reproFlags(set *pflag.FlagSet, o *repro.Options) {
	set.IntVar(&o.Repeat, "repeat", 1, "play it so often on each version")
	set.IntVar(&o.Procs, "procs", repro.DefaultProcs, "scenarios that are played at the same time")
	set.StringVar(&o.Build.AssetsDir, "assets", "", "folder with ready-made kube-apiserver and etcd to use instead of built ones")
	set.StringVar(&o.Build.CacheDir, "cache-dir", "", "folder for built control planes (default: jobconformance in the user's cache folder)")
	set.StringVar(&o.Reports, "reports", "reports", "folder for reports")
}
