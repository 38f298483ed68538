package expectations

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/limits"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/report"
	"go.yaml.in/yaml/v3"
)

// Changes are what Write has done to a file.
type Changes struct {
	// Added and Dropped are the IDs of requirements that are expected to fail since, and of those that
	// hold by now.
	Added, Dropped []string
	// Kept is how many entries are as they were.
	Kept int
	// Red is what turns a run red that no file can expect, for people: what is flaky, what the harness
	// failed at, exits of the implementation, known bugs of Kubernetes that did not show.
	Red []string
}

// Write has a file expect what fails in a report. It makes the file where there is none. Entries that are
// there stay as people have written them, except for requirements that hold by now. What is flaky, or
// what the harness failed at, is no reason to expect anything. The error is a *badinput.Error.
func Write(path string, r *report.Report) (*Changes, error) {
	text, err := limits.ReadFile(path, limits.YAML)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, badinput.Wrap(err, "the expectations cannot be read", "name a YAML file, or one that is not there")
	}
	if len(text) > 0 {
		if _, err := Load(path); err != nil {
			return nil, err
		}
	}
	next, changes, err := update(path, text, r)
	if err != nil || len(changes.Added)+len(changes.Dropped) == 0 {
		return changes, err
	}
	if err := os.WriteFile(path, next, 0o644); err != nil {
		return nil, badinput.Wrap(err, "the expectations cannot be written", "name another file")
	}
	return changes, nil
}

func update(path string, text []byte, r *report.Report) (next []byte, changes *Changes, err error) {
	changes = &Changes{Red: red(r)}
	list, known := &yaml.Node{Kind: yaml.SequenceNode}, map[string]bool{}
	var document *yaml.Node
	if len(text) > 0 {
		entries, nodes, err := decode(path, text)
		if err != nil {
			return nil, nil, err
		}
		document = new(yaml.Node)
		if err := yaml.Unmarshal(text, document); err != nil {
			return nil, nil, err
		}
		*list = *document.Content[0]
		list.Content = nil
		for i, e := range entries {
			left, holds, err := e.divide(nodes[i].Line, r)
			if err != nil {
				return nil, nil, err
			}
			for _, id := range left {
				known[id] = true
			}
			changes.Dropped = append(changes.Dropped, holds...)
			if len(holds) == 0 {
				list.Content = append(list.Content, nodes[i])
				changes.Kept++
				continue
			}
			comment := nodes[i].HeadComment
			for _, id := range left {
				e.Requirement, e.Feature = id, ""
				list.Content, comment = append(list.Content, e.node(comment)), ""
			}
		}
	}
	for _, q := range r.Requirements {
		if !fails(q) || known[q.ID] {
			continue
		}
		e := entry{Requirement: q.ID, Fails: seen(q)}
		if q.Expected != nil { // by another file
			e.Fails, e.Issue = cmp.Or(q.Expected.Fails, e.Fails), q.Expected.Issue
		}
		list.Content = append(list.Content, e.node(q.Text))
		changes.Added = append(changes.Added, q.ID)
	}
	if len(list.Content) > 0 {
		list.Style = 0
	} else {
		list.Style = yaml.FlowStyle
	}
	if document != nil {
		document.Content[0] = list
	} else {
		document = list
	}
	var b bytes.Buffer
	encoder := yaml.NewEncoder(&b)
	encoder.SetIndent(2)
	if err := encoder.Encode(document); err != nil {
		return nil, nil, err
	}
	return b.Bytes(), changes, encoder.Close()
}

// divide returns the IDs of the entry's requirements, and apart those that are expected to fail, and hold.
func (e entry) divide(line int, r *report.Report) (left, holding []string, err error) {
	requirements, err := e.requirements(line)
	for _, q := range requirements {
		i := slices.IndexFunc(r.Requirements, func(o report.Requirement) bool { return o.ID == q.ID })
		if e.Fails != "" && i >= 0 && holds(r.Requirements[i]) {
			holding = append(holding, q.ID)
		} else {
			left = append(left, q.ID)
		}
	}
	return left, holding, err
}

