package report

import (
	"bytes"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// requirements are three of the job profile: two core, one of a feature, and one
// that came later than the rest.
var requirements = []contract.Requirement{
	{ID: "JOB-A-001", Text: "A MUST hold.", Source: "batch/v1 JobSpec", Feature: contract.Core,
		Invariants: []string{"job-a"}, Grounds: []spec.Ground{spec.JobReady}},
	{ID: "JOB-A-002", Text: "B MUST hold.", Source: "KEP-1", Feature: contract.Core},
	{ID: "JOB-I-001", Text: "C MUST hold.", Source: "KEP-2", Feature: contract.Indexed},
	{ID: "JOB-N-001", Text: "D MUST hold.", Source: "KEP-3", Feature: contract.Core, Versions: ">= 1.38.0"},
}

// aboutGrounds is one that is about grounds of others.
var aboutGrounds = contract.Requirement{ID: "JOB-G-001", Text: "E MUST hold.", Source: "KEP-4", Feature: contract.Core,
	About: []spec.Ground{spec.JobReady, spec.JobActive}}

var forgets = &spec.Bug{Issue: 7, Versions: "< 1.38.0", Text: "It forgets."}

func ended(text string, end func(*spec.Spec), ids ...string) spec.Spec {
	s := spec.Spec{Text: text, Duration: time.Second, Labels: spec.Labels{Requirements: ids}}
	end(&s)
	return s
}

func passed(s *spec.Spec)   { s.Passed = true }
func failed(s *spec.Spec)   { s.Failed, s.Message = true, "Expected 1 to equal 2" }
func should(s *spec.Spec)   { failed(s); s.Level, s.Cause = spec.Should, spec.Assertion }
func known(s *spec.Spec)    { failed(s); s.KnownIssue = forgets }
func fixed(s *spec.Spec)    { s.Passed, s.KnownIssue = true, forgets }
func declined(s *spec.Spec) { s.Declined = []string{"indexed"} }
func notRun(*spec.Spec)     {}
func harness(s *spec.Spec) {
	s.Failed, s.Cause, s.Message = true, spec.Harness, "no API server"
}
func broken(s *spec.Spec) {
	s.Failed, s.Cause, s.Invariants = true, spec.Invariant, []string{"job-a"}
}
func brokenAtEnd(s *spec.Spec) {
	broken(s)
	s.Finished = true
}

// without is a spec in which a ground did not hold, of JOB-A-001.
func without(end func(*spec.Spec)) func(*spec.Spec) {
	return func(s *spec.Spec) {
		end(s)
		s.Missed = []spec.Missed{{Ground: spec.JobReady, Principal: "JOB-A-001", Message: "it is 0, not 1"}}
	}
}

// beside is a spec of which an expectation did not hold as well.
func beside(end func(*spec.Spec)) func(*spec.Spec) {
	return func(s *spec.Spec) { end(s); s.Asserted = true }
}

// unseen is a spec in which a ground did not show.
func unseen(s *spec.Spec) {
	without(passed)(s)
	s.Unseen = []spec.Unseen{spec.Unseen(spec.JobActive)}
}
func asserted(s *spec.Spec) { failed(s); s.Cause = spec.Assertion }
func about(end func(*spec.Spec), finished bool) func(*spec.Spec) {
	return func(s *spec.Spec) { end(s); s.About, s.Finished = []spec.Ground{spec.JobReady}, finished }
}
func blames(end func(*spec.Spec)) func(*spec.Spec) {
	return func(s *spec.Spec) { end(s); s.ForGround = true }
}

// quoting fails with the harness's own words in its message, as they would be there
// if the implementation had written them into its log or an Event.
func quoting(s *spec.Spec) {
	s.Failed, s.Cause = true, spec.Assertion
	s.Message = "Not within 30s.\nThe harness failed: no API server\ninvariant job-a: A.\n  source: x"
}

func judge(specs ...spec.Spec) *Report {
	return Judge(Run{Run: record.Run{Specs: specs}, Cluster: Cluster{Kind: "embedded", KubernetesVersion: "v1.37.1"}},
		requirements)
}

func outcomes(r *Report) map[string]Outcome {
	m := map[string]Outcome{}
	for _, q := range r.Requirements {
		m[q.ID] = q.Outcome
	}
	return m
}

// The requirements of a controller that the implementation lacks are declined, those of the
// API server are not.
func TestTheOtherControllersRequirementsAreDeclined(t *testing.T) {
	some := slices.Clone(requirements)
	for _, id := range []string{"CRON-A-001", "API-A-001"} {
		some = append(some, contract.Requirement{ID: id, Text: "It MUST.", Source: "x", Feature: contract.Core})
	}
	r := Judge(Run{
		Run: record.Run{Companion: "reference",
			Specs: []spec.Spec{
				ended("a", declined, "JOB-A-001", "JOB-A-002"), ended("i", declined, "JOB-I-001"),
				ended("c", passed, "CRON-A-001"), ended("p", passed, "API-A-001"),
			},
		},
		Implementation: Implementation{Name: "mine", Controllers: []string{"cronjob"}},
	}, some)
	want := map[string]Outcome{
		"JOB-A-001": spec.Declined, "JOB-A-002": spec.Declined, "JOB-I-001": spec.Declined,
		"CRON-A-001": Conformant, "API-A-001": Conformant,
	}
	if got := outcomes(r); !maps.Equal(got, want) || r.Result != ResultConformant || r.Companion != "reference" {
		t.Errorf("%v, %s beside %s, want %v", got, r.Result, r.Companion, want)
	}
}

// The specs that cover a requirement count for its situations, those without a history do not.
func TestARequirementHasItsSituations(t *testing.T) {
	arises := func(times int) func(*spec.Spec) {
		return func(s *spec.Spec) {
			s.Passed = true
			s.AddExercise(spec.Exercise{Times: map[spec.Situation]int{spec.PodFailed: times}})
		}
	}
	of := func(id string) contract.Requirement {
		return contract.Requirement{ID: id, Text: "It MUST hold.", Source: "x", Feature: contract.Core,
			Situations: []spec.Situation{spec.PodFailed}}
	}
	r := Judge(Run{Run: record.Run{Specs: []spec.Spec{
		ended("a", arises(2), "JOB-A-001"), ended("b", arises(1), "JOB-A-001", "JOB-A-002"),
		ended("c", arises(0), "JOB-A-003"), ended("d", passed, "JOB-A-004"), ended("e", arises(7)),
	}}}, []contract.Requirement{of("JOB-A-001"), of("JOB-A-002"), of("JOB-A-003"), of("JOB-A-004")})
	for i, want := range [][]Situation{{{spec.PodFailed, 3}}, {{spec.PodFailed, 1}}, {{spec.PodFailed, 0}}, nil} {
		if got := r.Requirements[i].Situations; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", r.Requirements[i].ID, got, want)
		}
	}
	var out bytes.Buffer
	r.PrintCauses(&out, "index.html", record.Usual)
	if want := "\npassed without its situation: JOB-A-003 (pod-failed)\n"; out.String() != want {
		t.Errorf("it prints %q, want %q", &out, want)
	}
	page, err := Page(r, nil, nil)
	for _, want := range []string{"A pod of a Job failed. 3 times<", "A pod of a Job failed. Once<",
		"A pod of a Job failed. <strong>It did not in this run.</strong>"} {
		if err != nil || !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page lacks %q (%v)", want, err)
		}
	}
}

