package repro

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/report/timeline"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

//go:embed page.tmpl.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pageVersion is one version on the page.
type pageVersion struct {
	Reproduction
	Seen, Expected, Why, Timeline string
	SVG                           template.HTML
}

// PageName is the name of the file that WritePage writes.
const PageName = "index.html"

// WritePage writes a page, which needs no other file, into the folder of
// reports, and returns its path.
func WritePage(reports string, s *scenario.Scenario, outcomes []Reproduction) (string, error) {
	var versions []pageVersion
	for _, o := range outcomes {
		versions = append(versions, pageVersion{
			Reproduction: o, Seen: o.String(), Expected: console.Color(!o.Red), Why: o.Result.Why(),
			Timeline: o.Result.History.Timeline(),
			//nolint:gosec // escaped there
			SVG: template.HTML(timeline.SVG(o.Result.History, o.Result.Violations)),
		})
	}
	yaml, err := s.YAML()
	if err != nil {
		return "", err
	}
	var page bytes.Buffer
	err = pageTemplate.Execute(&page, map[string]any{
		"Title": Title(s), "Scenario": s, "Versions": versions, "YAML": string(yaml), "Last": LastLine(s, outcomes),
		"SourceVersion": scenario.SourceVersion,
	})
	if err != nil {
		return "", err
	}
	path := filepath.Join(reports, PageName)
	return path, os.WriteFile(path, page.Bytes(), 0o644)
}

// MarkdownName is the name of the file that WriteMarkdown writes.
const MarkdownName = "repro.md"

// WriteMarkdown writes what an issue needs into the folder of reports, and returns its
// path: versions, what was expected and seen, the scenario, the timelines and the command.
func WriteMarkdown(reports, command string, s *scenario.Scenario, outcomes []Reproduction) (string, error) {
	yaml, err := s.YAML()
	if err != nil {
		return "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "### %s\n\n", s.Description)
	if s.Because != "" {
		fmt.Fprintf(&text, "%s\n\n", s.Because)
	}
	if sources := s.Sources(); sources != "" {
		fmt.Fprintf(&text, "In Kubernetes %s: %s.\n\n", scenario.SourceVersion, sources)
	}
	text.WriteString("| controller | Kubernetes | expected | seen |\n|---|---|---|---|\n")
	for _, o := range outcomes {
		expected := "all steps"
		if s.ID() != "" && o.Red {
			expected = "all steps; this version is known to fail"
		}
		seen := "all steps, all invariants"
		if why := o.Result.Why(); why != "" {
			seen, _, _ = strings.Cut(why, "\n")
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s: %s |\n", o.Implementation, o.Version, expected, o.String(),
			strings.ReplaceAll(seen, "|", "\\|"))
	}
	fmt.Fprintf(&text, "\nTo run it, in a checkout of https://github.com/jobconformance/jobconformance:\n\n    %s\n\n",
		command)
	fmt.Fprintf(&text, "The scenario (its steps are described in suites/scenario/README.md):\n\n```yaml\n%s```\n", yaml)
	for _, o := range outcomes {
		fmt.Fprintf(&text, "\n<details><summary>%s on %s: %s</summary>\n\n```\n%s\n", o.Implementation, o.Version,
			o.String(), strings.TrimRight(o.Result.History.Timeline(), "\n"))
		if why := strings.TrimRight(o.Result.Why(), "\n"); why != "" {
			fmt.Fprintf(&text, "\n%s\n", why)
		}
		text.WriteString("```\n\n</details>\n")
	}
	path := filepath.Join(reports, MarkdownName)
	return path, os.WriteFile(path, []byte(text.String()), 0o644)
}
