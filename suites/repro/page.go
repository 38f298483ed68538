package repro

import (
	"bytes"
	_ "embed"
	"html/template"
	"os"
	"path/filepath"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/report/timeline"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

//go:embed page.tmpl.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pageOutcome is one version on the page.
type pageOutcome struct {
	Outcome
	Seen, Expected, Why, Timeline string
	SVG                           template.HTML
}

// PageName is the name of the file that WritePage writes.
const PageName = "index.html"

// WritePage writes a page, which needs no other file, into the folder of
// reports, and returns its path.
func WritePage(reports string, s *scenario.Scenario, impl string, outcomes []Outcome) (string, error) {
	var versions []pageOutcome
	for _, o := range outcomes {
		versions = append(versions, pageOutcome{
			Outcome: o, Seen: seen(o), Expected: console.Color(!o.Red), Why: o.Result.Why(), Timeline: o.Result.History.Timeline(),
			SVG: template.HTML(timeline.SVG(o.Result.History, o.Result.Violations)), //nolint:gosec // escaped there
		})
	}
	yaml, err := s.YAML()
	if err != nil {
		return "", err
	}
	var page bytes.Buffer
	err = pageTemplate.Execute(&page, map[string]any{
		"Title": Title(s), "Scenario": s, "Implementation": impl, "Versions": versions, "YAML": string(yaml), "Last": LastLine(s, impl, outcomes),
	})
	if err != nil {
		return "", err
	}
	path := filepath.Join(reports, PageName)
	return path, os.WriteFile(path, page.Bytes(), 0o644)
}
