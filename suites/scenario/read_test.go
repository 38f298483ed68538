package scenario

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	batchv1 "k8s.io/api/batch/v1"
)

// job is a step that creates one, six lines long.
const job = `- create:
    apiVersion: batch/v1
    kind: Job
    metadata: {name: a}
    spec:
      template: {spec: {restartPolicy: Never, containers: [{name: main, image: puppet}]}}
`

const everyStep = `description: all of it
implementation: later
except: [job-counters-in-range]
ends: {a: "1,0"}
steps:
` + job + `- implementation: start
- direct: {pods: 2, exitCodes: "1", finishedAgo: 90s, which: p.status.phase == 'Running'}
- patch: {kind: Job, name: a, merge: {spec: {suspend: true}}}
  answers: 422
- fault: {on: update jobs/status, nth: 2, do: answer 409}
- fault: {on: write any, do: delay 100ms}
- fault: {on: any leases, first: 3, do: lose answer}
- fault: {on: update jobs/status, nth: 1, do: freeze before 3s}
- fault: {on: create pods, do: deny 3s}
- fault: {on: watch pods, nth: 2, do: expire}
- fault: {on: patch pods, nth: 2, do: break off}
- clear: faults
- hold: jobs
- held: jobs
  within: 5s
- release: jobs
- expire: pods
- network: cut
- pause: 1s
- network: restored
- await: done(jobs.a, 'Complete')
- stays: size(created) == 3
  for: 5s
- always: jobs.a.status.failed == 0
- delete: {kind: Pod, which: p.status.phase == 'Failed', force: true}
- delete: {kind: Job, name: a, propagation: Orphan}
- namespace: delete
`

func TestReadTakesEveryStep(t *testing.T) {
	s, err := Read("all.yaml", []byte(everyStep))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Steps) != 25 {
		t.Errorf("%d steps", len(s.Steps))
	}
	first, ok := s.Steps[0].Create.Object.(*batchv1.Job)
	if !ok || first.Name != "a" || s.Steps[0].line != 6 {
		t.Errorf("line %d: %v", s.Steps[0].line, first)
	}
	if step := s.Steps[2]; step.line != 13 || step.Direct.FinishedAgo != 90*time.Second {
		t.Errorf("line %d: %v", step.line, step.Direct)
	}
}

