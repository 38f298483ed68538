package covers

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/onsi/ginkgo/v2/types"
)

// WritePage writes the requirements as Markdown: a table for each area, with the
// specs that cover each requirement, and the number of requirements at the end.
func WritePage(w io.Writer, requirements []contract.Requirement, specs types.SpecReports) error {
	var b strings.Builder
	b.WriteString("# Requirements\n\nWhat `batch/v1` promises of Jobs and CronJobs, one sentence each " +
		"(MUST, SHOULD and MAY as in\n" +
		"RFC 2119), with where it is written and the specs that check it. `make requirements` writes\n" +
		"this page; they are declared in the folders `requirements` beside the specs.\n\n")
	areas := byArea(requirements)
	for _, a := range areas {
		fmt.Fprintf(&b, "- [%s](#%s): %d\n", a.name, strings.ToLower(a.name), len(a.requirements))
	}
	tests := specsByRequirement(specs)
	for _, a := range areas {
		fmt.Fprintf(&b,
			"\n## %s\n\n| ID | requirement | source | versions | feature | specs |\n|---|---|---|---|---|---|\n",
			a.name)
		for _, r := range a.requirements {
			versions := r.Versions
			if versions == "" {
				versions = "all"
			}
			for _, gate := range r.Gates {
				versions += fmt.Sprintf(", gate [%s](#gate-%s)", gate, gate)
			}
			if r.Provisional {
				versions += ", provisional"
			}
			fmt.Fprintf(&b, "| <a id=\"%s\"></a>%s | %s | %s | %s | %s | %s |\n", r.ID, r.ID,
				cell(r.Text), contract.Links(cell(r.Source)), cell(versions), r.Feature,
				strings.Join(tests[r.ID], "<br>"))
		}
	}
	var extended int
	for _, r := range requirements {
		if r.Feature != contract.Core {
			extended++
		}
	}
	fmt.Fprintf(&b, "\n%d requirements: %d of the core, %d of features.\n", len(requirements),
		len(requirements)-extended, extended)
	writeGates(&b, requirements)
	_, err := io.WriteString(w, b.String())
	return err
}

// writeGates writes the feature gates that the suites know, with what depends on them.
func writeGates(b *strings.Builder, requirements []contract.Requirement) {
	b.WriteString("\n## Feature gates\n\n" +
		"Those that the suites know. Requirements of a gate are not verified where it is off, and declined where it\n" +
		"is off by default. `--feature-gates` switches it on, together with the gates and APIs that it needs.\n\n" +
		"| gate | KEP | versions | needs | requirements |\n|---|---|---|---|---|\n")
	for _, k := range gates.All() {
		var versions, needs, of []string
		for _, s := range k.Since {
			version := fmt.Sprintf("1.%d %s", s.Minor, s.Maturity)
			if s.Maturity != gates.GA && s.On {
				version += ", on"
			} else if s.Maturity == gates.Beta {
				version += ", off"
			}
			versions = append(versions, version)
		}
		for _, needed := range k.Needs {
			needs = append(needs, string(needed))
		}
		needs = append(needs, slices.Compact(slices.Sorted(maps.Values(k.API)))...)
		for _, r := range requirements {
			if slices.Contains(r.Gates, k.Gate) {
				of = append(of, fmt.Sprintf("[%s](#%s)", r.ID, r.ID))
			}
		}
		fmt.Fprintf(b, "| <a id=\"gate-%s\"></a>%s | %s | %s | %s | %s |\n", k.Gate, k.Gate,
			contract.Links(fmt.Sprintf("KEP-%d", k.KEP)), strings.Join(versions, "; "), strings.Join(needs, ", "),
			strings.Join(of, ", "))
	}
}

type area struct {
	name         string
	requirements []contract.Requirement
}

// byArea groups requirements that are sorted by ID.
func byArea(requirements []contract.Requirement) []area {
	var areas []area
	for _, r := range requirements {
		name := r.Area()
		if len(areas) == 0 || areas[len(areas)-1].name != name {
			areas = append(areas, area{name: name})
		}
		last := &areas[len(areas)-1]
		last.requirements = append(last.requirements, r)
	}
	return areas
}

// specsByRequirement returns the texts of specs, with links to their files and without lines: each
// edit would change those.
func specsByRequirement(specs types.SpecReports) map[string][]string {
	tests := map[string][]string{}
	sorted := slices.SortedFunc(slices.Values(specs), func(a, b types.SpecReport) int {
		return strings.Compare(a.FullText(), b.FullText())
	})
	for _, s := range sorted {
		file := spec.SourceOf(s.LeafNodeLocation.FileName, 0).File
		link := fmt.Sprintf("[%s](%s)", cell(s.FullText()), strings.TrimPrefix(file, folder))
		for _, id := range under(spec.RequirementLabel, s.Labels()) {
			tests[id] = append(tests[id], link)
		}
	}
	return tests
}

// folder has the page: links are relative to it.
const folder = "suites/"

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "< ", "&lt; ", "*", `\*`).Replace(text)
}
