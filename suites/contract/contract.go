// Package contract has the vocabulary of the batch/v1 contract of Jobs and
// CronJobs: requirements, features and profiles. The requirements themselves are
// Go values in the packages beside the specs that cover them, such as
// suites/job/requirements; package table has all of them.
package contract

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/spelling"
	"github.com/jobconformance/jobconformance/fixtures/version"
)

// Requirement is one sentence of the contract.
type Requirement struct {
	// ID is PROFILE-AREA-NUMBER, as in JOB-PARALLELISM-001. It is never reused for
	// another sentence.
	ID string
	// Text is one sentence with MUST, MUST NOT, SHOULD or MAY (RFC 2119).
	Text string
	// Source is where the sentence comes from: a field's comment ("batch/v1
	// JobSpec.parallelism"), a KEP ("KEP-3329"), a page of the documentation
	// ("docs: concepts/workloads/controllers/job#..."), or an issue
	// ("kubernetes/kubernetes#120649"); several are separated by "; ".
	Source string
	// Feature it belongs to. Default: Core.
	Feature Feature
	// Versions of Kubernetes that it holds in, as a constraint (">= 1.31.0").
	// Default: all that the suites support.
	Versions string
	// Gates are the feature gates that have to be on. Default: none.
	Gates []gates.Gate
	// Invariants are the IDs of those that check it at every revision of every spec.
	Invariants []string
	// Grounds are the facts that it says are so, and that specs of other requirements assume. It does
	// not hold where one of them does not. A ground has one such requirement.
	Grounds []spec.Ground
	// About are further grounds that its sentence is about: a spec of it fails where one does not hold.
	About []spec.Ground
	// Situations are what it is about: each arises in every spec that covers it, but for those that say otherwise
	// (covers.MayArise). Default: it always holds, or none fits.
	Situations []spec.Situation
	// Provisional is true for a requirement that is new in this minor release: a spec that covers
	// nothing else warns where it fails. The next minor release makes it count.
	Provisional bool
}

// Set has the requirements of one package, in the order in which they are declared. Package
// table has those of all packages. The zero value is an empty set.
type Set struct{ all []Requirement }

// New declares a requirement of the set.
func (s *Set) New(id, text, source string, details ...Detail) Requirement {
	r := Requirement{ID: id, Text: text, Source: source, Feature: Core}
	for _, d := range details {
		d.of(&r)
	}
	s.all = append(s.all, r)
	return r
}

// All returns the requirements of the set.
func (s *Set) All() []Requirement { return slices.Clone(s.all) }

// Detail is a Feature, Versions, Gates, Invariants, Grounds, About, Situations or Provisional.
type Detail interface{ of(*Requirement) }

// Versions, Gates, Invariants, Grounds, About and Situations are the fields of a Requirement with that name.
type (
	Versions   string
	Gates      []gates.Gate
	Invariants []string
	Grounds    []spec.Ground
	About      []spec.Ground
	Situations []spec.Situation
)

type provisional bool

// Provisional marks a requirement that is new in this minor release.
const Provisional provisional = true

func (f Feature) of(r *Requirement)    { r.Feature = f }
func (v Versions) of(r *Requirement)   { r.Versions = string(v) }
func (g Gates) of(r *Requirement)      { r.Gates = g }
func (i Invariants) of(r *Requirement) { r.Invariants = i }
func (g Grounds) of(r *Requirement)    { r.Grounds = g }
func (a About) of(r *Requirement)      { r.About = a }
func (s Situations) of(r *Requirement) { r.Situations = s }

func (p provisional) of(r *Requirement) { r.Provisional = bool(p) }

// Level is the most binding word in the text; empty if there is none.
func (r Requirement) Level() spec.Level {
	for _, level := range []spec.Level{spec.Must, spec.Should, spec.May} {
		if slices.Contains(strings.FieldsFunc(r.Text, notALetter), string(level)) {
			return level
		}
	}
	return ""
}

