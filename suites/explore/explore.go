// Package explore runs every scenario once without faults, and then once for
// each thing that can go wrong on the way: each write of the implementation
// fails or loses its answer; the process is killed before or after it; each
// event of a watch comes late. Whatever the fault, the scenario must reach its end
// state, and all invariants must hold.
package explore

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/internal/campaign"
)

// Explorer disturbs scenarios with one implementation. Its fields are required,
// unless they have a default.
type Explorer struct {
	Runner  Runner
	Results *Results
	// Folder is the one for reports: histories of violations go there.
	Folder string
	// Workers is how many scenarios run at the same time.
	Workers int
	// Pairs is with how many pairs of faults each scenario is run as well. Default: none.
	Pairs int
	// Actions is with how many actions of a user, alone and beside a fault, each scenario that
	// allows for them is run as well. Default: none.
	Actions int
	// Also are further kinds of disturbances, with up to Each plans of each kind for a scenario, spread evenly.
	// Default: none.
	Also []Dimension
	Each int
	// Only leaves everything but Also out. Default: all that the other fields say.
	Only bool
	// Unknown are fields of the API server that Also does not know. Default: none.
	Unknown []string
	// HandOver has another implementation take over at each write and event, in place of all faults. Default:
	// faults.
	HandOver bool
	// Returns is with how many plans that hand over there and back each scenario is run as well, with
	// HandOver. Default: none.
	Returns int
	// FailFast begins no further run once there is a violation that is not known. Default: all are run.
	FailFast bool
	// Until is when no further run is begun. Default: never.
	Until time.Time
	// Out takes progress, line by line.
	Out io.Writer
	// Again is the command that runs a plan alone.
	Again func(sc, plan string) string
	// Known are bugs that explain violations.
	Known []spec.Bug

	mu      sync.Mutex
	done    int // runs, of all that there are
	all     int
	open    map[string]int      // by scenario, the runs that are yet to come
	shrunk  map[string]bool     // by the name of the file, what has a smallest scenario
	ends    map[string][]string // of objects that were created with changes: see endOf
	harness []error             // runs without a result
	results []Result
}

// task is a run that is yet to come.
type task struct {
	sc   Scenario
	plan Plan
}

// Run explores. What it returns is complete unless time is over; an error means
// that it was broken off.
func (e *Explorer) Run(ctx context.Context, scenarios []Scenario) (*Tally, error) {
	start := time.Now()
	e.open, e.shrunk = map[string]int{}, map[string]bool{}
	var first []task
	for _, s := range scenarios {
		first = append(first, task{s, nil})
	}
	e.all = len(first)
	if err := e.each(ctx, first); err != nil {
		return nil, err
	}
	var perScenario [][]task
	for _, s := range scenarios {
		o, ran := e.Results.find(s, nil)
		if !ran || o.Red() {
			continue // without an end state to compare with, faults show nothing
		}
		var tasks []task
		for _, plan := range e.plans(s, *o.Seen) {
			tasks = append(tasks, task{s, plan})
		}
		e.open[s.Name] = len(tasks)
		perScenario = append(perScenario, tasks)
	}
	tasks := interleave(perScenario)
	e.all += len(tasks)
	if err := e.each(ctx, tasks); err != nil {
		return nil, err
	}
	return &Tally{
		Differences: e.differences(scenarios), Identity: e.Results.identity, Results: e.results,
		Missing: e.all - e.done, Harness: e.harness,
		Known: e.Known, Took: time.Since(start), scenarios: scenarios, again: e.Again,
		Unknown: e.Unknown,
	}, nil
}

// plans are those that a scenario is run with, by what an undisturbed run did.
func (e *Explorer) plans(s Scenario, seen Seen) []Plan {
	if e.HandOver {
		return slices.Concat(seen.HandOvers(), seen.Returns(e.Returns))
	}
	var all []Plan
	for _, d := range e.Also {
		if s.of == "" || s.of == d.Name {
			all = append(all, d.some(seen, s, e.Each)...)
		}
	}
	if e.Only || s.of != "" {
		return all
	}
	return slices.Concat(all, seen.Actions(s, e.Actions), seen.Plans(), seen.Pairs(e.Pairs))
}

