package mutants

import (
	"context"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	module = "github.com/jobconformance/jobconformance/"
	// controller is the folder of the reference controller's program.
	controller = "controller"
	// copies is the folder of the program with all mutants. It is in an overlay only.
	copies = controller + "/mutants"
)

// Build compiles mutants of the checkout at root into one program, in dir, and returns
// its path under the name of each: it is the mutant by whose name it is called. Linking it
// takes as long as linking a single one, and the go command keeps those that have not
// changed. The error names the mutants that do not compile.
func Build(ctx context.Context, root, dir string, all []Mutant) (map[string]string, error) {
	packages, err := readPackages(root)
	if err != nil {
		return nil, err
	}
	texts, programs := map[string]string{}, map[string]string{}
	var imports, cases strings.Builder
	for _, m := range all {
		edited, err := m.edited(root)
		if err != nil {
			return nil, err
		}
		maps.Copy(texts, packages.copy(root, m.ident(), edited))
		fmt.Fprintf(&imports, "\t%s %q\n", m.ident(), module+copies+"/"+m.ident())
		fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.Main()\n", m.ident(), m.ident())
		programs[m.Name] = filepath.Join(dir, m.ident())
	}
	texts[filepath.Join(root, copies, "main.go")] = "package main\n\nimport (\n\t\"os\"\n\t\"path\"\n" + imports.String() +
		")\n\nfunc main() {\n\tswitch path.Base(os.Args[0]) {\n" + cases.String() + "\t}\n}\n"
	sources := filepath.Join(dir, "sources")
	if err := os.MkdirAll(sources, 0o755); err != nil {
		return nil, err
	}
	overlay, err := writeOverlay(texts, sources)
	if err != nil {
		return nil, err
	}
	program := filepath.Join(dir, "mutants")
	cmd := exec.CommandContext(ctx, "go", "build", "-overlay", overlay, "-ldflags=-s -w", "-o", program, "./"+copies)
	cmd.Dir = root
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("the mutants do not compile: %w\n%s", err, output)
	}
	for _, path := range programs {
		if err := os.Symlink(program, path); err != nil {
			return nil, err
		}
	}
	return programs, nil
}

// ident is the mutant's name as one of Go.
func (m Mutant) ident() string { return strings.NewReplacer("/", "_", "-", "_").Replace(m.Name) }

// packages are those of the reference controller, by their folder below the checkout: the
// text of each file, by its name.
type packages map[string]map[string]string

func readPackages(root string) (packages, error) {
	all := packages{}
	err := filepath.WalkDir(filepath.Join(root, controller), func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		if all[folder] == nil {
			all[folder] = map[string]string{}
		}
		all[folder][filepath.Base(file)] = string(text)
		return nil
	})
	return all, err
}

var (
	packageMain = regexp.MustCompile(`(?m)^package main$`)
	funcMain    = regexp.MustCompile(`(?m)^func main\(\)`)
	// funcInit registers metrics, which can be done once in a program.
	funcInit = regexp.MustCompile(`(?m)^func init\(\)`)
)

// copy returns the files of a mutant with that identifier, by their paths: the packages
// with edited files and all that import them, under other import paths. The others are the
// reference controller's own.
func (p packages) copy(root, ident string, edited map[string]string) map[string]string {
	copied := map[string]bool{controller: true}
	for path := range edited {
		folder, _ := filepath.Rel(root, filepath.Dir(path))
		copied[filepath.ToSlash(folder)] = true
	}
	for grown := true; grown; {
		grown = false
		for folder, files := range p {
			if !copied[folder] && slices.ContainsFunc(slices.Collect(maps.Values(files)), func(text string) bool {
				return slices.ContainsFunc(importsOf(text), func(folder string) bool { return copied[folder] })
			}) {
				copied[folder], grown = true, true
			}
		}
	}
	texts := map[string]string{}
	for folder := range copied {
		for name, text := range p[folder] {
			if change, ok := edited[filepath.Join(root, folder, name)]; ok {
				text = change
			}
			for imported := range copied {
				text = strings.ReplaceAll(text, strconv.Quote(module+imported), strconv.Quote(module+place(ident, imported)))
			}
			text = packageMain.ReplaceAllString(text, "package "+ident)
			text = funcMain.ReplaceAllString(text, "func Main()")
			text = funcInit.ReplaceAllString(text, "func _()")
			texts[filepath.Join(root, place(ident, folder), name)] = text
		}
	}
	return texts
}

// place is where the copy of a folder is.
func place(ident, folder string) string {
	return path.Join(copies, ident, strings.TrimPrefix(folder, controller))
}

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
