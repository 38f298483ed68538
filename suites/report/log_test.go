package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// logged returns the log of a shard, with what a run prints before its results.
func logged(t *testing.T, folder string) []string {
	t.Helper()
	log := bytes.NewBufferString("[1/2] ok Job a: is one\n")
	if err := PrintShard(log, folder); err != nil {
		t.Fatal(err)
	}
	return slices.Collect(strings.Lines(log.String()))
}

func logFile(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pod.log")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// large makes a result of many lines.
func large(r *Run) {
	for i := range 3 {
		var noise strings.Builder
		for n := range 3000 {
			fmt.Fprintf(&noise, "%x ", n*n*(i+7919))
		}
		r.Specs[i].Message = noise.String()
	}
}

func TestMergeOfLogs(t *testing.T) {
	one := publishShard(t, 1, func(r *Run) {
		large(r)
		r.Specs[0].Passed, r.Specs[0].Failed = false, true
	})
	two := publishShard(t, 2, large)
	history := []byte("a history, which need not be one")
	if err := os.MkdirAll(filepath.Join(one, "histories"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(one, "histories", "a"), history, 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := readShard(os.DirFS(one), one)
	if err != nil {
		t.Fatal(err)
	}
	s.Run.Histories = map[string]string{"Job a: is one": "histories/a"}
	if err := writeShard(one, s.Run, s.Pictures); err != nil {
		t.Fatal(err)
	}
	// The logs of both pods in one file, line by line in turn, as kubectl logs --prefix prints them.
	a, b := logged(t, one), logged(t, two)
	if len(a) < 4 || len(b) < 4 {
		t.Fatalf("%d and %d lines of a result, want several", len(a), len(b))
	}
	var both []string
	for i := range max(len(a), len(b)) {
		for name, lines := range map[string][]string{"[pod/j-0-x/shard] ": a, "[pod/j-1-y/shard] ": b} {
			if i < len(lines) {
				both = append(both, name+lines[i])
			}
		}
	}
	fromLog, err := Merge([]string{logFile(t, both...)})
	if err != nil {
		t.Fatal(err)
	}
	fromFolders, err := Merge([]string{one, two})
	if err != nil {
		t.Fatal(err)
	}
	reports := map[string]string{}
	for name, m := range map[string]*Merged{"log": fromLog, "folders": fromFolders} {
		folder := t.TempDir()
		if _, _, err := m.Write(folder); err != nil || m.Shards() != 2 || m.HarnessError != "" {
			t.Fatalf("%s: %d shards, %q, %v", name, m.Shards(), m.HarnessError, err)
		}
		if text, err := os.ReadFile(filepath.Join(folder, "histories", "a")); err != nil ||
			!bytes.Equal(text, history) {
			t.Errorf("%s: the history is %q, %v", name, text, err)
		}
		for _, file := range []string{FileName, JUnitName, PageName} {
			text, err := os.ReadFile(filepath.Join(folder, file))
			if err != nil {
				t.Fatal(err)
			}
			reports[name] += string(text)
		}
	}
	if reports["log"] != reports["folders"] {
		t.Error("the reports of the log and of the folders differ")
	}
}

func TestMergeOfLogsOfReplacedPods(t *testing.T) {
	failed := logged(t, publishShard(t, 1, func(r *Run) { r.HarnessError, r.Date = "no cluster", time.Unix(100, 0) }))
	again := logged(t, publishShard(t, 1, func(r *Run) { r.Date = time.Unix(200, 0) }))
	two := logFile(t, logged(t, publishShard(t, 2, nil))...)
	for name, paths := range map[string][]string{
		"one file":    {logFile(t, slices.Concat(failed, again)...), two},
		"newer first": {logFile(t, slices.Concat(again, failed)...), two},
		"two files":   {logFile(t, failed...), logFile(t, again...), two},
	} {
		m, err := Merge(paths)
		if err != nil || m.HarnessError != "" || m.Shards() != 2 {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	if _, err := Merge([]string{publishShard(t, 1, nil), logFile(t, again...)}); err == nil ||
		!strings.Contains(err.Error(), "shard 1 is there twice") {
		t.Errorf("a folder and a log of the same shard: %v", err)
	}
}

func TestMergeOfLogsThatAreCut(t *testing.T) {
	two := publishShard(t, 2, nil)
	lines := logged(t, publishShard(t, 1, large))
	for name, cut := range map[string][]string{
		"the end is missing": lines[:len(lines)-1], "the beginning is missing": lines[2:],
		"a line is cut": append(lines[:2:2], lines[2][:len(lines[2])/2]),
	} {
		path := logFile(t, cut...)
		m, err := Merge([]string{path, two})
		if err != nil {
			t.Fatal(err)
		}
		if want := "these are missing: 1; no run has ended in " + path +
			", where lines of results are missing"; !strings.Contains(m.HarnessError, want) {
			t.Errorf("%s: %q, want %q", name, m.HarnessError, want)
		}
	}
	m, err := Merge([]string{logFile(t, "jobconformance: interrupted\n"), two})
	if err != nil || !strings.Contains(m.HarnessError, "no run has ended in") {
		t.Errorf("%+v, %v", m, err)
	}
}
