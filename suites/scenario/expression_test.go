package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func pod(name, job string, phase corev1.PodPhase, going bool) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{batchv1.JobNameLabel: job}}}
	p.Status.Phase = phase
	if going {
		now := metav1.Now()
		p.DeletionTimestamp = &now
	}
	return p
}

// small is a world with a Job that has begun and one that nobody has looked at.
func small() map[string]any {
	begun := puppet.Job("a").Parallelism(2).Obj()
	begun.Status.Failed = 1
	begun.Status.Conditions = []batchv1.JobCondition{
		{Type: batchv1.JobSuspended, Status: corev1.ConditionFalse},
		{Type: batchv1.JobFailed, Status: corev1.ConditionTrue, Reason: "BackoffLimitExceeded"},
	}
	pods := []*corev1.Pod{
		pod("a-1", "a", corev1.PodRunning, false), pod("a-2", "a", corev1.PodFailed, false),
		pod("a-3", "a", corev1.PodRunning, true), pod("b-1", "b", corev1.PodPending, false),
	}
	pods[1].Labels[batchv1.JobCompletionIndexAnnotation] = "3"
	pods[3].OwnerReferences = []metav1.OwnerReference{{Name: "b", Controller: ptr.To(true)}}
	pods[3].Labels[batchv1.JobNameLabel] = "a" // what its owner says goes first
	all := list(pods, func(p **corev1.Pod) any { return fields(*p) })
	return map[string]any{
		"jobs":     map[string]any{"a": withCounters(fields(begun)), "b": withCounters(fields(puppet.Job("b").Obj()))},
		"cronjobs": map[string]any{}, "pods": all, "created": all, "events": []any{},
		"calls": list([]history.Call{{Verb: "create", Resource: "pods", Code: 201},
			{Verb: "update", Resource: "jobs/status", Code: 409, Fault: "answered 409"}}, call),
	}
}

func TestExpressions(t *testing.T) {
	for text, want := range map[string]bool{
		"jobs.a.status.failed == 1":                         true,
		"jobs.a.status.failed == 2":                         false,
		"jobs.a.status.succeeded == 0":                      true, // the API server leaves it out
		"jobs.b.status.ready + jobs.b.status.active == 0":   true, // it has no status at all
		"jobs.a.status.completedIndexes == ''":              true,
		"jobs.a.spec.parallelism == 2":                      true,
		"'a' in jobs && !('c' in jobs)":                     true,
		"jobs.c.status.failed == 0":                         false, // it is not there
		"!done(jobs.c, 'Failed')":                           false, // nor is this true of it
		"done(jobs.a, 'Failed')":                            true,
		"done(jobs.a, 'Suspended')":                         false,
		"done(jobs.a, 'Complete')":                          false,
		"size(pods) == 4 && size(of(pods, 'a')) == 3":       true,
		"size(active(pods)) == 2":                           true, // one that runs, one that is pending
		"size(active(of(pods, 'a'))) == 1":                  true,
		"pods.filter(p, index(p) == '3').size() == 1":       true,
		"index(pods[0]) == ''":                              true,
		"size(phase(pods, 'Running')) == 2":                 true,
		"pods.exists(p, has(p.metadata.deletionTimestamp))": true,
		"pods.all(p, p.metadata.name.startsWith('a-'))":     false,
		"size(created) == 4":                                true,
		"cronjobs.a.status.active.size() == 1":              false,
		"calls.exists(c, c.verb == 'update' && c.resource == 'jobs/status' && c.code == 409 && c.fault != '')": true,
		"calls.filter(c, c.verb == 'create').size() == 1":                                                      true,
		"jobs.a.status.conditions.filter(c, c.status == 'True').map(c, c.reason) == ['BackoffLimitExceeded']":  true,
	} {
		e, err := compile(text)
		if err != nil {
			t.Error(err)
			continue
		}
		failed := e.holds(small())
		if (failed == "") != want {
			t.Errorf("%s is %v: %s", text, failed == "", failed)
		}
		if failed != "" && !strings.HasPrefix(failed, text+": ") {
			t.Errorf("%q does not name %q", failed, text)
		}
	}
}

