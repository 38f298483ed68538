package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

// Outcome is the result of a scenario under a plan.
type Outcome struct {
	Scenario string `json:"scenario"`
	Plan     string `json:"plan"` // empty for the undisturbed run
	// Reached reports whether every fault of the plan occurred. Where one did not,
	// the run shows nothing.
	Reached bool `json:"reached"`
	// Causes are the IDs of the invariants that did not hold. If all did: "step N" for
	// the step that failed, "exit" where the implementation exited on its own after the
	// last step, or "always" for what was not always so. None where all is well.
	Causes []string `json:"causes,omitempty"`
	// Why is the same for people.
	Why string `json:"why,omitempty"`
	// Shown is in how many of Runs runs something was wrong.
	Shown int `json:"shown,omitempty"`
	Runs  int `json:"runs"`
	// History is the file of the first run in which something was wrong, relative
	// to the folder for reports.
	History string        `json:"history,omitempty"`
	Took    time.Duration `json:"took"` // in nanoseconds, of the first run
	// Seen is what the undisturbed run did.
	Seen *Seen `json:"seen,omitempty"`
}

// Red reports whether something was wrong.
func (o Outcome) Red() bool { return len(o.Causes) > 0 }

// again is in how many runs a violation is looked for, with the first.
const again = 3

// Run is the result of one run of a scenario.
type Run struct {
	Result *scenario.Result
	// Reached reports whether every fault of the plan occurred.
	Reached bool
	// Seen is what could have been disturbed.
	Seen Seen
}

// Runner runs a scenario once under a plan. An error says nothing about the
// implementation.
type Runner func(context.Context, Scenario, Plan) (Run, error)

// On returns the Runner of an environment.
func On(environment scenario.Environment) Runner {
	environment.Settle = time.Millisecond // the last step of a scenario settles
	return func(ctx context.Context, s Scenario, plan Plan) (Run, error) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		var armed *implementation.Proxied
		var reached func() bool
		result, err := environment.Run(ctx, s.lasting(plan.tail()), func(p *implementation.Proxied) {
			armed, reached = p, plan.arm(ctx, p)
		})
		if err != nil {
			return Run{}, err
		}
		if result.Green() {
			_ = os.RemoveAll(result.Log) // there are thousands of them
		}
		return Run{result, reached(), seen(armed)}, nil
	}
}

// try runs a scenario under a plan, as often as its result takes.
func (e *Explorer) try(ctx context.Context, s Scenario, plan Plan) (Outcome, error) {
	first, err := e.Runner(ctx, s, plan)
	if err == nil && first.Result.Green() && !first.Reached {
		// There may be a call more in another run.
		first, err = e.Runner(ctx, s, plan)
	}
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Scenario: s.Name, Plan: plan.String(), Reached: first.Reached, Runs: 1, Took: first.Result.Took}
	if len(plan) == 0 {
		o.Seen = &first.Seen
	}
	if first.Result.Green() {
		return o, nil
	}
	o.Shown, o.Causes, o.Why = 1, causes(first.Result), first.Result.Why()
	for o.Runs < again {
		r, err := e.Runner(ctx, s, plan)
		if err != nil {
			return Outcome{}, err
		}
		o.Runs++
		if !r.Result.Green() {
			o.Shown++
		}
	}
	if len(plan) > 1 {
		smaller, err := e.reduce(ctx, s, plan)
		if err != nil {
			return Outcome{}, err
		}
		o.Plan = smaller.String()
	}
	o.History = filepath.Join("histories", history.FileName(s.Name+" "+o.Plan, first.Result.Namespace))
	return o, first.Result.Save(filepath.Join(e.Folder, o.History))
}

// reduce drops faults that the violation does not depend on.
func (e *Explorer) reduce(ctx context.Context, s Scenario, plan Plan) (Plan, error) {
	for i := 0; i < len(plan) && len(plan) > 1; {
		smaller := slices.Delete(slices.Clone(plan), i, i+1)
		r, err := e.Runner(ctx, s, smaller)
		if err != nil {
			return nil, err
		}
		if r.Result.Green() {
			i++
		} else {
			plan = smaller
		}
	}
	return plan, nil
}

// causes say by what a red run is grouped with others.
func causes(r *scenario.Result) []string {
	var ids []string
	for _, v := range r.Violations {
		if !slices.Contains(ids, v.Invariant.ID) {
			ids = append(ids, v.Invariant.ID)
		}
	}
	switch {
	case len(ids) > 0:
		return ids
	case r.FailedStep > 0:
		return []string{fmt.Sprintf("step %d", r.FailedStep)}
	case r.Exited:
		return []string{"exit"}
	}
	return []string{"always"}
}
