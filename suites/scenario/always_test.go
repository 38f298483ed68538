package scenario

import (
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

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
