package score

import (
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/gates"
	"sigs.k8s.io/yaml"
)

//go:embed equivalent.yaml
var listed []byte

// List is what is known about mutants, in equivalent.yaml.
type List struct {
	// LeftOut is code from which none is drawn.
	LeftOut []LeftOut `json:"leftOut"`
	// Unreached are blocks that no spec reaches.
	Unreached []Unreached `json:"unreached"`
	// Equivalent are mutants that keep the contract.
	Equivalent []Equivalent `json:"equivalent"`
}

// Unreached is statements that no spec reaches, and none has to.
type Unreached struct {
	File     string `json:"file"`     // a pattern of path.Match
	Function string `json:"function"` // a pattern
	// Begins is how the first of them begins, as coverage.md has it.
	Begins string `json:"begins"`
	Reason string `json:"reason"`
}

// LeftOut is code that no user can reach, or that does nothing that the contract is about.
type LeftOut struct {
	File string `json:"file"` // a pattern of path.Match
	// Functions are patterns. Default: all of the file.
	Functions []string `json:"functions,omitempty"`
	// Unless is a feature gate with which the code is reached, and not left out. Default: it never is.
	Unless gates.Gate `json:"unless,omitempty"`
	Reason string     `json:"reason"`
}

// Equivalent is a mutant that no user can distinguish from the unchanged controller of a version,
// or that keeps the contract. In another version it counts as survived until somebody has
// looked at it again and given an entry with that version.
type Equivalent struct {
	Version  string `json:"version"`
	File     string `json:"file"`
	Function string `json:"function"`
	Operator string `json:"operator"`
	Change   string `json:"change"`
	Reason   string `json:"reason"`
}

// ReadList returns the list of the repository.
func ReadList() (List, error) { return parseList(listed) }

func parseList(text []byte) (list List, err error) {
	if err := yaml.UnmarshalStrict(text, &list); err != nil {
		return list, fmt.Errorf("equivalent.yaml: %w", err)
	}
	for _, l := range list.LeftOut {
		if l.Reason == "" {
			return list, fmt.Errorf("equivalent.yaml: %s is left out without a reason", l.File)
		}
	}
	for _, u := range list.Unreached {
		if u.Reason == "" || u.Begins == "" {
			return list, fmt.Errorf("equivalent.yaml: %s %s is not reached without a beginning or a reason", u.File,
				u.Function)
		}
	}
	for _, e := range list.Equivalent {
		if e.Reason == "" || e.Version == "" {
			return list, fmt.Errorf("equivalent.yaml: %s %s has no reason or no version", e.Function, e.Change)
		}
	}
	return list, nil
}

// leavesOut returns why a function is left out with these gates; empty if it is not.
func (l List) leavesOut(file, function string, on []gates.Gate) (reason string) {
	for _, out := range l.LeftOut {
		if !matches(out.File, file) || slices.Contains(on, out.Unless) {
			continue
		}
		if len(out.Functions) == 0 || slices.ContainsFunc(out.Functions, func(pattern string) bool {
			return matches(pattern, function)
		}) {
			return out.Reason
		}
	}
	return ""
}

// unreached returns why no spec reaches statements of a function that begin with a text; empty if the list has no
// reason.
func (l List) unreached(file, function, text string, on []gates.Gate) (reason string) {
	for _, u := range l.Unreached {
		if matches(u.File, file) && matches(u.Function, function) && strings.HasPrefix(text, u.Begins) {
			return u.Reason
		}
	}
	return l.leavesOut(file, function, on)
}

func matches(pattern, name string) bool {
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// reason returns why a mutant of a version keeps the contract; empty if it is not in the list.
func (l List) reason(version string, m Mutant) string {
	for _, e := range l.Equivalent {
		if e.Version == version && e.File == m.File && e.Function == m.Function && e.Operator == m.Operator &&
			e.Change == m.Change {
			return e.Reason
		}
	}
	return ""
}

// ofOthers returns how many entries about other versions fit the mutants of a version that
// have none of their own.
func (l List) ofOthers(version string, all []*Mutant) (n int) {
	for _, m := range all {
		if l.reason(version, *m) != "" {
			continue
		}
		for _, e := range l.Equivalent {
			if e.Version != version && l.reason(e.Version, *m) != "" {
				n++
				break
			}
		}
	}
	return n
}
