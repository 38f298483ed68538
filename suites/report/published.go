package report

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"golang.org/x/mod/semver"
	"sigs.k8s.io/yaml"
)

//go:embed published
var publishedFiles embed.FS

// Notes are what people say about a published report: a file of its name in the folder published/notes.
type Notes struct {
	// Source is the address of the commit that was checked.
	Source string `json:"source"`
	// Program is what of it was run, and how. Default: its own program.
	Program string `json:"program,omitempty"`
	// Dialect is the file of --dialect, by its path in this repository. Default: none was given.
	Dialect string `json:"dialect,omitempty"`
	// Read are findings that were compared with the source, and are true.
	Read []Reading `json:"read"`
}

// Reading says why a finding is true.
type Reading struct {
	Requirement string `json:"requirement"`
	Because     string `json:"because"`
}

// Notes returns what people say about a published report. There need be none of upstream's controllers.
func (r *Report) Notes() (n Notes, err error) {
	text, err := publishedFiles.ReadFile("published/notes/" + r.PublishedName() + ".yaml")
	if err != nil {
		if implementation.OriginOf(r.Implementation.Name) == spec.Upstream {
			err = nil
		}
		return n, err
	}
	return n, yaml.UnmarshalStrict(text, &n)
}

// Command is the command line of the run that made the report.
func (r *Report) Command() string { return strings.Join(r.words(), " ") }

// Published returns the reports that are a part of this repository, by name and version. But for the date, their times
// are zero.
func Published() (all []*Report, err error) {
	files, err := fs.Glob(publishedFiles, "published/*.yaml")
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := publishedFiles.ReadFile(file)
		if err != nil {
			return nil, err
		}
		r, err := parse(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b *Report) int {
		return cmp.Or(strings.Compare(a.Implementation.Name, b.Implementation.Name),
			semver.Compare(a.Implementation.Version, b.Implementation.Version))
	})
	return all, nil
}

// PublishedName is the name of the file of a published report, without its ending.
func (r *Report) PublishedName() string {
	return r.Implementation.Name + "-" + r.Implementation.Version
}
