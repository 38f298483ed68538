package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/cluster"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/run/manifests"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/durations"
	"github.com/jobconformance/jobconformance/suites/profile"
	"github.com/jobconformance/jobconformance/suites/report"
	ginkgo "github.com/onsi/ginkgo/v2/types"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const e2eHelp = `Checks a Job and CronJob controller against the batch/v1 contract. It starts a
cluster, runs the controller in it, runs the suites and stops the cluster.

The implementation is one of
  reference                 the bundled controller, a part of this program
  kube-controller-manager   upstream's, of the cluster's version; flags of its own follow,
                            as in 'kube-controller-manager --concurrent-job-syncs=1';
                            kube-controller-manager@v1.36.4 is an older one
  crd                       bundled, for CronJobs that are a custom resource
  aggregator                bundled, for Jobs whose pods run in another cluster
  exec:COMMAND ARGUMENTS    a process; {kubeconfig} becomes the path of a
                            kubeconfig, which is in $KUBECONFIG, too;
                            {metricsPort} and {healthPort} free ports, {leaseNamespace}
                            and {lease} the Lease by which it elects a leader;
                            {memberKubeconfig} the path of that of a second cluster
                            which runs the pods
  image:REFERENCE ARGUMENTS an image, deployed on a kind or existing cluster
  builtin                   the controller of a kind or existing cluster itself

Reports go to the folder reports/e2e: report.yaml has the verdict of every requirement,
index.html shows it with timelines, junit.xml is for CI systems. The rest are logs.
With -o json, standard output has the report as JSON and nothing else; progress goes to
standard error.

` + exitCodes

const e2eExample = `  jobconformance run
  jobconformance run -i kube-controller-manager --kubernetes-version v1.36.3
  jobconformance run -i 'exec:./my-controller --kubeconfig={kubeconfig}' --labels 'area:job && !slow'
  jobconformance run --rerun-failed reports/e2e/report.yaml`

// flags of the command run, which checks an implementation, and of list.
type flags struct {
	implementation string
	controllers    []string
	managedBy      string
	dialect        string   // path
	upstream       string   // version
	manifests      []string // paths
	rbac           string   // a path, or the name of a ClusterRole
	repeat         int
	knownBugs      string // on, allow or off; empty: on, or allow with a tree
	flaky          string // red or allow
	requirements   []string
	decline        []string
	expectations   string // path
	profile        bool
	requests       profile.Requests // of a run with profile
	printResults   bool             // of a shard
	dryRun         bool
	next           bool
	all            bool
	verbose, quiet bool
	output         format         // of the report, or of the list
	rerunFailed    string         // a report.yaml
	earlier        *report.Report // of rerunFailed
	since          string         // a report.yaml
	labels         string
	described      report.Implementation // in the report
	options        run.Options
	selection      run.Selection
	set            *pflag.FlagSet
}

func runCommand() *cobra.Command { return new(flags).command() }

func (f *flags) command() *cobra.Command {
	c := command("run", "Check a controller; the default command", e2eHelp, e2eExample,
		func(cmd *cobra.Command, _ []string) error {
			f.options.Out = cmd.OutOrStdout()
			if f.output == asJSON {
				f.options.Out = cmd.ErrOrStderr()
			}
			return f.run(cmd.Context(), cmd.OutOrStdout())
		})
	f.set = c.Flags()
	f.addFlags(f.set)
	return c
}

