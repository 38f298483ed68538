package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jobconformance/jobconformance/fixtures/badinput"
)

func TestAReportIsReadAsItWasWritten(t *testing.T) {
	folder := t.TempDir()
	want := judge(ended("a", failed, "JOB-A-001"), ended("b", passed, "JOB-A-002"))
	if err := Write(folder, want); err != nil {
		t.Fatal(err)
	}
	got, err := Load(filepath.Join(folder, FileName))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWhatIsNoReportIsRefused(t *testing.T) {
	complete := "apiVersion: " + APIVersion + "\nkind: " + Kind +
		"\nrequirements:\n- {id: JOB-A-001, outcome: conformant}\n"
	for name, test := range map[string]struct{ text, says string }{
		"empty":          {"", "version"},
		"no YAML":        {"a: [", "damaged"},
		"other version":  {strings.Replace(complete, "v1alpha2", "v2", 1), "v2"},
		"other kind":     {strings.Replace(complete, Kind, "Pod", 1), "Pod"},
		"cut off":        {complete[:strings.Index(complete, "requirements")], "no requirements"},
		"other outcome":  {strings.Replace(complete, "conformant", "fine", 1), "fine"},
		"no ID":          {strings.Replace(complete, "JOB-A-001", `""`, 1), "no ID"},
		"the same again": {complete + "- {id: JOB-A-001, outcome: conformant}\n", "twice"},
		"wrong type":     {strings.Replace(complete, "conformant", "[1]", 1), "damaged"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), FileName)
			if err := os.WriteFile(path, []byte(test.text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path)
			if !badinput.Is(err) || !strings.Contains(err.Error(), test.says) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v: want bad input in one line that says %q", err, test.says)
			}
		})
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !badinput.Is(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}