func TestReadRefusesInOneLineWithLineAndField(t *testing.T) {
	steps := "description: d\nsteps:\n" // the first step is on line 3
	for name, test := range map[string]struct{ text, want string }{
		"nothing":                    {"", "line 1: it is empty"},
		"no YAML":                    {"description: [", "line 1: did not find"},
		"a list":                     {"- a\n- b", "line 1: cannot unmarshal"},
		"no description":             {"steps:\n" + job, "line 1: description: it must be one line"},
		"no steps":                   {"description: d\nsteps: []\n", "line 1: steps: there are none"},
		"an unknown field":           {"description: d\nissues: 1\nsteps:\n" + job, `line 2: unknown field "issues"`},
		"an unknown field of a step": {steps + "- awaits: 'true'\n", `line 3: unknown field "awaits"`},
		"versions": {"description: d\naffected: before 1.36\nsteps:\n" + job,
			`line 2: affected: "before 1.36" is no constraint`},
		"a version": {"description: d\nred: '1.36'\nsteps:\n" + job,
			`line 2: red: "1.36" is no version such as`},
		"a component": {"description: d\ncomponent: kubelet\nsteps:\n" + job,
			`line 2: component: "kubelet" is none of`},
		"a feature": {"description: d\nuses: [suspended]\nsteps:\n" + job,
			`line 2: uses: unknown feature "suspended"; did you mean suspend?`},
		"an invariant": {"description: d\nexcept: [all]\nsteps:\n" + job,
			`line 2: except: unknown invariant "all"`},
		"when it starts": {"description: d\nimplementation: soon\nsteps:\n" + job,
			`line 2: implementation: "soon" is not "later"`},
		"a number":      {"description: d\nissue: many\nsteps:\n" + job, "line 2: cannot unmarshal"},
		"an empty step": {steps + "- {}\n", "line 3: the step does nothing"},
		"two in one": {steps + "- hold: jobs\n  await: 'true'\n",
			"line 3: a step does one thing, this one hold, await"},
		"another namespace": {steps + "- create: {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: b}}\n",
			"line 3: the object is created in the namespace of the scenario; leave namespace out"},
		"no kind": {steps + "- create: {apiVersion: v1, metadata: {name: a}}\n",
			"line 3: an object has apiVersion and kind"},
		"a field of a kind that no spec uses": {steps + "- create: {apiVersion: v1, kind: Secret, dat: {}}\n",
			`line 3: unknown field "dat"`},
		"a kind without its version": {steps + "- patch: {kind: Workload, name: a, merge: {}}\n",
			`line 3: patch: unknown kind "Workload": give it with its apiVersion`},
		"an expression in an object": {steps + strings.Replace(job, "name: a", `name: "${job.name}"`, 1),
			"line 4: in ${job.name}: undeclared reference to 'job'"},
		"an expression in a patch": {steps + `- patch: {kind: Job, name: a, merge: {metadata: {uid: "${now +}"}}}` + "\n",
			"line 3: patch: merge: in ${now +}: "},
		"another version of a kind": {steps + "- create: {apiVersion: batch/v1beta1, kind: Job}\n",
			"line 3: a Job is of apiVersion batch/v1"},
		"a field of a Job": {steps + strings.Replace(job, "      template", "      parallel: 2\n      template", 1),
			`line 8: unknown field "spec.parallel"`},
		"a value of a Job": {steps +
			strings.Replace(job, "      template", "      parallelism: two\n      template", 1), "line 4:"},
		"an expression":   {steps + "- await: jobs.a.status.failed ==\n", "line 3: await: in "},
		"no question":     {steps + "- stays: size(pods)\n", "line 3: stays: "},
		"an unknown name": {steps + "- always: job.status.failed == 1\n", "line 3: always: in "},
		"metrics that are always": {steps + "- always: value(metrics, 'depth') == 0\n",
			"line 3: always: metrics are not watched"},
		"metrics of a pod": {steps + "- direct: {exitCodes: '0', which: size(metrics) > 0}\n",
			"line 3: direct: which: metrics are not watched"},
		"which":          {steps + "- direct: {exitCodes: '0', which: pod.name}\n", "line 3: direct: which: "},
		"direct nothing": {steps + "- direct: {pods: 2}\n", "line 3: direct: it says nothing"},
		"a verb":         {steps + "- fault: {on: make pods, do: drop}\n", `line 3: fault: on "make pods"`},
		"a resource": {steps + "- fault: {on: create pod, do: drop}\n",
			`line 3: fault: on: "pod" is none of`},
		"an effect": {steps + "- fault: {on: create pods, do: explode}\n",
			`line 3: fault: do: "explode" is none of`},
		"a code": {steps + "- fault: {on: create pods, do: answer 200}\n",
			`line 3: fault: do: "200" is none of 400`},
		"a delay": {steps + "- fault: {on: create pods, do: delay long}\n",
			`line 3: fault: do: "long" is no time`},
		"two counts": {steps + "- fault: {on: create pods, nth: 1, first: 2, do: drop}\n",
			"line 3: fault: give nth or first"},
		"a release of nothing":    {steps + "- release: jobs\n", "line 3: release: jobs are not held"},
		"held before hold":        {steps + "- held: jobs\n- hold: jobs\n", "line 3: held: jobs are not held"},
		"hold twice":              {steps + "- hold: jobs\n- hold: jobs\n", "line 4: hold: jobs are held already"},
		"hold what is not looked": {steps + "- hold: secrets\n", `line 3: hold: "secrets" is none of`},
		"restored before cut":     {steps + "- network: restored\n", "line 3: network: it is restored already"},
		"network":                 {steps + "- network: slow\n", `line 3: network: "slow" is none of cut, restored`},
		"clear":                   {steps + "- clear: all\n", `line 3: clear: "all" is none of faults`},
		"implementation":          {steps + "- implementation: pause\n", `line 3: implementation: "pause" is none of`},
		"a delete of no name":     {steps + "- delete: {kind: Job}\n", "line 3: delete: it has no name"},
		"a delete of two": {steps + "- delete: {kind: Pod, name: a, which: 'true'}\n",
			"line 3: delete: it has a name and which"},
		"which CronJob": {steps + "- delete: {kind: CronJob, which: 'true'}\n",
			"line 3: delete: which is for a Pod or a Job"},
		"propagation": {steps + "- delete: {kind: Job, name: a, propagation: Slow}\n",
			`line 3: delete: propagation: "Slow" is none of`},
		"answers to a wait": {steps + "- await: 'true'\n  answers: 422\n", "line 3: answers: it goes with create"},
		"no status code":    {steps + job + "  answers: 1\n", "line 3: answers: 1 is no status code"},
		"a refusal of a wait": {steps + "- await: 'true'\n  orAnswers: 422\n",
			"line 3: orAnswers: it goes with create"},
		"no refusal":       {steps + job + "  orAnswers: 200\n", "line 3: orAnswers: 200 is no status code"},
		"within a hold":    {steps + "- hold: jobs\n  within: 1s\n", "line 3: within: it goes with"},
		"any of nothing":   {steps + "- hold: jobs\n  ifAny: true\n", "line 3: ifAny: it goes with"},
		"for an await":     {steps + "- await: 'true'\n  for: 1s\n", "line 3: for: it goes with stays"},
		"a clock":          {steps + "- clock: back\n", "line 3: back is no time"},
		"a time":           {steps + "- pause: soon\n", "line 3: soon is no time"},
		"a pause too long": {steps + "- pause: 1h\n", "line 3: pause: 1h0m0s is not between"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read("mine.yaml", []byte(test.text))
			switch {
			case err == nil:
				t.Fatal("it was read")
			case !badinput.Is(err):
				t.Errorf("it is no bad input: %v", err)
			case !strings.Contains(err.Error(), "mine.yaml") || !strings.Contains(err.Error(), test.want):
				t.Errorf("%v\nlacks %q", err, test.want)
			case strings.Contains(err.Error(), "\n"):
				t.Errorf("several lines: %v", err)
			}
		})
	}
}

func TestLoadRefusesWhatIsNotThere(t *testing.T) {
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !badinput.Is(err) {
		t.Errorf("%v", err)
	}
}

func TestScenariosWithoutAFileNameTheStep(t *testing.T) {
	s := &Scenario{Description: "d", Steps: []Step{{Hold: "jobs"}, {Await: "no("}}}
	if err := s.Check(); err == nil || !strings.HasPrefix(err.Error(), "step 2: await: ") {
		t.Errorf("%v", err)
	}
}