// addFlags adds the flags of run.
func (f *flags) addFlags(set *pflag.FlagSet) {
	f.selectingFlags(set)
	versionFlags(set, &f.options)
	section(set, theCluster, func(set *pflag.FlagSet) {
		set.StringVar(&f.options.RuntimeConfig, "runtime-config", "",
			"APIs that its API server serves besides, as in batch/v2alpha1=true (default: those that --feature-gates "+
				"need)")
	})
	cacheFlags(set, &f.options.Build)
	section(set, "Kind and existing clusters", func(set *pflag.FlagSet) {
		set.StringVar(&f.options.ClusterName, "cluster-name", "",
			"name of a kind cluster; runs at the same time need different ones (default: "+
				"$KIND_CLUSTER_NAME, or jobconformance)")
		kubeletFlags(set, &f.options)
		set.StringSliceVar(&f.options.Images, "load", nil,
			"archives of images to load into the nodes of a kind cluster")
		set.BoolVar(&f.options.Keep, "keep", false, "keep a kind cluster: the next run uses it again")
		set.StringVar(&f.options.Kubeconfig, "kubeconfig", "",
			"kubeconfig of an existing cluster (default: the one that kubectl uses)")
		set.StringVar(&f.options.Context, "context", "", "context of that kubeconfig (default: the current one)")
	})
	section(set, theController, func(set *pflag.FlagSet) {
		set.StringSliceVar(&f.manifests, "manifests", nil,
			"files, or folders with files, of what the implementation needs in the cluster, such as other "+
				"CustomResourceDefinitions, rights and Secrets; they are applied before it starts")
		set.IntVar(&f.options.Replicas, "replicas", 1,
			"processes of it that specs share: they elect a leader, which is killed, frozen and cut off, alternately, "+
				"while the specs run")
		set.StringVar(&f.rbac, "rbac", "",
			"file with a ClusterRole, or the name of one in the cluster: the implementation has these rights and no "+
				"others, and the run says which ones it lacks (default: all rights)")
	})
	confineFlag(set, &f.options.Confine)
	section(set, "How they run", func(set *pflag.FlagSet) {
		set.IntVar(&f.selection.Procs, "procs", 0,
			fmt.Sprintf("specs that run at the same time (default: %d for each core, at most %d; "+
				"with real kubelets %d)", run.ProcsPerCore, run.MostProcs, run.KubeletProcs))
		set.DurationVar(&f.selection.Patience, "patience", 0,
			"longest time that the implementation may take for one reaction; fewer --procs and more of it are for a "+
				"client with a low rate limit (default: 30s, with real kubelets 2m)")
		set.DurationVar(&f.selection.StartupTimeout, "startup-timeout", run.StartupTimeout,
			"time that the implementation may take to start and to react to its first Job and CronJob")
		set.IntVar(&f.repeat, "repeat", 1, "run the suites this many times; stop at the first red run")
		set.BoolVar(&f.selection.FailFast, "fail-fast", false,
			"stop at the first spec that fails; those that it interrupts are not verified")
		set.BoolVar(&f.next, "next", false,
			"check a new controller step by step: run the specs of one rung of requirements after the other, and stop "+
				"at the first where one fails; explain lists the rungs")
		set.BoolVar(&f.all, "all", false,
			"run all specs also where the controller fails each of the basic ones, which are run first")
		set.BoolVar(&f.dryRun, "dry-run", false, "print the specs that would run, as list does, and start nothing")
	})
	section(set, theResult, f.resultFlags)
	section(set, "Names in the report", func(set *pflag.FlagSet) {
		set.StringVar(&f.described.Name, "name", "", "the implementation's name (default: as --implementation)")
		set.StringVar(&f.described.Version, "implementation-version", "", "its version")
		set.StringVar(&f.described.Organization, "organization", "", "who makes it")
		set.StringVar(&f.described.Project, "project", "", "the project that it is a part of")
		set.StringVar(&f.described.URL, "url", "", "the URL of the project")
		set.StringSliceVar(&f.described.Contact, "contact", nil, "whom to ask about it: URLs or addresses")
	})
}

// resultFlags are how a run is judged, and what it leaves.
func (f *flags) resultFlags(set *pflag.FlagSet) {
	set.BoolVar(&f.selection.Strict, "strict", false, "let a failed SHOULD count like a failed MUST")
	set.StringVar(&f.flaky, "flaky", "red",
		"what a spec counts as that failed while the machine stalled, and passed when it was run once more, "+
			"alone: red, or allow: a warning")
	set.StringVar(&f.knownBugs, "known-bugs", "",
		"on: the known bugs of upstream are expected to show; allow: they may; off: they must not (default: on, and "+
			"allow with --kubernetes-source, with --upstream and for a kube-controller-manager with flags of yours)")
	set.BoolVar(&f.verbose, "verbose", false,
		"print a line for each spec (default: in runs of up to 40; in others for what fails, until that is much; "+
			"where CI is set in the environment, one failure in full, and a line for some others)")
	set.BoolVar(&f.quiet, "quiet", false, "print only what broke and the last line")
	outputFlag(set, &f.output, "the result")
	reportsFlag(set, &f.options.Reports, "e2e")
	sinceFlag(set, &f.since)
	f.selection.History = spec.KeepFailed
	set.Var(&f.selection.History, "history",
		"save the histories of specs for check-history, in the folder histories of the reports: failed, all or none")
	set.BoolVar(&f.printResults, "print-results", false,
		"print the results of a shard as well, in lines of text that merge reads in a log")
	set.BoolVar(&f.profile, "profile", false,
		"write CPU profiles of kube-apiserver, etcd and the suites (for go tool pprof), and requests.txt, into the "+
			"folder cluster of the reports (embedded only)")
}

