package catalogue

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"github.com/jobconformance/jobconformance/suites/specs"
	"golang.org/x/net/html"
)

// content is that of all registries.
var content = sync.OnceValues(func() (*Content, error) {
	var all []spec.Listed
	for _, r := range specs.Preview() {
		all = append(all, spec.Listed{Spec: framework.Result(r)})
	}
	return Load(all, "v0.1.0")
})

func load(t *testing.T) Content {
	t.Helper()
	c, err := content()
	if err != nil {
		t.Fatal(err)
	}
	return *c
}

func files(t *testing.T, c Content) map[string][]byte {
	t.Helper()
	all, err := c.Files()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEveryRequirementBugBehaviourAndReportHasAPage(t *testing.T) {
	c := load(t)
	all := files(t, c)
	wanted := map[string][]string{}
	for _, r := range c.Requirements {
		wanted["requirement/"+r.ID+".html"] = []string{r.ID, r.Text}
	}
	for _, b := range c.Bugs {
		wanted["bug/"+b.ID()+".html"] = []string{b.Name(), b.Text}
	}
	for _, name := range c.behaviours() {
		wanted["behaviour/"+name+".html"] = []string{name}
	}
	for _, r := range c.Reports {
		wanted["report/"+r.PublishedName()+".html"] = []string{r.Implementation.Version}
	}
	if len(c.Bugs) < 70 || len(c.Reports) < 2 || len(wanted) < 650 {
		t.Fatalf("%d pages are wanted, %d of bugs, %d of reports", len(wanted), len(c.Bugs), len(c.Reports))
	}
	for path, texts := range wanted {
		shown := text(t, all[path])
		for _, want := range texts {
			if !strings.Contains(shown, words(want)) {
				t.Errorf("%s lacks %q", path, want)
			}
		}
	}
	if others := len(all) - len(wanted); others != 6 {
		t.Errorf("there are %d other files", others)
	}
}

// words has one space in the place of all white space.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// each calls do with the elements of a page.
func each(t *testing.T, text []byte, do func(*html.Node)) {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		do(n)
	}
}

// text returns what readers see, or nothing of a page that is not there.
func text(t *testing.T, page []byte) string {
	t.Helper()
	var b strings.Builder
	each(t, page, func(n *html.Node) {
		if n.Type == html.TextNode {
			b.WriteString(n.Data)
		}
	})
	return words(b.String())
}

