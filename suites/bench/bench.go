// Package bench measures the reference controller and kube-controller-manager
// doing the same work on the same cluster, one after the other.
package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/process"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
)

// Options choose what is measured.
type Options struct {
	// Rows by name. Default: all but the long ones.
	Rows []string
	// Limits are the rate limits of the controllers' clients; each gives a table
	// of its own. At least one is required.
	Limits []Limit
	// Repeat is how often everything is measured, 1 or more. The tables have
	// medians.
	Repeat int
	// Scale is the size of the rows, more than 0 and at most 100; 1 is as
	// designed.
	Scale float64
	// Floors measures as well what the machine does without a controller: at no rate limit
	// also the rows of one Job, by hand.
	Floors bool
	// Progress takes a line for each measurement.
	Progress io.Writer
}

// Check returns a *badinput.Error when there is nothing to measure.
func (o Options) Check() error {
	for _, name := range o.Rows {
		if !slices.Contains(RowNames(), name) {
			return badinput.New(fmt.Sprintf("unknown row %q", name), "use "+strings.Join(RowNames(), ", "))
		}
	}
	if o.Repeat < 1 || len(o.Limits) == 0 || !(o.Scale > 0) || o.Scale > 100 {
		return badinput.New("nothing would be measured",
			fmt.Sprintf("give %s 1 or more, a %s, and a %s above 0 and up to 100", console.Flag("repeat"),
				console.Flag("qps"), console.Flag("scale")))
	}
	return nil
}

// rows returns the rows that were asked for.
func (o Options) rows() []row {
	return slices.DeleteFunc(rowsAt(o.Scale), func(r row) bool {
		if len(o.Rows) == 0 {
			return r.long
		}
		return !slices.Contains(o.Rows, r.name)
	})
}

// Bench measures on one cluster.
type Bench struct {
	Options
	requests.Cluster
}

// Run measures everything and writes Markdown.
func (b *Bench) Run(ctx context.Context, out io.Writer) error {
	before, err := thisMachine()
	if err != nil {
		return err
	}
	var tables strings.Builder
	if b.Floors {
		if err := b.measureFloors(ctx, &tables); err != nil {
			return err
		}
	}
	for _, limit := range b.Limits {
		lines, err := b.measureRows(ctx, limit)
		if err != nil {
			return err
		}
		fmt.Fprintf(&tables, "Client rate limit (requests a second/at once): %s\n\n", limit)
		printComparison(&tables, lines)
		printCalls(&tables, lines)
	}
	after, err := thisMachine()
	if err != nil {
		return err
	}
	printHeader(out, b.Version(), before, after)
	_, err = fmt.Fprintf(out, "Workers: %d of each controller.\n\n%s", workers, tables.String())
	return err
}

func (b *Bench) measureFloors(ctx context.Context, out io.Writer) error {
	var lines []floorLine
	for _, f := range floorsAt(b.Scale) {
		line := floorLine{text: f.text, pods: f.pods}
		for range b.Repeat {
			took, err := b.measureFloor(ctx, f.name, func(ctx context.Context, w *workload) error {
				return f.measure(ctx, w, f.pods)
			})
			if err != nil {
				return err
			}
			console.Line(b.Progress, f.text, "%s", took.Round(10*time.Millisecond))
			line.seconds = append(line.seconds, took.Seconds())
		}
		lines = append(lines, line)
	}
	printFloors(out, lines)
	return nil
}

// measureRows has the controllers take turns in going first.
func (b *Bench) measureRows(ctx context.Context, limit Limit) ([]line, error) {
	var lines []line
	for n, row := range b.rows() {
		l := line{text: row.text, pods: row.pods}
		for again := range b.Repeat {
			pair := []struct {
				name string
				to   *[]sample
			}{{implementation.Reference, &l.ours}, {implementation.KubeControllerManager, &l.theirs}}
			if (n+again)%2 == 1 {
				slices.Reverse(pair)
			}
			for _, controller := range pair {
				impl, err := implementation.Parse(controller.name)
				if err != nil {
					return nil, err
				}
				s, err := b.measure(ctx, impl, limit, row)
				if err != nil {
					return nil, err
				}
				console.Line(b.Progress, row.text+", "+controller.name, "%-9s %8s %6d calls", limit,
					s.time.Round(10*time.Millisecond), s.calls.Total())
				*controller.to = append(*controller.to, s)
			}
			if b.Floors && row.byHand != nil && limit == Unlimited {
				took, err := b.measureFloor(ctx, row.name, row.byHand)
				if err != nil {
					return nil, err
				}
				console.Line(b.Progress, row.text+", by hand", "%-9s %8s", limit, took.Round(10*time.Millisecond))
				l.byHand = append(l.byHand, took.Seconds())
			}
		}
		lines = append(lines, l)
	}
	return lines, nil
}

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
func (b *Bench) measure(ctx context.Context, impl implementation.Implementation, limit Limit,
	row row) (s sample, err error) {
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