// differences returns where end states differ from those that the same file of results has of
// another implementation.
func (e *Explorer) differences(scenarios []Scenario) (all []Difference) {
	for _, o := range e.results {
		i := slices.IndexFunc(scenarios, func(s Scenario) bool { return s.Name == o.Scenario })
		of := e.Results.differences(scenarios[i], o)
		for _, other := range sortedKeys(of) {
			all = append(all, Difference{title(o.Scenario, o.Plan), other, of[other]})
		}
	}
	return all
}

// interleave takes a task of each scenario, then the next of each, so that every
// scenario has been disturbed when time is over early.
func interleave(perScenario [][]task) (tasks []task) {
	for n, more := 0, true; more; n++ {
		more = false
		for _, of := range perScenario {
			if n < len(of) {
				tasks, more = append(tasks, of[n]), true
			}
		}
	}
	return tasks
}

// each does tasks side by side, but for those that have a result.
func (e *Explorer) each(ctx context.Context, tasks []task) error {
	left := func(yield func(task) bool) {
		for _, t := range tasks {
			if r, found := e.Results.find(t.sc, t.plan); found {
				e.note(t, r, true)
			} else if e.FailFast && e.violated() || !yield(t) {
				return
			}
		}
	}
	return campaign.Each(ctx, campaign.Pool{Workers: e.Workers, Until: e.Until}, left, e.one)
}

// violated reports whether there is a violation that is not known.
func (e *Explorer) violated() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.ContainsFunc(e.results, func(o Result) bool { return o.Red() && knownOf(e.Known, o) == nil })
}

func (e *Explorer) one(ctx context.Context, t task) error {
	r, err := e.try(ctx, t.sc, t.plan)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		e.mu.Lock()
		defer e.mu.Unlock()
		e.harness = append(e.harness, fmt.Errorf("%s: %w", title(t.sc.Name, t.plan.String()), err))
		fmt.Fprintf(e.Out, "no result of %s: %v\n", title(t.sc.Name, t.plan.String()), err)
		if len(e.harness) >= hopeless {
			return fmt.Errorf("%d runs had no result, the last one: %w", len(e.harness), err)
		}
		return nil
	}
	if err := e.Results.add(t.sc, r); err != nil {
		return err
	}
	e.note(t, r, false)
	return nil
}

// hopeless is with how many runs without a result an exploration gives up.
const hopeless = 20

// title is what a run is called.
func title(sc, plan string) string {
	if plan == "" {
		return sc + ", undisturbed"
	}
	return sc + ", " + plan
}

// note counts a run, and says what there is to say of it.
func (e *Explorer) note(t task, o Result, before bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.done++
	e.results = append(e.results, o)
	progress := fmt.Sprintf("[%d/%d]", e.done, e.all)
	switch known := knownOf(e.Known, o); {
	case before:
	case known != nil:
		fmt.Fprintf(e.Out, "%s known: %s: %s (%d of %d runs)\n", progress, title(o.Scenario, o.Plan),
			strings.Join(o.Causes, ", "), o.Shown, o.Runs)
	case o.Red():
		fmt.Fprintf(e.Out, "%s VIOLATION %s: %s (%d of %d runs)\n", progress, title(o.Scenario, o.Plan),
			strings.Join(o.Causes, ", "), o.Shown, o.Runs)
	case !o.Reached:
		fmt.Fprintf(e.Out, "%s not reached: %s\n", progress, title(o.Scenario, o.Plan))
	}
	if len(t.plan) == 0 {
		return
	}
	if e.open[t.sc.Name]--; e.open[t.sc.Name] == 0 {
		fmt.Fprintf(e.Out, "%s %s is done\n", progress, t.sc.Name)
	}
}
