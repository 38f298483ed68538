package report

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"golang.org/x/mod/semver"
)

//go:embed published/*.yaml
var publishedFiles embed.FS

// Published returns the reports that are a part of this repository, by name and version. Their times are zero.
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