func notALetter(c rune) bool { return (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') }

// Profile is a group of requirements that a report judges together: the first
// part of an ID.
type Profile string

const (
	Job     Profile = "job"     // what a Job controller does
	CronJob Profile = "cronjob" // what a CronJob controller does
	API     Profile = "api"     // what the API server accepts, defaults and refuses
	Status  Profile = "status"  // what a controller writes into the status of Jobs whose pods are in another cluster
)

// Profiles returns all of them, in the order of reports.
func Profiles() []Profile { return []Profile{Job, CronJob, API, Status} }

// Profile is that of the ID's first part: JOB, CRON, API or STATUS; of WEBHOOK, too, it is API.
func (r Requirement) Profile() Profile {
	switch {
	case strings.HasPrefix(r.ID, "CRON-"):
		return CronJob
	case strings.HasPrefix(r.ID, "API-"), strings.HasPrefix(r.ID, "WEBHOOK-"):
		return API
	case strings.HasPrefix(r.ID, "STATUS-"):
		return Status
	default:
		return Job
	}
}

// Area is the ID without its number, as in JOB-PARALLELISM: the behaviour that the requirement is about.
func (r Requirement) Area() string { return r.ID[:max(strings.LastIndex(r.ID, "-"), 0)] }

// In reports whether it holds with these versions of Kubernetes.
func (r Requirement) In(of version.Skew) bool {
	if r.Profile() == API {
		return of.Hold(nil, []string{r.Versions})
	}
	return of.Hold([]string{r.Versions}, nil)
}

// Feature is a group of requirements that an implementation may decline, except for
// Core.
type Feature string

// The features, by the names that reports and labels use.
const (
	Core                 Feature = "core"
	Indexed              Feature = "indexed"
	ElasticIndexed       Feature = "elastic-indexed"
	BackoffLimitPerIndex Feature = "backoff-limit-per-index"
	PodFailurePolicy     Feature = "pod-failure-policy"
	SuccessPolicy        Feature = "success-policy"
	PodReplacementPolicy Feature = "pod-replacement-policy"
	Suspend              Feature = "suspend"
	ManagedBy            Feature = "managed-by"
	ReadyPods            Feature = "ready-pods"
	CronTimeZone         Feature = "cron-time-zone"
	CronLastSuccess      Feature = "cron-last-success" // status.lastSuccessfulTime
	Webhooks             Feature = "webhooks"          // of a custom resource
	WorkloadScheduling   Feature = "workload-scheduling"
	Metrics              Feature = "metrics"
)

// With returns the feature and those without which it cannot be used: the API server refuses its fields then.
func (f Feature) With() []Feature {
	switch f {
	case ElasticIndexed, BackoffLimitPerIndex, SuccessPolicy:
		return []Feature{f, Indexed}
	}
	return []Feature{f}
}

// FeatureOf returns the feature that there is not where a Job lacks a field, such as spec.suspend; empty if none hangs
// on it.
func FeatureOf(path string) Feature {
	return map[string]Feature{
		"spec.completionMode": Indexed, "status.completedIndexes": Indexed,
		"spec.backoffLimitPerIndex": BackoffLimitPerIndex, "status.failedIndexes": BackoffLimitPerIndex,
		"spec.podFailurePolicy": PodFailurePolicy, "spec.successPolicy": SuccessPolicy,
		"spec.podReplacementPolicy": PodReplacementPolicy, "spec.suspend": Suspend, "spec.managedBy": ManagedBy,
		"status.ready": ReadyPods,
	}[path]
}

// Features returns all of them, Core first.
func Features() []Feature {
	return []Feature{
		Core, Indexed, ElasticIndexed, BackoffLimitPerIndex, PodFailurePolicy, SuccessPolicy,
		PodReplacementPolicy, Suspend, ManagedBy, ReadyPods, CronTimeZone, CronLastSuccess, Webhooks,
		WorkloadScheduling, Metrics,
	}
}

// Declinable returns an error if an implementation cannot decline the feature. It is
// a *badinput.Error.
func Declinable(feature Feature) error {
	var names []string
	for _, f := range Features() {
		if f != Core {
			names = append(names, string(f))
		}
	}
	switch {
	case feature == Core:
		return badinput.New("the core cannot be declined", "decline features: "+strings.Join(names, ", "))
	case !slices.Contains(Features(), feature):
		return badinput.New(fmt.Sprintf("unknown feature %q", feature),
			spelling.Remedy(string(feature), names, "decline some of "+strings.Join(names, ", ")))
	}
	return nil
}
