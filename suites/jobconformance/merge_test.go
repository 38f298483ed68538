package main

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

// TestDurationsUpToDate reads the times by which shards are cut. With UPDATE=1 and
// DURATIONS=report.yaml, it takes them over from a whole run.
func TestDurationsUpToDate(t *testing.T) {
	if path := os.Getenv("DURATIONS"); path != "" && os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("durations.txt", []byte(measured(t, path)), 0o644); err != nil {
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
		if d, err := time.ParseDuration(took); err != nil || d < 5*time.Second || spec == "" || seen[spec] {
			t.Errorf("%q is no time of a spec: run make figures DURATIONS=report.yaml", line)
		}
		seen[spec] = true
	}
	if len(seen) == 0 || len(durations()) == 0 {
		t.Error("there are no times")
	}
}

// measured returns the specs that took 5 s or more, the longest first.
func measured(t *testing.T, path string) string {
	r, err := report.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	took := map[string]time.Duration{}
	for _, q := range r.Requirements {
		for _, e := range q.Evidence {
			if e.Duration.Duration >= 5*time.Second {
				took[e.Spec] = e.Duration.Duration
			}
		}
	}
	var specs []string
	for spec := range took {
		specs = append(specs, spec)
	}
	slices.SortFunc(specs, func(a, b string) int { return cmp.Or(cmp.Compare(took[b], took[a]), strings.Compare(a, b)) })
	var lines strings.Builder
	for _, spec := range specs {
		fmt.Fprintf(&lines, "%s %s\n", took[spec], spec)
	}
	return lines.String()
}
