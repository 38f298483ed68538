package timeline

import (
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"k8s.io/apimachinery/pkg/watch"
)

// revision is one of an object in a picture, as the difference to another one: a page has room for all.
type revision struct {
	// Object is its kind and its name.
	Object string `json:"object"`
	// At is the time since the first revision, as in +0.412s.
	At string `json:"at"`
	// Base is the index of the revision that it differs from. Default: none, and Set has all fields.
	Base *int `json:"base,omitempty"`
	// First is true for the first of its object, whose Base is one of another object.
	First bool `json:"first,omitempty"`
	// Set are the fields with other values, by their paths, as in status.conditions[Complete].status. The
	// resourceVersion is left out.
	Set map[string]string `json:"set,omitempty"`
	// Unset are the paths of the fields that Base has and it has not.
	Unset []string `json:"unset,omitempty"`
}

// Revisions returns those that SVG draws, with all their fields: a list of JSON, compressed by gzip, in base64. A
// dot of the picture has the index of its revision in data-r.
func Revisions(h history.History) string {
	var packed strings.Builder
	encoded := base64.NewEncoder(base64.StdEncoding, &packed)
	compressed := gzip.NewWriter(encoded)
	// Strings and numbers in memory can be written.
	_ = json.NewEncoder(compressed).Encode(revisions(h))
	_ = compressed.Close()
	_ = encoded.Close()
	return packed.String()
}

func revisions(h history.History) []revision {
	if len(h.Revisions) == 0 {
		return nil
	}
	start, _ := window(h)
	lanes, _ := lanesOf(h)
	all := []revision{}
	fields := []map[string]string{}
	firsts := map[string]int{} // revisions, by kind
	for _, l := range lanes {
		for i, r := range l.revisions {
			now, base := fieldsOf(r), len(all)-1
			if i == 0 {
				base = -1
				if first, there := firsts[l.kind()]; there {
					base = first
				} else {
					firsts[l.kind()] = len(all)
				}
			}
			out := revision{Object: l.kind() + " " + l.name(), At: history.Since(r.At, start), First: i == 0, Set: now}
			if base >= 0 {
				out.Base = &base
				out.Set, out.Unset = difference(fields[base], now)
			}
			all, fields = append(all, out), append(fields, now)
		}
	}
	return all
}

// difference returns what has to be set and unset to come from old to now.
func difference(old, now map[string]string) (set map[string]string, unset []string) {
	set = map[string]string{}
	for path, value := range now {
		if was, there := old[path]; !there || was != value {
			set[path] = value
		}
	}
	for path := range old {
		if _, there := now[path]; !there {
			unset = append(unset, path)
		}
	}
	slices.Sort(unset)
	return set, unset
}

// fieldsOf returns all fields of an object, by their paths. An object that is gone has none.
func fieldsOf(r history.Revision) map[string]string {
	fields := map[string]string{}
	if r.Type == watch.Deleted {
		return fields
	}
	var tree map[string]any
	text, err := json.Marshal(r.Object)
	if err == nil {
		err = json.Unmarshal(text, &tree)
	}
	if err != nil {
		return map[string]string{"error": err.Error()}
	}
	flatten(fields, "", tree)
	delete(fields, "metadata.resourceVersion")
	return fields
}

// flatten adds the fields of a value below a path. Items of a list are called by what identifies them.
func flatten(fields map[string]string, path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below := path + "." + name
			if strings.ContainsAny(name, "./") {
				below = path + "[" + name + "]"
			}
			flatten(fields, strings.TrimPrefix(below, "."), v[name])
		}
	case []any:
		names := itemNames(v)
		for i, item := range v {
			flatten(fields, path+"["+names[i]+"]", item)
		}
	case string:
		fields[path] = v
	default:
		text, _ := json.Marshal(v)
		fields[path] = string(text)
	}
}

// itemNames are the types or names of items, where each has another, and otherwise their numbers.
func itemNames(items []any) []string {
	for _, key := range []string{"type", "name", "uid"} {
		var names []string
		for _, item := range items {
			if object, ok := item.(map[string]any); ok {
				if name, ok := object[key].(string); ok && name != "" && !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
		if len(names) == len(items) {
			return names
		}
	}
	var numbers []string
	for i := range items {
		numbers = append(numbers, fmt.Sprint(i))
	}
	return numbers
}
