package main

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// starts is how long a run may take to begin on a busy machine.
const starts = 5 * time.Minute

// TestRunsSideBySide runs PAIRS of runs at once, in one folder and with one cache: the verdict of each is that on its
// own controller. A third one wants the folder for reports of one of them, and is refused.
func TestRunsSideBySide(t *testing.T) {
	if os.Getenv("JOBCONFORMANCE_SELFTEST") == "" {
		t.Skip("not verified: it starts clusters; run `make hostile`")
	}
	pairs, err := strconv.Atoi(cmp.Or(os.Getenv("PAIRS"), "1"))
	if err != nil {
		t.Fatal(err)
	}
	folder, temporary := t.TempDir(), t.TempDir()
	program := filepath.Join(folder, "jobconformance")
	output(t, "", nil, "go", "build", "-o", program, ".")
	start := func(reports, implementation string) (*exec.Cmd, *bytes.Buffer) {
		c := exec.Command(program, "run", "--requirement=JOB-PARALLELISM-001", "--output-dir="+reports,
			"--implementation="+implementation)
		for flag, variable := range map[string]string{"--assets": "KUBEBUILDER_ASSETS", "--cache-dir": "CACHE_DIR"} {
			if value := os.Getenv(variable); value != "" {
				c.Args = append(c.Args, flag, value)
			}
		}
		c.Dir, c.Env = folder, append(os.Environ(), "TMPDIR="+temporary)
		var out bytes.Buffer
		c.Stdout, c.Stderr = &out, &out
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		return c, &out
	}
	ends := func(c *exec.Cmd, out *bytes.Buffer, code int, says string) {
		t.Helper()
		var exit *exec.ExitError
		if err := c.Wait(); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if got := c.ProcessState.ExitCode(); got != code || !strings.Contains(out.String(), says) {
			t.Errorf("%s: exit code %d, want %d and %q:\n%s", c.Args, got, code, says, out)
		}
	}
	for range pairs {
		locked := filepath.Join(folder, "bad", "harness.log")
		_ = os.Remove(locked) // of the pair before
		good, goodSays := start("good", "reference")
		bad, badSays := start("bad", "exec:sleep 1000")
		for deadline := time.Now().Add(starts); time.Now().Before(deadline); {
			if _, err := os.Stat(locked); err == nil {
				break
			}
			time.Sleep(20 * time.Millisecond) // it has the folder once it writes there
		}
		third, thirdSays := start("bad", "reference")
		ends(third, thirdSays, exitBadInput, "another run writes its reports into ")
		if strings.Count(thirdSays.String(), "\n") != 1 {
			t.Errorf("it prints more than a line:\n%s", thirdSays)
		}
		ends(good, goodSays, exitGreen, "\nGREEN ")
		ends(bad, badSays, exitRed, "\nRED ")
	}
	if left := names(t, temporary); len(left) > 0 {
		t.Errorf("they leave %v", left)
	}
}
