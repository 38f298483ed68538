package mutants

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/suites/internal/mutant"
)

// pictureEnv is the path of the program that makes the samples of the README. Default: they are not made.
const pictureEnv = "JOBCONFORMANCE_PICTURE"

// untracked is the controller of the samples.
var untracked = Mutant{
	Name: "parallelism/untracked",
	Edits: []mutant.Edit{{File: "controller/job/plan/scale.go",
		Old: "pod.Finalizers = append(pod.Finalizers, batchv1.JobTrackingFinalizer)",
		New: "_ = batchv1.JobTrackingFinalizer"}},
}

// TestPicture writes what a run of the bundled controller prints, and one of a wrong controller, in excerpts for the
// README. The reports of the second one stay, for a picture of its page.
func TestPicture(t *testing.T) {
	program := os.Getenv(pictureEnv)
	if program == "" {
		t.Skip("not verified: it starts a cluster; run `make picture`")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	programs, err := Build(t.Context(), root, t.TempDir(), []Mutant{untracked})
	if err != nil {
		t.Fatal(err)
	}
	printed := func(name string, args ...string) string {
		args = append([]string{"run", "--labels=behaviour:parallelism",
			"--output-dir=" + filepath.Join(root, "reports/picture", name)}, args...)
		cmd := exec.CommandContext(t.Context(), program, args...)
		// Without what would be flags, and with all lines, as a user has them.
		cmd.Env = slices.DeleteFunc(os.Environ(), func(v string) bool {
			return strings.HasPrefix(v, "JOBCONFORMANCE_") || strings.HasPrefix(v, "GITHUB_") ||
				strings.HasPrefix(v, "CI=")
		})
		out, err := cmd.CombinedOutput()
		var red *exec.ExitError
		if err != nil && !(errors.As(err, &red) && red.ExitCode() == 1) {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	write := func(name, text string) {
		path := filepath.Join(root, "suites/report/samples", name+".txt")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("green", "$ jobconformance run --labels=behaviour:parallelism\n"+excerpt(t, printed("green"),
		`^suites `, `^embedded cluster, `, `^reference `, `^\[1/`, `^\[2/`, "...", `^parallelism `, "...", `^GREEN `))
	write("red", excerpt(t, printed("red", "--name=no-finalizer",
		"--implementation=exec:"+programs[untracked.Name]+" --leader-elect=false --kubeconfig={kubeconfig}"),
		`^\[1/`, `An invariant`, `job-pod-is-tracked`, `source: `, `is created without it`, `^\[2/`,
		`requirements broken`))
}

// excerpt returns the next line for each regular expression; "..." stands for those between.
func excerpt(t *testing.T, text string, lines ...string) string {
	t.Helper()
	rest := strings.Split(text, "\n")
	var out []string
	for _, want := range lines {
		if want == "..." {
			out = append(out, want)
			continue
		}
		pattern := regexp.MustCompile(want)
		for len(rest) > 0 && !pattern.MatchString(rest[0]) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			t.Fatalf("no line fits %s in\n%s", want, console.Indent(text, 4))
		}
		out, rest = append(out, strings.TrimRight(rest[0], " ")), rest[1:]
	}
	return strings.Join(out, "\n") + "\n"
}
