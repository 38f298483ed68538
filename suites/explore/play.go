package explore

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

// Outcome is what became of a story under a plan.
type Outcome struct {
	Story string `json:"story"`
	Plan  string `json:"plan"` // empty for the undisturbed run
	// Reached tells whether every fault of the plan came about. Where one did not,
	// the run shows nothing.
	Reached bool `json:"reached"`
	// Causes are the IDs of the invariants that did not hold; or, if all did, the
	// one step that did not come about. None where all is well.
	Causes []string `json:"causes,omitempty"`
	// Why is the same for people.
	Why string `json:"why,omitempty"`
	// Shown is in how many of Played runs something was wrong.
	Shown  int `json:"shown,omitempty"`
	Played int `json:"played"`
	// History is the file of the first run in which something was wrong, relative
	// to the folder for reports.
	History string        `json:"history,omitempty"`
	Took    time.Duration `json:"took"` // in nanoseconds, of the first run
	// Seen is what the undisturbed run did.
	Seen *Seen `json:"seen,omitempty"`
}

// Red tells whether something was wrong.
func (o Outcome) Red() bool { return len(o.Causes) > 0 }

// again is in how many runs a violation is looked for, with the first.
const again = 3

// Run is one play of a story.
type Run struct {
	Result *scenario.Result
	// Reached tells whether every fault of the plan came about.
	Reached bool
	// Seen is what could have been disturbed.
	Seen Seen
}

// Stage plays a story once under a plan. An error says nothing about the
// implementation.
type Stage func(context.Context, Story, Plan) (Run, error)

// On returns the Play of an environment.
func On(environment scenario.Environment) Stage {
	environment.Settle = time.Millisecond // the last step of a story settles
	return func(ctx context.Context, s Story, plan Plan) (Run, error) {
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

// try plays a story under a plan, as often as it takes to know what comes of it.
func (e *Explorer) try(ctx context.Context, s Story, plan Plan) (Outcome, error) {
	first, err := e.Stage(ctx, s, plan)
	if err == nil && first.Result.Green() && !first.Reached {
		// There may be a call more in another run.
		first, err = e.Stage(ctx, s, plan)
	}
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Story: s.Name, Plan: plan.String(), Reached: first.Reached, Played: 1, Took: first.Result.Took}
	if len(plan) == 0 {
		o.Seen = &first.Seen
	}
	if first.Result.Green() {
		return o, nil
	}
	o.Shown, o.Causes, o.Why = 1, causes(first.Result), first.Result.Why()
	for o.Played < again {
		r, err := e.Stage(ctx, s, plan)
		if err != nil {
			return Outcome{}, err
		}
		o.Played++
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

// reduce leaves out what a plan needs not for something to be wrong.
func (e *Explorer) reduce(ctx context.Context, s Story, plan Plan) (Plan, error) {
	for i := 0; i < len(plan) && len(plan) > 1; {
		smaller := slices.Delete(slices.Clone(plan), i, i+1)
		r, err := e.Stage(ctx, s, smaller)
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
	if len(ids) == 0 {
		step, _, _ := strings.Cut(r.Failed, ", ")
		ids = append(ids, step)
	}
	return ids
}
