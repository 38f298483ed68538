package library

import (
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/version"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

func TestRegressionsSayWhatTheyAreAbout(t *testing.T) {
	list, err := Regressions()
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(files, "regressions/*.yaml")
	if err != nil || len(names) != len(list) || len(list) < 12 {
		t.Fatalf("%d files, %d bugs, %v", len(names), len(list), err)
	}
	seen := map[string]bool{}
	for _, r := range list {
		switch {
		case r.Name != strconv.Itoa(r.Issue):
			t.Errorf("issue %d is not in the file of that name", r.Issue)
		case r.Pull == 0:
			t.Errorf("%d does not name its fix", r.Issue)
		case len(r.Requirements) == 0:
			t.Errorf("%d names no requirement", r.Issue)
		case seen[r.Description]:
			t.Errorf("%q is there twice", r.Description)
		case r.Affected != "" && (r.Because == "" || !version.Satisfies(r.Red, r.Affected) ||
			version.Satisfies(r.Green, r.Affected)):
			t.Errorf("%d: affected does not fit red and green, or it does not say why", r.Issue)
		case r.Affected == "" && (r.Red != "" || r.Because == ""):
			t.Errorf("%d: no version has it, but one is red, or it does not say what went wrong", r.Issue)
		}
		seen[r.Description] = true
		for _, id := range r.Requirements {
			if _, found := table.Find(id); !found {
				t.Errorf("%d names %s, which is no requirement", r.Issue, id)
			}
		}
	}
}

func TestOpenBugsSayWhatTheyAreAbout(t *testing.T) {
	list, err := read("open")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		switch {
		case e.Name != e.ID():
			t.Errorf("%s is not in the file of that name", e.ID())
		case len(e.Requirements) == 0 && !e.Measures() || e.Because == "": // metrics are no part of the contract
			t.Errorf("%s names no requirement, or not what is wrong", e.Name)
		case !version.Satisfies(e.Red, e.Affected) || e.Green != "" && version.Satisfies(e.Green, e.Affected):
			t.Errorf("%s: affected does not fit red and green", e.Name)
		}
		for _, id := range e.Requirements {
			if _, found := table.Find(id); !found {
				t.Errorf("%s names %s, which is no requirement", e.Name, id)
			}
		}
	}
}

func TestShownReportsNameRequirements(t *testing.T) {
	list, err := Regressions()
	if err != nil {
		t.Fatal(err)
	}
	for number, id := range Shown() {
		if _, found := table.Find(id); !found {
			t.Errorf("%d names %s, which is no requirement", number, id)
		}
		if _, found := Find(list, strconv.Itoa(number)); found {
			t.Errorf("%d has a scenario as well", number)
		}
	}
}

func TestWhoShowsABug(t *testing.T) {
	controller := &scenario.Scenario{Affected: ">= 1.36.0, < 1.36.3"}
	server := &scenario.Scenario{Affected: "< 1.34.0", Component: scenario.KubeAPIServer}
	for _, test := range []struct {
		s             *scenario.Scenario
		impl, version string
		want          bool
	}{
		{controller, implementation.KubeControllerManager, "v1.36.1", true},
		{controller, implementation.KubeControllerManager, "v1.36.1-eks-5", true},
		{controller, implementation.KubeControllerManager, "v1.36.3", false},
		{controller, implementation.Reference, "v1.36.1", false},
		{server, implementation.Reference, "v1.33.13", true},
		{server, implementation.Reference, "v1.34.0", false},
		{&scenario.Scenario{}, implementation.KubeControllerManager, "v1.36.1", false},
		{controller, implementation.KubeControllerManager, "given", false},
	} {
		if got := Red(test.s, test.impl, test.version); got != test.want {
			t.Errorf("%s of %s on %s: %v", test.s.Affected, test.impl, test.version, got)
		}
	}
}

func TestBugsAreFoundByIssueAndPull(t *testing.T) {
	list := []Entry{{Scenario: &scenario.Scenario{Issue: 10, Pull: 20}},
		{Scenario: &scenario.Scenario{Issue: 20, Pull: 40}}, {Scenario: &scenario.Scenario{Issue: 50, Pull: 60}},
		{Scenario: &scenario.Scenario{Key: "a-b", Pull: 70}}}
	for id, want := range map[string]string{"10": "10", "20": "20", "40": "20", "41": "", "a-b": "a-b", "0": ""} {
		r, found := Find(list, id)
		if found != (want != "") || found && r.ID() != want {
			t.Errorf("%s: %v", id, r)
		}
	}
	if got := Nearest(list, 18, 2); !slices.Equal(got, []int{10, 20}) {
		t.Errorf("nearest: %v", got)
	}
}

func TestAllScenariosAreRead(t *testing.T) {
	for _, folder := range []string{"regressions", "explore", "fields", "open"} {
		list, err := read(folder)
		if err != nil || len(list) < 3 {
			t.Errorf("%d scenarios in %s: %v", len(list), folder, err)
		}
		for _, e := range list {
			text, err := e.YAML()
			if err != nil {
				t.Errorf("%s: %v", e.Name, err)
			}
			if _, err := scenario.Read(e.Name, text); err != nil {
				t.Errorf("it does not read what it has written: %v\n%s", err, text)
			}
			if strings.Contains(string(text), "creationTimestamp:") {
				t.Errorf("%s has fields of the API server once written:\n%s", e.Name, text)
			}
		}
	}
}

func TestBugs(t *testing.T) {
	bugs, err := Bugs()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, b := range bugs {
		switch {
		case b.Name() != "" && seen[b.Name()]:
			t.Errorf("%s is listed twice", b.Name())
		case b.Name() != "" && b.Versions == "":
			t.Errorf("%s names no versions, and no scenario does", b.Name())
		case b.Text == "":
			t.Errorf("%v has no text", b)
		}
		seen[b.Name()] = true
		for _, id := range b.Invariants {
			if !slices.ContainsFunc(invariants.Invariants(), func(i invariants.Invariant) bool { return i.ID == id }) {
				t.Errorf("%s breaks the invariant %s, which does not exist", b.Name(), id)
			}
		}
	}
}

func TestAmongOtherBugs(t *testing.T) {
	bug := func(issue int) *scenario.Scenario {
		found, ok := Find(must(t), strconv.Itoa(issue))
		if !ok {
			t.Fatalf("%d is not there", issue)
		}
		return found.Scenario
	}
	const broken = "job-counters-in-range" // by 125089, before v1.31.0
	for _, c := range []struct {
		issue         int
		impl, version string
		except        bool
	}{
		{110294, implementation.KubeControllerManager, "v1.30.14", true},
		{110294, implementation.KubeControllerManager, "v1.31.0", false},
		{110294, implementation.Reference, "v1.30.14", false},
		{125089, implementation.KubeControllerManager, "v1.30.14", false},
	} {
		s := bug(c.issue)
		before := len(s.Except)
		if got := slices.Contains(Among(s, c.impl, c.version).Except, broken); got != c.except {
			t.Errorf("%d with %s %s leaves %s out: %t", c.issue, c.impl, c.version, broken, got)
		}
		if len(s.Except) != before {
			t.Errorf("the scenario of %d itself has changed", c.issue)
		}
	}
}

func must(t *testing.T) []Entry {
	t.Helper()
	list, err := Regressions()
	if err != nil {
		t.Fatal(err)
	}
	return list
}
