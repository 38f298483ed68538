package fields

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
)

// Set is a field and what it is set to, as in JSON; nil takes it away. "[]" in its path is the first element.
type Set struct {
	Path string
	To   any
}

// Change is one that a user makes by one request: of the first field, and of those that it cannot do without.
type Change struct {
	Sets []Set
	// Steady are the names of the scenarios in which the object ends like one that was created with the change,
	// whenever that comes before the end. Default: none.
	Steady []string
	// Back are those in which it ends as if nothing had happened, where the change is undone. Default: Steady.
	Back []string
	// Never are the names of the scenarios whose end does not come about with the change. Default: none.
	Never []string
	// Until is an expression about the end state in which the object stays with the change, beside that of the
	// scenario. Default: that of the scenario is reached.
	Until string
	// Refused is true for what the API server never accepts in an object that is there.
	Refused bool
	// Alone is true for one of these that has a plan of its own, as the API server has failed over it.
	Alone bool
	// Last is true where the object may be gone afterwards, so that nothing else follows.
	Last bool
}

// Text is what a plan has: spec.completions to 2 and spec.parallelism to 2.
func (c Change) Text() string {
	var parts []string
	for _, set := range c.Sets {
		to, err := json.Marshal(set.To)
		if err != nil {
			panic(err) // the table has nothing but JSON
		}
		parts = append(parts, set.Path+" to "+string(to))
	}
	return strings.Join(parts, " and ")
}

// Field is the field that the change is about.
func (c Change) Field() string { return c.Sets[0].Path }

// Leaves are the fields that the change sets.
func (c Change) Leaves() (all []string) {
	for _, set := range c.Sets {
		all = append(all, leaves(set.Path, set.To)...)
	}
	return all
}

func leaves(path string, to any) (all []string) {
	switch to := to.(type) {
	case map[string]any:
		for name, inner := range to {
			all = append(all, leaves(path+"."+name, inner)...)
		}
	case []any:
		for _, element := range to {
			all = append(all, leaves(path+"[]", element)...)
		}
	default:
		return []string{path}
	}
	return all
}

// Patch returns the merge patch of the change for an object.
func (c Change) Patch(object map[string]any) map[string]any {
	patch := map[string]any{}
	for _, set := range c.Sets {
		Merge(patch, nested(Merged(object, patch), strings.Split(set.Path, "."), set.To))
	}
	return patch
}

// nested returns the merge patch that sets a field.
func nested(object map[string]any, path []string, to any) map[string]any {
	if len(path) == 1 {
		return map[string]any{path[0]: to}
	}
	name, inList := strings.CutSuffix(path[0], "[]")
	if !inList {
		inner, _ := object[name].(map[string]any)
		return map[string]any{name: nested(inner, path[1:], to)}
	}
	list, _ := object[name].([]any)
	list = append([]any{}, list...)
	if len(list) == 0 {
		list = []any{map[string]any{}}
	}
	first, _ := list[0].(map[string]any)
	list[0] = Merged(first, nested(first, path[1:], to))
	return map[string]any{name: list}
}

// Merge changes an object by a merge patch.
func Merge(object, patch map[string]any) {
	for name, to := range patch {
		inner, isMap := to.(map[string]any)
		if !isMap {
			object[name] = to
			continue
		}
		was, _ := object[name].(map[string]any)
		object[name] = Merged(was, inner)
	}
}

// Merged returns what a merge patch makes of an object.
func Merged(object, patch map[string]any) map[string]any {
	all := maps.Clone(object)
	if all == nil {
		all = map[string]any{}
	}
	Merge(all, patch)
	return all
}

// Undo returns the merge patch that undoes another one in an object, which is what it was before. Metadata and labels
// without any in the object stay: the API server gives them to templates.
func Undo(before, patch map[string]any) map[string]any {
	back := map[string]any{}
	for name, to := range patch {
		inner, isMap := to.(map[string]any)
		was, wasMap := before[name].(map[string]any)
		if isMap && (wasMap || name == "metadata" || name == "labels") {
			back[name] = Undo(was, inner)
		} else {
			back[name] = before[name]
		}
	}
	return back
}

// Accepted reports whether the API server may accept a change of an object that was created so: some are possible in
// suspended Jobs alone, or in those with indexes, or with a limit of failures of each.
func Accepted(object map[string]any, c Change) bool {
	spec, _ := object["spec"].(map[string]any)
	switch {
	case c.Refused:
		return false
	case strings.HasPrefix(c.Field(), "spec.template."):
		return spec["suspend"] == true
	case c.Field() == "spec.completions":
		return spec["completionMode"] == "Indexed"
	case c.Field() == "spec.maxFailedIndexes":
		return spec["backoffLimitPerIndex"] != nil
	}
	return true
}

// Of returns the changes of a kind.
func Of(kind string) []Change { return tables()[kind] }

var tables = sync.OnceValue(func() map[string][]Change {
	return map[string][]Change{"Job": ofJobs(), "CronJob": ofCronJobs()}
})

// Find returns the change of a kind with a text.
func Find(kind, text string) (Change, bool) {
	c, known := byText()[[2]string{kind, text}]
	return c, known
}

// byText has the changes by kind and text.
var byText = sync.OnceValue(func() map[[2]string]Change {
	all := map[[2]string]Change{}
	for kind, changes := range tables() {
		for _, c := range changes {
			all[[2]string{kind, c.Text()}] = c
		}
	}
	return all
})

// Why says why no change is for a field; empty where nothing does.
func Why(kind, field string) string {
	for _, e := range explained {
		for _, path := range e.paths {
			if (e.kind == "" || e.kind == kind) && below(field, path) {
				return fmt.Sprintf("%s: %s", path, e.why)
			}
		}
	}
	return ""
}
