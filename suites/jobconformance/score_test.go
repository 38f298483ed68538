package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/suites/score"
	"github.com/jobconformance/jobconformance/suites/specs"
	ginkgo "github.com/onsi/ginkgo/v2/types"
)

// indifferent are folders that the specs of score are compiled from and that do not decide how a
// mutant ends. A change of them leaves saved results as they are.
var indifferent = map[string]string{
	"controller":                  "manifests of the bundled controllers, which score does not run",
	"fixtures/badinput":           "errors of users",
	"fixtures/build":              "builds the control plane, whose version results are saved with",
	"fixtures/cluster":            "starts the control plane",
	"fixtures/console":            "prints",
	"fixtures/container":          "the container engine of kind",
	"fixtures/dialect":            "score has no custom resource",
	"fixtures/gates":              "score runs with the gates of the version",
	"fixtures/implementation":     "describes upstream's controller",
	"fixtures/internal":           "runs programs",
	"fixtures/limits":             "how much of others a run takes",
	"fixtures/process":            "runs programs",
	"fixtures/run":                "starts the parts of a run",
	"fixtures/spelling":           "remedies for errors of users",
	"fixtures/version":            "versions of Kubernetes, one of which results are saved with",
	"suites/internal/campaign":    "keeps results, and runs and reduces scenarios for commands",
	"suites/scheduling":           "specs of a gate that is off in score",
	"suites/status":               "score has no second cluster",
	"suites/webhook/requirements": "sentences that no spec of score covers",
}

func TestResultsOfScoreEndWithTheSpecsTheyAreOf(t *testing.T) {
	const root, module = "../..", "github.com/jobconformance/jobconformance/"
	absolute, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	filter, err := ginkgo.ParseLabelFilter(score.Filter)
	if err != nil {
		t.Fatal(err)
	}
	var packages []string
	for _, s := range specs.Preview() {
		if filter(s.Labels()) {
			file := s.FileName()
			if filepath.Ext(file) != ".go" { // of a scenario: the spec is where its container is
				file = s.ContainerHierarchyLocations[len(s.ContainerHierarchyLocations)-1].FileName
			}
			folder, err := filepath.Rel(absolute, filepath.Dir(file))
			if err != nil {
				t.Fatal(err)
			}
			packages = append(packages, module+filepath.ToSlash(folder))
		}
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	listed, err := exec.CommandContext(t.Context(), "go", append([]string{"list", "-deps"}, packages...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	below := func(folder, parent string) bool { return strings.HasPrefix(folder+"/", parent+"/") }
	for path := range strings.Lines(string(listed)) {
		folder, ours := strings.CutPrefix(strings.TrimSpace(path), module)
		if !ours || slices.ContainsFunc(decisive, func(parent string) bool { return below(folder, parent) }) {
			continue
		}
		known := false
		for parent := range indifferent {
			known = known || below(folder, parent)
		}
		if !known {
			t.Errorf("specs of score need %s: does it decide how a mutant ends? Add it to decisive or to indifferent",
				folder)
		}
	}
	// Without one of them, a checkout is taken for none.
	for _, folder := range decisive {
		if _, err := os.Stat(filepath.Join(root, folder)); err != nil {
			t.Error(err)
		}
	}
}
