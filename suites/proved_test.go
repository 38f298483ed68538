package suites

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/internal/mutant"
	"github.com/jobconformance/jobconformance/suites/mutants"
)

// provedPage lists the lines of the controllers that mutants prove; with UPDATE=1, the test writes
// it. It has functions instead of line numbers, so that it changes only where a proved line does.
const provedPage = "mutants/PROVED.md"

func TestPageOfProvedLinesIsUpToDate(t *testing.T) {
	want := writeProved(proofs(t))
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(provedPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(provedPage); err != nil || string(got) != want {
		t.Errorf("suites/%s is not what the mutants say (%v): run make requirements", provedPage, err)
	}
}

// proof is a line of a controller that keeps a requirement: where a mutant edits it, the
// requirement is broken.
type proof struct {
	requirement          string
	file, function, line string
	mutant               mutants.Mutant
}

// proofs returns those of all mutants, by requirement.
func proofs(t *testing.T) (all []proof) {
	t.Helper()
	list, err := mutants.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range list {
		for _, e := range m.Edits {
			text, err := os.ReadFile(filepath.Join("..", e.File))
			if err != nil {
				t.Fatal(err)
			}
			function, line, err := edited(string(text), e)
			if err != nil {
				t.Fatalf("mutant %s: %s: %v", m.Name, e.File, err)
			}
			for _, id := range m.Breaks {
				if function != "" {
					all = append(all, proof{id, e.File, function, line, m})
				}
			}
		}
	}
	slices.SortStableFunc(all, func(a, b proof) int {
		return cmp.Or(cmp.Compare(a.requirement, b.requirement), cmp.Compare(a.mutant.Name, b.mutant.Name))
	})
	// Several edits of one line are one proof.
	return slices.CompactFunc(all, func(a, b proof) bool {
		return a.requirement == b.requirement && a.file == b.file && a.line == b.line && a.mutant.Name == b.mutant.Name
	})
}

// edited returns the declaration and the line that an edit changes first, without a comment at its
// end. The declaration is empty for an edit of imports, which proves nothing.
func edited(text string, e mutant.Edit) (declaration, line string, err error) {
	at := strings.Index(text, e.Old)
	if at < 0 {
		return "", "", fmt.Errorf("it does not have the text of the edit:\n%s", e.Old)
	}
	rest := e.New
	for l := range strings.Lines(e.Old) {
		next, same := strings.CutPrefix(rest, l)
		if !same || !strings.HasSuffix(l, "\n") {
			break
		}
		rest = next
		at += len(l)
	}
	if at == len(text) || strings.HasSuffix(e.Old, "\n") && strings.HasPrefix(e.New, e.Old) {
		at-- // it adds lines below this one
	}
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ = strings.Cut(text[begin:], "\n")
	line, _, _ = strings.Cut(strings.TrimSpace(line), " // ")
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", text, parser.SkipObjectResolution)
	if err != nil {
		return "", "", err
	}
	for _, d := range file.Decls {
		if from, to := set.Position(d.Pos()).Offset, set.Position(d.End()).Offset; from <= at && at < to {
			return nameOf(d), line, nil
		}
	}
	return "", "", fmt.Errorf("%q is outside of all declarations", line)
}

// nameOf returns the name of a declaration, with its type if it is a method. Imports have none.
func nameOf(d ast.Decl) string {
	if f, is := d.(*ast.FuncDecl); is {
		if f.Recv == nil {
			return f.Name.Name
		}
		of := f.Recv.List[0].Type
		if star, is := of.(*ast.StarExpr); is {
			of = star.X
		}
		if generic, is := of.(*ast.IndexExpr); is {
			of = generic.X
		}
		return of.(*ast.Ident).Name + "." + f.Name.Name
	}
	switch spec := d.(*ast.GenDecl).Specs[0].(type) {
	case *ast.ValueSpec:
		return spec.Names[0].Name
	case *ast.TypeSpec:
		return spec.Name.Name
	}
	return ""
}

func writeProved(all []proof) string {
	proved := map[string]bool{}
	for _, p := range all {
		proved[p.requirement] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b,
		"# Proved lines\n\nWhich line of a [controller](../../controller) keeps which "+
			"requirement. Each line is proved by a\n"+
			"mutant: it edits that line, alone or with others, and a spec of the requirement must fail. %d of %d\n"+
			"requirements have such a line. `make requirements` writes this page.\n\n", len(proved), len(table.All()))
	b.WriteString("| requirement | where | line | mutant |\n|---|---|---|---|\n")
	before := ""
	for _, p := range all {
		id := ""
		if p.requirement != before {
			id = fmt.Sprintf("[%s](../REQUIREMENTS.md#%s)", p.requirement, p.requirement)
		}
		before = p.requirement
		fmt.Fprintf(&b, "| %s | [%s](../../%s) `%s` | %s | [%s](%s.yaml) |\n", id,
			path.Base(p.file), p.file, p.function, code(p.line), p.mutant.Wrong, p.mutant.Name)
	}
	return b.String()
}

// code returns a line of code for a cell of a table.
func code(line string) string {
	fence := "`"
	if strings.Contains(line, "`") {
		fence = "``"
	}
	return fence + strings.ReplaceAll(line, "|", `\|`) + fence
}

func TestWhatAnEditChanges(t *testing.T) {
	const text = "package a\n\nimport \"fmt\"\n\nvar limit = 6 // A-1\n\nfunc (c *Cache[T]) Len() int {\n\tn " +
		":= 1\n\treturn n // A-2\n}\n"
	for name, c := range map[string]struct {
		edit              mutant.Edit
		declaration, line string
	}{
		"a part of a line":   {mutant.Edit{Old: "= 6", New: "= 7"}, "limit", "var limit = 6"},
		"a line of a method": {mutant.Edit{Old: "return n", New: "return 0"}, "Cache.Len", "return n"},
		"after equal lines": {mutant.Edit{Old: "\tn := 1\n\treturn n", New: "\tn := 1\n\treturn 0"}, "Cache.Len",
			"return n"},
		"more lines below it":  {mutant.Edit{Old: "\tn := 1\n", New: "\tn := 1\n\tn++\n"}, "Cache.Len", "n := 1"},
		"more in the same one": {mutant.Edit{Old: "n := 1", New: "n := 1\n\tn++"}, "Cache.Len", "n := 1"},
		"an import":            {mutant.Edit{Old: `"fmt"`, New: `"os"`}, "", `import "fmt"`},
	} {
		t.Run(name, func(t *testing.T) {
			declaration, line, err := edited(text, c.edit)
			if err != nil || declaration != c.declaration || line != c.line {
				t.Errorf("it is %q of %q (%v), want %q of %q", line, declaration, err, c.line, c.declaration)
			}
		})
	}
}
