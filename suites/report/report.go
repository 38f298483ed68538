// Package report is what a run leaves behind for others: a conformance report
// (report.yaml) that says of every requirement how it ended, the same as a page
// for people (index.html), and the difference between two reports.
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

// Report says how one run judged one implementation.
type Report struct {
	metav1.TypeMeta `json:",inline"`
	// Implementation is the controller that was judged.
	Implementation Implementation `json:"implementation"`
	// Cluster is where.
	Cluster Cluster `json:"cluster"`
	// Date is when the run began, in UTC.
	Date metav1.Time `json:"date"`
	// Duration is how long the implementation was under test, as in "19.6s".
	Duration metav1.Duration `json:"duration"`
	// Result sums all profiles up: the worst of theirs.
	Result Result `json:"result"`
	// Ended says how the implementation ended during the run, with the end of its
	// log; empty if it did not. It makes the result non-conformant.
	Ended string `json:"ended,omitempty"`
	// HarnessError says why the run could not be finished; empty if it was. It
	// says nothing about the implementation.
	HarnessError string `json:"harnessError,omitempty"`
	// Specs counts the specs of the run by how they ended.
	Specs Specs `json:"specs"`
	// Profiles judge groups of requirements, one each: job, cronjob and api.
	Profiles []Profile `json:"profiles"`
	// Requirements are all that hold in this version of Kubernetes, by ID, each
	// with exactly one outcome.
	Requirements []Requirement `json:"requirements"`
}

// Implementation is the controller under test as its owner names it.
type Implementation struct {
	// Name is what was given as IMPLEMENTATION, unless its owner names it.
	Name string `json:"name"`
	// Version of it; of the bundled and upstream's own, the one that was built.
	Version string `json:"version,omitempty"`
	// Contact is a URL or an address where to ask about it.
	Contact string `json:"contact,omitempty"`
}

// Cluster is where the run took place.
type Cluster struct {
	// Kind is embedded, kind or existing.
	Kind string `json:"kind"`
	// KubernetesVersion is the API server's, as in v1.37.1.
	KubernetesVersion string `json:"kubernetesVersion"`
}

// Specs are numbers of specs.
type Specs struct {
	Passed      int `json:"passed"`
	Failed      int `json:"failed"`
	NotVerified int `json:"notVerified"`
}

// Result is what a profile comes to.
type Result string

const (
	// ResultConformant: every requirement that was not declined is conformant.
	ResultConformant Result = "conformant"
	// ResultPartial: nothing was found broken, but something was not verified,
	// or could not be for an error of the harness.
	ResultPartial Result = "partial"
	// ResultNonConformant: at least one requirement is broken.
	ResultNonConformant Result = "non-conformant"
)

// Outcome is how a requirement ended.
type Outcome string

const (
	// Conformant: every spec of it that can tell in this version has passed.
	Conformant Outcome = "conformant"
	// NonConformant: a spec of it failed, for what the implementation did.
	NonConformant Outcome = "non-conformant"
	// Declined: its feature is not claimed by the implementation.
	Declined Outcome = "declined"
	// NotVerified: nothing is known, for at least one spec of it was not run.
	NotVerified Outcome = "not verified"
	// HarnessError: the harness failed where it should have told. It never
	// counts against the implementation.
	HarnessError Outcome = "harness error"
)

// Outcomes are all of them, the best first.
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
	// SupportedFeatures are those with nothing but conformant requirements,
	// DeclinedFeatures those declined, UnsupportedFeatures those with a broken
	// one, NotVerifiedFeatures the rest.
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
	// Evidence is every spec that covers it.
	Evidence []Evidence `json:"evidence"`
}

// Evidence is how one spec ended.
type Evidence struct {
	// Spec is its whole text, which FOCUS finds.
	Spec string `json:"spec"`
	// Outcome is what it says of this requirement. It is "not verified" where
	// the spec was not run, or failed for something else on its way.
	Outcome Outcome `json:"outcome"`
	// Failed is true for a spec that failed, whatever that says of this
	// requirement.
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
	// History is the saved history, relative to the report; empty if none was
	// kept.
	History string `json:"history,omitempty"`
}
