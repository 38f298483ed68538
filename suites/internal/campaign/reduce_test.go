package campaign

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/scenario"
	batchv1 "k8s.io/api/batch/v1"
)

const end = "jobs.all(j, done(jobs[j], 'Complete'))"

// disturbed has two Jobs, of which one is edited, while a watch is held, the network is cut and
// requests fail.
const disturbed = `description: disturbed
ends: {a: "1,1,0"}
faults:
- {on: create pods, nth: 1, do: answer 500}
steps:
- create: {apiVersion: batch/v1, kind: Job, metadata: {name: a}, spec: {completions: 3, parallelism: 2, template: {spec: {}}}}
- create: {apiVersion: batch/v1, kind: Job, metadata: {name: b}, spec: {template: {spec: {}}}}
- hold: pods
- patch: {kind: Job, name: a, merge: {spec: {suspend: true}}}
- pause: 1s
- patch: {kind: Job, name: a, merge: {spec: {suspend: false}}}
- patch: {kind: Job, name: b, merge: {spec: {parallelism: 0}}}
- implementation: kill
- network: cut
- fault: {on: write any, first: 2, do: drop}
- network: restored
- implementation: start
- clear: faults
- release: pods
- await: ` + end + "\n"

func read(t *testing.T) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Read("disturbed", []byte(disturbed))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// steps are those of a scenario, on one line.
func steps(s *scenario.Scenario) string {
	var all []string
	for _, f := range s.Faults {
		all = append(all, f.String())
	}
	for _, step := range s.Steps {
		all = append(all, step.String())
	}
	return strings.Join(all, "; ")
}

func TestAScenarioIsReducedToWhatItNeeds(t *testing.T) {
	await := "await " + end
	for name, test := range map[string]struct {
		freedom Freedom
		shows   []string // the steps that what is wrong depends on
		broken  bool     // it breaks an invariant
		want    string
	}{
		"to the wait": {Actions, []string{"patch Job b"}, false,
			"create a; create b; patch Job b; " + await},
		"to one object": {Objects, []string{"hold pods"}, false,
			"create b; hold pods; patch Job b; release pods; " + await},
		"to what is undone later": {Objects, []string{"patch Job a"}, false,
			"create a; patch Job a; patch Job a; " + await},
		"not to less than its actions": {Waits, nil, false,
			"create a; create b; hold pods; patch Job a; patch Job a; patch Job b; implementation kill; " +
				"network cut; fault on write any; network restored; implementation start; clear; release pods; " +
				await},
		"to a broken invariant": {Waits, []string{"patch Job b"}, true, "create b; patch Job b; " + await},
		"to a fault": {Objects, []string{"create pods 1: answer 500"}, false,
			"create pods 1: answer 500; create b; patch Job b; clear; " + await},
	} {
		run := func(_ context.Context, s *scenario.Scenario) (*scenario.Result, error) {
			for _, need := range test.shows {
				if !slices.Contains(strings.Split(steps(s), "; "), need) {
					return &scenario.Result{}, nil
				}
			}
			r := &scenario.Result{Failed: "no end", FailedStep: len(s.Steps)}
			if test.broken {
				r.Violations = []invariants.Violation{{Invariant: invariants.Invariants()[0]}}
			}
			return r, nil
		}
		s := read(t)
		first, _ := run(t.Context(), s)
		for _, workers := range []int{1, 4} {
			small, _, err := Reduction{Run: run, Freedom: test.freedom, End: 1, Workers: workers}.Of(t.Context(), s,
				first)
			if err != nil {
				t.Fatal(err)
			}
			got := steps(small)
			if got != test.want {
				t.Errorf("%s: it became\n%s\nwant\n%s", name, got, test.want)
			}
			if job := jobOf(small.Steps[0]); test.freedom > Waits && job.Spec.Completions != nil &&
				*job.Spec.Completions > 1 {
				t.Errorf("%s: the Job has %d completions", name, *job.Spec.Completions)
			}
		}
		if read(t).Ends["a"] != s.Ends["a"] || steps(read(t)) != steps(s) {
			t.Errorf("%s: the scenario was changed: %s", name, steps(s))
		}
	}
}

