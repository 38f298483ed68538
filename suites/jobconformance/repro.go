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
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run/folder"
	"github.com/jobconformance/jobconformance/fixtures/spelling"
	"github.com/jobconformance/jobconformance/suites/repro"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const reproHelp = `Reproduces an upstream bug by the number of its issue, or by its name in --list where
nobody has reported it: on embedded clusters of a version that has it and of one that
does not, or against the reference where no version is without it; with --kubernetes-source, only
on a tree that must be without it. Or runs a scenario
of your own from a file (see suites/scenario/README.md), which --dry-run checks without a cluster.
The folder for reports gets a page with timelines and repro.md, to paste into an issue.

With --bisect, it searches the releases between two, of which one must be red and one green, for
the one that changed: both are run, then the one in the middle, and so on. A version takes a few
minutes the first time, where it has to be built. Upstream fixes several minor versions one
after the other, so that there may be more changes between the two: one is found.

Exit codes: 0 every version as expected (a scenario from a file: green; with --bisect: the
change was found), 1 one not as expected, 2 bad input (with --bisect, also two versions that do
not differ), 3 no verdict because the harness failed, 130 after Ctrl-C, 143 after SIGTERM.`

const reproExample = `  jobconformance repro --list
  jobconformance repro --issue 139428
  jobconformance repro --issue 139428 --version v1.36.1,v1.37.2 --repeat 10
  jobconformance repro --issue 139428 --kubernetes-source ../kubernetes
  jobconformance repro --issue 139428 --bisect v1.35.4..v1.36.3
  jobconformance repro --scenario my.yaml --dry-run
  jobconformance repro --schema > scenario.schema.json
  jobconformance repro --scenario my.yaml -i 'exec:./my-controller'`

// reproducing has the values of the flags.
type reproducing struct {
	repro.Options
	issue, file, implementation string
	bisect                      string
	list, dryRun, schema        bool
	output                      format
	against                     bool // the reference is run as well
	given                       bool // the versions were given
}

// command returns the command that runs the same again.
func (r *reproducing) command() string {
	options := []string{console.Argument("version", strings.Join(r.Versions, ","))}
	if r.bisect != "" {
		options = append(options, console.Argument("bisect", r.bisect))
	}
	if r.Build.Source != "" {
		options = append(options, console.Argument("kubernetes-source", r.Build.Source))
	}
	if r.FeatureGates != "" {
		options = append(options, console.Argument("feature-gates", r.FeatureGates))
	}
	if r.file != "" {
		options = append(options, console.Argument("scenario", r.file))
	} else {
		options = append(options, console.Argument("issue", r.issue))
	}
	if !r.against {
		options = append(options, console.Argument("implementation", r.implementation))
	}
	return console.Program("repro") + " " + strings.Join(options, " ")
}

func reproCommand() *cobra.Command {
	var r reproducing
	c := command("repro", "Reproduce an upstream bug by its number, or run a scenario from a file", reproHelp,
		reproExample,
		func(cmd *cobra.Command, _ []string) error {
			r.Out = cmd.OutOrStdout()
			return r.run(cmd.Context())
		})
	set := c.Flags()
	set.StringVar(&r.issue, "issue", "",
		"number of the issue in kubernetes/kubernetes, or of the pull request that fixes it; or a name as in --list")
	set.StringVar(&r.file, "scenario", "", "file with a scenario to run instead")
	sourceFlag(set, &r.Build)
	set.StringSliceVar(&r.Versions, "version", nil,
		"versions of Kubernetes (default: one that has the bug and one that does not; for a file "+
			build.DefaultKubernetesVersion+"; with --bisect all releases between its two)")
	set.StringVar(&r.bisect, "bisect", "",
		"find the version between two, as in v1.35.4..v1.36.3, where the scenario turns red, or green again")
	implementationFlag(set, &r.implementation, "",
		"the controller: "+processes+
			" (default: kube-controller-manager, and reference where no version is without the bug; for a file "+
			"reference, without --bisect)")
	set.BoolVar(&r.list, "list", false, "print the known bugs")
	set.BoolVar(&r.dryRun, "dry-run", false, "check the scenario, its objects and expressions, and start nothing")
	set.BoolVar(&r.schema, "schema", false, "print the JSON Schema of scenarios, for editors")
	outputFlag(set, &r.output, "the list")
	reproFlags(set, &r.Options, "repro")
	return c
}

