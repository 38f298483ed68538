package catalogue

import (
	"fmt"

	"github.com/jobconformance/jobconformance/fixtures/build"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"golang.org/x/mod/semver"
)

const (
	oldestMinor = 30 // that the suites support
	patches     = 40 // more than a minor version has
)

// minor is a minor version of Kubernetes in the timeline of a bug.
type minor struct {
	Version string
	Has     bool   // its first or its newest release has the bug
	Text    string // which of its releases do
}

// timeline returns for each minor version that the suites support which of its releases satisfy a constraint.
func timeline(affected string) (all []minor) {
	var newest int
	_, _ = fmt.Sscanf(semver.MajorMinor(build.DefaultKubernetesVersion), "v1.%d", &newest)
	for n := oldestMinor; n <= newest; n++ {
		m := minor{Version: fmt.Sprintf("v1.%d", n)}
		before := false
		for patch := range patches {
			release := fmt.Sprintf("%s.%d", m.Version, patch)
			has := version.Satisfies(release, affected)
			switch {
			case has && !before:
				m.Text, m.Has = "has it since "+release, true
				if patch == 0 {
					m.Text = "has it"
				}
			case before && !has:
				m.Text += ", until it was fixed in " + release
			}
			before = has
		}
		if m.Text == "" {
			m.Text = "does not have it"
		}
		all = append(all, m)
	}
	return all
}