// kubeletFlags are the images of a cluster with real kubelets.
func kubeletFlags(set *pflag.FlagSet, o *run.Options) {
	set.StringVar(&o.NodeImage, "node-image", "",
		"node image of a kind cluster (default: that of --kubernetes-version where it is given, else kind's own)")
	set.StringVar(&o.KindConfig, "kind-config", "",
		"configuration of a kind cluster (default: one that only switches the Job and CronJob controllers off)")
	set.StringVar(&o.PuppetImage, "puppet-image", "",
		"image of pods on real kubelets (default: "+puppet.DefaultImage+")")
}

// selectingFlags are those of run and of list.
func (f *flags) selectingFlags(set *pflag.FlagSet) {
	section(set, theController, func(set *pflag.FlagSet) {
		implementationFlag(set, &f.implementation, implementation.Reference, "the controller to check")
		set.StringSliceVar(&f.controllers, "controllers", []string{"job", "cronjob"},
			"controllers that the implementation has; the bundled one takes the place of the other")
		set.StringVar(&f.managedBy, "managed-by", "",
			"spec.managedBy of the implementation's Jobs, as in example.com/mine; the cluster's "+
				"own Job controller stays on")
		set.StringVar(&f.dialect, "dialect", "",
			"file with the custom resource in place of CronJobs or Jobs, as fixtures/dialect/example/dialect.yaml")
		set.StringVar(&f.upstream, "upstream", "",
			"version of Kubernetes that an exec: or image: is a build of, as in v1.37.1: its known bugs may show")
	})
	section(set, whichSpecs, func(set *pflag.FlagSet) {
		set.StringVar(&f.labels, "labels", "",
			"run only specs that match this label filter, for example 'behaviour:parallelism && !slow'")
		set.StringVar(&f.selection.Focus, "focus", "", "run only specs whose text matches this regular expression")
		set.StringVar(&f.selection.Skip, "skip", "", "leave out specs whose text matches this regular expression")
		set.StringSliceVar(&f.requirements, "requirement", nil,
			"run only specs of these requirements, for example JOB-BACKOFF-001,JOB-BACKOFF-002")
		set.StringSliceVar(&f.decline, "decline", nil,
			"features that the implementation does not claim; their specs do not run, and are reported as declined")
		set.StringVar(&f.expectations, "expectations", "",
			"YAML file with requirements that the implementation declines or fails, and why: a list of "+
				"{requirement: ID, decline: REASON} and {requirement: ID, fails: REASON, issue: URL}; the command "+
				"expectations writes one")
		set.Var(&f.selection.Shard, "shard",
			"run only this part of the specs, as in 2/4, for merge; auto takes it from CI_NODE_INDEX and "+
				"CI_NODE_TOTAL, auto/4 from JOB_COMPLETION_INDEX")
		f.selection.Shard.Cost = durations.Of
		set.StringVar(&f.rerunFailed, "rerun-failed", "",
			"run exactly the specs that failed in the run of this report.yaml, with its flags; and those that it "+
				"had not come to when it was ended")
	})
	section(set, theCluster, func(set *pflag.FlagSet) {
		set.StringVar(&f.options.Cluster, "cluster", cluster.EmbeddedKind,
			"where it is checked: embedded, kind or existing")
		set.StringVar(&f.options.Environment, "environment", "",
			"what else handles Jobs there; queued: a queue suspends each at its creation, sets scheduling directives "+
				"and resumes it, as Kueue does")
	})
}

