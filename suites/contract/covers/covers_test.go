package covers

import (
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
)

func specReport(text string, ids ...string) types.SpecReport {
	s := types.SpecReport{LeafNodeType: types.NodeTypeIt, LeafNodeText: text}
	s.LeafNodeLocation = types.CodeLocation{FileName: "suites/job/a.go", LineNumber: 7}
	for _, id := range ids {
		s.LeafNodeLabels = append(s.LeafNodeLabels, spec.RequirementLabel+id)
	}
	return s
}

func TestCheck(t *testing.T) {
	requirement := func(id string) contract.Requirement {
		return contract.Requirement{ID: id, Text: "It MUST work.", Source: "KEP-1", Feature: contract.Core}
	}
	both := []contract.Requirement{requirement("JOB-A-001"), requirement("JOB-A-002")}
	changed := func(change func(*contract.Requirement)) []contract.Requirement {
		r := requirement("JOB-A-001")
		change(&r)
		return []contract.Requirement{r}
	}
	for name, c := range map[string]struct {
		requirements []contract.Requirement
		specs        types.SpecReports
		want         string // nothing: it is all right
	}{
		"all fits": {both,
			types.SpecReports{specReport("a", "JOB-A-001", "JOB-A-002"), specReport("b", "JOB-A-001")}, ""},
		"a gap": {both, types.SpecReports{specReport("a", "JOB-A-001")}, "no spec covers JOB-A-002"},
		"an unknown one": {both, types.SpecReports{specReport("a", "JOB-A-001", "JOB-A-002", "JOB-A-003")},
			`the spec "a" covers JOB-A-003, which is no requirement`},
		"a spec without": {both, types.SpecReports{specReport("a", "JOB-A-001", "JOB-A-002"), specReport("b")},
			`the spec "b" covers no requirement`},
		"one twice": {append(slices.Clone(both), both[0]),
			types.SpecReports{specReport("a", "JOB-A-001", "JOB-A-002")}, "JOB-A-001 is there twice"},
		"many": {both, types.SpecReports{specReport("a"), specReport("b"), specReport("c")},
			"and 2 more"},
		"a situation of another one": {both, types.SpecReports{specReport("a", "JOB-A-001", "JOB-A-002"),
			{LeafNodeType: types.NodeTypeIt, LeafNodeText: "b", LeafNodeLabels: []string{
				spec.RequirementLabel + "JOB-A-001", spec.MayAriseLabel + "pod-failed"}}},
			`the spec "b" need not make pod-failed, which its requirements are not about`},
		"no situation": {changed(func(r *contract.Requirement) {
			r.Situations = []spec.Situation{"x"}
		}), nil, "JOB-A-001 is about an unknown situation"},
		"not an ID": {changed(func(r *contract.Requirement) { r.ID = "job-1" }), nil, "job-1 is no ID"},
		"no verb": {changed(func(r *contract.Requirement) {
			r.Text = "It works."
		}), nil, "JOB-A-001 says neither MUST"},
		"no sentence": {changed(func(r *contract.Requirement) {
			r.Text = "It MUST work"
		}), nil, "JOB-A-001 is not one sentence"},
		"no source": {changed(func(r *contract.Requirement) {
			r.Source = ""
		}), nil, "JOB-A-001 has no source"},
		"no feature": {changed(func(r *contract.Requirement) {
			r.Feature = "magic"
		}), nil, `JOB-A-001 is of the unknown feature "magic"`},
		"provisional counts": {changed(func(r *contract.Requirement) {
			r.Provisional, r.Invariants = true, []string{"job-a"}
		}), nil, "JOB-A-001 is provisional, but its invariants count"},
		"no constraint": {changed(func(r *contract.Requirement) {
			r.Versions = "new"
		}), nil, `JOB-A-001 has versions "new"`},
		"only specs are specs": {nil, types.SpecReports{{LeafNodeType: types.NodeTypeReportAfterEach}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check(c.requirements, c.specs)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("it said %q", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n")):
				t.Errorf("it said %v, want a line with %q", err, c.want)
			}
		})
	}
}

