package expectations

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
)

// FuzzExpectations reads lists of expectations: a wrong one is bad input, and each expectation of a right one has a
// requirement and a reason.
func FuzzExpectations(f *testing.F) {
	for _, text := range []string{
		"- requirement: JOB-PARALLELISM-002\n  decline: one pod at a time\n",
		"- {requirement: CRON-ZONE, fails: ' we know UTC only ', issue: 'example.com/7'}\n",
		"- feature: success-policy\n  decline: planned\n", "&a [*a]", "- !!binary x", "{}",
	} {
		f.Add([]byte(text))
	}
	path := filepath.Join(f.TempDir(), "expectations.yaml")
	f.Fuzz(func(t *testing.T, text []byte) {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		all, err := Load(path)
		if err != nil && !badinput.Is(err) {
			t.Error(err)
		}
		for _, e := range all {
			if e.Requirement == "" || e.Reason == "" {
				t.Errorf("%+v", e)
			}
		}
	})
}
