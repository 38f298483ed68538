package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSpecification(t *testing.T) {
	for args, want := range map[string]string{
		"--root /r --log l create --bundle /b --pid-file p id": "/b/config.json true",
		"create -b /b id":                   "/b/config.json true",
		"run --bundle=/b id":                "/b/config.json true",
		"create id":                         "config.json true",
		"exec --process /p.json --detach x": "/p.json false",
		"exec -p=/p.json x":                 "/p.json false",
		"exec x sh":                         " false",
		"delete --force x":                  " false",
	} {
		file, inside := specification(strings.Fields(args))
		got := file + map[bool]string{true: " true", false: " false"}[inside]
		if got != want {
			t.Errorf("%s: %q, want %q", args, got, want)
		}
	}
}

func TestSoften(t *testing.T) {
	const spec = `{"process":{
		"capabilities":{"bounding":["CAP_CHOWN","CAP_SYS_RESOURCE"],"effective":["CAP_SYS_RESOURCE"]},
		"oomScoreAdj":-999,
		"rlimits":[{"type":"RLIMIT_NOFILE","hard":18446744073709551615,"soft":1},{"type":"RLIMIT_NPROC","hard":5,"soft":5}]},
		"linux":{"resources":{"memory":{"limit":9223372036854771712}}}}`
	file := filepath.Join(t.TempDir(), "config.json")
	if err := os.WriteFile(file, []byte(spec), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := edit(file, true); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	text := string(data)
	for _, gone := range []string{"CAP_SYS_RESOURCE"} {
		if strings.Contains(text, gone) {
			t.Errorf("%s is still in %s", gone, text)
		}
	}
	for _, kept := range []string{`"CAP_CHOWN"`, "9223372036854771712", "RLIMIT_NPROC"} {
		if !strings.Contains(text, kept) {
			t.Errorf("%s is no longer in %s", kept, text)
		}
	}
}

func TestSoftenLimits(t *testing.T) {
	process := map[string]any{
		"oomScoreAdj": json.Number("-999"),
		"rlimits": []any{
			map[string]any{"type": "RLIMIT_NOFILE", "hard": json.Number("1048576")},
			map[string]any{"type": "RLIMIT_CORE", "hard": json.Number("10")},
		},
	}
	soften(process, 0, func(string) (uint64, bool) { return 20000, true })
	if process["oomScoreAdj"] != int64(0) {
		t.Errorf("oomScoreAdj %v, want 0", process["oomScoreAdj"])
	}
	if left := process["rlimits"].([]any); len(left) != 1 {
		t.Errorf("rlimits %v, want the low one only", left)
	}
}
