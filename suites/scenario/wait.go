package scenario

import (
	"context"
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
)

// suspicious is how long a wait lasts before it looks whether an invariant was
// broken, or the implementation has ended: there is nothing to wait for then.
const suspicious = 4 * time.Second

// until waits until check says nothing any more, and looks at every revision.
// What check says at the end is what failed.
func (p *performance) until(ctx context.Context, limit time.Duration, check func() string) (failed string, err error) {
	over := time.NewTimer(limit)
	defer over.Stop()
	suspicion := time.NewTicker(suspicious)
	defer suspicion.Stop()
	for {
		changed := p.recorder.Changed()
		failed = check()
		if failed == "" {
			return p.broken(), nil
		}
		if broken := p.broken(); broken != "" {
			return broken, nil
		}
		select {
		case <-changed:
		case <-suspicion.C:
			if doomed, err := p.doomed(ctx); err != nil || doomed {
				return failed, err
			}
		case <-over.C:
			return fmt.Sprintf("not within %s: %s", limit, failed), nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// stays looks for a while whether an expression is true whenever something
// changes.
func (p *performance) stays(ctx context.Context, e expression, how time.Duration) (failed string, err error) {
	over := time.NewTimer(how)
	defer over.Stop()
	for last := false; ; {
		changed := p.recorder.Changed()
		if broken := p.broken(); broken != "" {
			return broken, nil
		}
		if e.program != nil {
			if failed := e.holds(p.world.now()); failed != "" {
				return "it did not stay so: " + failed, nil
			}
		}
		if last {
			return "", nil
		}
		select {
		case <-changed:
		case <-over.C:
			last = true
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// broken says how the implementation has ended by itself, if it has.
func (p *performance) broken() string {
	if err := p.subject.Died(); err != nil {
		return err.Error()
	}
	return ""
}

// catchUp waits until everything is recorded that has happened up to now.
func (p *performance) catchUp(ctx context.Context) error {
	_, err := p.settled(ctx)
	return err
}

// settled is all that has happened up to now.
func (p *performance) settled(ctx context.Context) (history.History, error) {
	ctx, cancel := context.WithTimeout(ctx, harnessLimit)
	defer cancel()
	h, err := p.recorder.Settled(ctx)
	if err != nil {
		return h, fmt.Errorf("the watches of the harness did not deliver everything: %w", err)
	}
	return h, nil
}

// doomed tells whether an invariant is broken already.
func (p *performance) doomed(ctx context.Context) (bool, error) {
	h, err := p.settled(ctx)
	if err != nil {
		return false, err
	}
	return len(invariants.Check(h, invariants.ForVersion(p.theatre.Version), invariants.Except(p.except()...))) > 0, nil
}
