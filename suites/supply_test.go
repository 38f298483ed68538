package suites

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// ours are actions of this repository, whose users choose a version.
var (
	ours   = regexp.MustCompile(`^(\./|jobconformance/)`)
	uses   = regexp.MustCompile(`(?m)^\s*(?:- )?uses: (.*)$`)
	pinned = regexp.MustCompile(`^[a-z/.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

func TestActionsArePinned(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../.github/*/*.yml", "example/ci/*.yml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	versions, seen := map[string]string{}, 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range uses.FindAllStringSubmatch(string(text), -1) {
			if ours.MatchString(found[1]) {
				continue
			}
			seen++
			if !pinned.MatchString(found[1]) {
				t.Errorf("%s uses %s, want a digest, and its version in a comment", file, found[1])
			}
			name, version, _ := strings.Cut(found[1], "@")
			if other, known := versions[name]; known && other != version {
				t.Errorf("%s uses %s of %s and of %s", file, name, version, other)
			}
			versions[name] = version
		}
	}
	if seen < 10 {
		t.Errorf("found %d actions", seen)
	}
}

// workflow is what the tests here read of one, and of an action.
type workflow struct {
	Permissions map[string]string
	Jobs        map[string]struct {
		Permissions map[string]string
		Steps       []step
	}
	Runs struct{ Steps []step }
}

type step struct {
	ID, Uses, Run string
	With          map[string]any
}

func readWorkflow(t *testing.T, path string) (w workflow) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.Unmarshal(text, &w)
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Wrong: saves what the controller has left in the cache, which later workflows execute.
func TestTheCacheIsSavedBeforeTheRun(t *testing.T) {
	steps := readWorkflow(t, "../.github/action/action.yml").Runs.Steps
	last := -1
	for _, what := range []string{"actions/cache/restore@", `"$PROGRAM" prefetch`, "actions/cache/save@", "set -- run"} {
		at := slices.IndexFunc(steps, func(s step) bool { return strings.Contains(s.Uses+s.Run, what) })
		if at <= last {
			t.Errorf("%q is step %d, want one after step %d", what, at, last)
		}
		last = at
	}
	for _, s := range steps {
		if strings.HasPrefix(s.Uses, "actions/cache@") {
			t.Errorf("%s saves the cache after the run", s.Uses)
		}
	}
}

func TestWorkflowsHaveTheLeastRights(t *testing.T) {
	for path, allowed := range map[string]map[string]string{
		"../.github/workflows/test.yml": {},
		"../.github/workflows/release.yml": {"release contents": "write", "release id-token": "write",
			"release attestations": "write"},
	} {
		w := readWorkflow(t, path)
		if len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s may do %v", path, w.Permissions)
		}
		for name, job := range w.Jobs {
			for right, level := range job.Permissions {
				if allowed[name+" "+right] != level {
					t.Errorf("%s: %s may %s %s", path, name, level, right)
				}
			}
		}
	}
}

// What a release publishes: archives, an SBOM of each, checksums of all, and a signature of the checksums, whose
// provenance the workflow attests to. goreleaser itself checks the rest: make snapshot.
func TestReleasesCanBeVerified(t *testing.T) {
	var config struct {
		SBOMs    []struct{ Artifacts string }
		Checksum struct {
			Name    string `json:"name_template"`
			Disable bool
		}
		Signs []struct {
			Cmd, Artifacts string
			Args           []string
		}
	}
	text, err := os.ReadFile("../.goreleaser.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &config)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(config.SBOMs) != 1 || config.SBOMs[0].Artifacts != "archive" || config.Checksum.Disable {
		t.Errorf("SBOMs %+v, checksums %+v", config.SBOMs, config.Checksum)
	}
	if len(config.Signs) != 1 || config.Signs[0].Cmd != "cosign" || config.Signs[0].Artifacts != "checksum" ||
		!slices.Contains(config.Signs[0].Args, "--bundle=${signature}") {
		t.Errorf("signatures %+v", config.Signs)
	}
	steps := readWorkflow(t, "../.github/workflows/release.yml").Jobs["release"].Steps
	last := -1
	for _, name := range []string{"sigstore/cosign-installer@", "anchore/sbom-action/download-syft@",
		"goreleaser/goreleaser-action@", "actions/attest-build-provenance@"} {
		at := slices.IndexFunc(steps, func(s step) bool { return strings.HasPrefix(s.Uses, name) })
		if at <= last {
			t.Errorf("%s is step %d, want one after step %d", name, at, last)
		}
		last = max(last, at)
	}
	attested := slices.Collect(maps.Values(steps[last].With))
	if len(attested) != 1 || attested[0] != "dist/"+config.Checksum.Name {
		t.Errorf("the provenance is that of %v", attested)
	}
}