// run rejects bad input before anything is started. Progress goes to f.options.Out, and what
// --output formats to stdout.
func (f *flags) run(ctx context.Context, stdout io.Writer) error {
	began, out := time.Now(), f.options.Out
	if err := f.restore(); err != nil {
		return err
	}
	if f.verbose && f.quiet {
		return badinput.New(console.Flag("verbose")+" and "+console.Flag("quiet")+" contradict each other",
			"leave one of them out")
	}
	f.selection.Detail = usualDetail()
	switch {
	case f.verbose:
		f.selection.Detail = record.Verbose
	case f.quiet:
		f.selection.Detail = record.Quiet
		f.options.Out = io.Discard
	}
	impl, err := f.parse()
	if err != nil {
		return err
	}
	f.options.Implementation = impl
	if f.printResults && f.selection.Shard.Count == 0 {
		return badinput.New("a run that is no shard prints no results",
			"give "+console.Flag("shard")+", or leave "+console.Flag("print-results")+" out")
	}
	if f.selection.Procs < 0 || f.repeat < 1 {
		return badinput.New("a number of processes or of repeats is too small",
			fmt.Sprintf("give %s and %s 1 or more", console.Flag("procs"), console.Flag("repeat")))
	}
	if f.options.Replicas < 1 {
		return badinput.New("a number of replicas is too small", "give "+console.Flag("replicas")+" 1 or more")
	}
	if f.selection.StartupTimeout <= 0 {
		return badinput.New("an implementation that may take no time to start never does",
			"give "+console.Flag("startup-timeout", run.StartupTimeout.String())+" or more")
	}
	if p := f.selection.Patience; p != 0 && p < time.Second || p > time.Hour {
		return badinput.New(fmt.Sprintf("a reaction cannot take %s", p),
			"give "+console.Flag("patience")+" between 1s and 1h, as in "+console.Flag("patience", "90s"))
	}
	if f.next && (f.rerunFailed != "" || f.selection.Shard.Count > 0) {
		return badinput.New(console.Flag("next")+" decides which specs are run",
			"leave "+console.Flag("rerun-failed")+" and "+console.Flag("shard")+" out")
	}
	if f.rbac != "" {
		if f.options.Rights, err = run.LoadRights(f.rbac); err != nil {
			return err
		}
	}
	if f.dryRun {
		return f.list(ctx, stdout)
	}
	// The new report may take its place.
	before, err := loadSince(f.since)
	if err != nil {
		return err
	}
	if err := f.selects(); errors.Is(err, errNothingFailed) {
		fmt.Fprintln(out, "jobconformance: nothing to do:", err)
		return nil
	} else if err != nil {
		return err
	}
	if err := f.check(); err != nil {
		return err
	}
	if err := f.selectsSome(ctx); err != nil {
		return err
	}
	if len(f.manifests) > 0 {
		if f.options.Manifests, err = manifests.Load(f.manifests); err != nil {
			return err
		}
	}
	if impl.Warning != "" {
		fmt.Fprintln(f.options.Out, "note:", impl.Warning)
	}
	if f.profile {
		f.options.Profile = true
		f.options.Embedded = append(f.options.Embedded, cluster.WithAudit(cluster.Everybody, &f.requests))
	}
	f.options.Selection = &f.selection
	env, err := run.New(f.options)
	if err != nil {
		return err
	}
	defer env.Close()
	publish := f.prepare(env)
	publish.before = before
	result, failure := f.checked(ctx, env, impl, f.options.Out)
	if result == nil {
		return failure
	}
	writing := console.Doing(f.options.Out, "writing the reports")
	judged, err := publish.write(env, *result, out)
	writing()
	if err != nil {
		result.HarnessError = fmt.Sprint("the reports cannot be written: ", err)
		result.Print(out, f.selection.Detail) // it is known all the same
		return cmp.Or(failure, error(exitCode(exitHarness)))
	}
	// The cluster stops before the last line is printed.
	env.Close()
	result.Wall = time.Since(began)
	console.Line(f.options.Out, "reports", "%s", console.Path(env.Reports))
	judged.PrintCauses(out, filepath.Join(console.Path(env.Reports), report.PageName), f.selection.Detail)
	if f.next && failure == nil {
		f.printNext(out, result)
	}
	result.Print(out, f.selection.Detail)
	if f.output == asJSON {
		if err := printJSON(stdout, judged); err != nil {
			return err
		}
	}
	switch {
	case failure != nil && ctx.Err() != nil:
		return failure // its exit code says more than that of the result
	case result.NoVerdict():
		return exitCode(exitHarness)
	}
	return verdict(result.Green())
}

