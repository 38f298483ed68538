package counterparts

import (
	"bytes"
	"cmp"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	control "github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

func isRequirement(id string) bool {
	_, found := table.Find(id)
	return found
}

// Each test of the default version has a counterpart. Where its source is not on this machine, requirements that do
// not exist are found all the same.
func TestEachTestHasACounterpart(t *testing.T) {
	all, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	kubernetes := filepath.Join(cmp.Or(os.Getenv("GOMODCACHE"), filepath.Join(build.Default.GOPATH, "pkg", "mod")),
		"k8s.io", "kubernetes@"+control.DefaultKubernetesVersion)
	if _, err := os.Stat(kubernetes); err != nil {
		for file, tests := range all {
			for _, c := range tests {
				for _, of := range append(slices.Clone(c.Cases), c) {
					for _, line := range of.check(file, isRequirement) {
						t.Error(line)
					}
				}
			}
		}
		t.Skipf("not verified: %s is not there", kubernetes)
	}
	upstream, err := Parse(os.DirFS(kubernetes))
	if err != nil {
		t.Fatal(err)
	}
	if len(upstream) < 90 {
		t.Errorf("only %d tests were found", len(upstream))
	}
	for _, line := range all.Check(upstream, isRequirement) {
		t.Error(line)
	}
}

// With UPDATE=1, the test writes the page.
func TestPageIsUpToDate(t *testing.T) {
	all, err := Read()
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := all.Write(&want, control.DefaultKubernetesVersion); err != nil {
		t.Fatal(err)
	}
	const page = "../../UPSTREAM-TESTS.md"
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("%s is out of date (%v): run make requirements", page, err)
	}
}

const integration = "package job\n" + `
func TestMain(m *testing.M) {}
func TestPlain(t *testing.T) { for name, x := range other { t.Log(name, x) } }
func TestCases(t *testing.T) {
	cases := map[string]struct{ a int }{"two": {2}, "one": {1}}
	for name, c := range cases { t.Run(name, func(t *testing.T) { use(c) }) }
}
func TestInPlace(t *testing.T) {
	for name := range map[string]int{"three": 3} { b.Run(name, nil) }
}
func TestMadeUp(t *testing.T) {
	for _, c := range []struct{ a int }{{1}} { t.Run(fmt.Sprint(c), nil) }
}
func BenchmarkLarge(b *testing.B) {}
func helper() { testing.It("is no literal" + x, nil) }
`

const e2e = "package apps\n" + `
var _ = SIGDescribe("Job", func() {
	ginkgo.It("runs", func() {})
	framework.ConformanceIt("conforms", f.WithSlow(), func() {})
	ginkgo.By("steps", func() {})
})
`

const upgrade = "package apps\n" + `
type T struct{}
func (T) Name() string { return "upgrades" }
func (T) Other() string { return "something else" }
`

func kubernetes() fstest.MapFS {
	return fstest.MapFS{
		"test/e2e/apps/job.go":                     {Data: []byte(e2e)},
		"test/e2e/apps/cronjob.go":                 {Data: []byte(strings.ReplaceAll(e2e, "runs", "ticks"))},
		"test/e2e/upgrades/apps/job.go":            {Data: []byte(upgrade)},
		"test/integration/job/job_test.go":         {Data: []byte(integration)},
		"test/integration/job/util.go":             {Data: []byte("package job\nfunc TestNothing() {}")},
		"test/integration/cronjob/cronjob_test.go": {Data: []byte("package cronjob\nfunc TestTicks(t *testing.T) {}")},
	}
}

