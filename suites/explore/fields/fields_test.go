package fields

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// served returns the schema of Jobs and CronJobs that an API server of the version of k8s.io/api serves.
func served() *spec3.OpenAPI {
	types := map[string]*spec.Schema{}
	for _, of := range []reflect.Type{reflect.TypeFor[batchv1.Job](), reflect.TypeFor[batchv1.CronJob]()} {
		types["io.k8s.api.batch.v1."+of.Name()] = schemaOf(of)
	}
	return &spec3.OpenAPI{Components: &spec3.Components{Schemas: types}}
}

func schemaOf(t reflect.Type) *spec.Schema {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	schema := &spec.Schema{}
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()):
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		schema.Items = &spec.SchemaOrArray{Schema: schemaOf(t.Elem())}
	case t.Kind() == reflect.Struct:
		schema.Properties = map[string]spec.Schema{}
		for i := range t.NumField() {
			field := t.Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			switch {
			case name == "" && field.Anonymous:
				for name, inner := range schemaOf(field.Type).Properties {
					schema.Properties[name] = inner
				}
			case name != "" && name != "-":
				schema.Properties[name] = *schemaOf(field.Type)
			}
		}
	}
	return schema
}

func TestEveryFieldIsChangedOrExplained(t *testing.T) {
	unknown, err := Unknown(served())
	if err != nil || len(unknown) > 0 {
		t.Errorf("%v, neither changed nor explained:\n%s", err, strings.Join(unknown, "\n"))
	}
}

func TestEveryChangeAndReasonIsOfAField(t *testing.T) {
	for _, kind := range Kinds {
		all, err := Leaves(served(), kind)
		if err != nil || len(all) < 500 {
			t.Fatalf("%d fields, %v", len(all), err)
		}
		texts := map[string]bool{}
		for _, c := range Of(kind) {
			if texts[c.Text()] {
				t.Errorf("%s is there twice", c.Text())
			}
			texts[c.Text()] = true
			if strings.ContainsAny(c.Text(), ";") {
				t.Errorf("%s: a plan has semicolons between its parts", c.Text())
			}
			if found, known := Find(kind, c.Text()); !known || found.Field() != c.Field() {
				t.Errorf("%s is not found", c.Text())
			}
			for _, set := range c.Leaves() {
				if !slices.ContainsFunc(all, func(leaf string) bool { return below(set, leaf) }) {
					t.Errorf("%s: %s is no field of a %s", c.Text(), set, kind)
				}
				if why := Why(kind, set); why != "" {
					t.Errorf("%s is changed, and there is a reason why not: %s", set, why)
				}
			}
		}
		for _, e := range explained {
			for _, path := range e.paths {
				if (e.kind == kind || e.kind == "") &&
					!slices.ContainsFunc(all, func(leaf string) bool { return below(leaf, path) }) {
					t.Errorf("%s is explained, and is no field of a %s", path, kind)
				}
			}
		}
	}
}

func TestAFieldThatIsNotKnownIsListed(t *testing.T) {
	schemas := served()
	plant := &spec.Schema{SchemaProps: spec.SchemaProps{Properties: map[string]spec.Schema{
		"height": {}, "labels": {}, "inner": {SchemaProps: spec.SchemaProps{Ref: spec.MustCreateRef("#/x/JobPlant")}},
	}}}
	schemas.Components.Schemas["JobPlant"] = plant
	planted := spec.Schema{SchemaProps: spec.SchemaProps{AllOf: []spec.Schema{
		{SchemaProps: spec.SchemaProps{Ref: spec.MustCreateRef("#/components/schemas/JobPlant")}}}}}
	job := schemas.Components.Schemas["io.k8s.api.batch.v1.Job"].Properties["spec"]
	job.Properties["plants"] = spec.Schema{SchemaProps: spec.SchemaProps{Items: &spec.SchemaOrArray{Schema: &planted}}}
	unknown, err := Unknown(schemas)
	want := []string{"Job spec.plants[].height", "Job spec.plants[].inner", "Job spec.plants[].labels"}
	if diff := cmp.Diff(want, unknown); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	delete(schemas.Components.Schemas, "JobPlant")
	if _, err := Unknown(schemas); err == nil {
		t.Error("a type is missing, and nothing says so")
	}
	if _, err := Unknown(&spec3.OpenAPI{}); err == nil {
		t.Error("there is nothing, and nothing says so")
	}
}

func TestAChangeIsAPatchThatCanBeUndone(t *testing.T) {
	before := object{"spec": object{"parallelism": 3, "template": object{"metadata": object{"labels": object{"a": "b"}},
		"spec": object{"containers": []any{object{"name": "main", "image": "puppet"}, object{"name": "other"}}}}}}
	for _, test := range []struct {
		c           Change
		patch, back object
	}{
		{to("spec.parallelism", 1, Set{"spec.completions", 1}),
			object{"spec": object{"parallelism": 1, "completions": 1}},
			object{"spec": object{"parallelism": 3, "completions": nil}}},
		{to("spec.template.metadata.labels", one()),
			object{"spec": object{"template": object{"metadata": object{"labels": one()}}}},
			object{"spec": object{"template": object{"metadata": object{"labels": object{
				"example.com/changed": nil}}}}}},
		{to("spec.jobTemplate.metadata.labels", one()),
			object{"spec": object{"jobTemplate": object{"metadata": object{"labels": one()}}}},
			object{"spec": object{"jobTemplate": nil}}},
		{to("metadata.labels", one()), object{"metadata": object{"labels": one()}},
			object{"metadata": object{"labels": object{"example.com/changed": nil}}}},
		{to("spec.template.spec.containers[].image", "other"),
			object{"spec": object{"template": object{"spec": object{"containers": []any{
				object{"name": "main", "image": "other"}, object{"name": "other"}}}}}},
			object{"spec": object{"template": object{"spec": object{"containers": []any{
				object{"name": "main", "image": "puppet"}, object{"name": "other"}}}}}}},
	} {
		patch := test.c.Patch(before)
		if diff := cmp.Diff(test.patch, patch); diff != "" {
			t.Errorf("%s: -want +got:\n%s", test.c.Text(), diff)
		}
		if diff := cmp.Diff(test.back, Undo(before, patch)); diff != "" {
			t.Errorf("%s, and back: -want +got:\n%s", test.c.Text(), diff)
		}
	}
	template := before["spec"].(object)["template"].(object)["spec"].(object)
	if template["containers"].([]any)[0].(object)["image"] != "puppet" {
		t.Error("the object was changed as well")
	}
}

func TestScenariosOfChangesAreThere(t *testing.T) {
	entries, err := library.Fields()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	want := slices.Sorted(slices.Values(Names()))
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
