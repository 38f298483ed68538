package soak

import (
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
	var out strings.Builder
	if n := one.Compare(&out, "other", other); n != 1 {
		t.Errorf("%d differ", n)
	}
	for _, want := range []string{"workload 2 ends otherwise than with other:\n  + here\n  - there\n", "1 of 2 end states differ"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("nothing says %q:\n%s", want, &out)
		}
	}
}
