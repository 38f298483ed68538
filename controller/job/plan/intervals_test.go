package plan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestParseIntervals(t *testing.T) {
	for text, want := range map[string]string{
		"":              "",
		"0":             "0",
		"0,1":           "0,1",
		"0-1":           "0,1",
		"0,2-4,6":       "0,2-4,6",
		"3,1,2":         "1-3",
		"5-9":           "5-7", // the limit is 8
		"9":             "",
		"x,1,2-y,4-3,6": "1,6",
	} {
		if got := ParseIntervals(text, 8).String(); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestIntervalsAreSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const limit = 20
		want := map[int]bool{}
		var is Intervals
		for _, ix := range rapid.SliceOf(rapid.IntRange(0, limit-1)).Draw(t, "indexes") {
			before := is.String()
			next := is.with(ix)
			if is.String() != before {
				t.Fatalf("with changed its receiver: %s", is)
			}
			is, want[ix] = next, true
		}
		if is.Total() != len(want) {
			t.Fatalf("%s has %d of %v", is, is.Total(), want)
		}
		if again := ParseIntervals(is.String(), limit); !slices.Equal(again, is) {
			t.Fatalf("%v reads back as %v", is, again)
		}
		gaps := Intervals{{0, limit - 1}}.Minus(is).Lowest(limit)
		for ix := range limit {
			if is.Has(ix) != want[ix] {
				t.Fatalf("%s has %d: %t", is, ix, is.Has(ix))
			}
		}
		if len(gaps)+len(want) != limit || slices.ContainsFunc(gaps, func(ix int) bool { return want[ix] }) {
			t.Fatalf("gaps of %s: %v", is, gaps)
		}
	})
}
