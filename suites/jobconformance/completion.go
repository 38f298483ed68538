package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/cluster"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/run/queue"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/bench"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/client-go/tools/clientcmd"
)

// completer returns the values of a flag or an argument, with what the shell shows beside them, for a word
// that the user has begun.
type completer func(c *cobra.Command, begun string) []cobra.Completion

// flagValues are those of flags, by their names, for all commands that have them. Where a flag is neither here
// nor in fileFlags, a shell completes nothing.
var flagValues = map[string]completer{
	"labels":             labelValues,
	"requirement":        severalOf(requirementIDs),
	"decline":            severalOf(features),
	"controllers":        severalOf(fixed(string(spec.JobController), string(spec.CronJobController))),
	"cluster":            fixed(cluster.EmbeddedKind, cluster.KindKind, cluster.ExistingKind),
	"environment":        fixed(queue.Environment),
	"implementation":     implementations,
	"against":            implementations,
	"context":            contexts,
	"flaky":              fixed("red", "allow"),
	"known-bugs":         fixed("on", "allow", "off"),
	"history":            fixed(string(spec.KeepFailed), string(spec.KeepAll), string(spec.KeepNone)),
	"part":               fixed(string(contract.Job), string(contract.CronJob), string(contract.API)),
	"output":             fixed(string(asText), string(asJSON)),
	"binaries":           fixed(string(build.Auto), string(build.Download), string(build.FromSource)),
	"shard":              fixed("auto\tby the variables of a CI system"),
	"kubernetes-version": severalOf(fixed(matrixVersions...)),
	"upstream":           fixed(matrixVersions...),
	"version":            severalOf(fixed(matrixVersions...)),
	"versions":           severalOf(fixed(matrixVersions...)),
	"rows":               severalOf(func(*cobra.Command, string) []cobra.Completion { return bench.RowNames() }),
	"issue":              severalOf(issues),
}

// fileFlags have paths of files or folders for a value.
var fileFlags = map[string][]string{
	"expectations": yamlFiles, "dialect": yamlFiles, "rbac": yamlFiles, "manifests": yamlFiles, "scenario": yamlFiles,
	"rerun-failed": yamlFiles, "kind-config": yamlFiles, "load": {"tar"}, "kubeconfig": nil, "mutants": nil,
}

var yamlFiles = []string{"yaml", "yml"}

// folderFlags have paths of folders.
var folderFlags = []string{"output-dir", "cache-dir", "assets", "kubernetes-source"}

