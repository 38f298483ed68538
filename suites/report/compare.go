package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/spec"
)

// Change is a requirement that did not end the same way in two reports. An
// outcome is empty where the report does not have the requirement.
type Change struct {
	ID   string  `json:"id"`
	Text string  `json:"text"`
	Old  Outcome `json:"old,omitempty"`
	New  Outcome `json:"new,omitempty"`
}

// Comparison is what became of the requirements from one report to another.
type Comparison struct {
	// Worse ended worse than before, or are new and non-conformant.
	Worse []Change `json:"worse"`
	// Better ended better than before.
	Better []Change `json:"better"`
	// Other changes are neither, such as requirements only one report has.
	Other []Change `json:"other"`
	Same  int      `json:"same"`
	// Implementations are the names of both.
	Implementations [2]string `json:"implementations"`
}

// Regressed reports whether something got worse.
func (c *Comparison) Regressed() bool { return len(c.Worse) > 0 }

// rank orders outcomes, the best first. A requirement that was conformant and is no longer
// verified is worse: nobody knows it to hold any more.
func rank(o Outcome) int {
	switch o {
	case Conformant:
		return 0
	case spec.Warning:
		return 1
	case spec.KnownIssue:
		return 2
	case NonConformant, spec.UnexpectedPass:
		return 4
	default: // not verified, declined, harness error
		return 3
	}
}

// Compare returns what got better and worse.
func Compare(old, new *Report) *Comparison {
	before := byID(old)
	after := byID(new)
	c := &Comparison{Worse: []Change{}, Better: []Change{}, Other: []Change{},
		Implementations: [...]string{old.Implementation.Name, new.Implementation.Name}}
	for _, id := range ids(old, new) {
		o, n := before[id], after[id]
		change := Change{ID: id, Text: cmp.Or(n.Text, o.Text), Old: o.Outcome, New: n.Outcome}
		switch both := o.ID != "" && n.ID != ""; {
		case o.Outcome == n.Outcome:
			c.Same++
		case both && rank(n.Outcome) > rank(o.Outcome), o.ID == "" && n.Outcome == NonConformant:
			c.Worse = append(c.Worse, change)
		case both && rank(n.Outcome) < rank(o.Outcome):
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
			fmt.Fprintf(out, "%-7s %-30s %s -> %s\n        %s\n", part.title, change.ID, cmp.Or(change.Old, "absent"),
				cmp.Or(change.New, "absent"), change.Text)
		}
	}
	if of := c.Implementations; of[0] != of[1] {
		fmt.Fprintf(out, "note: the reports are of two implementations, %s and %s\n", of[0], of[1])
	}
	word := "NOTHING WORSE"
	if c.Regressed() {
		word = "REGRESSED"
	}
	fmt.Fprintf(out, "%s: %d worse, %d better, %d other changes, %d the same\n", word, len(c.Worse), len(c.Better),
		len(c.Other), c.Same)
}
