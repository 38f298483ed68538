package explore

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/internal/campaign"
	"github.com/jobconformance/jobconformance/suites/scenario"
	batchv1 "k8s.io/api/batch/v1"
)

func TestEveryScenarioCanBeRead(t *testing.T) {
	scenarios, err := Scenarios(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(scenarios) < 20 {
		t.Errorf("there are %d scenarios, 20 or more are promised", len(scenarios))
	}
	if _, err := Scenarios(regexp.MustCompile("^nothing$")); !badinput.Is(err) {
		t.Errorf("no scenario: %v", err)
	}
}

func TestPlansAreReadAsTheyAreWritten(t *testing.T) {
	seen := Seen{
		Writes: map[string]int{"create pods": 2, "update jobs/status": 1},
		Events: map[string]int{"pods": 3},
	}
	plans := seen.Plans()
	if len(plans) != 3*4+3 {
		t.Errorf("%d plans: %v", len(plans), plans)
	}
	for _, d := range dimensions {
		plans = append(plans, d.plans(seen, Scenario{Scenario: small})...)
	}
	both := slices.Concat(plans[0], plans[len(plans)-1])
	for _, plan := range append(plans, both) {
		again, err := ParsePlan(plan.String())
		if err != nil || !slices.Equal(again, plan) {
			t.Errorf("%q became %q: %v", plan, again, err)
		}
	}
	if plan, err := ParsePlan(None); err != nil || len(plan) != 0 {
		t.Errorf("%q, %v", plan, err)
	}
}

func parsedPlan(t *testing.T, text string) Plan {
	t.Helper()
	plan, err := ParsePlan(text)
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

func TestPairsAreOfDifferentCalls(t *testing.T) {
	seen := Seen{
		Writes: map[string]int{"create pods": 2, "update jobs/status": 1},
		Events: map[string]int{"pods": 2},
	}
	// Three calls that fail or lose their answer, two late events; a call is in a pair once.
	all := seen.Pairs(1000)
	if len(all) != 3*2*2+3*2*2 {
		t.Errorf("%d pairs: %v", len(all), all)
	}
	some := seen.Pairs(6)
	if len(some) != 6 || slices.Equal(some[0], some[1]) || some[5][1].Do.Kind != faultproxy.Hold {
		t.Errorf("they are not spread: %v", some)
	}
	if none := seen.Pairs(0); len(none) != 0 {
		t.Errorf("%v", none)
	}
	for _, pair := range all {
		if again, err := ParsePlan(pair.String()); err != nil || !slices.Equal(again, pair) {
			t.Errorf("%q became %q: %v", pair, again, err)
		}
	}
}

func TestImpossiblePlansAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "create pods: lose answer", "create pods 0: lose answer", "create pods 1: hold",
		"watch pods 1: lose answer",
		"get pods 1: answer 500", "create pods 1: explode", "create pods 1: kill before;",
		"create pods 1: kill before, create pods 2: kill before",
	} {
		if plan, err := ParsePlan(text); !badinput.Is(err) {
			t.Errorf("%q became %q: %v", text, plan, err)
		}
	}
}

func TestResultsAreOfUseToTheSameImplementationOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	sc := Scenario{Name: "a", Text: "text"}
	plan := parsedPlan(t, "create pods 1: answer 500")
	one := Identity{"reference", "1", "v1.37.1"}
	open := func(identity Identity, fresh bool) *Results {
		t.Helper()
		r, err := OpenResults(path, identity, fresh)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { r.Close() })
		return r
	}
	if err := open(one, false).add(sc, Result{Scenario: "a", Plan: plan.String(), Reached: true}); err != nil {
		t.Fatal(err)
	}
	has := func(r *Results, s Scenario, p Plan) bool { _, found := r.find(s, p); return found }
	if !has(open(one, false), sc, plan) {
		t.Error("a result is lost")
	}
	if has(open(one, false), Scenario{Name: "a", Text: "other"}, plan) {
		t.Error("a result is of use for another text")
	}
	if has(open(one, false), sc, nil) {
		t.Error("a result is of use for another plan")
	}
	if has(open(Identity{"reference", "2", "v1.37.1"}, true), sc, plan) || !has(open(one, false), sc, plan) {
		t.Error("a fresh start of one implementation is not its own")
	}
	if has(open(one, true), sc, plan) || has(open(one, false), sc, plan) {
		t.Error("a fresh start knows old results")
	}
}

