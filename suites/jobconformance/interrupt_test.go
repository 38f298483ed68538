package main

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/suites/report"
)

// interruptedRun is one that is interrupted, and then started again: all with one folder for reports and one cache.
type interruptedRun struct {
	program, reports, temporary string
}

const (
	// markEnv is in the environment of the processes of a run, with the mark of the run.
	markEnv = "INTERRUPTED_RUN"
	// goneSoon is how long processes may outlive a run that was killed, on a busy machine.
	goneSoon = 20 * time.Second
	// endsSoon is how long a run may take to end by a signal.
	endsSoon = time.Minute
)

// TestInterruptions interrupts runs at random moments, INTERRUPTIONS of them. Nothing of them stays, their reports are
// whole or absent, and the next run works. SEED draws the same moments again.
func TestInterruptions(t *testing.T) {
	if os.Getenv("JOBCONFORMANCE_SELFTEST") == "" {
		t.Skip("not verified: it starts clusters; run `make hostile`")
	}
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("not verified: processes are found in /proc: ", err)
	}
	times, err := strconv.Atoi(cmp.Or(os.Getenv("INTERRUPTIONS"), "8"))
	if err != nil {
		t.Fatal(err)
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("SEED"), strconv.FormatInt(time.Now().Unix(), 10)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("SEED=%d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	bin := t.TempDir()
	r := interruptedRun{program: filepath.Join(bin, "jobconformance"), reports: filepath.Join(bin, "reports"),
		temporary: t.TempDir()}
	output(t, "", nil, "go", "build", "-o", r.program, ".")
	length := r.undisturbed(t)
	t.Logf("a run takes %s", length)
	count, late := map[string]int{}, 0
	var parts []string
	for n := 0; n < times; {
		signal := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGKILL}[n%4]
		at := time.Duration(random.Float64() * float64(length))
		group := n/4%2 == 1
		ended, took := r.interrupt(t, fmt.Sprintf("%d-%d", n, late), signal, group, at)
		if took < at { // the machine has become faster
			length, late = took, late+1
			if late > 10*times {
				t.Fatal("runs end before they are interrupted")
			}
			continue
		}
		count[ended]++
		parts = append(parts, fmt.Sprintf("%.0f%%", 100*at.Seconds()/length.Seconds()))
		if n++; n%10 == 0 || n == times {
			length = r.undisturbed(t)
		}
	}
	t.Logf("%d interruptions: %v, after these parts of a run: %s; %d runs had ended before", times, count,
		strings.Join(parts, " "), late)
}

// start starts a run, whose processes have a mark.
func (r *interruptedRun) start(t *testing.T, mark string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	c := exec.Command(r.program, "run", "--requirement=JOB-PARALLELISM-001", "--history=all", "--output-dir="+r.reports)
	for flag, variable := range map[string]string{"--assets": "KUBEBUILDER_ASSETS", "--cache-dir": "CACHE_DIR"} {
		if value := os.Getenv(variable); value != "" {
			c.Args = append(c.Args, flag, value)
		}
	}
	c.Env = append(os.Environ(), "TMPDIR="+r.temporary, markEnv+"="+ofThisTest(mark))
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	c.WaitDelay = goneSoon // for the pipe of the output
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c, &out
}

// ofThisTest is a mark that no other test has at the same time.
func ofThisTest(mark string) string { return fmt.Sprintf("%d-%s", os.Getpid(), mark) }

// undisturbed has a run come to its end, which leaves nothing, not even what others have left.
func (r *interruptedRun) undisturbed(t *testing.T) (took time.Duration) {
	t.Helper()
	begin := time.Now()
	c, out := r.start(t, "undisturbed")
	if err := c.Wait(); err != nil || !strings.Contains(out.String(), "\nGREEN ") {
		t.Fatalf("a run that nobody interrupts: %v\n%s", err, out)
	}
	took = time.Since(begin)
	if left := marked(t, "undisturbed"); len(left) > 0 {
		t.Errorf("it leaves %v", left)
	}
	if left := names(t, r.temporary); len(left) > 0 {
		t.Errorf("it leaves %v in the folder for temporary files", left)
	}
	for _, pattern := range []string{".*", "*/.*"} {
		left, _ := filepath.Glob(filepath.Join(r.reports, pattern))
		for _, path := range left {
			if !strings.HasPrefix(filepath.Base(path), ".jobconformance") {
				t.Errorf("it leaves %s", path)
			}
		}
	}
	if reports := r.checkReports(t); reports != 3 {
		t.Errorf("it writes %d of 3 reports", reports)
	}
	return took
}

