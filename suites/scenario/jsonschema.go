package scenario

import (
	"embed"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// sources have the comments of the fields of a file.
//
//go:embed scenario.go read.go
var sources embed.FS

// parts are the structs that a file is read into, by their names in its schema.
var parts = map[string]reflect.Type{
	"Scenario": reflect.TypeFor[Scenario](), "Step": reflect.TypeFor[Step](), "Patch": reflect.TypeFor[Patch](),
	"Delete": reflect.TypeFor[Delete](), "Direct": reflect.TypeFor[Direct](), "Place": reflect.TypeFor[Place](),
	"Fault": reflect.TypeFor[faultFields](),
}

// typedKinds are those of objects whose fields the schema knows. The reader knows more of them.
var typedKinds = map[schema.GroupVersionKind]reflect.Type{
	batchv1.SchemeGroupVersion.WithKind("Job"):     jobType,
	batchv1.SchemeGroupVersion.WithKind("CronJob"): cronJobType,
	corev1.SchemeGroupVersion.WithKind("Pod"):      podType,
}

// JSONSchema describes the files that Read reads, for editors. It is made of the types that they are read into.
// What needs the other steps to be judged, and the expressions, are left to Check.
func JSONSchema() ([]byte, error) {
	comments, err := commentsOf("scenario.go", "read.go")
	if err != nil {
		return nil, err
	}
	root := &jsonschema.Schema{
		// Editors know this draft best.
		Schema: "http://json-schema.org/draft-07/schema#", Title: "A scenario of jobconformance",
		AllOf: []*jsonschema.Schema{definition("Scenario")},
		Definitions: map[string]*jsonschema.Schema{"expression": {Type: "string", Pattern: `^\$\{[^}]*\}$`,
			Description: "An expression whose value takes the place of this text."}},
	}
	for name, t := range parts {
		root.Definitions[name] = partSchema(name, t, comments)
	}
	object := &jsonschema.Schema{Type: "object", Required: []string{"apiVersion", "kind"}}
	for gvk, t := range typedKinds {
		addStructs(root.Definitions, t)
		object.AllOf = append(object.AllOf, ofKind(gvk.Kind, &jsonschema.Schema{AllOf: []*jsonschema.Schema{
			definition(typeName(t)), {Properties: properties("apiVersion", words(gvk.GroupVersion().String()))}}}))
		root.Definitions["Patch"].AllOf = append(root.Definitions["Patch"].AllOf,
			ofKind(gvk.Kind, &jsonschema.Schema{Properties: properties("merge", definition(typeName(t)))}))
	}
	root.Definitions["Object"] = object
	return json.MarshalIndent(root, "", "  ")
}

func definition(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Ref: "#/definitions/" + name}
}

func properties(name string, s *jsonschema.Schema) map[string]*jsonschema.Schema {
	return map[string]*jsonschema.Schema{name: s}
}

func words(all ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range all {
		s.Enum = append(s.Enum, w)
	}
	return s
}

func matching(pattern string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: pattern}
}

// nothingElse refuses fields that are not listed.
func nothingElse() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

// given matches what has a field.
func given(fields ...string) *jsonschema.Schema { return &jsonschema.Schema{Required: fields} }

// oneGiven matches what has one of the fields at least.
func anyGiven(fields ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, field := range fields {
		s.AnyOf = append(s.AnyOf, given(field))
	}
	return s
}

// oneGiven matches what has exactly one of the fields.
func oneGiven(fields ...string) *jsonschema.Schema {
	return &jsonschema.Schema{OneOf: anyGiven(fields...).AnyOf}
}

// where has what is required of whatever is so.
func where(is, then *jsonschema.Schema) *jsonschema.Schema {
	return &jsonschema.Schema{If: is, Then: then}
}

func ofKind(kind string, then *jsonschema.Schema) *jsonschema.Schema {
	return where(&jsonschema.Schema{Required: []string{"kind"}, Properties: properties("kind", words(kind))}, then)
}

