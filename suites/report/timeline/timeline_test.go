package timeline

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/limits"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/utils/ptr"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// sample is a Job that becomes Complete while pods run.
func sample(pods int) history.History {
	job := func(version string, status batchv1.JobStatus) *batchv1.Job {
		return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "job", ResourceVersion: version},
			Status: status}
	}
	h := history.History{Revisions: []history.Revision{
		{At: start, Type: watch.Added, Object: job("1", batchv1.JobStatus{}), Manager: spec.UserAgent("a spec")},
	}}
	for i := range pods {
		h.Revisions = append(h.Revisions, history.Revision{
			At: start.Add(time.Duration(i+1) * time.Millisecond), Type: watch.Added, Manager: "controller",
			Object: &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{
					Name: fmt.Sprintf("a-<%d>", i), UID: types.UID(fmt.Sprint("pod", i)),
					ResourceVersion: fmt.Sprint(i + 2),
					OwnerReferences: []metav1.OwnerReference{{UID: "job"}},
				},
				Status: corev1.PodStatus{Phase: corev1.PodRunning},
			},
		})
	}
	h.Revisions = append(h.Revisions, history.Revision{
		At: start.Add(2 * time.Second), Type: watch.Modified, Object: job("999", batchv1.JobStatus{
			Active: int32(pods), Conditions: []batchv1.JobCondition{{Type: batchv1.JobComplete,
				Status: corev1.ConditionTrue}},
		}),
	})
	return h
}

// count of elements that have a class, and an error for what is no XML.
func count(t *testing.T, svg, class string) (n int) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return n
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if a.Name.Local == "class" && a.Value == class {
					n++
				}
			}
		}
	}
}

func TestPicture(t *testing.T) {
	h := sample(3)
	svg := SVG(h, []invariants.Violation{{Invariant: invariants.Invariant{ID: "job-x"}, Revisions: h.Revisions[2:3]}})
	for class, want := range map[string]int{"running": 3, "d h": 1, "d bad": 1, "bad": 1, "d": 3, "c": 2, "a": 1} {
		if got := count(t, svg, class); got != want {
			t.Errorf("%d elements of class %q, want %d", got, class, want)
		}
	}
	for _, want := range []string{"breaks job-x", "Complete", "a-&lt;1&gt;", "by controller"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
}

func TestPictureShowsWhatWasDoneToTheImplementation(t *testing.T) {
	h := sample(1)
	after := func(d time.Duration) time.Time { return start.Add(d) }
	h.Calls = []history.Call{
		{At: after(-time.Second), Verb: history.VerbStart},
		{At: after(0), Verb: history.VerbHold, Resource: "pods"},
		{At: after(time.Second), Verb: "create", Resource: "pods", Namespace: "ns", Name: "a-", Fault: "answer lost"},
		{At: after(time.Second), Verb: "get", Resource: "pods"},
		{At: after(2 * time.Second), Verb: history.VerbKill},
		{At: after(3 * time.Second), Verb: history.VerbStart},
		{At: after(3 * time.Second), Verb: history.VerbStart, By: "another"},
	}
	svg := SVG(h, nil)
	for class, want := range map[string]int{"life": 3, "kept": 1, "f": 6} {
		if got := count(t, svg, class); got != want {
			t.Errorf("%d elements of class %q, want %d", got, class, want)
		}
	}
	for _, want := range []string{"2.000s create pods ns/a- (answer lost)", ">implementation<", ">another<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
}

// A Job finishes with conditions one after the other, at the right edge of the picture.
func TestNamesOfConditionsDoNotOverlap(t *testing.T) {
	h := sample(1)
	var conditions []batchv1.JobCondition
	for i, name := range []batchv1.JobConditionType{batchv1.JobSuspended, batchv1.JobFailureTarget,
		batchv1.JobSuccessCriteriaMet, batchv1.JobComplete, "Other"} {
		conditions = append(slices.Clone(conditions), batchv1.JobCondition{Type: name, Status: corev1.ConditionTrue})
		h.Revisions = append(h.Revisions,
			history.Revision{At: start.Add(2*time.Second + time.Duration(i)*time.Millisecond), Type: watch.Modified,
				Object: &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "job"},
					Status: batchv1.JobStatus{Conditions: conditions}}})
	}
	c := &canvas{from: start, to: start.Add(2100 * time.Millisecond)}
	lanes, _ := lanesOf(h)
	all, rows := c.conditions(lanes[0])
	if len(all) != 6 || rows < 3 {
		t.Errorf("%d conditions in %d rows: %+v", len(all), rows, all)
	}
	for i, f := range all {
		if end := f.x + letter*float64(len(f.name)); f.x < labels || end > width {
			t.Errorf("%s is outside of the picture", f.name)
		}
		for _, g := range all[:i] {
			if f.row == g.row && f.x < g.x+letter*float64(len(g.name)) && g.x < f.x+letter*float64(len(f.name)) {
				t.Errorf("%s is printed over %s", f.name, g.name)
			}
		}
	}
}

