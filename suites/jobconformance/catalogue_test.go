package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/suites/report"
)

// Pages that are gone go with the next run; what others have put there stays.
func TestCatalogueReplacesItsPages(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write := func() {
		t.Helper()
		var out, errs bytes.Buffer
		if code := execute(t.Context(), []string{"catalogue", "--output-dir", dir}, &out, &errs); code != exitGreen ||
			!strings.Contains(out.String(), " files, ") {
			t.Fatalf("exit code %d: %s%s", code, &out, &errs)
		}
	}
	write()
	list, err := os.OpenFile(at(".jobconformance"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := list.WriteString("bug/gone.html\n"); err != nil {
		t.Fatal(err)
	}
	if err := list.Close(); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bug/gone.html", "bug/mine.html", "mine.html", "index.html"} {
		if err := os.WriteFile(at(name), []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write()
	for name, want := range map[string]bool{"bug/gone.html": false, "bug/mine.html": true, "mine.html": true,
		"requirement/JOB-BACKOFF-001.html": true} {
		if _, err := os.Stat(at(name)); (err == nil) != want {
			t.Errorf("%s is there: %t", name, !want)
		}
	}
	if page, err := os.ReadFile(at("index.html")); err != nil || string(page) == "mine" {
		t.Errorf("index.html is that of the first run: %v", err)
	}
}

func TestCompareMoreThanTwo(t *testing.T) {
	file := func(r *report.Report) string {
		dir := t.TempDir()
		if err := report.Write(dir, r); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	good, worse := file(reportWith(report.Conformant)), file(reportWith(report.NonConformant))
	var out, errs bytes.Buffer
	if code := execute(t.Context(), []string{"compare", good, worse, good}, &out, &errs); code != exitGreen ||
		!strings.Contains(out.String(), "  JOB-TRACKING            1 of 1   0 of 1: 1 non-conformant   1 of 1\n") {
		t.Errorf("exit code %d, %s%s", code, &out, &errs)
	}
	out.Reset()
	var o report.Overview
	code := execute(t.Context(), []string{"compare", "-o=json", good, worse, good}, &out, &errs)
	if code != exitGreen ||
		json.Unmarshal(out.Bytes(), &o) != nil || len(o.Reports) != 3 || len(o.Rows) != 2 ||
		o.Rows[1].Counts[1][report.NonConformant] != 1 {
		t.Errorf("exit code %d, %s%s", code, &out, &errs)
	}
}

func TestBadgeIsWritten(t *testing.T) {
	dir := t.TempDir()
	if err := report.Write(dir, reportWith(report.NonConformant)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "badge.json")
	var out, errs bytes.Buffer
	code := execute(t.Context(), []string{"badge", "--part=job", dir, path}, &out, &errs)
	text, err := os.ReadFile(path)
	if code != exitGreen || err != nil || !strings.Contains(string(text), `"non-conformant, 0 of 1 requirements"`) {
		t.Errorf("exit code %d, %s%s, %s, %v", code, &out, &errs, text, err)
	}
}
