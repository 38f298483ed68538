// Package counterparts has what this repository checks in the place of each test of Jobs and CronJobs that Kubernetes
// has itself: in test/e2e/apps, test/e2e/upgrades/apps and test/integration.
package counterparts

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// Counterpart is what there is for a test, or for a case of its table.
type Counterpart struct {
	// Test is its function, the text of its spec, or the name of the case.
	Test string `json:"test"`
	// Requirements are the IDs of those whose specs check the same. Default: none, and Why says why.
	Requirements []string `json:"requirements,omitempty"`
	// Why is what of the test has no counterpart, and why. Default: all has one.
	Why string `json:"why,omitempty"`
	// Cases are those of its table, each with a counterpart of its own. Default: what is said of the test holds
	// for all of them.
	Cases []Counterpart `json:"cases,omitempty"`
}

// Table has counterparts by the files of k8s.io/kubernetes.
type Table map[string][]Counterpart

//go:embed counterparts.yaml
var text []byte

// Read returns the table of this repository.
func Read() (t Table, err error) { return t, yaml.UnmarshalStrict(text, &t) }

// Check returns a line for each test that the table lacks, for each that upstream does not have, and for each entry
// that is wrong in itself. IsRequirement reports whether there is a requirement with an ID.
func (t Table) Check(upstream []Upstream, isRequirement func(id string) bool) (lines []string) {
	there := map[string][]Upstream{}
	for _, u := range upstream {
		there[u.File] = append(there[u.File], u)
	}
	for _, file := range slices.Sorted(maps.Keys(there)) {
		for _, u := range there[file] {
			c := find(t[file], u.Name)
			if c == nil {
				lines = append(lines, fmt.Sprintf("%s: %q has no counterpart", file, u.Name))
				continue
			}
			if len(c.Cases) == 0 && (len(c.Requirements) == 0 || len(u.Cases) == 0) {
				continue
			}
			for _, name := range u.Cases {
				if find(c.Cases, name) == nil {
					lines = append(lines, fmt.Sprintf("%s: the case %q of %s has no counterpart", file, name, u.Name))
				}
			}
		}
	}
	for _, file := range slices.Sorted(maps.Keys(t)) {
		for _, c := range t[file] {
			i := slices.IndexFunc(there[file], func(u Upstream) bool { return u.Name == c.Test })
			if i < 0 {
				lines = append(lines, fmt.Sprintf("%s: upstream has no test %q", file, c.Test))
				continue
			}
			lines = append(lines, c.check(file, isRequirement)...)
			for _, of := range c.Cases {
				if !slices.Contains(there[file][i].Cases, of.Test) {
					lines = append(lines, fmt.Sprintf("%s: upstream's %s has no case %q", file, c.Test, of.Test))
				}
				lines = append(lines, of.check(file, isRequirement)...)
			}
		}
	}
	return lines
}

// check returns a line for each thing that is wrong in an entry itself.
func (c Counterpart) check(file string, isRequirement func(id string) bool) (lines []string) {
	said := len(c.Requirements) > 0 || c.Why != ""
	if said == (len(c.Cases) > 0) {
		lines = append(lines, fmt.Sprintf("%s: %q has neither requirements, a reason nor cases, or cases and more",
			file, c.Test))
	}
	for _, id := range c.Requirements {
		if !isRequirement(id) {
			lines = append(lines, fmt.Sprintf("%s: %q names %s, which is no requirement", file, c.Test, id))
		}
	}
	return lines
}

func find(among []Counterpart, test string) *Counterpart {
	for i := range among {
		if among[i].Test == test {
			return &among[i]
		}
	}
	return nil
}

const head = `# Upstream's tests

What these suites have for each test of Jobs and CronJobs in Kubernetes %s: requirements whose specs check the
same, or why there are none. ` + "`make requirements`" + ` writes this page from
[counterparts.yaml](contract/counterparts/counterparts.yaml).
`

// Write writes the table as Markdown: files in the order of sources, tests in that of the table.
func (t Table) Write(w io.Writer, version string) error {
	var b strings.Builder
	fmt.Fprintf(&b, head, version)
	with, without := 0, 0
	for _, source := range sources {
		for _, file := range slices.Sorted(maps.Keys(t)) {
			if !strings.HasPrefix(file, source) {
				continue
			}
			fmt.Fprintf(&b, "\n## [%s](https://github.com/kubernetes/kubernetes/blob/%s/%s)\n\n"+
				"| test | requirements |\n|---|---|\n", file, version, file)
			for _, c := range t[file] {
				rows := []Counterpart{c}
				if len(c.Cases) > 0 {
					rows = slices.Clone(c.Cases)
				}
				for _, row := range rows {
					name := cell(row.Test)
					if len(c.Cases) > 0 {
						name = cell(c.Test) + ": " + name
					}
					if len(row.Requirements) > 0 {
						with++
					} else {
						without++
					}
					fmt.Fprintf(&b, "| %s | %s |\n", name, row.links())
				}
			}
		}
	}
	fmt.Fprintf(&b, "\n%d tests and cases: %d with a counterpart, %d without.\n", with+without, with, without)
	_, err := io.WriteString(w, b.String())
	return err
}

// links is the second column.
func (c Counterpart) links() string {
	var links []string
	for _, id := range c.Requirements {
		links = append(links, fmt.Sprintf("[%s](REQUIREMENTS.md#%s)", id, id))
	}
	all := strings.Join(links, ", ")
	if c.Why == "" {
		return all
	}
	return strings.TrimPrefix(all+". "+cell(c.Why), ". ")
}

func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "*", `\*`, "[", `\[`).Replace(cmp.Or(text, "-"))
}
