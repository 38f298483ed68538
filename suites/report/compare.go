package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
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
	// Notes say in what else than outcomes the reports differ: controllers, versions, what was
	// selected.
	Notes []string `json:"notes"`
	// Worse ended worse than before, or are new and non-conformant.
	Worse []Change `json:"worse"`
	// Better ended better than before.
	Better []Change `json:"better"`
	// Other changes are neither, such as requirements only one report has.
	Other []Change `json:"other"`
	Same  int      `json:"same"`
	// Requests are those of which there are more, beyond noise, in specs that passed in both. They are nothing worse:
	// no requirement says how many there may be.
	Requests []Growth `json:"requests"`
	// Incomplete is why the new report does not know the end of all its specs: what is not verified in it is
	// not worse then. Empty if it does.
	Incomplete string `json:"incomplete,omitempty"`
}

// NoVerdict reports whether nothing got worse as far as the new report goes, and it is incomplete.
func (c *Comparison) NoVerdict() bool { return c.Incomplete != "" && !c.Regressed() }

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

// Compare returns what got better and worse. It refuses reports that have no requirement in
// common; the error is a *badinput.Error.
func Compare(old, new *Report) (*Comparison, error) {
	before := byID(old)
	after := byID(new)
	c := &Comparison{Notes: differences(old, new), Worse: []Change{}, Better: []Change{}, Other: []Change{},
		Requests: growth(old.Requests, new.Requests), Incomplete: new.Unfinished()}
	for _, id := range ids(old, new) {
		o, n := before[id], after[id]
		change := Change{ID: id, Text: cmp.Or(n.Text, o.Text), Old: o.Outcome, New: n.Outcome}
		switch both := o.ID != "" && n.ID != ""; {
		case o.Outcome == n.Outcome:
			c.Same++
		case isByChance(o, n), isByChance(n, o):
			c.Other = append(c.Other, change)
		case c.Incomplete != "" && (n.Outcome == spec.NotVerified || n.Outcome == spec.HarnessError):
			c.Other = append(c.Other, change)
		case both && rank(n.Outcome) > rank(o.Outcome), o.ID == "" && n.Outcome == NonConformant:
			c.Worse = append(c.Worse, change)
		case both && rank(n.Outcome) < rank(o.Outcome):
			c.Better = append(c.Better, change)
		default:
			c.Other = append(c.Other, change)
		}
	}
	if c.Same+len(c.Worse)+len(c.Better)+len(c.Other) == len(before)+len(after) {
		return nil, badinput.New("the reports have no requirement in common", "compare reports of one kind of run")
	}
	return c, nil
}

// isByChance reports whether a requirement is a known issue in one report only, by bugs that some runs do not show.
func isByChance(known, other Requirement) bool {
	shows := func(sometimes bool) bool {
		return slices.ContainsFunc(known.Evidence, func(e Evidence) bool {
			return e.KnownIssue != "" && e.Sometimes == sometimes
		})
	}
	return known.Outcome == spec.KnownIssue && other.Outcome == Conformant && shows(true) && !shows(false)
}

// differences are what two reports differ in beside outcomes, for people.
func differences(old, new *Report) []string {
	notes := []string{}
	list := func(words []string) string { return strings.Join(words, ", ") }
	for _, part := range []struct{ what, old, new, none string }{
		{"controllers", old.Implementation.Name, new.Implementation.Name, ""},
		{"halves of it", list(old.Implementation.Controllers), list(new.Implementation.Controllers), "both"},
		{"values of managedBy", old.Implementation.ManagedBy, new.Implementation.ManagedBy, "none"},
		{"custom resources", old.Implementation.CronJob, new.Implementation.CronJob, "none"},
		{"clusters", old.Cluster.Kind, new.Cluster.Kind, ""},
		{"versions of Kubernetes", old.Cluster.KubernetesVersion, new.Cluster.KubernetesVersion, ""},
		{"feature gates", old.Cluster.FeatureGates, new.Cluster.FeatureGates, "none"},
		{"environments", old.Cluster.Environment, new.Cluster.Environment, "none"},
		{"specs by --focus", old.Selection.Focus, new.Selection.Focus, "all"},
		{"specs by --skip", old.Selection.Skip, new.Selection.Skip, "none"},
		{"specs by --labels", old.Selection.Labels, new.Selection.Labels, "all"},
		{"specs by --requirement", list(old.Selection.Requirements), list(new.Selection.Requirements), "all"},
		{"specs by --rerun-failed", old.Selection.RerunFailed, new.Selection.RerunFailed, "all"},
		{"specs by --next", steps(old), steps(new), "all"},
		{"shards", old.Selection.Shard, new.Selection.Shard, "all"},
	} {
		if part.old != part.new {
			notes = append(notes, fmt.Sprintf("they have different %s: %s, then %s", part.what,
				cmp.Or(part.old, part.none, "unknown"), cmp.Or(part.new, part.none, "unknown")))
		}
	}
	for i, r := range []*Report{old, new} {
		if why := r.Unfinished(); why != "" {
			notes = append(notes, fmt.Sprintf("the %s one is incomplete, specs not run: %d; %s",
				[]string{"old", "new"}[i], len(r.NotRun), why))
		}
	}
	return notes
}

// steps says how a run went on with --next.
func steps(r *Report) string {
	if !r.Selection.Next {
		return ""
	}
	return "up to the first rung that does not hold"
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
			line := fmt.Sprintf("%-7s %-30s %s -> %s\n%s", part.title, change.ID, cmp.Or(change.Old, "absent"),
				cmp.Or(change.New, "absent"), change.Text)
			fmt.Fprintln(out, console.Hanging(line, 8))
		}
	}
	for _, note := range c.Notes {
		fmt.Fprintln(out, "note:", console.Hanging(note, 4))
	}
	for _, g := range c.Requests {
		fmt.Fprintln(out, console.Hanging(fmt.Sprint(g), 4))
	}
	word := "NOTHING WORSE"
	switch {
	case c.Regressed():
		word = "REGRESSED"
	case c.NoVerdict():
		word = "NO VERDICT, the new report is incomplete"
	}
	fmt.Fprintf(out, "%s: %d worse, %d better, %d other changes, %d the same\n", word, len(c.Worse), len(c.Better),
		len(c.Other), c.Same)
}
