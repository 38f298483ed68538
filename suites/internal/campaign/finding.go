package campaign

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

// Finding is what was wrong in one or more runs of the same; nothing where all was well.
type Finding struct {
	// Causes are "interference", where the implementation did what is no controller's business, and the IDs of the
	// invariants that did not hold. If all did: "step N" for
	// the step that failed, "exit" where the implementation exited on its own after the
	// last step, "end" for an end that is not that of another run, or "always" for what was not always so. None where
	// all is well.
	Causes []string `json:"causes,omitempty"`
	// Why is the same for people.
	Why string `json:"why,omitempty"`
	// Shown is in how many of Runs runs something was wrong.
	Shown int `json:"shown,omitempty"`
	Runs  int `json:"runs"`
	// History is the file of the first run in which something was wrong.
	History string `json:"history,omitempty"`
	// Smallest is the file with the smallest scenario that shows it; empty where there is none,
	// or another run with the same cause has one.
	Smallest string `json:"smallest,omitempty"`
}

// Red reports whether something was wrong.
func (f Finding) Red() bool { return len(f.Causes) > 0 }

// FindingOf returns the finding of a first run.
func FindingOf(r *scenario.Result) Finding {
	f := Finding{Runs: 1}
	if !r.Green() {
		f.Shown, f.Causes, f.Why = 1, Causes(r), r.Why()
	}
	return f
}

// Causes say by what a red run is grouped with others: see Finding.
func Causes(r *scenario.Result) []string {
	var ids []string
	if len(r.Interferences) > 0 {
		ids = append(ids, string(spec.Interfered))
	}
	for _, v := range r.Violations {
		if !slices.Contains(ids, v.Invariant.ID) {
			ids = append(ids, v.Invariant.ID)
		}
	}
	switch {
	case len(ids) > 0:
		return ids
	case r.FailedStep > 0:
		return []string{fmt.Sprintf("step %d", r.FailedStep)}
	case r.Exited:
		return []string{"exit"}
	case r.OtherEnd:
		return []string{"end"}
	}
	return []string{"always"}
}

// Listed is a finding in a list.
type Listed struct {
	Finding
	// Of begins the names of its causes, which are its own then. Default: all findings share them.
	Of string
	// Name says what was run.
	Name string
	// Again is the command that runs it again.
	Again string
}

// PrintFindings shows one run for each distinct cause, and names the others.
func PrintFindings(out io.Writer, found []Listed) {
	groups := map[string][]Listed{}
	for _, f := range found {
		for _, cause := range f.Causes {
			groups[f.Of+cause] = append(groups[f.Of+cause], f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		group := groups[name]
		best := slices.MaxFunc(group, func(a, b Listed) int { return a.Shown*b.Runs - b.Shown*a.Runs })
		fmt.Fprintf(out, "\n%s, in %d runs\n", name, len(group))
		for _, f := range group {
			fmt.Fprintf(out, "  %s (%d of %d)\n", f.Name, f.Shown, f.Runs)
		}
		fmt.Fprintf(out, "    %s\n    history: %s\n    again: %s\n", Shortened(best.Why, whyLines, "    "),
			best.History, best.Again)
		for _, f := range group {
			if f.Smallest != "" {
				fmt.Fprintf(out, "    smallest scenario: %s\n", f.Smallest)
			}
		}
	}
}

// whyLines is how much of an explanation is shown; the results have all of it.
const whyLines = 40

// Shortened returns up to n lines of a text, and begins all but the first with indent.
func Shortened(text string, n int, indent string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > n {
		lines = append(lines[:n-1], "…")
	}
	return strings.Join(lines, "\n"+indent)
}