// node is the entry as the file has it, below a comment.
func (e entry) node(comment string) *yaml.Node {
	n := &yaml.Node{Kind: yaml.MappingNode, HeadComment: comment}
	for _, field := range []struct{ name, value string }{{"requirement", e.Requirement}, {"feature", e.Feature},
		{"decline", e.Decline}, {"fails", e.Fails}, {"issue", e.Issue}} {
		if field.value != "" {
			name, value := new(yaml.Node), new(yaml.Node)
			name.SetString(field.name)
			value.SetString(field.value)
			n.Content = append(n.Content, name, value)
		}
	}
	return n
}

// shows reports whether a spec shows that the requirement does not hold whose evidence it is.
func shows(e report.Evidence) bool {
	return e.Broken || !e.Elsewhere && !e.Verified && (e.Outcome == spec.Failed || e.Outcome == spec.KnownIssue)
}

// holds reports whether all specs of a requirement have passed.
func holds(q report.Requirement) bool {
	return (q.Outcome == report.Conformant || q.Outcome == spec.UnexpectedPass) &&
		!slices.ContainsFunc(q.Evidence, shows)
}

// fails reports whether a requirement is one for the file: it turns the run red, or the user expects
// it to fail already.
func fails(q report.Requirement) bool {
	expected := q.Expected != nil && q.Expected.Fails != ""
	return q.Outcome == report.NonConformant || expected && slices.ContainsFunc(q.Evidence, shows)
}

// seen says how a requirement fails, in the spec that shows it with the least beside it: the invariant
// that broke, or else what the spec says. It has nothing that differs from run to run.
func seen(q report.Requirement) string {
	shown := slices.DeleteFunc(slices.Clone(q.Evidence), func(e report.Evidence) bool { return !shows(e) })
	if len(shown) == 0 {
		return "no spec says why"
	}
	example := slices.MinFunc(shown, func(a, b report.Evidence) int {
		return cmp.Or(cmp.Compare(len(a.Invariants), len(b.Invariants)), cmp.Compare(len(a.Reason), len(b.Reason)),
			strings.Compare(a.Spec, b.Spec))
	})
	what := firstWords(cmp.Or(example.Note, example.Reason))
	requirement, _ := table.Find(q.ID)
	for _, id := range example.Invariants {
		if slices.Contains(requirement.Invariants, id) {
			what = "the invariant " + id + " does not hold"
			break
		}
	}
	if len(shown) == 1 {
		return fmt.Sprintf("%s, in %q", what, example.Spec)
	}
	return fmt.Sprintf("%s, in %d specs such as %q", what, len(shown), example.Spec)
}

// changing has what differs from run to run in messages, and what to write in its place.
var changing = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "UID"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.]*Z?( [+-]\d{4} \w+)?`), "TIME"},
	{regexp.MustCompile(`\b([a-z][a-z0-9-]*)-[b-df-hj-np-tv-z2456789]{5}\b`), "$1-*"}, // generateName
	{regexp.MustCompile(` \(changed after [^)]*\)`), ""},
	{regexp.MustCompile(`, and \S+ that the busy machine took`), ""},
}

// firstWords returns the first sentence of a message; two where the first is only what was waited for.
func firstWords(message string) string {
	var words string
	for line := range strings.Lines(message) {
		line = strings.TrimSpace(line)
		words = strings.TrimSpace(words + " " + line)
		if line != "" && !strings.HasSuffix(line, ".") && !strings.HasSuffix(line, ":") {
			break
		}
	}
	for _, c := range changing {
		words = c.what.ReplaceAllString(words, c.by)
	}
	return strings.TrimRight(words, ".: ")
}

// red lists what no file can expect.
func red(r *report.Report) (all []string) {
	for _, q := range r.Requirements {
		if q.Outcome == spec.Flaky {
			all = append(all, q.ID+" is flaky: run it again")
		}
	}
	if r.HarnessError != "" {
		first, _, _ := strings.Cut(r.HarnessError, "\n")
		all = append(all, "the harness failed, so that there is no verdict: "+first)
	}
	if n := len(r.Crashes); n > 0 {
		all = append(all, fmt.Sprintf("the implementation exited on its own, %d times", n))
	}
	if r.Leaders.Failed() {
		all = append(all, r.Leaders.String())
	}
	for _, issue := range r.UnexpectedPasses {
		if _, own := table.Find(issue.Issue); !own {
			all = append(all, issue.Remedy)
		}
	}
	return all
}
