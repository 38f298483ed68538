package leaks

import (
	"fmt"
	"io"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/spec"
)

// Sample is what a controller has after a wave, when all objects are gone.
type Sample struct {
	// Goroutines is 0 where it is not known: they are in the metrics of programs in Go.
	Goroutines  int
	Descriptors int
	// Watches are those that are open.
	Watches int
	Threads int
	// Memory is what is resident, in bytes.
	Memory int
}

// String is the sample in a line.
func (s Sample) String() string {
	var parts []string
	for _, g := range gauges {
		if n := g.of(&s); *n > 0 {
			parts = append(parts, g.amount(*n))
		}
	}
	return strings.Join(parts, ", ")
}

// gauge is a kind of what leaks.
type gauge struct {
	name string
	of   func(*Sample) *int
	unit int // for people
	// each is how much of it an object leaves behind at least where it leaks: less is noise.
	each float64
}

var gauges = []gauge{
	{"goroutines", func(s *Sample) *int { return &s.Goroutines }, 1, 0.2},
	{"open watches", func(s *Sample) *int { return &s.Watches }, 1, 0.2},
	{"descriptors", func(s *Sample) *int { return &s.Descriptors }, 1, 0.2},
	{"threads", func(s *Sample) *int { return &s.Threads }, 1, 0.2},
	{"MiB of memory", func(s *Sample) *int { return &s.Memory }, 1 << 20, 64 << 10},
}

func (g gauge) amount(n int) string { return fmt.Sprintf("%d %s", n/g.unit, g.name) }

// lessThan reports whether any kind of it is less.
func (s Sample) lessThan(o Sample) bool {
	for _, g := range gauges {
		if *g.of(&s) < *g.of(&o) {
			return true
		}
	}
	return false
}

// least returns the least of both of each kind.
func (s Sample) least(o Sample) Sample {
	for _, g := range gauges {
		*g.of(&s) = min(*g.of(&s), *g.of(&o))
	}
	return s
}

// Tally is what became of the waves.
type Tally struct {
	// Objects is how many there were in each.
	Objects int
	// Samples are those after each.
	Samples []Sample
	// Interferences are what the implementation did that is not a controller's business.
	Interferences []spec.Interference
}

// Green reports whether nothing leaks and nothing interfered.
func (t *Tally) Green() bool { return len(t.Leaks()) == 0 && len(t.Interferences) == 0 }

// Leaks are the kinds that grow with the objects, for people: from the second wave to the last by so much for each
// object, and in each wave but one at most. The first wave fills caches.
func (t *Tally) Leaks() (all []string) {
	for _, g := range gauges {
		var values []int
		for _, s := range t.Samples[1:] {
			values = append(values, *g.of(&s))
		}
		grown := 0
		for i := range values[1:] {
			if values[i+1] > values[i] {
				grown++
			}
		}
		first, last, gone := values[0], values[len(values)-1], t.Objects*(len(values)-1)
		if float64(last-first) >= g.each*float64(gone) && grown >= max(1, len(values)-2) {
			all = append(all, fmt.Sprintf("from %d to %s, with %d objects that came and went: %s", first/g.unit,
				g.amount(last), gone, t.course(g)))
		}
	}
	return all
}

// course are the values after each wave.
func (t *Tally) course(g gauge) string {
	var values []string
	for _, s := range t.Samples {
		values = append(values, fmt.Sprint(*g.of(&s)/g.unit))
	}
	return strings.Join(values, ", ")
}

// Print writes what leaks, and the verdict.
func (t *Tally) Print(out io.Writer, name string) {
	leaks := t.Leaks()
	for _, leak := range leaks {
		fmt.Fprintln(out, "leak:", leak)
	}
	for _, i := range t.Interferences {
		fmt.Fprintln(out, i)
	}
	found := "no leak"
	if n := len(leaks); n > 1 {
		found = fmt.Sprintf("%d leaks", n)
	} else if n == 1 {
		found = "1 leak"
	}
	fmt.Fprintf(out, "%s %s: %s after %d waves of %d objects; in the end %s\n", console.Color(t.Green()), name, found,
		len(t.Samples), t.Objects, t.Samples[len(t.Samples)-1])
}
