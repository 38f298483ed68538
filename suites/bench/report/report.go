package report

import (
	"cmp"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/suites/bench/requests"
	"github.com/jobconformance/jobconformance/suites/bench/usage"
)

// Figures are what one controller took for one row, once.
type Figures struct {
	Seconds float64
	Calls   requests.Counts
	CPU     float64 // seconds
	MiB     float64
}

// Line is one row of a table, with all repeats.
type Line struct {
	Text string
	Pods int
	// Ours and Theirs are the figures of the reference controller and of
	// upstream's.
	Ours, Theirs []Figures
}

// Floor is what the machine does without any controller.
type Floor struct {
	Text    string
	Pods    int
	Seconds []float64
}

// Header says where all this was measured.
func Header(out io.Writer, version string, before, after usage.Machine) {
	fmt.Fprintf(out, "Machine: %d cores (%s), %.0f GiB of memory, %s, Kubernetes %s; load average %.1f before, %.1f after.\n",
		runtime.NumCPU(), cmp.Or(before.CPU, "unknown"), float64(before.Memory)/(1<<30), runtime.Version(), version, before.Load[0], after.Load[0])
}

// Comparison writes a table of medians with their ratios, reference to upstream,
// so that a ratio below 1 is in the reference's favour.
func Comparison(out io.Writer, lines []Line) {
	measures := []struct {
		name string
		of   func(Line, Figures) float64
	}{
		{"seconds", func(_ Line, f Figures) float64 { return f.Seconds }},
		{"calls per pod", func(l Line, f Figures) float64 { return float64(f.Calls.Total()) / float64(l.Pods) }},
		{"peak MiB", func(_ Line, f Figures) float64 { return f.MiB }},
		{"CPU seconds", func(_ Line, f Figures) float64 { return f.CPU }},
	}
	head := []string{"row"}
	for _, m := range measures {
		head = append(head, m.name, "upstream", "ratio")
	}
	var rows [][]string
	for _, l := range lines {
		row := []string{l.Text}
		for _, m := range measures {
			ours, theirs := median(l, l.Ours, m.of), median(l, l.Theirs, m.of)
			row = append(row, figure(ours), figure(theirs), ratio(ours, theirs))
		}
		rows = append(rows, row)
	}
	table(out, head, rows)
}

func median(l Line, all []Figures, of func(Line, Figures) float64) float64 {
	var numbers []float64
	for _, f := range all {
		numbers = append(numbers, of(l, f))
	}
	return Median(numbers)
}

// Calls writes a table of the calls per pod, by what they are.
func Calls(out io.Writer, lines []Line) {
	kinds := kindsOf(lines)
	head := []string{"row", "by"}
	for _, k := range kinds {
		head = append(head, k.String())
	}
	var rows [][]string
	for _, l := range lines {
		for by, all := range [][]Figures{l.Ours, l.Theirs} {
			row := []string{l.Text, []string{"reference", "upstream"}[by]}
			for _, k := range kinds {
				n := median(l, all, func(l Line, f Figures) float64 { return float64(f.Calls[k]) / float64(l.Pods) })
				row = append(row, perPod(n))
			}
			rows = append(rows, row)
		}
	}
	table(out, head, rows)
}

// perPod leaves out what did not happen.
func perPod(n float64) string {
	switch {
	case n == 0:
		return ""
	case n < 0.0005:
		return "<0.001"
	}
	return fmt.Sprintf("%.3f", n)
}

// kindsOf returns all calls that anybody made, the most frequent first.
func kindsOf(lines []Line) []requests.Call {
	sum := map[requests.Call]float64{}
	for _, l := range lines {
		for _, f := range slices.Concat(l.Ours, l.Theirs) {
			for call, n := range f.Calls {
				sum[call] += float64(n) / float64(l.Pods)
			}
		}
	}
	kinds := make([]requests.Call, 0, len(sum))
	for call := range sum {
		kinds = append(kinds, call)
	}
	slices.SortFunc(kinds, func(a, b requests.Call) int {
		return cmp.Or(cmp.Compare(sum[b], sum[a]), cmp.Compare(a.String(), b.String()))
	})
	return kinds
}

// Floors writes a table of them.
func Floors(out io.Writer, floors []Floor) {
	var rows [][]string
	for _, f := range floors {
		seconds := Median(f.Seconds)
		rows = append(rows, []string{f.Text, fmt.Sprint(f.Pods), figure(seconds), figure(float64(f.Pods) / seconds)})
	}
	table(out, []string{"without a controller", "pods", "seconds", "pods a second"}, rows)
}

func table(out io.Writer, head []string, rows [][]string) {
	rule := make([]string, len(head))
	for i := range rule {
		rule[i] = "---:"
	}
	rule[0] = "---"
	for _, row := range slices.Concat([][]string{head, rule}, rows) {
		fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
	}
	fmt.Fprintln(out)
}
