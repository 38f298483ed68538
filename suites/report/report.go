// Package report writes the results of a run: a conformance report (report.yaml) with
// the outcome of every requirement, the same as a page (index.html), and the difference
// between two reports.
//
// The shape follows the conformance reports of Gateway API.
package report

import (
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/suites/contract"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// What a report's apiVersion and kind are. A reader of v1alpha1 refuses others;
// fields may be added to it, none is taken away or given another meaning.
const (
	APIVersion = "report.jobconformance.github.io/v1alpha1"
	Kind       = "ConformanceReport"
)

// Report is the result of one run against one implementation.
type Report struct {
	metav1.TypeMeta `json:",inline"`
	// Implementation is the controller under test.
	Implementation Implementation `json:"implementation"`
	// Cluster is where it was tested.
	Cluster Cluster `json:"cluster"`
	// Date is when the run began, in UTC.
	Date metav1.Time `json:"date"`
	// Duration is how long the implementation was under test, as in "19.6s".
	Duration metav1.Duration `json:"duration"`
	// Result is the worst result of all profiles.
	Result Result `json:"result"`
	// Crashes are exits of the implementation on its own, while specs shared it. One
	// makes the result non-conformant.
	Crashes []protocol.Crash `json:"crashes,omitempty"`
	// HarnessError is why the run could not be finished; empty if it was. It does not
	// count against the implementation.
	HarnessError string `json:"harnessError,omitempty"`
	// Specs counts the specs of the run by how they ended.
	Specs Specs `json:"specs"`
	// Profiles are the results of the groups job, cronjob and api.
	Profiles []Profile `json:"profiles"`
	// Requirements are all that apply to this version of Kubernetes, sorted by ID, each
	// with exactly one outcome.
	Requirements []Requirement `json:"requirements"`
}

// Implementation describes the controller under test.
type Implementation struct {
	// Name is the value of IMPLEMENTATION, unless another was given.
	Name string `json:"name"`
	// Version is the implementation's own. Default: of kube-controller-manager, that of
	// the cluster; of others, none.
	Version string `json:"version,omitempty"`
	// Contact is a URL or an address for questions about it.
	Contact string `json:"contact,omitempty"`
}

// Cluster describes the cluster of the run.
type Cluster struct {
	// Kind is embedded, kind or existing.
	Kind string `json:"kind"`
	// KubernetesVersion is the API server's, as in v1.37.1.
	KubernetesVersion string `json:"kubernetesVersion"`
}

// Specs counts specs by how they ended.
type Specs struct {
	Passed      int `json:"passed"`
	Failed      int `json:"failed"`
	NotVerified int `json:"notVerified"`
}

// Result is the result of a profile.
type Result string

const (
	// ResultConformant: every requirement that was not declined is conformant.
	ResultConformant Result = "conformant"
	// ResultPartial: no requirement is broken, but some were not verified, or could not
	// be because of a harness error.
	ResultPartial Result = "partial"
	// ResultNonConformant: at least one requirement is broken.
	ResultNonConformant Result = "non-conformant"
)

// Outcome is how a requirement ended.
type Outcome string

const (
	// Conformant: every spec that covers it in this version has passed.
	Conformant Outcome = "conformant"
	// NonConformant: a spec that covers it failed because of the implementation.
	NonConformant Outcome = "non-conformant"
	// Declined: the implementation does not claim its feature.
	Declined Outcome = "declined"
	// NotVerified: at least one spec that covers it was not run.
	NotVerified Outcome = "not verified"
	// HarnessError: the harness failed, so nothing is known. It never counts against
	// the implementation.
	HarnessError Outcome = "harness error"
)

// Outcomes returns all of them, best first.
func Outcomes() []Outcome {
	return []Outcome{Conformant, Declined, NotVerified, HarnessError, NonConformant}
}

// Profile is a group of requirements judged together.
type Profile struct {
	Name contract.Profile `json:"name"`
	// Core has the requirements that nobody can decline, Extended those of
	// features.
	Core     Group `json:"core"`
	Extended Group `json:"extended"`
	// SupportedFeatures have only conformant requirements, UnsupportedFeatures at least
	// one that is non-conformant, DeclinedFeatures only declined ones; the rest are
	// NotVerifiedFeatures.
	SupportedFeatures   []contract.Feature `json:"supportedFeatures,omitempty"`
	UnsupportedFeatures []contract.Feature `json:"unsupportedFeatures,omitempty"`
	DeclinedFeatures    []contract.Feature `json:"declinedFeatures,omitempty"`
	NotVerifiedFeatures []contract.Feature `json:"notVerifiedFeatures,omitempty"`
}

// Group is the core or the extended part of a profile.
type Group struct {
	Result     Result          `json:"result"`
	Statistics map[Outcome]int `json:"statistics"`
}

// Requirement is one sentence of the contract and how it ended.
type Requirement struct {
	ID      string           `json:"id"`
	Outcome Outcome          `json:"outcome"`
	Feature contract.Feature `json:"feature"`
	Text    string           `json:"text"`
	Source  string           `json:"source"`
	// KnownIssue is the upstream issue or pull request that explains a
	// non-conformant outcome that was expected.
	KnownIssue string `json:"knownIssue,omitempty"`
	// Evidence is every spec that covers it, or that broke one of its invariants.
	Evidence []Evidence `json:"evidence"`
}

// Evidence is how one spec ended.
type Evidence struct {
	// Spec is the full text, which FOCUS matches.
	Spec string `json:"spec"`
	// Outcome is the result for this requirement. It is "not verified" if the spec was
	// not run, or failed for another requirement's invariant.
	Outcome Outcome `json:"outcome"`
	// Failed is true for a spec that failed, whatever that means for this requirement.
	Failed bool `json:"failed,omitempty"`
	// Duration is how long it ran, as in "1.2s".
	Duration metav1.Duration `json:"duration"`
	// Cause is the kind of reason for which it failed: assertion, invariant,
	// implementation exited or harness. Empty if it did not fail.
	Cause protocol.Cause `json:"cause,omitempty"`
	// Invariants are the IDs of those that its history breaks.
	Invariants []string `json:"invariants,omitempty"`
	// Reason says why it failed or was not run, for people.
	Reason string `json:"reason,omitempty"`
	// History is the path of the saved history, relative to the report; empty if none
	// was kept.
	History string `json:"history,omitempty"`
}