func attribute(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// A search engine shows the title and the description.
func TestEveryPageHasATitleAndADescriptionOfItsOwn(t *testing.T) {
	seen := map[string]string{}
	for name, page := range files(t, load(t)) {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		head := map[string]int{}
		each(t, page, func(n *html.Node) {
			value := ""
			switch {
			case n.Data == "title" && n.FirstChild != nil:
				value = n.FirstChild.Data
			case n.Data == "meta" && attribute(n, "name") == "description":
				value = attribute(n, "content")
			case n.Data == "h1", n.Data == "main", attribute(n, "http-equiv") == "Content-Security-Policy":
				head[n.Data]++
				return
			default:
				return
			}
			head[n.Data+"s"]++
			if len(value) < 20 || seen[value] != "" {
				t.Errorf("%s has the title or the description %q, as %s", name, value, seen[value])
			}
			seen[value] = name
		})
		if want := map[string]int{"titles": 1, "metas": 1, "h1": 1, "main": 1, "meta": 1}; !maps.Equal(head, want) {
			t.Errorf("%s has %v, want %v", name, head, want)
		}
	}
}

func TestLinksAreRelativeAndLeadSomewhere(t *testing.T) {
	all := files(t, load(t))
	ids, reached := map[string]bool{}, map[string]bool{}
	for name, page := range all {
		if strings.HasSuffix(name, ".html") {
			each(t, page, func(n *html.Node) {
				if id := attribute(n, "id"); id != "" {
					if ids[name+"#"+id] {
						t.Errorf("%s has two elements %s", name, id)
					}
					ids[name+"#"+id] = true
				}
			})
		}
	}
	external := regexp.MustCompile(`^https://(github\.com|kubernetes\.io|pkg\.go\.dev)/`)
	for name, page := range all {
		if !strings.HasSuffix(name, ".html") {
			continue
		}
		each(t, page, func(n *html.Node) {
			if src := attribute(n, "src"); src != "" {
				t.Errorf("%s loads %s", name, src)
			}
			link := attribute(n, "href")
			if link == "" || link == "data:," || external.MatchString(link) && n.Data == "a" {
				return
			}
			file, fragment, _ := strings.Cut(link, "#")
			there := name
			if file != "" {
				there = path.Join(path.Dir(name), file)
			}
			if all[there] == nil || fragment != "" && !ids[there+"#"+fragment] || path.IsAbs(file) {
				t.Errorf("%s has a link to %s, which leads nowhere", name, link)
			}
			if there != name {
				reached[there] = true
			}
		})
	}
	for name := range all {
		if !reached[name] {
			t.Errorf("no page has a link to %s", name)
		}
	}
}

func TestEverySpecHasItsCode(t *testing.T) {
	c := load(t)
	code := &listings{source: c.Source}
	entries := 0
	for _, s := range c.Specs {
		if strings.HasSuffix(s.Source.File, ".yaml") {
			continue
		}
		shown := code.code(s.Source)
		call, err := parser.ParseExpr(strings.TrimSuffix(shown, ","))
		if _, is := call.(*ast.CallExpr); err != nil || !is {
			t.Errorf("%s has the code %q: %v", s.Source, shown, err)
		}
		if strings.Contains(shown, "Entry(") {
			entries++
		}
	}
	if entries < 50 {
		t.Errorf("only %d specs are entries of tables", entries)
	}
}

func TestCodeOfASpec(t *testing.T) {
	const file = `package job

var _ = Describe("a", func() {
	// Wrong: waits.
	It("does", func() {
		one()
	})
	for range 2 { // twice
		It("more", func() {})
	}

	// A table.
	DescribeTable("t", func(n int) {
		two(n)
	},
		Entry("one", 1),
		Entry("two",
			2),
	)
})
`
	code := &listings{source: fstest.MapFS{"job/a.go": {Data: []byte(file)}, "job/wrong.go": {Data: []byte("package")}}}
	for line, want := range map[int]string{
		5:  "// Wrong: waits.\nIt(\"does\", func() {\n\tone()\n})",
		9:  "It(\"more\", func() {})",
		16: "// A table.\nDescribeTable(\"t\", func(n int) {\n\ttwo(n)\n},\n\tEntry(\"one\", 1),\n)",
		17: "// A table.\nDescribeTable(\"t\", func(n int) {\n\ttwo(n)\n},\n\t// ...\n\tEntry(\"two\",\n\t\t2),\n)",
		11: "", 99: "",
	} {
		if got := code.code(spec.Source{File: "suites/job/a.go", Line: line}); got != want {
			t.Errorf("line %d: %q, want %q", line, got, want)
		}
	}
	for _, file := range []string{"suites/job/wrong.go", "suites/job/none.go", "/src/job/a.go", "suites/a.yaml", ""} {
		if got := code.code(spec.Source{File: file, Line: 5}); got != "" {
			t.Errorf("%s: %q", file, got)
		}
	}
}

// All texts may have what a browser would run.
func TestEverythingIsEscaped(t *testing.T) {
	const bad = `</script><script>alert("x")</script><img src=x onerror=y>`
	c := load(t)
	plant := func(text *string) { *text += bad }
	c.Requirements = slices.Clone(c.Requirements[:1])
	r := &c.Requirements[0]
	plant(&r.Text)
	plant(&r.Source)
	plant(&r.Versions)
	plant((*string)(&r.Feature))
	s := c.Specs[0]
	for _, text := range []*string{&s.Text, &s.Source.File} {
		plant(text)
	}
	s.Requirements, s.Behaviours, s.Issues = []string{r.ID, bad}, []string{"parallelism"}, []string{"key"}
	c.Specs = []spec.Listed{s}
	w := c.Wrong[0]
	w.Edits = slices.Clone(w.Edits)
	for _, text := range []*string{&w.Group, &w.Sentence, &w.File, &w.Edits[0].New, &w.Edits[0].Old} {
		plant(text)
	}
	w.Breaks = []string{r.ID, bad}
	c.Wrong, c.Variants = []Controller{w}, []Controller{w}
	b := c.Bugs[0]
	scenario := *b.Entry.Scenario
	b.Entry = &library.Entry{Scenario: &scenario, Name: bad, Path: bad, Text: []byte(bad)}
	b.Issue, b.Key = 0, "key"
	for _, text := range []*string{&scenario.Description, &scenario.Otherwise, &b.Text, &b.Versions, &b.Component} {
		plant(text)
	}
	scenario.Requirements = []string{r.ID}
	c.Bugs = []Bug{b}
	c.Cells = slices.Clone(c.Cells[:1])
	c.Cells[0].Issue, c.Cells[0].Key, c.Cells[0].Version, c.Cells[0].Implementation = 0, "key", bad, bad
	c.Older = map[int]string{1: r.ID, 2: bad}
	published := *c.Reports[0]
	for _, text := range []*string{&published.SuiteVersion, &published.Cluster.Kind,
		&published.Cluster.KubernetesVersion, &published.Cluster.FeatureGates} {
		plant(text)
	}
	published.KnownIssues = []report.Issue{{Issue: bad, Text: bad, Requirements: []string{bad}}}
	published.Requirements = []report.Requirement{{ID: r.ID, Text: bad, Outcome: report.NonConformant},
		{ID: "JOB-" + bad + "-001", Text: bad, Outcome: report.Conformant}}
	c.Reports = []*report.Report{&published}

	planted := 0
	for name, page := range files(t, c) {
		planted += strings.Count(string(page), "alert(")
		each(t, page, func(n *html.Node) {
			if n.Type != html.ElementNode {
				return
			}
			runs := n.Data == "script" && attribute(n, "type") == ""
			if n.Data == "img" || runs && (name != "index.html" || strings.Contains(n.FirstChild.Data, "alert")) {
				t.Errorf("%s has the element %s %v", name, n.Data, n.Attr)
			}
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s has the attribute %s", name, a.Key)
				}
			}
		})
	}
	if planted < 60 {
		t.Errorf("only %d of the texts are on the pages", planted)
	}
}