func TestKnownDeviationsExplainNothingElse(t *testing.T) {
	known := []spec.Bug{{Explored: spec.Explored{Scenario: "del.*", Plan: "patch pods [0-9]+: .*", Cause: "step 3"}}}
	at := Result{Scenario: "deletion", Plan: "patch pods 2: answer 500",
		Finding: campaign.Finding{Causes: []string{"step 3"}}}
	if knownOf(known, at) == nil {
		t.Error("it is not known")
	}
	for what, change := range map[string]func(*Result){
		"another scenario": func(o *Result) { o.Scenario = "completions" },
		"another plan":     func(o *Result) { o.Plan = "create pods 2: answer 500" },
		"another cause":    func(o *Result) { o.Causes = []string{"step 3", "job-x"} },
		"no violation":     func(o *Result) { o.Causes = nil },
	} {
		other := at
		change(&other)
		if knownOf(known, other) != nil {
			t.Errorf("%s is known", what)
		}
	}
	known[0].Explored.Cause = "" // any
	at.Causes = append(at.Causes, string(spec.Interfered))
	if knownOf(known, at) != nil {
		t.Error("interference is known")
	}
}

func TestHandOversShowWhatKillsShow(t *testing.T) {
	known := []spec.Bug{{Explored: spec.Explored{Plan: "delete pods 1: kill after", Cause: "step 3"}}}
	for plan, want := range map[string]bool{
		"delete pods 1: hand over after":                             true,
		"delete pods 1: hand over before":                            false,
		"delete pods 2: hand over after":                             false,
		"watch pods 6: hand over":                                    true,
		"create pods 1: hand over before; watch jobs 2: hand over":   true,
		"watch pods 6: hold":                                         false,
		"create pods 1: hand over before; watch jobs 2: hold":        false,
		"watch jobs 2: hand over; create pods 1: hand over before":   true,
		"create pods 1: hand over before; create pods 2: kill after": false,
	} {
		r := Result{Plan: plan, Finding: campaign.Finding{Causes: []string{"step 3"}}}
		if got := knownOf(known, r) != nil; got != want {
			t.Errorf("%s is known: %t", plan, got)
		}
	}
}

