// Package expectations reads the file in which a user says, requirement by requirement, what an
// implementation declines and what it fails, and why:
//
//   - requirement: JOB-STATUS-003
//     decline: terminating pods are counted by another controller
//   - requirement: CRON-ZONE # all whose IDs begin so
//     decline: schedules are in UTC
//   - feature: success-policy
//     decline: planned for v2
//   - requirement: JOB-BACKOFF-007
//     fails: the delay begins again after a restart
//     issue: https://example.com/issues/7
package expectations

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/limits"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"go.yaml.in/yaml/v3"
)

// entry is one of the file. It has either Requirement or Feature, and either Decline or Fails.
type entry struct {
	// Requirement is an ID, or the beginning of several up to a hyphen.
	Requirement string `yaml:"requirement"`
	// Feature stands for all its requirements.
	Feature string `yaml:"feature"`
	// Decline and Fails are reasons.
	Decline string `yaml:"decline"`
	Fails   string `yaml:"fails"`
	// Issue is where the user keeps track of it.
	Issue string `yaml:"issue"`
}

// Load reads a file. It returns an expectation for each requirement. The error is a *badinput.Error
// that names the line.
func Load(path string) ([]spec.Expectation, error) {
	text, err := limits.ReadFile(path, limits.YAML)
	if err != nil {
		return nil, badinput.Wrap(err, "the expectations cannot be read", "give the path of a YAML file")
	}
	all, err := read(path, text)
	var line lineError
	if errors.As(err, &line) {
		return nil, badinput.New(fmt.Sprintf("%s:%d: %s", path, line.line, line.what), line.do)
	}
	return all, err
}

// lineError is what is wrong with a line of the file, and a remedy.
type lineError struct {
	line     int
	what, do string
}

func (e lineError) Error() string { return fmt.Sprintf("line %d: %s", e.line, e.what) }

func read(path string, text []byte) (all []spec.Expectation, err error) {
	entries, nodes, err := decode(path, text)
	if err != nil {
		return nil, err
	}
	lines := map[string]int{}
	for i, e := range entries {
		line := nodes[i].Line
		requirements, err := e.requirements(line)
		if err != nil {
			return nil, err
		}
		expected := spec.Expectation{Fails: e.Fails != "", Reason: strings.TrimSpace(cmp.Or(e.Fails, e.Decline)),
			Issue: e.Issue, Entry: fmt.Sprintf("%s:%d", path, line)}
		if expected.Reason == "" || e.Fails != "" && e.Decline != "" {
			return nil, lineError{line, "it has no reason, or two",
				"give exactly one of decline: REASON and fails: REASON"}
		}
		for _, r := range requirements {
			if at, twice := lines[r.ID]; twice {
				return nil, lineError{line, fmt.Sprintf("%s is expected already, in line %d", r.ID, at),
					"delete one of both"}
			}
			lines[r.ID] = line
			expected.Requirement, expected.Invariants = r.ID, r.Invariants
			all = append(all, expected)
		}
	}
	return all, nil
}

// decode returns the entries of a file, and where they stand there, which the decoder does not record.
func decode(path string, text []byte) (entries []entry, nodes []*yaml.Node, err error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	err = decoder.Decode(&entries)
	if errors.Is(err, io.EOF) || err == nil && entries == nil {
		return nil, nil, lineError{1, "it is empty",
			"write a list of entries such as {requirement: ID, decline: REASON}"}
	}
	var document yaml.Node
	if err == nil {
		err = yaml.Unmarshal(text, &document)
	}
	if err != nil {
		return nil, nil, syntax(path, err)
	}
	return entries, document.Content[0].Content, nil
}

var unknownField = regexp.MustCompile(`line (\d+): field (\S+) not found in type \S+`)

// syntax makes one line of what a decoder says in several.
func syntax(path string, err error) error {
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "yaml: "), "unmarshal errors:\n")
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	first = unknownField.ReplaceAllString(first, `line $1: unknown field "$2"`)
	return badinput.New(fmt.Sprintf("%s is no list of expectations: %s", path, first),
		"write entries such as {requirement: ID, decline: REASON} or {requirement: ID, fails: REASON, issue: URL}")
}

// requirements returns those that the entry is about.
func (e entry) requirements(line int) ([]contract.Requirement, error) {
	if (e.Requirement == "") == (e.Feature == "") {
		return nil, lineError{line, "it names no requirement and no feature, or both",
			"give exactly one of requirement: ID and feature: NAME"}
	}
	if e.Feature != "" {
		var bad *badinput.Error
		if err := contract.Declinable(contract.Feature(e.Feature)); errors.As(err, &bad) {
			return nil, lineError{line, bad.What, bad.Do}
		}
	}
	if e.Feature != "" {
		return slices.DeleteFunc(table.All(), func(r contract.Requirement) bool {
			return string(r.Feature) != e.Feature
		}), nil
	}
	found := table.Named(e.Requirement)
	if len(found) == 0 {
		return nil, lineError{line, fmt.Sprintf("unknown requirement %q", e.Requirement),
			"take an ID from suites/REQUIREMENTS.md, or the beginning of several up to a hyphen, as in CRON-ZONE"}
	}
	return found, nil
}
