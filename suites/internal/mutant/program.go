// Package mutant builds controllers from changed sources: all of them are one program, which
// takes little longer to compile than one.
package mutant

import (
	"encoding/json"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Which is the expression by which a program of Build learns which controller it is: the name of
// the folder in which it is called. It needs the packages os and path/filepath.
const Which = "filepath.Base(filepath.Dir(os.Args[0]))"

// Build compiles a program into dir and returns the paths by which it is called, by the name of
// the controller that it is then. The texts stand for the files at their paths, as in Overlay.
func Build(
	dir, program string, texts map[string]string, names []string, compile func(overlay, target string) error,
) (map[string]string, error) {
	overlay, err := Overlay(texts, filepath.Join(dir, "sources"))
	if err != nil {
		return nil, err
	}
	target := filepath.Join(dir, program)
	if err := compile(overlay, target); err != nil {
		return nil, err
	}
	paths := map[string]string{}
	for _, name := range names {
		folder := filepath.Join(dir, "controllers", name)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return nil, err
		}
		paths[name] = filepath.Join(folder, program)
		if err := os.Symlink(target, paths[name]); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// Overlay writes texts below dir and returns the path of the file that `go build -overlay` takes,
// by which they stand for the files at their paths.
func Overlay(texts map[string]string, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	for n, path := range slices.Sorted(maps.Keys(texts)) {
		replace[path] = filepath.Join(dir, fmt.Sprintf("%d-%s", n, filepath.Base(path)))
		if err := os.WriteFile(replace[path], []byte(texts[path]), 0o644); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o644)
}

// ReadPackage returns the texts of a package's files in a folder, without tests, by their names.
func ReadPackage(folder string) (map[string]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		texts[filepath.Base(path)] = string(text)
	}
	return texts, nil
}

// exported is how the lines begin that Imports reads.
const exported = "export:"

// Exported is the template for `go list -export -deps` whose lines Imports reads.
const Exported = exported + "{{.ImportPath}} {{.Export}}"

// Imports returns an importer of the packages that `go list` has printed. Other lines are left out.
func Imports(listed string) types.Importer {
	files := map[string]string{}
	for line := range strings.Lines(listed) {
		if entry, is := strings.CutPrefix(strings.TrimSpace(line), exported); is {
			path, file, _ := strings.Cut(entry, " ")
			files[path] = file
		}
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(files[path])
	})
}
