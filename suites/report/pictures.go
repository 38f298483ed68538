package report

import (
	"fmt"
	"html/template"
	"path/filepath"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/suites/report/timeline"
)

// lastEvents is how many of a namespace's events a page shows of a failed spec.
const lastEvents = 20

// Pictures draws the saved histories of a folder, each judged once more, and
// gives their files relative to base, both by the text of the spec. No folder is
// no history.
func Pictures(folder, base string) (pictures map[string]Picture, files map[string]string, err error) {
	pictures, files = map[string]Picture{}, map[string]string{}
	found, err := filepath.Glob(filepath.Join(folder, "*"+history.Suffix))
	if err != nil {
		return nil, nil, err
	}
	for _, path := range found {
		about, h, err := history.Load(path)
		if err != nil {
			return nil, nil, err
		}
		p := pictures[about.Spec]
		p.SVG += template.HTML(timeline.SVG(h, invariants.Check(h, invariants.OptionsFor(about)...))) //nolint:gosec // escaped there
		if about.Failed {
			p.Details = events(h)
		}
		pictures[about.Spec] = p
		if files[about.Spec], err = filepath.Rel(base, path); err != nil {
			return nil, nil, err
		}
	}
	return pictures, files, nil
}

// events are the last ones of a history, a line each.
func events(h history.History) string {
	var lines []string
	for _, r := range h.Revisions {
		if e := r.Event(); e != nil {
			lines = append(lines, fmt.Sprintf("%s %s %s/%s %s: %s", r.At.UTC().Format("15:04:05.000"),
				e.Type, e.InvolvedObject.Kind, e.InvolvedObject.Name, e.Reason, firstLine(e.Message)))
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return "The last events:\n" + strings.Join(lines[max(0, len(lines)-lastEvents):], "\n")
}
