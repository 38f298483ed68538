// Package report writes the results of a run: a conformance report (report.yaml) with
// the outcome of every requirement, the same as a page (index.html), and the difference
// between two reports.
//
// The shape follows the conformance reports of Gateway API.
package report

import (
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What a report's apiVersion and kind are. Fields may be added to a version; none is taken
// away or given another meaning. Reports of v1alpha1 counted a known issue and a failed
// SHOULD as non-conformant, and are refused.
const (
	APIVersion = "report.jobconformance.github.io/v1alpha2"
	Kind       = "ConformanceReport"
)

// Report is the result of one run against one implementation.
type Report struct {
	metav1.TypeMeta `json:",inline"`
	// SuiteVersion is the version of the suites and of the reference controller, as in
	// v0.1.0 or 41c1ae6-dirty; empty if it is not known.
	SuiteVersion string `json:"suiteVersion,omitempty"`
	// Implementation is the controller under test.
	Implementation Implementation `json:"implementation"`
	// Companion is what took the place of the controller that the implementation lacks, as
	// in reference, or builtin for the cluster's own. Default: the implementation has both.
	Companion string `json:"companion,omitempty"`
	// Confinement is what kept the implementation away from the run, as in "namespaces of users, mounts, IPC and
	// processes". Default: it was no process of this machine, or nothing did.
	Confinement string `json:"confinement,omitempty"`
	// Cluster is where it was tested.
	Cluster Cluster `json:"cluster"`
	// Selection is what was asked for.
	Selection Selection `json:"selection"`
	// Flags are those that the user gave, by their names and as on a command line, but for those that
	// select specs: a rerun takes them from here. A Go test has none.
	Flags map[string]string `json:"flags,omitempty"`
	// Date is when the run began, in UTC.
	Date metav1.Time `json:"date"`
	// Duration is how long the implementation was under test, as in "19.6s".
	Duration metav1.Duration `json:"duration"`
	// Result is that of all specs together. A run that ends with exit code 1 is
	// non-conformant, one with exit code 0 conformant or partial, one with 3 is no verdict.
	Result Result `json:"result"`
	// Crashes are exits of the implementation on its own, while specs shared it. One
	// makes the result non-conformant.
	Crashes []spec.Crash `json:"crashes,omitempty"`
	// Leaders is what replicas of it did that elect a leader. A write of one that did not lead makes the result
	// non-conformant. Default: there is one process of it.
	Leaders *spec.Leaders `json:"leaders,omitempty"`
	// Interferences are what the implementation did that is not a controller's business: to the harness, to other
	// specs, or to nodes and pods. One makes the result non-conformant, and no other result can be trusted.
	Interferences []spec.Interference `json:"interferences,omitempty"`
	// Unwatched is true where nobody looks for interferences, as the implementation reaches the API server by itself.
	Unwatched bool `json:"unwatched,omitempty"`
	// LackingRights are those that the implementation was refused requests for, as in "create events", where
	// it did not have all rights.
	LackingRights []string `json:"lackingRights,omitempty"`
	// HarnessError is what the harness failed at; empty if it did not. It does not count
	// against the implementation: a run that is red for nothing else ends with exit code 3.
	HarnessError string `json:"harnessError,omitempty"`
	// Incomplete is what else ended the run before its end, as in "interrupted by SIGINT"; empty if nothing
	// did. Its result is non-conformant if something has failed by then, and else no verdict.
	Incomplete string `json:"incomplete,omitempty"`
	// NotRun are the specs that are not verified because the run ended before its end, sorted.
	NotRun []string `json:"notRun,omitempty"`
	// Specs counts the specs of this version of Kubernetes by how they ended.
	Specs map[Outcome]int `json:"specs"`
	// Causes are what broke in specs that failed, the largest first.
	Causes []Cause `json:"causes,omitempty"`
	// Earlier is the report that the run was compared with. Default: none.
	Earlier *Earlier `json:"earlier,omitempty"`
	// UnexpectedPasses are known bugs that did not show. They make the result
	// non-conformant, so that the list of known bugs stays true.
	UnexpectedPasses []Issue `json:"unexpectedPasses,omitempty"`
	// KnownIssues are known bugs of Kubernetes that made specs fail, as expected.
	KnownIssues []Issue `json:"knownIssues,omitempty"`
	// Warnings are specs that failed and cover only requirements that say SHOULD or MAY, or only
	// provisional ones.
	Warnings []Warning `json:"warnings,omitempty"`
	// Requests are those of the implementation in each spec that passed, by its text, where specs share it.
	Requests map[string]Requests `json:"requests,omitempty"`
	// Profiles are the results of the groups job, cronjob, api and status.
	Profiles []Profile `json:"profiles"`
	// Requirements are all that apply to this version of Kubernetes, sorted by ID, each
	// with exactly one outcome.
	Requirements []Requirement `json:"requirements"`
}

// Implementation describes the controller under test.
type Implementation struct {
	// Name is the value of --implementation, unless another was given.
	Name string `json:"name"`
	// Version is the implementation's own. Default: of kube-controller-manager, that of
	// the cluster; of the reference, that of the suites; of others, none.
	Version string `json:"version,omitempty"`
	// Upstream is the version of Kubernetes that it is a build of, for others than
	// kube-controller-manager itself. Default: it is none.
	Upstream string `json:"upstream,omitempty"`
	// Controllers that it has, where that is one: job or cronjob. The requirements of the
	// other profile are declined. Default: both.
	Controllers []string `json:"controllers,omitempty"`
	// ManagedBy is the spec.managedBy of all its Jobs. Default: none.
	ManagedBy string `json:"managedBy,omitempty"`
	// CronJob is the custom resource in place of batch/v1's CronJob, or of its Job where it is a Job controller, as its
	// apiVersion and kind. Default: that one.
	CronJob string `json:"cronJob,omitempty"`
	// Organization that makes it.
	Organization string `json:"organization,omitempty"`
	// Project that it is a part of.
	Project string `json:"project,omitempty"`
	// URL of the project.
	URL string `json:"url,omitempty"`
	// Contact are URLs or addresses for questions about it.
	Contact []string `json:"contact,omitempty"`
}

// Cluster describes the cluster of the run.
type Cluster struct {
	// Kind is embedded, kind or existing.
	Kind string `json:"kind"`
	// KubernetesVersion is the API server's, as in v1.37.1.
	KubernetesVersion string `json:"kubernetesVersion"`
	// FeatureGates that were set, as in A=true,B=false; empty on an existing cluster,
	// where they are not known.
	FeatureGates string `json:"featureGates,omitempty"`
	// NodeImage of a kind cluster.
	NodeImage string `json:"nodeImage,omitempty"`
	// Environment is what else handled Jobs there: queued, where a queue suspended each at its
	// creation, set scheduling directives and resumed it. Default: nothing.
	Environment string `json:"environment,omitempty"`
}

// Selection is what a run was asked for. What it leaves out is not verified.
type Selection struct {
	// Focus is a regular expression on the text of specs. Default: all.
	Focus string `json:"focus,omitempty"`
	// Skip is a regular expression on the text of specs that were left out. Default: none.
	Skip string `json:"skip,omitempty"`
	// Labels is a label filter. Default: all.
	Labels string `json:"labels,omitempty"`
	// Requirements are IDs: only their specs. Default: all.
	Requirements []string `json:"requirements,omitempty"`
	// RerunFailed is the report whose failed specs were run again. Default: none.
	RerunFailed string `json:"rerunFailed,omitempty"`
	// Shard is the part of the specs that was run, as in 2/4. Default: all.
	Shard string `json:"shard,omitempty"`
	// Next is true where one rung of requirements was checked after the other, up to the first on which not all
	// hold. Default: all were checked at once.
	Next bool `json:"next,omitempty"`
	// Declined are the features that the implementation does not claim.
	Declined []contract.Feature `json:"declined,omitempty"`
	// DeclinedRequirements are the IDs of others that the implementation does not claim.
	DeclinedRequirements []string `json:"declinedRequirements,omitempty"`
	// Expectations say why the user declines requirements, and which ones fail.
	Expectations []Expectation `json:"expectations,omitempty"`
	// Strict is true where a failed SHOULD counts like a failed MUST.
	Strict bool `json:"strict,omitempty"`
	// FlakyAllowed is true where a flaky spec counts as a warning.
	FlakyAllowed bool `json:"flakyAllowed,omitempty"`
	// KnownBugs is "off" where known bugs of upstream were not expected to show, and
	// "allow" where they might. Default: they were expected.
	KnownBugs string `json:"knownBugs,omitempty"`
}

// Expectation is what the user of a run expects of one requirement. It has either Decline or Fails.
type Expectation struct {
	// Requirement is its ID.
	Requirement string `json:"requirement"`
	// Decline is why the implementation does not claim it.
	Decline string `json:"decline,omitempty"`
	// Fails is why its specs fail.
	Fails string `json:"fails,omitempty"`
	// Issue is where the user keeps track of it.
	Issue string `json:"issue,omitempty"`
	// Entry is the file and the line that say so, as in expectations.yaml:7; or the dialect.
	Entry string `json:"entry"`
}

// Expectations are those of a run as its report has them.
func Expectations(all []spec.Expectation) (reported []Expectation) {
	for _, e := range all {
		r := Expectation{Requirement: e.Requirement, Issue: e.Issue, Entry: e.Entry}
		if e.Fails {
			r.Fails = e.Reason
		} else {
			r.Decline = e.Reason
		}
		reported = append(reported, r)
	}
	return reported
}

// Issue is a known bug, or a failure that the user expects, and the specs that it concerns.
type Issue struct {
	// Issue is the number of the upstream issue or pull request, as in
	// kubernetes/kubernetes#139428; the key of a bug that nobody has reported, or the ID of a
	// requirement that the user expects to fail.
	Issue string `json:"issue,omitempty"`
	// Versions of Kubernetes that have it, as a constraint. Default: all.
	Versions string `json:"versions,omitempty"`
	// Text is what is wrong.
	Text string `json:"text"`
	// Remedy is what to do about a bug that did not show.
	Remedy string `json:"remedy,omitempty"`
	// Requirements that it concerns.
	Requirements []string `json:"requirements,omitempty"`
	// Specs that it made fail, or that passed unexpectedly.
	Specs []string `json:"specs"`
}

// Warning is a spec that failed and covers only requirements that say SHOULD or MAY, or only
// provisional ones.
type Warning struct {
	Spec         string   `json:"spec"`
	Requirements []string `json:"requirements,omitempty"`
}

// Result is the result of a run or of a profile.
type Result string

const (
	// ResultConformant: nothing is wrong, except for warnings and known issues of Kubernetes, and
	// all that was not declined was verified.
	ResultConformant Result = "conformant"
	// ResultPartial: nothing is wrong either, but something was not verified, or the user declines
	// a requirement of the core, or expects one to fail.
	ResultPartial Result = "partial"
	// ResultDeclined: of a group of requirements, all of which were declined.
	ResultDeclined Result = "declined"
	// ResultNoVerdict: nothing is wrong that could be seen, but the harness failed, or the run was ended early.
	ResultNoVerdict Result = "no-verdict"
	// ResultNonConformant: a spec failed, or passed unexpectedly, or the implementation
	// exited on its own.
	ResultNonConformant Result = "non-conformant"
)

// Word is what the last line of a run in a terminal calls it: GREEN, RED, or NO VERDICT.
func (r Result) Word() string {
	if r == ResultNoVerdict {
		return "NO VERDICT"
	}
	return console.Color(r != ResultNonConformant)
}

// Outcome is how a spec or a requirement ended. A requirement is Conformant where a spec
// has passed, and NonConformant where one has failed; the other outcomes are the same.
type Outcome = spec.Outcome

const (
	// Conformant: every spec that covers it in this version has passed.
	Conformant Outcome = "conformant"
	// NonConformant: a spec that covers it failed because of the implementation.
	NonConformant Outcome = "non-conformant"
)

// Outcomes returns those of requirements, worst first.
func Outcomes() []Outcome {
	return []Outcome{
		NonConformant, spec.UnexpectedPass, spec.Flaky, spec.HarnessError, spec.KnownIssue, spec.Warning,
		spec.NotVerified, spec.Declined, Conformant,
	}
}

// SpecOutcomes returns those of specs, worst first.
func SpecOutcomes() []Outcome {
	return []Outcome{
		spec.Failed, spec.UnexpectedPass, spec.Flaky, spec.HarnessError, spec.KnownIssue, spec.Warning,
		spec.NotVerified, spec.Declined, spec.Passed,
	}
}

// Profile is a group of requirements judged together.
type Profile struct {
	Name contract.Profile `json:"name"`
	// Core has the requirements that nobody can decline, Extended those of
	// features.
	Core     Group `json:"core"`
	Extended Group `json:"extended"`
	// Provisional has those of both that are new in this minor release. They count for nothing
	// else, and from the next minor release on belong to Core or Extended.
	Provisional *Group `json:"provisional,omitempty"`
	// SupportedFeatures have no requirement that is non-conformant or not verified,
	// UnsupportedFeatures at least one that is non-conformant, DeclinedFeatures only
	// declined ones; the rest are NotVerifiedFeatures.
	SupportedFeatures   []contract.Feature `json:"supportedFeatures,omitempty"`
	UnsupportedFeatures []contract.Feature `json:"unsupportedFeatures,omitempty"`
	DeclinedFeatures    []contract.Feature `json:"declinedFeatures,omitempty"`
	NotVerifiedFeatures []contract.Feature `json:"notVerifiedFeatures,omitempty"`
}

// Group is the core or the extended part of a profile.
type Group struct {
	Result Result `json:"result"`
	// Statistics counts its requirements by their outcome.
	Statistics map[Outcome]int `json:"statistics"`
	// FailedSpecs are those that turned the run red.
	FailedSpecs []string `json:"failedSpecs,omitempty"`
	// SkippedSpecs are those that were declined, or not verified.
	SkippedSpecs []string `json:"skippedSpecs,omitempty"`
}

// Requirement is one sentence of the contract and how it ended.
type Requirement struct {
	ID      string  `json:"id"`
	Outcome Outcome `json:"outcome"`
	// Level is MUST, SHOULD or MAY.
	Level   spec.Level       `json:"level"`
	Feature contract.Feature `json:"feature"`
	// Provisional is true for one that is new in this minor release.
	Provisional bool   `json:"provisional,omitempty"`
	Text        string `json:"text"`
	Source      string `json:"source"`
	// Since is the date of the first run that it turned red, of this one where it is new. Default: it turns it not
	// red, or no earlier report was given.
	Since *metav1.Time `json:"since,omitempty"`
	// Was is how it ended in the earlier report, where it is new. Default: it was not there.
	Was Outcome `json:"was,omitempty"`
	// Situations are those that it is about, with how often each arose in the specs that cover it. Default: it is
	// about none, or no such spec was run.
	Situations []Situation `json:"situations,omitempty"`
	// Expected is what the user of the run expects of it, and why. Default: that it holds.
	Expected *Expectation `json:"expected,omitempty"`
	// Evidence is every spec that covers it, that broke one of its invariants, or in which a fact did
	// not hold that it is about.
	Evidence []Evidence `json:"evidence"`
}

// Situation is something that happens to objects, and how often it did.
type Situation struct {
	Name spec.Situation `json:"name"`
	// Times is how often it arose in the histories of this run.
	Times int `json:"times"`
}

// Evidence is how one spec ended.
type Evidence struct {
	// Spec is the full text, which FOCUS matches.
	Spec string `json:"spec"`
	// File has the spec: a path in the repository of the suites, as in suites/job/parallelism.go.
	File string `json:"file,omitempty"`
	// Line is where the spec begins in its file.
	Line int `json:"line,omitempty"`
	// Outcome is how the spec ended.
	Outcome Outcome `json:"outcome"`
	// Since and Was are as those of a requirement.
	Since *metav1.Time `json:"since,omitempty"`
	Was   Outcome      `json:"was,omitempty"`
	// Elsewhere is true for a spec that failed for an invariant of another requirement, or after a
	// fact had not held that another one is about, before it could verify this one.
	Elsewhere bool `json:"elsewhere,omitempty"`
	// Verified is true for a spec that failed for such an invariant only after its last step, or that
	// passed without such a fact: for this requirement it counts as passed.
	Verified bool `json:"verified,omitempty"`
	// Broken is true for a spec of other requirements in which a fact did not hold that this
	// requirement is about: for this requirement it counts as failed, however it ended.
	Broken bool `json:"broken,omitempty"`
	// Note says which invariants or facts of which requirements these were, for people. Empty for
	// all other specs.
	Note string `json:"note,omitempty"`
	// KnownIssue is the upstream issue or pull request for which it was expected to fail.
	KnownIssue string `json:"knownIssue,omitempty"`
	// Sometimes is true of a known issue that some runs do not show.
	Sometimes bool `json:"sometimes,omitempty"`
	// Duration is how long it ran, as in "1.2s".
	Duration metav1.Duration `json:"duration"`
	// Cause is the kind of reason for which it failed: assertion, invariant,
	// implementation exited, port taken, harness or interference. Empty if it did not fail.
	Cause spec.Cause `json:"cause,omitempty"`
	// Invariants are the IDs of those that its history breaks.
	Invariants []string `json:"invariants,omitempty"`
	// Reason is why it did not just pass, for people.
	Reason string `json:"reason,omitempty"`
	// History is the path of the saved history, relative to the report; empty if none
	// was kept.
	History string `json:"history,omitempty"`
}