// checked starts the cluster and runs the suites. With an error that is not the user's there is a result, too.
func (f *flags) checked(ctx context.Context, env *run.Environment, impl implementation.Implementation,
	out io.Writer) (*record.Run, error) {
	err := env.Create(ctx)
	switch {
	case badinput.Is(err) && ctx.Err() == nil:
		return nil, err
	case err != nil:
		return env.NotRun(ctx, f.selection, err), err
	}
	result, err := f.repeated(ctx, env, impl, out)
	if f.profile && ctx.Err() == nil {
		err = errors.Join(err, f.writeRequests(ctx, env))
	}
	return result, err
}

// writeRequests writes what --profile has counted.
func (f *flags) writeRequests(ctx context.Context, env *run.Environment) error {
	file, err := env.CreateClusterLog("requests.txt")
	if err != nil {
		return err
	}
	defer file.Close()
	return f.requests.Print(ctx, file, env.Config())
}

func (f *flags) parse() (implementation.Implementation, error) {
	return implementation.New(implementation.Options{
		Name: f.implementation, Controllers: f.controllers, ManagedBy: f.managedBy, Dialect: f.dialect,
		Upstream: f.upstream,
	})
}

// check rejects options that do not go together.
func (f *flags) check() error {
	if err := f.options.Check(); err != nil {
		return err
	}
	impl, err := f.parse()
	if err != nil {
		return err
	}
	return checkApplies(f.set, f.options.Cluster, impl.NeedsKubeControllerManager())
}

// selects checks the flags that select specs and applies them.
func (f *flags) selects() error {
	for name, expression := range map[string]string{"focus": f.selection.Focus, "skip": f.selection.Skip} {
		if _, err := regexp.Compile(expression); err != nil {
			return badinput.Wrap(err, console.Flag(name)+" is not a regular expression", "correct it")
		}
	}
	if _, err := ginkgo.ParseLabelFilter(f.labels); err != nil {
		return badinput.New(fmt.Sprintf("%q is not a label filter", f.labels),
			"write one like 'behaviour:parallelism && !slow'")
	}
	if !slices.Contains([]string{"", "on", "allow", "off"}, f.knownBugs) {
		return badinput.New(fmt.Sprintf("%q is neither on, allow nor off", f.knownBugs),
			"give "+console.Flag("known-bugs", "on")+", allow or off")
	}
	if !slices.Contains([]string{"", "red", "allow"}, f.flaky) {
		return badinput.New(fmt.Sprintf("%q is neither red nor allow", f.flaky),
			"give "+console.Flag("flaky", "red")+" or allow")
	}
	f.selection.FlakyAllowed = f.flaky == "allow"
	f.selection.MayBeFixed = f.knownBugs == "allow" ||
		f.knownBugs == "" && (f.options.Build.Source != "" || f.upstream != "" || f.options.Implementation.Flagged() ||
			f.options.Replicas > 1) // a new leader heals some
	if err := f.selectByContract(); err != nil {
		return err
	}
	return f.rerun()
}

// selectsSome refuses unknown labels, and a selection of no specs, before a cluster is started for them. Which
// version another cluster than an embedded one has is not known here.
func (f *flags) selectsSome(ctx context.Context) error {
	if s := f.selection; s.Focus == "" && s.Skip == "" && s.Labels == "" {
		return nil
	}
	specs, err := run.List(ctx, f.options, f.selection)
	if err != nil {
		return err
	}
	if err := f.checkFilters(specs); err != nil || f.options.Cluster != cluster.EmbeddedKind {
		return err
	}
	return run.AnySelected(specs)
}

func (f *flags) repeated(ctx context.Context, env *run.Environment, impl implementation.Implementation,
	out io.Writer) (*record.Run, error) {
	for n := 1; ; n++ {
		if f.repeat > 1 {
			fmt.Fprintf(out, "run %d of %d\n", n, f.repeat)
		}
		unfold := report.Fold(out, "specs")
		result, err := env.Check(ctx, impl, env.Builds, f.selection)
		unfold()
		if result != nil {
			result.Name = cmp.Or(f.described.Name, result.Name) // as in the report
		}
		if err != nil || !result.Green() || n == f.repeat {
			return result, err
		}
		result.Print(out, f.selection.Detail)
	}
}