// restrictions are those of single fields.
func restrictions() map[string]*jsonschema.Schema {
	watched := words(faultproxy.Watched...)
	var ids []string
	for _, i := range invariants.Invariants() {
		ids = append(ids, i.ID)
	}
	zero, least, most, refusal := 0.0, 200.0, 599.0, 400.0
	one, first := 1, 1.0
	return map[string]*jsonschema.Schema{
		"Scenario.key":            matching(keyPattern.String()),
		"Scenario.component":      words(components...),
		"Scenario.red":            matching(versionPattern.String()),
		"Scenario.green":          matching(versionPattern.String()),
		"Scenario.uses":           {Type: "array", Items: words(features()...)},
		"Scenario.except":         {Type: "array", Items: words(ids...)},
		"Scenario.implementation": words(Later),
		"Scenario.steps":          {Type: "array", Items: definition("Step"), MinItems: &one},
		"Step.clear":              words("faults"),
		"Step.hold":               watched,
		"Step.held":               watched,
		"Step.release":            watched,
		"Step.expire":             watched,
		"Step.network":            words("cut", "restored"),
		"Step.namespace":          words("delete"),
		"Step.implementation":     words("start", "stop", "kill", "restart"),
		"Step.clock":              matching("^-?" + strings.TrimPrefix(timePattern, "^")),
		"Step.answers":            {Type: "integer", Minimum: &least, Maximum: &most},
		"Step.orAnswers":          {Type: "integer", Minimum: &refusal, Maximum: &most},
		"Delete.propagation":      words("Background", "Foreground", "Orphan"),
		"Direct.pods":             {Type: "integer", Minimum: &zero},
		"Fault.on":                matching(faultproxy.CallsPattern()),
		"Fault.do":                matching(faultproxy.EffectPattern()),
		"Fault.nth":               {Type: "integer", Minimum: &first},
		"Fault.first":             {Type: "integer", Minimum: &first},
	}
}

// rules are about several fields of a part.
func rules() map[string][]*jsonschema.Schema {
	chosen := []*jsonschema.Schema{
		oneGiven("name", "which"),
		where(given("which"), &jsonschema.Schema{Properties: properties("kind", words("Pod", "Job"))}),
		{AnyOf: []*jsonschema.Schema{given("apiVersion"),
			{Properties: properties("kind", words(kinds.AllNamespaced()...))}}},
	}
	return map[string][]*jsonschema.Schema{
		"Step": {
			oneGiven(actionFields()...),
			where(given("answers"), anyGiven("create", "patch", "delete")),
			where(given("orAnswers"), anyGiven("create", "patch", "delete")),
			where(given("ifAny"), anyGiven("patch", "delete")),
			where(given("within"), anyGiven("await", "may", "direct", "held", "patch", "delete")),
			where(given("for"), given("stays")),
		},
		"Patch": slices.Clone(chosen),
		"Delete": append(slices.Clone(chosen),
			where(given("force"), &jsonschema.Schema{Properties: properties("kind", words("Pod"))})),
		"Fault": {{Not: given("nth", "first")}},
	}
}

// timePattern is what time.ParseDuration reads, without a sign.
const timePattern = `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`

// partSchema is that of a struct with fields in YAML.
func partSchema(name string, t reflect.Type, comments map[string]string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "object", Description: comments[t.Name()], AdditionalProperties: nothingElse(),
		Properties: map[string]*jsonschema.Schema{}, AllOf: rules()[name]}
	limited := restrictions()
	for i := range t.NumField() {
		field := t.Field(i)
		called, options, _ := strings.Cut(field.Tag.Get("yaml"), ",")
		if called == "" {
			continue
		}
		of := limited[name+"."+called]
		if of == nil {
			of = yamlSchema(field.Type)
		}
		s.Properties[called] = explained(of, comments[t.Name()+"."+field.Name])
		s.PropertyOrder = append(s.PropertyOrder, called)
		if options == "" {
			s.Required = append(s.Required, called)
		}
	}
	return s
}

// explained returns a schema with a description.
func explained(s *jsonschema.Schema, text string) *jsonschema.Schema {
	if text == "" {
		return s
	}
	next := &jsonschema.Schema{AllOf: []*jsonschema.Schema{s}} // beside a $ref, it would count for nothing
	if s.Ref == "" {
		next = s.CloneSchemas()
	}
	next.Description = text
	return next
}

