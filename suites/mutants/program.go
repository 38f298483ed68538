package mutants

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jobconformance/jobconformance/suites/internal/mutant"
	"golang.org/x/sys/unix"
)

const (
	module = "github.com/jobconformance/jobconformance/"
	// controller is the folder of the reference controller's program.
	controller = "controller"
	// copies is the folder of the program with all mutants. It is in an overlay only.
	copies = controller + "/mutants"
)

// Build compiles mutants of the checkout at root into one program, in dir, and returns the
// paths by which it is called, by the names of the mutants. The error names a mutant that does
// not compile.
//
// Most of the time of a compiler goes into what is imported, so that all copies of a
// package are one package, where each name ends with the mutant's.
func Build(ctx context.Context, root, dir string, all []Mutant) (map[string]string, error) {
	packages, err := readPackages(root)
	if err != nil {
		return nil, err
	}
	exports, err := exportData(ctx, root)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	var idents []string
	var cases strings.Builder
	for _, m := range all {
		edited, err := m.edited(root)
		if err != nil {
			return nil, err
		}
		copied, err := packages.copy(root, m.ident(), edited, exports)
		if err != nil {
			return nil, fmt.Errorf("mutant %s does not compile: %w", m.Name, err)
		}
		maps.Copy(texts, copied)
		fmt.Fprintf(&cases, "\tcase %q:\n\t\tmain_%s()\n", m.ident(), m.ident())
		idents = append(idents, m.ident())
	}
	texts[filepath.Join(root, copies, "all.go")] = "package main\n\nimport (\n\t\"os\"\n\t\"path/filepath\"\n)\n\n" +
		"func main() {\n\tswitch " + mutant.Which + " {\n" + cases.String() + "\t}\n}\n"
	paths, err := mutant.Build(dir, "controller", texts, idents, func(overlay, target string) error {
		cmd := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-ldflags=-s -w", "-o", target, "./"+copies)
		cmd.Dir = root
		cmd.Env = append(os.Environ(), "GOGC=400")
		if output, err := runBehind(cmd); err != nil {
			return fmt.Errorf("the mutants do not compile: %w\n%s", err, output)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	programs := map[string]string{}
	for _, m := range all {
		programs[m.Name] = paths[m.ident()]
	}
	return programs, nil
}

// runBehind runs a command that takes a processor only where nothing else wants it, such as
// specs that wait for a controller.
func runBehind(cmd *exec.Cmd) (output []byte, err error) {
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_ = unix.Setpriority(unix.PRIO_PROCESS, cmd.Process.Pid, 10)
	err = cmd.Wait()
	return said.Bytes(), err
}

// exportData returns an importer of what the reference controller imports.
func exportData(ctx context.Context, root string) (types.Importer, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-export", "-deps", "-f", mutant.Exported, "./"+controller)
	cmd.Dir = root
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	return mutant.Imports(string(output)), nil
}

// ident is the mutant's name as one of Go.
func (m Mutant) ident() string { return strings.NewReplacer("/", "_", "-", "_").Replace(m.Name) }

// packages are those of the reference controller, by their folder below the checkout: the
// text of each file, by its name.
type packages map[string]map[string]string

func readPackages(root string) (packages, error) {
	all := packages{}
	err := filepath.WalkDir(filepath.Join(root, controller), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		folder, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		texts, err := mutant.ReadPackage(path)
		if len(texts) > 0 {
			all[filepath.ToSlash(folder)] = texts
		}
		return err
	})
	return all, err
}

// copy returns the files of a mutant with that identifier, by their paths: the packages
// with edited files and all that import them, with the identifier after each of their
// names. The others are the reference controller's own.
func (p packages) copy(root, ident string, edited map[string]string,
	exports types.Importer) (map[string]string, error) {
	c := &copier{exports: exports, ident: ident, copied: map[string]*types.Package{controller: nil},
		texts: map[string]string{}}
	for path := range edited {
		folder, _ := filepath.Rel(root, filepath.Dir(path))
		c.copied[filepath.ToSlash(folder)] = nil
	}
	for grown := true; grown; {
		grown = false
		for folder, files := range p {
			if _, is := c.copied[folder]; !is &&
				slices.ContainsFunc(slices.Collect(maps.Values(files)), c.importsCopied) {
				c.copied[folder], grown = nil, true
			}
		}
	}
	var copyOf func(folder string) error
	copyOf = func(folder string) error {
		texts := map[string]string{}
		for name, text := range p[folder] {
			if change, ok := edited[filepath.Join(root, folder, name)]; ok {
				text = change
			}
			texts[name] = text
			for _, imported := range importsOf(text) {
				if done, is := c.copied[imported]; is && done == nil {
					if err := copyOf(imported); err != nil {
						return err
					}
				}
			}
		}
		return c.rename(root, folder, texts)
	}
	return c.texts, copyOf(controller)
}

// copier makes the copies of packages for one mutant.
type copier struct {
	exports types.Importer
	ident   string
	copied  map[string]*types.Package // by folder; nil until its turn
	texts   map[string]string         // of the copies, by their paths
}

func (c *copier) importsCopied(text string) bool {
	return slices.ContainsFunc(importsOf(text), func(folder string) bool { _, is := c.copied[folder]; return is })
}

// Import is that of a types.Importer.
func (c *copier) Import(path string) (*types.Package, error) {
	if pkg := c.copied[strings.TrimPrefix(path, module)]; pkg != nil {
		return pkg, nil
	}
	return c.exports.Import(path)
}

// rename adds the files of a package to the texts.
func (c *copier) rename(root, folder string, texts map[string]string) error {
	set, files, info := token.NewFileSet(), []*ast.File{},
		&types.Info{Defs: map[*ast.Ident]types.Object{}, Uses: map[*ast.Ident]types.Object{}}
	for name, text := range texts {
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, file)
	}
	pkg, err := (&types.Config{Importer: c}).Check(module+folder, set, files, info)
	if err != nil {
		return err
	}
	c.copied[folder] = pkg
	ends := map[string][]int{} // of identifiers, by file
	for _, found := range []map[*ast.Ident]types.Object{info.Defs, info.Uses} {
		for id, object := range found {
			if object != nil && id.Name != "_" && c.renamed(object) {
				at := set.Position(id.End())
				ends[at.Filename] = append(ends[at.Filename], at.Offset)
			}
		}
	}
	for name, text := range texts {
		at := slices.Sorted(slices.Values(ends[name]))
		for _, end := range slices.Backward(slices.Compact(at)) {
			text = text[:end] + "_" + c.ident + text[end:]
		}
		for imported := range c.copied {
			text = strings.ReplaceAll(text, strconv.Quote(module+imported), strconv.Quote(module+place(imported)))
		}
		c.texts[filepath.Join(root, place(folder), c.ident+"_"+name)] = text
	}
	return nil
}

// renamed reports whether an object has another name in the copy: one at the top of a
// copied package, or a field that is named after such a type.
func (c *copier) renamed(object types.Object) bool {
	if field, is := object.(*types.Var); is && field.Embedded() {
		of := types.Unalias(field.Type())
		if pointer, is := of.(*types.Pointer); is {
			of = types.Unalias(pointer.Elem())
		}
		named, is := of.(*types.Named)
		return is && c.top(named.Obj())
	}
	return c.top(object)
}

func (c *copier) top(object types.Object) bool {
	pkg := object.Pkg()
	return pkg != nil && object.Parent() == pkg.Scope() && pkg == c.copied[strings.TrimPrefix(pkg.Path(), module)]
}

// place is where the copies of a folder are.
func place(folder string) string { return copies + strings.TrimPrefix(folder, controller) }

// importsOf returns the folders of the packages of this module that a file imports.
func importsOf(text string) (folders []string) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ImportsOnly)
	if err != nil {
		return nil // the compiler reports it
	}
	for _, spec := range file.Imports {
		if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
			if folder, ok := strings.CutPrefix(imported, module); ok {
				folders = append(folders, folder)
			}
		}
	}
	return folders
}
