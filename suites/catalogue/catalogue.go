// Package catalogue has every requirement of the batch/v1 contract of Jobs and
// CronJobs, one sentence each, with where it comes from. Specs say which ones
// they cover:
//
//	It("are reached by that many pods that succeed", Covers("JOB-COMPLETIONS-001"), func(ctx SpecContext) {
//
// A run is refused when a requirement has no spec, or a spec none.
package catalogue

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/onsi/ginkgo/v2"
)

// Requirement is one sentence of the contract.
type Requirement struct {
	// ID is PROFILE-AREA-NUMBER, as in JOB-PARALLELISM-001. It is never used
	// again for another sentence.
	ID string
	// Text is one sentence with MUST, MUST NOT, SHOULD or MAY (RFC 2119).
	Text string
	// Source is where the sentence comes from: a field's comment ("batch/v1
	// JobSpec.parallelism"), a KEP ("KEP-3329"), a page of the documentation
	// ("docs: concepts/workloads/controllers/job#..."), or an issue
	// ("kubernetes/kubernetes#120649"); several with "; " between them.
	Source string
	// Versions of Kubernetes that it holds in, as a constraint (">= 1.31.0");
	// empty for all that the suites support.
	Versions string
	// Feature it belongs to; empty is Core.
	Feature Feature
	// Invariants are the IDs of those in package history that look for it at
	// every revision of every spec, too.
	Invariants []string
}

// Profile is a group of requirements that a report judges together: the first
// part of an ID.
type Profile string

const (
	Job     Profile = "job"     // what a Job controller does
	CronJob Profile = "cronjob" // what a CronJob controller does
	API     Profile = "api"     // what the API server accepts, defaults and refuses
)

// Feature is a group of requirements that an implementation may declare not to
// support. Core cannot be declined.
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
)

// Features are all of them, Core first.
func Features() []Feature {
	return []Feature{
		Core, Indexed, ElasticIndexed, BackoffLimitPerIndex, PodFailurePolicy, SuccessPolicy,
		PodReplacementPolicy, Suspend, ManagedBy, ReadyPods, CronTimeZone,
	}
}

// Declinable refuses features that nobody can decline. The error is a
// *badinput.Error.
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
		return badinput.New(fmt.Sprintf("unknown feature %q", feature), "decline some of "+strings.Join(names, ", "))
	}
	return nil
}

// Profile is told by the ID: JOB-, CRON- or API-.
func (r Requirement) Profile() Profile {
	switch {
	case strings.HasPrefix(r.ID, "CRON-"):
		return CronJob
	case strings.HasPrefix(r.ID, "API-"):
		return API
	default:
		return Job
	}
}

// All are the requirements, sorted by ID.
func All() []Requirement { return slices.Clone(sorted()) }

var sorted = sync.OnceValue(func() []Requirement {
	all := slices.Concat(sections...)
	for i := range all {
		if all[i].Feature == "" {
			all[i].Feature = Core
		}
	}
	slices.SortFunc(all, func(a, b Requirement) int { return strings.Compare(a.ID, b.ID) })
	return all
})

// Find is the requirement with that ID.
func Find(id string) (Requirement, bool) {
	i, found := slices.BinarySearchFunc(sorted(), id, func(r Requirement, id string) int { return strings.Compare(r.ID, id) })
	if !found {
		return Requirement{}, false
	}
	return sorted()[i], true
}

// Prefixes of the labels that Covers gives a spec.
const (
	RequirementLabel = "requirement:"
	FeatureLabel     = "feature:"
	ProfileLabel     = "profile:"
)

// Covers decorates a spec with the requirements that it checks: their IDs,
// profiles and features become labels, their versions limit where it runs. Check finds the
// IDs that are not in the catalogue.
func Covers(ids ...string) []any {
	var labels ginkgo.Labels
	var decorators []any
	for _, id := range ids {
		labels = append(labels, RequirementLabel+id)
		r, found := Find(id)
		if !found {
			continue
		}
		if feature := FeatureLabel + string(r.Feature); r.Feature != Core && !slices.Contains(labels, feature) {
			labels = append(labels, feature)
		}
		if profile := ProfileLabel + string(r.Profile()); !slices.Contains(labels, profile) {
			labels = append(labels, profile)
		}
		if r.Versions != "" {
			decorators = append(decorators, ginkgo.SemVerConstraint(r.Versions))
		}
	}
	return append(decorators, labels)
}
