package report

import (
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
	text := Explain(s, folder, "make e2e FOCUS='x'")
	for _, want := range []string{q.ID + ": " + q.Text, q.Source, "number y", "about jobconformance-abc/a",
		"end of life-1.log", "end of second/life-1.log", "Again: make e2e FOCUS='x'"} {
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
