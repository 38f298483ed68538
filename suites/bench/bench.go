// Package bench measures the reference controller and kube-controller-manager
// doing the same work on the same cluster, one after the other.
package bench

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
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
	// Floors measures as well what the machine does without a controller.
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
		return badinput.New("nothing would be measured", fmt.Sprintf("give %s 1 or more, a %s, and a %s above 0 and up to 100", console.Option("repeat"), console.Option("qps"), console.Option("scale")))
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
			took, err := b.measureFloor(ctx, f)
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
				console.Line(b.Progress, row.text+", "+controller.name, "%-9s %8s %6d calls", limit, s.time.Round(10*time.Millisecond), s.calls.Total())
				*controller.to = append(*controller.to, s)
			}
		}
		lines = append(lines, l)
	}
	return lines, nil
}
