package score

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/spec"
)

// specsPerMutant run at the same time.
const specsPerMutant = 2

// batches are how many specs are run against a mutant at once, until one has failed: the
// first ones catch most mutants.
var batches = []int{4, 12, 48, 1 << 20}

// check runs specs against a mutant until one fails, and those that warn if none does. One
// that is equivalent meets none.
func (r *runner) check(ctx context.Context, m *Mutant, program string) (Result, error) {
	result := Result{ID: m.ID(), On: r.On, Mutant: *m}
	if r.list.reason(r.Campaign.Version, *m) != "" {
		return result, nil
	}
	for _, warn := range []bool{false, true} {
		err := r.try(ctx, &result, r.order(r.baseline.reaching(r.numbers[m.node], warn)), warn, program)
		if err != nil || result.Spec != "" || result.Harness != "" {
			return result, err
		}
	}
	return result, nil
}

// try runs specs until one fails. With warn, their failures are warnings in a run.
func (r *runner) try(ctx context.Context, result *Result, specs []string, warn bool, program string) error {
	result.Reaching += len(specs)
	builds := r.Builds
	builds.KubeControllerManager = program
	for part := 0; len(specs) > 0; part++ {
		n := min(batches[min(part, len(batches)-1)], len(specs))
		folder := filepath.Join(r.Reports, mutantsFolder, fmt.Sprint(result.ID, "-", warn, "-", part+1))
		verdict, err := r.Check(ctx, r.options.Implementation, builds, run.Selection{
			Apart: true, Quiet: true, FailFast: true, Procs: min(specsPerMutant, n), History: spec.KeepNone,
			Logs: spec.KeepNone, Known: r.known,
			Focus: spec.Exactly(specs[:n]...), Strict: warn, Reports: folder,
		})
		_ = os.RemoveAll(folder)
		if err != nil {
			return err
		}
		for _, ended := range verdict.Specs {
			if ended.Passed || ended.Failed {
				result.Ran++
			}
		}
		for _, ended := range verdict.Failed() {
			message, _, _ := strings.Cut(strings.TrimSpace(ended.Message), "\n")
			if ended.Outcome() == spec.HarnessError {
				result.Harness = ended.Text + ": " + message
				continue
			}
			result.Spec, result.Requirements, result.Invariants, result.Message = ended.Text, ended.Requirements,
				ended.Invariants, message
			result.Exited, result.Harness = ended.Cause == spec.ImplementationExited, ""
			result.Warns = warn && !result.Exited && len(result.Invariants) == 0
			return nil
		}
		if result.Harness != "" {
			return nil
		}
		specs = specs[n:]
	}
	return nil
}

// order puts first the specs that have caught the most mutants, and then those that reach
// the fewest statements: they know the most about theirs.
func (r *runner) order(specs []baselineSpec) (texts []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	slices.SortStableFunc(specs, func(a, b baselineSpec) int {
		return cmp.Or(cmp.Compare(r.kills[b.Text], r.kills[a.Text]), cmp.Compare(len(a.Reached), len(b.Reached)))
	})
	for _, s := range specs {
		texts = append(texts, s.Text)
	}
	return texts
}

// by names what a spec has found.
func by(r Result) string {
	switch {
	case r.Exited:
		return "a crash"
	case len(r.Invariants) > 0:
		return strings.Join(r.Invariants, ", ")
	}
	return strings.Join(r.Requirements, ", ")
}
