package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBadInputIsOneLineAndCode2(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"unknown implementation":   {[]string{"-i", "kueue"}, `unknown implementation "kueue"`},
		"command not there":        {[]string{"-i", "exec:/no/such/controller"}, "cannot be started"},
		"misspelt placeholder":     {[]string{"-i", "exec:sh {kubeconfg}"}, "unknown placeholder {kubeconfg}"},
		"not a version":            {[]string{"--kubernetes-version", "latest"}, `"latest" is not a version`},
		"not a regular expression": {[]string{"--focus", "("}, "not a regular expression"},
		"not a label filter":       {[]string{"--labels", "a &&"}, "not a label filter"},
		"unknown requirement":      {[]string{"--requirement", "JOB-NONE-001"}, `unknown requirement "JOB-NONE-001"`},
		"unknown feature":          {[]string{"--decline", "indexed,magic"}, `unknown feature "magic"`},
		"core declined":            {[]string{"--decline", "core"}, "the core cannot be declined"},
		"no process":               {[]string{"--procs", "-1"}, "1 or more"},
		"no repeat":                {[]string{"--repeat", "-1"}, "1 or more"},
		"unknown flag":             {[]string{"--implementations", "reference"}, "unknown flag: --implementations"},
		"not a number":             {[]string{"--procs", "many"}, "invalid argument"},
		"stray argument":           {[]string{"reference"}, "unknown command"},
		"unwritable reports":       {[]string{"--reports", filepath.Join(file, "reports")}, "REPORTS"},
		"unwritable cache":         {[]string{"--cache-dir", filepath.Join(file, "cache"), "--reports", t.TempDir()}, "CACHE_DIR"},
		"assets without binaries":  {[]string{"--assets", t.TempDir(), "--cache-dir", t.TempDir(), "--reports", t.TempDir()}, "lacks kube-apiserver or etcd"},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if code := execute(context.Background(), c.args, &out, &errs); code != exitBadInput {
				t.Errorf("exit code %d, want %d", code, exitBadInput)
			}
			if text := errs.String(); !strings.Contains(text, c.want) || strings.Count(text, "\n") != 1 {
				t.Errorf("it said %q, want one line with %q", text, c.want)
			}
		})
	}
}

func TestHelpTellsWhatCanBeChecked(t *testing.T) {
	var out, errs bytes.Buffer
	if code := execute(context.Background(), []string{"--help"}, &out, &errs); code != 0 {
		t.Errorf("exit code %d, want 0", code)
	}
	for _, want := range []string{"kube-controller-manager", "exec:COMMAND", "{kubeconfig}", "Exit codes", "--focus"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the help lacks %q", want)
		}
	}
}
