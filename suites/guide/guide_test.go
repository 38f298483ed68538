package guide

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/climb"
	"github.com/jobconformance/jobconformance/suites/contract/ladder"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/expectations"
	"github.com/jobconformance/jobconformance/suites/internal/selftest"
	"golang.org/x/mod/modfile"
)

// steps are those of the guide.
const steps = 5

// patience is how long a spec waits for one reaction. What is missing takes several of them to show.
const patience = 4 * time.Second

func TestEachStepHasAController(t *testing.T) {
	all, err := Controllers()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != steps {
		t.Errorf("there are %d, want %d", len(all), steps)
	}
	for n, rung := range ladder.Of("job")[:steps] {
		title := fmt.Sprintf("\n## %d. %s\n", n+1, strings.ToUpper(rung.Name[:1])+rung.Name[1:])
		if !strings.Contains(page, title) {
			t.Errorf("the guide lacks the step %q", title)
		}
	}
}

func TestAnotherDeclarationOfANameTakesItsPlace(t *testing.T) {
	got, err := merge("// Doc.\npackage main\n\nimport \"a\"\n\n// F is old.\nfunc f() {}\n\nfunc g() {}\n",
		"package main\n\nimport \"b\"\n\n// F is new.\nfunc f() { g() }\n\nfunc h() {}\n")
	want := "// Doc.\npackage main\n\nimport (\n\t\"a\"\n\t\"b\"\n)\n\n// F is new.\nfunc f() { g() }\n\n" +
		"func g() {}\n\nfunc h() {}\n"
	if err != nil || got != want {
		t.Errorf("%v\n%s", err, got)
	}
}

// The example is in another module. With UPDATE=1, the test copies it.
func TestTheWorkflowIsTheExampleUpToDate(t *testing.T) {
	example, err := os.ReadFile("../example/ci/github.yml")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("first/github.yml", example, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(example) != workflow {
		t.Error("first/github.yml is not up to date; run UPDATE=1 go test ./suites/guide")
	}
	for _, pair := range inWorkflow {
		if !strings.Contains(string(example), pair[0]) {
			t.Errorf("the example lacks %q, which init replaces", pair[0])
		}
	}
}

// With UPDATE=1, the test writes go.mod.txt.
func TestVersionsOfModulesAreUpToDate(t *testing.T) {
	text, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	own, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		t.Fatal(err)
	}
	first, err := modfile.Parse("go.mod.txt", []byte(modules), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range first.Require {
		i := slices.IndexFunc(own.Require, func(o *modfile.Require) bool { return o.Mod.Path == r.Mod.Path })
		if i < 0 {
			t.Fatalf("this module does not require %s", r.Mod.Path)
		}
		if err := first.AddRequire(r.Mod.Path, own.Require[i].Mod.Version); err != nil {
			t.Fatal(err)
		}
	}
	err = first.AddGoStmt(own.Go.Version)
	want, wrong := first.Format()
	if err := errors.Join(err, wrong); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile("first/go.mod.txt", want, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if string(want) != modules {
		t.Errorf("first/go.mod.txt is not up to date; run UPDATE=1 go test ./suites/guide:\n%s", want)
	}
}

// A controller on the first rung is not to do anything else yet.
func TestExpectationsDeclineWhatIsAboveTheFirstRung(t *testing.T) {
	path := filepath.Join(t.TempDir(), Expectations)
	if err := os.WriteFile(path, []byte(Files("mine")[Expectations]), 0o644); err != nil {
		t.Fatal(err)
	}
	declined, err := expectations.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	first, all := ladder.Of("job")[0].Requirements, 0
	for _, r := range table.All() {
		if r.Profile() == "job" {
			all++
		}
	}
	if len(declined)+len(first) != all {
		t.Errorf("%d requirements are declined, and %d are on the first rung, of %d", len(declined), len(first), all)
	}
}

// TestStepsOfTheGuide checks the controller of each step: the rungs up to it hold, and the next one does not.
func TestStepsOfTheGuide(t *testing.T) {
	selftest.Named(t, "STEPS", "test")
	programs := build(t)
	ctx, environment, _ := selftest.Open(t, "guide")
	rungs := climb.Rungs([]string{"job"}, nil, nil)
	for n, program := range programs {
		t.Run(rungs[n].Name, func(t *testing.T) {
			impl, err := implementation.New(implementation.Options{
				Name: "exec:" + program + " --kubeconfig={kubeconfig}", Controllers: []string{"job"}})
			if err != nil {
				t.Fatal(err)
			}
			from := max(0, n-1) // the controller of the last step but one has been checked on the rungs below
			if n == len(programs)-1 {
				from = 0
			}
			record, err := environment.Check(ctx, impl, environment.Builds, run.Selection{
				Rungs: rungs[from : n+2], Patience: patience,
				Owners: ladder.Owners(table.All()), Principals: table.Principals(),
				Reports: filepath.Join(environment.Reports, fmt.Sprint("step-", n+1)),
			})
			if err != nil {
				t.Fatal(err)
			}
			if record.Stopped != rungs[n+1].Name {
				t.Errorf("it stops at %q, want %q", record.Stopped, rungs[n+1].Name)
			}
			for _, s := range record.Failed() {
				t.Logf("%s\n%s", s.Text, s.Message)
			}
		})
	}
}

// build returns the paths of the programs of all steps, as the files of init and the code of the guide have them.
func build(t *testing.T) (programs []string) {
	t.Helper()
	sources, err := Controllers()
	if err != nil {
		t.Fatal(err)
	}
	files := Files("mine")
	for n, source := range sources {
		dir := filepath.Join(t.TempDir(), fmt.Sprint(n+1))
		files["controller.go"] = source
		for path, text := range files {
			path = filepath.Join(dir, path)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range [][]string{{"vet", "."}, {"build", "-o", "mine", "."}} {
			cmd := exec.CommandContext(t.Context(), "go", args...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -mod=mod"))
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%s: %v\n%s", cmd, err, out)
			}
		}
		programs = append(programs, filepath.Join(dir, "mine"))
	}
	return programs
}
