package score

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/score/measured"
	"sigs.k8s.io/yaml"
)

// Complete reports whether all drawn mutants were run.
func (c *Campaign) Complete() bool { return c.Drawn > 0 && len(c.Results) == c.Drawn }

// Measured counts.
func (c *Campaign) Measured() measured.Score {
	m := measured.Score{
		Version: c.Version, Seed: c.Seed, Count: c.Drawn, Broken: c.Broken,
		Suite: cmp.Or(version.Suite(), "unknown"), Date: time.Now().UTC().Format(time.DateOnly),
	}
	for _, r := range c.Results {
		switch {
		case r.Caught():
			m.Caught++
			if r.Exited {
				m.Crashed++
			}
		case r.Harness != "":
			m.NotStarted++
		case c.list.reason(c.Version, r.Mutant) != "":
			m.Equivalent++
		default:
			m.Survived++
			if r.Warns {
				m.Warned++
			}
		}
	}
	return m
}

// tableOf returns what writes a row of a table in Markdown.
func tableOf(out io.Writer) (row func(cells ...string)) {
	return func(cells ...string) {
		for i, cell := range cells {
			cells[i] = strings.ReplaceAll(cell, "|", `\|`)
		}
		_, _ = fmt.Fprintf(out, "| %s |\n", strings.Join(cells, " | "))
	}
}

// WriteTable writes all results as Markdown.
func (c *Campaign) WriteTable(out io.Writer) {
	row := tableOf(out)
	_, _ = fmt.Fprintf(out, "# Mutants of Kubernetes %s, seed %d\n\n%s\n\n", c.Version, c.Seed, c.Measured())
	row("result", "place", "operator", "change", "by or why", "spec", "specs run", "seconds")
	row("---", "---", "---", "---", "---", "---", "---", "---")
	for _, r := range c.Results {
		word, why := "survived", fmt.Sprintf("%d specs reach it", r.Reaching)
		switch reason := c.list.reason(c.Version, r.Mutant); {
		case r.Caught():
			word, why = "caught", by(r)
		case r.Harness != "":
			word, why = "not started", r.Harness
		case reason != "":
			word, why = "equivalent", reason
		case r.Warns:
			word, why = "survived, with a warning", by(r)
		}
		place := fmt.Sprintf("%s:%d %s", r.Mutant.File, r.Mutant.Line, r.Mutant.Function)
		row(word, place, r.Mutant.Operator, "`"+r.Mutant.Change+"`", why, r.Spec, fmt.Sprint(r.Ran),
			fmt.Sprintf("%.0f", r.Seconds))
	}
}

// WriteSurvivors writes those that are not in the list, and that nothing warns of, as entries
// of equivalent.yaml, without their reasons.
func (c *Campaign) WriteSurvivors(out io.Writer) error {
	var left []Equivalent
	for _, r := range c.Results {
		if m := r.Mutant; r.Spec == "" && r.Harness == "" && c.list.reason(c.Version, m) == "" {
			left = append(left, Equivalent{Version: c.Version, File: m.File, Function: m.Function, Operator: m.Operator,
				Change: m.Change})
		}
	}
	text, err := yaml.Marshal(left)
	if err == nil {
		_, err = out.Write(text)
	}
	return err
}
