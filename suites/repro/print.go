package repro

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

// Print prints outcomes side by side, then the timeline on each version.
func Print(out io.Writer, s *scenario.Scenario, outcomes []Outcome) {
	fmt.Fprintf(out, "\n%s\n", Title(s))
	if s.Because != "" {
		fmt.Fprintf(out, "%s\n", s.Because)
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	row := func(name string, cell func(Outcome) string) {
		fmt.Fprint(table, name)
		for _, o := range outcomes {
			fmt.Fprint(table, "\t"+cell(o))
		}
		fmt.Fprintln(table)
	}
	fmt.Fprintln(out)
	row("Kubernetes", func(o Outcome) string { return o.Version })
	row("seen", seen)
	row("expected", func(o Outcome) string { return strings.ToLower(console.Color(!o.Red)) })
	row("took", func(o Outcome) string { return console.Tenths(o.Result.Took) })
	row("pods created", func(o Outcome) string { return fmt.Sprint(podsOf(o.Result)) })
	row("failed", func(o Outcome) string { return first(o.Result.Failed) })
	row("invariants", func(o Outcome) string { return invariants(o.Result) })
	_ = table.Flush()
	for _, o := range outcomes {
		fmt.Fprintf(out, "\n%s %s\n%s\n", console.Color(o.Result.Green()), o.Version, console.Indent(o.Result.History.Timeline(), 2))
		if why := o.Result.Why(); why != "" {
			fmt.Fprintf(out, "\n%s\n", strings.TrimRight(why, "\n"))
		}
	}
}

// Title is a scenario on one line.
func Title(s *scenario.Scenario) string {
	if s.Issue == 0 {
		return s.Description
	}
	return fmt.Sprintf("#%d %s", s.Issue, s.Description)
}

// LastLine compares the outcomes with what was expected.
func LastLine(s *scenario.Scenario, impl string, outcomes []Outcome) string {
	if s.Issue == 0 { // a scenario from a file is expected to be green
		var all []string
		for _, o := range outcomes {
			all = append(all, fmt.Sprintf("%s %s on %s: %s", seen(o), impl, o.Version, s.Description))
		}
		return strings.Join(all, "\n")
	}
	word := "AS EXPECTED"
	var seenAll, wanted []string
	for _, o := range outcomes {
		seenAll = append(seenAll, seen(o)+" on "+o.Version)
		wanted = append(wanted, strings.ToLower(console.Color(!o.Red))+" on "+o.Version)
		if !o.AsExpected() {
			word = "NOT AS EXPECTED"
		}
	}
	text := fmt.Sprintf("%s #%d: %s is %s", word, s.Issue, impl, strings.Join(seenAll, ", "))
	if word != "AS EXPECTED" {
		text += "; expected was " + strings.Join(wanted, ", ")
	}
	return text
}

func seen(o Outcome) string {
	if o.Times == 1 {
		return console.Color(o.Reds == 0)
	}
	return fmt.Sprintf("RED %d times of %d", o.Reds, o.Times)
}

func podsOf(r *scenario.Result) int {
	n := 0
	for _, revision := range r.History.Revisions {
		if revision.Pod() != nil && revision.Type == "ADDED" {
			n++
		}
	}
	return n
}

func invariants(r *scenario.Result) string {
	var ids []string
	for _, v := range r.Violations {
		ids = append(ids, v.Invariant.ID)
	}
	if len(ids) == 0 {
		return "all hold"
	}
	return "broken: " + strings.Join(ids, ", ")
}

func first(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if runes := []rune(line); len(runes) > 60 {
		line = string(runes[:59]) + "…"
	}
	if line == "" {
		return "nothing"
	}
	return line
}
