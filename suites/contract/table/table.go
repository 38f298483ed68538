// Package table has all requirements, without the specs: a program that
// reads it gets no spec into a Ginkgo suite of its own.
package table

import (
	"slices"
	"strings"
	"sync"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	admission "github.com/jobconformance/jobconformance/suites/admission/requirements"
	"github.com/jobconformance/jobconformance/suites/contract"
	cronjob "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	faults "github.com/jobconformance/jobconformance/suites/faults/requirements"
	job "github.com/jobconformance/jobconformance/suites/job/requirements"
	metrics "github.com/jobconformance/jobconformance/suites/metrics/requirements"
	scheduling "github.com/jobconformance/jobconformance/suites/scheduling/requirements"
	status "github.com/jobconformance/jobconformance/suites/status/requirements"
	webhook "github.com/jobconformance/jobconformance/suites/webhook/requirements"
)

// All returns the requirements, sorted by ID.
func All() []contract.Requirement { return slices.Clone(sorted()) }

var sorted = sync.OnceValue(func() []contract.Requirement {
	return slices.SortedFunc(slices.Values(declared()), func(a, b contract.Requirement) int {
		return strings.Compare(a.ID, b.ID)
	})
})

// declared returns the requirements of all packages that have any.
func declared() []contract.Requirement {
	return slices.Concat(admission.Declared(), cronjob.Declared(), faults.Declared(), job.Declared(),
		metrics.Declared(), scheduling.Declared(), status.Declared(), webhook.Declared())
}

// Find returns the requirement with that ID.
func Find(id string) (contract.Requirement, bool) {
	i, found := slices.BinarySearchFunc(sorted(), id, func(r contract.Requirement, id string) int {
		return strings.Compare(r.ID, id)
	})
	if !found {
		return contract.Requirement{}, false
	}
	return sorted()[i], true
}

// Named returns the requirement with that ID, or those whose IDs begin so, up to a hyphen.
func Named(id string) []contract.Requirement {
	return slices.DeleteFunc(All(), func(r contract.Requirement) bool {
		return r.ID != id && !strings.HasPrefix(r.ID, id+"-")
	})
}

// DeclinedInvariants returns the IDs of the invariants that only requirements have which are
// declined, by their feature or by their ID. A history may break those, whatever its spec is about.
func DeclinedInvariants(features, ids []string) []string {
	var declined, claimed []string
	for _, q := range All() {
		if slices.Contains(features, string(q.Feature)) || slices.Contains(ids, q.ID) {
			declined = append(declined, q.Invariants...)
		} else {
			claimed = append(claimed, q.Invariants...)
		}
	}
	return slices.DeleteFunc(declined, func(id string) bool { return slices.Contains(claimed, id) })
}

// Principals returns the IDs of the requirements of grounds.
func Principals() map[spec.Ground]string {
	all := map[spec.Ground]string{}
	for _, q := range All() {
		for _, ground := range q.Grounds {
			all[ground] = q.ID
		}
	}
	return all
}

// DeclinedGrounds returns the grounds whose requirements are declined, by their feature or by their ID.
func DeclinedGrounds(features, ids []string) (declined []spec.Ground) {
	for _, q := range All() {
		if slices.Contains(features, string(q.Feature)) || slices.Contains(ids, q.ID) {
			declined = append(declined, q.Grounds...)
		}
	}
	return declined
}
