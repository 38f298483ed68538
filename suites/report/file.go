package report

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/limits"
	"sigs.k8s.io/yaml"
)

// The names of the files of a report in its folder.
const (
	FileName = "report.yaml"
	PageName = "index.html"
)

// Write writes report.yaml into a folder.
func Write(folder string, r *Report) error {
	text, err := json.Marshal(r)
	if err == nil {
		text, err = yaml.JSONToYAML(inJSON.ReplaceAllFunc(text, textOnly))
	}
	if err != nil {
		return err
	}
	return replace(filepath.Join(folder, FileName), text)
}

// inJSON is what may be no text in the strings of JSON: an escape, or another rune than those of ASCII.
var inJSON = regexp.MustCompile(`\\(?:u[0-9a-f]{4}|.)|[^\x00-\x7e]`)

// textOnly returns a rune in JSON as console.Escape has it: YAML has no control characters.
func textOnly(in []byte) []byte {
	var r string
	if json.Unmarshal([]byte(`"`+string(in)+`"`), &r) != nil || console.Escape(r) == r {
		return in
	}
	return []byte(strings.ReplaceAll(console.Escape(r), `\`, `\\`))
}

// replace writes a file atomically.
func replace(path string, text []byte) error {
	next := path + ".new"
	if err := os.WriteFile(next, text, 0o644); err != nil {
		return err
	}
	return os.Rename(next, path)
}

// Load reads a report: a report.yaml, or the one of a folder of reports. The error is a *badinput.Error for a
// file that is not there, damaged, or of another schema.
func Load(path string) (*Report, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, FileName)
	}
	text, err := limits.ReadFile(path, limits.Report)
	if err != nil {
		return nil, badinput.Wrap(err, "the report cannot be read", "name a report.yaml of a run, or its folder")
	}
	r, err := parse(text)
	if err != nil {
		return nil, badinput.Wrap(err, path+" is no report to use", "give one as a run wrote it")
	}
	return r, nil
}

func parse(text []byte) (*Report, error) {
	r := &Report{}
	if err := yaml.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("it is damaged: %w", err)
	}
	if r.APIVersion != APIVersion || r.Kind != Kind {
		return nil, fmt.Errorf("it is a %q of version %q, this program reads a %q of %q", r.Kind, r.APIVersion, Kind,
			APIVersion)
	}
	if len(r.Requirements) == 0 {
		return nil, fmt.Errorf("it is damaged: it has no requirements")
	}
	seen := map[string]bool{}
	for i, q := range r.Requirements {
		switch {
		case q.ID == "":
			return nil, fmt.Errorf("it is damaged: requirement %d has no ID", i+1)
		case seen[q.ID]:
			return nil, fmt.Errorf("it is damaged: %s is there twice", q.ID)
		case !slices.Contains(Outcomes(), q.Outcome):
			return nil, fmt.Errorf("it is damaged: %s ended as %q", q.ID, q.Outcome)
		}
		seen[q.ID] = true
	}
	return r, nil
}
