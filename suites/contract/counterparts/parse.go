package counterparts

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// sources are the files of k8s.io/kubernetes with upstream's tests of Jobs and CronJobs, or folders of them.
var sources = []string{
	"test/e2e/apps/job.go", "test/e2e/apps/cronjob.go", "test/e2e/upgrades/apps/job.go",
	"test/integration/job", "test/integration/cronjob",
}

// Upstream is a test of upstream's.
type Upstream struct {
	// File is its path in k8s.io/kubernetes.
	File string
	// Name is a function, as in TestIndexedJob, or the text of a spec.
	Name string
	// Cases are the names of the cases of its table, sorted. Default: it has none, or makes their names.
	Cases []string
}

// Parse returns upstream's tests from the source of k8s.io/kubernetes, in the order of its files.
func Parse(kubernetes fs.FS) (all []Upstream, err error) {
	for _, source := range sources {
		files := []string{source}
		if path.Ext(source) != ".go" {
			if files, err = fs.Glob(kubernetes, source+"/*_test.go"); err != nil {
				return nil, err
			}
		}
		found := len(all)
		for _, file := range files {
			text, err := fs.ReadFile(kubernetes, file)
			if err != nil {
				return nil, err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, test := range testsOf(parsed) {
				test.File = file
				all = append(all, test)
			}
		}
		if len(all) == found {
			return nil, fmt.Errorf("%s has no tests", source)
		}
	}
	return all, nil
}

// testsOf returns functions that go test runs, specs of Ginkgo, and tests of upgrades.
func testsOf(file *ast.File) (all []Upstream) {
	for _, decl := range file.Decls {
		f, is := decl.(*ast.FuncDecl)
		if !is || f.Body == nil {
			continue
		}
		name := f.Name.Name
		switch {
		case f.Recv == nil && name != "TestMain" &&
			(strings.HasPrefix(name, "Test") || strings.HasPrefix(name, "Benchmark")):
			all = append(all, Upstream{Name: name, Cases: cases(f.Body)})
		case f.Recv != nil && name == "Name":
			if text, is := returned(f.Body); is {
				all = append(all, Upstream{Name: text})
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if call, is := n.(*ast.CallExpr); is && len(call.Args) > 1 && isSpec(call.Fun) {
			if text, is := literal(call.Args[0]); is {
				all = append(all, Upstream{Name: text})
			}
		}
		return true
	})
	return all
}

// isSpec reports whether a function makes a spec.
func isSpec(function ast.Expr) bool {
	of, is := function.(*ast.SelectorExpr)
	return is && (of.Sel.Name == "It" || of.Sel.Name == "ConformanceIt")
}

// cases returns the keys of the maps that a test runs one after the other.
func cases(body *ast.BlockStmt) (all []string) {
	tables := map[string]*ast.CompositeLit{}
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, right := range n.Rhs {
				name, named := n.Lhs[i].(*ast.Ident)
				if table, is := right.(*ast.CompositeLit); is && named {
					tables[name.Name] = table
				}
			}
		case *ast.RangeStmt:
			table, _ := n.X.(*ast.CompositeLit)
			if name, named := n.X.(*ast.Ident); named {
				table = tables[name.Name]
			}
			if table == nil || !runsByName(n) {
				return true
			}
			for _, element := range table.Elts {
				if pair, is := element.(*ast.KeyValueExpr); is {
					if text, is := literal(pair.Key); is {
						all = append(all, text)
					}
				}
			}
		}
		return true
	})
	slices.Sort(all)
	return all
}

// runsByName reports whether a loop runs a part of the test by its key.
func runsByName(loop *ast.RangeStmt) (runs bool) {
	key, named := loop.Key.(*ast.Ident)
	if !named {
		return false
	}
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is || len(call.Args) != 2 {
			return true
		}
		of, is := call.Fun.(*ast.SelectorExpr)
		name, named := call.Args[0].(*ast.Ident)
		runs = runs || is && named && of.Sel.Name == "Run" && name.Name == key.Name
		return true
	})
	return runs
}

// returned returns the text that a function returns.
func returned(body *ast.BlockStmt) (string, bool) {
	if len(body.List) != 1 {
		return "", false
	}
	result, is := body.List[0].(*ast.ReturnStmt)
	if !is || len(result.Results) != 1 {
		return "", false
	}
	return literal(result.Results[0])
}

func literal(of ast.Expr) (string, bool) {
	text, is := of.(*ast.BasicLit)
	if !is || text.Kind != token.STRING {
		return "", false
	}
	value, err := strconv.Unquote(text.Value)
	return value, err == nil
}