func TestPage(t *testing.T) {
	var b strings.Builder
	err := WritePage(&b, []contract.Requirement{
		{ID: "JOB-A-001", Text: "It MUST a|b.", Source: "KEP-1", Feature: contract.Core},
		{ID: "JOB-B-001", Text: "It MUST c.", Source: "KEP-2", Feature: contract.Indexed, Versions: ">= 1.31.0"},
	}, types.SpecReports{specReport("two", "JOB-A-001"), specReport("one", "JOB-A-001", "JOB-B-001")})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## JOB-A\n",
		`| <a id="JOB-A-001"></a>JOB-A-001 | It MUST a\|b. | [KEP-1](https://github.com/kubernetes/enhancements/issues/1) | all | core | [one](job/a.go)<br>[two](job/a.go) |`,
		"| >= 1.31.0 | indexed | [one](job/a.go) |\n",
		"\n2 requirements: 1 of the core, 1 of features.\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, b.String())
		}
	}
}

func TestCoversOnlyProvisionalRequirements(t *testing.T) {
	old := contract.Requirement{ID: "JOB-A-001", Text: "It MUST."}
	fresh := contract.Requirement{ID: "JOB-A-002", Text: "It MUST.", Provisional: true}
	for want, some := range map[bool][]contract.Requirement{true: {fresh}, false: {old, fresh}} {
		decorators := Requirements(some...)
		labels := decorators[len(decorators)-1].(ginkgo.Labels)
		if got := spec.ParseLabels(labels).Provisional; got != want {
			t.Errorf("%v: %t", labels, got)
		}
	}
}

func TestAreaIsThatOfTheFirstRequirement(t *testing.T) {
	job, cron := contract.Requirement{ID: "JOB-A-001", Text: "It MUST."},
		contract.Requirement{ID: "CRON-A-001", Text: "It MUST."}
	for want, some := range map[string][]contract.Requirement{"job": {job, cron}, "cronjob": {cron, job}} {
		decorators := Requirements(some...)
		labels := decorators[len(decorators)-1].(ginkgo.Labels)
		if got := spec.ParseLabels(labels).Areas; !slices.Equal(got, []string{want}) {
			t.Errorf("%v: %v, want %s", labels, got, want)
		}
	}
}

func TestSituationsOfAllRequirements(t *testing.T) {
	one := contract.Requirement{ID: "JOB-A-001", Text: "It MUST.", Situations: []spec.Situation{spec.PodFailed}}
	other := contract.Requirement{ID: "JOB-A-002", Text: "It MUST.",
		Situations: []spec.Situation{spec.JobResumed, spec.PodFailed}}
	decorators := append(Requirements(one, other), MayArise(spec.JobResumed))
	labels := spec.ParseLabels(slices.Concat(decorators[0].(ginkgo.Labels), decorators[1].(ginkgo.Labels)))
	if want := []spec.Situation{spec.PodFailed, spec.JobResumed}; !slices.Equal(labels.Situations, want) ||
		!slices.Equal(labels.MayArise, want[1:]) {
		t.Errorf("%q, %q", labels.Situations, labels.MayArise)
	}
}

func TestAboutTheGroundsOfAllRequirements(t *testing.T) {
	principal := contract.Requirement{ID: "JOB-A-001", Text: "It MUST.", Grounds: []spec.Ground{spec.JobReady}}
	about := contract.Requirement{ID: "JOB-A-002", Text: "It MUST.",
		About: []spec.Ground{spec.JobActive, spec.JobReady}}
	decorators := Requirements(principal, about)
	labels := spec.ParseLabels(decorators[len(decorators)-1].(ginkgo.Labels))
	if want := []spec.Ground{spec.JobReady, spec.JobActive}; !slices.Equal(labels.About, want) {
		t.Errorf("%q, want %q", labels.About, want)
	}
}

func TestUses(t *testing.T) {
	got := spec.ParseLabels(Uses(contract.Suspend, contract.Indexed)).Features
	if !slices.Equal(got, []string{"suspend", "indexed"}) {
		t.Errorf("the features are %q", got)
	}
	got = spec.ParseLabels(Uses(contract.SuccessPolicy)).Features
	if !slices.Equal(got, []string{"success-policy", "indexed"}) {
		t.Errorf("with those that it needs, the features are %q", got)
	}
	got = spec.ParseLabels(UsesOneOf(contract.ManagedBy, contract.Suspend)).OneOf
	if !slices.Equal(got, []string{"managed-by", "suspend"}) {
		t.Errorf("one is %q", got)
	}
}
