package score

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/suites/internal/mutant"
)

const module = "k8s.io/kubernetes"

// folders have the packages of upstream's controllers. Those of their metrics and of their
// configuration have no behaviour of theirs.
var folders = []string{"pkg/controller/job", "pkg/controller/job/util", "pkg/controller/cronjob"}

// source is a package, type-checked.
type source struct {
	folder string // in the module
	files  []*file
	info   *types.Info
	pkg    *types.Package
}

// file is one of a package.
type file struct {
	name string // in the module, as in pkg/controller/job/job_controller.go
	text string
	ast  *ast.File
	set  *token.FileSet
}

func (f *file) offset(p token.Pos) int { return f.set.Position(p).Offset }
func (f *file) line(p token.Pos) int   { return f.set.Position(p).Line }

// of returns the text of a node.
func (f *file) of(n ast.Node) string { return f.text[f.offset(n.Pos()):f.offset(n.End())] }

// load reads the packages of the controllers.
func load(ctx context.Context, sources build.Sources) ([]*source, types.Importer, error) {
	root, err := sources.Kubernetes(ctx)
	if err != nil {
		return nil, nil, err
	}
	var paths []string
	for _, folder := range folders {
		paths = append(paths, module+"/"+folder)
	}
	listed, err := sources.List(ctx, mutant.Exported, paths...)
	if err != nil {
		return nil, nil, err
	}
	imports := mutant.Imports(listed)
	var all []*source
	for _, folder := range folders {
		texts := map[string]string{}
		if err := readFiles(root, folder, texts); err != nil {
			return nil, nil, err
		}
		s, err := parse(folder, texts, imports)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, s)
	}
	return all, imports, nil
}

// parse reads the texts of a package's files, by their names in the module.
func parse(folder string, texts map[string]string, imports types.Importer) (*source, error) {
	s := &source{folder: folder, info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Defs: map[*ast.Ident]types.Object{},
	}}
	set := token.NewFileSet()
	var trees []*ast.File
	for _, name := range sortedKeys(texts) {
		tree, err := parser.ParseFile(set, name, texts[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		trees = append(trees, tree)
		s.files = append(s.files, &file{name: name, text: texts[name], ast: tree, set: set})
	}
	var err error
	if s.pkg, err = (&types.Config{Importer: imports}).Check(module+"/"+folder, set, trees, s.info); err != nil {
		return nil, fmt.Errorf("%s: %w", folder, err)
	}
	return s, nil
}

// compiles reports whether the package does with a mutant in it. Only what the mutant
// changes is looked at.
func (s *source) compiles(m *Mutant, imports types.Importer) bool {
	set := token.NewFileSet()
	var trees []*ast.File
	for _, f := range s.files {
		text := f.text
		if f == m.file {
			text = apply(text, m.edits)
		}
		tree, err := parser.ParseFile(set, f.name, text, parser.SkipObjectResolution)
		if err != nil {
			return false
		}
		for n, d := range tree.Decls {
			// A generic function needs a body.
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Type.TypeParams == nil && (f != m.file || n != m.decl) {
				decl.Body = nil
			}
		}
		trees = append(trees, tree)
	}
	ok := true
	config := &types.Config{Importer: imports, Error: func(err error) {
		// An import is not used by the functions that were left out.
		if e, is := err.(types.Error); !is || !e.Soft || e.Pos >= importsEnd(trees, e.Pos) {
			ok = false
		}
	}}
	_, _ = config.Check(module+"/"+s.folder, set, trees, nil)
	return ok
}

// importsEnd returns where the imports of the file with a position end.
func importsEnd(trees []*ast.File, at token.Pos) token.Pos {
	for _, tree := range trees {
		if n := len(tree.Imports); n > 0 && tree.FileStart <= at && at < tree.FileEnd {
			return tree.Imports[n-1].End()
		}
	}
	return token.NoPos
}
