package report

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"sigs.k8s.io/yaml"
)

// published is the folder of the reports that are a part of this repository.
const published = "published"

// publishEnv names the report.yaml of a whole run that UPDATE=1 adds to them. Default: none.
const publishEnv = "PUBLISH"

func TestPublishedReportsAreUpToDate(t *testing.T) {
	update := os.Getenv("UPDATE") != ""
	if from := os.Getenv(publishEnv); update && from != "" {
		if err := publish(from); err != nil {
			t.Fatal(err)
		}
	}
	known := map[string]bool{}
	for _, q := range table.All() {
		known[q.ID] = true
	}
	files, err := filepath.Glob(filepath.Join(published, "*.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var made []byte
	index := []byte(publishedHead)
	for _, file := range files {
		r, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := r.PublishedName() + ".yaml"; filepath.Base(file) != want {
			t.Errorf("%s is the report of %s", file, want)
		}
		if err := publishable(r); err != nil {
			t.Errorf("%s %s", file, err)
		}
		for _, q := range r.Requirements {
			if !known[q.ID] {
				t.Errorf("%s: %s is no requirement", file, q.ID)
			}
		}
		notes, err := r.Notes()
		if err != nil {
			t.Errorf("%s needs published/notes/%s.yaml: %v", file, r.PublishedName(), err)
		}
		index = fmt.Appendf(index, "| [%s %s](%s) | %s | %s | %s | %s | %s |\n", r.Implementation.Name,
			r.Implementation.Version, filepath.Base(file), r.Cluster.KubernetesVersion, day(r), r.Result, r.Count(),
			r.SuiteVersion)
		made = append(made, howMade(r, notes)...)
		for _, reading := range notes.Read {
			if !slices.ContainsFunc(r.Requirements, func(q Requirement) bool {
				return q.ID == reading.Requirement && q.Outcome != Conformant
			}) {
				t.Errorf("the notes of %s read %s, which is no finding of it", file, reading.Requirement)
			}
		}
	}
	index = slices.Concat(index, made, []byte(publishedTail))
	readme := filepath.Join(published, "README.md")
	if update {
		if err := os.WriteFile(readme, index, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(readme); err != nil || !bytes.Equal(got, index) {
		t.Errorf("%s does not list the reports (%v): run make figures", readme, err)
	}
}

const publishedHead = `# Published reports

The report.yaml of whole runs, without durations, counts, saved histories and the messages of failures,
which differ from run to run. A report names the version of the suites that made it; later versions may have more
requirements. ` + "`jobconformance catalogue`" + ` makes a page of each, and compares them.

| implementation | Kubernetes | date | result | specs | suites |
|---|---|---|---|---|---|
`

// day is when a published report was made.
func day(r *Report) string {
	if r.Date.IsZero() {
		return "-"
	}
	return r.Date.UTC().Format(time.DateOnly)
}

// howMade says how a published report was made, and which of its findings were read in the source.
func howMade(r *Report, n Notes) []byte {
	var b bytes.Buffer
	if len(r.Flags) == 0 {
		return nil // it is an old one, which does not say
	}
	fmt.Fprintf(&b, "\n## %s %s\n\n    %s\n", r.Implementation.Name, r.Implementation.Version, r.Command())
	if n.Source == "" {
		return b.Bytes()
	}
	fmt.Fprintf(&b, "\nThis is [its source](%s)", n.Source)
	if n.Dialect != "" {
		fmt.Fprintf(&b, ", and [%s](../../../%s) its dialect", path.Base(n.Dialect), n.Dialect)
	}
	b.WriteString(". ")
	fmt.Fprintf(&b, "%s\n", cmp.Or(n.Program, "Its own program was run."))
	if len(n.Read) > 0 {
		fmt.Fprintf(&b, "\nOf its findings, %d were compared with the source, and are true:\n\n", len(n.Read))
	}
	for _, reading := range n.Read {
		fmt.Fprintf(&b, "- %s: %s\n", reading.Requirement, reading.Because)
	}
	return b.Bytes()
}

const publishedTail = `
## Hand one in

1. Check the controller in its own CI, as [the examples](../../example/ci/README.md) do. A badge is made of each report:
   ` + "`jobconformance badge reports/e2e`" + `.
2. In a clone of this repository, with the program in a folder of yours:

       make published IMPLEMENTATION='exec:/programs/mine --kubeconfig={kubeconfig}' IMPLEMENTATION_NAME=mine \
           IMPLEMENTATION_VERSION=v1.2.3

   That is a whole run. ` + "`DIALECT=`, `DECLINE=`, `KUBERNETES_VERSION=`" + ` and all other flags of
   ` + "`jobconformance run`" + ` are variables as well. It adds mine-v1.2.3.yaml here and writes this page. Without
   IMPLEMENTATION, it checks kube-controller-manager. A report that is there already is taken over by
   ` + "`make figures PUBLISH=reports/e2e/report.yaml`" + `.
3. Read the source for some of the findings. Write which ones are true, and where the controller's commit and its
   dialect are, into a file of the report's name in the folder [notes](notes). A finding that is wrong is a bug of this
   repository: open an issue.

A red result is welcome as well. What must not be handed in is a part of a run, a run with a crash, one without a
verdict, and one without a name and a version of the controller: ` + "`go test ./suites/report`" + ` refuses it.
`

// publishable returns why a report does not belong to the published ones.
func publishable(r *Report) error {
	of := r.Selection
	switch {
	case of.Focus+of.Skip+of.Labels+of.RerunFailed+of.Shard != "" || len(of.Requirements) > 0:
		return fmt.Errorf("is not the report of a whole run: %+v", of)
	case r.Result == ResultNoVerdict || len(r.Crashes) > 0:
		return errors.New("is about an exit of the implementation, or no verdict")
	case r.Implementation.Version == "":
		return errors.New("does not say of which version it is: give --version")
	case strings.ContainsAny(r.Implementation.Name, ": /"):
		return fmt.Errorf("needs a short name of the implementation instead of %q: give --name", r.Implementation.Name)
	}
	return nil
}

// publish adds a report to the published ones.
func publish(from string) error {
	r, err := Load(from)
	if err != nil {
		return err
	}
	if err := publishable(r); err != nil {
		return fmt.Errorf("%s %w", from, err)
	}
	text, err := yaml.Marshal(r)
	if err != nil {
		return err
	}
	var fields map[string]any
	if err := yaml.Unmarshal(text, &fields); err != nil {
		return err
	}
	date := fields["date"]
	leaveOut(fields)
	fields["date"] = date
	if text, err = yaml.Marshal(fields); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(published, r.PublishedName()+".yaml"), text, 0o644)
}

// leaveOut removes what differs from run to run.
func leaveOut(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"date", "duration", "history", "requests", "situations"} {
			delete(v, key)
		}
		if v["cause"] != nil && v["knownIssue"] == nil {
			delete(v, "reason")
		}
		for _, field := range v {
			leaveOut(field)
		}
	case []any:
		for _, item := range v {
			leaveOut(item)
		}
	}
}

func TestPublishedReportsDoNotDependOnTheRun(t *testing.T) {
	failed := map[string]any{"cause": string(spec.Assertion), "reason": "Expected 127.0.0.1:34567", "duration": "1s",
		"history": "histories/a"}
	issue := map[string]any{"cause": string(spec.Assertion), "knownIssue": "kubernetes/kubernetes#1",
		"reason": "known issue"}
	r := map[string]any{"date": "today", "requirements": []any{map[string]any{"evidence": []any{failed, issue}}}}
	leaveOut(r)
	if len(r) != 1 || len(failed) != 1 || len(issue) != 3 {
		t.Errorf("it leaves %v", r)
	}
}

func TestOnlyCompleteRunsOfANamedVersionArePublished(t *testing.T) {
	complete := func() *Report {
		return &Report{Result: ResultNonConformant, Implementation: Implementation{Name: "mine", Version: "v1"}}
	}
	if err := publishable(complete()); err != nil {
		t.Errorf("a red one: %v", err)
	}
	for name, change := range map[string]func(*Report){
		"a part":          func(r *Report) { r.Selection.Labels = "slow" },
		"one requirement": func(r *Report) { r.Selection.Requirements = []string{"JOB-STATUS-001"} },
		"no verdict":      func(r *Report) { r.Result = ResultNoVerdict },
		"a crash":         func(r *Report) { r.Crashes = make([]spec.Crash, 1) },
		"no version":      func(r *Report) { r.Implementation.Version = "" },
		"a command":       func(r *Report) { r.Implementation.Name = "exec:./mine" },
	} {
		r := complete()
		if change(r); publishable(r) == nil {
			t.Errorf("%s is published", name)
		}
	}
}
