package report

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/spec"
)

// repository has the code of specs.
const repository = "https://github.com/jobconformance/jobconformance"

// Source is where the spec is; zero in reports of earlier versions.
func (e Evidence) Source() spec.Source { return spec.Source{File: e.File, Line: e.Line} }

// CodeURL returns the page that shows a line of a version of the suites, or a file where the line is 0. It is empty
// for a file of another module.
func CodeURL(suiteVersion string, s spec.Source) string {
	if !strings.HasPrefix(s.File, "suites/") {
		return ""
	}
	url := repository + "/blob/" + revision(suiteVersion) + "/" + s.File
	if s.Line > 0 {
		url += "#L" + strconv.Itoa(s.Line)
	}
	return url
}

// commit is at the end of a version that has no tag: 41c1ae6, v0.1.0-3-g41c1ae6 as git describe
// prints it, or v0.0.0-20261122082455-abb7f16bfe01 of a Go module.
var commit = regexp.MustCompile(`(?:^|-g|-)([0-9a-f]{7,40})$`)

// revision returns the tag or the commit of a version of the suites; main for one that is not
// known.
func revision(suiteVersion string) string {
	v := strings.TrimSuffix(strings.TrimSuffix(suiteVersion, "+dirty"), "-dirty")
	if m := commit.FindStringSubmatch(v); m != nil {
		return m[1]
	}
	return cmp.Or(v, "main")
}
