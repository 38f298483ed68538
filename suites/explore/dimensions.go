package explore

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
)

// Dimension is a kind of disturbance that an exploration takes in only where it is asked for: there are too many
// of them for every run.
type Dimension struct {
	Name  string // for users to choose it by
	About string // what happens, in a few words
	plans func(Seen, Scenario) []Plan
}

// dimensions are all that there are.
var dimensions = []Dimension{}

// Dimensions returns those with the names, or all of them for "all". The error is a *badinput.Error.
func Dimensions(names ...string) ([]Dimension, error) {
	if slices.Equal(names, []string{"all"}) {
		return dimensions, nil
	}
	var chosen []Dimension
	for _, name := range names {
		at := slices.IndexFunc(dimensions, func(d Dimension) bool { return d.Name == name })
		if at < 0 {
			var all []string
			for _, d := range dimensions {
				all = append(all, d.Name)
			}
			return nil, badinput.New(fmt.Sprintf("%q is no dimension of exploration", name),
				"choose some of "+strings.Join(append(all, "all"), ", "))
		}
		chosen = append(chosen, dimensions[at])
	}
	return chosen, nil
}

// DimensionsHelp has a line for each.
func DimensionsHelp() string {
	var lines strings.Builder
	for _, d := range dimensions {
		fmt.Fprintf(&lines, "  %-9s %s\n", d.Name, d.About)
	}
	return lines.String()
}
