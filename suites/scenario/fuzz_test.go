package scenario

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
)

// FuzzScenario reads scenarios: one that can be run is written as it is read, and any other is bad input.
func FuzzScenario(f *testing.F) {
	for _, pattern := range []string{"library/explore/*.yaml", "library/regressions/*.yaml", "library/open/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Read("a", text)
		if err != nil {
			if !badinput.Is(err) {
				t.Error(err)
			}
			return
		}
		written, err := s.YAML()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Read("its text", written)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		if twice, err := again.YAML(); err != nil || !bytes.Equal(twice, written) {
			t.Errorf("%s\nis read as (%v)\n%s", written, err, twice)
		}
	})
}
