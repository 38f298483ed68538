package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func TestExplain(t *testing.T) {
	folder := t.TempDir()
	h := history.History{}
	for i := range 25 {
		h.Revisions = append(h.Revisions,
			history.Revision{At: time.Unix(int64(i), 0), Type: watch.Added, Object: &corev1.Event{
				ObjectMeta: metav1.ObjectMeta{Name: "e"}, Reason: "FailedCreate",
				Message: "number " + string(rune('a'+i)),
			}})
	}
	about := history.About{Spec: "x does y", Namespace: "jobconformance-abc"}
	file := filepath.Join(folder, "history.json")
	if err := history.Save(file, about, h); err != nil {
		t.Fatal(err)
	}
	log := "about jobconformance-abc/a\nabout jobconformance-other/a\n"
	if err := os.WriteFile(filepath.Join(folder, "implementation.log"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	logs := filepath.Join(folder, "implementations", about.Namespace)
	for _, name := range []string{"life-1.log", "second/life-1.log"} {
		path := filepath.Join(logs, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("end of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	q := table.All()[0]
	s := ended("x does y", failed, q.ID)
	s.Histories, s.Logs = []spec.HistoryFile{spec.HistoryFile(file)}, spec.LogFolder(logs)
	s.Namespaces = []spec.Namespace{"jobconformance-abc"}
	s.Refusals = []spec.Refusal{{Verb: "patch", Resource: "jobs/status", Name: "a", Code: 422, Message: "no",
		Times: 13}}
	text := Explain(s, folder, "make e2e FOCUS='x'")
	for _, want := range []string{q.ID + ": " + q.Text, q.Source, "number y", "about jobconformance-abc/a",
		"end of life-1.log", "end of second/life-1.log", "Again: make e2e FOCUS='x'",
		"13 times patch jobs/a/status: 422 no"} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
	for _, not := range []string{"number e\n", "jobconformance-other"} {
		if strings.Contains(text, not) {
			t.Errorf("it has %q:\n%s", not, text)
		}
	}
}

// The requirement that is broken comes first; what the spec is about is not verified.
func TestExplainNamesWhatIsBroken(t *testing.T) {
	owner, covered := table.All()[0], table.All()[0]
	for _, q := range table.All() {
		if len(q.Invariants) > 0 {
			owner = q
		}
	}
	s := ended("x does y", broken, covered.ID)
	s.Invariants = owner.Invariants[:1]
	text := Explain(s, t.TempDir(), "make e2e")
	if !strings.Contains(text, owner.ID+": "+owner.Text) || strings.Contains(text, covered.Text) ||
		!strings.Contains(text, "Not verified because of that: "+covered.ID+"\n") {
		t.Errorf("%s is broken, %s covered:\n%s", owner.ID, covered.ID, text)
	}
}

func TestLogsAreReadOnceForAllSpecs(t *testing.T) {
	folder := t.TempDir()
	var log strings.Builder
	for i := range 100 {
		fmt.Fprintf(&log, "%d jobconformance-a/x jobconformance-a/y\n%d jobconformance-own-b\n", i, i)
	}
	for name, text := range map[string]string{"implementation.log": log.String(),
		"implementation-2.log": "jobconformance-a"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	of := logsOf(folder, []spec.Spec{{Namespaces: []spec.Namespace{"jobconformance-a", "jobconformance-own-b"}}})
	if got := strings.Count(of["jobconformance-a"], "\n"); got != shownLines+3 || len(of) != 2 ||
		!strings.Contains(of["jobconformance-a"], "99 jobconformance-a/x") ||
		!strings.Contains(of["jobconformance-own-b"], "80 jobconformance-own-b") {
		t.Errorf("%d lines of one of %d:\n%s", got, len(of), of["jobconformance-a"])
	}
}

// klog names the Job after an error of several lines, and after a stack.
func TestLogsShowValuesOfSeveralLines(t *testing.T) {
	folder := t.TempDir()
	log := `E1 "Reconciler error" err=<
	first
	second
 > Job="jobconformance-a/x"
E2 "Observed a panic" Job="jobconformance-a/x" stacktrace=<
	1
	2
	3
	4
	5
	6
 >
E3 jobconformance-a broken=<
E4 jobconformance-a
`
	if err := os.WriteFile(filepath.Join(folder, "implementation.log"), []byte(log), 0o600); err != nil {
		t.Fatal(err)
	}
	got := logsOf(folder, []spec.Spec{{Namespaces: []spec.Namespace{"jobconformance-a"}}})["jobconformance-a"]
	want := `The last lines of implementation.log about jobconformance-a:
E1 "Reconciler error" err=<first; second> Job="jobconformance-a/x"
E2 "Observed a panic" Job="jobconformance-a/x" stacktrace=<1; 2; 3; 4; 5>
E3 jobconformance-a broken=<
E4 jobconformance-a
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}
