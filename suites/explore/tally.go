package explore

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/explore/fields"
	"github.com/jobconformance/jobconformance/suites/internal/campaign"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
)

// Tally is what an exploration has found.
type Tally struct {
	Identity Identity
	Results  []Result
	// Missing is how many runs are yet to come.
	Missing int
	// Harness are errors of runs that have no result; they are missing, too.
	Harness []error
	Known   []spec.Bug
	Took    time.Duration
	// Differences are those from end states of other implementations, which no invariant knows.
	Differences []Difference
	// Unknown are fields that the API server has, and that nothing is known of.
	Unknown []string

	scenarios []Scenario
	again     func(sc, plan string) string
}

// Difference is one from the end state of another implementation, after the same run.
type Difference struct {
	Run, Other string
	// Lines begin with "+" where only this implementation has them, with "-" where only the
	// other one does.
	Lines []string
}

// Red reports whether something was wrong that is not known.
func (t *Tally) Red() bool {
	return slices.ContainsFunc(t.Results, func(o Result) bool { return o.Red() && knownOf(t.Known, o) == nil })
}

// Complete reports whether everything was run.
func (t *Tally) Complete() bool { return t.Missing == 0 }

// sums are the numbers of a line of the table.
type sums struct{ runs, ok, notReached, known, violations, causes int }

func (t *Tally) sums(of func(Result) bool) sums {
	var s sums
	causes := map[string]bool{}
	for _, o := range t.Results {
		if !of(o) {
			continue
		}
		s.runs++
		switch {
		case o.Red() && knownOf(t.Known, o) != nil:
			s.known++
		case o.Red():
			s.violations++
			for _, c := range o.Causes {
				causes[o.Scenario+": "+c] = true
			}
		case !o.Reached:
			s.notReached++
		default:
			s.ok++
		}
	}
	s.causes = len(causes)
	return s
}

// Print writes the table, what was wrong, and the last line.
func (t *Tally) Print(out io.Writer) {
	fmt.Fprintln(out)
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, "scenario\truns\tok\tnot reached\tknown\tviolations\tdistinct causes")
	row := func(name string, s sums) {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\t%d\t%d\n", name, s.runs, s.ok, s.notReached, s.known, s.violations,
			s.causes)
	}
	for _, sc := range t.scenarios {
		row(sc.Name, t.sums(func(o Result) bool { return o.Scenario == sc.Name }))
	}
	all := t.sums(func(Result) bool { return true })
	row("all", all)
	_ = table.Flush()
	t.printFields(out)
	t.printKnown(out)
	campaign.PrintFindings(out, t.unknown())
	for _, d := range t.Differences {
		fmt.Fprintf(out, "\n%s ends otherwise than with %s:\n  %s\n", d.Run, d.Other, strings.Join(d.Lines, "\n  "))
	}
	for _, err := range t.Harness {
		fmt.Fprintf(out, "\nno result: %v\n", err)
	}
	word := "GREEN"
	switch {
	case t.Red():
		word = "RED"
	case !t.Complete():
		word = "NOT COMPLETE"
	}
	fmt.Fprintf(out, "\n%s %s: %d of %d runs done, %d violations of %d causes, %d known, %d not reached, in %s\n", word,
		t.Identity.Implementation, all.runs, all.runs+t.Missing, all.violations, all.causes, all.known, all.notReached,
		t.Took.Round(time.Second))
}