func (r *reproducing) run(ctx context.Context) error {
	known, err := library.Reports()
	switch {
	case err != nil:
		return err
	case r.schema && (r.list || r.issue+r.file+r.bisect != ""):
		return badinput.New("the schema of scenarios is about none of them",
			"leave "+console.Flag("schema")+" out, or the others")
	case r.schema:
		text, err := scenario.JSONSchema()
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(r.Out, string(text))
		return err
	case r.list && r.issue+r.file+r.bisect != "":
		return badinput.New("a list of the known bugs is about none of them",
			"leave "+console.Flag("list")+" out, or the others")
	case r.list:
		return list(r.Out, known, r.output)
	case r.output != asText:
		return badinput.New("only the list of the known bugs has formats",
			"leave "+console.Flag("output")+" out, or give "+console.Flag("list"))
	case (r.issue == "") == (r.file == ""):
		return badinput.New("there must be one issue or one scenario",
			fmt.Sprintf("give exactly one of %s and %s; %s prints the known issues", console.Flag("issue"),
				console.Flag("scenario"), console.Flag("list")))
	}
	if err := checkRepro(r.Options); err != nil {
		return err
	}
	if err := r.choose(known); err != nil {
		return err
	}
	if r.dryRun {
		_, err := fmt.Fprintf(r.Out, "%s: it can be run, %d steps\n", r.Scenario.Description, len(r.Scenario.Steps))
		return err
	}
	if r.bisect != "" {
		err = r.between(ctx)
	} else if r.Build.Source != "" {
		err = r.fromTree(ctx)
	}
	if err != nil {
		return err
	}
	if r.Options.Implementation, err = proxied(r.implementation); err != nil {
		return err
	}
	if r.against {
		reference, err := proxied(implementation.Reference)
		if err != nil {
			return err
		}
		r.Against = &reference
	}
	reports, err := folder.Open(r.Reports)
	if err != nil {
		return err
	}
	defer reports.Close()
	if err := reports.Claim(repro.PageName); err != nil {
		return err
	}
	if r.bisect != "" {
		return r.search(ctx)
	}
	outcomes, err := repro.Run(ctx, r.Options)
	if err != nil {
		return err
	}
	if err := r.print(outcomes); err != nil {
		return err
	}
	fmt.Fprintln(r.Out, repro.LastLine(r.Scenario, outcomes))
	return verdict(!slices.ContainsFunc(outcomes, func(o repro.Reproduction) bool { return !o.AsExpected() }))
}

// print prints outcomes, and writes the page and the text of them.
func (r *reproducing) print(outcomes []repro.Reproduction) error {
	page, err := repro.WritePage(r.Reports, r.Scenario, outcomes)
	if err != nil {
		return err
	}
	text, err := repro.WriteMarkdown(r.Reports, r.command(), r.Scenario, outcomes)
	if err != nil {
		return err
	}
	repro.Print(r.Out, r.Scenario, outcomes)
	fmt.Fprintln(r.Out)
	console.Line(r.Out, "timelines", "%s", console.Path(page))
	console.Line(r.Out, "for an issue", "%s", console.Path(text))
	return nil
}

// checkRepro rejects numbers that repro and repro-matrix cannot work with.
func checkRepro(o repro.Options) error {
	if o.Repeat < 1 || o.Procs < 1 {
		return badinput.New("a number of repeats or of scenarios at a time is too small",
			fmt.Sprintf("give %s and %s 1 or more", console.Flag("repeat"), console.Flag("procs")))
	}
	_, err := gates.Parse(o.FeatureGates)
	return err
}

// fromTree runs the scenario on a local tree: it is red or green, whatever bugs the version
// has that the tree began as.
func (r *reproducing) fromTree(ctx context.Context) error {
	if !r.given {
		version, err := build.TreeVersion(ctx, r.Build.Source)
		if err != nil {
			return err
		}
		r.Versions = []string{version}
	}
	if len(r.Versions) > 1 {
		return badinput.New("a tree has one version", "give "+console.Flag("version")+" once, or leave it out")
	}
	s := *r.Scenario
	s.Affected = ""
	r.Scenario, r.against = &s, false
	return nil
}

