package catalogue

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/spec"
)

// listings finds the code of specs. Each file is parsed once.
type listings struct {
	source fs.FS // below suites/
	files  map[string]*listing
}

// listing is a file of Go; nil for what is none.
type listing struct {
	lines []string
	set   *token.FileSet
	file  *ast.File
}

// code returns the call that makes a spec, with the comment above it: It, or the beginning of a DescribeTable and one
// Entry. It is empty for a spec that is not in a file of Go, such as a scenario.
func (l *listings) code(of spec.Source) string {
	in := l.open(of.File)
	if in == nil {
		return ""
	}
	var calls []*ast.CallExpr // around the one that is looked for, and that one
	ast.PreorderStack(in.file, nil, func(n ast.Node, around []ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || in.line(n.Pos()) != of.Line || len(calls) > 0 {
			return true
		}
		for _, outer := range around {
			if c, is := outer.(*ast.CallExpr); is {
				calls = append(calls, c)
			}
		}
		calls = append(calls, call)
		return false
	})
	if len(calls) == 0 {
		return ""
	}
	found := calls[len(calls)-1]
	code := in.text(in.above(found), in.line(found.End()))
	if len(calls) > 1 && name(calls[len(calls)-2]) == "DescribeTable" {
		code = in.table(calls[len(calls)-2], found) + indented(code) + ")"
	}
	return strings.TrimRight(code, "\n")
}

func (l *listings) open(file string) *listing {
	if in, known := l.files[file]; known {
		return in
	}
	if l.files == nil {
		l.files = map[string]*listing{}
	}
	l.files[file] = nil
	below, ours := strings.CutPrefix(file, "suites/")
	if !ours || !strings.HasSuffix(file, ".go") {
		return nil
	}
	text, err := fs.ReadFile(l.source, below)
	if err != nil {
		return nil
	}
	in := &listing{lines: strings.SplitAfter(string(text), "\n"), set: token.NewFileSet()}
	in.file, err = parser.ParseFile(in.set, file, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil
	}
	l.files[file] = in
	return in
}

// table returns a DescribeTable up to its first Entry, with a hint where other ones come before this.
func (in *listing) table(table, entry *ast.CallExpr) string {
	for _, argument := range table.Args {
		first, is := argument.(*ast.CallExpr)
		if !is || name(first) != "Entry" {
			continue
		}
		head := in.text(in.above(table), in.above(first)-1)
		if first != entry {
			head += "\t// ...\n"
		}
		return head
	}
	return ""
}

// name returns that of the function that is called; empty for another expression.
func name(call *ast.CallExpr) string {
	if f, is := call.Fun.(*ast.Ident); is {
		return f.Name
	}
	return ""
}

func (in *listing) line(p token.Pos) int { return in.set.Position(p).Line }

// above returns the line where the comment above a node begins, or the node itself.
func (in *listing) above(n ast.Node) int {
	line := in.line(n.Pos())
	for _, c := range in.file.Comments {
		first := in.set.Position(c.Pos())
		if in.line(c.End()) == line-1 && strings.TrimSpace(in.lines[first.Line-1][:first.Column-1]) == "" {
			return first.Line
		}
	}
	return line
}

// text returns lines, without the tabs that all of them begin with.
func (in *listing) text(from, to int) string {
	lines := in.lines[from-1 : to]
	tabs := -1
	for _, l := range lines {
		if n := len(l) - len(strings.TrimLeft(l, "\t")); strings.TrimSpace(l) != "" && (tabs < 0 || n < tabs) {
			tabs = n
		}
	}
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l[min(max(tabs, 0), len(l)-len(strings.TrimLeft(l, "\t"))):])
	}
	return b.String()
}

func indented(text string) (all string) {
	for line := range strings.Lines(text) {
		all += "\t" + line
	}
	return all
}
