package score

import (
	"fmt"
	"go/importer"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/gates"
)

const folder = "pkg/controller/job"

// parsed is a package of one file, b.go, with the functions that mutants are made of.
func parsed(t *testing.T, text string) *source {
	t.Helper()
	s, err := parse(folder, map[string]string{"b.go": "package job\n" + text}, importer.Default())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// changed returns what a mutant makes of the body of the function f.
func changed(m *Mutant) string {
	text := apply(m.file.text, m.edits)
	_, body, _ := strings.Cut(text, "BEGIN")
	body, _, _ = strings.Cut(body, "END")
	return strings.Join(strings.Fields(body), " ")
}

func TestOperators(t *testing.T) {
	for body, want := range map[string][]string{
		"if a < b { a = 2 }": {
			"branch removed: if a < b { _ = a; }", "operator changed: if a <= b { a = 2 }",
			"operator changed: if a >= b { a = 2 }",
			"assignment removed: if a < b { {_ = a; } }", "constant changed: if a < b { a = (2 + 1) }",
		},
		"if a == b { } else { run(a) }": {
			"branch removed: if a == b { } else { _ = a; }", "operator changed: if a != b { } else { run(a) }",
			"call removed: if a == b { } else { {_ = a; } }",
		},
		"ok = ok && a > 1": {
			"assignment removed: {_ = ok; _ = a; }", "operand dropped: ok = ok", "operand dropped: ok = a > 1",
			"operator changed: ok = ok || a > 1",
			"operator changed: ok = ok && a >= 1", "operator changed: ok = ok && a <= 1",
			"constant changed: ok = ok && a > (1 + 1)",
		},
		"if !ok { return }": {"branch removed: if !ok { }", "negation dropped: if ok { return }"},
		"if ok { return }":  {"condition negated: if !(ok) { return }", "branch removed: if ok { }"},
		"a++":               {"operator changed: a--"},
		"a -= b * b":        {"operator changed: a += b * b", "operator changed: a -= b / b"},
		"_ = name + name":   {"assignment removed: {_ = name; }"},
		"go run(a)":         {"goroutine removed: {_ = a; }"},
		"defer run(a)":      {"defer removed: {_ = a; }"},
		"logger.Info(1)":    nil,
		"recordJobPods(1)":  nil,
		"for ok { break }":  {"condition negated: for !(ok) { break }", "break removed: for ok { {} }"},
		"for { continue }":  {"continue removed: for { {} }", "break for continue: for { break }"},
		"switch a { case 1: run(a); case 2: }": {
			"case removed: switch a { case 1: _ = a; ; case 2: }",
			"call removed: switch a { case 1: {_ = a; }; case 2: }",
			"constant changed: switch a { case 1: run(a); case (2 + 1): }", // and two cases of 2 do not compile
		},
		"c := true; _ = c": {"constant changed: c := false; _ = c", "assignment removed: c := true; {_ = c; }"},
		"d = 3 * limit": {"assignment removed: {_ = d; }", "constant changed: d = (3 + 1) * limit",
			"constant changed: d = 3 * (limit + 1)"},
		"_ = pair{x: 1, y: 2}": {
			"assignment removed: {}", "field left out: _ = pair{ y: 2}", "field left out: _ = pair{x: 1, }",
			"constant changed: _ = pair{x: (1 + 1), y: 2}", "constant changed: _ = pair{x: 1, y: (2 + 1)}",
		},
		"ch <- a": {"send removed: {_ = ch; _ = a; }"},
		"_ = func() error { return err }": {"assignment removed: {_ = err; }",
			"nil returned: _ = func() error { return nil }"},
		"_ = func() error { return nil }": {"assignment removed: {}"},
		"_ = func() bool { return ok }": {"assignment removed: {_ = ok; }",
			"result negated: _ = func() bool { return !(ok) }"},
		"_ = func() int { return len(name)}": {"assignment removed: {_ = name; }",
			"result changed: _ = func() int { return (len(name)) + 1}"},
	} {
		t.Run(body, func(t *testing.T) {
			s := parsed(t,
				"const limit = 7\ntype pair struct{ x, y int }\ntype log struct{}\nfunc (log) Info(int) {}\nvar "+
					"logger log\nfunc run(int) {}\nfunc recordJobPods(int) {}\n"+
					"func f(a, b, d int, ok bool, name string, err error, ch chan int) { _ = d; /*BEGIN*/ "+body+
					" /*END*/ }\n")
			var got []string
			for _, m := range everyMutant([]*source{s}, "", List{}, nil) {
				if m.Function != "f" || m.edits[0].from < strings.Index(m.file.text, "BEGIN") {
					continue
				}
				if !s.compiles(m, importer.Default()) {
					continue
				}
				text := strings.TrimSuffix(strings.TrimPrefix(changed(m), "*/ "), " /*")
				got = append(got, m.Operator+": "+text)
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
			}
		})
	}
}

const source1 = `
import "time"

var delay = 10 * time.Second

type T struct{ n int }

func (t *T) add(_ string, more ...int) (sum int, err error) {
	for _, m := range more {
		if m > 3 {
			continue
		}
		sum += m
	}
	return sum + t.n, nil
}

func (T) do(int) {
	fs := []func(){func() { println(delay) }}
	for _, f := range fs {
		f()
	}
}
`

// The program with all mutants compiles, and each of them alone.
func TestProgramOfAllMutantsCompiles(t *testing.T) {
	s := parsed(t, source1)
	drawn, _ := draw(everyMutant([]*source{s}, "", List{}, nil), 1, 1000,
		importer.ForCompiler(s.files[0].set, "source", nil))
	if len(drawn) < 12 {
		t.Fatalf("only %d mutants", len(drawn))
	}
	texts := program([]*source{s}, drawn)
	made, err := parse(folder, texts, importer.ForCompiler(s.files[0].set, "source", nil))
	if err != nil {
		t.Fatalf("%v\n%s", err, texts["b.go"])
	}
	for n, m := range drawn {
		if m.Function == "delay" {
			continue
		}
		name := strings.TrimPrefix(m.Function[strings.LastIndex(m.Function, ".")+1:], ".")
		if want := fmt.Sprintf("%s__%d(", name, n+1); strings.Count(texts["b.go"], want) != 2 {
			t.Errorf("%s is not defined and called once as %s", m, want)
		}
	}
	if len(made.files) != 2 {
		t.Errorf("%d files, want 2", len(made.files))
	}
}

func TestDrawIsTheSameForASeed(t *testing.T) {
	s := parsed(t, source1)
	ids := func(seed uint64, count int) (all []string) {
		drawn, _ := draw(everyMutant([]*source{s}, "", List{}, nil), seed, count, importer.Default())
		for _, m := range drawn {
			all = append(all, m.ID())
		}
		return all
	}
	few, many := ids(7, 4), ids(7, 9)
	if len(few) != 4 || !slices.Equal(few, many[:4]) {
		t.Errorf("the first of %v are not %v", many, few)
	}
	if slices.Equal(many, ids(8, 9)) {
		t.Error("another seed draws the same")
	}
	slices.Sort(many)
	if len(slices.Compact(many)) != 9 {
		t.Error("a mutant was drawn twice, or two have one ID")
	}
}

func TestAMutantIsReachedWithItsStatement(t *testing.T) {
	s := parsed(t, source1)
	for _, m := range everyMutant([]*source{s}, "", List{}, nil) {
		if m.Function == "delay" {
			if m.node.file != nil {
				t.Errorf("%s belongs to a statement", m)
			}
			continue
		}
		if at := m.file.text[m.node.offset:]; m.Operator == "branch removed" && !strings.HasPrefix(at, "continue") {
			t.Errorf("%s is reached with %q", m, at)
		} else if m.Operator == "continue removed" && !strings.HasPrefix(at, "continue") {
			t.Errorf("%s is reached with %q", m, at)
		}
	}
}

func TestListOfMutants(t *testing.T) {
	list, err := ReadList()
	if err != nil {
		t.Fatal(err)
	}
	for file, function := range map[string]string{
		"pkg/controller/job/job_scheduling_manager.go": "x",
		"pkg/controller/cronjob/injection.go":          "(*fakeJobControl).CreateJob",
		"pkg/controller/job/job_controller.go":         "recordJobPodFinished",
	} {
		if list.leavesOut(file, function, nil) == "" {
			t.Errorf("%s of %s is not left out", function, file)
		}
	}
	for _, m := range []Mutant{
		{File: "pkg/controller/cronjob/injection.go", Function: "(realJobControl).CreateJob"},
		{File: "pkg/controller/job/job_scheduling_manager.go", Function: "x"},
	} {
		if list.leavesOut(m.File, m.Function, []gates.Gate{gates.WorkloadWithJob}) != "" {
			t.Errorf("%s of %s is left out", m.Function, m.File)
		}
	}
	m := Mutant{File: "a.go", Function: "f", Operator: "call removed", Change: "run()"}
	one := List{Equivalent: []Equivalent{{Version: "v1.37.1", File: "a.go", Function: "f", Operator: "call removed",
		Change: "run()", Reason: "It does nothing."}}}
	if one.reason("v1.37.1", m) == "" || one.reason("v1.38.0", m) != "" {
		t.Error("an entry does not count for its version alone")
	}
	if one.ofOthers("v1.38.0", []*Mutant{&m}) != 1 || one.ofOthers("v1.37.1", []*Mutant{&m}) != 0 {
		t.Error("entries of other versions are not counted")
	}
	if _, err := parseList([]byte("equivalent: [{version: v1.37.1, function: f}]")); err == nil {
		t.Error("an entry without a reason was taken")
	}
}

// What only other functions import, and those without bodies, are no reason to drop a mutant.
func TestMutantsCompileWithoutOtherFunctions(t *testing.T) {
	s := parsed(t,
		"import str \"strings\"\nfunc f(a int) bool { return a > 1 }\nfunc g(s string) string "+
			"{ return str.ToUpper(s) }\n"+
			"func h[T any](all []T) []T { return all }\n")
	drawn, broken := draw(everyMutant([]*source{s}, "", List{}, nil), 1, 100, importer.Default())
	if len(drawn) == 0 || broken > 0 {
		t.Errorf("%d compile, %d do not", len(drawn), broken)
	}
}
