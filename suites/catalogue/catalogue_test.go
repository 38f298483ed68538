package catalogue

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/onsi/ginkgo/v2/types"
	batchv1 "k8s.io/api/batch/v1"
)

func spec(text string, ids ...string) types.SpecReport {
	s := types.SpecReport{LeafNodeType: types.NodeTypeIt, LeafNodeText: text}
	for _, id := range ids {
		s.LeafNodeLabels = append(s.LeafNodeLabels, RequirementLabel+id)
	}
	return s
}

func TestCheck(t *testing.T) {
	requirement := func(id string) Requirement {
		return Requirement{ID: id, Text: "It MUST work.", Source: "KEP-1", Feature: Core}
	}
	both := []Requirement{requirement("JOB-A-001"), requirement("JOB-A-002")}
	changed := func(change func(*Requirement)) []Requirement {
		r := requirement("JOB-A-001")
		change(&r)
		return []Requirement{r}
	}
	for name, c := range map[string]struct {
		requirements []Requirement
		specs        types.SpecReports
		want         string // nothing: it is all right
	}{
		"all fits":             {both, types.SpecReports{spec("a", "JOB-A-001", "JOB-A-002"), spec("b", "JOB-A-001")}, ""},
		"a gap":                {both, types.SpecReports{spec("a", "JOB-A-001")}, "no spec covers JOB-A-002"},
		"an unknown one":       {both, types.SpecReports{spec("a", "JOB-A-001", "JOB-A-002", "JOB-A-003")}, `the spec "a" covers JOB-A-003, which is not in the catalogue`},
		"a spec without":       {both, types.SpecReports{spec("a", "JOB-A-001", "JOB-A-002"), spec("b")}, `the spec "b" covers no requirement`},
		"one twice":            {append(slices.Clone(both), both[0]), types.SpecReports{spec("a", "JOB-A-001", "JOB-A-002")}, "JOB-A-001 is there twice"},
		"many":                 {both, types.SpecReports{spec("a"), spec("b"), spec("c")}, "and 2 more"},
		"not an ID":            {changed(func(r *Requirement) { r.ID = "job-1" }), nil, "job-1 is no ID"},
		"no verb":              {changed(func(r *Requirement) { r.Text = "It works." }), nil, "JOB-A-001 says neither MUST"},
		"no sentence":          {changed(func(r *Requirement) { r.Text = "It MUST work" }), nil, "JOB-A-001 is not one sentence"},
		"no source":            {changed(func(r *Requirement) { r.Source = "" }), nil, "JOB-A-001 has no source"},
		"no feature":           {changed(func(r *Requirement) { r.Feature = "magic" }), nil, `JOB-A-001 is of the unknown feature "magic"`},
		"no constraint":        {changed(func(r *Requirement) { r.Versions = "new" }), nil, `JOB-A-001 has versions "new"`},
		"only specs are specs": {nil, types.SpecReports{{LeafNodeType: types.NodeTypeReportAfterEach}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := Check(c.requirements, c.specs)
			switch {
			case c.want == "" && err != nil:
				t.Errorf("it said %q", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n")):
				t.Errorf("it said %v, want a line with %q", err, c.want)
			}
		})
	}
}

func TestInvariantsThatRequirementsNameExist(t *testing.T) {
	var known []string
	for _, i := range history.Invariants() {
		known = append(known, i.ID)
	}
	named := map[string]bool{}
	for _, r := range All() {
		for _, id := range r.Invariants {
			named[id] = true
			if !slices.Contains(known, id) {
				t.Errorf("%s names the invariant %s, which is not there", r.ID, id)
			}
		}
	}
	for _, id := range known {
		if !named[id] {
			t.Errorf("no requirement names the invariant %s", id)
		}
	}
}

// TestFieldsThatSourcesNameExist reads the API's own types.
func TestFieldsThatSourcesNameExist(t *testing.T) {
	kinds := map[string]reflect.Type{}
	for _, v := range []any{
		batchv1.JobSpec{}, batchv1.JobStatus{}, batchv1.CronJobSpec{}, batchv1.CronJobStatus{}, batchv1.JobTemplateSpec{}, batchv1.JobCondition{},
		batchv1.PodFailurePolicy{}, batchv1.PodFailurePolicyRule{}, batchv1.PodFailurePolicyOnExitCodesRequirement{},
		batchv1.PodFailurePolicyOnPodConditionsPattern{}, batchv1.SuccessPolicy{}, batchv1.SuccessPolicyRule{},
	} {
		kinds[reflect.TypeOf(v).Name()] = reflect.TypeOf(v)
	}
	field := regexp.MustCompile(`batch/v1 ([A-Z]\w+)\.(\w+)`)
	for _, r := range All() {
		for _, match := range field.FindAllStringSubmatch(r.Source, -1) {
			kind, known := kinds[match[1]]
			if !known {
				t.Errorf("%s: there is no type %s in batch/v1, or this test does not know it", r.ID, match[1])
				continue
			}
			if !slices.ContainsFunc(reflect.VisibleFields(kind), func(f reflect.StructField) bool {
				return strings.Split(f.Tag.Get("json"), ",")[0] == match[2]
			}) {
				t.Errorf("%s: %s has no field %s", r.ID, match[1], match[2])
			}
		}
	}
}

func TestLinks(t *testing.T) {
	for source, want := range map[string]string{
		"KEP-2307": "[KEP-2307](https://github.com/kubernetes/enhancements/issues/2307)",
		"batch/v1 JobSpec.parallelism; docs: concepts/jobs#a-b": "[batch/v1 JobSpec.parallelism](https://pkg.go.dev/k8s.io/api/batch/v1#JobSpec.Parallelism); [docs: concepts/jobs#a-b](https://kubernetes.io/docs/concepts/jobs/#a-b)",
		"batch/v1 JobSpec.ttlSecondsAfterFinished":              "[batch/v1 JobSpec.ttlSecondsAfterFinished](https://pkg.go.dev/k8s.io/api/batch/v1#JobSpec.TTLSecondsAfterFinished)",
		"batch/v1 JobNameLabel and kubernetes/kubernetes#7":     "[batch/v1 JobNameLabel](https://pkg.go.dev/k8s.io/api/batch/v1#JobNameLabel) and [kubernetes/kubernetes#7](https://github.com/kubernetes/kubernetes/issues/7)",
		"RFC 2119": "RFC 2119",
	} {
		if got := Links(source); got != want {
			t.Errorf("%s: %s, want %s", source, got, want)
		}
	}
}

func TestPage(t *testing.T) {
	var b strings.Builder
	err := WritePage(&b, []Requirement{
		{ID: "JOB-A-001", Text: "It MUST a|b.", Source: "KEP-1", Feature: Core},
		{ID: "JOB-B-001", Text: "It MUST c.", Source: "KEP-2", Feature: Indexed, Versions: ">= 1.31.0"},
	}, types.SpecReports{spec("two", "JOB-A-001"), spec("one", "JOB-A-001", "JOB-B-001")})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"## JOB-A\n",
		`| <a id="JOB-A-001"></a>JOB-A-001 | It MUST a\|b. | [KEP-1](https://github.com/kubernetes/enhancements/issues/1) | all | core | one<br>two |`,
		"| >= 1.31.0 | indexed | one |\n",
		"\n2 requirements: 1 of the core, 1 of features.\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("the page lacks %q:\n%s", want, b.String())
		}
	}
}

func TestUpstreamBugsAreOfTheCatalogue(t *testing.T) {
	for _, bug := range UpstreamBugs() {
		if _, found := Find(bug.Requirement); bug.Requirement != "" && !found {
			t.Errorf("%s fails %s, which is not in the catalogue", bug.Issue, bug.Requirement)
		}
		if (bug.Spec == "") == (bug.Requirement == "") {
			t.Errorf("%s names a spec and a requirement, or neither", bug.Issue)
		}
		if bug.Invariant != "" && !slices.ContainsFunc(history.Invariants(), func(i history.Invariant) bool { return i.ID == bug.Invariant }) {
			t.Errorf("%s breaks the invariant %s, which is not there", bug.Issue, bug.Invariant)
		}
	}
}
