package report

import (
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/run/causes"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

func exits(s *spec.Spec) {
	s.Failed, s.Cause, s.Message = true, spec.ImplementationExited, "panic: no map"
}

func TestAReportLeadsWithTheLargestCause(t *testing.T) {
	r := judge(
		ended("a breaks an invariant", broken, "JOB-A-002"), ended("b does, too", broken, "JOB-I-001"),
		ended("c does, after its last step", brokenAtEnd, "JOB-A-002"),
		ended("d has no API server", harness, "JOB-A-002"), ended("e exits", exits), ended("f passes", passed))
	if len(r.Causes) != 3 {
		t.Fatalf("%d causes: %+v", len(r.Causes), r.Causes)
	}
	c := r.Causes[0]
	if c.Kind != causes.Requirement || c.ID != "JOB-A-001" || c.Text != "A MUST hold." ||
		!slices.Equal(c.Invariants, []string{"job-a"}) || c.Count() != "3 specs" ||
		!slices.Equal(c.NotVerified, []string{"JOB-I-001"}) || c.Example != "a breaks an invariant" {
		t.Errorf("the first cause is %+v", c)
	}
	if a, b := r.Causes[1], r.Causes[2]; a.Name() != "the implementation exited" || b.Name() != "the harness failed" {
		t.Errorf("then %s, and %s", a.Name(), b.Name())
	}
	want := "1 of 3 requirements broken, 1 not verified because of them; begin with JOB-A-001: 3 specs"
	if got := r.Headline(); got != want {
		t.Errorf("the headline is %q, want %q", got, want)
	}
	var out strings.Builder
	r.PrintCauses(&out, "reports/index.html", record.Usual)
	for _, want := range []string{
		"\n" + want + "\n", "    3 specs  JOB-A-001: A MUST hold.\n", "b does, too\n",
		"     1 spec  the implementation exited\n               e exits\n",
		"explain JOB-A-001; all of it: reports/index.html\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it lacks %q:\n%s", want, out.String())
		}
	}
}

func flaky(s *spec.Spec) { failed(s); s.Again = &spec.Again{Passed: true} }

func TestWhatWasFlakyIsNotCalledBroken(t *testing.T) {
	for name, c := range map[string]struct {
		specs []spec.Spec
		want  string
	}{
		"alone": {[]spec.Spec{ended("a", flaky, "JOB-A-001")},
			"1 of 3 requirements flaky; begin with JOB-A-001: 1 spec"},
		"beside what broke": {[]spec.Spec{ended("a", flaky, "JOB-A-001"), ended("b", flaky, "JOB-A-001"),
			ended("c", failed, "JOB-A-002")},
			"1 of 3 requirements broken, 1 flaky; begin with JOB-A-002: 1 spec"},
	} {
		t.Run(name, func(t *testing.T) {
			r := judge(c.specs...)
			if got := r.Headline(); got != c.want {
				t.Errorf("the headline is %q, want %q", got, c.want)
			}
			if first := r.Causes[0]; !first.Flaky || first.Sentence() != "flaky: JOB-A-001: A MUST hold." {
				t.Errorf("the first cause is %+v", first)
			}
		})
	}
}

func TestWithoutFailuresThereAreNoCauses(t *testing.T) {
	r := judge(ended("a", passed, "JOB-A-001"), ended("b", known, "JOB-A-002"), ended("c", should, "JOB-I-001"))
	var out strings.Builder
	if r.PrintCauses(&out, "index.html", record.Usual); len(r.Causes) != 0 || r.Headline() != "" || out.String() != "" {
		t.Errorf("%+v, %q", r.Causes, out.String())
	}
}

// What is not printed is in the page.
func TestPrintedCausesHaveAnEnd(t *testing.T) {
	r := &Report{}
	for range 50 {
		r.Causes = append(r.Causes, Cause{Kind: causes.Exit, Specs: []string{"a", "b", "c"}, Example: "a"})
	}
	var out strings.Builder
	if r.PrintCauses(&out, "index.html", record.Usual); strings.Count(out.String(), "\n") > 36 ||
		!strings.Contains(out.String(), "and 42 more") {
		t.Errorf("it prints\n%s", out.String())
	}
	for _, detail := range []record.Detail{record.Short, record.Quiet} {
		out.Reset()
		if r.PrintCauses(&out, "index.html", detail); strings.Count(out.String(), "\n") > 13 ||
			!strings.Contains(out.String(), "and 45 more") {
			t.Errorf("%s: it prints\n%s", detail, out.String())
		}
	}
}

// What a new controller does first comes first.
func TestOneBeginsOnTheLowestRung(t *testing.T) {
	judged := func(specs ...spec.Spec) *Report {
		return Judge(Run{Run: record.Run{Specs: specs}, Cluster: Cluster{KubernetesVersion: "v1.37.1"}}, table.All())
	}
	r := judged(ended("a", failed, "JOB-BACKOFF-009"), ended("b", failed, "JOB-BACKOFF-009"),
		ended("c", failed, "JOB-FAULTS-001"), ended("d", failed, "JOB-STATUS-001"), ended("e", failed, "API-JOB-001"))
	var got []string
	for _, c := range r.Causes {
		got = append(got, c.ID)
	}
	want := []string{"JOB-BACKOFF-009", "JOB-STATUS-001", "JOB-FAULTS-001", "API-JOB-001"}
	if !slices.Equal(got, want) {
		t.Errorf("the causes are %v, want %v", got, want)
	}
	if !strings.HasSuffix(r.Headline(), "; begin with JOB-STATUS-001: 1 spec") {
		t.Errorf("the headline is %q", r.Headline())
	}
	r = judged(ended("a", failed, "JOB-STATUS-001"), ended("b", exits), ended("c", exits))
	if begin := r.Begin().Kind; begin != causes.Exit {
		t.Errorf("begin with a %s", begin)
	}
}
