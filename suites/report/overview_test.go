package report

import (
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/spec"
)

func TestOverviewHasARowForEachProfileAndArea(t *testing.T) {
	of := func(name string, outcomes map[string]Outcome) *Report {
		r := &Report{Implementation: Implementation{Name: name, Version: "v1"}, Result: ResultPartial}
		r.Cluster.KubernetesVersion = "v1.37.1"
		for id, o := range outcomes {
			r.Requirements = append(r.Requirements, Requirement{ID: id, Outcome: o, Provisional: id == "JOB-A-009"})
		}
		return r
	}
	var b strings.Builder
	NewOverview([]*Report{
		of("one", map[string]Outcome{"JOB-B-001": Conformant, "JOB-A-001": NonConformant, "JOB-A-002": spec.KnownIssue,
			"JOB-A-003": Conformant, "JOB-A-009": NonConformant}),
		of("two", map[string]Outcome{"API-C-001": Conformant, "JOB-B-001": spec.NotVerified}),
		of("three", map[string]Outcome{"CRON-D-001": Conformant}),
	}).Print(&b)
	const want = `1: one v1, Kubernetes v1.37.1, suites unknown: partial
2: two v1, Kubernetes v1.37.1, suites unknown: partial
3: three v1, Kubernetes v1.37.1, suites unknown: partial

conformant requirements   1                                          2                        3
job                       2 of 4: 1 non-conformant, 1 known issue   0 of 1: 1 not verified   -
  JOB-A                   1 of 3: 1 non-conformant, 1 known issue   -                        -
  JOB-B                   1 of 1                                    0 of 1: 1 not verified   -
cronjob                   -                                         -                        1 of 1
  CRON-D                  -                                         -                        1 of 1
api                       -                                         1 of 1                   -
  API-C                   -                                         1 of 1                   -
`
	squeeze := func(text string) string {
		lines := strings.Split(text, "\n")
		for i, l := range lines {
			lines[i] = strings.Join(strings.Fields(l), " ")
		}
		return strings.Join(lines, "\n")
	}
	if squeeze(b.String()) != squeeze(want) {
		t.Errorf("%s\nwant %s", &b, want)
	}
}

func TestPublishedReports(t *testing.T) {
	all, err := Published()
	if err != nil || len(all) < 2 {
		t.Fatalf("%d, %v", len(all), err)
	}
	for i, r := range all[1:] {
		if r.PublishedName() == all[i].PublishedName() {
			t.Errorf("%s is there twice", r.PublishedName())
		}
	}
}
