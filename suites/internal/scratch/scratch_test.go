package scratch_test

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"

	_ "github.com/jobconformance/jobconformance/suites/internal/scratch"
	_ "sigs.k8s.io/controller-runtime/pkg/envtest" // which would panic
)

func TestNowhereToWrite(t *testing.T) {
	program := exec.Command(os.Args[0], "-test.run=^$")
	program.Env = []string{"HOME=/dev/null", "TMPDIR=/dev/null"}
	out, err := program.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Errorf("got %v, want exit code 2", err)
	}
	if said := string(out); strings.Count(said, "\n") != 1 || !strings.Contains(said, "set TMPDIR") {
		t.Errorf("got %q, want one line that says what to do", said)
	}
}
