package report

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jobconformance/jobconformance/fixtures/run/causes"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// schemaFile describes report.yaml for programs. With UPDATE=1, the test writes it.
const schemaFile = "schema.json"

func TestSchemaIsUpToDate(t *testing.T) {
	want, err := json.MarshalIndent(schema(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(schemaFile, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(schemaFile); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not what the types say (%v): run make figures", schemaFile, err)
	}
}

// reportEnv names a report.yaml of a run for the test below. Default: none.
const reportEnv = "JOBCONFORMANCE_REPORT"

func TestReportsFitTheSchema(t *testing.T) {
	text, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := Write(folder, everything()); err != nil {
		t.Fatal(err)
	}
	files := []string{filepath.Join(folder, FileName)}
	if file := os.Getenv(reportEnv); file != "" {
		files = append(files, file)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var document map[string]any
		if err := yaml.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		if err := resolved.Validate(document); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		document["requirements"].([]any)[0].(map[string]any)["outcome"] = "fine"
		if resolved.Validate(document) == nil {
			t.Error("another word for an outcome fits the schema")
		}
	}
}

// everything is a report on all requirements with all outcomes and all fields.
func everything() *Report {
	ends := []func(*spec.Spec){passed, failed, should, known, fixed, harness, left, declined, broken, brokenAtEnd}
	var specs []spec.Spec
	for i, q := range table.All() {
		s := ended(q.ID+" holds", ends[i%len(ends)], q.ID)
		s.Source = spec.Source{File: "suites/job/a.go", Line: 40}
		s.AddExercise(spec.Exercise{})
		specs = append(specs, s)
	}
	return Judge(Run{
		Run: record.Run{Companion: "reference", Confinement: "namespaces of users",
			Date:  time.Unix(1e9, 0),
			Specs: specs, Crashes: []spec.Crash{{At: time.Unix(1e9, 0), Exit: "exit code 1", Log: "panic: no",
				Specs: []string{specs[0].Text}}}, Lacking: []string{"create events"}, HarnessError: "the disk is full",
			Interferences: []spec.Interference{{What: "deletes a node", Object: "nodes a", Namespace: "a",
				Spec: specs[0].Text, At: time.Unix(1e9, 0), Times: 2}},
			Unwatched: true, Incomplete: "interrupted by SIGINT"},
		Implementation: Implementation{"mine", "v1", "v1.36.1", []string{"job"}, "example.com/mine",
			"batch.example.com/v1 ScheduledJob", "Mine & Co", "mine", "https://example.org",
			[]string{"me@example.org"}},
		Cluster: Cluster{Kind: "kind", KubernetesVersion: "v1.37.1", FeatureGates: "A=true",
			NodeImage: "kindest/node"},
		Selection: Selection{Focus: ".", Labels: "!slow", Requirements: []string{"JOB-END-001"},
			Declined: []contract.Feature{contract.Indexed}, DeclinedRequirements: []string{"API-CRONJOB-005"},
			Strict: true, Expectations: []Expectation{
				{Requirement: "JOB-END-001", Fails: "it is slow", Issue: "#7", Entry: "mine.yaml:3"},
				{Requirement: "API-CRONJOB-005", Decline: "planned", Entry: "mine.yaml:4"}}},
		Flags:     map[string]string{"implementation": "exec:mine"},
		Histories: map[string]string{specs[0].Text: "histories/a.json"},
	}, table.All())
}

// schema is made of the types, their comments and the words that they may hold.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.For[Report](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[metav1.Time]():     {Type: "string", Format: "date-time"},
		reflect.TypeFor[metav1.Duration](): {Type: "string"},
		reflect.TypeFor[Outcome]():         words(append(SpecOutcomes(), Outcomes()...)...),
		reflect.TypeFor[Result](): words(ResultConformant, ResultPartial, ResultDeclined, ResultNoVerdict,
			ResultNonConformant),
		reflect.TypeFor[spec.Level]():       words(spec.Must, spec.Should, spec.May),
		reflect.TypeFor[contract.Profile](): words(contract.Profiles()...),
		reflect.TypeFor[contract.Feature](): words(contract.Features()...),
		reflect.TypeFor[spec.Cause](): words(spec.Assertion, spec.Invariant, spec.ImplementationExited,
			spec.PortTaken, spec.Harness),
		reflect.TypeFor[causes.Kind](): words(causes.Kinds...),
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.Schema = "https://json-schema.org/draft/2020-12/schema"
	s.Title = Kind + " of " + APIVersion
	for name, value := range map[string]any{"apiVersion": APIVersion, "kind": Kind} {
		s.Properties[name] = &jsonschema.Schema{Const: &value}
		s.Required = append(s.Required, name)
	}
	slices.Sort(s.Required)
	describe(s, reflect.TypeFor[Report](), comments(t))
	return s
}

func words[W ~string](all ...W) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range all {
		if !slices.Contains(s.Enum, any(string(w))) {
			s.Enum = append(s.Enum, string(w))
		}
	}
	return s
}

// describe gives the properties of a struct their comments, and its lists the type of a
// list: none is ever null.
func describe(s *jsonschema.Schema, t reflect.Type, comments map[string]string) {
	if len(s.Types) > 0 {
		s.Type, s.Types = s.Types[len(s.Types)-1], nil
	}
	if t.Kind() == reflect.Slice {
		describe(s.Items, t.Elem(), comments)
	}
	if t.Kind() != reflect.Struct || s.Type != "object" {
		return
	}
	s.Description = comments[t.Name()]
	s.AdditionalProperties = nil // a later program may add fields
	for field := range t.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if p := s.Properties[name]; p != nil {
			describe(p, field.Type, comments)
			if text := comments[t.Name()+"."+field.Name]; text != "" {
				p.Description = text
			}
		}
	}
}

// comments are those of the types of a report, as in "Report", and of their fields, as in "Report.Date".
func comments(t *testing.T) map[string]string {
	t.Helper()
	var declarations []ast.Decl
	for _, name := range []string{"report.go", "causes.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		declarations = append(declarations, file.Decls...)
	}
	all := map[string]string{}
	plain := func(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
	for _, d := range declarations {
		declared, ok := d.(*ast.GenDecl)
		if !ok || declared.Tok != token.TYPE {
			continue
		}
		named := declared.Specs[0].(*ast.TypeSpec)
		all[named.Name.Name] = plain(declared.Doc)
		if fields, ok := named.Type.(*ast.StructType); ok {
			for _, field := range fields.Fields.List {
				for _, name := range field.Names {
					all[named.Name.Name+"."+name.Name] = plain(field.Doc)
				}
			}
		}
	}
	return all
}
