package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
)

func TestInitWritesAControllerAndOverwritesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mine")
	var out strings.Builder
	if err := writeFirst(&out, dir); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"controller.go": "package main\n", "go.mod": "module example.com/mine\n",
		".github/workflows/jobconformance.yml": "go build -o mine .\n",
		"expectations.yaml":                    "{requirement: JOB-STATUS-001, decline: not yet}",
	} {
		text, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q: %v\n%s", path, want, err, text)
		}
	}
	if !strings.Contains(out.String(), "-i 'exec:./mine --kubeconfig={kubeconfig}' --controllers=job --next\n") {
		t.Errorf("it does not say what comes next:\n%s", out.String())
	}
	if err := os.Remove(filepath.Join(dir, "controller.go")); err != nil {
		t.Fatal(err)
	}
	err := writeFirst(&out, dir)
	if !badinput.Is(err) || !strings.Contains(err.Error(), "is there already") {
		t.Errorf("a second time: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "controller.go")); err == nil {
		t.Error("it wrote some of the files although others were there")
	}
}
