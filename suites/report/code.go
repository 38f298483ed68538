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

// codeURL returns the page that shows the spec in a version of the suites. It is empty for a spec
// of another module.
func codeURL(suiteVersion string, e Evidence) string {
	if !strings.HasPrefix(e.File, "suites/") {
		return ""
	}
	return repository + "/blob/" + revision(suiteVersion) + "/" + e.File + "#L" + strconv.Itoa(e.Line)
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