// choose sets the scenario, the versions and the implementation.
func (r *reproducing) choose(known []library.Entry) (err error) {
	r.given = len(r.Versions) > 0
	if r.file != "" {
		if r.Scenario, err = scenario.Load(r.file); err != nil {
			return err
		}
		if r.bisect != "" { // the reference is the same on all versions
			r.implementation = cmp.Or(r.implementation, implementation.KubeControllerManager)
		}
		r.implementation = cmp.Or(r.implementation, implementation.Reference)
		if len(r.Versions) == 0 {
			r.Versions = []string{build.DefaultKubernetesVersion}
		}
		// A scenario from a file is red or green, whatever bug and versions it names.
		r.Scenario.Affected, r.Scenario.Key = "", ""
		return nil
	}
	found, err := findBug(known, r.issue)
	if err != nil {
		return err
	}
	r.Scenario = found.Scenario
	r.against = r.implementation == "" && found.State() != library.Fixed && found.Component != scenario.KubeAPIServer
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

// findBug returns the bug with a number or a name. Also are other words that might have been meant.
func findBug(known []library.Entry, id string, also ...string) (library.Entry, error) {
	id = strings.TrimPrefix(id, "#")
	if found, ok := library.Find(known, id); ok {
		return found, nil
	}
	number, err := strconv.Atoi(id)
	if err != nil {
		var names []string
		for _, e := range known {
			names = append(names, e.Key)
		}
		return library.Entry{}, badinput.New(fmt.Sprintf("%q is neither the number of an issue nor a known bug", id),
			spelling.Remedy(id, append(names, also...), "give a number as in 139428, or see jobconformance repro "+
				console.Flag("list")))
	}
	if at, shown := library.Shown()[number]; shown {
		return library.Entry{}, badinput.New(fmt.Sprintf("issue %d has no scenario: specs cover it", number),
			"check it with "+console.Flag("requirement", at))
	}
	nearest := strings.ReplaceAll(strings.Trim(fmt.Sprint(library.Nearest(known, number, 3)), "[]"), " ", ", ")
	var numbers []string
	for _, e := range known {
		numbers = append(numbers, strconv.Itoa(e.Issue))
	}
	return library.Entry{}, badinput.New(fmt.Sprintf("issue %d is unknown", number), spelling.Remedy(id, numbers,
		"take one of the nearest, "+nearest+", or print all with "+console.Flag("list")))
}

// list prints the known bugs.
func list(out io.Writer, known []library.Entry, as format) error {
	if as == asJSON {
		return printJSON(out, listedBugs(known))
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	for i, state := range []library.State{library.Fixed, library.Open, library.Unreported} {
		if i > 0 {
			fmt.Fprintln(table)
		}
		fmt.Fprintf(table, "%s\tpull\taffected versions\tred\tgreen\t\n", state)
		for _, r := range known {
			if r.State() == state {
				fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", r.ID(),
					cmp.Or(strings.TrimPrefix(strconv.Itoa(r.Pull), "0"), "-"),
					cmp.Or(r.Affected, "-"), cmp.Or(r.Red, "-"), cmp.Or(r.Green, "-"), r.Description)
			}
		}
	}
	return table.Flush()
}

// listedBug is one of the bugs that --list prints for programs.
type listedBug struct {
	Issue    int           `json:"issue,omitempty"`
	Key      string        `json:"key,omitempty"` // of a bug without an issue
	State    library.State `json:"state"`
	Pull     int           `json:"pull,omitempty"`
	Affected string        `json:"affected,omitempty"` // a constraint on versions
	Red      string        `json:"red,omitempty"`      // a version that has it
	Green    string        `json:"green,omitempty"`    // one that does not
	Text     string        `json:"text"`
}

func listedBugs(known []library.Entry) []listedBug {
	all := []listedBug{}
	for _, e := range known {
		all = append(all, listedBug{e.Issue, e.Key, e.State(), e.Pull, e.Affected, e.Red, e.Green, e.Description})
	}
	return all
}

// reproFlags are the flags that repro and repro-matrix share.
func reproFlags(set *pflag.FlagSet, o *repro.Options, command string) {
	set.IntVar(&o.Repeat, "repeat", 1, "run each scenario this many times on each version")
	set.IntVar(&o.Procs, "procs", repro.DefaultProcs, "scenarios that run at the same time")
	gatesFlag(set, &o.FeatureGates)
	buildFlags(set, &o.Build, &o.Reports, command)
}
