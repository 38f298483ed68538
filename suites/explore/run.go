package explore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/suites/internal/resume"
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
	History string `json:"history,omitempty"`
	// Smallest is the file with the smallest scenario that shows it, relative to the same
	// folder; empty where another run with the same cause has one.
	Smallest string `json:"smallest,omitempty"`
	// End is the end state of a run in which all was well, for comparison with that of
	// another implementation.
	End  []string      `json:"end,omitempty"`
	Took time.Duration `json:"took"` // in nanoseconds, of the first run
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

// longest is how long a step may wait while something happens all the time, on a machine on
// which many scenarios run at once.
const longest = 3 * time.Minute

// On returns the Runner of an environment.
func On(environment scenario.Environment) Runner {
	environment.Settle = time.Millisecond // the last step of a scenario settles
	environment.Longest = longest
	return func(ctx context.Context, s Scenario, plan Plan) (Run, error) {
		var proxied *implementation.Proxied
		result, err := environment.Run(ctx, s.under(plan), func(p *implementation.Proxied) { proxied = p })
		if err != nil {
			return Run{}, err
		}
		if result.Green() {
			_ = os.RemoveAll(result.Log) // there are thousands of them
		}
		return Run{result, len(result.Unmet) == 0, seen(proxied, result.History)}, nil
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
		o.End = first.Result.End()
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
		plan, o.Plan = smaller, smaller.String()
	}
	if len(plan) > 0 {
		if o.Smallest, err = e.shrink(ctx, s, plan, o, first.Result); err != nil {
			return Outcome{}, err
		}
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

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// Identity is what must be the same for a result to be of use again.
type Identity struct {
	Implementation string `json:"implementation"`
	// Program is a digest of the implementation's binary.
	Program    string `json:"program"`
	Kubernetes string `json:"kubernetes"` // as in v1.37.1
}

// line is one of the file of results.
type line struct {
	Identity
	Text string `json:"text"` // digest of the sc's
	Outcome
}

type key struct {
	Identity
	sc, text, plan string
}

func (l line) key() key { return key{l.Identity, l.Scenario, l.Text, l.Plan} }

// Results are the outcomes of all plans that were run. They are kept in a file, so
// that an exploration resumes. Methods may be called from many goroutines.
type Results struct {
	identity Identity
	mu       sync.Mutex
	file     *resume.File[line]
	known    map[key]Outcome
}

// OpenResults reads the results in a file; with fresh, those of this identity are
// removed.
func OpenResults(path string, identity Identity, fresh bool) (*Results, error) {
	file, lines, err := resume.Open(path, func(l line) bool { return !fresh || l.Identity != identity })
	if err != nil {
		return nil, err
	}
	r := &Results{identity: identity, file: file, known: map[key]Outcome{}}
	for _, l := range lines {
		r.known[l.key()] = l.Outcome
	}
	return r, nil
}

func (r *Results) find(s Scenario, plan Plan) (Outcome, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	o, found := r.known[key{r.identity, s.Name, s.digest(), plan.String()}]
	return o, found
}

// differences returns by implementation in which lines its end state under the same plan
// differs: "-" before those that only it has. Runs in which something was wrong have none.
func (r *Results) differences(s Scenario, o Outcome) map[string][]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := map[string][]string{}
	for k, other := range r.known {
		same := k.sc == s.Name && k.text == s.digest() && k.plan == o.Plan && k.Kubernetes == r.identity.Kubernetes
		if !same || k.Implementation == r.identity.Implementation || !o.Reached || !other.Reached || len(o.End) == 0 || len(other.End) == 0 {
			continue
		}
		if lines := scenario.Differences(o.End, other.End); len(lines) > 0 {
			all[k.Implementation] = lines
		}
	}
	return all
}

// add saves the outcome of a plan that was run.
func (r *Results) add(s Scenario, plan Plan, o Outcome) error {
	r.mu.Lock()
	r.known[key{r.identity, s.Name, s.digest(), plan.String()}] = o
	r.mu.Unlock()
	return r.file.Append(line{r.identity, s.digest(), o})
}

// Close closes the file.
func (r *Results) Close() error { return r.file.Close() }