// completeAll has shells complete the flags and the arguments of all commands.
func completeAll(root *cobra.Command) {
	each(root, func(c *cobra.Command) {
		completeFlag := func(flag *pflag.Flag) {
			complete, known := flagValues[flag.Name]
			extensions, isFile := fileFlags[flag.Name]
			var err error
			switch {
			case flag.Value.Type() == "bool":
			case slices.Contains(folderFlags, flag.Name):
				err = c.MarkFlagDirname(flag.Name)
			case isFile:
				err = c.MarkFlagFilename(flag.Name, extensions...)
			case known:
				err = c.RegisterFlagCompletionFunc(flag.Name, complete.function)
			default:
				err = c.RegisterFlagCompletionFunc(flag.Name, cobra.NoFileCompletions)
			}
			if err != nil {
				panic(err) // the flag is there, and nobody else completes it
			}
		}
		c.Flags().VisitAll(completeFlag)
		c.PersistentFlags().VisitAll(completeFlag)
		switch {
		case c.Name() == "explain":
			c.ValidArgsFunction = completer(explained).function
		case !strings.Contains(c.Use, " ") || c.Name() == "mirror":
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
	})
}

// function is what cobra calls.
func (f completer) function(c *cobra.Command, args []string, begun string) ([]cobra.Completion,
	cobra.ShellCompDirective) {
	directive := cobra.ShellCompDirectiveNoFileComp
	var some []cobra.Completion
	for _, value := range f(c, begun) {
		word, _, _ := strings.Cut(value, "\t")
		if strings.HasPrefix(word, begun) && !slices.Contains(args, word) {
			some = append(some, value)
			if strings.HasSuffix(word, ":") { // there is more to come
				directive |= cobra.ShellCompDirectiveNoSpace
			}
		}
	}
	return some, directive
}

// fixed are the same values at all times.
func fixed(values ...string) completer {
	return func(*cobra.Command, string) []cobra.Completion { return values }
}

// severalOf completes the last of several values with commas between them.
func severalOf(one completer) completer {
	return func(c *cobra.Command, begun string) (all []cobra.Completion) {
		before, last := "", begun
		if i := strings.LastIndex(begun, ","); i >= 0 {
			before, last = begun[:i+1], begun[i+1:]
		}
		given := strings.Split(before, ",")
		for _, value := range one(c, last) {
			if word, _, _ := strings.Cut(value, "\t"); !slices.Contains(given, word) {
				all = append(all, before+value)
			}
		}
		return all
	}
}

// labelValues completes the last label of a filter.
func labelValues(c *cobra.Command, begun string) (all []cobra.Completion) {
	i := strings.LastIndexAny(begun, " &|!,()") + 1
	specs, err := allSpecs(c.Context())
	if err != nil {
		return nil
	}
	count := map[string]int{}
	for _, s := range specs {
		for _, label := range s.All {
			count[label]++
		}
	}
	for label, n := range count {
		// Those of single requirements have a flag of their own.
		if !strings.HasPrefix(label, spec.RequirementLabel) {
			all = append(all, fmt.Sprintf("%s%s\t%d specs", begun[:i], label, n))
		}
	}
	slices.Sort(all)
	return all
}

// allSpecs are those that the reference is checked with.
func allSpecs(ctx context.Context) ([]spec.Listed, error) {
	var o run.Options
	var err error
	o.Build.KubernetesVersion = build.DefaultKubernetesVersion
	o.Implementation, err = implementation.New(implementation.Options{Name: implementation.Reference})
	if err != nil {
		return nil, err
	}
	return run.List(ctx, o, run.Selection{})
}

func requirementIDs(*cobra.Command, string) (all []cobra.Completion) {
	for _, r := range table.All() {
		all = append(all, r.ID+"\t"+r.Text)
	}
	return all
}

// explained is what explain has something to say about.
func explained(c *cobra.Command, begun string) []cobra.Completion {
	all := requirementIDs(c, begun)
	for _, i := range invariants.Invariants() {
		all = append(all, i.ID+"\t"+i.Sentence)
	}
	return all
}

func features(*cobra.Command, string) (all []cobra.Completion) {
	count := map[contract.Feature]int{}
	for _, r := range table.All() {
		count[r.Feature]++
	}
	for _, f := range contract.Features() {
		if f != contract.Core {
			all = append(all, fmt.Sprintf("%s\t%d requirements", f, count[f]))
		}
	}
	return all
}

func implementations(*cobra.Command, string) []cobra.Completion {
	return []cobra.Completion{
		implementation.Reference + "\tthe bundled controller",
		implementation.KubeControllerManager + "\tupstream's, of the cluster's version",
		implementation.CRD + "\tbundled, for CronJobs that are a custom resource",
		implementation.Runs + "\tbundled, for such CronJobs whose Jobs are one as well",
		implementation.Aggregator + "\tbundled, for Jobs whose pods run in another cluster",
		implementation.Builtin + "\tthe controller of a kind or existing cluster itself",
		"exec:\ta process: exec:COMMAND --kubeconfig={kubeconfig}",
		"image:\tan image, deployed on a kind or existing cluster",
	}
}

// issues are those that can be reproduced, and their states for repro-matrix.
func issues(c *cobra.Command, _ string) (all []cobra.Completion) {
	known, err := library.Reports()
	if err != nil {
		return nil
	}
	if c.Name() == "repro-matrix" {
		for _, state := range []library.State{library.Fixed, library.Open, library.Unreported} {
			all = append(all, string(state)+"\tall that are so")
		}
	}
	for _, e := range known {
		all = append(all, e.ID()+"\t"+e.Description)
	}
	return all
}

// contexts are those of the kubeconfig that the command would use.
func contexts(c *cobra.Command, _ string) (all []cobra.Completion) {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	if flag := c.Flags().Lookup("kubeconfig"); flag != nil {
		rules.ExplicitPath = flag.Value.String()
	}
	config, err := rules.Load()
	if err != nil {
		return nil
	}
	for name := range config.Contexts {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}
