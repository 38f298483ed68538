// Package climb has a run check a new controller step by step: package ladder has the steps.
package climb

import (
	"fmt"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/ladder"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

// Rungs returns those of the controllers, one ladder after the other. On each of them, invariants and grounds
// are left out that belong to requirements above it alone, or to declined ones: the features and IDs.
func Rungs(controllers []string, features, ids []string) (rungs []run.Rung) {
	var all [][]contract.Requirement
	for _, c := range controllers {
		ladder := ladder.Of(contract.Profile(c))
		for n, r := range ladder {
			rung := run.Rung{Name: fmt.Sprintf("%s, %d of %d", r.Name, n+1, len(ladder)), Does: r.Does,
				Faults: n == len(ladder)-1}
			for _, q := range r.Requirements {
				rung.Requirements = append(rung.Requirements, q.ID)
			}
			for _, f := range r.Features() {
				rung.Features = append(rung.Features, string(f))
			}
			rungs, all = append(rungs, rung), append(all, r.Requirements)
		}
	}
	for n := range rungs {
		left := slices.Clone(ids)
		for _, q := range slices.Concat(all[n+1:]...) {
			left = append(left, q.ID)
		}
		rungs[n].Except = table.DeclinedInvariants(features, left)
		rungs[n].ExceptGrounds = table.DeclinedGrounds(features, left)
	}
	return rungs
}

// First returns the lowest rung of each controller.
func First(controllers []string) (rungs []run.Rung) {
	for _, c := range controllers {
		rungs = append(rungs, Rungs([]string{c}, nil, nil)[0])
	}
	return rungs
}