// yamlSchema is that of a value that is read from YAML, where a number can be a text as well.
func yamlSchema(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return matching(timePattern)
	case reflect.TypeFor[Fault](), reflect.TypeFor[*Fault]():
		return definition("Fault")
	case reflect.TypeFor[*Object]():
		return definition("Object")
	}
	switch t.Kind() {
	case reflect.Pointer:
		return yamlSchema(t.Elem())
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int:
		return &jsonschema.Schema{Type: "integer"}
	case reflect.String:
		return &jsonschema.Schema{Types: []string{"string", "number", "boolean"}}
	case reflect.Slice:
		return &jsonschema.Schema{Type: "array", Items: yamlSchema(t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Type: "object", AdditionalProperties: yamlSchema(t.Elem())}
	case reflect.Struct:
		return definition(t.Name())
	}
	return &jsonschema.Schema{}
}

// addStructs adds the definitions of a type of Kubernetes and of all that is in it.
func addStructs(all map[string]*jsonschema.Schema, t reflect.Type) {
	if name := typeName(t); all[name] == nil {
		all[name] = structSchema(all, t)
	}
}

// structSchema is that of a struct of Kubernetes. Nothing in it is required: the API server says what is, and
// a merge patch has a part of it.
func structSchema(all map[string]*jsonschema.Schema, t reflect.Type) *jsonschema.Schema {
	s := &jsonschema.Schema{Types: []string{"object", "null"}, AdditionalProperties: nothingElse(),
		Properties: map[string]*jsonschema.Schema{}}
	all[typeName(t)] = s // it may be in itself
	docs := map[string]string{}
	if documented, ok := reflect.New(t).Interface().(interface{ SwaggerDoc() map[string]string }); ok {
		docs = documented.SwaggerDoc()
	}
	for name, of := range jsonFields(t) {
		text, _, _ := strings.Cut(docs[name], ". ")
		s.Properties[name] = explained(jsonSchema(all, of), text)
	}
	return s
}

// jsonSchema is that of a field of an object. An expression may stand for a text, a number, true or false, and
// null for all that a merge patch deletes.
func jsonSchema(all map[string]*jsonschema.Schema, t reflect.Type) *jsonschema.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	or := func(kind string) *jsonschema.Schema {
		plain := &jsonschema.Schema{Types: []string{kind, "null"}}
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{plain, definition("expression")}}
	}
	switch celType(t).String() {
	case "bool":
		return or("boolean")
	case "int":
		return or("integer")
	case "double":
		return or("number")
	case "string":
		return &jsonschema.Schema{Types: []string{"string", "null"}}
	case "dyn":
		return &jsonschema.Schema{}
	}
	switch t.Kind() {
	case reflect.Slice:
		return &jsonschema.Schema{Types: []string{"array", "null"}, Items: jsonSchema(all, t.Elem())}
	case reflect.Map:
		return &jsonschema.Schema{Types: []string{"object", "null"}, AdditionalProperties: jsonSchema(all, t.Elem())}
	}
	addStructs(all, t)
	return definition(typeName(t))
}

// commentsOf returns the comments of structs, as in "Step", and of their fields, as in "Step.Await", which
// call fields as files do.
func commentsOf(files ...string) (map[string]string, error) {
	names := map[string]string{} // in a file, by those in Go
	for _, t := range parts {
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "" {
				names[t.Field(i).Name] = name
			}
		}
	}
	text := func(c *ast.CommentGroup) string {
		line := strings.Join(strings.Fields(c.Text()), " ")
		return capitalized.ReplaceAllStringFunc(line, func(word string) string {
			if name, known := names[word]; known {
				return name
			}
			return word
		})
	}
	all := map[string]string{}
	for _, name := range files {
		source, err := sources.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			declared, ok := n.(*ast.GenDecl)
			if !ok || declared.Tok != token.TYPE {
				return true
			}
			named := declared.Specs[0].(*ast.TypeSpec)
			all[named.Name.Name] = text(declared.Doc)
			if fields, ok := named.Type.(*ast.StructType); ok {
				for _, field := range fields.Fields.List {
					for _, name := range field.Names {
						all[named.Name.Name+"."+name.Name] = text(field.Doc)
					}
				}
			}
			return false
		})
	}
	return all, nil
}

var capitalized = regexp.MustCompile(`\b[A-Z]\w*\b`)
