package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/suites/internal/campaign"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

// Result is what the runs of a scenario under a plan have shown.
type Result struct {
	Scenario string `json:"scenario"`
	Plan     string `json:"plan"` // empty for the undisturbed run
	// Reached reports whether every fault of the plan occurred. Where one did not,
	// the run shows nothing.
	Reached bool `json:"reached"`
	// Refused are the changes of fields, of the plan, that the API server did not accept.
	Refused []string `json:"refused,omitempty"`
	// Finding is what was wrong. Its files are relative to the folder for reports.
	campaign.Finding
	// End is the end state of a run in which all was well, for comparison with that of
	// another implementation.
	End  []string      `json:"end,omitempty"`
	Took time.Duration `json:"took"` // in nanoseconds, of the first run
	// Seen is what the undisturbed run did.
	Seen *Seen `json:"seen,omitempty"`
}

// again is in how many runs a violation is looked for, with the first.
const again = 3

// Runner runs a scenario once under a plan. It also returns what could have been disturbed. An
// error says nothing about the implementation.
type Runner func(context.Context, Scenario, Plan) (*scenario.Result, Seen, error)

// longest is how long a step may wait while something happens all the time, on a machine on
// which many scenarios run at once.
const longest = 3 * time.Minute

// On returns the Runner of an environment.
func On(environment scenario.Environment) Runner {
	environment.Settle = time.Millisecond // the last step of a scenario settles
	environment.Longest = longest
	return func(ctx context.Context, s Scenario, plan Plan) (*scenario.Result, Seen, error) {
		var proxied *implementation.Proxied
		result, err := environment.Run(ctx, s.under(plan), func(p *implementation.Proxied) { proxied = p })
		if err != nil {
			return nil, Seen{}, err
		}
		if result.Green() {
			_ = os.RemoveAll(result.Log) // there are thousands of them
		}
		return result, seen(proxied, result.History), nil
	}
}

// try runs a scenario under a plan, as often as its result takes.
func (e *Explorer) try(ctx context.Context, s Scenario, plan Plan) (Result, error) {
	first, seen, refused, err := e.once(ctx, s, plan)
	if err == nil && first.Green() && len(first.Unmet) > 0 {
		// There may be a call more in another run.
		first, seen, refused, err = e.once(ctx, s, plan)
	}
	if err != nil {
		return Result{}, err
	}
	o := Result{
		Scenario: s.Name, Plan: plan.String(), Reached: len(first.Unmet) == 0, Finding: campaign.FindingOf(first),
		Took: first.Took, Refused: refused,
	}
	if len(plan) == 0 {
		o.Seen = &seen
	}
	if first.Green() {
		o.End = first.End()
		return o, nil
	}
	for o.Runs < again {
		red, err := e.red(ctx, s, plan)
		if err != nil {
			return Result{}, err
		}
		o.Runs++
		if red {
			o.Shown++
		}
	}
	if plan, err = e.reduce(ctx, s, plan); err != nil {
		return Result{}, err
	}
	o.Plan = plan.String()
	if len(plan) > 0 && !first.OtherEnd { // which takes the runs of two scenarios
		if o.Smallest, err = e.smallest(ctx, s, plan, o, first); err != nil {
			return Result{}, err
		}
	}
	o.History = filepath.Join("histories", history.FileName(s.Name+" "+o.Plan, first.Namespace))
	return o, first.Save(filepath.Join(e.Folder, o.History))
}

func (e *Explorer) red(ctx context.Context, s Scenario, plan Plan) (bool, error) {
	r, _, _, err := e.once(ctx, s, plan)
	return err == nil && !r.Green(), err
}

// reduce drops faults that the violation does not depend on.
func (e *Explorer) reduce(ctx context.Context, s Scenario, plan Plan) (Plan, error) {
	for i := 0; i < len(plan) && len(plan) > 1; {
		smaller := slices.Delete(slices.Clone(plan), i, i+1)
		red, err := e.red(ctx, s, smaller)
		switch {
		case err != nil:
			return nil, err
		case red:
			plan = smaller
		default:
			i++
		}
	}
	return plan, nil
}

// shrinkTries is how many smaller scenarios are tried for a cause.
const shrinkTries = 10

// smallest writes the smallest scenario found that shows what a plan has shown, in the format
// of the library, once for each cause that is not known. It returns the file, relative to
// the folder for reports; none where there is one already.
func (e *Explorer) smallest(ctx context.Context, s Scenario, plan Plan, o Result,
	first *scenario.Result) (string, error) {
	file := filepath.Join("found", strings.ReplaceAll(s.Name+"-"+o.Causes[0], " ", "-")+".yaml")
	e.mu.Lock()
	known := e.shrunk[file] || knownOf(e.Known, o) != nil
	if !known {
		e.shrunk[file] = true
	}
	e.mu.Unlock()
	if known {
		return "", nil
	}
	disturbed := s.under(plan)
	reduction := campaign.Reduction{End: endSteps(disturbed), Tries: shrinkTries, Run: e.runSmaller(s.Name)}
	if slices.Contains(users, s.Name) {
		reduction.Freedom = campaign.Actions
	}
	smallest, _, err := reduction.Of(ctx, disturbed, first)
	if err != nil {
		return "", err
	}
	smallest.Description = fmt.Sprintf("found by exploration: %s: %s", title(s.Name, plan.String()),
		strings.Join(o.Causes, ", "))
	return file, smallest.Save(filepath.Join(e.Folder, file))
}

// runSmaller runs scenarios as they are.
func (e *Explorer) runSmaller(name string) func(context.Context, *scenario.Scenario) (*scenario.Result, error) {
	return func(ctx context.Context, smaller *scenario.Scenario) (*scenario.Result, error) {
		r, _, err := e.Runner(ctx, Scenario{Name: name, Scenario: smaller, tailed: true}, nil)
		return r, err
	}
}

// endSteps returns how many of the last steps are about the end state.
func endSteps(s *scenario.Scenario) int {
	n := len(s.Steps)
	if n > 2 && s.Steps[n-1].Await != "" && s.Steps[n-2].Stays != "" {
		return 3
	}
	return min(n, 2)
}