func TestPictureOfNothing(t *testing.T) {
	if svg := SVG(history.History{}, nil); svg != "" {
		t.Errorf("nothing happened, but there is %s", svg)
	}
}

func TestPictureHasRoomForSomeLanes(t *testing.T) {
	svg := SVG(sample(500), nil)
	if got := count(t, svg, "running"); got != maxLanes-1 {
		t.Errorf("%d lanes of pods, want %d", got, maxLanes-1)
	}
	if !strings.Contains(svg, "and 441 more") {
		t.Error("the page does not say that something was left out")
	}
}

func TestAxisHasAHandfulOfTimes(t *testing.T) {
	for _, span := range []time.Duration{0, time.Millisecond, 300 * time.Millisecond, 7 * time.Second, 11 * time.Minute,
		5 * time.Hour} {
		h := sample(0)
		h.Revisions[1].At = start.Add(span)
		if got := count(t, SVG(h, nil), "g"); got < 2 || got > 10 {
			t.Errorf("%d lines for %s", got, span)
		}
	}
}

// Each dot of a picture leads to the fields of its revision, which differ by what was written.
func TestRevisionsAreThoseOfThePicture(t *testing.T) {
	h := sample(2)
	all := revisions(h)
	svg := SVG(h, nil)
	for i, want := range []revision{
		{Object: "Job a", At: "+0.000s", First: true},
		{Object: "Job a", At: "+2.000s", Base: ptr.To(0), Set: map[string]string{"status.active": "2",
			"status.conditions[Complete].type": "Complete", "status.conditions[Complete].status": "True"}},
		{Object: "Pod a-<0>", At: "+0.001s", First: true},
		{Object: "Pod a-<1>", At: "+0.002s", First: true, Base: ptr.To(2),
			Set: map[string]string{"metadata.name": "a-<1>", "metadata.uid": "pod1"}},
	} {
		got := all[i]
		if got.Object != want.Object || got.At != want.At || got.First != want.First ||
			ptr.Deref(got.Base, -1) != ptr.Deref(want.Base, -1) {
			t.Errorf("%d: %+v, want %+v", i, got, want)
		}
		for path, value := range want.Set {
			if got.Set[path] != value {
				t.Errorf("%d: %s is %q, want %q, of %v", i, path, got.Set[path], value, got.Set)
			}
		}
		if !strings.Contains(svg, fmt.Sprintf(`data-r="%d"><title>%s`, i, strings.TrimPrefix(want.At, "+"))) {
			t.Errorf("the picture has no dot of revision %d at %s", i, want.At)
		}
	}
	if len(all) != 4 || len(all[3].Set) != 2 || all[3].Unset != nil {
		t.Errorf("%+v", all)
	}
	h.Revisions = append(h.Revisions, history.Revision{At: start.Add(3 * time.Second), Type: watch.Deleted,
		Object: h.Revisions[1].Object})
	if gone := revisions(h)[3]; len(gone.Set) != 0 || !slices.Contains(gone.Unset, "metadata.uid") {
		t.Errorf("what is gone has %v and lacks %q", gone.Set, gone.Unset)
	}
}

func TestALongTimelineIsCut(t *testing.T) {
	h := sample(3)
	last := h.Revisions[len(h.Revisions)-1]
	for range 3 * limits.Drawn {
		h.Revisions = append(h.Revisions, last)
	}
	svg := SVG(h, nil)
	if drawn := strings.Count(svg, "<circle"); drawn != limits.Drawn || len(revisions(h)) != drawn {
		t.Errorf("%d revisions are drawn, and %d can be looked at", drawn, len(revisions(h)))
	}
	if want := fmt.Sprintf("%d later revisions", len(h.Revisions)-limits.Drawn); !strings.Contains(svg, want) {
		t.Errorf("it does not say %q", want)
	}
	if got := count(t, svg, "running"); got != 3 {
		t.Errorf("%d of 3 pods are drawn", got)
	}
}
