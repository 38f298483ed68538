package suites

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	"github.com/jobconformance/jobconformance/suites/specs"
)

func TestRequirementsAndSpecsFit(t *testing.T) {
	if err := covers.Check(table.All(), specs.Preview()); err != nil {
		t.Error(err)
	}
}

func TestSpecsShowKnownBugs(t *testing.T) {
	shown := map[string]bool{}
	for _, s := range specs.Preview() {
		for _, label := range s.Labels() {
			shown[label] = true
		}
	}
	for _, bug := range upstream.OfSpecs() {
		if bug.Name() != "" && !shown[bug.Label()] && !shown[bug.MayLabel()] {
			t.Errorf("no spec shows %s", bug.Name())
		}
	}
}

func TestSpecsHaveTheirSource(t *testing.T) {
	for _, report := range specs.Preview() {
		s := framework.Result(report)
		if _, err := os.Stat(filepath.Join("..", s.Source.File)); err != nil ||
			!strings.HasPrefix(s.Source.File, "suites/") || s.Source.Line < 1 {
			t.Errorf("%s: %s is no line of the suites: %v", s.Text, s.Source, err)
		}
	}
}

// page is the list of requirements for people; with UPDATE=1, the test writes it.
const page = "REQUIREMENTS.md"

func TestPageOfRequirementsIsUpToDate(t *testing.T) {
	var want bytes.Buffer
	if err := covers.WritePage(&want, table.All(), specs.Preview()); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("suites/%s is not what the code says (%v): run make requirements", page, err)
	}
}
