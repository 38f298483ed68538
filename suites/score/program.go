package score

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/types"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/suites/internal/mutant"
)

// A program has all mutants: each function is there once as upstream wrote it, and once
// more for each mutant of it, under another name. The first one calls the one that is
// wanted, which is a number: mutant.Which. 0 is upstream's controller. It notes which
// statements it reaches, beside its kubeconfig.
const (
	programName = "kube-controller-manager"
	// reachedFile has the numbers of statements that a process has reached, by line.
	reachedFile = "reached"
)

// helper is a file of each package. %[1]s is its name, %[2]d the number of statements.
const helper = `package %[1]s

import (
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
)

var mutant__ = func() int {
	n, err := strconv.Atoi(` + mutant.Which + `)
	if err != nil {
		panic(err)
	}
	return n
}()

var seen__ [%[2]d]atomic.Bool

var reached__ = func() func(int) {
	if mutant__ != 0 {
		return func(int) {}
	}
	file, err := os.OpenFile(filepath.Join(filepath.Dir(os.Getenv("KUBECONFIG")), "` + reachedFile +
	`"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		panic(err)
	}
	return func(n int) {
		if !seen__[n].Swap(true) {
			file.WriteString(strconv.Itoa(n) + "\n")
		}
	}
}()
`

// mainFile is the program's: that of an ordinary build without the other components.
const mainFile = `package main

import (
	"os"
	_ "time/tzdata"

	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() { os.Exit(cli.Run(app.NewControllerManagerCommand())) }
`

const (
	// app is the package that starts the controllers.
	app = "cmd/kube-controller-manager/app"
	// copies is a folder of the module in which the control plane is built. It is in an
	// overlay only. The go command takes no overlay for files in its module cache, so that
	// the packages of the controllers, and those that import them, are copied there.
	copies = "mutants"
)

// compile builds the program of the mutants in dir, and returns the path of the nth, which
// is upstream's controller for 0.
func compile(ctx context.Context, sources build.Sources, packages []*source, drawn []*Mutant, dir string,
	out io.Writer) (path func(n int) string, err error) {
	texts := program(packages, drawn)
	root, err := sources.Kubernetes(ctx)
	if err != nil {
		return nil, err
	}
	if err := readFiles(root, app, texts); err != nil {
		return nil, err
	}
	placed := map[string]string{}
	for name, text := range texts {
		placed[filepath.Join(sources.Folder, copies, name)] = text
	}
	placed[filepath.Join(sources.Folder, copies, "main.go")] = mainFile
	for path, text := range placed {
		for _, folder := range append([]string{app}, folders...) {
			text = strings.ReplaceAll(text, `"`+module+"/"+folder+`"`, `"`+sources.Module+"/"+copies+"/"+folder+`"`)
		}
		placed[path] = text
	}
	names := make([]string, len(drawn)+1)
	for n := range names {
		names[n] = strconv.Itoa(n)
	}
	paths, err := mutant.Build(dir, programName, placed, names, func(overlay, target string) error {
		title := fmt.Sprintf("%s with %d mutants", programName, len(drawn))
		return sources.Build(ctx, out, title, overlay, "./"+copies, target)
	})
	return func(n int) string { return paths[names[n]] }, err
}

// readFiles adds the texts of the files of a package below root, by their names from there.
func readFiles(root, folder string, texts map[string]string) error {
	files, err := mutant.ReadPackage(filepath.Join(root, folder))
	for name, text := range files {
		texts[folder+"/"+name] = text
	}
	return err
}

// program returns the texts of the files with all mutants, by their names in the module.
func program(packages []*source, drawn []*Mutant) map[string]string {
	numbers := number(packages)
	texts := map[string]string{}
	for _, s := range packages {
		for _, f := range s.files {
			texts[f.name] = schemata(s, f, drawn, numbers)
		}
		texts[s.folder+"/zz_mutants.go"] = fmt.Sprintf(helper, s.pkg.Name(), len(numbers)+1)
	}
	return texts
}

// number numbers all statements of lists in functions, from 1. The numbers depend on
// nothing but upstream's source.
func number(packages []*source) map[node]int {
	numbers := map[node]int{}
	for _, s := range packages {
		for _, f := range s.files {
			ast.Inspect(f.ast, func(n ast.Node) bool {
				for _, statement := range statements(n) {
					if !clause(statement) {
						numbers[node{f, f.offset(statement.Pos())}] = len(numbers) + 1
					}
				}
				return true
			})
		}
	}
	return numbers
}