func TestAReductionShowsTheSame(t *testing.T) {
	run := func(_ context.Context, s *scenario.Scenario) (*scenario.Result, error) {
		return &scenario.Result{Failed: "another step fails", FailedStep: 1}, nil
	}
	s, first := read(t), &scenario.Result{Failed: "no end", FailedStep: 15}
	small, result, err := Reduction{Run: run, Freedom: Objects, End: 1}.Of(t.Context(), s, first)
	if err != nil || small != s || result != first {
		t.Errorf("%v, %s", err, steps(small))
	}
}

func TestAReductionEnds(t *testing.T) {
	ran := 0
	run := func(context.Context, *scenario.Scenario) (*scenario.Result, error) {
		ran++
		return &scenario.Result{}, nil
	}
	first := &scenario.Result{Failed: "no end", FailedStep: 15}
	for want, r := range map[int]Reduction{
		7: {Tries: 7}, 5: {Tries: 5, Workers: 1}, 0: {Until: time.Now().Add(-time.Second)},
	} {
		ran, r.Run, r.Freedom, r.End = 0, run, Objects, 1
		if _, _, err := r.Of(t.Context(), read(t), first); err != nil || ran != want {
			t.Errorf("%d runs, want %d: %v", ran, want, err)
		}
	}
}

func TestJobsGetSmaller(t *testing.T) {
	one, two := int32(1), int32(2)
	job := &batchv1.Job{Spec: batchv1.JobSpec{
		Completions: &two, Parallelism: &one, SuccessPolicy: &batchv1.SuccessPolicy{}, BackoffLimitPerIndex: &one,
		MaxFailedIndexes: &one,
	}}
	if all := smallerJobs(job); len(all) != 3 || *all[0].Spec.Completions != 1 || all[1].Spec.SuccessPolicy != nil ||
		all[2].Spec.MaxFailedIndexes != nil {
		t.Errorf("%d: %v", len(all), all)
	}
	if *job.Spec.Completions != 2 || job.Spec.SuccessPolicy == nil {
		t.Error("the Job itself has changed")
	}
}

func TestFindingsAreListedByCause(t *testing.T) {
	var out bytes.Buffer
	PrintFindings(&out, []Listed{
		{Finding: Finding{Causes: []string{"step 3"}, Why: "sometimes", Shown: 1, Runs: 3, History: "h1"}, Of: "a: ",
			Name: "first", Again: "again 1"},
		{Finding: Finding{Causes: []string{"step 3", "exit"}, Why: "always\nso", Shown: 3, Runs: 3, History: "h2",
			Smallest: "s2"}, Of: "a: ", Name: "second", Again: "again 2"},
	})
	want := `
a: exit, in 1 runs
  second (3 of 3)
    always
    so
    history: h2
    again: again 2
    smallest scenario: s2

a: step 3, in 2 runs
  first (1 of 3)
  second (3 of 3)
    always
    so
    history: h2
    again: again 2
    smallest scenario: s2
`
	if out.String() != want {
		t.Errorf("%s\nwant%s", &out, want)
	}
}

func TestCausesAreInterferenceAndInvariantsFirst(t *testing.T) {
	some := invariants.Invariants()
	broken := func(n int) invariants.Violation { return invariants.Violation{Invariant: some[n]} }
	for want, r := range map[string]*scenario.Result{
		some[0].ID + " " + some[1].ID: {Violations: []invariants.Violation{broken(0), broken(1), broken(0)},
			Failed: "x", FailedStep: 2},
		"interference " + some[0].ID: {Violations: []invariants.Violation{broken(0)},
			Interferences: []spec.Interference{{What: "x"}}},
		"interference": {Interferences: []spec.Interference{{What: "x"}}},
		"step 2":       {Failed: "x", FailedStep: 2, Exited: true},
		"exit":         {Failed: "x", Exited: true},
		"always":       {Failed: "x"},
	} {
		f := FindingOf(r)
		if got := strings.Join(f.Causes, " "); got != want || !f.Red() || f.Shown != 1 {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if f := FindingOf(&scenario.Result{}); f.Red() || f.Runs != 1 || f.Shown != 0 {
		t.Errorf("%+v", f)
	}
}
