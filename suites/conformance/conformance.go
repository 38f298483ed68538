// Package conformance runs the suites from a test of another repository, against
// a controller of its own:
//
//	func TestConformance(t *testing.T) {
//		conformance.Run(t, conformance.Options{
//			Implementation: report.Implementation{Name: "mine", Version: "v0.1.0"},
//			Start:          mine.Run, // func(ctx, *rest.Config) error
//			Declined:       []contract.Feature{contract.SuccessPolicy},
//		})
//	}
//
// The suites run in processes of their own: the first run builds jobconformance from the
// version of this module that the test requires, and so needs the go command.
package conformance

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/ladder"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/expectations"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"k8s.io/client-go/rest"
)

// Options say what is checked, and where. Exactly one of Start and Command must
// be set.
type Options struct {
	// Implementation is how the report names the controller. Name is required.
	Implementation report.Implementation
	// Start runs the controller in the test's own process until ctx ends. It
	// reconciles the Jobs and CronJobs of all namespaces of the cluster that
	// config leads to, as whom it has all rights.
	Start func(ctx context.Context, config *rest.Config) error
	// Command runs it as a process instead; {kubeconfig} in it becomes the path
	// of a kubeconfig.
	Command string
	// Where says on which cluster. The zero value is an embedded one that is started and
	// stopped, or the environment's in a Feature. With Where.Provider it is a cluster of
	// any of e2e-framework's providers.
	Where run.Where
	// KubernetesVersion of an embedded cluster. Default: build.DefaultKubernetesVersion.
	KubernetesVersion string
	// Controllers that it has, job or cronjob; the reference takes the place of the other.
	// Default: both.
	Controllers []string
	// ManagedBy is the spec.managedBy of its Jobs. Default: none.
	ManagedBy string
	// Upstream is the version of Kubernetes that the controller is a build of, as in v1.37.1: the known bugs of its
	// kube-controller-manager are expected. Default: it is none.
	Upstream string
	// Declined are features that the controller does not claim.
	Declined []contract.Feature
	// Expectations is the path of a file as package expectations reads it, with requirements that the
	// controller declines or fails. Default: all are expected to hold.
	Expectations string
	// Focus is a regular expression on the text of specs, Labels a filter on
	// their labels. Default: all. What is left out is not verified.
	Focus, Labels string
	// Procs is how many specs run at the same time. Default: run.ProcsPerCore for
	// each core, or run.KubeletProcs.
	Procs int
	// Reports is the folder for report.yaml, index.html and logs. Default: a
	// folder of the test that goes with it.
	Reports string
}

// Run checks the controller. The test fails once for every requirement that is
// non-conformant and for every known bug that did not show, logs warnings and known
// issues, and ends at once where the harness failed or the options cannot be used. The
// report is there in any case but the last.
func Run(t *testing.T, o Options) *report.Report {
	t.Helper()
	r, err := check(t.Context(), o, t.TempDir)
	if err != nil {
		t.Fatalf("this is no verdict: %v", err)
	}
	judgeRun(t, r)
	for _, p := range r.Profiles {
		judgeProfile(t, r, p.Name)
	}
	return r
}

// judgeRun fails the test for what no requirement is to blame for.
func judgeRun(t *testing.T, r *report.Report) {
	t.Helper()
	for _, crash := range r.Crashes {
		t.Errorf("the controller crashed while %d specs ran: %s", len(crash.Specs), crash)
	}
	for _, issue := range r.UnexpectedPasses {
		t.Error(issue.Remedy)
	}
	for _, issue := range r.KnownIssues {
		t.Logf("known issue %s: %s", issue.Issue, issue.Text)
	}
	if r.HarnessError != "" {
		t.Error("this is no verdict:", r.HarnessError)
	}
	t.Logf("%s: %s", r.Result, r.Count())
}

