package scenario

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/limits"
	"github.com/jobconformance/jobconformance/fixtures/spelling"
	"go.yaml.in/yaml/v3"
)

// Load reads a scenario from a file. The error is a *badinput.Error that names
// the line and the field.
func Load(path string) (*Scenario, error) {
	text, err := limits.ReadFile(path, limits.YAML)
	if err != nil {
		return nil, badinput.Wrap(err, "the scenario cannot be read", "give the path of a YAML file")
	}
	return Read(path, text)
}

// Read is Load for a text; name is what it is called in errors.
func Read(name string, text []byte) (*Scenario, error) {
	s, err := Parse(name, text)
	if err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, refuse(name, err)
	}
	return s, nil
}

// Parse is Read without Check, which takes most of its time.
func Parse(name string, text []byte) (*Scenario, error) {
	s := &Scenario{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(s); err != nil {
		if errors.Is(err, io.EOF) {
			err = errors.New("line 1: it is empty")
		}
		return nil, refuse(name, err)
	}
	if err := s.findLines(text); err != nil {
		return nil, refuse(name, err)
	}
	return s, nil
}

// findLines notes where fields and steps stand, which the decoder does not record.
func (s *Scenario) findLines(text []byte) error {
	var document struct {
		Steps  []yaml.Node          `yaml:"steps"`
		Fields map[string]yaml.Node `yaml:",inline"`
	}
	if err := yaml.Unmarshal(text, &document); err != nil {
		return err
	}
	for i := range s.Steps {
		s.Steps[i].line = document.Steps[i].Line
	}
	s.lines = map[string]int{}
	for field, node := range document.Fields {
		s.lines[field] = node.Line
	}
	return nil
}

var (
	unknownField = regexp.MustCompile(`field (\S+) not found in type \S+\.(\S+)`)
	noTime       = regexp.MustCompile("cannot unmarshal !!\\w+ `?([^`]*)`? into time.Duration")
)

// yamlFields returns the names of the fields of a struct in a file.
func yamlFields(t reflect.Type) (all []string) {
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// refuse puts what a decoder says in several lines into one, with a remedy.
func refuse(name string, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n")
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	remedy := "see suites/scenario/README.md for how one is written"
	if wrong, ok := errors.AsType[mistake](err); ok {
		remedy = wrong.do
	} else if match := unknownField.FindStringSubmatch(first); match != nil && parts[match[2]] != nil {
		fields := yamlFields(parts[match[2]])
		remedy = spelling.Remedy(match[1], fields, "use "+strings.Join(fields, ", "))
	} else if match := noTime.FindStringSubmatch(first); match != nil {
		first, remedy = noTime.ReplaceAllString(first, "$1 is no time"), "write it as in 5s or 1m30s"
	}
	first = unknownField.ReplaceAllString(first, `unknown field "$1"`)
	return badinput.New(fmt.Sprintf("the scenario %s cannot be run: %s", name, first), remedy)
}

// YAML is the text that Read reads the scenario from.
func (s *Scenario) YAML() ([]byte, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(s); err != nil {
		return nil, err
	}
	return out.Bytes(), encoder.Close()
}

// Save writes the text to a file, in a folder that it makes if necessary.
func (s *Scenario) Save(path string) error {
	text, err := s.YAML()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// faultFields are the parts of a fault in a file.
type faultFields struct {
	// On is a verb and a resource, as in create pods or update jobs/status. Write stands for all verbs
	// that write, any for all; and any for all resources.
	On string `yaml:"on"`
	// Name of the object; for a create, also what its name begins with. Default: any.
	Name string `yaml:"name,omitempty"`
	// Nth leaves only that call, counted from 1 and from now on; First only the first ones.
	// Default: all.
	Nth   int `yaml:"nth,omitempty"`
	First int `yaml:"first,omitempty"`
	// Do is what happens to it: answer CODE, deny DURATION, webhook fails DURATION, webhook slow DURATION, drop,
	// lose answer, lose answer late, break off, go away,
	// delay DURATION, away DURATION, freeze before DURATION, freeze after DURATION, kill before, kill after, stop
	// before or stop after; and to an event of a watch: hold DURATION, close, expire or deny DURATION.
	Do string `yaml:"do"`
}

// MarshalYAML writes what UnmarshalYAML reads.
func (f Fault) MarshalYAML() (any, error) {
	return faultFields{On: f.Calls.String(), Name: f.Name, Nth: f.Nth, First: f.First, Do: f.Do.String()}, nil
}

// UnmarshalYAML reads a fault. Check says whether it is possible.
func (f *Fault) UnmarshalYAML(node *yaml.Node) error {
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		if known := yamlFields(reflect.TypeFor[faultFields]()); !slices.Contains(known, key.Value) {
			return unknown(fmt.Sprintf("line %d: unknown field %q", key.Line, key.Value), key.Value, known)
		}
	}
	var fields faultFields
	if err := node.Decode(&fields); err != nil {
		return err
	}
	calls, err := faultproxy.ParseCalls(fields.On)
	if err != nil {
		return fmt.Errorf("line %d: fault: on %w", node.Line, err)
	}
	calls.Name = fields.Name
	f.Fault = faultproxy.Fault{Calls: calls, Nth: fields.Nth, First: fields.First}
	if f.Do, err = faultproxy.ParseEffect(fields.Do); err != nil {
		return fmt.Errorf("line %d: fault: do: %w", node.Line, err)
	}
	return nil
}

var quotedPath = regexp.MustCompile(`"([^"]+)"`)

// lineOf is where the last part of the path in an error stands, as far as it can
// be found.
func lineOf(node *yaml.Node, problem string) int {
	path := quotedPath.FindStringSubmatch(problem)
	if path == nil {
		return node.Line
	}
	parts := strings.FieldsFunc(path[1], func(r rune) bool { return strings.ContainsRune(".[]", r) })
	for _, part := range parts {
		next := child(node, part)
		if next == nil {
			break
		}
		node = next
	}
	return node.Line
}

// child is the value of a field, or what stands at an index.
func child(node *yaml.Node, part string) *yaml.Node {
	switch node.Kind {
	case yaml.MappingNode:
		for i := 0; i+1 < len(node.Content); i += 2 {
			if node.Content[i].Value == part {
				return node.Content[i+1]
			}
		}
	case yaml.SequenceNode:
		var index int
		if _, err := fmt.Sscan(part, &index); err == nil && index < len(node.Content) {
			return node.Content[index]
		}
	}
	return nil
}
