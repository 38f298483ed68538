package mutant

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// write writes files below a new folder.
func write(t *testing.T, texts map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	for name, text := range texts {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestEditsMustFit(t *testing.T) {
	root := write(t, map[string]string{"a.go": "one two two"})
	for name, c := range map[string]struct {
		edits []Edit
		want  string
		wrong string
	}{
		"one after the other": {edits: []Edit{{"a.go", "one", "1"}, {"a.go", "1 ", "0 "}}, want: "0 two two"},
		"not there":           {edits: []Edit{{"a.go", "three", ""}}, wrong: "0 times in a.go"},
		"twice":               {edits: []Edit{{"a.go", "two", ""}}, wrong: "2 times in a.go"},
		"no such file":        {edits: []Edit{{"b.go", "one", ""}}, wrong: "b.go"},
	} {
		t.Run(name, func(t *testing.T) {
			texts, err := Apply(root, c.edits)
			if c.wrong != "" {
				if err == nil || !strings.Contains(err.Error(), c.wrong) {
					t.Errorf("error %v, want one with %q", err, c.wrong)
				}
			} else if got := texts[filepath.Join(root, "a.go")]; err != nil || got != c.want {
				t.Errorf("%q (%v), want %q", got, err, c.want)
			}
		})
	}
}

func TestAProgramIsTheControllerWhoseFolderItIsCalledIn(t *testing.T) {
	root := write(t, map[string]string{"go.mod": "module a\n", "a.go": "package main\n"})
	texts := map[string]string{
		filepath.Join(root, "a.go"): "package main\n\nimport (\n\t\"os\"\n\t\"path/filepath\"\n)\n\n" +
			"func main() { os.Stdout.WriteString(one + " + Which + ") }\n",
		filepath.Join(root, "b.go"): "package main\n\nconst one = \"I am \"\n",
	}
	paths, err := Build(t.TempDir(), "program", texts, []string{"1", "a_b"}, func(overlay, target string) error {
		cmd := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "-o", target, ".")
		cmd.Dir = root
		output, err := cmd.CombinedOutput()
		t.Logf("%s", output)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, path := range paths {
		if got, err := exec.CommandContext(t.Context(), path).Output(); err != nil || string(got) != "I am "+name {
			t.Errorf("%s prints %q (%v)", path, got, err)
		}
	}
	if len(paths) != 2 {
		t.Errorf("%d paths, want 2", len(paths))
	}
}

func TestAProgramThatDoesNotCompile(t *testing.T) {
	want := errors.New("no")
	if _, err := Build(t.TempDir(), "program", nil, nil, func(string, string) error {
		return want
	}); !errors.Is(err, want) {
		t.Errorf("error %v, want %v", err, want)
	}
}

func TestTestsAreNoPartOfAPackage(t *testing.T) {
	texts, err := ReadPackage(write(t, map[string]string{"a.go": "package a\n", "a_test.go": "", "a.yaml": ""}))
	if err != nil || len(texts) != 1 || texts["a.go"] != "package a\n" {
		t.Errorf("%q, %v", texts, err)
	}
}

func TestImportsReadsWhatGoListPrints(t *testing.T) {
	listed, err := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-f", Exported, "errors").Output()
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := Imports("go: downloading something\n" + string(listed)).Import("errors")
	if err != nil || pkg.Scope().Lookup("Join") == nil {
		t.Errorf("%v, %v", pkg, err)
	}
}
