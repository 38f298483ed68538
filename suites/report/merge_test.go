package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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
