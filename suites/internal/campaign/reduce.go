package campaign

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jobconformance/jobconformance/suites/scenario"
)

// Freedom is what a smaller scenario may leave out so that its end state still comes about with
// a right implementation. Where an invariant is broken, whatever shows that will do.
type Freedom int

const (
	// Waits are steps that only wait, and the faults from the beginning.
	Waits Freedom = iota
	// Actions are what is done to objects and to the implementation as well: the end state comes
	// about whatever happens before it. Jobs may get smaller.
	Actions
	// Objects are whole objects as well: the end state is about all that there is.
	Objects
	// anything but the creation of the only object: an invariant is broken.
	anything
)

// Reduction makes a scenario smaller for as long as it shows the same.
type Reduction struct {
	// Run runs a scenario.
	Run     func(context.Context, *scenario.Scenario) (*scenario.Result, error)
	Freedom Freedom
	// End is how many of the last steps are about the end state. They stay.
	End int
	// Tries is how many smaller scenarios are run at most. Default: no limit.
	Tries int
	// Until is when no further one is begun. Default: never.
	Until time.Time
	// Workers is how many run at the same time. Default: 1.
	Workers int
}

// Of returns the smallest scenario found, with the result of its run: of s and its first result,
// if none is smaller.
func (r Reduction) Of(ctx context.Context, s *scenario.Scenario,
	first *scenario.Result) (*scenario.Scenario, *scenario.Result, error) {
	want := signs(s, first)
	if len(first.Violations) > 0 {
		r.Freedom = anything
	}
	tries := r.lesser(s)
	for left := r.Tries; len(tries) > 0 && (r.Until.IsZero() || time.Now().Before(r.Until)); {
		batch := tries[:min(max(r.Workers, 1), len(tries))]
		if r.Tries > 0 {
			if left == 0 {
				break
			}
			batch = batch[:min(left, len(batch))]
			left -= len(batch)
		}
		at, result, err := r.try(ctx, batch, want)
		if err != nil {
			return s, first, err
		}
		if at < 0 {
			tries = tries[len(batch):]
			continue
		}
		s, first = batch[at], result
		// What was tried before did not show it. So it comes last.
		after, tried := len(tries)-at-1, r.lesser(s)
		from := max(len(tried)-after, 0)
		tries = slices.Concat(tried[from:], tried[:from])
	}
	return s, first, nil
}

// try runs scenarios side by side, and returns the first that shows one of the signs; a negative
// number if none does.
func (r Reduction) try(ctx context.Context, batch []*scenario.Scenario, want []string) (int, *scenario.Result, error) {
	var mu sync.Mutex
	found, result := -1, (*scenario.Result)(nil)
	err := Each(ctx, Pool{Workers: r.Workers}, UpTo(len(batch)), func(ctx context.Context, i int) error {
		got, err := r.Run(ctx, batch[i])
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		shows := slices.ContainsFunc(signs(batch[i], got), func(sign string) bool {
			return slices.Contains(want, sign)
		})
		if shows && (found < 0 || i < found) {
			found, result = i, got
		}
		return nil
	})
	return found, result, err
}

// signs identify what is wrong: the invariants that do not hold, or else the step that fails.
func signs(s *scenario.Scenario, r *scenario.Result) []string {
	switch {
	case r.Green():
		return nil
	case len(r.Violations) == 0 && r.Exited:
		return []string{"exit"}
	case len(r.Violations) == 0 && r.FailedStep > 0 && r.FailedStep <= len(s.Steps):
		return []string{s.Steps[r.FailedStep-1].String()}
	}
	return Causes(r)
}