// interrupt interrupts a run, if that has not ended, and returns how it ended, and after how long. As timeout(1) does,
// it may send the signal once more to the group that the run is in.
func (r *interruptedRun) interrupt(t *testing.T, mark string, signal syscall.Signal, group bool,
	at time.Duration) (how string, took time.Duration) {
	t.Helper()
	begin := time.Now()
	c, out := r.start(t, mark)
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	what := fmt.Sprintf("%s of %s after %s (group: %t)", mark, signal, at.Round(time.Millisecond), group)
	select {
	case <-time.After(at):
		_ = c.Process.Signal(signal)
		if group {
			_ = syscall.Kill(-c.Process.Pid, signal)
		}
	case err := <-ended:
		ended <- err
	}
	select {
	case <-ended:
	case <-time.After(endsSoon):
		t.Errorf("interruption %s: it does not end within %s", what, endsSoon)
		_ = c.Process.Kill()
		<-ended
	}
	took = time.Since(begin)
	code := c.ProcessState.ExitCode()
	killed := signal == syscall.SIGKILL && code == -1
	switch {
	case killed, code == exitGreen, code == exitSignal+int(signal):
	case code == -1 && out.Len() == 0: // it had not begun
	default:
		t.Errorf("interruption %s: exit code %d\n%s", what, code, out)
	}
	limit := time.Now()
	if killed {
		limit = limit.Add(goneSoon)
	}
	left := marked(t, mark)
	for len(left) > 0 && time.Now().Before(limit) {
		time.Sleep(20 * time.Millisecond) // there is no signal for the end of processes of others
		left = marked(t, mark)
	}
	if len(left) > 0 {
		t.Errorf("interruption %s leaves %v", what, left)
	}
	if left := names(t, r.temporary); len(left) > 0 && !killed {
		t.Errorf("interruption %s leaves %v in the folder for temporary files\n%s", what, left, out)
	}
	r.checkReports(t)
	return fmt.Sprintf("exit code %d", code), took
}

// checkReports returns how many reports there are, each of which is whole.
func (r *interruptedRun) checkReports(t *testing.T) (n int) {
	t.Helper()
	for name, check := range map[string]func(path string, text []byte) error{
		report.FileName: func(path string, _ []byte) error { _, err := report.Load(path); return err },
		report.JUnitName: func(_ string, text []byte) error {
			var all struct {
				XMLName xml.Name `xml:"testsuites"`
			}
			return xml.Unmarshal(text, &all)
		},
		report.PageName: func(_ string, text []byte) error {
			if !bytes.HasSuffix(bytes.TrimSpace(text), []byte("</html>")) {
				return io.ErrUnexpectedEOF
			}
			return nil
		},
	} {
		path := filepath.Join(r.reports, name)
		text, err := os.ReadFile(path)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		n++
		if err = cmp.Or(err, check(path, text)); err != nil {
			t.Errorf("%s is not whole: %v", path, err)
		}
	}
	saved, _ := filepath.Glob(filepath.Join(r.reports, "histories", "*"+history.Suffix))
	for _, path := range saved {
		if _, _, err := history.Load(path); err != nil {
			t.Errorf("a history is not whole: %v", err)
		}
	}
	return n
}

// marked lists the processes that have a mark, but for those that have ended.
func marked(t *testing.T, mark string) (all []string) {
	t.Helper()
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range found {
		env, err := os.ReadFile(path) // empty for those that have ended
		variable := "\x00" + markEnv + "=" + ofThisTest(mark) + "\x00"
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte(variable)) {
			continue
		}
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		words := bytes.ReplaceAll(command, []byte{0}, []byte(" "))
		all = append(all, fmt.Sprintf("%s %s", filepath.Base(filepath.Dir(path)), words))
	}
	return all
}
