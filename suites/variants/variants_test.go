// Package variants holds controllers that are made in another way than the reference
// controller and keep the contract all the same: the mirror of package mutants. A spec or
// an invariant that turns one of them red demands what the contract does not say.
package variants

import (
	"embed"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/internal/mutant"
	"github.com/jobconformance/jobconformance/suites/internal/selftest"
	"sigs.k8s.io/yaml"
)

//go:embed *.yaml
var descriptions embed.FS

// variant is one such controller.
type variant struct {
	// Design is what it does otherwise, in a sentence.
	Design string `json:"design"`
	// Edits make it of the reference controller. Those of all variants go together.
	Edits []mutant.Edit `json:"edits"`
}

// all returns the variants whose name, that of its file, matches an expression.
func all(t *testing.T, names *regexp.Regexp) map[string]variant {
	t.Helper()
	files, err := fs.Glob(descriptions, "*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]variant{}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".yaml")
		if !names.MatchString(name) {
			continue
		}
		data, err := descriptions.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var v variant
		if err := yaml.UnmarshalStrict(data, &v); err != nil || v.Design == "" || len(v.Edits) == 0 {
			t.Fatalf("%s is incomplete: %v", file, err)
		}
		found[name] = v
	}
	return found
}

// overlay writes the file by which `go build` makes one controller with the edits of several variants.
func overlay(variants map[string]variant, root, dir string) (string, error) {
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
	if _, err := overlay(all(t, regexp.MustCompile("")), "../..", t.TempDir()); err != nil {
		t.Error(err)
	}
}

// TestVariantsAreGreen checks a controller with the edits of all variants, in one run of all
// specs. The environment variable VARIANTS is a regular expression on the names of some.
func TestVariantsAreGreen(t *testing.T) {
	names := selftest.Named(t, "VARIANTS", "variants")
	ctx, environment, impl := selftest.Open(t, "variants")
	dir := t.TempDir()
	variants := all(t, names)
	for name, v := range variants {
		t.Logf("%s: %s", name, v.Design)
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
