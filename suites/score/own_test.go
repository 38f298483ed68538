package score

import (
	"errors"
	"go/importer"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
)

func TestOwnMutants(t *testing.T) {
	s := parsed(t, source1)
	file := s.files[0].name
	read := func(text string) ([]*Mutant, error) {
		path := filepath.Join(t.TempDir(), "own.yaml")
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(text, "FILE", file)), 0o644); err != nil {
			t.Fatal(err)
		}
		return readOwn(path, []*source{s}, importer.ForCompiler(s.files[0].set, "source", nil))
	}

	made,
		err := read("- {name: all, file: FILE, function: (*T).add, replace: m > 3, with: m > 4}\n- {name: late, " +
		"file: FILE, function: delay, replace: \"10\", with: \"20\"}\n")
	if err != nil || len(made) != 2 {
		t.Fatalf("%d mutants, %v", len(made), err)
	}
	if text := apply(s.files[0].text, made[0].edits); !strings.Contains(text, "if m > 4 {") {
		t.Errorf("the first is\n%s", text)
	}
	if numbers := number([]*source{s}); numbers[made[0].node] == 0 || made[1].node != (node{}) {
		t.Error("the first has no statement, or the second, which is outside of functions, has one")
	}
	texts := program([]*source{s}, made)
	if _, err := parse(folder, texts, importer.ForCompiler(s.files[0].set, "source", nil)); err != nil {
		t.Errorf("%v\n%s", err, texts["b.go"])
	}

	for text, want := range map[string]string{
		"":  "has no mutants",
		"x": "no list of mutants",
		"- {name: a, file: FILE, function: (*T).add, replace: m, with: n}":            "times",
		"- {name: a, file: FILE, function: (*T).add, with: n}":                        "times",
		"- {name: a, file: FILE, function: add, replace: m > 3, with: n}":             "there is no add",
		"- {name: a, file: other.go, function: (*T).add, replace: m > 3, with: n}":    "there is no (*T).add",
		"- {name: a, file: FILE, function: (*T).add, replace: m > 3, with: m > \"\"}": "does not compile",
	} {
		var bad *badinput.Error
		if _, err := read(text); !errors.As(err, &bad) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want bad input with %q", text, err, want)
		}
	}
}
