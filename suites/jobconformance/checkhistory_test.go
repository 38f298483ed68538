package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// saved writes a history of one Job whose failed pods go through these numbers.
func saved(t *testing.T, path string, about history.About, failed ...int32) {
	t.Helper()
	var h history.History
	for i, n := range failed {
		change := watch.Modified
		if i == 0 {
			change = watch.Added
		}
		h.Revisions = append(h.Revisions,
			history.Revision{At: time.Unix(int64(i), 0), Type: change, First: i == 0, Object: &batchv1.Job{
				ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "a"}, Status: batchv1.JobStatus{Failed: n}}})
	}
	if err := history.Save(path, about, h); err != nil {
		t.Fatal(err)
	}
}

func TestCheckHistory(t *testing.T) {
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name+history.Suffix) }
	saved(t, file("good"), history.About{}, 1, 2)
	saved(t, file("bad"), history.About{Spec: "a spec", Implementation: "mine"}, 2, 1)
	saved(t, file("excepted"), history.About{Except: []string{"job-counters-never-decrease"}}, 2, 1)
	empty := t.TempDir()
	damaged := filepath.Join(empty, "damaged")
	if err := os.WriteFile(damaged, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		code int
		want string // in the output, for bad input in its one line
	}{
		"good":      {[]string{file("good"), file("excepted")}, exitGreen, "2 histories, 4 revisions"},
		"bad":       {[]string{file("good"), file("bad")}, exitRed, ": 1 violations in 1 histories\n"},
		"named":     {[]string{file("bad")}, exitRed, "a spec\ninvariant job-counters-never-decrease: "},
		"timeline":  {[]string{"--timeline", file("good")}, exitGreen, "+1.000s Job a "},
		"damaged":   {[]string{file("good"), damaged}, exitBadInput, damaged + " is no history to check"},
		"a folder":  {[]string{dir}, exitRed, "1 violations"},
		"no files":  {[]string{empty}, exitBadInput, "no histories in"},
		"not there": {[]string{file("none")}, exitBadInput, "cannot be read"},
		"nothing":   {nil, exitBadInput, "missing argument: FILE..."},
		"bad flag":  {[]string{"--nothing", file("good")}, exitBadInput, "unknown flag"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := execute(context.Background(), append([]string{"check-history"}, c.args...), &out,
				&errs); code != c.code {
				t.Fatalf("exit code %d, want %d: %s%s", code, c.code, &out, &errs)
			}
			text := out.String()
			if c.code == exitBadInput {
				if text = errs.String(); strings.Count(text, "\n") != 1 || out.Len() > 0 {
					t.Errorf("it said %q and %q, want one line", text, &out)
				}
			}
			if !strings.Contains(text, c.want) {
				t.Errorf("it said %q, want %q", text, c.want)
			}
		})
	}
}

func TestHistoriesAreSavedOfWhatThereIs(t *testing.T) {
	var out, errs bytes.Buffer
	code := execute(context.Background(), []string{"--history", "some"}, &out, &errs)
	if code != exitBadInput || !strings.Contains(errs.String(), "use failed, all or none") {
		t.Errorf("exit code %d, it said %q", code, &errs)
	}
}
