package scenario

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	kjson "sigs.k8s.io/json"
)

// Object is one as kubectl takes it. In a file, unknown fields are refused, as far as the kind is
// one of Kubernetes' own; those of other kinds are the API server's to refuse.
type Object struct {
	client.Object
	// open are its fields where there are expressions in them; nil where there are none.
	open map[string]any
}

// UnmarshalYAML reads an object as strictly as an API server with
// fieldValidation=Strict.
func (o *Object) UnmarshalYAML(node *yaml.Node) error {
	var fields map[string]any
	if err := node.Decode(&fields); err != nil {
		return err
	}
	fields, _, err := asJSON(fields)
	if err != nil {
		return fmt.Errorf("line %d: %w", node.Line, err)
	}
	known := fields
	if hasExpressions(fields) {
		if err := checkExpressions(fields, nil); err != nil {
			return fmt.Errorf("line %d: %w", node.Line, err)
		}
		o.open, known = fields, withoutExpressions(fields)
	}
	object, wrong, err := decode(known)
	switch {
	case err != nil:
		return fmt.Errorf("line %d: %w", node.Line, err)
	case wrong != nil:
		return fmt.Errorf("line %d: %w", lineOf(node, wrong.Error()), unknownPath(object, wrong))
	case object.GetNamespace() != "":
		return fmt.Errorf("line %d: the object is created in the namespace of the scenario; leave namespace out",
			node.Line)
	}
	o.Object = object
	return nil
}

// decode returns an object of its fields. Unknown fields are wrong, which is no err: the object
// is there.
func decode(fields map[string]any) (object client.Object, wrong, err error) {
	kind, _ := fields["kind"].(string)
	version, _ := fields["apiVersion"].(string)
	gvk := schema.FromAPIVersionAndKind(version, kind)
	if handled, known := kinds.Namespaced(kind); known && handled != gvk {
		return nil, nil, fmt.Errorf("a %s is of apiVersion %s", kind, handled.GroupVersion())
	}
	if kind == "" || version == "" {
		return nil, nil, fmt.Errorf("an object has apiVersion and kind")
	}
	if !scheme.Scheme.Recognizes(gvk) {
		return &unstructured.Unstructured{Object: fields}, nil, nil
	}
	made, err := scheme.Scheme.New(gvk)
	if err != nil {
		return nil, nil, err
	}
	object, isObject := made.(client.Object)
	if !isObject {
		return nil, nil, fmt.Errorf("a %s cannot be created", kind)
	}
	_, text, err := asJSON(fields)
	if err != nil {
		return nil, nil, err
	}
	unknown, err := kjson.UnmarshalStrict(text, object)
	if err != nil {
		return nil, nil, err
	}
	if len(unknown) > 0 {
		return object, unknown[0], nil
	}
	return object, nil, nil
}

// unknownPath adds the nearest field to an error about one of an object that is not known.
func unknownPath(object client.Object, wrong error) error {
	quoted := quotedPath.FindStringSubmatch(wrong.Error())
	if quoted == nil {
		return wrong
	}
	of, known, last := reflect.TypeOf(object), []string(nil), ""
	for _, last = range strings.Split(bracketed.ReplaceAllString(quoted[1], ""), ".") {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct {
			return wrong
		}
		fields := jsonFields(of)
		known = slices.Collect(maps.Keys(fields))
		if fields[last] == nil {
			break
		}
		of = fields[last]
	}
	return unknown(wrong.Error(), last, known)
}

// bracketed is an index in a path.
var bracketed = regexp.MustCompile(`\[[0-9]+\]`)

// filled returns the object to create, with the expressions in it evaluated by fill.
func (o *Object) filled(fill func(any) (any, error)) (client.Object, error) {
	if o.open == nil {
		return o.DeepCopyObject().(client.Object), nil
	}
	value, err := fill(o.open)
	if err != nil {
		return nil, err
	}
	object, wrong, err := decode(value.(map[string]any))
	if err == nil {
		err = wrong
	}
	return object, err
}

// kindOf is the kind of an object, for people.
func kindOf(object client.Object) string {
	gvks, _, err := scheme.Scheme.ObjectKinds(object)
	if err != nil || len(gvks) == 0 {
		return object.GetObjectKind().GroupVersionKind().Kind
	}
	return gvks[0].Kind
}

// MarshalYAML writes an object without the fields that only an API server fills.
func (o Object) MarshalYAML() (any, error) {
	if o.open != nil {
		return o.open, nil
	}
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o.Object)
	if err != nil {
		return nil, err
	}
	if _, plain := o.Object.(*unstructured.Unstructured); !plain {
		gvks, _, err := scheme.Scheme.ObjectKinds(o.Object)
		if err != nil {
			return nil, err
		}
		fields["apiVersion"], fields["kind"] = gvks[0].GroupVersion().String(), gvks[0].Kind
	}
	delete(fields, "status")
	return fields, nil
}
