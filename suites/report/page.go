package report

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/limits"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/report/timeline"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

//go:embed page.tmpl.html
var pageText string

//go:embed page.css
var pageStyle template.CSS

//go:embed page.js
var pageScript template.JS

// pagePolicy has browsers run the script of the page alone, and load nothing.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte("\n" + pageScript))
	return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; " +
		"script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"class":  Class,
	"first":  firstLine,
	"anchor": anchor,
	"join":   func(words any) string { return strings.Trim(fmt.Sprint(words), "[]") },
	"parts":  contract.Parts,
	"style":  func() template.CSS { return pageStyle },
	"script": func() template.JS { return pageScript },
	"policy": func() string { return pagePolicy },
	// Page sets these.
	"code": func(Evidence) string { return "" },
	"age":  func(*metav1.Time, Outcome) string { return "" },
	"new":  func(*metav1.Time) bool { return false },
}).Parse(pageText))

// Style is the stylesheet of the page, for other pages that look like it.
func Style() string { return string(pageStyle) }

// Class is the class of the stylesheet for an Outcome, a Result or its Word.
func Class(of any) string { return strings.ReplaceAll(fmt.Sprint(of), " ", "-") }

// Picture is what the page shows of a spec besides its outcome.
type Picture struct {
	// Timelines are those of its namespaces; empty if there is none.
	Timelines []Timeline
	// Refused are the requests of the implementation that failed, a line each; empty if there are none.
	Refused string
	// Details are what else is known of a spec that failed, as text: events, logs.
	Details string
	// Again is the command that runs it again.
	Again string
}

// Timeline is what a reader sees of a history.
type Timeline struct {
	SVG template.HTML
	// Revisions are those that the picture has, as timeline.Revisions returns them.
	Revisions string
}

// UnmarshalJSON reads a timeline of another run. A picture that none has drawn is left out.
func (t *Timeline) UnmarshalJSON(text []byte) error {
	var from struct{ SVG, Revisions string }
	if err := json.Unmarshal(text, &from); err != nil {
		return err
	}
	svg, err := timeline.Clean(from.SVG)
	if err != nil {
		svg = ""
	}
	*t = Timeline{template.HTML(svg), from.Revisions} //nolint:gosec // clean
	return nil
}

// fit takes the timelines away for which a page has no room any more, in bytes.
func (p *Picture) fit(room *int) {
	size := 0
	for _, t := range p.Timelines {
		size += len(t.SVG) + len(t.Revisions)
	}
	if size > *room {
		p.Timelines = nil
		p.Details += fmt.Sprintf("There is no timeline: those of other specs have %s already. jobconformance "+
			"check-history --timeline prints a saved history.\n", limits.Size(limits.Pictures))
		return
	}
	*room -= size
}

// pageSpec is a spec with all requirements for which it is evidence.
type pageSpec struct {
	Evidence
	Requirements []string
	Features     []contract.Feature
	Open         bool
	Group        int  // the causes from below 0 upwards; 0 for none
	Example      bool // of its cause
	Picture
}

// afterExample puts the example of a cause before its other specs.
func (s *pageSpec) afterExample(other *pageSpec) int {
	switch {
	case s.Example == other.Example:
		return 0
	case s.Example:
		return -1
	}
	return 1
}

// specSection is a part of the list of specs.
type specSection struct {
	ID, Title string
	Specs     []*pageSpec
}

// openSpecs is how many failed specs are unfolded at first: one of each cause.
const openSpecs = 5