// printFields prints in how many states each field was changed, where some were, and in how many the API server refused
// that; and the fields that nothing is known of.
func (t *Tally) printFields(out io.Writer) {
	type states map[string]bool // a scenario and a step
	changed, refused := map[string]states{}, map[string]states{}
	for _, o := range t.Results {
		i := slices.IndexFunc(t.scenarios, func(s Scenario) bool { return s.Name == o.Scenario })
		plan, err := ParsePlan(cmp.Or(o.Plan, None))
		if i < 0 || err != nil {
			continue
		}
		kind, _ := t.scenarios[i].object()
		for _, d := range plan {
			c, is := d.change(kind)
			if !is {
				continue
			}
			in := changed
			if slices.Contains(o.Refused, d.String()) {
				in = refused
			}
			for _, set := range c.Sets {
				field := kind + " " + set.Path
				if in[field] == nil {
					in[field] = states{}
				}
				in[field][o.Scenario+d.At()] = true
			}
		}
	}
	if len(changed)+len(refused) > 0 {
		table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
		fmt.Fprintln(table, "\nfield\tstates in which it was changed\trefused")
		for _, kind := range fields.Kinds {
			seen := map[string]bool{}
			for _, c := range fields.Of(kind) {
				for _, set := range c.Sets {
					if field := kind + " " + set.Path; !seen[field] {
						seen[field] = true
						fmt.Fprintf(table, "%s\t%d\t%d\n", field, len(changed[field]), len(refused[field]))
					}
				}
			}
		}
		_ = table.Flush()
	}
	for _, field := range t.Unknown {
		fmt.Fprintf(out, "the field %s is neither changed nor explained: see suites/explore/fields\n", field)
	}
}

// printKnown prints known deviations, and those that were not seen.
func (t *Tally) printKnown(out io.Writer) {
	for i, k := range t.Known {
		var of []Result
		for _, o := range t.Results {
			if known := knownOf(t.Known, o); known == &t.Known[i] {
				of = append(of, o)
			}
		}
		switch {
		case len(of) > 0:
			fmt.Fprintf(out, "\nknown, in %d runs: %s\n  %s\n", len(of), strings.TrimSpace(k.Name()+" "+k.Text),
				t.again(of[0].Scenario, of[0].Plan))
		case t.Complete() && slices.ContainsFunc(t.scenarios, func(s Scenario) bool {
			return matches(k.Explored.Scenario, s.Name)
		}):
			fmt.Fprintf(out, "\nknown, but seen in no run: %s\n", strings.TrimSpace(k.Name()+" "+k.Text))
		}
	}
}

// unknown lists what is wrong and not known.
func (t *Tally) unknown() (all []campaign.Listed) {
	for _, o := range t.Results {
		if o.Red() && knownOf(t.Known, o) == nil {
			name := cmp.Or(o.Plan, "undisturbed")
			all = append(all, campaign.Listed{Finding: o.Finding, Of: o.Scenario + ": ", Name: name,
				Again: t.again(o.Scenario, o.Plan)})
		}
	}
	return all
}

// Expected returns the bugs that explorations of an implementation show on a release, as
// in v1.37.1, with these feature gates on.
func Expected(impl, release string, on []gates.Gate) ([]spec.Bug, error) {
	bugs, err := library.Bugs()
	return slices.DeleteFunc(bugs, func(b spec.Bug) bool {
		return b.Explored == spec.Explored{} || !b.In(implementation.OriginOf(impl), release, on)
	}), err
}

// shows reports whether a bug explains a result. Nothing explains interference.
func shows(b spec.Bug, o Result) bool {
	return !slices.Contains(o.Causes, string(spec.Interfered)) &&
		matches(b.Explored.Scenario, o.Scenario) && planShows(b.Explored.Plan, o.Plan) &&
		!slices.ContainsFunc(o.Causes, func(cause string) bool { return !matches(b.Explored.Cause, cause) })
}

// atEvent is a plan with a hand-over at an event, which may be before or after any write.
var atEvent = regexp.MustCompile(`watch [a-z]+ \d+: ` + string(faultproxy.HandOver) + `(;|$)`)

// planShows reports whether a plan shows a bug by the expression for its plans. For what is left behind, a
// hand-over is a kill.
func planShows(expression, plan string) bool {
	killed := strings.ReplaceAll(plan, "hand over", "kill")
	return matches(expression, plan) || matches(expression, killed) || atEvent.MatchString(plan)
}

func matches(expression, text string) bool {
	return expression == "" || regexp.MustCompile("^(?:"+expression+")$").MatchString(text)
}

// knownOf returns the bug that explains an result, nil if none does.
func knownOf(known []spec.Bug, o Result) *spec.Bug {
	if !o.Red() {
		return nil
	}
	i := slices.IndexFunc(known, func(b spec.Bug) bool { return shows(b, o) })
	if i < 0 {
		return nil
	}
	return &known[i]
}
