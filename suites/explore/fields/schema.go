// Package fields knows the fields of Jobs and CronJobs that a user may change: what each is changed to, and where
// the object then ends like one that was created so.
package fields

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/openapi3"
	"k8s.io/client-go/rest"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Kinds are those of batch/v1 whose fields are looked at.
var Kinds = []string{"Job", "CronJob"}

// Leaves returns the fields of a kind that hold no other fields, by the schema of batch/v1 that an API server serves:
// spec.parallelism, spec.template.spec.containers[].image. A map of texts is one field.
func Leaves(schemas *spec3.OpenAPI, kind string) ([]string, error) {
	if schemas.Components == nil {
		return nil, fmt.Errorf("the schema of batch/v1 has no types")
	}
	w := walk{schemas.Components.Schemas, nil}
	root := spec.Schema{SchemaProps: spec.SchemaProps{Ref: spec.MustCreateRef("#/io.k8s.api.batch.v1." + kind)}}
	if err := w.fields("", root, nil); err != nil {
		return nil, err
	}
	slices.Sort(w.leaves)
	return w.leaves, nil
}

type walk struct {
	types  map[string]*spec.Schema
	leaves []string
}

// fields adds the leaves below a path. Within are the types that it is in.
func (w *walk) fields(path string, of spec.Schema, within []string) error {
	if len(of.AllOf) == 1 {
		return w.fields(path, of.AllOf[0], within)
	}
	if ref := of.Ref.String(); ref != "" {
		name := ref[strings.LastIndex(ref, "/")+1:]
		found := w.types[name]
		switch {
		case found == nil:
			return fmt.Errorf("the schema of batch/v1 has no type %s", name)
		case slices.Contains(within, name):
			w.leaves = append(w.leaves, path) // a type in itself has no end
			return nil
		}
		return w.fields(path, *found, append(slices.Clone(within), name))
	}
	switch {
	case len(of.Properties) > 0:
		for name, field := range of.Properties {
			if err := w.fields(strings.TrimPrefix(path+"."+name, "."), field, within); err != nil {
				return err
			}
		}
		return nil
	case of.Items != nil && of.Items.Schema != nil:
		return w.fields(path+"[]", *of.Items.Schema, within)
	}
	w.leaves = append(w.leaves, path)
	return nil
}

// Served returns the schema of batch/v1 that an API server serves.
func Served(config *rest.Config) (*spec3.OpenAPI, error) {
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	schemas, err := openapi3.NewRoot(client.OpenAPIV3()).GVSpec(batchv1.SchemeGroupVersion)
	if err != nil {
		return nil, fmt.Errorf("the schema of batch/v1: %w", err)
	}
	return schemas, nil
}

// Unknown returns the fields of Jobs and CronJobs in a schema that no change is for, and that nothing explains: those
// of a version of Kubernetes that is newer than the table of changes.
func Unknown(schemas *spec3.OpenAPI) (unknown []string, err error) {
	for _, kind := range Kinds {
		leaves, err := Leaves(schemas, kind)
		if err != nil {
			return nil, err
		}
		for _, leaf := range leaves {
			if !changed(kind, leaf) && Why(kind, leaf) == "" {
				unknown = append(unknown, kind+" "+leaf)
			}
		}
	}
	return unknown, nil
}

// below reports whether a field is another one, or in it.
func below(field, of string) bool {
	rest, is := strings.CutPrefix(field, of)
	return is && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// changed reports whether some change sets the field.
func changed(kind, leaf string) bool {
	return slices.ContainsFunc(Of(kind), func(c Change) bool {
		return slices.ContainsFunc(c.Leaves(), func(set string) bool { return below(set, leaf) })
	})
}
