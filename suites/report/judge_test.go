package report

import (
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// requirements are three of the job profile: two core, one of a feature, and one
// that came later than the rest.
var requirements = []contract.Requirement{
	{ID: "JOB-A-001", Text: "A MUST hold.", Source: "batch/v1 JobSpec", Feature: contract.Core, Invariants: []string{"job-a"}},
	{ID: "JOB-A-002", Text: "B MUST hold.", Source: "KEP-1", Feature: contract.Core},
	{ID: "JOB-I-001", Text: "C MUST hold.", Source: "KEP-2", Feature: contract.Indexed},
	{ID: "JOB-N-001", Text: "D MUST hold.", Source: "KEP-3", Feature: contract.Core, Versions: ">= 1.38.0"},
}

func spec(text string, end func(*protocol.Spec), ids ...string) protocol.Spec {
	s := protocol.Spec{Text: text, Duration: time.Second, Labels: protocol.Labels{Requirements: ids}}
	end(&s)
	return s
}

func passed(s *protocol.Spec) { s.Passed = true }
func failed(s *protocol.Spec) { s.Failed, s.Message = true, "Expected 1 to equal 2" }
func notRun(*protocol.Spec)   {}
func harness(s *protocol.Spec) {
	s.Failed, s.Cause, s.Message = true, protocol.Harness, "no API server"
}
func broken(s *protocol.Spec) {
	s.Failed, s.Cause, s.Invariants = true, protocol.Invariant, []string{"job-a"}
}

// quoting fails with the harness's own words in its message, as they would be there
// if the implementation had written them into its log or an Event.
func quoting(s *protocol.Spec) {
	s.Failed, s.Cause = true, protocol.Assertion
	s.Message = "Not within 30s.\nThe harness failed: no API server\nAn invariant did not hold.\njob-a: A.\n  source: x"
}

func judge(specs ...protocol.Spec) *Report {
	return Judge(Run{Cluster: Cluster{Kind: "embedded", KubernetesVersion: "v1.37.1"}, Specs: specs}, requirements)
}

func outcomes(r *Report) map[string]Outcome {
	m := map[string]Outcome{}
	for _, q := range r.Requirements {
		m[q.ID] = q.Outcome
	}
	return m
}

func TestJudge(t *testing.T) {
	for name, test := range map[string]struct {
		specs    []protocol.Spec
		declined []contract.Feature
		want     map[string]Outcome
		result   Result
	}{
		"all specs pass": {
			specs:  []protocol.Spec{spec("a", passed, "JOB-A-001", "JOB-A-002"), spec("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": Conformant, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result: ResultConformant,
		},
		"one of two specs fails": {
			specs:  []protocol.Spec{spec("a", passed, "JOB-A-001"), spec("b", failed, "JOB-A-001"), spec("c", passed, "JOB-A-002"), spec("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
		"one of two specs is not run": {
			specs:  []protocol.Spec{spec("a", passed, "JOB-A-001"), spec("b", notRun, "JOB-A-001"), spec("c", passed, "JOB-A-002"), spec("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": NotVerified, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result: ResultPartial,
		},
		"no spec is there": {
			specs:  []protocol.Spec{spec("a", passed, "JOB-A-001"), spec("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": Conformant, "JOB-A-002": NotVerified, "JOB-I-001": Conformant},
			result: ResultPartial,
		},
		"a declined feature": {
			specs:    []protocol.Spec{spec("a", passed, "JOB-A-001", "JOB-A-002"), spec("i", notRun, "JOB-I-001")},
			declined: []contract.Feature{contract.Indexed},
			want:     map[string]Outcome{"JOB-A-001": Conformant, "JOB-A-002": Conformant, "JOB-I-001": Declined},
			result:   ResultConformant,
		},
		"an error of the harness": {
			specs:  []protocol.Spec{spec("a", harness, "JOB-A-001"), spec("b", passed, "JOB-A-002"), spec("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": HarnessError, "JOB-A-002": Conformant, "JOB-I-001": Conformant},
			result: ResultPartial,
		},
		"a message that quotes the harness": {
			specs:  []protocol.Spec{spec("a", passed, "JOB-A-001"), spec("b", quoting, "JOB-A-002"), spec("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": Conformant, "JOB-A-002": NonConformant, "JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
		"an invariant of another requirement": {
			specs:  []protocol.Spec{spec("a", passed, "JOB-A-001"), spec("b", broken, "JOB-A-002"), spec("i", passed, "JOB-I-001")},
			want:   map[string]Outcome{"JOB-A-001": NonConformant, "JOB-A-002": NotVerified, "JOB-I-001": Conformant},
			result: ResultNonConformant,
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := Judge(Run{Cluster: Cluster{KubernetesVersion: "v1.37.1"}, Specs: test.specs, Declined: test.declined}, requirements)
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
		})
	}
}

func TestJudgeLeavesOutSpecsOfOtherVersions(t *testing.T) {
	old := spec("old", notRun, "JOB-A-001")
	old.Versions = []string{"< 1.31.0"}
	r := judge(old, spec("a", passed, "JOB-A-001"))
	if got := outcomes(r)["JOB-A-001"]; got != Conformant || r.Specs.NotVerified != 0 {
		t.Errorf("JOB-A-001 is %q with %+v, want it conformant: the other spec does not count here", got, r.Specs)
	}
}

func TestHarnessErrorOfTheRun(t *testing.T) {
	r := Judge(Run{
		Cluster: Cluster{KubernetesVersion: "v1.37.1"}, HarnessError: "the API server ended",
		Specs: []protocol.Spec{spec("a", passed, "JOB-A-001", "JOB-A-002"), spec("i", passed, "JOB-I-001")},
	}, requirements)
	if r.Result != ResultPartial || r.HarnessError == "" {
		t.Errorf("result %q with %q, want a partial one that says why", r.Result, r.HarnessError)
	}
}

func TestFailedSpecs(t *testing.T) {
	r := judge(spec("a", broken, "JOB-A-002"), spec("b", passed, "JOB-A-001"), spec("c", harness, "JOB-I-001"))
	if got := r.Failed(); len(got) != 2 || got[0] != "a" || got[1] != "c" {
		t.Errorf("failed: %q, want a and c", got)
	}
}
