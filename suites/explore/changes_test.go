package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/suites/explore/fields"
	"github.com/jobconformance/jobconformance/suites/scenario"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
)

var someSteps = Seen{Writes: map[string]int{"create pods": 2, "update jobs/status": 1}, Ended: 1}

func withFields(t *testing.T, name string) Scenario {
	t.Helper()
	scenarios, err := Scenarios(nil, ofFields)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(scenarios, func(s Scenario) bool { return s.Name == name })
	if i < 0 {
		t.Fatalf("there is no scenario %s", name)
	}
	return scenarios[i]
}

func TestEveryFieldIsChangedAtEveryStep(t *testing.T) {
	for _, name := range slices.Concat(fields.Names(), users) {
		s := withFields(t, name)
		kind, created := s.object()
		object := inJSON(created.Object)
		plans := someSteps.changes(s)
		for _, c := range fields.Of(kind) {
			at := map[string]bool{}
			for _, plan := range plans {
				for _, d := range plan {
					if of, is := d.change(kind); is && of.Text() == c.Text() {
						at[d.At()] = true
					}
				}
			}
			switch want := 4; {
			case !differs(object, c.Patch(object)) || slices.Contains(c.Never, name):
				if len(at) > 0 {
					t.Errorf("%s: %s changes nothing", name, c.Text())
				}
			case !fields.Accepted(object, c):
				want = 1
				fallthrough
			default:
				if len(at) != want {
					t.Errorf("%s: %s at %d steps, want %d", name, c.Text(), len(at), want)
				}
			}
		}
		for i, plan := range plans {
			if again, err := ParsePlan(plan.String()); err != nil || !slices.Equal(again, plan) {
				t.Fatalf("%q became %q: %v", plan, again, err)
			}
			if i%97 != 0 {
				continue // the rest takes its time
			}
			run := s.under(plan)
			text, err := run.YAML()
			if err == nil {
				_, err = scenario.Read(plan.String(), text)
			}
			if err != nil || len(s.changeSteps(plan)) != len(plan) {
				t.Fatalf("%s, %s: %v\n%s", name, plan, err, text)
			}
		}
	}
	if plans := someSteps.changes(Scenario{Name: "single"}); len(plans) > 0 {
		t.Errorf("the end depends on what users do: %v", plans)
	}
}

func TestChangesThatNobodyKnowsAreRefused(t *testing.T) {
	for _, text := range []string{"create pods 1: user changes spec.paralelism to 1",
		"create pods 1: user changes spec.parallelism to 77", "watch pods 1: user changes spec.parallelism to 1"} {
		if plan, err := ParsePlan(text); !badinput.Is(err) {
			t.Errorf("%q became %q: %v", text, plan, err)
		}
	}
}

func TestAChangeComesBeforeTheFirstStepThatWaits(t *testing.T) {
	s := withFields(t, "fields-suspended")
	run := s.under(parsedPlan(t, "update jobs/status 1: user changes spec.parallelism to 0 and back"))
	var names []string
	for _, step := range run.Steps {
		name, _, _ := strings.Cut(step.String(), " ")
		names = append(names, name)
	}
	want := []string{"create", "await", "patch", "pause", "patch", "await", "patch", "await", "stays"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// jobs is a history of a Job that is created and gets statuses. A spec that differs from the one before is a change.
func jobs(revisions ...batchv1.Job) (h history.History) {
	for i, job := range revisions {
		job.Name, job.UID, job.Kind = "a", "1", "Job"
		if i > 0 {
			before := h.Revisions[i-1].Job()
			job.Generation = before.Generation
			if !cmp.Equal(before.Spec, job.Spec) {
				job.Generation++
			}
		}
		h.Revisions = append(h.Revisions, history.Revision{Type: watch.Modified, Object: &job})
	}
	h.Revisions[0].Type = watch.Added
	return h
}

func jobOf(limit, failed int32, conditions ...batchv1.JobConditionType) (job batchv1.Job) {
	job.Spec.BackoffLimit, job.Status.Failed = ptr.To(limit), failed
	for _, c := range conditions {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: c, Status: corev1.ConditionTrue})
	}
	return job
}

