package score

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"sigs.k8s.io/yaml"
)

// Own is a mutant that somebody has written: a change of one function of upstream's, or of
// the value of a variable.
type Own struct {
	// Name stands for the operator in tables.
	Name string `json:"name"`
	File string `json:"file"` // in the module k8s.io/kubernetes
	// Function is its name, as in (*Controller).syncJob, or that of a variable.
	Function string `json:"function"`
	// Replace is a text that the function has once, and With stands for it.
	Replace string `json:"replace"`
	With    string `json:"with"`
}

// readOwn reads the mutants of a file, and finds their places.
func readOwn(path string, packages []*source, imports types.Importer) ([]*Mutant, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, badinput.Wrap(err, "the mutants cannot be read",
			"give a file in YAML, as suites/score/README.md shows it")
	}
	var list []Own
	if err := yaml.UnmarshalStrict(text, &list); err != nil {
		return nil, badinput.Wrap(err, path+" is no list of mutants", "write it as suites/score/README.md shows it")
	}
	var all []*Mutant
	for _, o := range list {
		m, err := o.mutant(packages)
		if err == nil && !m.source.compiles(m, imports) {
			err = badinput.New(fmt.Sprintf("%s: the mutant %q does not compile", path, o.Name),
				"correct what stands in with")
		}
		if err != nil {
			return nil, err
		}
		all = append(all, m)
	}
	if len(all) == 0 {
		return nil, badinput.New(path+" has no mutants", "write them as suites/score/README.md shows it")
	}
	return all, nil
}

// mutant finds the place.
func (o Own) mutant(packages []*source) (*Mutant, error) {
	for _, s := range packages {
		for _, f := range s.files {
			if f.name != o.File {
				continue
			}
			for n, decl := range f.ast.Decls {
				at := named(f, decl, o.Function)
				if at == nil {
					continue
				}
				from, text := f.offset(at.Pos()), f.of(at)
				if count := strings.Count(text, o.Replace); o.Replace == "" || count != 1 {
					return nil, badinput.New(fmt.Sprintf("the mutant %q: %s has the text to replace %d times", o.Name,
						o.Function, count), "give a text that it has once")
				}
				from += strings.Index(text, o.Replace)
				return &Mutant{
					File: f.name, Function: o.Function, Line: 1 + strings.Count(f.text[:from], "\n"), Operator: o.Name,
					Change: short(o.Replace) + " → " + short(o.With),
					file:   f, source: s, decl: n, edits: []edit{{from, from + len(o.Replace), o.With}},
					node: innermost(f, decl, from),
				}, nil
			}
		}
	}
	return nil, badinput.New(fmt.Sprintf("the mutant %q: there is no %s in %q", o.Name, o.Function, o.File),
		"give a file and a function of upstream's Job or CronJob controller")
}

// named returns the function, or the value of the variable, that a declaration declares
// under a name.
func named(f *file, decl ast.Decl, name string) ast.Node {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Body != nil && functionName(f, d) == name {
			return d.Body
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			if v, ok := spec.(*ast.ValueSpec); ok && d.Tok == token.VAR && len(v.Names) == 1 && len(v.Values) == 1 &&
				v.Names[0].Name == name {
				return v.Values[0]
			}
		}
	}
	return nil
}

// innermost returns the innermost statement of a list at a position; zero outside of functions.
func innermost(f *file, decl ast.Decl, at int) (found node) {
	ast.Inspect(decl, func(n ast.Node) bool {
		for _, s := range statements(n) {
			if !clause(s) && f.offset(s.Pos()) <= at && at < f.offset(s.End()) {
				found = node{f, f.offset(s.Pos())}
			}
		}
		return true
	})
	return found
}
