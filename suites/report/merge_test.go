package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
)

// publishShard writes the results of a shard of two that each run one spec of the same
// requirement; a third is not selected.
func publishShard(t *testing.T, number int, change func(*Run)) string {
	t.Helper()
	folder := t.TempDir()
	run := Run{
		Run:            record.Run{Date: time.Unix(int64(1000-number), 0), Duration: 10 * time.Second},
		Implementation: Implementation{Name: "mine"},
		Cluster:        Cluster{Kind: "embedded", KubernetesVersion: "v1.37.1"},
	}
	run.Selection.Shard = []string{"1/2", "2/2"}[number-1]
	for i, text := range []string{"Job a: is one", "Job a: is two", "Job a: is out"} {
		s := spec.Spec{Text: text,
			Labels: spec.Labels{Requirements: []string{"JOB-PARALLELISM-001"}, Profiles: []string{"job"}}}
		switch {
		case i+1 == number:
			s.Shard, s.Passed = number, true
		case i < 2:
			s.Shard, s.Message = i+1, "not verified: the other shard runs it"
		}
		run.Specs = append(run.Specs, s)
	}
	if change != nil {
		change(&run)
	}
	if _, err := Publish(folder, run, spec.KeepFailed, func(spec string) string {
		return "again " + spec
	}); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestMergeOfAllShards(t *testing.T) {
	m, err := Merge([]string{publishShard(t, 2, nil), publishShard(t, 1, func(r *Run) {
		r.Specs[0].Passed, r.Specs[0].Failed, r.Specs[0].Cause, r.Specs[0].Message = false, true, spec.Assertion,
			"wrong"
	})})
	if err != nil {
		t.Fatal(err)
	}
	if m.HarnessError != "" || m.Shards() != 2 || m.Duration != 20*time.Second || m.Date.Unix() != 998 {
		t.Errorf("%+v", m)
	}
	outcomes := map[string]spec.Outcome{}
	for _, s := range m.Specs {
		outcomes[s.Text] += s.Outcome()
	}
	for text, want := range map[string]spec.Outcome{"Job a: is one": spec.Failed, "Job a: is two": spec.Passed,
		"Job a: is out": spec.NotVerified} {
		if outcomes[text] != want {
			t.Errorf("%s is %q, want %q once", text, outcomes[text], want)
		}
	}
	folder := t.TempDir()
	r, _, err := m.Write(folder)
	if err != nil || r.Result != ResultNonConformant || r.Specs[spec.Passed] != 1 || r.Selection.Shard != "" {
		t.Errorf("%+v, %v", r, err)
	}
	for file, want := range map[string]string{FileName: "Job a: is two", JUnitName: "again Job a: is one",
		PageName: "again Job a: is one"} {
		if text, err := os.ReadFile(filepath.Join(folder, file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %q (%v)", file, want, err)
		}
	}
}

func TestMergeNamesMissingShards(t *testing.T) {
	empty := t.TempDir()
	m, err := Merge([]string{publishShard(t, 1, nil), empty})
	if err != nil {
		t.Fatal(err)
	}
	if want := "of 2 shards, these are missing: 2; no run has ended in " + empty; m.HarnessError != want {
		t.Errorf("%q, want %q", m.HarnessError, want)
	}
	if len(m.Specs) != 3 {
		t.Errorf("%d specs, want all 3", len(m.Specs))
	}
	for _, s := range m.Specs {
		if s.Text == "Job a: is two" && !strings.Contains(s.Reason(), "shard 2 of 2 is missing") {
			t.Errorf("%+v", s)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	first := publishShard(t, 1, nil)
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, ShardName), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		next, want string
	}{
		"a version": {publishShard(t, 2, func(r *Run) {
			r.Cluster.KubernetesVersion = "v1.36.3"
		}), "the cluster differs"},
		"an implementation": {publishShard(t, 2, func(r *Run) {
			r.Implementation.Version = "v2"
		}), "the implementation differs"},
		"a selection": {publishShard(t, 2, func(r *Run) {
			r.Selection.Focus = "a"
		}), "the selection of specs differs"},
		"a number of shards": {publishShard(t, 2, func(r *Run) {
			r.Selection.Shard = "2/3"
		}), "the number of shards differs"},
		"a cut":          {publishShard(t, 2, func(r *Run) { r.Specs[0].Shard = 2 }), "the cut of the specs differs"},
		"the same shard": {publishShard(t, 1, nil), "shard 1 is there twice"},
		"a damaged file": {damaged, "has no shard: "},
		"no folder":      {filepath.Join(damaged, "none"), "has no shard: "},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := Merge([]string{first, c.next}); !badinput.Is(err) || !strings.Contains(err.Error(), c.want) ||
				strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want one line of bad input with %q", err, c.want)
			}
		})
	}
}

func TestALargeShardIsRefused(t *testing.T) {
	text := []byte(`{"Number": 1, "Count": 1, "SuiteVersion": "` + strings.Repeat("x", 1000) + `"}`)
	for most, want := range map[int64]string{1000: "at most 1000 bytes are read", 2000: ""} {
		_, err := readShard(limited{fstest.MapFS{ShardName: {Data: text}}, most}, "a")
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("of %d bytes: %v, want %q", most, err, want)
		}
	}
	many := t.TempDir()
	text = []byte(`{"Number":1,"Count":2000000000}`)
	if err := os.WriteFile(filepath.Join(many, ShardName), text, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Merge([]string{many}); !badinput.Is(err) || !strings.Contains(err.Error(), "at most 1000") {
		t.Errorf("%v", err)
	}
}

// The folder of a shard may be that of an artifact, which somebody else has made.
func TestMergeFollowsNoLink(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	linked := publishShard(t, 1, nil)
	for _, link := range []string{ShardName, "histories/a"} {
		folder := publishShard(t, 1, nil)
		if link != ShardName {
			folder = linked
			text, err := os.ReadFile(filepath.Join(folder, ShardName))
			if err != nil {
				t.Fatal(err)
			}
			text = bytes.Replace(text, []byte(`"Histories":{}`),
				[]byte(`"Histories":{"Job a: is one":"histories/a"}`), 1)
			if err := os.WriteFile(filepath.Join(folder, ShardName), text, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Join(folder, "histories"), 0o700); err != nil {
				t.Fatal(err)
			}
		} else if err := os.Remove(filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(secret, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
		to := t.TempDir()
		m, err := Merge([]string{folder})
		if err == nil {
			_, _, err = m.Write(to)
		}
		if err == nil {
			t.Errorf("it follows the link %s", link)
		}
		if text, err := os.ReadFile(filepath.Join(to, link)); err == nil {
			t.Errorf("it copies %q", text)
		}
	}
}