func TestHandOversAreAtEachWriteAndEvent(t *testing.T) {
	seen := Seen{Writes: map[string]int{"create pods": 1}, Events: map[string]int{"jobs": 2}}
	var plans []string
	for _, p := range (&Explorer{HandOver: true, Returns: 3, Pairs: 5}).plans(Scenario{}, seen) {
		plans = append(plans, p.String())
		if _, err := ParsePlan(p.String()); err != nil {
			t.Error(err)
		}
	}
	want := []string{
		"create pods 1: hand over before", "create pods 1: hand over after", "watch jobs 1: hand over",
		"watch jobs 2: hand over",
		"create pods 1: hand over before; create pods 1: hand over after",
		"create pods 1: hand over before; watch jobs 2: hand over",
		"create pods 1: hand over after; watch jobs 2: hand over",
	}
	if diff := cmp.Diff(want, plans); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestScenariosAreForVersions(t *testing.T) {
	sc := Scenario{Since: "v1.32.0"}
	for version, want := range map[string]bool{"v1.31.14": false, "v1.32.0": true, "v1.32.0-rc.1": true,
		"v1.37.1": true, "strange": false} {
		if sc.In(version) != want {
			t.Errorf("%s: %t", version, !want)
		}
	}
	scenarios, err := Scenarios(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name := range since {
		if !slices.ContainsFunc(scenarios, func(s Scenario) bool { return s.Name == name }) {
			t.Errorf("there is no scenario %s", name)
		}
	}
}

// fakeRunner runs scenarios with two writes each. A plan has the given results, of which nil
// stands for an error; others are green.
type fakeRunner struct {
	mu    sync.Mutex
	plans map[string][]*scenario.Result // by plan, one for each time; the last one for all further
	ran   []string
}

func (s *fakeRunner) run(_ context.Context, _ Scenario, plan Plan) (*scenario.Result, Seen, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ran = append(s.ran, plan.String())
	seen := Seen{Writes: map[string]int{"create pods": 2}}
	results := s.plans[plan.String()]
	if len(results) == 0 {
		return green(), seen, nil
	}
	if len(results) > 1 {
		s.plans[plan.String()] = results[1:]
	}
	if results[0] == nil {
		return nil, Seen{}, errors.New("the cluster is away")
	}
	return results[0], seen, nil
}

// small is a scenario that could be run.
var small = &scenario.Scenario{Description: "small", Steps: []scenario.Step{{Await: "true"}}}

func red(step int) *scenario.Result {
	return &scenario.Result{Failed: "step 7, await x: it is false", FailedStep: step, Namespace: "ns"}
}

func green(unmet ...string) *scenario.Result { return &scenario.Result{Unmet: unmet} }

func explored(t *testing.T, s *fakeRunner, change func(*Explorer)) (*Tally, string) {
	t.Helper()
	dir := t.TempDir()
	results, err := OpenResults(filepath.Join(dir, "results.jsonl"), Identity{"x", "1", "v1.37.1"}, false)
	if err != nil {
		t.Fatal(err)
	}
	defer results.Close()
	var out bytes.Buffer
	e := &Explorer{
		Runner: s.run, Results: results, Folder: dir, Workers: 3, Out: &out,
		Again: func(sc, plan string) string { return "again " + sc + ", " + plan },
	}
	if change != nil {
		change(e)
	}
	tally, err := e.Run(context.Background(), []Scenario{{Name: "a", Text: "a", Scenario: small}})
	if err != nil {
		t.Fatal(err)
	}
	tally.Print(&out)
	return tally, out.String()
}

func (s *fakeRunner) times(plan string) (n int) {
	for _, p := range s.ran {
		if p == plan {
			n++
		}
	}
	return n
}

func TestEveryPlanIsRunOnce(t *testing.T) {
	s := &fakeRunner{}
	tally, text := explored(t, s, nil)
	if tally.Red() || !tally.Complete() || len(s.ran) != 1+2*4 || !strings.Contains(text, "GREEN x: 9 of 9 runs") {
		t.Errorf("%d runs:\n%s", len(s.ran), text)
	}
}

func TestAViolationIsRepeatedAndReported(t *testing.T) {
	s := &fakeRunner{plans: map[string][]*scenario.Result{"create pods 2: lose answer": {red(3), green(), red(3)}}}
	tally, text := explored(t, s, nil)
	if !tally.Red() || !tally.Complete() || s.times("create pods 2: lose answer") != 3 {
		t.Errorf("%v\n%s", s.ran, text)
	}
	for _, want := range []string{"VIOLATION a, create pods 2: lose answer: step 3 (2 of 3 runs)",
		"a: step 3, in 1 runs", "again a, create pods 2: lose answer", "RED x"} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %q:\n%s", want, text)
		}
	}
}

func TestAKnownViolationIsNone(t *testing.T) {
	s := &fakeRunner{plans: map[string][]*scenario.Result{"create pods 2: lose answer": {red(3)}}}
	tally, text := explored(t, s, func(e *Explorer) {
		e.Known = []spec.Bug{
			{Explored: spec.Explored{Plan: "create pods [0-9]+: lose answer", Cause: "step 3"}, Text: "it is so"},
			{Explored: spec.Explored{Plan: "delete pods 1: lose answer"}, Text: "it was so"},
		}
	})
	if tally.Red() || !strings.Contains(text, "known, in 1 runs: it is so") ||
		!strings.Contains(text, "known, but seen in no run: it was so") {
		t.Error(text)
	}
}

func TestAFaultThatMetNoCallIsReportedAndTriedTwice(t *testing.T) {
	s := &fakeRunner{plans: map[string][]*scenario.Result{
		"create pods 2: answer 500": {green("create pods 2: answer 500")}}}
	tally, text := explored(t, s, nil)
	if tally.Red() || s.times("create pods 2: answer 500") != 2 ||
		!strings.Contains(text, "not reached: a, create pods 2: answer 500") {
		t.Error(text)
	}
}

func TestWhatHasNoResultIsMissing(t *testing.T) {
	s := &fakeRunner{plans: map[string][]*scenario.Result{"create pods 2: answer 500": {nil}}}
	tally, text := explored(t, s, nil)
	if tally.Red() || tally.Complete() || !strings.Contains(text, "NOT COMPLETE x: 8 of 9 runs") {
		t.Error(text)
	}
}