// judgeProfile fails the test once for every requirement of a profile that is
// non-conformant.
func judgeProfile(t *testing.T, r *report.Report, p contract.Profile) {
	t.Helper()
	for _, q := range r.Requirements {
		if (contract.Requirement{ID: q.ID}).Profile() != p {
			continue
		}
		switch q.Outcome {
		case report.NonConformant:
			t.Errorf("%s: %s\n  source: %s", q.ID, q.Text, q.Source)
		case spec.Flaky:
			t.Errorf("flaky: %s: %s\n  source: %s", q.ID, q.Text, q.Source)
		case spec.Warning:
			t.Logf("warning: %s: %s\n  source: %s", q.ID, q.Text, q.Source)
		}
	}
}

func check(ctx context.Context, o Options, folder func() string) (*report.Report, error) {
	impl, err := o.implementation()
	if err != nil {
		return nil, err
	}
	if o.Reports == "" {
		o.Reports = folder()
	}
	bugs, err := library.Bugs()
	if err != nil {
		return nil, err
	}
	selection := run.Selection{Known: bugs, Focus: o.Focus, Labels: o.Labels, Procs: o.Procs, History: spec.KeepAll}
	for _, feature := range o.Declined {
		if err := contract.Declinable(feature); err != nil {
			return nil, err
		}
		selection.Declined = append(selection.Declined, string(feature))
	}
	if o.Expectations != "" {
		expected, err := expectations.Load(o.Expectations)
		if err != nil {
			return nil, err
		}
		selection.Expect(expected)
	}
	selection.Except = table.DeclinedInvariants(selection.Declined, selection.DeclinedRequirements)
	selection.ExceptGrounds = table.DeclinedGrounds(selection.Declined, selection.DeclinedRequirements)
	selection.Principals, selection.Owners = table.Principals(), ladder.Owners(table.All())
	options := run.Options{Where: o.Where, Implementation: impl, Reports: o.Reports,
		Out:       console.NewScreen(os.Stderr, os.Getenv),
		Selection: &selection}
	options.Build.KubernetesVersion = o.KubernetesVersion
	environment, err := run.New(options)
	if err != nil {
		return nil, err
	}
	defer environment.Close()
	again := func(text string) string { return fmt.Sprintf("set Focus to %q", spec.Exactly(text)) }
	selection.Explain = func(s spec.Spec) string { return report.Explain(s, environment.Reports, again(s.Text)) }
	var found *record.Run
	failure := environment.Create(ctx)
	switch {
	case badinput.Is(failure):
	case failure != nil:
		found = environment.NotRun(ctx, selection, failure)
	default:
		found, failure = environment.Check(ctx, impl, environment.Builds, selection)
	}
	if found == nil {
		return nil, failure
	}
	judged := report.Run{
		Run:            *found,
		Implementation: o.Implementation,
		Cluster: report.Cluster{
			Kind: environment.ClusterKind(), KubernetesVersion: environment.Version(),
			FeatureGates: environment.FeatureGates(), NodeImage: environment.NodeImage(),
			Environment: o.Where.Environment,
		},
		Selection: report.Selection{Focus: o.Focus, Labels: o.Labels, Declined: o.Declined,
			DeclinedRequirements: selection.DeclinedRequirements,
			Expectations:         report.Expectations(selection.Expectations)},
	}
	judged.Implementation.ManagedBy = o.ManagedBy
	if impl.Lacks() != "" {
		judged.Implementation.Controllers = impl.Controllers()
	}
	r, err := report.Publish(environment.Reports, judged, spec.KeepFailed, again)
	if err != nil {
		return nil, err
	}
	return r, failure
}

func (o Options) implementation() (implementation.Implementation, error) {
	switch {
	case o.Implementation.Name == "":
		return implementation.Implementation{},
			badinput.New("the implementation has no name", "set Options.Implementation.Name")
	case (o.Start == nil) == (o.Command == ""):
		return implementation.Implementation{},
			badinput.New("there is no way, or more than one, to start the controller",
				"set Options.Start or Options.Command")
	}
	of := implementation.Options{Name: "exec:" + o.Command, Controllers: o.Controllers, ManagedBy: o.ManagedBy,
		Upstream: o.Upstream}
	if o.Start != nil {
		of.Name, of.Run = o.Implementation.Name, o.Start
	}
	return implementation.New(of)
}
