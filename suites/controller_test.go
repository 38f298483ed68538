package suites

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/suites/contract/table"
)

// notTheControllers are requirements on Jobs and CronJobs that no line of a controller keeps, with
// what keeps them.
var notTheControllers = map[string]string{
	"CRON-HISTORY-003":         "the API server sets the default limits",
	"CRON-JOBS-007":            "the garbage collector deletes what has a CronJob as its owner",
	"CRON-OWNERS-002":          "the garbage collector removes the owner references of Jobs that are orphaned",
	"JOB-FINISHED-003":         "the TTL controller deletes finished Jobs",
	"JOB-IDENTITY-001":         "the API server puts the labels into the template of a Job",
	"JOB-PODFAILUREPOLICY-018": "the eviction API sets the condition DisruptionTarget",
	"JOB-PODFAILUREPOLICY-024": "no released version of Kubernetes has names of rules",
	"JOB-PODFAILUREPOLICY-025": "no released version of Kubernetes has names of rules",
	"JOB-PODS-002":             "the API server puts the labels into the template of a Job",
}

var requirementID = regexp.MustCompile(`\b(?:JOB|CRON)-[A-Z]+-\d{3}\b`)

// TestControllersKeepRequirements: every requirement on Jobs and CronJobs is cited in a comment of
// the reference controllers at the line that keeps it, is proved by a mutant that edits this line,
// or stands above as something else's.
func TestControllersKeepRequirements(t *testing.T) {
	cited, proved, required := map[string]bool{}, map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir("../controller", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		ids, err := citations(string(text))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, id := range ids {
			cited[id] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range proofs(t) {
		// The controller of the custom resource is not the reference.
		if !strings.HasPrefix(p.file, "controller/crd/") {
			proved[p.requirement] = true
		}
	}
	for _, r := range table.All() {
		if requirementID.MatchString(r.ID) {
			required[r.ID] = true
		}
	}
	for id := range required {
		switch reason := notTheControllers[id]; {
		case cited[id] && reason != "":
			t.Errorf("%s is cited below controller/, though %s; delete one of the two", id, reason)
		case !cited[id] && !proved[id] && reason == "":
			t.Errorf("%s is neither cited below controller/ nor proved by a mutant; write it at the line that keeps it",
				id)
		}
	}
	for id := range cited {
		if !required[id] {
			t.Errorf("%s is cited below controller/, but is no requirement; correct the number", id)
		}
	}
	for id := range notTheControllers {
		if !required[id] {
			t.Errorf("%s is listed above, but is no requirement; delete it", id)
		}
	}
}

// citations returns the IDs in the comments of a file, without those in the comment on its package.
// An ID above a declaration is an error: it does not say which line keeps the requirement.
func citations(text string) (ids []string, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	above := map[*ast.CommentGroup]bool{}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			above[d.Doc] = true
		case *ast.GenDecl:
			above[d.Doc] = true
		}
	}
	for _, c := range file.Comments {
		found := requirementID.FindAllString(c.Text(), -1)
		switch {
		case c == file.Doc:
		case above[c] && len(found) > 0:
			return nil, fmt.Errorf("%s stands above a declaration; write it at the line that keeps it", found[0])
		default:
			ids = append(ids, found...)
		}
	}
	return ids, nil
}

func TestCitations(t *testing.T) {
	const text = "// Package a has IDs such as JOB-A-001.\npackage a\n\n// f does it.\nfunc f() {\n\tg() " +
		"// JOB-B-002, CRON-C-003\n}\n"
	ids, err := citations(text)
	if want := []string{"JOB-B-002", "CRON-C-003"}; err != nil || !slices.Equal(ids, want) {
		t.Errorf("they are %v (%v), want %v", ids, err, want)
	}
	for _, declaration := range []string{"func f() {}", "var v = 1", "type t struct{}"} {
		if _, err := citations("package a\n\n// JOB-B-002\n" + declaration + "\n"); err == nil ||
			!strings.Contains(err.Error(), "JOB-B-002") {
			t.Errorf("%s: the error is %v", declaration, err)
		}
	}
}