func TestWithoutItsEndStateAScenarioIsNotDisturbed(t *testing.T) {
	s := &fakeRunner{plans: map[string][]*scenario.Result{"": {red(3)}}}
	tally, text := explored(t, s, nil)
	if !tally.Red() || s.times("") != 3 || len(s.ran) != 3 {
		t.Error(text)
	}
}

func TestWhenTimeIsOverNothingIsBegun(t *testing.T) {
	s := &fakeRunner{}
	tally, text := explored(t, s, func(e *Explorer) { e.Until = time.Now().Add(-time.Second) })
	if tally.Complete() || len(s.ran) != 0 {
		t.Error(text)
	}
}

func TestAPlanIsReducedToWhatItNeeds(t *testing.T) {
	both, err := ParsePlan("create pods 1: answer 500; create pods 2: lose answer")
	if err != nil {
		t.Fatal(err)
	}
	s := &fakeRunner{plans: map[string][]*scenario.Result{both.String(): {red(3)},
		"create pods 2: lose answer": {red(3)}}}
	e := &Explorer{Runner: s.run, Folder: t.TempDir(), shrunk: map[string]bool{}}
	o, err := e.try(context.Background(), Scenario{Name: "a", Scenario: small}, both)
	if err != nil || o.Plan != "create pods 2: lose answer" || o.Shown != 3 {
		t.Errorf("%+v, %v", o, err)
	}
}