func TestExpressionsThatMeanNothingAreRefused(t *testing.T) {
	for _, text := range []string{"", "1 +", "size(pods)", "'Complete'", "job.status", "done(jobs.a)",
		"size(jobs, pods) == 1"} {
		if _, err := compile(text); err == nil {
			t.Errorf("%q compiles", text)
		}
	}
}

func revision(change watch.EventType, object client.Object) history.Revision {
	object.SetUID(types.UID(object.GetName()))
	return history.Revision{Type: change, Object: object}
}

func active(n int32) *batchv1.Job {
	j := puppet.Job("a").Obj()
	j.Status.Active = n
	return j
}

// past is of a Job whose one pod was replaced.
func past() history.History {
	return history.History{Revisions: []history.Revision{
		revision(watch.Added, active(0)),                                  // 1
		revision(watch.Added, pod("a-1", "a", corev1.PodRunning, false)),  // 2
		revision(watch.Modified, active(1)),                               // 3
		revision(watch.Deleted, pod("a-1", "a", corev1.PodFailed, false)), // 4
		revision(watch.Added, pod("a-2", "a", corev1.PodRunning, false)),  // 5
		revision(watch.Modified, active(2)),                               // 6
	}}
}

func TestAlwaysLooksAtEveryRevisionFromItsOwnOn(t *testing.T) {
	for _, test := range []struct {
		text string
		from int
		want string // in the answer; empty if it is always so
	}{
		{"jobs.a.status.active < 3", 0, ""},
		{"jobs.a.status.active < 2", 0, "Job a"},
		{"jobs.a.status.active == 0", 1, "active=1"},
		{"jobs.a.status.active > 0", 3, ""},
		{"jobs.a.status.active > 0", 2, "Pod a-1"}, // it is not so yet when it is said
		{"size(pods) == 1", 2, "Pod a-1"},          // there was none for a moment
		{"size(pods) == 1", 5, ""},
		{"size(created) < 2", 0, "Pod a-2"},
		{"size(created) == 2 && created[0].status.phase == 'Failed'", 5, ""},
	} {
		e, err := compile(test.text)
		if err != nil {
			t.Fatal(err)
		}
		got := broke([]lasting{{e, test.from}}, past())
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s from %d on: %q", test.text, test.from, got)
		}
	}
}

func TestNothingIsAlwaysSo(t *testing.T) {
	if got := broke(nil, past()); got != "" {
		t.Error(got)
	}
}

// Expressions that would take all memory or a very long time.
func TestExpressionsAreLimited(t *testing.T) {
	list := "[" + strings.Repeat("0,", 199) + "0]"
	world := small()
	for name, text := range map[string]string{
		"nested loops": strings.Repeat(list+".all(a, ", 4) + "true" + strings.Repeat(")", 4),
		"long texts":   "['aaaaaaaaaa']" + strings.Repeat(".map(s, s+s+s+s+s+s+s+s+s+s)", 10) + "[0] == ''",
		"long lists":   "[pods]" + strings.Repeat(".map(s, s+s+s+s+s+s+s+s+s+s)", 10) + "[0] == []",
	} {
		e, err := compile(text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if failed := e.holds(world); !strings.Contains(failed, " to evaluate") || len(failed) > 10_000 {
			t.Errorf("%s: ... %.300s", name, failed[len(text):])
		}
	}
	shared := "[0]" + strings.Repeat(".map(s, [s, s, s, s, s, s, s, s, s, s])", 12)
	e, err := compile(shared + " == dyn(1)")
	if err != nil {
		t.Fatal(err)
	}
	if failed := e.holds(world); len(failed) > 10_000 || !strings.Contains(failed, "of more than 10000 values") {
		t.Errorf("... %.300s", failed[len(shared):])
	}
}

func TestOrdinaryExpressionsAreNotLimited(t *testing.T) {
	world := small()
	pods := make([]any, 2000)
	for i := range pods {
		pods[i] = fields(pod(fmt.Sprint(i), "a", corev1.PodRunning, false))
	}
	world["pods"] = pods
	for _, text := range []string{
		"size(active(of(pods, 'a'))) == 2000", "pods.filter(p, p.status.phase == 'Running').size() == 2000",
	} {
		e, err := compile(text)
		if err != nil {
			t.Fatal(err)
		}
		if failed := e.holds(world); failed != "" {
			t.Errorf("%s: %s", text, failed)
		}
	}
}
