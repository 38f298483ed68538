package repro

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
)

var bug = library.Entry{Text: []byte("x"), Scenario: &scenario.Scenario{
	Description: "all is well", Issue: 7, Pull: 8, Affected: "< 1.36.3", Because: "It was not.",
}}

func outcome(version string, red bool, reds, times int) Reproduction {
	o := Reproduction{Implementation: "kcm", Version: version, Red: red, Score: Score{reds, times},
		Result: &scenario.Result{Took: time.Second}}
	if reds > 0 {
		o.Result.Failed = "step 2, await true: it is false"
	}
	return o
}

func TestTheLastLineSaysWhatWasExpected(t *testing.T) {
	own := &scenario.Scenario{Description: "mine"}
	for _, test := range []struct {
		s        *scenario.Scenario
		outcomes []Reproduction
		want     string
	}{
		{bug.Scenario, []Reproduction{outcome("v1.36.1", true, 1, 1), outcome("v1.36.3", false, 0, 1)},
			"AS EXPECTED #7: kcm is RED on v1.36.1, GREEN on v1.36.3"},
		{bug.Scenario, []Reproduction{outcome("v1.36.1", true, 0, 1)},
			"NOT AS EXPECTED #7: kcm is GREEN on v1.36.1; expected was red on v1.36.1"},
		{bug.Scenario, []Reproduction{outcome("v1.36.1", true, 9, 10)},
			"NOT AS EXPECTED #7: kcm is RED 9 times of 10 on v1.36.1; expected was red on v1.36.1"},
		{bug.Scenario, []Reproduction{outcome("v1.36.3", false, 1, 10)},
			"NOT AS EXPECTED #7: kcm is RED 1 times of 10 on v1.36.3; expected was green on v1.36.3"},
		{&scenario.Scenario{Key: "a-b"}, []Reproduction{outcome("v1.37.1", true, 1, 1),
			{Implementation: "reference", Version: "v1.37.1", Score: Score{0, 1}}},
			"AS EXPECTED a-b: kcm is RED on v1.37.1, reference is GREEN on v1.37.1"},
		{own, []Reproduction{outcome("v1.37.1", false, 0, 1)}, "GREEN kcm on v1.37.1: mine"},
		{own, []Reproduction{outcome("v1.37.1", false, 1, 1)}, "RED kcm on v1.37.1: mine"},
	} {
		if got := LastLine(test.s, test.outcomes); got != test.want {
			t.Errorf("%s\nwant %s", got, test.want)
		}
	}
}

func TestThePageAndTheTextShowBothVersions(t *testing.T) {
	outcomes := []Reproduction{outcome("v1.36.1", true, 1, 1), outcome("v1.36.3", false, 0, 1)}
	var text bytes.Buffer
	Print(&text, bug.Scenario, outcomes)
	path, err := WritePage(t.TempDir(), bug.Scenario, outcomes)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"v1.36.1", "v1.36.3", "RED", "GREEN", "all is well", "It was not.",
		"step 2, await true"} {
		if !strings.Contains(text.String(), want) || !strings.Contains(string(page), want) {
			t.Errorf("%q is missing in\n%s\nor in\n%s", want, text.String(), page)
		}
	}
}

func TestMarkdownHasAllThatAnIssueNeeds(t *testing.T) {
	s := *bug.Scenario
	s.Source = []scenario.Place{{File: "pkg/a.go", Function: "f", Line: 7}}
	path, err := WriteMarkdown(t.TempDir(), "make repro ISSUE=7", &s,
		[]Reproduction{outcome("v1.36.1", true, 1, 1), outcome("v1.36.3", false, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"all is well", "It was not.",
		"| kcm | v1.36.1 | all steps; this version is known to fail | RED: step 2, await true: it is false |",
		"| kcm | v1.36.3 | all steps | GREEN: all steps, all invariants |", "    make repro ISSUE=7",
		"description: all is well", "<details>",
		"[f in a.go:7](https://github.com/kubernetes/kubernetes/blob/" + scenario.SourceVersion + "/pkg/a.go#L7)",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestMatrixResumes(t *testing.T) {
	impl, err := implementation.Parse(implementation.KubeControllerManager)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Versions: []string{"v1.36.1", "v1.36.3", "v1.37.1"}, Implementation: impl, Reports: t.TempDir(),
		Out: &bytes.Buffer{}}
	open := func() *matrix {
		m, err := openMatrix(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = m.results.Close() })
		return m
	}
	m := open()
	red, green, other := m.cell(bug, "v1.36.1"), m.cell(bug, "v1.36.3"), m.cell(bug, "v1.37.1")
	red.Reds, green.Reds, other.Scenario = 1, 1, "that was before it was changed"
	for _, c := range []Cell{red, green, other} {
		if err := m.results.Add(c); err != nil {
			t.Fatal(err)
		}
	}
	bugs := []library.Entry{bug}
	cells := open().cells(bugs)
	if len(cells) != 2 || !cells[0].AsExpected(bug) || cells[1].AsExpected(bug) {
		t.Fatalf("%+v", cells)
	}
	var table strings.Builder
	Table(&table, impl.Name, o.Versions, bugs, cells)
	if want := "| all is well | red | **red** | - |"; !strings.Contains(table.String(), want) {
		t.Errorf("it lacks %q:\n%s", want, table.String())
	}
}
