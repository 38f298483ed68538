package report

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/jobconformance/jobconformance/suites/contract"
)

// Overview shows reports side by side, by profile and area. Provisional requirements are in none.
type Overview struct {
	Reports []OverviewReport `json:"reports"`
	// Rows are the profiles, each before its areas.
	Rows []OverviewRow `json:"rows"`
}

// OverviewReport is one of the reports: a column.
type OverviewReport struct {
	Implementation    string `json:"implementation"`
	Version           string `json:"version,omitempty"`
	KubernetesVersion string `json:"kubernetesVersion"`
	SuiteVersion      string `json:"suiteVersion,omitempty"`
	Result            Result `json:"result"`
}

// Name is the implementation with its version.
func (r OverviewReport) Name() string { return strings.TrimSpace(r.Implementation + " " + r.Version) }

// OverviewRow is a profile, or one of its areas.
type OverviewRow struct {
	Profile contract.Profile `json:"profile"`
	// Area is that of the IDs of its requirements, as in JOB-BACKOFF; empty for a profile.
	Area string `json:"area,omitempty"`
	// Counts are, report by report, the numbers of its requirements by their outcome.
	Counts []Counts `json:"counts"`
}

// Counts are numbers of requirements by their outcome.
type Counts map[Outcome]int

// Total is the number of all.
func (c Counts) Total() (n int) {
	for _, some := range c {
		n += some
	}
	return n
}

// Shares are the outcomes that there are, the worst first.
func (c Counts) Shares() []Outcome {
	return slices.DeleteFunc(Outcomes(), func(o Outcome) bool { return c[o] == 0 })
}

// String says how many are conformant, and how the others ended, as in "10 of 12: 2 known issue".
func (c Counts) String() string {
	if len(c.Shares()) == 0 {
		return "-"
	}
	var others []string
	for _, o := range c.Shares() {
		if o != Conformant {
			others = append(others, fmt.Sprintf("%d %s", c[o], o))
		}
	}
	text := fmt.Sprintf("%d of %d", c[Conformant], c.Total())
	if len(others) > 0 {
		text += ": " + strings.Join(others, ", ")
	}
	return text
}

// NewOverview puts reports side by side.
func NewOverview(reports []*Report) Overview {
	o := Overview{Reports: []OverviewReport{}, Rows: []OverviewRow{}}
	type key struct {
		profile contract.Profile
		area    string
	}
	rows := map[key][]Counts{}
	for i, r := range reports {
		o.Reports = append(o.Reports, OverviewReport{r.Implementation.Name, r.Implementation.Version,
			r.Cluster.KubernetesVersion, r.SuiteVersion, r.Result})
		for _, q := range r.Requirements {
			if q.Provisional {
				continue
			}
			of := contract.Requirement{ID: q.ID}
			for _, k := range []key{{of.Profile(), ""}, {of.Profile(), of.Area()}} {
				if rows[k] == nil {
					rows[k] = make([]Counts, len(reports))
				}
				if rows[k][i] == nil {
					rows[k][i] = Counts{}
				}
				rows[k][i][q.Outcome]++
			}
		}
	}
	for k, counts := range rows {
		o.Rows = append(o.Rows, OverviewRow{k.profile, k.area, counts})
	}
	profiles := []contract.Profile{contract.Job, contract.CronJob, contract.API}
	slices.SortFunc(o.Rows, func(a, b OverviewRow) int {
		return cmp.Or(cmp.Compare(slices.Index(profiles, a.Profile), slices.Index(profiles, b.Profile)),
			strings.Compare(a.Area, b.Area))
	})
	return o
}

// Print writes the reports, each with a number, and a table whose columns have these.
func (o Overview) Print(out io.Writer) {
	head := "\nconformant requirements"
	for i, r := range o.Reports {
		fmt.Fprintf(out, "%d: %s, Kubernetes %s, suites %s: %s\n", i+1, r.Name(), r.KubernetesVersion,
			cmp.Or(r.SuiteVersion, "unknown"), r.Result)
		head += fmt.Sprintf("\t%d", i+1)
	}
	table := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(table, head)
	for _, row := range o.Rows {
		name := string(row.Profile)
		if row.Area != "" {
			name = "  " + row.Area
		}
		for _, c := range row.Counts {
			name += "\t" + c.String()
		}
		fmt.Fprintln(table, name)
	}
	_ = table.Flush()
}
