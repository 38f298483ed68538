package campaign

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func open(t *testing.T, path string, keep func(int) bool) (*File[int], []int) {
	t.Helper()
	file, results, err := OpenFile(path, keep)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file, results
}

func TestOpenFileKeepsCompleteResults(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "results.jsonl")
	all := func(int) bool { return true }
	file, results := open(t, path, all)
	if len(results) != 0 {
		t.Errorf("a new file has the results %v", results)
	}
	for _, n := range []int{1, 2, 30} {
		if err := file.Append(n); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// The process was killed while it wrote 30.
	if err := os.WriteFile(path, []byte(strings.TrimSuffix(string(text), "0\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	file, results = open(t, path, all)
	if !slices.Equal(results, []int{1, 2}) {
		t.Errorf("results %v, want 1 and 2", results)
	}
	if err := file.Append(4); err != nil {
		t.Fatal(err)
	}
	if _, results = open(t, path, func(n int) bool { return n != 1 }); !slices.Equal(results, []int{2, 4}) {
		t.Errorf("results %v, want 2 and 4", results)
	}
	if _, results = open(t, path, all); !slices.Equal(results, []int{2, 4}) {
		t.Errorf("results %v: 1 was not removed", results)
	}
}

func TestOpenRefusesOtherFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	if err := os.WriteFile(path, []byte("# notes\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, _, err := OpenFile(path, func(int) bool {
		return true
	}); err == nil || !strings.Contains(err.Error(), "not a result") {
		t.Errorf("error %v", err)
	}
}