func TestScenariosAreDisturbedAlternately(t *testing.T) {
	var got []string
	for _, task := range interleave([][]task{{{Scenario{Name: "a"}, nil}, {Scenario{Name: "a"}, nil},
		{Scenario{Name: "a"}, nil}}, nil, {{Scenario{Name: "b"}, nil}}}) {
		got = append(got, task.sc.Name)
	}
	if want := []string{"a", "b", "a", "a"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestUsersActAtEachWriteAndEachEnd(t *testing.T) {
	scenarios, err := Scenarios(regexp.MustCompile("^(" + strings.Join(users, "|") + ")$"))
	if err != nil || len(scenarios) != len(users) {
		t.Fatalf("%d of %d scenarios, %v", len(scenarios), len(users), err)
	}
	seen := Seen{Writes: map[string]int{"create pods": 2, "update jobs/status": 1}, Events: map[string]int{"pods": 3},
		Ended: 2}
	for _, s := range scenarios {
		kind, _ := s.object()
		alone := (3 + 2) * len(actions("create", kind))
		all := seen.Actions(s, alone*16)
		if len(all) != alone*16 || len(all[alone-1]) != 1 || len(all[alone]) != 2 {
			t.Errorf("%s: %d plans: %v", s.Name, len(all), all)
		}
		for _, plan := range all {
			again, err := ParsePlan(plan.String())
			if err != nil || !slices.Equal(again, plan) {
				t.Fatalf("%q became %q: %v", plan, again, err)
			}
			run := s.under(plan)
			text, err := run.YAML()
			if err == nil {
				_, err = scenario.Read(plan.String(), text)
			}
			if err != nil || len(run.Faults) != len(plan)-1 || len(run.Steps) <= len(s.Scenario.Steps)+2 {
				t.Fatalf("%s, %s: %v\n%s", s.Name, plan, err, text)
			}
		}
		for _, plan := range seen.Others(s) {
			again, err := ParsePlan(plan.String())
			if err != nil || !slices.Equal(again, plan) || s.under(plan).Check() != nil {
				t.Errorf("%q became %q: %v, %v", plan, again, err, s.under(plan).Check())
			}
		}
		if some := seen.Actions(s, 3); len(some) != 3 || slices.Equal(some[0], some[1]) {
			t.Errorf("they are not spread: %v", some)
		}
	}
	if none := seen.Actions(Scenario{Name: "single"}, 9); len(none) > 0 {
		t.Errorf("what a user does changes the end state, but there are %v", none)
	}
}

func TestTheEndStateAfterADeletionWaitsForTheGarbageCollector(t *testing.T) {
	scenarios, err := Scenarios(regexp.MustCompile("^user-cron$"))
	if err != nil {
		t.Fatal(err)
	}
	sc := scenarios[0]
	end := sc.Scenario.Steps[len(sc.Scenario.Steps)-1].Await
	ends := func(of Scenario, text string) (steps []scenario.Step) {
		t.Helper()
		plan, err := ParsePlan(text)
		if err != nil {
			t.Fatal(err)
		}
		run := of.under(plan)
		return run.Steps[len(run.Steps)-endSteps(run):]
	}
	after := ends(sc, "create jobs 1: user deletes")
	if len(after) != 3 || after[0].Await != end || !strings.HasSuffix(after[1].Stays, ownerGone) ||
		after[2].Await != end {
		t.Errorf("%v", after)
	}
	otherwise := ends(sc, "create jobs 1: user suspends")
	if len(otherwise) != 2 || otherwise[0].Await != end || otherwise[1].Stays != end {
		t.Errorf("%v", otherwise)
	}
	plan := parsedPlan(t, "create jobs 1: user deletes")
	smaller := Scenario{Name: sc.Name, Scenario: sc.under(plan), tailed: true}
	if again := smaller.under(nil); len(again.Steps) != len(smaller.Scenario.Steps) {
		t.Errorf("the end state is awaited once more: %v", again.Steps)
	}
}

func TestAScenarioIsMadeSmaller(t *testing.T) {
	scenarios, err := Scenarios(regexp.MustCompile("^user-job$"))
	if err != nil {
		t.Fatal(err)
	}
	plan, err := ParsePlan("create pods 2: user suspends; update jobs/status 3: answer 500")
	if err != nil {
		t.Fatal(err)
	}
	// The end state does not come about while the Job is suspended.
	wrong := func(s *scenario.Scenario) *scenario.Result {
		for _, step := range s.Steps {
			if step.Patch != nil && step.Patch.Merge["spec"].(map[string]any)["suspend"] == true {
				at := len(s.Steps) - 1
				return &scenario.Result{Failed: "no end", FailedStep: at, Namespace: "ns"}
			}
		}
		return &scenario.Result{}
	}
	runner := func(_ context.Context, s Scenario, plan Plan) (*scenario.Result, Seen, error) {
		return wrong(s.under(plan)), Seen{}, nil
	}
	e := &Explorer{Runner: runner, Folder: t.TempDir(), shrunk: map[string]bool{}}
	o, err := e.try(context.Background(), scenarios[0], plan)
	if err != nil || o.Plan != "create pods 2: user suspends" || o.Smallest == "" {
		t.Fatalf("%+v, %v", o, err)
	}
	small, err := scenario.Load(filepath.Join(e.Folder, o.Smallest))
	if err != nil {
		t.Fatal(err)
	}
	job := small.Steps[0].Create.Object.(*batchv1.Job)
	if len(small.Faults) > 0 || *job.Spec.Completions != 1 || *job.Spec.Parallelism != 1 || wrong(small).Green() ||
		len(small.Steps) > 5 {
		text, _ := small.YAML()
		t.Errorf("%s", text)
	}
	if again, err := e.try(context.Background(), scenarios[0], plan); err != nil || again.Smallest != "" {
		t.Errorf("the same cause is written twice: %+v, %v", again, err)
	}
}

func TestEndStatesAreCompared(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	sc := Scenario{Name: "a", Text: "text"}
	end := func(identity Identity, lines ...string) []Difference {
		t.Helper()
		r, err := OpenResults(path, identity, false)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		o := Result{Scenario: "a", Reached: true, End: lines}
		if err := r.add(sc, o); err != nil {
			t.Fatal(err)
		}
		return (&Explorer{Results: r, results: []Result{o}}).differences([]Scenario{sc})
	}
	if d := end(Identity{"reference", "1", "v1.37.1"}, "one", "two"); len(d) > 0 {
		t.Errorf("there is nothing to compare with: %v", d)
	}
	if d := end(Identity{"other", "1", "v1.36.1"}, "three"); len(d) > 0 {
		t.Errorf("it is another version: %v", d)
	}
	d := end(Identity{"other", "1", "v1.37.1"}, "one", "three")
	if len(d) != 1 || d[0].Other != "reference" || !slices.Equal(d[0].Lines, []string{"+ three", "- two"}) {
		t.Errorf("%v", d)
	}
}
