// Package report makes Markdown of what a benchmark measured.
package report

import (
	"fmt"
	"math"
	"slices"
)

// Median returns the middle of some numbers, the mean of the middle two of an
// even number of them, and NaN of none.
func Median(numbers []float64) float64 {
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

// ratio is a to b, "–" where that says nothing.
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
