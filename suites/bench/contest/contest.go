// Package contest measures how two controllers do the same work on the same
// cluster, one after the other.
package contest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/process"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
	"github.com/jobconformance/jobconformance/suites/bench/usage"
	"k8s.io/client-go/kubernetes"
)

// Sample is what one controller took for one row.
type Sample struct {
	// Time from the first request of ours to the moment at which the last Job was
	// seen finished.
	Time time.Duration
	// Calls of the controller from then on, up to the moment at which it has
	// nothing left to do.
	Calls requests.Counts
	// CPU seconds over the same time.
	CPU float64
	// Peak is its most resident memory since it was started, in bytes.
	Peak uint64
}

// Limit is a client's rate limit, in requests a second.
type Limit struct{ QPS, Burst int }

// Unlimited is as good as no limit.
var Unlimited = Limit{1_000_000, 1_000_000}

func (l Limit) String() string {
	if l == Unlimited {
		return "unlimited"
	}
	return fmt.Sprintf("%d/%d", l.QPS, l.Burst)
}

// Workers is how many Jobs, and how many CronJobs, each controller works on at
// the same time.
const Workers = 10

// flags are understood by both controllers.
func (l Limit) flags() []string {
	return []string{
		fmt.Sprint("--kube-api-qps=", l.QPS), fmt.Sprint("--kube-api-burst=", l.Burst),
		fmt.Sprint("--concurrent-job-syncs=", Workers), fmt.Sprint("--concurrent-cron-job-syncs=", Workers),
	}
}

// silence is how long a controller sends no request before it counts as done;
// upstream gathers what happens for a second.
const silence = 1500 * time.Millisecond

// Contest has what all measurements share.
type Contest struct {
	Lab     *run.Lab
	Counter *requests.Counter // of the Lab's audit log
	Client  kubernetes.Interface
}

// Measure starts a controller of its own for one row, and stops it.
func (c *Contest) Measure(ctx context.Context, impl implementation.Implementation, limit Limit, row Row) (s Sample, err error) {
	a, err := openArena(ctx, c.Client)
	if err != nil {
		return s, err
	}
	defer func() {
		if err != nil {
			a.leave() // the cluster goes as well
		}
	}()
	controller, err := c.Lab.Start(impl.With(limit.flags()...), impl.Name+"-"+row.Name+".log")
	if err != nil {
		return s, err
	}
	defer controller.Kill() // if it is still there
	working, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go guard(working, cancel, controller, c.Lab.Ended())

	if s, err = c.work(working, a, row, controller); err != nil {
		return s, fmt.Errorf("%s at %s: %w", impl.Name, row.Name, err)
	}
	stop(controller)
	return s, a.clear(ctx)
}

// work leads the controller up to the row, and through it.
func (c *Contest) work(ctx context.Context, a *arena, row Row, controller *process.Process) (s Sample, err error) {
	if err := c.warmUp(ctx); err != nil {
		return s, fmt.Errorf("its first Job: %w", err)
	}
	if row.prepare != nil {
		if err := row.prepare(ctx, a); err != nil {
			return s, err
		}
	}
	if err := c.Counter.Quiet(ctx, silence); err != nil {
		return s, context.Cause(ctx)
	}
	return c.clock(ctx, a, row, controller)
}

// warmUp waits until the controller has finished a Job in a namespace of its own:
// by then it is started, and connected.
func (c *Contest) warmUp(ctx context.Context) error {
	first := many("first", "", 1)
	a, err := openArena(ctx, c.Client)
	if err != nil {
		return err
	}
	if err := first.start(ctx, a); err != nil {
		a.leave()
		return err
	}
	if _, err := a.await(ctx, 1); err != nil {
		a.leave()
		return err
	}
	return a.clear(ctx)
}

// clock runs the row itself.
func (c *Contest) clock(ctx context.Context, a *arena, row Row, controller *process.Process) (s Sample, err error) {
	calls := c.Counter.Counts()
	before, err := usage.Of(controller.PID())
	if err != nil {
		return s, err
	}
	begin := time.Now()
	if err := row.start(ctx, a); err != nil {
		return s, err
	}
	last, err := a.await(ctx, row.jobs)
	if err != nil {
		return s, err
	}
	s.Time = last.Sub(begin)
	if err := c.Counter.Quiet(ctx, silence); err != nil {
		return s, context.Cause(ctx)
	}
	after, err := usage.Of(controller.PID())
	if err != nil {
		return s, err
	}
	s.Calls, s.CPU, s.Peak = c.Counter.Counts().Since(calls), after.CPU-before.CPU, after.Peak
	return s, errors.Join(a.judge(row), c.Counter.Err())
}

// guard gives up when the controller or a part of the cluster ends.
func guard(ctx context.Context, cancel context.CancelCauseFunc, controller *process.Process, ended <-chan error) {
	select {
	case <-ctx.Done():
	case <-controller.Done():
		cancel(fmt.Errorf("%s ended with %s; the end of its log:\n%s", controller.Name(), controller.Exit(), controller.LogEnd(10)))
	case err := <-ended:
		cancel(err)
	}
}

// stop ends the controller before anything that it works on.
func stop(controller *process.Process) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	controller.Stop(ctx)
}
