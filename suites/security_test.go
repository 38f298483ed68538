package suites

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	promise  = regexp.MustCompile(`(?m)^\| ([a-z].*) \| (` + "`" + `.*) \|$`)
	promised = regexp.MustCompile("`([a-z/]+)`|((?:Test|Fuzz)[A-Za-z]+)")
)

// TestPromisesHaveTests finds the tests that SECURITY.md names.
func TestPromisesHaveTests(t *testing.T) {
	text, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := promise.FindAllStringSubmatch(string(text), -1)
	if len(rows) < 10 {
		t.Errorf("SECURITY.md has %d promises", len(rows))
	}
	for _, row := range rows {
		folder, tests := "", 0
		for _, name := range promised.FindAllStringSubmatch(row[2], -1) {
			if name[1] != "" {
				folder = name[1]
				continue
			}
			tests++
			if !hasTest(t, folder, name[2]) {
				t.Errorf("%s: there is no test %s in %q", row[1], name[2], folder)
			}
		}
		if tests == 0 {
			t.Errorf("%s: it names no test", row[1])
		}
	}
}

func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+name+"(") {
			return true
		}
	}
	return false
}
