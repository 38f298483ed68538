package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/suites/report"
	"sigs.k8s.io/yaml"
)

// The examples for CI systems end with a comparison of the report with that of the main branch. Their lines are run
// here as the systems run them, with a program that has its report already, and a store for artifacts on this machine.
func TestExamplesForCICompareWithTheMainBranch(t *testing.T) {
	for _, name := range []string{"bash", "curl"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("not verified: there is no " + name)
		}
	}
	good, worse := reportWith(report.Conformant), reportWith(report.NonConformant)
	for system, ci := range map[string]func(*testing.T, ciRun) (int, string){
		"GitHub": onGitHub, "Gitlab": onGitlab, "Prow": onProw,
	} {
		for name, c := range map[string]struct {
			main, mine *report.Report
			want       int
			says       string
		}{
			"the same":          {good, good, 0, "NOTHING WORSE"},
			"worse":             {good, worse, 1, "REGRESSED: 1 worse"},
			"better":            {worse, good, 0, "1 better"},
			"no report of main": {nil, good, 0, ""},
		} {
			t.Run(system+", "+name, func(t *testing.T) {
				code, output := ci(t, ciRun{dir: t.TempDir(), main: c.main, mine: c.mine})
				if code != c.want || !strings.Contains(output, c.says) {
					t.Errorf("exit code %d, want %d, and %q:\n%s", code, c.want, c.says, output)
				}
			})
		}
	}
	// What the run found counts there as well, although the comparison is in the same script.
	t.Run("Prow, red as main is", func(t *testing.T) {
		if code, output := onProw(t, ciRun{dir: t.TempDir(), main: worse, mine: worse, red: true}); code != 1 {
			t.Errorf("exit code %d, want 1:\n%s", code, output)
		}
	})
}

// reportWith returns one in which a requirement ended so.
func reportWith(outcome report.Outcome) *report.Report {
	r := &report.Report{Requirements: []report.Requirement{{ID: "JOB-TRACKING-001", Outcome: outcome}}}
	r.APIVersion, r.Kind = report.APIVersion, report.Kind
	return r
}

// ciRun is a run in a pull request.
type ciRun struct {
	dir        string
	main, mine *report.Report // main: nil where the branch has none
	red        bool           // the run's own verdict
}

// example reads one of the examples.
func example(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../example/ci", name))
	if err == nil {
		err = yaml.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// write puts a report into a folder of the run's; nil is none.
func (c ciRun) write(t *testing.T, r *report.Report, folder string) {
	t.Helper()
	if r == nil {
		return
	}
	folder = filepath.Join(c.dir, folder)
	if err := errors.Join(os.MkdirAll(folder, 0o755), report.Write(folder, r)); err != nil {
		t.Fatal(err)
	}
}

// install writes an executable script into bin, which comes first in the PATH of scripts.
func (c ciRun) install(t *testing.T, name, script string) {
	t.Helper()
	bin := filepath.Join(c.dir, "bin")
	if err := errors.Join(os.MkdirAll(bin, 0o755),
		os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script), 0o755)); err != nil {
		t.Fatal(err)
	}
}

// program installs this test as jobconformance.
func (c ciRun) program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(c.dir, "program", "jobconformance")
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.Symlink(self, path)); err != nil {
		t.Fatal(err)
	}
	return path
}

// bash runs a script, and returns its exit code and what it printed.
func (c ciRun) bash(t *testing.T, script string, environment ...string) (int, string) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "bash", "-c", script)
	shell.Dir = c.dir
	shell.Env = append(append(os.Environ(), "PATH="+filepath.Join(c.dir, "bin")+":"+os.Getenv("PATH")), environment...)
	output, err := shell.CombinedOutput()
	if err != nil && shell.ProcessState == nil {
		t.Fatal(err)
	}
	return shell.ProcessState.ExitCode(), string(output)
}

// store serves the reports of the main branch at paths, by requests that allowed accepts.
func (c ciRun) store(t *testing.T, files map[string]string, allowed func(*http.Request) bool) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if file, there := files[r.URL.RequestURI()]; there && c.main != nil && allowed(r) {
			http.ServeFile(w, r, filepath.Join(c.dir, file))
			return
		}
		http.NotFound(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func onGitHub(t *testing.T, c ciRun) (int, string) {
	var workflow struct {
		Jobs map[string]struct{ Steps []struct{ Name, Run string } }
	}
	example(t, "github.yml", &workflow)
	steps := workflow.Jobs["jobconformance"].Steps
	last := steps[len(steps)-1]
	if last.Name != "Compare with the main branch" {
		t.Fatalf("the last step is %q", last.Name)
	}
	c.write(t, c.main, "artifact")
	c.write(t, c.mine, "out")
	c.install(t, "gh", `case "$1 $2" in
"run list") if [ -d artifact ]; then echo 7; fi ;;
"run download") [ "$*" = "run download 7 --name=jobconformance --dir=main" ] && cp -r artifact main ;;
esac
`)
	return c.bash(t, "set -e\n"+last.Run, "PROGRAM="+c.program(t), "REPORTS=out")
}

func onGitlab(t *testing.T, c ciRun) (int, string) {
	var jobs map[string]struct{ Script []string }
	example(t, "gitlab-ci.yml", &jobs)
	c.write(t, c.main, "artifact")
	c.write(t, c.mine, "merged")
	url := c.store(t, map[string]string{
		"/projects/7/jobs/artifacts/main/raw/merged/report.yaml?job=jobconformance-report": "artifact/report.yaml",
	}, func(r *http.Request) bool { return r.Header.Get("JOB-TOKEN") == "secret" })
	return c.bash(t, "set -eo pipefail\n"+strings.Join(jobs["jobconformance-compare"].Script, "\n"),
		"CI_API_V4_URL="+url, "CI_PROJECT_ID=7",
		"CI_DEFAULT_BRANCH=main", "CI_JOB_TOKEN=secret", "GOBIN="+filepath.Dir(c.program(t)))
}

func onProw(t *testing.T, c ciRun) (int, string) {
	var jobs struct {
		Presubmits map[string][]struct {
			Spec struct {
				Containers []struct{ Command, Args []string }
			}
		}
	}
	example(t, "prow.yaml", &jobs)
	container := jobs.Presubmits["my-organization/my-controller"][0].Spec.Containers[0]
	if got := strings.Join(container.Command, " "); got != "bash -c" {
		t.Fatalf("the command is %q", got)
	}
	c.write(t, c.main, "bucket")
	c.write(t, c.mine, "ready")
	if err := os.WriteFile(filepath.Join(c.dir, "latest-build.txt"), []byte("12\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	const builds = "/my-bucket/logs/ci-my-controller-jobconformance"
	url := c.store(t, map[string]string{builds + "/latest-build.txt": "latest-build.txt",
		builds + "/12/artifacts/e2e/report.yaml": "bucket/report.yaml"}, func(*http.Request) bool { return true })
	c.install(t, "go", "")
	verdict := 0
	if c.red {
		verdict = 1
	}
	c.install(t, "jobconformance", fmt.Sprintf(`if [ "$1" = run ]; then
	mkdir -p "$ARTIFACTS" && cp -r ready "$ARTIFACTS/e2e"
	exit %d
fi
exec %s "$@"
`, verdict, c.program(t)))
	script := strings.ReplaceAll(container.Args[0], "https://storage.googleapis.com", url)
	return c.bash(t, script, "ARTIFACTS="+filepath.Join(c.dir, "artifacts"))
}
