package scenario

import (
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
)

const oneJob = `description: one pod
steps:
- create:
    apiVersion: batch/v1
    kind: Job
    metadata: {name: a}
    spec:
      template:
        spec:
          restartPolicy: Never
          containers: [{name: main, image: puppet}]
- direct: {exitCodes: "0"}
`

func TestMistakesOfAnAuthorAreRefused(t *testing.T) {
	for step, want := range map[string]string{
		"await: jobs.a.status.succeeded == 1":                                           "",
		"await: jobs.a.status.succeeded >= size(of(created, 'a'))":                      "",
		"await: pods.all(p, p.metadata.ownerReferences[0].uid == jobs.a.metadata.uid)":  "",
		"await: calls.exists(c, c.code >= 500 && c.fault != '')":                        "",
		"await: events.exists(e, e.reason == 'MissSchedule')":                           "",
		"await: has(jobs.a.status.startTime) && !has(jobs.b)":                           "",
		"await: done(jobs.a, 'example.com/Mine')":                                       "",
		"await: value(metrics, 'a') == 1":                                               "",
		"await: jobs.a.spec.template.spec.containers[0].resources.limits['cpu'] == '1'": "",
		`delete: {kind: Job, name: a}`:                                                  "",
		`delete: {kind: Pod, name: x}
  answers: 404`: "",
		`patch: {kind: Job, name: a, merge: {metadata: {annotations: {x: "${jobs.a.metadata.uid}"}}}}`: "",
		`patch: {kind: Job, which: "p.status.failed == 1", merge: {metadata: {finalizers: null}}}`:     "",

		"await: jobs.a.status.succeded == 1": `line 13: await: in "jobs.a.status.succeded == 1": a JobStatus has no ` +
			`field "succeded"; did you mean succeeded?`,
		"await: jobs.a.status.succeeded == '1'":                                     "applied to '(int, string)'",
		"await: jobs.b.status.succeeded == 1":                                       `there is no Job "b"; use a`,
		"await: jobs['b'].status.succeeded == 1":                                    `there is no Job "b"`,
		"stays: cronjobs.a.status.active.size() == 1":                               `there is no CronJob "a"; create it in a step`,
		"always: pods.all(p, p.status.phas == 'Running')":                           "did you mean phase?",
		"may: size(phase(active(pods), 'Runing')) == 1":                             `a pod has no phase "Runing"; did you mean Running?`,
		"await: done(jobs.a, 'Completed')":                                          `no condition "Completed"; did you mean Complete?`,
		"await: phase(pods, 'Running')[0].spec.nodename == 'a'":                     "did you mean nodeName?",
		"await: calls[0].status == 500":                                             `a calls has no field "status"`,
		"delete: {kind: Pod, name: nope}":                                           `line 13: delete: there is no Pod "nope"; create it`,
		"patch: {kind: Job, name: b, merge: {}}":                                    `patch: there is no Job "b"; use a`,
		`delete: {kind: Job, which: p.status.phase == 'Failed'}`:                    `a JobStatus has no field "phase"`,
		`direct: {which: p.status.succeeded == 1, ready: "true"}`:                   `a PodStatus has no field "succeeded"`,
		`patch: {kind: Job, name: a, merge: {spec: {x: "${jobs.a.status.reddy}"}}}`: "did you mean ready?",

		"await: size(pods) == 1\n  within: 5": "line 14: 5 is no time; write it as in 5s",

		"await: size(pods) == 1\n  within: 3 s": "line 14: 3 s is no time; write it as in 5s",

		"await: size(pods) == 1\n  whithin: 5s": `line 14: unknown field "whithin"; did you mean within?`,
		"dirrect: {}":                           "did you mean direct?",
		"patch: {kind: Job, name: a, merge: {spec: {suspended: true}}}": `patch: merge: unknown field "spec.suspended"; ` +
			"did you mean suspend?",
		"patch: {kind: Job, name: a, merge: {spec: {suspend: yess}}}": "patch: merge: ",
		"hold: job":     "did you mean jobs?",
		"network: cutt": "did you mean cut?",
		"fault: {on: create pods, nht: 1, do: drop}": `unknown field "nht"; use do, first, name, nth`,
		"create: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {restartPolicie: Never}}": "did you mean " +
			"restartPolicy?",

		"create: {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {containers: [{nam: x}]}}": "mean name?",

		`create: {apiVersion: v1, kind: Pod, metadata: {name: p, uid: "${jobs.b.metadata.uid}"}}`: `there is no Job "b"`,
	} {
		_, err := Read("a.yaml", []byte(oneJob+"- "+step+"\n"))
		if want == "" && err != nil || want != "" && (!badinput.Is(err) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v\nwant %q", step, err, want)
		}
	}
}

// What comes of a CronJob has names that the file does not know.
func TestNamesThatAnAuthorCannotKnow(t *testing.T) {
	cronJob := "- create: {apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {}}\n"
	for step, want := range map[string]string{
		"- await: jobs.b.status.succeeded == 1\n":        "",
		"- delete: {kind: Job, name: b}\n":               "",
		"- await: size(cronjobs.d.status.active) == 1\n": `there is no CronJob "d"; use c`,

		"- await: cronjobs.c.spec.jobTemplate.spec.completion == 1\n": "did you mean completions?",

		"- await: has(cronjobs.c.status.lastSuccesfulTime)\n": "did you mean lastSuccessfulTime?",

		"- create: {apiVersion: a/v1, kind: B, metadata: {name: d}}\n- await: cronjobs.d.spec.suspend\n": "",
	} {
		_, err := Read("a.yaml", []byte(oneJob+cronJob+step))
		if want == "" && err != nil || want != "" && (!badinput.Is(err) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v\nwant %q", step, err, want)
		}
	}
}

func TestWhatIsFoundIsShown(t *testing.T) {
	for text, want := range map[string]string{
		"jobs.a.status.failed == 2":                             "it is false, jobs.a.status.failed is 1",
		"jobs.a.status.failed == 2 && size(pods) == 5":          "jobs.a.status.failed is 1, size(pods) is 4",
		"done(jobs.a, 'Complete') && jobs.a.status.failed == 1": `done(jobs.a, "Complete") is false, jobs.a.status.failed is 1`,
		"!has(jobs.a.spec.parallelism)":                         "has(jobs.a.spec.parallelism) is true",

		"pods.all(p, p.status.phase == 'Running')": "pods.all(p, p.status.phase == 'Running'): it is false",

		"jobs.a.status.completedIndexes == '0'": `jobs.a.status.completedIndexes is ""`,
		"pods.map(p, p.metadata.name) == ['a']": `is ["a-1","a-2","a-3","b-1"]`,
	} {
		e, err := compile(text)
		if err != nil {
			t.Error(err)
		} else if got := e.holds(small()); !strings.Contains(got, want) {
			t.Errorf("%s\nwant %q", got, want)
		}
	}
}
