package main

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// TestInstall installs the last commit as its users do, without a checkout, and checks a controller
// in a folder of theirs.
func TestInstall(t *testing.T) {
	if os.Getenv("JOBCONFORMANCE_SELFTEST") == "" {
		t.Skip("not verified: it compiles the program and starts a cluster; run `make test`")
	}
	if err := exec.Command("git", "rev-parse").Run(); err != nil {
		t.Skip("not verified: this is no checkout of git, so that there is no commit to install")
	}
	bin, repository, temporary := t.TempDir(), t.TempDir(), t.TempDir()
	install := append(fromProxy(t), "GOBIN="+bin)
	output(t, t.TempDir(), install, "go", "install", modulePath+"/suites/jobconformance@"+lastCommit(t))

	program := filepath.Join(bin, "jobconformance")
	if err := os.Symlink(program, filepath.Join(repository, build.Reference)); err != nil {
		t.Fatal(err)
	}
	args := []string{"run", "--implementation", "exec:./" + build.Reference + " --kubeconfig={kubeconfig}",
		"--requirement", "JOB-PARALLELISM-001", "--output-dir", "reports"}
	for flag, variable := range map[string]string{"--assets": "KUBEBUILDER_ASSETS", "--cache-dir": "CACHE_DIR"} {
		if value := os.Getenv(variable); value != "" {
			args = append(args, flag, value)
		}
	}
	in := []string{"TMPDIR=" + temporary}
	out := output(t, repository, in, program, args...)
	if !strings.Contains(out, "\nGREEN ") {
		t.Errorf("no verdict: %s", out)
	}
	if got, want := names(t, repository), []string{build.Reference, "reports"}; !slices.Equal(got, want) {
		t.Errorf("the run leaves %v in the folder of the controller, want %v", got, want)
	}

	// What fails today is expected to fail from now on.
	args[2] += " --controllers=cronjob" // nobody runs Jobs
	if out := red(t, repository, in, program, args...); !strings.Contains(out, "\nRED ") {
		t.Errorf("a controller that does nothing is not red: %s", out)
	}
	output(t, repository, nil, program, "expectations", "reports/report.yaml", "expectations.yaml")
	out = output(t, repository, in, program, append(args, "--expectations=expectations.yaml")...)
	if !strings.Contains(out, "\nGREEN ") || !strings.Contains(out, "expects JOB-PARALLELISM-001 to fail: ") {
		t.Errorf("what is expected to fail is red: %s", out)
	}
	if left := names(t, temporary); len(left) > 0 {
		t.Errorf("the run leaves %v in the folder for temporary files", left)
	}
}

// TestFixturesInAnEmptyModule has the tests of fixtures/example use the last commit as its users do: by a module that
// has nothing else.
func TestFixturesInAnEmptyModule(t *testing.T) {
	if os.Getenv("JOBCONFORMANCE_SELFTEST") == "" {
		t.Skip("not verified: it compiles the fixtures and starts a cluster; run `make example`")
	}
	if err := exec.Command("git", "rev-parse").Run(); err != nil {
		t.Skip("not verified: this is no checkout of git, so that there is no commit to get")
	}
	repository, temporary := t.TempDir(), t.TempDir()
	root := output(t, "", nil, "git", "rev-parse", "--show-toplevel")
	if err := os.CopyFS(repository, os.DirFS(filepath.Join(root, "fixtures/example"))); err != nil {
		t.Fatal(err)
	}
	env := append(fromProxy(t), "TMPDIR="+temporary)
	output(t, repository, env, "go", "get", modulePath+"@"+lastCommit(t))
	output(t, repository, env, "go", "mod", "tidy")
	output(t, repository, env, "go", "vet", "./...")
	t.Log(output(t, repository, env, "go", "test", "-count=1", "-v", "./..."))
	if left := names(t, temporary); len(left) > 0 {
		t.Errorf("the tests leave %v in the folder for temporary files", left)
	}
}

const modulePath = "github.com/jobconformance/jobconformance"

// fromProxy is the environment of a go command that takes the last commit from a proxy.
func fromProxy(t *testing.T) []string {
	proxies := "file://" + filepath.ToSlash(proxy(t)) + "," + output(t, "", nil, "go", "env", "GOPROXY")
	return []string{"GOPROXY=" + proxies, "GONOSUMDB=" + modulePath, "GOFLAGS=" + os.Getenv("GOFLAGS")}
}

// proxy returns a folder that is a proxy of Go modules with one version: the last commit.
func proxy(t *testing.T) string {
	root := output(t, "", nil, "git", "rev-parse", "--show-toplevel")
	folder := t.TempDir()
	at := filepath.Join(folder, filepath.FromSlash(path.Join(modulePath, "@v")))
	if err := os.MkdirAll(at, 0o755); err != nil {
		t.Fatal(err)
	}
	v := lastCommit(t)
	archive, err := os.Create(filepath.Join(at, v+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if err := zip.CreateFromVCS(archive, module.Version{Path: modulePath, Version: v}, root, "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"list":       "",
		"../@latest": `{"Version": "` + v + `"}`,
		v + ".info":  `{"Version": "` + v + `"}`,
		v + ".mod":   output(t, root, nil, "git", "show", "HEAD:go.mod"),
	} {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// lastCommit returns the version that Go gives the last commit.
func lastCommit(t *testing.T) string {
	commit, at, _ := strings.Cut(output(t, "", nil, "git", "log", "-1", "--abbrev=12", "--format=%h %cI"), " ")
	committed, err := time.Parse(time.RFC3339, at)
	if err != nil {
		t.Fatal(err)
	}
	return module.PseudoVersion("v0", "", committed, commit)
}

// output runs a command in a folder and returns what it prints.
func output(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = folder, append(os.Environ(), env...)
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", c, err, out)
	}
	return strings.TrimSpace(string(out))
}

// red is output of a command that ends with the exit code of a red run.
func red(t *testing.T, folder string, env []string, name string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir, c.Env = folder, append(os.Environ(), env...)
	out, _ := c.CombinedOutput()
	if code := c.ProcessState.ExitCode(); code != exitRed {
		t.Fatalf("%s: exit code %d, want %d\n%s", c, code, exitRed, out)
	}
	return strings.TrimSpace(string(out))
}

// names returns what is in a folder, in order.
func names(t *testing.T, folder string) (names []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
