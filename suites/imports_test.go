package suites

import (
	"bufio"
	"bytes"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/jobconformance/jobconformance"

// The one package that may import controllers, to be one program with them.
const program = module + "/suites/jobconformance"

// goList runs go list in the module and returns the fields of each line.
func goList(t *testing.T, arguments ...string) (lines [][]string) {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list"}, arguments...)...)
	cmd.Dir = ".."
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, &errs)
	}
	all := bufio.NewScanner(bytes.NewReader(out))
	all.Buffer(nil, 1<<20)
	for all.Scan() {
		lines = append(lines, strings.Fields(all.Text()))
	}
	return lines
}

// below reports whether a package is in a folder of the module.
func below(imported, folder string) bool {
	of := module + "/" + folder
	return imported == of || strings.HasPrefix(imported, of+"/")
}

// Controllers are reached as processes, and what a spec stands on knows no spec. That holds for
// tests, too.
func TestImportsPointOneWay(t *testing.T) {
	const imports = `{{.ImportPath}}{{range .Imports}} {{.}}{{end}}{{range .TestImports}} {{.}}{{end}}{{range .XTestImports}} {{.}}{{end}}`
	packages := goList(t, "-f", imports, "./...")
	if len(packages) < 50 {
		t.Fatalf("only %d packages were found", len(packages))
	}
	for _, p := range packages {
		importer, imported := p[0], slices.Compact(slices.Sorted(slices.Values(p[1:])))
		for _, i := range imported {
			switch {
			case below(i, "controller") && !below(importer, "controller") && importer != program,
				below(importer, "fixtures") && below(i, "suites"),
				below(importer, "controller") && (below(i, "fixtures") || below(i, "suites")):
				t.Errorf("%s imports %s", importer, i)
			}
		}
	}
}

// mostOfASentence is how many packages outside of the standard library a requirement may need,
// itself included.
const mostOfASentence = 60

func TestRequirementsNeedFewPackages(t *testing.T) {
	sentences := []string{"./suites/contract"}
	for _, p := range goList(t, "-f", "{{.ImportPath}}", "./suites/...") {
		if path.Base(p[0]) == "requirements" {
			sentences = append(sentences, p[0])
		}
	}
	if len(sentences) < 5 {
		t.Fatalf("only %v have requirements", sentences)
	}
	for _, of := range sentences {
		needed := goList(t, "-deps", "-f", "{{if not .Standard}}{{.ImportPath}}{{end}}", of)
		needed = slices.DeleteFunc(needed, func(line []string) bool { return len(line) == 0 })
		if len(needed) > mostOfASentence {
			t.Errorf("%s needs %d packages, want at most %d", of, len(needed), mostOfASentence)
		}
	}
}
