package durations

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/suites/report"
)

// TestDurationsUpToDate reads the table. With UPDATE=1 and DURATIONS="report.yaml ...", it takes
// the times over from whole runs: of each spec the longest.
func TestDurationsUpToDate(t *testing.T) {
	if paths := strings.Fields(os.Getenv("DURATIONS")); len(paths) > 0 && os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("durations.txt", []byte(measured(t, paths)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile("durations.txt")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		took, spec, _ := strings.Cut(strings.TrimSpace(line), " ")
		if d, err := time.ParseDuration(took); err != nil || d < Minimum || spec == "" || seen[spec] {
			t.Errorf("%q is no time of a spec: run make figures DURATIONS=report.yaml", line)
		}
		seen[spec] = true
	}
	if len(seen) == 0 || len(table()) == 0 {
		t.Error("there are no times")
	}
}

// measured returns the specs that took Minimum or more, the longest first.
func measured(t *testing.T, paths []string) string {
	took := map[string]time.Duration{}
	for _, path := range paths {
		r, err := report.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range r.Requirements {
			for _, e := range q.Evidence {
				if e.Duration.Duration >= Minimum {
					took[e.Spec] = max(took[e.Spec], e.Duration.Duration)
				}
			}
		}
	}
	var specs []string
	for spec := range took {
		specs = append(specs, spec)
	}
	slices.SortFunc(specs, func(a, b string) int {
		return cmp.Or(cmp.Compare(took[b], took[a]), strings.Compare(a, b))
	})
	var lines strings.Builder
	for _, spec := range specs {
		fmt.Fprintf(&lines, "%s %s\n", took[spec], spec)
	}
	return lines.String()
}

func TestOfLeaf(t *testing.T) {
	for spec, took := range table() {
		_, leaf, _ := strings.Cut(spec, " ")
		if OfLeaf(leaf) < took {
			t.Errorf("OfLeaf(%q) is %s, less than %s", leaf, OfLeaf(leaf), took)
		}
	}
	if took := OfLeaf("no spec ends so"); took != 0 {
		t.Errorf("OfLeaf of no spec is %s", took)
	}
}
