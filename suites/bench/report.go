package bench

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/suites/bench/requests"
	"github.com/prometheus/procfs"
)

// line is one row of a table, with all repeats.
type line struct {
	text string
	pods int
	// ours and theirs are the samples of the reference controller and of
	// kube-controller-manager.
	ours, theirs []sample
	// byHand is how many seconds the row took without a controller, if that was measured.
	byHand []float64
}

// floorLine is how long one floor took.
type floorLine struct {
	text    string
	pods    int
	seconds []float64
}

// printHeader prints where everything was measured.
func printHeader(out io.Writer, version string, before, after machine) {
	fmt.Fprintf(out,
		"Machine: %d cores (%s), %.0f GiB of memory, %s, Kubernetes %s; load average %.1f before, %.1f after.\n",
		runtime.NumCPU(), cmp.Or(before.cpu, "unknown"), float64(before.memory)/(1<<30), runtime.Version(), version,
		before.load, after.load)
}

// printComparison prints a table of medians with their ratios, reference to upstream,
// so that a ratio below 1 is in the reference's favour.
func printComparison(out io.Writer, lines []line) {
	measures := []struct {
		name string
		of   func(line, sample) float64
	}{
		{"seconds", func(_ line, s sample) float64 { return s.time.Seconds() }},
		{"calls per pod", func(l line, s sample) float64 { return float64(s.calls.Total()) / float64(l.pods) }},
		{"peak MiB", func(_ line, s sample) float64 { return float64(s.peak) / (1 << 20) }},
		{"CPU seconds", func(_ line, s sample) float64 { return s.cpu }},
	}
	head := []string{"row"}
	for _, m := range measures {
		head = append(head, m.name, "upstream", "ratio")
	}
	byHand := slices.ContainsFunc(lines, func(l line) bool { return len(l.byHand) > 0 })
	if byHand {
		head = append(head, "seconds by hand", "ratio")
	}
	var rows [][]string
	for _, l := range lines {
		row := []string{l.text}
		for _, m := range measures {
			ours, theirs := medianOf(l, l.ours, m.of), medianOf(l, l.theirs, m.of)
			row = append(row, figure(ours), figure(theirs), ratio(ours, theirs))
		}
		if byHand {
			least := median(l.byHand)
			row = append(row, figure(least), ratio(medianOf(l, l.ours, measures[0].of), least))
		}
		rows = append(rows, row)
	}
	table(out, head, rows)
}

func medianOf(l line, all []sample, of func(line, sample) float64) float64 {
	var numbers []float64
	for _, s := range all {
		numbers = append(numbers, of(l, s))
	}
	return median(numbers)
}

// printCalls prints a table of the calls per pod, by what they are.
func printCalls(out io.Writer, lines []line) {
	kinds := kindsOf(lines)
	head := []string{"row", "by"}
	for _, k := range kinds {
		head = append(head, k.String())
	}
	var rows [][]string
	for _, l := range lines {
		for by, all := range [][]sample{l.ours, l.theirs} {
			row := []string{l.text, []string{"reference", "upstream"}[by]}
			for _, k := range kinds {
				n := medianOf(l, all, func(l line, s sample) float64 { return float64(s.calls[k]) / float64(l.pods) })
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

// kindsOf returns all calls that were made, the most frequent first.
func kindsOf(lines []line) []requests.Call {
	sum := map[requests.Call]float64{}
	for _, l := range lines {
		for _, s := range slices.Concat(l.ours, l.theirs) {
			for call, n := range s.calls {
				sum[call] += float64(n) / float64(l.pods)
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

// printFloors prints a table of them.
func printFloors(out io.Writer, floors []floorLine) {
	var rows [][]string
	for _, f := range floors {
		seconds := median(f.seconds)
		rows = append(rows, []string{f.text, fmt.Sprint(f.pods), figure(seconds), figure(float64(f.pods) / seconds)})
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

// median returns the middle of some numbers, the mean of the middle two of an
// even number of them, and NaN of none.
func median(numbers []float64) float64 {
	n := len(numbers)
	if n == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(numbers))
	if n%2 == 1 {
		return sorted[n/2]
	}
	return (sorted[n/2-1] + sorted[n/2]) / 2
}

// ratio is a to b, "–" where it is undefined.
func ratio(a, b float64) string {
	if r := a / b; !math.IsNaN(r) && !math.IsInf(r, 0) {
		return fmt.Sprintf("%.2f", r)
	}
	return "–"
}

// figure is a number with about three digits, "–" for none.
func figure(x float64) string {
	switch {
	case math.IsNaN(x):
		return "–"
	case x >= 100:
		return fmt.Sprintf("%.0f", x)
	case x >= 10:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.2f", x)
}

// usage is what a process has taken since its start, from /proc.
type usage struct {
	peak uint64  // most resident memory at any time (VmHWM), in bytes
	cpu  float64 // seconds in user and system mode
}

// usageOf returns the usage of the process with this number. It fails when there
// is none.
func usageOf(pid int) (usage, error) {
	process, err := procfs.NewProc(pid)
	if err != nil {
		return usage{}, fmt.Errorf("process %d: %w", pid, err)
	}
	status, err := process.NewStatus()
	if err != nil {
		return usage{}, fmt.Errorf("memory of process %d: %w", pid, err)
	}
	stat, err := process.Stat()
	if err != nil {
		return usage{}, fmt.Errorf("CPU time of process %d: %w", pid, err)
	}
	return usage{peak: status.VmHWM, cpu: stat.CPUTime()}, nil
}

// machine is where a benchmark ran.
type machine struct {
	memory uint64  // in bytes
	load   float64 // average number of waiting or running threads over a minute
	cpu    string  // model name
}

// thisMachine describes it as it is now.
func thisMachine() (machine, error) {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return machine{}, err
	}
	memory, err := proc.Meminfo()
	if err != nil {
		return machine{}, err
	}
	load, err := proc.LoadAvg()
	if err != nil {
		return machine{}, err
	}
	m := machine{load: load.Load1}
	if memory.MemTotalBytes != nil {
		m.memory = *memory.MemTotalBytes
	}
	m.cpu = cpuModel(proc)
	return m, nil
}
