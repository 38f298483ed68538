package hostile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/internal/selftest"
	"github.com/jobconformance/jobconformance/suites/report"
)

// parallelism are requirements whose specs every attack on Jobs and pods meets.
var parallelism = []string{"JOB-PARALLELISM-001", "JOB-PARALLELISM-002", "JOB-COMPLETIONS-001"}

// patience is that of runs by their expected verdicts: waits of one that is to fail need not be long.
var patience = map[string]string{Green: "--patience=30s", Red: "--patience=5s"}

// limit is how long one run may take on a busy machine.
const limit = 5 * time.Minute

// TestHostileControllers runs each of them, or those whose names the regular expression HOSTILE matches. One takes 10 s
// to 60 s, and the one that deletes policies 3 min, for which a spec waits for a refusal; all together 11 min on two
// cores that do other things as well. With -short, there are the quick ones, which take 3 min there.
func TestHostileControllers(t *testing.T) {
	names := selftest.Named(t, "HOSTILE", "hostile")
	r := runner{bin: t.TempDir()}
	r.build(t, "jobconformance", "../jobconformance")
	r.build(t, "hostile", "./program")
	var verdict string
	_, r.results = r.run(t, "reference", parallelism, Green, &verdict)
	if verdict != Green {
		t.Fatalf("the reference is %s", verdict)
	}
	for _, c := range Controllers {
		if !names.MatchString(c.Name) {
			continue
		}
		if c.Quick || !testing.Short() {
			t.Run(c.Name, func(t *testing.T) { r.attack(t, c) })
		}
		for command := range ofOtherCommands {
			if c.Name == seenByAll && (command == "crash" || !testing.Short()) {
				t.Run(command, func(t *testing.T) { r.attackOther(t, command, c) })
			}
		}
	}
}

// ofOtherCommands are those with a verdict on a controller beside run, with arguments that let them be short. Each
// takes 10 s to 30 s. Of those that are quick there is crash alone, the one that runs no scenarios.
var ofOtherCommands = map[string][]string{
	"crash":    {"--kills=2", "--jobs=7", "--seed=1"},
	"explore":  {"--scenarios=^completions$", "--fail-fast"},
	"handover": {"--scenarios=^completions$", "--plan=create pods 1: hand over after"},
	"leaks":    {"--waves=3", "--objects=10"},
	"soak":     {"--count=1", "--seed=1", "--shrink=1ms"},
}

// seenByAll is right by all that it does to Jobs.
const seenByAll = "deletes-leases"

// attackOther has another command see a hostile controller.
func (r runner) attackOther(t *testing.T, command string, c Controller) {
	flag := "--implementation"
	if command == "handover" {
		flag = "--from"
	}
	args := append([]string{command, flag, r.command(c, ""), "--output-dir", t.TempDir()}, ofOtherCommands[command]...)
	var verdict string
	begin := time.Now()
	out := r.output(t, &verdict, r.flags(args...)...)
	t.Logf("%s in %s", verdict, time.Since(begin).Round(100*time.Millisecond))
	if says := "the controller interferes: " + c.Names; verdict != Red || !bytes.Contains(out, []byte(says)) {
		t.Errorf("%s; expected %s that says %q:\n%s", verdict, Red, says, out)
	}
}

// runner runs hostile controllers with a program of this checkout.
type runner struct {
	bin     string
	results []byte // of a green run, as lines of a log
}

