package soak

import (
	"slices"
	"strings"
	"testing"
)

func TestEndStatesOfTheSameSeedAreCompared(t *testing.T) {
	one, other := &Tally{}, &Tally{}
	one.end(1, []string{"same"})
	one.end(2, []string{"same", "here"})
	one.end(3, []string{"alone"})
	other.end(1, []string{"same"})
	other.end(2, []string{"same", "there"})
	one.end(4, []string{"first"})
	other.end(4, []string{"second"})
	if seeds := one.Differing(other); !slices.Equal(seeds, []int{2, 4}) {
		t.Errorf("%v differ", seeds)
	}
	again := &Tally{}
	again.end(4, []string{"first"})
	other.Again(again) // it comes to one end or the other
	var out strings.Builder
	one.Compare(&out, "other", other)
	for _, want := range []string{"workload 2 ends otherwise than with other, in 1 runs and 1:\n  + here\n  - there\n", "\n1 of 3 end states differ from those with other; 1 depend on when"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing says %q:\n%s", want, &out)
		}
	}
}
