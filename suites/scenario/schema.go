package scenario

import (
	"encoding/json"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// calls has the fields of one of calls; see call.
type calls struct {
	Verb     string `json:"verb"`
	Resource string `json:"resource"`
	Name     string `json:"name"`
	Code     int64  `json:"code"`
	Fault    string `json:"fault"`
}

// The types of what expressions are about. Everything in them is found by reflection: these are the types
// with which the recorder reads objects, so that nothing else can be there.
var (
	jobType     = reflect.TypeFor[batchv1.Job]()
	cronJobType = reflect.TypeFor[batchv1.CronJob]()
	podType     = reflect.TypeFor[corev1.Pod]()
	eventType   = reflect.TypeFor[corev1.Event]()
	callType    = reflect.TypeFor[calls]()
)

// timeTypes are texts in JSON.
var timeTypes = []reflect.Type{reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime](),
	reflect.TypeFor[metav1.Duration]()}

// typeName is the name in CEL of a struct, as in batch.v1.JobStatus.
func typeName(t reflect.Type) string {
	version := t.PkgPath()
	return path.Base(path.Dir(version)) + "." + path.Base(version) + "." + t.Name()
}

// celType is the type in CEL of what a Go type is in JSON.
func celType(t reflect.Type) *cel.Type {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case slices.Contains(timeTypes, t):
		return cel.StringType
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()):
		return cel.DynType // a Quantity, or a number or a text
	}
	switch t.Kind() {
	case reflect.Bool:
		return cel.BoolType
	case reflect.String:
		return cel.StringType
	case reflect.Float32, reflect.Float64:
		return cel.DoubleType
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return cel.IntType
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return cel.StringType // in base64
		}
		return cel.ListType(celType(t.Elem()))
	case reflect.Map:
		return cel.MapType(cel.StringType, celType(t.Elem()))
	case reflect.Struct:
		return cel.ObjectType(typeName(t))
	}
	return cel.DynType
}

// jsonFields returns the fields of a struct by their names in JSON.
func jsonFields(t reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for i := range t.NumField() {
		field := t.Field(i)
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
		case name == "" && field.Anonymous:
			maps.Copy(all, jsonFields(field.Type))
		case name != "":
			all[name] = field.Type
		}
	}
	return all
}

// structs has the structs of all that expressions are about, by their names in CEL.
var structs = sync.OnceValue(func() map[string]reflect.Type {
	all := map[string]reflect.Type{}
	var add func(reflect.Type)
	add = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			add(t.Elem())
		case reflect.Struct:
			// Others are a text, or anything.
			if name := typeName(t); all[name] == nil && celType(t).Kind() == types.StructKind {
				all[name] = t
				for _, field := range jsonFields(t) {
					add(field)
				}
			}
		}
	}
	for _, t := range []reflect.Type{jobType, cronJobType, podType, eventType, callType} {
		add(t)
	}
	return all
})

// provider knows the fields of structs.
type provider struct {
	types.Provider
	// missed gets a field that a struct does not have. Default: nobody does.
	missed func(of reflect.Type, field string)
}

// FindStructType returns the type of the type with a name.
func (p provider) FindStructType(name string) (*types.Type, bool) {
	if _, known := structs()[name]; !known {
		return p.Provider.FindStructType(name)
	}
	return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
}

// FindStructFieldNames returns the fields of a struct.
func (p provider) FindStructFieldNames(name string) ([]string, bool) {
	t, known := structs()[name]
	if !known {
		return p.Provider.FindStructFieldNames(name)
	}
	return slices.Sorted(maps.Keys(jsonFields(t))), true
}

// FindStructFieldType returns the type of a field.
func (p provider) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	t, known := structs()[name]
	if !known {
		return p.Provider.FindStructFieldType(name, field)
	}
	of, has := jsonFields(t)[field]
	if !has {
		if p.missed != nil {
			p.missed(t, field)
		}
		return nil, false
	}
	return &types.FieldType{Type: celType(of)}, true
}
