package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

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
	index := []byte(publishedHead)
	for _, file := range files {
		r, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if want := r.PublishedName() + ".yaml"; filepath.Base(file) != want {
			t.Errorf("%s is the report of %s", file, want)
		}
		for _, q := range r.Requirements {
			if !known[q.ID] {
				t.Errorf("%s: %s is no requirement", file, q.ID)
			}
		}
		index = fmt.Appendf(index, "| [%s %s](%s) | %s | %s | %s |\n",
			r.Implementation.Name, r.Implementation.Version, filepath.Base(file), r.Result, r.Count(), r.SuiteVersion)
	}
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

The report.yaml of whole runs, without times, saved histories and the messages of failures, which
differ from run to run. ` + "`make published KUBERNETES_VERSION=v1.37.2`" + ` runs kube-controller-manager on an
embedded cluster, writes its report here, and this page. A report names the version of the suites that
made it; later versions may have more requirements.

| implementation | result | specs | suites |
|---|---|---|---|
`

// publish adds a report to the published ones.
func publish(from string) error {
	r, err := Load(from)
	if err != nil {
		return err
	}
	of := r.Selection
	if of.Focus+of.Skip+of.Labels+of.RerunFailed+of.Shard != "" || len(of.Requirements) > 0 {
		return fmt.Errorf("%s is not the report of a whole run: %+v", from, of)
	}
	if r.Result == ResultNoVerdict || len(r.Crashes) > 0 {
		return fmt.Errorf("%s is about an exit of the implementation, or no verdict", from)
	}
	text, err := yaml.Marshal(r)
	if err != nil {
		return err
	}
	var fields map[string]any
	if err := yaml.Unmarshal(text, &fields); err != nil {
		return err
	}
	leaveOut(fields)
	if text, err = yaml.Marshal(fields); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(published, r.PublishedName()+".yaml"), text, 0o644)
}

// leaveOut removes what differs from run to run.
func leaveOut(value any) {
	switch v := value.(type) {
	case map[string]any:
		for _, key := range []string{"date", "duration", "history"} {
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
