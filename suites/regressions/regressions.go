// Package regressions has bugs that upstream had, each as a scenario: a YAML file
// with the number of the issue as its name. `make repro ISSUE=139428` plays one
// against a version that has the bug and one that has not.
package regressions

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"sync"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

//go:embed *.yaml
var files embed.FS

// Regression is one of the bugs.
type Regression struct {
	*scenario.Scenario
	// Text is the YAML.
	Text []byte
}

// All are sorted by issue. The error is a *badinput.Error.
func All() ([]Regression, error) { return all() }

var all = sync.OnceValues(func() ([]Regression, error) {
	names, err := fs.Glob(files, "*.yaml")
	if err != nil {
		return nil, err
	}
	var list []Regression
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		s, err := scenario.Read("suites/regressions/"+name, text)
		if err != nil {
			return nil, err
		}
		list = append(list, Regression{s, text})
	}
	slices.SortFunc(list, func(a, b Regression) int { return a.Issue - b.Issue })
	return list, nil
})

// Has tells whether a version, as in v1.36.1, has the bug.
func (r Regression) Has(version string) bool { return Has(r.Scenario, version) }

// Has reports whether a scenario is about a bug that a release, as in v1.36.1, has.
func Has(s *scenario.Scenario, release string) bool {
	return s.Affected != "" && version.Satisfies(release, s.Affected)
}

// Red tells whether a scenario is expected to fail against an implementation on
// a version: a bug of the API server shows with every implementation.
func Red(s *scenario.Scenario, impl, version string) bool {
	upstream := impl == implementation.KubeControllerManager || impl == implementation.Builtin
	return (upstream || s.Component == scenario.KubeAPIServer) && Has(s, version)
}

// Among is the scenario as it is judged in a version that has other bugs of
// upstream: the invariants that they break everywhere are left out of it.
func Among(s *scenario.Scenario, impl, version string) *scenario.Scenario {
	among := *s
	for _, bug := range contract.UpstreamBugs() {
		another := bug.Invariant != "" && bug.Issue != (Regression{Scenario: s}).Name()
		if another && Red(&scenario.Scenario{Affected: bug.Versions}, impl, version) {
			among.Except = append(slices.Clone(among.Except), bug.Invariant)
		}
	}
	return &among
}

// Container begins the texts of the specs that play them.
const Container = "a bug of upstream is not there:"

// Spec is the text of the spec that plays it.
func (r Regression) Spec() string { return Container + " " + r.Description }

// Name is the bug as GitHub writes it.
func (r Regression) Name() string { return fmt.Sprintf("kubernetes/kubernetes#%d", r.Issue) }

// Find is the bug with the number of an issue, or of the pull request that mends
// it.
func Find(list []Regression, number int) (Regression, bool) {
	for _, r := range list {
		if r.Issue == number {
			return r, true
		}
	}
	for _, r := range list {
		if r.Pull == number {
			return r, true
		}
	}
	return Regression{}, false
}

// Nearest are the numbers of the issues that are nearest to one that is not known.
func Nearest(list []Regression, number, n int) []int {
	var issues []int
	for _, r := range list {
		issues = append(issues, r.Issue)
	}
	distance := func(issue int) int { return max(issue-number, number-issue) }
	slices.SortStableFunc(issues, func(a, b int) int { return distance(a) - distance(b) })
	issues = issues[:min(n, len(issues))]
	slices.Sort(issues)
	return issues
}