func TestJudge(t *testing.T) {
	for name, test := range map[string]struct {
		specs    []spec.Spec
		declined []contract.Feature
		crashes  []spec.Crash
		found    []spec.Interference
		want     map[string]Outcome
		result   Result
	}{
		"all specs pass": {
			specs:  []spec.Spec{ended("a", passed, "JOB-A-001", "JOB-A-002"), ended("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": Conformant, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result: ResultConformant,
		},
		"one of two specs fails": {
			specs: []spec.Spec{ended("a", passed, "JOB-A-001"), ended("b", failed, "JOB-A-001"),
				ended("c", passed, "JOB-A-002"), ended("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
		"one of two specs is not run": {
			specs: []spec.Spec{ended("a", passed, "JOB-A-001"), ended("b", notRun, "JOB-A-001"),
				ended("c", passed, "JOB-A-002"), ended("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": spec.NotVerified, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result: ResultPartial,
		},
		"no spec is there": {
			specs:  []spec.Spec{ended("a", passed, "JOB-A-001"), ended("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": Conformant, "JOB-A-002": spec.NotVerified, "JOB-I-001": Conformant},
			result: ResultPartial,
		},
		"a declined feature": {
			specs:    []spec.Spec{ended("a", passed, "JOB-A-001", "JOB-A-002"), ended("i", declined, "JOB-I-001")},
			declined: []contract.Feature{contract.Indexed},
			want:     map[string]Outcome{"JOB-A-001": Conformant, "JOB-A-002": Conformant, "JOB-I-001": spec.Declined},
			result:   ResultConformant,
		},
		"an error of the harness": {
			specs: []spec.Spec{ended("a", harness, "JOB-A-001"), ended("b", passed, "JOB-A-002"),
				ended("i", passed, "JOB-I-001")},
			want: map[string]Outcome{"JOB-A-001": spec.HarnessError, "JOB-A-002": Conformant,
				"JOB-I-001": Conformant},
			result: ResultNoVerdict,
		},
		"a message that quotes the harness": {
			specs: []spec.Spec{ended("a", passed, "JOB-A-001"), ended("b", quoting, "JOB-A-002"),
				ended("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": Conformant, "JOB-A-002": NonConformant, "JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
		"an invariant of another requirement": {
			specs: []spec.Spec{ended("a", passed, "JOB-A-001"), ended("b", broken, "JOB-A-002"),
				ended("i", passed, "JOB-I-001")},
			want: map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": spec.NotVerified,
				"JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
		"an invariant of another requirement after the last step": {
			specs: []spec.Spec{ended("a", passed, "JOB-A-001"), ended("b", brokenAtEnd, "JOB-A-002"),
				ended("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
		"a ground did not hold": {
			specs: []spec.Spec{ended("a", asserted, "JOB-A-001"), ended("b", without(passed), "JOB-A-002"),
				ended("i", without(asserted), "JOB-I-001")},
			want: map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": Conformant,
				"JOB-I-001": spec.NotVerified},
			result: ResultNonConformant,
		},
		"a ground did not hold, and no spec of its requirement has failed": {
			specs: []spec.Spec{ended("a", passed, "JOB-A-001"), ended("b", blames(without(passed)), "JOB-A-002"),
				ended("i", blames(without(asserted)), "JOB-I-001")},
			want: map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": Conformant,
				"JOB-I-001": spec.NotVerified},
			result: ResultNonConformant,
		},
		"a spec is about a ground, and covers another requirement": {
			specs: []spec.Spec{ended("a", about(without(asserted), true), "JOB-A-001", "JOB-A-002"),
				ended("i", about(without(asserted), false), "JOB-A-001", "JOB-I-001")},
			want: map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": Conformant,
				"JOB-I-001": spec.NotVerified},
			result: ResultNonConformant,
		},
		"a ground did not hold, and then an invariant did not": {
			specs: []spec.Spec{ended("a", passed, "JOB-A-001"), ended("b", without(brokenAtEnd), "JOB-A-002"),
				ended("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
		"an expectation fails, and then an invariant of a ground": {
			specs: []spec.Spec{ended("a", passed, "JOB-A-001"), ended("b", beside(broken), "JOB-A-002"),
				ended("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": NonConformant, "JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
		"an expectation fails without a ground, and then an invariant of that": {
			specs: []spec.Spec{ended("a", passed, "JOB-A-001"), ended("b", beside(without(broken)), "JOB-A-002"),
				ended("i", passed, "JOB-I-001")},
			want: map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": spec.NotVerified,
				"JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
		"a ground did not show": {
			specs: []spec.Spec{ended("a", about(without(asserted), true), "JOB-A-001"),
				ended("b", unseen, "JOB-G-001", "JOB-A-002"), ended("i", passed, "JOB-I-001")},
			want: map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": Conformant, "JOB-I-001": Conformant,
				"JOB-G-001": spec.NotVerified},
			result: ResultNonConformant,
		},
		"a ground does not hold with faults, nor without": {
			specs: []spec.Spec{ended("a", about(without(asserted), true), "JOB-A-001"),
				ended("b", without(asserted), "JOB-G-001"), ended("c", passed, "JOB-A-002"),
				ended("i", passed, "JOB-I-001")},
			want: map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": Conformant, "JOB-I-001": Conformant,
				"JOB-G-001": spec.NotVerified},
			result: ResultNonConformant,
		},
		"a failed SHOULD": {
			specs: []spec.Spec{ended("a", should, "JOB-A-001"), ended("b", passed, "JOB-A-002"),
				ended("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": spec.Warning, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result: ResultConformant,
		},
		"a known bug shows": {
			specs: []spec.Spec{ended("a", known, "JOB-A-001"), ended("b", passed, "JOB-A-001", "JOB-A-002"),
				ended("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": spec.KnownIssue, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result: ResultConformant,
		},
		"a known bug does not show": {
			specs: []spec.Spec{ended("a", fixed, "JOB-A-001"), ended("b", passed, "JOB-A-002"),
				ended("i", passed, "JOB-I-001")},
			want: map[string]Outcome{"JOB-A-001": spec.UnexpectedPass, "JOB-A-002": Conformant,
				"JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
		"the implementation exits": {
			specs:   []spec.Spec{ended("a", passed, "JOB-A-001", "JOB-A-002", "JOB-I-001")},
			crashes: []spec.Crash{{Exit: "exit code 1"}},
			want:    map[string]Outcome{"JOB-A-001": Conformant, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result:  ResultNonConformant,
		},
		"the implementation interferes": {
			specs: []spec.Spec{ended("a", passed, "JOB-A-001", "JOB-A-002", "JOB-I-001")},
			found: []spec.Interference{{What: "deletes a node", Object: "nodes a"}},
			want: map[string]Outcome{"JOB-A-001": Conformant, "JOB-A-002": Conformant,
				"JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
		"the implementation interferes, and the harness fails by that": {
			specs: []spec.Spec{ended("a", harness, "JOB-A-001", "JOB-A-002", "JOB-I-001")},
			found: []spec.Interference{{What: "deletes a node", Object: "nodes a"}},
			want: map[string]Outcome{"JOB-A-001": spec.HarnessError, "JOB-A-002": spec.HarnessError,
				"JOB-I-001": spec.HarnessError},
			result: ResultNonConformant,
		},
		"the implementation interferes with a spec": {
			specs: []spec.Spec{ended("a", func(s *spec.Spec) {
				harness(s)
				s.Blame(spec.Interference{What: "deletes a Job"})
			}, "JOB-A-001", "JOB-A-002"), ended("b", passed, "JOB-I-001")},
			want: map[string]Outcome{"JOB-A-001": spec.NotVerified, "JOB-A-002": spec.NotVerified,
				"JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
	} {
		t.Run(name, func(t *testing.T) {
			some := slices.Clone(requirements)
			if _, about := test.want[aboutGrounds.ID]; about {
				some = append(some, aboutGrounds)
			}
			console := record.Run{Specs: test.specs, Crashes: test.crashes, Interferences: test.found}
			r := Judge(Run{Run: console, Cluster: Cluster{KubernetesVersion: "v1.37.1"},
				Selection: Selection{Declined: test.declined}}, some)
			got := outcomes(r)
			if len(got) != len(test.want) {
				t.Errorf("requirements %v, want %v: one that holds from 1.38 on has nothing to do here", got, test.want)
			}
			for id, want := range test.want {
				if got[id] != want {
					t.Errorf("%s is %q, want %q", id, got[id], want)
				}
			}
			if r.Result != test.result {
				t.Errorf("result %q, want %q", r.Result, test.result)
			}
			if red := !console.Green() && !console.NoVerdict(); red != (r.Result == ResultNonConformant) {
				t.Errorf("the run is red: %t, the report says %s", red, r.Result)
			}
			if len(test.found) == 0 && console.NoVerdict() != (r.HarnessError != "") {
				t.Errorf("no verdict: %t, the report says %q", console.NoVerdict(), r.HarnessError)
			}
		})
	}
}

// Not verified is explained: by what ended the spec.
func TestTheReportNamesTheInvariantThatEndedASpec(t *testing.T) {
	r := judge(ended("a", passed, "JOB-A-001"), ended("b", broken, "JOB-A-002"), ended("c", brokenAtEnd, "JOB-A-002"))
	notes := map[string]string{"b": "not verified: its spec was ended by job-a of JOB-A-001",
		"c": "its expectations held; after its last step it broke job-a of JOB-A-001"}
	for _, q := range r.Requirements {
		for _, e := range q.Evidence {
			want := ""
			if q.ID == "JOB-A-002" {
				want = notes[e.Spec]
			}
			if e.Note != want || e.Elsewhere && e.Verified {
				t.Errorf("%s, %s: %q, want %q", q.ID, e.Spec, e.Note, want)
			}
		}
	}
	page, err := Page(r, nil, nil)
	if err != nil || !bytes.Contains(page, []byte(notes["b"])) {
		t.Errorf("the page does not say it (%v)", err)
	}
}

// An invariant of the requirement counts, whatever else did not hold in the spec.
func TestABrokenInvariantCountsWithoutAGround(t *testing.T) {
	some := slices.Clone(requirements)
	some[0].Grounds, some[1].Invariants = nil, []string{"job-a"}
	some[2].Grounds = []spec.Ground{spec.JobReady}
	r := Judge(Run{Run: record.Run{Specs: []spec.Spec{ended("b", without(brokenAtEnd), "JOB-A-002"),
		ended("a", passed, "JOB-A-001")}}}, some)
	if got := outcomes(r); got["JOB-A-001"] != NonConformant || got["JOB-A-002"] != NonConformant {
		t.Errorf("%v", got)
	}
}

// What a spec has shown without a ground is explained, and who answers for the ground.
func TestTheReportNamesTheGroundThatDidNotHold(t *testing.T) {
	r := judge(ended("a", asserted, "JOB-A-001"), ended("b", without(passed), "JOB-A-002"),
		ended("c", without(asserted), "JOB-A-002"))
	lacks := "JOB-A-001 (Job status.ready) does not hold: it is 0, not 1"
	notes := map[string]string{
		"JOB-A-001 a": "", "JOB-A-001 b": lacks, "JOB-A-001 c": lacks,
		"JOB-A-002 b": "its expectations held; beside them JOB-A-001 (Job status.ready) did not",
		"JOB-A-002 c": "not verified: its ground, " + lacks,
	}
	for _, q := range r.Requirements {
		for _, e := range q.Evidence {
			want, known := notes[q.ID+" "+e.Spec]
			if !known || e.Note != want || e.Broken != (q.ID == "JOB-A-001" && e.Spec != "a") {
				t.Errorf("%s, %s: %q, want %q", q.ID, e.Spec, e.Note, want)
			}
			delete(notes, q.ID+" "+e.Spec)
		}
	}
	if len(notes) > 0 {
		t.Errorf("no evidence of %v", notes)
	}
}

func TestJudgeLeavesOutSpecsOfOtherVersions(t *testing.T) {
	old := ended("old", notRun, "JOB-A-001")
	old.Versions = []string{"< 1.31.0"}
	r := judge(old, ended("a", passed, "JOB-A-001"))
	if got := outcomes(r)["JOB-A-001"]; got != Conformant || r.Specs[spec.NotVerified] != 0 {
		t.Errorf("JOB-A-001 is %q with %+v, want it conformant: the other spec does not count here", got, r.Specs)
	}
}

// What is neither red nor non-conformant is in the report by name.
func TestReportNamesWarningsAndKnownIssues(t *testing.T) {
	r := judge(ended("a", should, "JOB-A-001"), ended("b", known, "JOB-A-002"), ended("c", known, "JOB-A-001",
		"JOB-A-002"), ended("d", fixed, "JOB-I-001"), ended("e", failed, "JOB-I-001"), ended("f", notRun, "JOB-I-001"))
	if want := []Warning{{"a", []string{"JOB-A-001"}}}; !cmp.Equal(want, r.Warnings) {
		t.Error(cmp.Diff(want, r.Warnings))
	}
	bug := Issue{Issue: "kubernetes/kubernetes#7", Versions: "< 1.38.0", Text: "It forgets.",
		Requirements: []string{"JOB-A-001", "JOB-A-002"}, Specs: []string{"b", "c"}}
	if want := []Issue{bug}; !cmp.Equal(want, r.KnownIssues) {
		t.Error(cmp.Diff(want, r.KnownIssues))
	}
	bug.Requirements, bug.Specs = []string{"JOB-I-001"}, []string{"d"}
	bug.Remedy = "the known bug kubernetes/kubernetes#7 did not show: take it off the list of known " +
		"bugs, or correct its versions"
	if want := []Issue{bug}; !cmp.Equal(want, r.UnexpectedPasses) {
		t.Error(cmp.Diff(want, r.UnexpectedPasses))
	}
	job := r.Profiles[0]
	if !slices.Equal(job.Extended.FailedSpecs, []string{"d", "e"}) ||
		!slices.Equal(job.Extended.SkippedSpecs, []string{"f"}) || job.Core.FailedSpecs != nil {
		t.Errorf("failed and skipped specs: %+v, %+v", job.Core, job.Extended)
	}
	if got, want := r.Count(), "1 failed, 1 unexpected pass, 2 known issue, 1 warning, 1 not verified"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestHarnessErrorOfTheRun(t *testing.T) {
	r := Judge(Run{
		Run: record.Run{HarnessError: "the API server ended",
			Specs: []spec.Spec{ended("a", passed, "JOB-A-001", "JOB-A-002"), ended("i", passed, "JOB-I-001")},
		},
		Cluster: Cluster{KubernetesVersion: "v1.37.1"},
	}, requirements)
	if r.Result != ResultNoVerdict || r.HarnessError == "" {
		t.Errorf("result %q with %q, want none, and why", r.Result, r.HarnessError)
	}
}

func TestFailedSpecs(t *testing.T) {
	r := judge(ended("a", broken, "JOB-A-002"), ended("b", passed, "JOB-A-001"), ended("c", harness, "JOB-I-001"))
	if got := r.Failed(); len(got) != 2 || got[0] != "a" || got[1] != "c" {
		t.Errorf("failed: %q, want a and c", got)
	}
}

func TestProvisionalRequirementsCountForNothing(t *testing.T) {
	some := append(slices.Clone(requirements), contract.Requirement{ID: "JOB-A-009", Text: "E MUST hold.",
		Source: "KEP-4", Feature: contract.Core, Provisional: true})
	provisional := ended("new", failed, "JOB-A-009")
	provisional.Cause, provisional.Provisional, provisional.Strict = spec.Assertion, true, true
	r := Judge(Run{Run: record.Run{Specs: []spec.Spec{
		ended("a", passed, "JOB-A-001", "JOB-A-002"), ended("i", passed, "JOB-I-001"), ended("n", passed, "JOB-N-001"),
		provisional,
	}}}, some)
	job := r.Profiles[0]
	if r.Result != ResultConformant || job.Core.Result != ResultConformant || len(job.Core.Statistics) != 1 ||
		len(r.Failed()) > 0 {
		t.Errorf("%s, %+v", r.Result, job.Core)
	}
	if apart := job.Provisional; apart == nil || apart.Statistics[spec.Warning] != 1 || len(r.Warnings) != 1 {
		t.Errorf("%+v, %+v", apart, r.Warnings)
	}
	page, err := Page(r, nil, nil)
	if err != nil || !bytes.Contains(page, []byte("Provisional requirements (1)")) ||
		!bytes.Contains(page, []byte("Requirements (3)")) {
		t.Errorf("the page does not show it apart (%v)", err)
	}
	provisional.Cause = spec.ImplementationExited
	if r := Judge(Run{Run: record.Run{Specs: []spec.Spec{provisional}}}, some); r.Result != ResultNonConformant ||
		len(r.Failed()) != 1 {
		t.Errorf("an exit of the implementation is %s, %q", r.Result, r.Failed())
	}
}

// Who expects less than the contract is not conformant, unless it is a feature that is declined.
func TestExpectationsLessenTheResult(t *testing.T) {
	slow := Expectation{Requirement: "JOB-A-002", Fails: "it is slow", Entry: "mine.yaml:3"}
	known := func(s *spec.Spec) {
		failed(s)
		s.KnownIssue = spec.Expectation{Requirement: "JOB-A-002", Fails: true, Reason: "it is slow",
			Entry: "mine.yaml:3"}.Bug()
	}
	type end = func(*spec.Spec)
	decline := func(id string) Expectation { return Expectation{Requirement: id, Decline: "x"} }
	for name, c := range map[string]struct {
		expected Expectation
		ends     [3]end // of JOB-A-001, JOB-A-002 and JOB-I-001
		result   Result
	}{
		"one fails":            {slow, [3]end{passed, known, passed}, ResultPartial},
		"one was to fail":      {slow, [3]end{passed, passed, passed}, ResultConformant},
		"one of the core":      {decline("JOB-A-002"), [3]end{passed, declined, passed}, ResultPartial},
		"one of a feature":     {decline("JOB-I-001"), [3]end{passed, passed, declined}, ResultConformant},
		"another one is wrong": {slow, [3]end{failed, known, passed}, ResultNonConformant},
	} {
		t.Run(name, func(t *testing.T) {
			run := Run{Cluster: Cluster{KubernetesVersion: "v1.37.1"},
				Selection: Selection{Expectations: []Expectation{c.expected}}}
			if c.expected.Decline != "" {
				run.Selection.DeclinedRequirements = []string{c.expected.Requirement}
			}
			for i, id := range []string{"JOB-A-001", "JOB-A-002", "JOB-I-001"} {
				run.Specs = append(run.Specs, ended(id, c.ends[i], id))
			}
			r := Judge(run, requirements)
			if r.Result != c.result {
				t.Errorf("%s, want %s: %v", r.Result, c.result, outcomes(r))
			}
			page, err := Page(r, nil, nil)
			if why := c.expected.Decline + c.expected.Fails; err != nil || !bytes.Contains(page, []byte(": "+why)) {
				t.Errorf("the page does not say why (%v)", err)
			}
		})
	}
	r := Judge(Run{Run: record.Run{Specs: []spec.Spec{ended("b", known, "JOB-A-002")}},
		Selection: Selection{Expectations: []Expectation{slow}}}, requirements)
	want := []Issue{{Issue: "JOB-A-002", Text: "it is slow", Requirements: []string{"JOB-A-002"}, Specs: []string{"b"}}}
	if !cmp.Equal(want, r.KnownIssues) {
		t.Error(cmp.Diff(want, r.KnownIssues))
	}
}

func TestAProfileOfWhichNothingRanIsDeclined(t *testing.T) {
	r := Judge(Run{
		Run:            record.Run{Specs: []spec.Spec{ended("a", passed, "JOB-A-001", "JOB-A-002")}},
		Implementation: Implementation{Controllers: []string{"job"}},
	}, append(slices.Clone(requirements), contract.Requirement{ID: "CRON-A-001", Text: "F MUST hold.", Source: "KEP-5",
		Feature: contract.Core}))
	for _, p := range r.Profiles {
		if declined := p.Name == contract.CronJob; declined != (p.Core.Result == ResultDeclined) {
			t.Errorf("the core of %s is %s", p.Name, p.Core.Result)
		}
	}
}
