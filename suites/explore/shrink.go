package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/suites/scenario"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
)

// shrinkTries is how many smaller scenarios are tried for a cause.
const shrinkTries = 10

// shrink writes the smallest scenario found that shows what a plan has shown, in the format
// of the library, once for each cause that is not known. It returns the file, relative to
// the folder for reports; none where there is one already.
func (e *Explorer) shrink(ctx context.Context, s Scenario, plan Plan, o Outcome, first *scenario.Result) (string, error) {
	name := strings.ReplaceAll(s.Name+"-"+o.Causes[0], " ", "-") + ".yaml"
	e.mu.Lock()
	known := e.shrunk[name] || knownOf(e.Known, o) != nil
	if !known {
		e.shrunk[name] = true
	}
	e.mu.Unlock()
	if known {
		return "", nil
	}
	smallest, err := e.smallest(ctx, s, plan, first)
	if err != nil {
		return "", err
	}
	smallest.Description = fmt.Sprintf("found by exploration: %s: %s", title(s.Name, plan.String()), strings.Join(o.Causes, ", "))
	text, err := smallest.YAML()
	if err != nil {
		return "", err
	}
	file := filepath.Join("found", name)
	if err := os.MkdirAll(filepath.Join(e.Folder, "found"), 0o755); err != nil {
		return "", err
	}
	return file, os.WriteFile(filepath.Join(e.Folder, file), text, 0o644)
}

// smallest drops and lowers what the violation does not depend on.
func (e *Explorer) smallest(ctx context.Context, s Scenario, plan Plan, first *scenario.Result) (*scenario.Scenario, error) {
	now, want := s.under(plan), signs(s.under(plan), first)
	loose := len(first.Violations) > 0
	tries := lesser(now, loose, loose || slices.Contains(users, s.Name))
	for n := 0; n < shrinkTries && len(tries) > 0; n++ {
		smaller := tries[0]
		r, err := e.Runner(ctx, Scenario{Name: s.Name, Scenario: smaller, tailed: true}, nil)
		if err != nil {
			return nil, err
		}
		tries = tries[1:]
		if got := signs(smaller, r.Result); slices.ContainsFunc(got, func(sign string) bool { return slices.Contains(want, sign) }) {
			now, tries = smaller, lesser(smaller, loose, loose || slices.Contains(users, s.Name))
		}
	}
	return now, nil
}

// signs identify what is wrong: the invariants that do not hold, or else the step that fails.
func signs(s *scenario.Scenario, r *scenario.Result) []string {
	if len(r.Violations) == 0 && r.FailedStep > 0 && r.FailedStep <= len(s.Steps) {
		return []string{s.Steps[r.FailedStep-1].String()}
	}
	if r.Green() {
		return nil
	}
	return causes(r)
}

// lesser are scenarios that are smaller by one thing. Where no invariant is broken, the
// steps that act stay: without them, the end state need not come about. With numbers, Jobs
// get smaller as well.
func lesser(s *scenario.Scenario, loose, numbers bool) (all []*scenario.Scenario) {
	changed := func(change func(*scenario.Scenario)) {
		smaller := *s
		smaller.Faults, smaller.Steps = slices.Clone(s.Faults), slices.Clone(s.Steps)
		change(&smaller)
		all = append(all, &smaller)
	}
	for i := range s.Faults {
		changed(func(c *scenario.Scenario) { c.Faults = slices.Delete(c.Faults, i, i+1) })
	}
	for i, step := range s.Steps[:len(s.Steps)-endSteps(s)] { // the end state stays
		if waits := step.Await != "" || step.Stays != "" || step.Pause > 0; waits || loose && step.Create == nil {
			changed(func(c *scenario.Scenario) { c.Steps = slices.Delete(c.Steps, i, i+1) })
		}
		job, isJob := objectOf(step).(*batchv1.Job)
		if !isJob || !numbers {
			continue
		}
		for _, lower := range []func(*batchv1.JobSpec) *int32{
			func(spec *batchv1.JobSpec) *int32 { return spec.Completions },
			func(spec *batchv1.JobSpec) *int32 { return spec.Parallelism },
		} {
			if ptr.Deref(lower(&job.Spec), 1) <= 1 {
				continue
			}
			changed(func(c *scenario.Scenario) {
				fewer := job.DeepCopy()
				*lower(&fewer.Spec)--
				c.Steps[i].Create = &scenario.Object{Object: fewer}
			})
		}
	}
	return all
}

// endSteps returns how many of the last steps are about the end state.
func endSteps(s *scenario.Scenario) int {
	n := len(s.Steps)
	if n > 2 && s.Steps[n-1].Await != "" && s.Steps[n-2].Stays != "" {
		return 3
	}
	return min(n, 2)
}

// objectOf returns what a step creates, if it does.
func objectOf(step scenario.Step) any {
	if step.Create == nil {
		return nil
	}
	return step.Create.Object
}
