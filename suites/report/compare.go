package report

import (
	"fmt"
	"io"
	"slices"
)

// Change is a requirement that did not end the same way in two reports. An
// outcome is empty where the report does not have the requirement.
type Change struct {
	ID, Text string
	Old, New Outcome
}

// Comparison is what became of the requirements from one report to another.
type Comparison struct {
	// Worse were conformant and are not, or are non-conformant and were not.
	Worse []Change
	// Better became conformant, or are no longer non-conformant.
	Better []Change
	// Other changes are neither, such as requirements only one report has.
	Other []Change
	Same  int
}

// Regressed reports whether something got worse.
func (c *Comparison) Regressed() bool { return len(c.Worse) > 0 }

// Compare returns what got better and worse. A requirement that was conformant
// and is no longer verified is worse: nobody knows it to hold any more.
func Compare(old, new *Report) *Comparison {
	before := byID(old)
	after := byID(new)
	c := &Comparison{}
	for _, id := range ids(old, new) {
		o, n := before[id], after[id]
		change := Change{ID: id, Text: n.Text, Old: o.Outcome, New: n.Outcome}
		if n.ID == "" {
			change.Text = o.Text
		}
		switch {
		case o.Outcome == n.Outcome:
			c.Same++
		case n.Outcome == NonConformant, o.Outcome == Conformant && n.ID != "":
			c.Worse = append(c.Worse, change)
		case o.ID != "" && (n.Outcome == Conformant || o.Outcome == NonConformant && n.ID != ""):
			c.Better = append(c.Better, change)
		default:
			c.Other = append(c.Other, change)
		}
	}
	return c
}

func byID(r *Report) map[string]Requirement {
	m := map[string]Requirement{}
	for _, q := range r.Requirements {
		m[q.ID] = q
	}
	return m
}

func ids(reports ...*Report) []string {
	var all []string
	for _, r := range reports {
		for _, q := range r.Requirements {
			all = append(all, q.ID)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Print writes the changes for people, and a last line that sums them up.
func (c *Comparison) Print(out io.Writer) {
	for _, part := range []struct {
		title   string
		changes []Change
	}{{"worse", c.Worse}, {"better", c.Better}, {"other", c.Other}} {
		for _, change := range part.changes {
			fmt.Fprintf(out, "%-7s %-30s %s -> %s\n        %s\n", part.title, change.ID, orAbsent(change.Old), orAbsent(change.New), change.Text)
		}
	}
	word := "NOTHING WORSE"
	if c.Regressed() {
		word = "REGRESSED"
	}
	fmt.Fprintf(out, "%s: %d worse, %d better, %d other changes, %d the same\n", word, len(c.Worse), len(c.Better), len(c.Other), c.Same)
}

func orAbsent(o Outcome) Outcome {
	if o == "" {
		return "absent"
	}
	return o
}
