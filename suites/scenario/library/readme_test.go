package library

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"
)

const readme = "README.md"

// With UPDATE=1, the test writes the page.
func TestReadmeIsUpToDate(t *testing.T) {
	want := page(t)
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(readme, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, err := os.ReadFile(readme); err != nil || string(got) != want {
		t.Errorf("%s is out of date (%v): run make figures", readme, err)
	}
}

// groups are the bugs as the page has them.
var groups = []struct {
	state State
	title string
}{
	{Open, "Reported, and in the newest version"},
	{Unreported, "In the newest version, and reported by nobody"},
	{Fixed, "Fixed"},
}

func page(t *testing.T) string {
	t.Helper()
	list, err := Reports()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	text.WriteString(`# Bugs of Kubernetes, as scenarios

<!-- Generated from the scenarios: make figures. -->

Each of them is a file in [regressions](regressions) or [open](open), which
` + "`make repro ISSUE=...`" + ` runs with its number or name, on kube-controller-manager and against a
version without the bug, or the reference. Lines of files are those of Kubernetes v1.37.1, in
pkg/controller/job and pkg/controller/cronjob where no folder is given.
`)
	for _, g := range groups {
		fmt.Fprintf(&text, "\n## %s\n| bug | what must hold | versions that have it | shown red | cause |\n|---|---|---|---|---|\n", g.title)
		for _, e := range list {
			if e.State() != g.state {
				continue
			}
			name := e.Key
			if e.Issue > 0 {
				name = fmt.Sprintf("[#%d](https://github.com/kubernetes/kubernetes/issues/%d)", e.Issue, e.Issue)
			}
			fmt.Fprintf(&text, "| %s | %s (%s) | %s | %s | %s |\n", name, e.Description, strings.Join(e.Requirements, ", "),
				strings.ReplaceAll(cmp.Or(e.Affected, "older ones"), "|", "\\|"), cmp.Or(e.Red, "-"), e.Because)
		}
	}
	return text.String()
}
