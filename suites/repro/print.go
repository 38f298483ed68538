package repro

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
)

// Print prints outcomes side by side, then the timeline on each version.
func Print(out io.Writer, s *scenario.Scenario, outcomes []Reproduction) {
	fmt.Fprintf(out, "\n%s\n", Title(s))
	if s.Because != "" {
		fmt.Fprintf(out, "%s\n", s.Because)
	}
	for _, p := range s.Source {
		fmt.Fprintf(out, "  %s:%d, %s\n", p.File, p.Line, p.Function)
	}
	if s.Otherwise != "" {
		fmt.Fprintf(out, "The reference: %s\n", s.Otherwise)
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	row := func(name string, cell func(Reproduction) string) {
		fmt.Fprint(table, name)
		for _, o := range outcomes {
			fmt.Fprint(table, "\t"+cell(o))
		}
		fmt.Fprintln(table)
	}
	fmt.Fprintln(out)
	row("controller", func(o Reproduction) string { return o.Implementation })
	row("Kubernetes", func(o Reproduction) string { return o.Version })
	row("seen", func(o Reproduction) string { return o.String() })
	row("expected", func(o Reproduction) string { return strings.ToLower(console.Color(!o.Red)) })
	row("took", func(o Reproduction) string { return console.Tenths(o.Result.Took) })
	row("pods created", func(o Reproduction) string { return fmt.Sprint(podsOf(o.Result)) })
	row("failed", func(o Reproduction) string { return first(o.Result.Failed) })
	row("invariants", func(o Reproduction) string { return invariants(o.Result) })
	_ = table.Flush()
	for _, o := range outcomes {
		fmt.Fprintf(out, "\n%s %s %s\n%s\n", console.Color(o.Result.Green()), o.Implementation, o.Version,
			console.Indent(o.Result.History.Timeline(), 2))
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
func LastLine(s *scenario.Scenario, outcomes []Reproduction) string {
	if s.ID() == "" { // a scenario from a file is expected to be green
		var all []string
		for _, o := range outcomes {
			all = append(all, fmt.Sprintf("%s %s on %s: %s", o.String(), o.Implementation, o.Version, s.Description))
		}
		return strings.Join(all, "\n")
	}
	word, name := "AS EXPECTED", s.Key
	if s.Issue > 0 {
		name = fmt.Sprintf("#%d", s.Issue)
	}
	var seenAll, wanted []string
	for i, o := range outcomes {
		seen, want := o.String()+" on "+o.Version, strings.ToLower(console.Color(!o.Red))+" on "+o.Version
		if i == 0 || outcomes[i-1].Implementation != o.Implementation {
			seen = o.Implementation + " is " + seen
		}
		if seenAll = append(seenAll, seen); !o.AsExpected() {
			word = "NOT AS EXPECTED"
		}
		wanted = append(wanted, want)
	}
	text := fmt.Sprintf("%s %s: %s", word, name, strings.Join(seenAll, ", "))
	if word != "AS EXPECTED" {
		text += "; expected was " + strings.Join(wanted, ", ")
	}
	return text
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
	switch {
	case len(ids) > 0:
		return "broken: " + strings.Join(ids, ", ")
	case r.About().AtRest.IsZero():
		return "hold up to the end, the state of rest was not judged"
	}
	return "all hold"
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

// WriteTable writes the cells as a table in Markdown into the folder of reports,
// and returns its path.
func WriteTable(o Options, bugs []library.Entry, cells []Cell) (string, error) {
	path := filepath.Join(o.Reports, "matrix.md")
	var text strings.Builder
	Table(&text, o.Implementation.Name, o.Versions, bugs, cells)
	return path, os.WriteFile(path, []byte(text.String()), 0o644)
}

// Table has a row for each bug and a column for each version: red where the bug
// shows, "-" where nothing was run, and bold where it is not as expected.
func Table(out io.Writer, impl string, versions []string, bugs []library.Entry, cells []Cell) {
	fmt.Fprintf(out,
		"Bugs of upstream with %s, by version of Kubernetes: red where one shows,\nbold where "+
			"that is not as expected.\n\n", impl)
	fmt.Fprintf(out, "| issue | what must hold | %s |\n", strings.Join(versions, " | "))
	fmt.Fprintf(out, "|---|---|%s\n", strings.Repeat("---|", len(versions)))
	for _, bug := range bugs {
		var row []string
		for _, version := range versions {
			i := slices.IndexFunc(cells, func(c Cell) bool { return c.Of(bug) && c.Version == version })
			if i < 0 {
				row = append(row, "-")
				continue
			}
			row = append(row, cells[i].markdown(bug))
		}
		fmt.Fprintf(out, "| %s | %s | %s |\n", Link(bug.Scenario), bug.Description, strings.Join(row, " | "))
	}
}

func (c Cell) markdown(bug library.Entry) string {
	text := strings.ToLower(console.Color(c.Reds == 0))
	if c.Reds > 0 && c.Reds < c.Times {
		text = fmt.Sprintf("red %d of %d", c.Reds, c.Times)
	}
	if c.AsExpected(bug) {
		return text
	}
	return "**" + text + "**"
}

// Link is the number of a bug in Markdown, with a link, or its key.
func Link(s *scenario.Scenario) string {
	if s.Issue == 0 {
		return s.Key
	}
	return fmt.Sprintf("[%d](https://github.com/kubernetes/kubernetes/issues/%d)", s.Issue, s.Issue)
}