// Page renders index.html, one file that needs no other. Pictures are by the text of specs, and logs are
// the paths of files that it has links to.
func Page(r *Report, pictures map[string]Picture, logs []string) ([]byte, error) {
	requirements := slices.Clone(r.Requirements)
	slices.SortStableFunc(requirements, func(a, b Requirement) int {
		return slices.Index(Outcomes(), a.Outcome) - slices.Index(Outcomes(), b.Outcome)
	})
	var features []contract.Feature
	totals, profiles := Counts{}, map[contract.Profile]Counts{}
	for _, p := range r.Profiles {
		profiles[p.Name] = Counts{}
		for o, n := range p.Core.Statistics {
			profiles[p.Name][o] += n
		}
		for o, n := range p.Extended.Statistics {
			profiles[p.Name][o] += n
		}
	}
	for _, q := range r.Requirements {
		totals[q.Outcome]++
		features = append(features, q.Feature)
	}
	slices.Sort(features)
	features = slices.Compact(features)
	var both []Outcome // each once: some are of specs, some of requirements
	for _, o := range append(SpecOutcomes(), Outcomes()...) {
		if totals[o]+r.Specs[o] > 0 && !slices.Contains(both, o) {
			both = append(both, o)
		}
	}
	var provisional []Requirement
	for _, q := range requirements {
		if q.Provisional {
			provisional = append(provisional, q)
		}
	}
	requirements = slices.DeleteFunc(requirements, func(q Requirement) bool { return q.Provisional })
	t, err := pageTemplate.Clone()
	if err != nil {
		return nil, err
	}
	t.Funcs(template.FuncMap{"code": func(e Evidence) string { return CodeURL(r.SuiteVersion, e.Source()) },
		"age": r.Age, "new": r.New})
	var b bytes.Buffer
	err = t.Execute(&b, map[string]any{
		"Report": r, "Sections": sections(r, pictures), "Requirements": requirements, "Provisional": provisional,
		"Features": features,
		"Outcomes": Outcomes(), "SpecOutcomes": SpecOutcomes(), "Both": both, "Totals": totals,
		"ByProfile": profiles, "ByFeature": byFeature(r.Requirements, features), "Logs": logs,
		"FirstCauses": printedCauses, "MoreCauses": len(r.Causes) - printedCauses,
	})
	return b.Bytes(), err
}

// sections are the specs, the worst first: the failed ones, those that the reader should
// know of, and the rest.
func sections(r *Report, pictures map[string]Picture) []specSection {
	var specs []*pageSpec
	at := map[string]*pageSpec{}
	for _, q := range r.Requirements {
		for _, e := range q.Evidence {
			s := at[e.Spec]
			if s == nil {
				s = &pageSpec{Evidence: e, Picture: pictures[e.Spec]}
				at[e.Spec] = s
				specs = append(specs, s)
			}
			s.Requirements = append(s.Requirements, q.ID)
			if !slices.Contains(s.Features, q.Feature) {
				s.Features = append(s.Features, q.Feature)
			}
		}
	}
	for i, c := range r.Causes {
		for _, text := range c.Specs {
			if s := at[text]; s != nil {
				s.Group, s.Example = i-len(r.Causes), text == c.Example
			}
		}
	}
	slices.SortStableFunc(specs, func(a, b *pageSpec) int {
		return cmp.Or(cmp.Compare(slices.Index(SpecOutcomes(), a.Outcome), slices.Index(SpecOutcomes(), b.Outcome)),
			cmp.Compare(a.Group, b.Group), a.afterExample(b), strings.Compare(a.Spec, b.Spec))
	})
	all := []specSection{{ID: "failed", Title: "Failed specs"}, {ID: "noted", Title: "Known issues and warnings"},
		{ID: "specs", Title: "Other specs"}}
	opened := 0
	for _, s := range specs {
		section := &all[2]
		switch {
		case s.Outcome.Red():
			section = &all[0]
			if s.Open = opened < openSpecs && (s.Example || s.Group == 0); s.Open {
				opened++
			}
		case s.Outcome == spec.KnownIssue || s.Outcome == spec.Warning:
			section = &all[1]
		}
		section.Specs = append(section.Specs, s)
	}
	return all
}

// WritePage writes index.html into a folder.
func WritePage(folder string, r *Report, pictures map[string]Picture, logs []string) error {
	text, err := Page(r, pictures, logs)
	if err != nil {
		return err
	}
	return replace(filepath.Join(folder, PageName), text)
}

// logsIn returns the names of logs in a folder of reports, that of the implementation first.
func logsIn(folder string) (names []string) {
	for _, pattern := range []string{"implementation*.log", "companion*.log", "harness.log"} {
		found, _ := filepath.Glob(filepath.Join(folder, pattern))
		for _, path := range found {
			names = append(names, filepath.Base(path))
		}
	}
	return names
}

type featureRow struct {
	Profile contract.Profile
	Feature contract.Feature
	Counts  Counts
}

func byFeature(requirements []Requirement, features []contract.Feature) []featureRow {
	var rows []featureRow
	for _, profile := range contract.Profiles() {
		for _, feature := range features {
			row := featureRow{profile, feature, Counts{}}
			for _, q := range requirements {
				if !q.Provisional && q.Feature == feature && (contract.Requirement{ID: q.ID}).Profile() == profile {
					row.Counts[q.Outcome]++
				}
			}
			if len(row.Counts) > 0 {
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// anchor turns a text into an ID for links.
func anchor(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			return r
		default:
			return '-'
		}
	}, text)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