// schemata is the text of a file with all of its mutants in it.
func schemata(s *source, f *file, drawn []*Mutant, numbers map[node]int) string {
	var edits []edit
	for at, n := range numbers {
		if at.file == f {
			edits = append(edits, edit{at.offset, at.offset, fmt.Sprintf("reached__(%d); ", n)})
		}
	}
	slices.SortFunc(edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var copies strings.Builder
	for n, d := range f.ast.Decls {
		mutants := map[int]*Mutant{}
		for i, m := range drawn {
			if m.file == f && m.decl == n {
				mutants[i+1] = m
			}
		}
		switch d := d.(type) {
		case *ast.FuncDecl:
			if len(mutants) > 0 {
				edits = slices.Concat(dispatch(f, d, mutants, &copies), edits)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				edits = append(edits, initializer(s, f, spec, mutants)...)
			}
		}
	}
	return apply(f.text, edits) + copies.String()
}

// dispatch returns the edits by which a function calls its mutants, whose texts it adds to
// copies.
func dispatch(f *file, d *ast.FuncDecl, mutants map[int]*Mutant, copies *strings.Builder) []edit {
	var edits []edit
	names := func(list *ast.FieldList, prefix string) (all []string) {
		if list == nil {
			return nil
		}
		for i, field := range list.List {
			variadic := ""
			if _, is := field.Type.(*ast.Ellipsis); is {
				variadic = "..."
			}
			if len(field.Names) == 0 {
				name := fmt.Sprintf("%s%d__", prefix, i)
				edits = append(edits, edit{f.offset(field.Type.Pos()), f.offset(field.Type.Pos()), name + " "})
				all = append(all, name+variadic)
			}
			for j, id := range field.Names {
				name := id.Name
				if name == "_" {
					name = fmt.Sprintf("%s%d_%d__", prefix, i, j)
					edits = append(edits, edit{f.offset(id.Pos()), f.offset(id.End()), name})
				}
				all = append(all, name+variadic)
			}
		}
		return all
	}
	receiver, parameters := "", names(d.Type.Params, "p")
	if of := names(d.Recv, "r"); len(of) > 0 {
		receiver = of[0] + "."
	}
	var cases strings.Builder
	for _, n := range slices.Sorted(maps.Keys(mutants)) {
		called := fmt.Sprintf("%s__%d", d.Name.Name, n)
		call := receiver + called + "(" + strings.Join(parameters, ", ") + ")"
		if d.Type.Results == nil || len(d.Type.Results.List) == 0 {
			fmt.Fprintf(&cases, " case %d: %s; return;", n, call)
		} else {
			fmt.Fprintf(&cases, " case %d: return %s;", n, call)
		}
		from, to := f.offset(d.Pos()), f.offset(d.End())
		own := []edit{{f.offset(d.Name.Pos()) - from, f.offset(d.Name.End()) - from, called}}
		for _, e := range mutants[n].edits {
			own = append(own, edit{e.from - from, e.to - from, e.text})
		}
		// A panic shows the line of upstream's file.
		fmt.Fprintf(copies, "\n//line %s:%d\n%s\n", filepath.Base(f.name), f.line(d.Pos()), apply(f.text[from:to], own))
	}
	body := f.offset(d.Body.Lbrace) + 1
	return append(edits, edit{body, body, " switch mutant__ {" + cases.String() + " };"})
}

// initializer returns the edits by which a variable of a package has the value of the mutant.
func initializer(s *source, f *file, spec ast.Spec, mutants map[int]*Mutant) (edits []edit) {
	v, ok := spec.(*ast.ValueSpec)
	if !ok || len(v.Values) != 1 {
		return nil
	}
	from, to := f.offset(v.Values[0].Pos()), f.offset(v.Values[0].End())
	var cases strings.Builder
	for _, n := range slices.Sorted(maps.Keys(mutants)) {
		m := mutants[n]
		if e := m.edits[0]; e.from >= from && e.to <= to {
			fmt.Fprintf(&cases, " case %d: return %s;", n, f.text[from:e.from]+e.text+f.text[e.to:to])
		}
	}
	if cases.Len() == 0 {
		return nil
	}
	kind := types.TypeString(s.info.Defs[v.Names[0]].Type(), qualifier(s, f))
	return []edit{
		{from, from, "func() " + kind + " { switch mutant__ {" + cases.String() + " }; return "},
		{to, to, " }()"},
	}
}

// qualifier writes the names of packages as a file imports them.
func qualifier(s *source, f *file) types.Qualifier {
	return func(p *types.Package) string {
		if p == s.pkg {
			return ""
		}
		for _, spec := range f.ast.Imports {
			if strings.Trim(spec.Path.Value, `"`) == p.Path() && spec.Name != nil {
				return spec.Name.Name
			}
		}
		return p.Name()
	}
}