func TestThePagesAllowTheScriptOfTheSearchAlone(t *testing.T) {
	all := files(t, load(t))
	for name, page := range all {
		want := 0
		if name == "index.html" {
			want = 2 // it, and what it searches
		}
		if scripts := strings.Count(string(page), "<script"); scripts != want {
			t.Errorf("%s has %d scripts, want %d", name, scripts, want)
		}
	}
	script := ""
	each(t, all["index.html"], func(n *html.Node) {
		if n.Data == "script" && attribute(n, "type") == "" {
			script = n.FirstChild.Data
		}
	})
	if script != "\n"+string(searchScript) {
		t.Errorf("the policy has the hash of another script than %q", fmt.Sprintf("%.80s", script))
	}
	if want := "default-src 'none'; style-src 'self' file:; img-src data:; base-uri 'none'; form-action 'none'; " +
		"script-src 'sha256-"; !strings.HasPrefix(policy, want) {
		t.Errorf("the policy is %s", policy)
	}
}

func TestBugsWithoutAScenario(t *testing.T) {
	c := load(t)
	i := slices.IndexFunc(c.Bugs, func(b Bug) bool { return b.Entry == nil })
	if i < 0 {
		t.Skip("not verified: all bugs have one")
	}
	b := c.Bugs[i]
	if len(c.requirementsOf(b)) == 0 || b.State() != library.Unreported {
		t.Errorf("%s is %s and breaks nothing", b.Name(), b.State())
	}
	if page := string(files(t, c)["bug/"+b.ID()+".html"]); strings.Contains(page, "repro --issue") {
		t.Errorf("the page of %s says how to reproduce it", b.Name())
	}
}
