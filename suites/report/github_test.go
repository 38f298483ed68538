package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
)

func TestGitHub(t *testing.T) {
	summary, outputs := filepath.Join(t.TempDir(), "summary.md"), filepath.Join(t.TempDir(), "outputs")
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	t.Setenv("GITHUB_OUTPUT", outputs)
	t.Setenv("GITHUB_WORKSPACE", "/src")
	located := ended("x: 100% fails", quoting, "JOB-A-001", "JOB-A-002")
	located.Source, located.Location = spec.Source{File: "suites/x.go", Line: 3},
		spec.Source{File: "/src/suites/x.go", Line: 7}
	run := Run{Run: record.Run{Specs: []spec.Spec{
		located, ended("y: warns", should, "JOB-A-001"), ended("z: is known", known, "JOB-A-002"),
		ended("w: passes", passed), ended("v: is fixed", fixed, "JOB-I-001"),
	}}, Implementation: Implementation{Name: "mine"},
		Flags: map[string]string{"implementation": "exec:mine --v=2", "controllers": "job"}}
	for i := range 20 {
		run.Specs = append(run.Specs, ended("z: many fail", failed, fmt.Sprintf("JOB-M-%03d", i)))
	}
	run.Cluster.KubernetesVersion = "v1.37.1"
	r := Judge(run, requirements)

	t.Setenv("GITHUB_ACTIONS", "")
	var out strings.Builder
	if err := GitHub(&out, run, r); err != nil || out.String() != "" {
		t.Errorf("%v, and elsewhere than on GitHub it prints %s", err, out.String())
	}
	t.Setenv("GITHUB_ACTIONS", "true")
	Fold(&out, "specs")()
	if err := GitHub(&out, run, r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"::group::specs\n::endgroup::\n",
		"::error file=suites/x.go,line=7,title=JOB-A-001%2C 1 spec::x: 100%25 fails%0ANot within 30s.%0A",
		"::warning title=JOB-A-001::y: warns%0Awarning, its requirements say SHOULD",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it lacks %q:\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), "::error"); n != listed {
		t.Errorf("%d errors, want %d", n, listed)
	}
	text, err := os.ReadFile(summary)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"### mine: RED, non-conformant", "**2 of 3 requirements broken; begin with JOB-A-001: 1 spec**",
		"| 1 | **JOB-A-001** A MUST hold. | 0 requirements | x: 100% fails |", "and 11 more",
		"`jobconformance explain JOB-A-001` says where to begin",
		"\njobconformance run --controllers=job --implementation='exec:mine --v=2' --requirement=JOB-A-001\n",
		"21 failed, 1 unexpected pass, 1 known issue, 1 warning, 1 passed",
		"- **JOB-A-001** A MUST hold. ([batch/v1 JobSpec](", "- **unexpected pass**: the known bug",
		"- kubernetes/kubernetes#7: It forgets.",
		"| job | non-conformant | non-conformant |",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the summary lacks %q:\n%s", want, text)
		}
	}
	text, err = os.ReadFile(outputs)
	if want := "result=non-conformant\nfailed=21\nunexpected-pass=1\nflaky=0\nharness-error=0\nknown-issue=1\n" +
		"warning=1\nnot-verified=0\ndeclined=0\npassed=1\n"; err != nil || string(text) != want {
		t.Errorf("the outputs are %q, %v", text, err)
	}
}

// A program of the repository itself has paths that are relative to its root, and may run in a
// folder of the workflow.
func TestPlaceIsInTheRepositoryOfTheWorkflow(t *testing.T) {
	workspace := t.TempDir()
	clone := filepath.Join(workspace, "clone")
	for _, file := range []string{filepath.Join(workspace, "a.go"), filepath.Join(clone, "suites", "b.go")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(clone)
	t.Setenv("GITHUB_WORKSPACE", workspace)
	for file, want := range map[string]string{
		"a.go":                           "file=a.go,line=7,",
		"suites/b.go":                    "file=clone/suites/b.go,line=7,",
		"suites/c.go":                    "",
		filepath.Join(workspace, "d.go"): "file=d.go,line=7,",
		"/elsewhere/e.go":                "",
	} {
		if got := place(spec.Source{File: file, Line: 7}); got != want {
			t.Errorf("%s is at %q, want %q", file, got, want)
		}
	}
	if got := place(spec.Source{}); got != "" {
		t.Errorf("a location that is not known is at %q", got)
	}
}
