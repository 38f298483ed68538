package suites

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const implementations = module + "/fixtures/implementation"

// kindNames are constants with names of implementations.
var kindNames = []string{"Reference", "KubeControllerManager", "CRD", "Aggregator", "Builtin"}

// What an implementation is, its properties say: package implementation has them in one table.
func TestNobodyComparesNamesOfImplementations(t *testing.T) {
	for _, folder := range []string{"../fixtures", "."} {
		err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			if err != nil || filepath.Ext(path) != ".go" {
				return err
			}
			found, err := comparedNames(path, nil)
			for _, where := range found {
				t.Errorf("%s compares the name of an implementation: ask for a property", where)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestComparisonsOfNamesAreFound(t *testing.T) {
	const head = `package p; import "` + implementations +
		`"; func f(impl implementation.Implementation, name string) bool { `
	for code, want := range map[string]int{
		`return impl.Name == "reference"`:                                        1,
		`return name != implementation.Builtin`:                                  1,
		`switch name { case "a", implementation.CRD: }`:                          1,
		`switch impl.Name { case "crd": }`:                                       1,
		`switch { case o.Implementation.Name == name: }`:                         1,
		`return strings.HasPrefix(impl.Name, "exec:")`:                           1,
		`return slices.Contains([]string{implementation.Reference}, name)`:       1,
		`return impl.IsBuiltin() && o.Implementation.Name == ""`:                 0,
		`implementation.Parse(implementation.Reference); return other.Name == x`: 0,
		`fmt.Println(strings.TrimSpace(impl.Name))`:                              0,
	} {
		found, err := comparedNames("p.go", head+code+" }")
		if err != nil || len(found) != want {
			t.Errorf("%s: found %q (%v), want %d", code, found, err, want)
		}
	}
}

// comparedNames returns where a file compares the name of an implementation, or compares something
// with a name that package implementation knows. Whether it is empty may be asked.
func comparedNames(path string, source any) (found []string, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	own := filepath.Base(filepath.Dir(path)) == filepath.Base(implementations)
	ast.Inspect(file, func(n ast.Node) bool {
		var operands []ast.Expr
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && !isEmpty(n.X) && !isEmpty(n.Y) {
				operands = []ast.Expr{n.X, n.Y}
			}
		case *ast.SwitchStmt:
			operands = []ast.Expr{n.Tag}
		case *ast.CaseClause:
			operands = n.List
		case *ast.CallExpr:
			if searches(n.Fun) {
				operands = n.Args
			}
		}
		if slices.ContainsFunc(operands, func(e ast.Expr) bool { return namesKind(e, own) }) {
			found = append(found, fmt.Sprint(files.Position(n.Pos())))
		}
		return true
	})
	return found, nil
}

// isEmpty reports whether an expression is the empty string.
func isEmpty(e ast.Expr) bool {
	literal, ok := e.(*ast.BasicLit)
	if !ok {
		return false
	}
	text, err := strconv.Unquote(literal.Value)
	return err == nil && text == ""
}

// searches reports whether a function of slices or strings compares its arguments.
func searches(function ast.Expr) bool {
	f, ok := function.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	of, ok := f.X.(*ast.Ident)
	return ok && (of.Name == "slices" || of.Name == "strings") &&
		slices.Contains([]string{"Contains", "Index", "HasPrefix", "HasSuffix", "CutPrefix", "EqualFold"}, f.Sel.Name)
}

// namesKind reports whether an expression is the name of an implementation, a constant with one, or
// a list that has one. The package's own files have the constants without the package's name.
func namesKind(e ast.Expr, own bool) bool {
	switch e := e.(type) {
	case *ast.CompositeLit:
		return slices.ContainsFunc(e.Elts, func(e ast.Expr) bool { return namesKind(e, own) })
	case *ast.Ident:
		return own && slices.Contains(kindNames, e.Name)
	case *ast.SelectorExpr:
		switch of := e.X.(type) {
		case *ast.Ident:
			return of.Name == "implementation" && slices.Contains(kindNames, e.Sel.Name) || isImplementation(of.Name) &&
				e.Sel.Name == "Name"
		case *ast.SelectorExpr:
			return isImplementation(of.Sel.Name) && e.Sel.Name == "Name"
		}
	}
	return false
}

// isImplementation reports whether implementations are called so.
func isImplementation(name string) bool {
	return slices.Contains([]string{"impl", "implementation"}, strings.ToLower(name))
}
