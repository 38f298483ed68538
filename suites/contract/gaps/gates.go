package gaps

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/gates"
)

// featuresFolder declares the feature gates, in the module k8s.io/kubernetes.
const featuresFolder = "pkg/features"

// ofJobs are the folders of k8s.io/kubernetes that are about Jobs and CronJobs alone.
var ofJobs = []string{
	"pkg/controller/job", "pkg/controller/cronjob", "pkg/registry/batch", "pkg/apis/batch", "pkg/api/job",
}

// Gate is a feature gate of a version of Kubernetes.
type Gate struct {
	Gate gates.Gate
	// At is where it is declared.
	At Place
	// State is what it is in the version.
	State gates.State
	// Used is the first place in code about Jobs and CronJobs; zero if there is none.
	Used Place
	// Mentions is whether its name or its comment has the word Job or CronJob.
	Mentions bool
}

// Gates returns the feature gates of a version, by name, from the sources of k8s.io/kubernetes. Minor is 37 for
// v1.37.1.
func Gates(kubernetes fs.FS, minor int) ([]Gate, error) {
	set := token.NewFileSet()
	files, err := parse(set, kubernetes, featuresFolder)
	if err != nil {
		return nil, fmt.Errorf("the feature gates: %w", err)
	}
	found := map[string]*Gate{}
	for _, file := range files {
		for name, d := range declarations(file) {
			at := set.Position(d.at)
			found[name] = &Gate{Gate: gates.Gate(d.value), At: Place{at.Filename, at.Line},
				Mentions: mentionsJobs.MatchString(d.comment) || nameOfJobs.MatchString(name)}
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("%s declares no feature gate", featuresFolder)
	}
	for _, file := range files {
		if err := states(file, minor, found); err != nil {
			return nil, fmt.Errorf("%s: %w", set.Position(file.Pos()).Filename, err)
		}
	}
	for _, folder := range ofJobs {
		if err := uses(set, kubernetes, folder, found); err != nil {
			return nil, err
		}
	}
	all := make([]Gate, 0, len(found))
	for _, name := range slices.Sorted(maps.Keys(found)) {
		all = append(all, *found[name])
	}
	return all, nil
}

var (
	mentionsJobs = regexp.MustCompile(`\b([Cc]ron)?[Jj]obs?\b|\bCronJobs?\b`)
	nameOfJobs   = regexp.MustCompile(`Jobs?([A-Z]|$)`)
)

type declaration struct {
	value, comment string
	at             token.Pos
}

// declarations returns the constants of the type featuregate.Feature, by their names.
func declarations(file *ast.File) map[string]declaration {
	all := map[string]declaration{}
	for _, decl := range file.Decls {
		constants, is := decl.(*ast.GenDecl)
		if !is || constants.Tok != token.CONST {
			continue
		}
		for _, spec := range constants.Specs {
			value := spec.(*ast.ValueSpec)
			of, is := value.Type.(*ast.SelectorExpr)
			if !is || of.Sel.Name != "Feature" || len(value.Names) != 1 || len(value.Values) != 1 {
				continue
			}
			literal, is := value.Values[0].(*ast.BasicLit)
			if !is {
				continue
			}
			if text, err := strconv.Unquote(literal.Value); err == nil {
				all[value.Names[0].Name] = declaration{text, value.Doc.Text(), value.Pos()}
			}
		}
	}
	return all
}

// states reads what the gates are in a version, and which others they need: from maps whose keys are gates.
func states(file *ast.File, minor int, found map[string]*Gate) (err error) {
	ast.Inspect(file, func(n ast.Node) bool {
		entry, is := n.(*ast.KeyValueExpr)
		if !is || err != nil {
			return err == nil
		}
		key, is := entry.Key.(*ast.Ident)
		value, isList := entry.Value.(*ast.CompositeLit)
		if !is || !isList || found[key.Name] == nil {
			return true
		}
		gate := found[key.Name]
		for _, element := range value.Elts {
			switch element := element.(type) {
			case *ast.CompositeLit: // since a version
				since, state, wrong := read(element)
				if wrong != nil {
					err = fmt.Errorf("%s: %w", key.Name, wrong)
					return false
				}
				if since <= minor {
					gate.State.Maturity, gate.State.On = state.Maturity, state.On
				}
			case *ast.Ident: // needs another one
				if needed := found[element.Name]; needed != nil {
					gate.State.Needs = append(gate.State.Needs, needed.Gate)
				}
			case *ast.KeyValueExpr: // older sources have one state without a version
				_, state, wrong := read(value)
				if wrong == nil && state.Maturity != "" {
					gate.State.Maturity, gate.State.On = state.Maturity, state.On
				}
			}
		}
		return false
	})
	return err
}

// read returns what a gate is, and the minor version since when; 0 where the source does not say.
func read(of *ast.CompositeLit) (minor int, state gates.State, err error) {
	for _, element := range of.Elts {
		pair, is := element.(*ast.KeyValueExpr)
		if !is {
			return 0, state, fmt.Errorf("it is not known what it is")
		}
		switch name := fmt.Sprint(pair.Key); name {
		case "Version":
			call, is := pair.Value.(*ast.CallExpr)
			if !is || len(call.Args) != 1 {
				return 0, state, fmt.Errorf("its version cannot be read")
			}
			text, is := call.Args[0].(*ast.BasicLit)
			if !is {
				return 0, state, fmt.Errorf("its version cannot be read")
			}
			_, after, _ := strings.Cut(strings.Trim(text.Value, `"`), ".")
			if minor, err = strconv.Atoi(after); err != nil {
				return 0, state, err
			}
		case "Default":
			state.On = fmt.Sprint(pair.Value) == "true"
		case "PreRelease":
			if of, is := pair.Value.(*ast.SelectorExpr); is {
				state.Maturity = maturities[of.Sel.Name]
			}
		}
	}
	return minor, state, nil
}

var maturities = map[string]gates.Maturity{
	"Alpha": gates.Alpha, "Beta": gates.Beta, "GA": gates.GA, "Deprecated": gates.Deprecated,
}

// parse reads the sources in a folder and those below it, tests left out.
func parse(set *token.FileSet, kubernetes fs.FS, folder string) (files []*ast.File, err error) {
	err = fs.WalkDir(kubernetes, folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := fs.ReadFile(kubernetes, name)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			files = append(files, file)
		}
		return err
	})
	return files, err
}

// uses finds the gates that a folder uses.
func uses(set *token.FileSet, kubernetes fs.FS, folder string, found map[string]*Gate) error {
	files, err := parse(set, kubernetes, folder)
	for _, file := range files {
		imported := importName(file)
		ast.Inspect(file, func(n ast.Node) bool {
			of, is := n.(*ast.SelectorExpr)
			if !is || imported == "" || fmt.Sprint(of.X) != imported {
				return true
			}
			if gate := found[of.Sel.Name]; gate != nil && gate.Used == (Place{}) {
				at := set.Position(of.Pos())
				gate.Used = Place{at.Filename, at.Line}
			}
			return true
		})
	}
	return err
}

// importName returns what a file calls the package of the gates; empty if it does not import it.
func importName(file *ast.File) string {
	for _, i := range file.Imports {
		if i.Path.Value != strconv.Quote("k8s.io/kubernetes/"+featuresFolder) {
			continue
		}
		if i.Name != nil {
			return i.Name.Name
		}
		return path.Base(featuresFolder)
	}
	return ""
}
