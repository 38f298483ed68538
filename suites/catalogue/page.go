package catalogue

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/types"
)

// WritePage writes all requirements for people, as Markdown: a table for each
// area, with the specs that cover them, and how many there are at the end.
func WritePage(w io.Writer, requirements []Requirement, specs types.SpecReports) error {
	var b strings.Builder
	b.WriteString("# Requirements\n\nWhat `batch/v1` promises of Jobs and CronJobs, one sentence each (MUST, SHOULD and MAY as in\n" +
		"RFC 2119), with where it is written and the specs that check it. `make requirements` writes\n" +
		"this page; the tables come from [suites/catalogue](catalogue).\n\n")
	areas := byArea(requirements)
	for _, a := range areas {
		fmt.Fprintf(&b, "- [%s](#%s): %d\n", a.name, strings.ToLower(a.name), len(a.requirements))
	}
	tests := specsByRequirement(specs)
	for _, a := range areas {
		fmt.Fprintf(&b, "\n## %s\n\n| ID | requirement | source | versions | feature | specs |\n|---|---|---|---|---|---|\n", a.name)
		for _, r := range a.requirements {
			versions := r.Versions
			if versions == "" {
				versions = "all"
			}
			fmt.Fprintf(&b, "| <a id=\"%s\"></a>%s | %s | %s | %s | %s | %s |\n", r.ID, r.ID,
				cell(r.Text), Links(cell(r.Source)), cell(versions), r.Feature, cell(strings.Join(tests[r.ID], "<br>")))
		}
	}
	var extended int
	for _, r := range requirements {
		if r.Feature != Core {
			extended++
		}
	}
	fmt.Fprintf(&b, "\n%d requirements: %d of the core, %d of features.\n", len(requirements), len(requirements)-extended, extended)
	_, err := io.WriteString(w, b.String())
	return err
}

type area struct {
	name         string
	requirements []Requirement
}

// byArea groups requirements that are sorted by ID.
func byArea(requirements []Requirement) []area {
	var areas []area
	for _, r := range requirements {
		name := r.ID[:max(strings.LastIndex(r.ID, "-"), 0)]
		if len(areas) == 0 || areas[len(areas)-1].name != name {
			areas = append(areas, area{name: name})
		}
		last := &areas[len(areas)-1]
		last.requirements = append(last.requirements, r)
	}
	return areas
}

func specsByRequirement(specs types.SpecReports) map[string][]string {
	tests := map[string][]string{}
	for _, spec := range specs {
		for _, id := range under(RequirementLabel, spec.Labels()) {
			tests[id] = append(tests[id], spec.FullText())
		}
	}
	for _, texts := range tests {
		slices.Sort(texts)
	}
	return tests
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "< ", "&lt; ", "*", `\*`).Replace(text)
}

// apiPage documents the Go types of the API with their comments, field by field.
const apiPage = "https://pkg.go.dev/k8s.io/api/batch/v1#"

var sources = []struct {
	pattern *regexp.Regexp
	url     string
}{
	{regexp.MustCompile(`KEP-([0-9]+)`), "https://github.com/kubernetes/enhancements/issues/$1"},
	{regexp.MustCompile(`kubernetes/kubernetes#([0-9]+)`), "https://github.com/kubernetes/kubernetes/issues/$1"},
	{regexp.MustCompile(`docs: ([a-z0-9/-]+)(#[a-z0-9-]+)?`), "https://kubernetes.io/docs/$1/$2"},
	{regexp.MustCompile(`batch/v1 ([A-Z]\w+)\.ttlSecondsAfterFinished`), apiPage + "$1.TTLSecondsAfterFinished"},
	{regexp.MustCompile(`batch/v1 ([A-Z]\w+)\.([a-z])(\w+)`), apiPage},
	{regexp.MustCompile(`batch/v1 ([A-Z]\w+)`), apiPage + "$1"},
}

// Links makes links, in Markdown, of the parts of a Source that have a page.
func Links(source string) string {
	var b strings.Builder
	for _, p := range Parts(source) {
		if p.URL == "" {
			b.WriteString(p.Text)
		} else {
			fmt.Fprintf(&b, "[%s](%s)", p.Text, p.URL)
		}
	}
	return b.String()
}

// Part is a piece of a Source. URL is the page it names, empty if it names none.
type Part struct{ Text, URL string }

// Parts splits a Source into pieces that make it up again.
func Parts(source string) []Part {
	var parts []Part
	for source != "" {
		start, end, url := nextLink(source)
		if start > 0 {
			parts = append(parts, Part{Text: source[:start]})
		}
		if url == "" {
			break
		}
		parts = append(parts, Part{source[start:end], url})
		source = source[end:]
	}
	return parts
}

// nextLink is the first part of a source that has a page.
func nextLink(source string) (start, end int, url string) {
	start = len(source)
	for _, s := range sources {
		at := s.pattern.FindStringSubmatchIndex(source)
		if at == nil || at[0] >= start {
			continue
		}
		start, end = at[0], at[1]
		url = string(s.pattern.ExpandString(nil, s.url, source, at))
		if s.url == apiPage { // a field's name in Go begins with a capital
			url += source[at[2]:at[3]] + "." + strings.ToUpper(source[at[4]:at[5]]) + source[at[6]:at[7]]
		}
	}
	return start, end, url
}
