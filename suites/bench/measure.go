package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/process"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
)

// sample is what one controller took for one row.
type sample struct {
	// time from the harness's first request until the last Job was seen finished.
	time time.Duration
	// calls of the controller from then on, until it has nothing left to do.
	calls requests.Counts
	// cpu is in seconds, over the same time.
	cpu float64
	// peak is its most resident memory since it was started, in bytes.
	peak uint64
}

// Limit is a client's rate limit, in requests a second.
type Limit struct{ QPS, Burst int }

// Unlimited is so high that it never delays a request.
var Unlimited = Limit{1_000_000, 1_000_000}

// ParseLimit reads "200/400", "200" or "unlimited".
func ParseLimit(text string) (Limit, error) {
	if text == "unlimited" {
		return Unlimited, nil
	}
	qps, burst, both := strings.Cut(text, "/")
	var l Limit
	var err, err2 error
	l.QPS, err = strconv.Atoi(qps)
	l.Burst = l.QPS
	if both {
		l.Burst, err2 = strconv.Atoi(burst)
	}
	if cmp.Or(err, err2) != nil || l.QPS < 1 || l.Burst < 1 {
		return l, badinput.New(fmt.Sprintf("%q is not a rate limit", text), "write one like 200/400, or unlimited")
	}
	return l, nil
}

func (l Limit) String() string {
	if l == Unlimited {
		return "unlimited"
	}
	return fmt.Sprintf("%d/%d", l.QPS, l.Burst)
}

// workers is how many Jobs, and how many CronJobs, each controller works on at
// the same time.
const workers = 10

// flags are understood by both controllers.
func (l Limit) flags() []string {
	return []string{
		fmt.Sprint("--kube-api-qps=", l.QPS), fmt.Sprint("--kube-api-burst=", l.Burst),
		fmt.Sprint("--concurrent-job-syncs=", workers), fmt.Sprint("--concurrent-cron-job-syncs=", workers),
	}
}

// silence is how long a controller must send no request to count as done;
// kube-controller-manager batches changes for a second.
const silence = 1500 * time.Millisecond

// measure starts a controller of its own for one row, and stops it.
func (b *Bench) measure(ctx context.Context, impl implementation.Implementation, limit Limit, row row) (s sample, err error) {
	w, err := newWorkload(ctx, b.Client)
	if err != nil {
		return s, err
	}
	defer func() {
		if err != nil {
			w.stop() // the cluster goes as well
		}
	}()
	controller, err := b.Start(impl.With(limit.flags()...), impl.Name+"-"+row.name+".log")
	if err != nil {
		return s, err
	}
	defer controller.Kill() // if it still runs
	working, done := requests.Guarded(ctx, controller)
	defer done()

	if s, err = b.work(working, w, row, controller); err != nil {
		return s, fmt.Errorf("%s at %s: %w", impl.Name, row.name, err)
	}
	done()
	stopping, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	controller.Stop(stopping) // before anything that it works on goes
	return s, w.clear(ctx)
}

// work prepares the row and the controller, and measures.
func (b *Bench) work(ctx context.Context, w *workload, row row, controller *process.Process) (s sample, err error) {
	if err := b.warmUp(ctx); err != nil {
		return s, fmt.Errorf("its first Job: %w", err)
	}
	if row.prepare != nil {
		if err := row.prepare(ctx, w); err != nil {
			return s, err
		}
	}
	if err := b.Counter.Quiet(ctx, silence); err != nil {
		return s, context.Cause(ctx)
	}
	return b.clock(ctx, w, row, controller)
}

// warmUp waits until the controller has finished a Job in a namespace of its own:
// by then it is started, and connected.
func (b *Bench) warmUp(ctx context.Context) error {
	w, err := newWorkload(ctx, b.Client)
	if err != nil {
		return err
	}
	if err = many("first", "", 1).start(ctx, w); err == nil {
		_, err = w.await(ctx, 1)
	}
	if err != nil {
		w.stop()
		return err
	}
	return w.clear(ctx)
}

// clock runs the row itself.
func (b *Bench) clock(ctx context.Context, w *workload, row row, controller *process.Process) (s sample, err error) {
	calls := b.Counter.Counts()
	before, err := usageOf(controller.PID())
	if err != nil {
		return s, err
	}
	begin := time.Now()
	if err := row.start(ctx, w); err != nil {
		return s, err
	}
	last, err := w.await(ctx, row.jobs)
	if err != nil {
		return s, err
	}
	s.time = last.Sub(begin)
	if err := b.Counter.Quiet(ctx, silence); err != nil {
		return s, context.Cause(ctx)
	}
	after, err := usageOf(controller.PID())
	if err != nil {
		return s, err
	}
	s.calls, s.cpu, s.peak = b.Counter.Counts().Since(calls), after.cpu-before.cpu, after.peak
	return s, errors.Join(w.judge(row), b.Counter.Err())
}
