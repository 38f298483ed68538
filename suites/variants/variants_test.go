package variants

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/internal/mutant"
	"github.com/jobconformance/jobconformance/suites/internal/selftest"
)

// some returns the variants whose names match an expression.
func some(t *testing.T, names *regexp.Regexp) (matching []Variant) {
	t.Helper()
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if v.Design == "" || len(v.Edits) == 0 {
			t.Fatalf("%s is incomplete", v.Name)
		}
		if names.MatchString(v.Name) {
			matching = append(matching, v)
		}
	}
	return matching
}

// overlay writes the file by which `go build` makes one controller with the edits of several variants.
func overlay(variants []Variant, root, dir string) (string, error) {
	var edits []mutant.Edit
	for _, v := range variants {
		edits = append(edits, v.Edits...)
	}
	texts, err := mutant.Apply(root, edits)
	if err != nil {
		return "", err
	}
	return mutant.Overlay(texts, dir)
}

func TestVariantsFitTheCode(t *testing.T) {
	if _, err := overlay(some(t, regexp.MustCompile("")), "../..", t.TempDir()); err != nil {
		t.Error(err)
	}
}

// TestVariantsAreGreen checks a controller with the edits of all variants, in one run of all
// specs. The environment variable VARIANTS is a regular expression on the names of some.
func TestVariantsAreGreen(t *testing.T) {
	names := selftest.Named(t, "VARIANTS", "variants")
	ctx, environment, impl := selftest.Open(t, "variants")
	dir := t.TempDir()
	variants := some(t, names)
	for _, v := range variants {
		t.Logf("%s: %s", v.Name, v.Design)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := overlay(variants, root, dir)
	if err != nil {
		t.Fatal(err)
	}
	builds := environment.Builds
	builds.Reference = filepath.Join(dir, "variants")
	if err := implementation.BuildReference(ctx, root, builds.Reference, overlay); err != nil {
		t.Fatal(err)
	}
	verdict, err := environment.Check(ctx, impl, builds, run.Selection{Focus: os.Getenv("FOCUS")})
	if err != nil {
		t.Fatal(err)
	}
	verdict.Print(os.Stdout, record.Usual)
	if !verdict.Green() {
		t.Errorf("%d specs or invariants demand more than the contract says, or a variant breaks it; "+
			"VARIANTS=NAME runs one alone", len(verdict.Failed()))
	}
	for _, s := range verdict.Specs {
		if s.Outcome() == spec.NotVerified {
			t.Logf("%s: %s", s.Text, s.Reason())
		}
	}
}
