// Command oci-runtime stands before runc on a machine that lacks the capability
// CAP_SYS_RESOURCE. Containers that ask for it, as privileged ones do, cannot
// start there; this takes the wish out of the container's specification and
// then becomes runc. Where nothing is missing it changes nothing.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// real are the places of runc; this program may itself be called runc.
var real = []string{"/usr/sbin/runc", "/usr/bin/runc", "/usr/local/sbin/runc", "/usr/local/bin/runc"}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "oci-runtime:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	runc, err := find()
	if err != nil {
		return err
	}
	if file, inside := specification(args); file != "" && !mayRaise() {
		if err := edit(file, inside); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return syscall.Exec(runc, append([]string{"runc"}, args...), os.Environ())
}

func find() (string, error) {
	self, err := os.Stat("/proc/self/exe")
	if err != nil {
		return "", err
	}
	for _, path := range real {
		if info, err := os.Stat(path); err == nil && !os.SameFile(info, self) {
			return path, nil
		}
	}
	return "", fmt.Errorf("no runc in %s", strings.Join(real, ", "))
}

// specification returns the file in which runc will read what to start, and
// whether the process is a field of it ("create", "run") or all of it ("exec").
func specification(args []string) (file string, inside bool) {
	switch {
	case slices.Contains(args, "create"), slices.Contains(args, "run"):
		return filepath.Join(value(args, "bundle", "b"), "config.json"), true
	case slices.Contains(args, "exec"):
		return value(args, "process", "p"), false
	}
	return "", false
}

// value returns what a flag is set to, whichever way it is written.
func value(args []string, long, short string) string {
	for i, arg := range args {
		name, set, inline := strings.Cut(arg, "=")
		if name != "--"+long && name != "-"+long && name != "-"+short {
			continue
		}
		if inline {
			return set
		}
		if i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// mayRaise reports whether this process has CAP_SYS_RESOURCE, number 24.
func mayRaise() bool {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if hex, ok := strings.CutPrefix(line, "CapBnd:"); ok {
			bits, err := strconv.ParseUint(strings.TrimSpace(hex), 16, 64)
			return err != nil || bits&(1<<24) != 0
		}
	}
	return true
}

func edit(file string, inside bool) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber() // 64-bit limits do not fit into a float
	var spec map[string]any
	if err := decoder.Decode(&spec); err != nil {
		return err
	}
	process := spec
	if inside {
		process, _ = spec["process"].(map[string]any)
	}
	soften(process, floor(), hardLimit)
	if data, err = json.Marshal(spec); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}

// soften takes out of a process what only CAP_SYS_RESOURCE allows.
func soften(process map[string]any, oomFloor int64, hard func(string) (uint64, bool)) {
	sets, _ := process["capabilities"].(map[string]any)
	for name, set := range sets {
		list, _ := set.([]any)
		sets[name] = slices.DeleteFunc(list, func(c any) bool { return c == "CAP_SYS_RESOURCE" })
	}
	if wish, ok := process["oomScoreAdj"].(json.Number); ok {
		if n, err := wish.Int64(); err == nil && n < oomFloor {
			process["oomScoreAdj"] = oomFloor
		}
	}
	if list, ok := process["rlimits"].([]any); ok {
		process["rlimits"] = slices.DeleteFunc(list, func(l any) bool {
			limit, _ := l.(map[string]any)
			kind, _ := limit["type"].(string)
			wish, _ := limit["hard"].(json.Number)
			n, err := strconv.ParseUint(wish.String(), 10, 64)
			have, known := hard(kind)
			return err == nil && known && n > have
		})
	}
}

// floor is the lowest oom_score_adj that this process may give to others.
func floor() int64 {
	text, _ := os.ReadFile("/proc/self/oom_score_adj")
	n, _ := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n
}

// limits are the names of the specification by Linux's numbers.
var limits = []string{"CPU", "FSIZE", "DATA", "STACK", "CORE", "RSS", "NPROC", "NOFILE",
	"MEMLOCK", "AS", "LOCKS", "SIGPENDING", "MSGQUEUE", "NICE", "RTPRIO", "RTTIME"}

func hardLimit(name string) (uint64, bool) {
	i := slices.Index(limits, strings.TrimPrefix(name, "RLIMIT_"))
	if i < 0 {
		return 0, false
	}
	var now syscall.Rlimit
	err := syscall.Getrlimit(i, &now)
	return now.Max, err == nil
}
