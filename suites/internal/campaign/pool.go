// Package campaign has what commands share that run many scenarios: they run side by side, results
// are kept so that the same command resumes, what is wrong is listed by cause, and a scenario
// that shows it is made smaller.
package campaign

import (
	"context"
	"iter"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Pool says how many tasks run at the same time, and for how long.
type Pool struct {
	// Workers is how many tasks run at the same time. Default: 1.
	Workers int
	// Until is when no further task is begun. Default: never.
	Until time.Time
}

// Each calls do for every task. It takes the next one only when there is room for it and time is
// not over. The first error ends the context of the others. Where ctx itself ends, its cause is
// the error.
func Each[T any](ctx context.Context, p Pool, tasks iter.Seq[T], do func(context.Context, T) error) error {
	group, running := errgroup.WithContext(ctx)
	next, stop := iter.Pull(tasks)
	defer stop()
	var mu sync.Mutex
	take := func() (task T, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		if running.Err() != nil || !p.Until.IsZero() && time.Now().After(p.Until) {
			return task, false
		}
		return next()
	}
	for range max(p.Workers, 1) {
		group.Go(func() error {
			for task, ok := take(); ok; task, ok = take() {
				if err := do(running, task); err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// UpTo has the tasks 0 to n-1.
func UpTo(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}
