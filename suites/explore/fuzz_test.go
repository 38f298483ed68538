package explore

import (
	"slices"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
)

// FuzzPlan reads plans: one that can be read is written as it is read, and any other is bad input.
func FuzzPlan(f *testing.F) {
	seen := Seen{Writes: map[string]int{"create pods": 2, "patch jobs/status": 1}, Events: map[string]int{"pods": 3},
		Ended: 1}
	for _, plan := range slices.Concat(seen.Plans(), seen.HandOvers(), seen.Pairs(3)) {
		f.Add(plan.String())
	}
	f.Add(None)
	f.Fuzz(func(t *testing.T, text string) {
		plan, err := ParsePlan(text)
		if err != nil {
			if !badinput.Is(err) {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		if len(plan) == 0 {
			return
		}
		if again, err := ParsePlan(plan.String()); err != nil || !slices.Equal(again, plan) {
			t.Errorf("%q is written as %q: %v", text, plan, err)
		}
	})
}
