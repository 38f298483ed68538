package gaps

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// batchTypes has the types of batch/v1 in the module k8s.io/api.
const batchTypes = "batch/v1/types.go"

// roots are the kinds whose fields are looked at.
var roots = []string{"Job", "CronJob"}

// Field is a field of batch/v1 in a version of Kubernetes.
type Field struct {
	contract.Field
	// At is where it is declared.
	At Place
	// Of is the type of batch/v1 that it holds; empty for all others.
	Of string
	// Gates are those that markers of it name. Default: none.
	Gates []gates.Gate
}

// Fields returns the fields of Jobs and CronJobs, and of what they hold of batch/v1, from the sources of the module
// k8s.io/api: neither what every object has, nor the inside of pod templates.
func Fields(api fs.FS) ([]Field, error) {
	text, err := fs.ReadFile(api, batchTypes)
	if err != nil {
		return nil, fmt.Errorf("the types of batch/v1: %w", err)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, batchTypes, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	structs := map[string]*ast.StructType{}
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, is := n.(*ast.TypeSpec); is {
			if of, is := spec.Type.(*ast.StructType); is {
				structs[spec.Name.Name] = of
			}
		}
		return true
	})
	var found []Field
	seen := map[string]bool{}
	var walk func(kind string, root bool) error
	walk = func(kind string, root bool) error {
		if seen[kind] {
			return nil
		}
		seen[kind] = true
		if structs[kind] == nil {
			return fmt.Errorf("%s has no type %s", batchTypes, kind)
		}
		for _, f := range structs[kind].Fields.List {
			name, err := jsonName(f)
			if err != nil {
				return fmt.Errorf("%s: %w", set.Position(f.Pos()), err)
			}
			if name == "" || root && len(f.Names) == 0 {
				continue
			}
			field := Field{Field: contract.Field{Type: kind, Name: name},
				At: Place{batchTypes, set.Position(f.Pos()).Line}}
			for _, match := range gateOfField.FindAllStringSubmatch(f.Doc.Text(), -1) {
				if gate := gates.Gate(match[1] + match[2]); !slices.Contains(field.Gates, gate) {
					field.Gates = append(field.Gates, gate)
				}
			}
			if of := element(f.Type); structs[of] != nil {
				field.Of = of
			}
			found = append(found, field)
			if field.Of != "" {
				if err := walk(field.Of, false); err != nil {
					return err
				}
			}
		}
		return nil
	}
	for _, kind := range roots {
		if err := walk(kind, true); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// gateOfField matches the markers of a field that name a gate.
var gateOfField = regexp.MustCompile(`(?m)^\+featureGate=(\w+)$|^\+k8s:if(?:En|Dis)abled\((\w+)\)`)

// jsonName returns the name of a field in JSON; empty for one whose own fields take its place.
func jsonName(f *ast.Field) (string, error) {
	if f.Tag == nil {
		return "", fmt.Errorf("the field has no name in JSON")
	}
	tag, err := strconv.Unquote(f.Tag.Value)
	if err != nil {
		return "", err
	}
	name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
	return name, nil
}

// element returns the name of a type of the same package, behind pointers and slices; empty for all others.
func element(of ast.Expr) string {
	switch of := of.(type) {
	case *ast.StarExpr:
		return element(of.X)
	case *ast.ArrayType:
		return element(of.Elt)
	case *ast.MapType:
		return element(of.Value)
	case *ast.Ident:
		return of.Name
	}
	return ""
}
