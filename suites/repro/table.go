package repro

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
)

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
	fmt.Fprintf(out, "Bugs of upstream with %s, by version of Kubernetes: red where one shows,\nbold where that is not as expected.\n\n", impl)
	fmt.Fprintf(out, "| issue | what must hold | %s |\n", strings.Join(versions, " | "))
	fmt.Fprintf(out, "|---|---|%s\n", strings.Repeat("---|", len(versions)))
	for _, bug := range bugs {
		var row []string
		for _, version := range versions {
			i := slices.IndexFunc(cells, func(c Cell) bool { return c.Issue == bug.Issue && c.Version == version })
			if i < 0 {
				row = append(row, "-")
				continue
			}
			row = append(row, cells[i].markdown(bug))
		}
		fmt.Fprintf(out, "| [%d](https://github.com/kubernetes/kubernetes/issues/%d) | %s | %s |\n", bug.Issue, bug.Issue, bug.Description, strings.Join(row, " | "))
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
