package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/repro"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const reproHelp = `Reproduces an upstream bug by the number of its issue, on embedded clusters of a
version that has it and of one that does not; or runs a scenario of your own from a
file (see suites/scenario/README.md).

Exit codes: 0 every version as expected (a scenario from a file: green), 1 one not as
expected, 2 bad input, 3 no verdict because the harness failed, 130 after Ctrl-C, 143
after SIGTERM.`

const reproExample = `  jobconformance repro --list
  jobconformance repro --issue 139428
  jobconformance repro --issue 139428 --version v1.36.1,v1.37.1 --repeat 10
  jobconformance repro --scenario my.yaml -i 'exec:./my-controller'`

// reproducing has the values of the flags.
type reproducing struct {
	repro.Options
	issue, file, implementation string
	list                        bool
	output                      format
}

func reproCommand() *cobra.Command {
	var r reproducing
	c := command("repro", "Reproduce an upstream bug by its number, or run a scenario from a file", reproHelp, reproExample,
		func(cmd *cobra.Command, _ []string) error {
			r.Out = cmd.OutOrStdout()
			return r.run(cmd.Context())
		})
	set := c.Flags()
	set.StringVar(&r.issue, "issue", "", "number of the issue in kubernetes/kubernetes, or of the pull request that fixes it")
	set.StringVar(&r.file, "scenario", "", "file with a scenario to run instead")
	set.StringSliceVar(&r.Versions, "version", nil, "versions of Kubernetes (default: one that has the bug and one that does not; for a file "+build.DefaultKubernetesVersion+")")
	implementationFlag(set, &r.implementation, "", "the controller: "+processes+" (default: kube-controller-manager; for a file reference)")
	set.BoolVar(&r.list, "list", false, "print the known bugs")
	outputFlag(set, &r.output, "the list")
	reproFlags(set, &r.Options, "repro")
	return c
}

func (r *reproducing) run(ctx context.Context) error {
	known, err := library.Regressions()
	switch {
	case err != nil:
		return err
	case r.list:
		return list(r.Out, known, r.output)
	case (r.issue == "") == (r.file == ""):
		return badinput.New("there must be one issue or one scenario", fmt.Sprintf("give exactly one of %s and %s; %s prints the known issues", console.Option("issue"), console.Option("scenario"), console.Option("list")))
	}
	if err := checkRepro(r.Options); err != nil {
		return err
	}
	if err := r.choose(known); err != nil {
		return err
	}
	if r.Options.Implementation, err = proxied(r.implementation); err != nil {
		return err
	}
	reports, err := run.OpenReports(r.Reports)
	if err != nil {
		return err
	}
	defer reports.Close()
	if err := reports.Claim(repro.PageName); err != nil {
		return err
	}
	outcomes, err := repro.Run(ctx, r.Options)
	if err != nil {
		return err
	}
	page, err := repro.WritePage(r.Reports, r.Scenario, r.implementation, outcomes)
	if err != nil {
		return err
	}
	repro.Print(r.Out, r.Scenario, outcomes)
	fmt.Fprintln(r.Out)
	console.Line(r.Out, "timelines", "%s", console.Path(page))
	fmt.Fprintln(r.Out, repro.LastLine(r.Scenario, r.implementation, outcomes))
	return verdict(!slices.ContainsFunc(outcomes, func(o repro.Outcome) bool { return !o.AsExpected() }))
}

// checkRepro rejects numbers that repro and repro-matrix cannot work with.
func checkRepro(o repro.Options) error {
	if o.Repeat < 1 || o.Procs < 1 {
		return badinput.New("a number of repeats or of scenarios at a time is too small", fmt.Sprintf("give %s and %s 1 or more", console.Option("repeat"), console.Option("procs")))
	}
	return nil
}

// choose sets the scenario, the versions and the implementation.
func (r *reproducing) choose(known []library.Entry) (err error) {
	if r.file != "" {
		if r.Scenario, err = scenario.Load(r.file); err != nil {
			return err
		}
		r.implementation = cmp.Or(r.implementation, implementation.Reference)
		if len(r.Versions) == 0 {
			r.Versions = []string{build.DefaultKubernetesVersion}
		}
		// A scenario from a file is red or green, whatever versions it names.
		r.Scenario.Affected = ""
		return nil
	}
	number, err := strconv.Atoi(strings.TrimPrefix(r.issue, "#"))
	if err != nil {
		return badinput.New(fmt.Sprintf("%q is not the number of an issue", r.issue), "give one as in 139428")
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

func findBug(known []library.Entry, number int) (library.Entry, error) {
	if found, ok := library.Find(known, number); ok {
		return found, nil
	}
	if at, shown := library.Shown()[number]; shown {
		return library.Entry{}, badinput.New(fmt.Sprintf("issue %d has no scenario: specs cover it", number), "check it with "+console.Option("requirement", at))
	}
	nearest := strings.ReplaceAll(strings.Trim(fmt.Sprint(library.Nearest(known, number, 3)), "[]"), " ", ", ")
	return library.Entry{}, badinput.New(fmt.Sprintf("issue %d is unknown", number), "take one of the nearest, "+nearest+", or print all with "+console.Option("list"))
}

// list prints the known bugs.
func list(out io.Writer, known []library.Entry, as format) error {
	if as == asJSON {
		return printJSON(out, listedBugs(known))
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "issue\tpull\taffected versions\tred\tgreen\t")
	for _, r := range known {
		fmt.Fprintf(table, "%d\t%d\t%s\t%s\t%s\t%s\n", r.Issue, r.Pull, cmp.Or(r.Affected, "-"), cmp.Or(r.Red, "-"), cmp.Or(r.Green, "-"), r.Description)
	}
	return table.Flush()
}

// listedBug is one of the bugs that --list prints for programs.
type listedBug struct {
	Issue    int    `json:"issue"`
	Pull     int    `json:"pull,omitempty"`
	Affected string `json:"affected,omitempty"` // a constraint on versions
	Red      string `json:"red,omitempty"`      // a version that has it
	Green    string `json:"green,omitempty"`    // one that does not
	Text     string `json:"text"`
}

func listedBugs(known []library.Entry) []listedBug {
	all := []listedBug{}
	for _, e := range known {
		all = append(all, listedBug{e.Issue, e.Pull, e.Affected, e.Red, e.Green, e.Description})
	}
	return all
}

// reproFlags are the flags that repro and repro-matrix share.
func reproFlags(set *pflag.FlagSet, o *repro.Options, command string) {
	set.IntVar(&o.Repeat, "repeat", 1, "run each scenario this many times on each version")
	set.IntVar(&o.Procs, "procs", repro.DefaultProcs, "scenarios that run at the same time")
	buildFlags(set, &o.Build, &o.Reports, command)
}