func (r runner) build(t *testing.T, name, of string) {
	t.Helper()
	if out, err := exec.Command("go", "build", "-o", filepath.Join(r.bin, name), of).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// command is the implementation that a hostile controller is. The file has results of a green run.
func (r runner) command(c Controller, forged string) string {
	return "exec:" + strings.Join([]string{filepath.Join(r.bin, "hostile"), c.Name, "{kubeconfig}",
		filepath.Join(r.bin, "jobconformance"), forged}, " ")
}

// flags adds where control planes are.
func (r runner) flags(args ...string) []string {
	for flag, value := range map[string]string{"--assets": selftest.Builder().AssetsDir,
		"--cache-dir": selftest.Builder().CacheDir} {
		if value != "" {
			args = append(args, flag, value)
		}
	}
	return args
}

// attack runs a hostile controller, and compares what the run says with what is expected of it.
func (r runner) attack(t *testing.T, c Controller) {
	forged := filepath.Join(t.TempDir(), "results")
	if err := os.WriteFile(forged, r.results, 0o600); err != nil {
		t.Fatal(err)
	}
	requirements := c.Requirements
	if len(requirements) == 0 {
		requirements = parallelism
	}
	var verdict string
	begin := time.Now()
	got, results := r.run(t, r.command(c, forged), requirements, c.Verdict, &verdict)
	var found []string
	for _, i := range got.Interferences {
		found = append(found, i.String())
	}
	t.Logf("%s in %s: %s: %q", c.Does, time.Since(begin).Round(100*time.Millisecond), verdict, found)
	if verdict != c.Verdict || got.Result.Word() != c.Verdict {
		t.Errorf("the run is %s, and its report %s; expected %s", verdict, got.Result.Word(), c.Verdict)
	}
	named := slices.ContainsFunc(got.Interferences, func(i spec.Interference) bool { return i.What == c.Names })
	if c.Names != "" && !named || c.Names == "" && len(found) > 0 {
		t.Errorf("interferences: %q; expected one that says %q", found, c.Names)
	}
	if merged := r.merge(t, results); merged != c.Verdict {
		t.Errorf("merged from its log, the run is %s; expected %s", merged, c.Verdict)
	}
}

// run runs an implementation, and returns its report, its verdict by the exit code and its results for a merge.
func (r runner) run(t *testing.T, implementation string, requirements []string, expected string, verdict *string) (
	*report.Report, []byte) {
	t.Helper()
	reports := t.TempDir()
	out := r.output(t, verdict, r.flags("run", "--implementation", implementation, patience[expected], "--requirement",
		strings.Join(requirements, ","), "--output-dir", reports, "--shard=1/1", "--print-results")...)
	found, err := report.Load(filepath.Join(reports, report.FileName))
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if t.Failed() || testing.Verbose() {
		last := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
		for _, line := range last[max(0, len(last)-40):] {
			if !bytes.Contains(line, []byte("jobconformance-results")) {
				t.Logf("%s", line)
			}
		}
	}
	return found, out
}

// merge returns the verdict of a merge of the log of a run.
func (r runner) merge(t *testing.T, log []byte) (verdict string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, log, 0o600); err != nil {
		t.Fatal(err)
	}
	r.output(t, &verdict, "merge", "--output-dir", t.TempDir(), path)
	return verdict
}

// output runs the program, and returns what it prints, and its verdict by the exit code.
func (r runner) output(t *testing.T, verdict *string, args ...string) []byte {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	c := exec.CommandContext(ctx, filepath.Join(r.bin, "jobconformance"), args...)
	out, err := c.CombinedOutput()
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	switch code := c.ProcessState.ExitCode(); code {
	case 0:
		*verdict = Green
	case 1:
		*verdict = Red
	default:
		*verdict = fmt.Sprintf("of exit code %d", code)
		t.Logf("%s", out)
	}
	return out
}

// TestTheListIsComplete needs no cluster.
func TestTheListIsComplete(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Controllers {
		if c.Name == "" || c.Does == "" || c.attack == nil || seen[c.Name] {
			t.Errorf("%q is incomplete, or there twice", c.Name)
		}
		if c.Names != "" && c.Verdict != Red {
			t.Errorf("%s interferes and may be %s", c.Name, c.Verdict)
		}
		seen[c.Name] = true
		for _, id := range slices.Concat(c.Requirements, parallelism) {
			if _, ok := table.Find(id); !ok {
				t.Errorf("%s: there is no requirement %s", c.Name, id)
			}
		}
	}
}
