package library

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/suites/scenario"
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
version without the bug, or the reference. Lines of files are those of Kubernetes ` + scenario.SourceVersion + `, in
pkg/controller/job and pkg/controller/cronjob where no folder is given.
`)
	for _, g := range groups {
		columns, line := " cause |", "\n|---|---|---|---|---|"
		if g.state != Fixed {
			columns, line = columns+" where | what the reference does otherwise |", line+"---|---|"
		}
		fmt.Fprintf(&text, "\n## %s\n| bug | what must hold | versions that have it | shown red |%s%s\n", g.title,
			columns, line)
		for _, e := range list {
			if e.State() != g.state {
				continue
			}
			name := e.Key
			if e.Issue > 0 {
				name = fmt.Sprintf("[#%d](https://github.com/kubernetes/kubernetes/issues/%d)", e.Issue, e.Issue)
			}
			fmt.Fprintf(&text, "| %s | %s (%s) | %s | %s | %s |", name, e.Description,
				cmp.Or(strings.Join(e.Requirements, ", "), "a metric"),
				strings.ReplaceAll(cmp.Or(e.Affected, "older ones"), "|", "\\|"), cmp.Or(e.Red, "-"), e.Because)
			if g.state != Fixed {
				fmt.Fprintf(&text, " %s | %s %s |", e.Sources(), e.Otherwise, places(e.Reference))
			}
			text.WriteString("\n")
		}
	}
	return text.String()
}

// places links to files of this repository.
func places(all []scenario.Place) string {
	var links []string
	for _, p := range all {
		links = append(links, fmt.Sprintf("[%s](../../../%s)", p.Function, p.File))
	}
	return "(" + strings.Join(links, ", ") + ")"
}

// Lines move from version to version: each cause of an open bug must be where its scenario says.
func TestTheCausesOfOpenBugsAreInTheSource(t *testing.T) {
	list, err := Reports()
	if err != nil {
		t.Fatal(err)
	}
	kubernetes := filepath.Join(cmp.Or(os.Getenv("GOMODCACHE"), filepath.Join(build.Default.GOPATH, "pkg", "mod")),
		"k8s.io", "kubernetes@"+scenario.SourceVersion)
	_, err = os.Stat(kubernetes)
	unpacked := err == nil
	for _, e := range list {
		if e.State() == Fixed {
			continue
		}
		ofController := e.Component != scenario.KubeAPIServer
		if e.Because == "" || len(e.Source) == 0 || e.Otherwise == "" || ofController && len(e.Reference) == 0 {
			t.Errorf("%s: because, source, otherwise and reference belong to each open bug", e.Name)
		}
		for _, p := range e.Reference {
			inFunction(t, e.Name, filepath.Join("..", "..", ".."), p)
		}
		for _, p := range e.Source {
			if p.Line == 0 {
				t.Errorf("%s: %s has no line", e.Name, p.Function)
			}
			if unpacked {
				inFunction(t, e.Name, kubernetes, p)
			}
		}
	}
	if !unpacked {
		t.Skipf("not verified: the module k8s.io/kubernetes %s is not in %s", scenario.SourceVersion,
			filepath.Dir(kubernetes))
	}
}

// inFunction checks that a place is where it says it is.
func inFunction(t *testing.T, name, root string, p scenario.Place) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, filepath.Join(root, p.File), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !slices.ContainsFunc(file.Decls, func(d ast.Decl) bool {
		f, is := d.(*ast.FuncDecl)
		return is && f.Name.Name == p.Function &&
			(p.Line == 0 || set.Position(f.Pos()).Line <= p.Line && p.Line <= set.Position(f.End()).Line)
	}) {
		t.Errorf("%s: line %d of %s is not in the function %s", name, p.Line, p.File, p.Function)
	}
}