func TestParse(t *testing.T) {
	got, err := Parse(kubernetes())
	if err != nil {
		t.Fatal(err)
	}
	want := []Upstream{
		{"test/e2e/apps/job.go", "runs", nil}, {"test/e2e/apps/job.go", "conforms", nil},
		{"test/e2e/apps/cronjob.go", "ticks", nil}, {"test/e2e/apps/cronjob.go", "conforms", nil},
		{"test/e2e/upgrades/apps/job.go", "upgrades", nil},
		{"test/integration/job/job_test.go", "TestPlain", nil},
		{"test/integration/job/job_test.go", "TestCases", []string{"one", "two"}},
		{"test/integration/job/job_test.go", "TestInPlace", []string{"three"}},
		{"test/integration/job/job_test.go", "TestMadeUp", nil},
		{"test/integration/job/job_test.go", "BenchmarkLarge", nil},
		{"test/integration/cronjob/cronjob_test.go", "TestTicks", nil},
	}
	if !slices.EqualFunc(got, want, func(a, b Upstream) bool {
		return a.File == b.File && a.Name == b.Name && slices.Equal(a.Cases, b.Cases)
	}) {
		t.Errorf("%q, want %q", got, want)
	}
	for name, change := range map[string]func(fstest.MapFS){
		"a file less": func(f fstest.MapFS) { delete(f, "test/e2e/apps/job.go") },
		"no tests":    func(f fstest.MapFS) { delete(f, "test/integration/job/job_test.go") },
		"no Go":       func(f fstest.MapFS) { f["test/e2e/apps/job.go"].Data = []byte("packag e2e") },
	} {
		sources := kubernetes()
		change(sources)
		if _, err := Parse(sources); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestCheck(t *testing.T) {
	some, upstream := []string{"JOB-A-001"}, []Upstream{{"a.go", "TestA", nil}, {"a.go", "TestB", []string{"x", "y"}}}
	for name, c := range map[string]struct {
		table []Counterpart
		want  string // the one line; empty: none
	}{
		"complete": {[]Counterpart{{Test: "TestA", Requirements: some, Why: "in part"},
			{Test: "TestB", Cases: []Counterpart{{Test: "x", Requirements: some}, {Test: "y", Why: "because"}}}}, ""},
		"a reason for all cases": {[]Counterpart{{Test: "TestA", Why: "a"}, {Test: "TestB", Why: "b"}}, ""},
		"a test is missing":      {[]Counterpart{{Test: "TestB", Why: "b"}}, `a.go: "TestA" has no counterpart`},
		"a case is missing": {[]Counterpart{{Test: "TestA", Why: "a"},
			{Test: "TestB", Cases: []Counterpart{{Test: "y", Why: "b"}}}}, `a.go: the case "x" of TestB has no counterpart`},
		"no such test": {[]Counterpart{{Test: "TestA", Why: "a"}, {Test: "TestB", Why: "b"}, {Test: "TestC", Why: "c"}},
			`a.go: upstream has no test "TestC"`},
		"no such case": {[]Counterpart{{Test: "TestA", Cases: []Counterpart{{Test: "z", Why: "a"}}},
			{Test: "TestB", Why: "b"}}, `a.go: upstream's TestA has no case "z"`},
		"no such requirement": {[]Counterpart{{Test: "TestA", Requirements: []string{"JOB-A-002"}},
			{Test: "TestB", Why: "b"}}, `a.go: "TestA" names JOB-A-002, which is no requirement`},
		"no such requirement of a case": {[]Counterpart{{Test: "TestA", Why: "a"}, {Test: "TestB", Cases: []Counterpart{
			{Test: "x", Requirements: []string{"JOB-A-002"}}, {Test: "y", Why: "b"}}}},
			`a.go: "x" names JOB-A-002, which is no requirement`},
		"nothing is said": {[]Counterpart{{Test: "TestA"}, {Test: "TestB", Why: "b"}},
			`a.go: "TestA" has neither requirements, a reason nor cases, or cases and more`},
	} {
		lines := Table{"a.go": c.table}.Check(upstream, func(id string) bool { return id == some[0] })
		if got := strings.Join(lines, "\n"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	// Requirements of a whole test do not cover its cases.
	lines := Table{"a.go": {{Test: "TestA", Why: "a"}, {Test: "TestB", Requirements: some}}}.Check(upstream,
		func(string) bool { return true })
	if len(lines) != 2 || !strings.Contains(lines[0], `the case "x"`) {
		t.Errorf("requirements for all cases: %q", lines)
	}
}
