package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/jobconformance/jobconformance/suites/report"
	"golang.org/x/sys/unix"
)

// fakeControlPlane are programs of a cluster, all of which are this script.
func fakeControlPlane(t *testing.T, script string) (assets string) {
	t.Helper()
	assets = t.TempDir()
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		if err := os.WriteFile(filepath.Join(assets, name), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return assets
}

// Whatever ends a run, and however early, there are reports, and those of the run before until then.
func TestWhateverEndsARunThereIsAReport(t *testing.T) {
	t.Setenv("GITHUB_ACTIONS", "true")
	summary := filepath.Join(t.TempDir(), "summary.md")
	t.Setenv("GITHUB_STEP_SUMMARY", summary)
	folder := t.TempDir()
	for _, c := range []struct {
		name   string
		hangs  bool // the start of the cluster, until the signal; without one it fails
		code   int
		reason string
		quiet  bool
	}{
		{"interrupted", true, exitSignal + int(syscall.SIGTERM), "interrupted by SIGTERM", false},
		{"the harness fails", false, exitHarness, "the harness failed: ", false},
		{"interrupted quietly", true, exitSignal + int(syscall.SIGTERM), "interrupted by SIGTERM", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			script := "exit 1"
			started := filepath.Join(t.TempDir(), "started")
			if c.hangs {
				if err := unix.Mkfifo(started, 0o600); err != nil {
					t.Fatal(err)
				}
				script = "echo > " + started + "; exec sleep 1000"
			}
			assets := fakeControlPlane(t, script)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			if c.hangs {
				go func() {
					_, _ = os.ReadFile(started) // until etcd writes
					cancel(interrupted{syscall.SIGTERM})
				}()
			}
			before, _ := os.ReadFile(filepath.Join(folder, report.FileName))
			var out, errs bytes.Buffer
			code := execute(ctx, []string{"--labels=behaviour:parallelism", "--assets", assets, "--output-dir", folder,
				fmt.Sprint("--quiet=", c.quiet)}, &out, &errs)
			if code != c.code {
				t.Errorf("exit code %d, want %d: %s%s", code, c.code, &out, &errs)
			}
			r, err := report.Load(filepath.Join(folder, report.FileName))
			if err != nil {
				t.Fatal(err)
			}
			if r.Result != report.ResultNoVerdict || !strings.HasPrefix(r.Unfinished(), c.reason) ||
				len(r.NotRun) < 10 {
				t.Errorf("%s, %q, %d specs are not run", r.Result, r.Unfinished(), len(r.NotRun))
			}
			if after, _ := os.ReadFile(filepath.Join(folder, report.FileName)); bytes.Equal(before, after) {
				t.Error("report.yaml is that of the run before")
			}
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			if c.quiet && len(lines) > 1 {
				t.Errorf("it prints more than the last line:\n%s", &out)
			}
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, "NO VERDICT, ") ||
				!strings.Contains(last, "reference: 0 passed, 0 failed, ") {
				t.Errorf("the last line is %q", last)
			}
			for _, name := range []string{report.JUnitName, report.PageName} {
				if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil ||
					!strings.Contains(string(text), "not verified: "+strings.TrimSpace(c.reason)) {
					t.Errorf("%s does not say why specs are not verified (%v)", name, err)
				}
			}
			if text, err := os.ReadFile(summary); err != nil || !strings.Contains(string(text), "no-verdict") {
				t.Errorf("the summary of the step is %q (%v)", text, err)
			}
		})
	}
	// A run that does not begin leaves them.
	before, _ := os.ReadFile(filepath.Join(folder, report.FileName))
	var out, errs bytes.Buffer
	if code := execute(t.Context(), []string{"-i=exec:/no/such/controller", "--assets", t.TempDir(), "--output-dir",
		folder}, &out, &errs); code != exitBadInput {
		t.Errorf("exit code %d: %s", code, &errs)
	}
	if after, _ := os.ReadFile(filepath.Join(folder, report.FileName)); len(after) == 0 || !bytes.Equal(before, after) {
		t.Error("bad input has replaced the report of the run before")
	}
}
