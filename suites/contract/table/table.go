// Package table has all requirements, without the specs: a program that
// reads it gets no spec into a Ginkgo suite of its own.
package table

import (
	"slices"
	"strings"
	"sync"

	"github.com/jobconformance/jobconformance/suites/contract"

	_ "github.com/jobconformance/jobconformance/suites/admission/requirements"
	_ "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	_ "github.com/jobconformance/jobconformance/suites/faults/requirements"
	_ "github.com/jobconformance/jobconformance/suites/job/requirements"
	_ "github.com/jobconformance/jobconformance/suites/webhook/requirements"
)

// All returns the requirements, sorted by ID.
func All() []contract.Requirement { return slices.Clone(sorted()) }

var sorted = sync.OnceValue(func() []contract.Requirement {
	return slices.SortedFunc(slices.Values(contract.Declared()), func(a, b contract.Requirement) int { return strings.Compare(a.ID, b.ID) })
})

// Find returns the requirement with that ID.
func Find(id string) (contract.Requirement, bool) {
	i, found := slices.BinarySearchFunc(sorted(), id, func(r contract.Requirement, id string) int { return strings.Compare(r.ID, id) })
	if !found {
		return contract.Requirement{}, false
	}
	return sorted()[i], true
}
