package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
)

// on is the report of a run of a day, compared with an earlier one.
func on(day int, earlier *Report, specs ...spec.Spec) *Report {
	return Judge(Run{Run: record.Run{Specs: specs, Date: time.Date(2026, 11, day, 10, 43, 0, 0, time.UTC)},
		Cluster: Cluster{Kind: "embedded", KubernetesVersion: "v1.37.1"}, Earlier: earlier}, requirements)
}

// What was red before is so since then, and what an earlier report knows of earlier ones is kept.
func TestReportsSaySinceWhenSomethingIsRed(t *testing.T) {
	specs := func(a, b, i func(*spec.Spec)) []spec.Spec {
		return []spec.Spec{ended("a", a, "JOB-A-001"), ended("b", b, "JOB-A-002"), ended("i", i, "JOB-I-001")}
	}
	first := on(1, nil, specs(failed, passed, failed)...)
	second := on(2, first, specs(failed, passed, passed)...)
	third := on(3, second, specs(failed, failed, notRun)...)
	fourth := on(4, third, specs(passed, failed, failed)...)

	if first.Earlier != nil || first.Requirements[0].Since != nil || first.Causes[0].Since != nil {
		t.Errorf("without an earlier report: %+v", first)
	}
	for _, c := range []struct {
		of   *Report
		want map[string]string // ages, by requirement
	}{
		{second, map[string]string{"JOB-A-001": "since 2026-11-01 10:43"}},
		{third, map[string]string{"JOB-A-001": "since 2026-11-01 10:43", "JOB-A-002": "new"}},
		{fourth, map[string]string{"JOB-A-002": "since 2026-11-03 10:43", "JOB-I-001": "new, not verified before"}},
	} {
		for _, q := range c.of.Requirements {
			if got := c.of.Age(q.Since, q.Was); got != c.want[q.ID] {
				t.Errorf("on %s, %s is red %q, want %q", c.of.Date, q.ID, got, c.want[q.ID])
			}
			e := q.Evidence[0]
			if got := c.of.Age(e.Since, e.Was); got != c.want[q.ID] {
				t.Errorf("on %s, the spec of %s is red %q, want %q", c.of.Date, q.ID, got, c.want[q.ID])
			}
		}
		for _, cause := range c.of.Causes {
			want, _, _ := strings.Cut(c.want[cause.ID], ",")
			if got := c.of.Age(cause.Since, ""); got != want {
				t.Errorf("on %s, the cause %s is there %q, want %q", c.of.Date, cause.ID, got, want)
			}
		}
	}

	var said bytes.Buffer
	third.PrintCauses(&said, "index.html", record.Usual)
	page, err := Page(third, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"(since 2026-11-01 10:43) JOB-A-001: A MUST hold.", "(new) JOB-A-002: B MUST hold.",
		"compared with the run of 2026-11-02 10:43 UTC: 2 requirements worse, 0 better\n"} {
		if !strings.Contains(said.String(), want) {
			t.Errorf("the terminal lacks %q:\n%s", want, &said)
		}
	}
	for _, want := range []string{`<span class="new">since 2026-11-01 10:43</span>`, `<span class="new">new</span>`,
		"2 requirements worse, 0 better", "<option>new</option>"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if n := strings.Count(string(page), " data-new"); n != 3 {
		t.Errorf("%d are new, want a cause, a spec and a requirement", n)
	}
	var summary bytes.Buffer
	if err := fourth.Summarize(&summary); err != nil || !strings.Contains(summary.String(), "1 better") ||
		!strings.Contains(summary.String(), "**JOB-I-001** (new)") {
		t.Errorf("%v: %s", err, &summary)
	}
	if want := []string{"JOB-A-001"}; !slices.Equal(fourth.Earlier.Better, want) {
		t.Errorf("%q are better, want %q", fourth.Earlier.Better, want)
	}
}

// A report that is of something else is no ground for such words.
func TestAReportWithNothingInCommonIsNamed(t *testing.T) {
	other := on(1, nil)
	for i := range other.Requirements {
		other.Requirements[i].ID += "-other"
	}
	r := on(2, other, ended("a", failed, "JOB-A-001"))
	if r.Requirements[0].Since != nil || len(r.Earlier.Notes) != 1 {
		t.Errorf("%+v, %+v", r.Requirements[0], r.Earlier)
	}
}
