// Package guide has the controllers of the guide in README.md, whose code it takes from there.
package guide

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// First is the controller of the first step, which jobconformance init writes.
//
//go:embed first/controller.go.txt
var First string

//go:embed README.md
var page string

// Controllers returns the sources of the controllers, one for each step.
func Controllers() ([]string, error) {
	all := []string{First}
	for _, section := range strings.Split(page, "\n## ")[1:] {
		_, rest, found := strings.Cut(section, "\n```go\n")
		if !found {
			continue
		}
		block, _, _ := strings.Cut(rest, "\n```\n")
		next, err := merge(all[len(all)-1], "package main\n\n"+block+"\n")
		if err != nil {
			title, _, _ := strings.Cut(section, "\n")
			return nil, fmt.Errorf("the code of %q: %w", title, err)
		}
		all = append(all, next)
	}
	return all, nil
}

// declaration is one at the top of a file.
type declaration struct{ name, text string }

// merge returns a source with the declarations of another, which take the place of those with their names.
func merge(source, with string) (string, error) {
	head, imports, declarations, err := split(source)
	if err != nil {
		return "", err
	}
	_, more, others, err := split(with)
	if err != nil {
		return "", err
	}
	for _, d := range others {
		i := slices.IndexFunc(declarations, func(there declaration) bool { return there.name == d.name })
		if i < 0 {
			declarations = append(declarations, d)
		} else {
			declarations[i] = d
		}
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "%s\nimport (\n\t%s\n)\n", head, strings.Join(append(imports, more...), "\n\t"))
	for _, d := range declarations {
		fmt.Fprintf(&out, "\n%s\n", d.text)
	}
	text, err := format.Source(out.Bytes())
	return string(text), err
}

// split returns the package clause of a source with what stands before it, its imports, and its declarations.
func split(source string) (head string, imports []string, declarations []declaration, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "", source, parser.ParseComments)
	if err != nil {
		return "", nil, nil, err
	}
	text := func(from, to token.Pos) string { return source[files.Position(from).Offset:files.Position(to).Offset] }
	head = text(file.FileStart, file.Name.End()) + "\n"
	for _, i := range file.Imports {
		imports = append(imports, text(i.Pos(), i.End()))
	}
	for _, d := range file.Decls {
		name, doc := "", (*ast.CommentGroup)(nil)
		switch d := d.(type) {
		case *ast.FuncDecl:
			name, doc = d.Name.Name, d.Doc
		case *ast.GenDecl:
			if d.Tok == token.IMPORT {
				continue
			}
			name, doc = text(d.Specs[0].Pos(), d.End()), d.Doc
		}
		from := d.Pos()
		if doc != nil {
			from = doc.Pos()
		}
		declarations = append(declarations, declaration{name, text(from, d.End())})
	}
	return head, imports, declarations, nil
}