func TestTheEndIsThatOfAnObjectCreatedWithTheSpec(t *testing.T) {
	s := withFields(t, "fields-failing")
	first := jobs(jobOf(1, 0), jobOf(1, 2, batchv1.JobFailed))
	fresh := jobs(jobOf(3, 0), jobOf(3, 4, batchv1.JobFailed))
	const plan = "create pods 1: user changes spec.backoffLimit to 3"
	const back = `create pods 1: user changes metadata.labels to {"example.com/changed":"true"} and back`
	for what, test := range map[string]struct {
		plan    string
		history history.History
		refused bool
		wrong   bool
	}{
		"like it": {plan, jobs(jobOf(1, 0), jobOf(3, 0), jobOf(3, 1), jobOf(3, 4, batchv1.JobFailed)), false, false},
		"by the first limit": {plan, jobs(jobOf(1, 0), jobOf(3, 0), jobOf(3, 1), jobOf(3, 2, batchv1.JobFailed)), false,
			true},
		"too late": {plan, jobs(jobOf(1, 0), jobOf(1, 2, batchv1.JobFailureTarget),
			jobOf(3, 2, batchv1.JobFailureTarget),
			jobOf(3, 2, batchv1.JobFailed)), false, false},
		"refused":         {plan, jobs(jobOf(1, 0), jobOf(1, 2, batchv1.JobFailed)), true, false},
		"refused, other":  {plan, jobs(jobOf(1, 0), jobOf(1, 1), jobOf(1, 3, batchv1.JobFailed)), true, true},
		"back":            {back, jobs(jobOf(1, 0), jobOf(1, 2, batchv1.JobFailed)), false, false},
		"back, otherwise": {back, jobs(jobOf(1, 0), jobOf(1, 1), jobOf(1, 3, batchv1.JobFailed)), false, true},
		"not compared": {"create pods 1: user changes spec.backoffLimit to 0", jobs(jobOf(1, 0), jobOf(0, 9,
			batchv1.JobFailed)), false, false},
	} {
		runner := func(_ context.Context, of Scenario, p Plan) (*scenario.Result, Seen, error) {
			_, created := of.object()
			switch {
			case len(p) > 0:
				r := &scenario.Result{History: test.history}
				if test.refused {
					r.Refused = s.changeSteps(p)
				}
				return r, Seen{}, nil
			case *created.Object.(*batchv1.Job).Spec.BackoffLimit == 3:
				return &scenario.Result{History: fresh}, Seen{}, nil
			}
			return &scenario.Result{History: first}, Seen{}, nil
		}
		e := &Explorer{Runner: runner, Folder: t.TempDir(), shrunk: map[string]bool{}}
		r, err := e.try(context.Background(), s, parsedPlan(t, test.plan))
		if err != nil || r.Red() != test.wrong || (len(r.Refused) > 0) != test.refused {
			t.Errorf("%s: %+v, %v", what, r, err)
		}
		if r.Red() && !slices.Equal(r.Causes, []string{"end"}) {
			t.Errorf("%s: %v", what, r.Causes)
		}
	}
}

func TestTheTableSaysInHowManyStatesAFieldWasChanged(t *testing.T) {
	s := withFields(t, "fields-job")
	tally := &Tally{scenarios: []Scenario{s}, again: func(_, plan string) string { return plan },
		Unknown: []string{"Job spec.plants"}}
	for _, plan := range []string{"create pods 1: user changes spec.parallelism to 1",
		"create pods 1: user changes spec.parallelism to 0 and back",
		"create pods 2: user changes spec.parallelism to 1"} {
		tally.Results = append(tally.Results, Result{Scenario: s.Name, Plan: plan, Reached: true})
	}
	refused := "create pods 1: user changes spec.managedBy to \"example.com/controller\""
	tally.Results = append(tally.Results, Result{Scenario: s.Name, Plan: refused, Refused: []string{refused}})
	var out strings.Builder
	tally.Print(&out)
	words := strings.Join(strings.Fields(out.String()), " ")
	for _, want := range []string{"Job spec.parallelism 2 0", "Job spec.managedBy 0 1", "CronJob spec.schedule 0 0",
		"the field Job spec.plants is neither changed nor explained"} {
		if !strings.Contains(words, want) {
			t.Errorf("nothing says %q:\n%s", want, out.String())
		}
	}
}
