package explore

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
)

// Scenario is a scenario to be disturbed. Its last step awaits the end state that
// every conformant implementation reaches, whatever fault happens on the way, and
// stays in; nothing before it depends on what a fault may change, such as which of
// a Job's pods was created first.
type Scenario struct {
	Name     string
	Text     string // in YAML
	Scenario *scenario.Scenario
	// Since is the first version of Kubernetes that it is for, as in v1.32.0;
	// empty for all that the suites support.
	Since string
}

// since are the versions in which fields that a scenario uses are on by default.
var since = map[string]string{"managed-by": "v1.32.0", "success-policy": "v1.31.0"}

// In reports whether it is for a version of Kubernetes.
func (s Scenario) In(v string) bool { return s.Since == "" || version.Satisfies(v, ">= "+s.Since) }

// Scenarios returns those whose names match, in order; all of them for nil. The error
// is a *badinput.Error when there is none.
func Scenarios(which *regexp.Regexp) ([]Scenario, error) {
	entries, err := library.Explorations()
	if err != nil {
		return nil, err
	}
	var all []Scenario
	var names []string
	for _, e := range entries {
		names = append(names, e.Name)
		if which != nil && !which.MatchString(e.Name) {
			continue
		}
		if e.Steps[len(e.Steps)-1].Await == "" {
			return nil, fmt.Errorf("the scenario %s does not end with an await", e.Name)
		}
		all = append(all, Scenario{e.Name, string(e.Text), e.Scenario, since[e.Name]})
	}
	if len(all) == 0 {
		return nil, badinput.New(fmt.Sprintf("no scenario matches %q", which), "choose some of "+strings.Join(names, ", "))
	}
	return all, nil
}

// digest changes with the text of a scenario.
func (s Scenario) digest() string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s.Text)))[:16] }

// lasting returns the scenario as it is run: its end state has to last.
func (s Scenario) lasting(tail time.Duration) *scenario.Scenario {
	longer := *s.Scenario
	end := s.Scenario.Steps[len(s.Scenario.Steps)-1]
	longer.Steps = append(slices.Clone(longer.Steps), scenario.Step{Stays: end.Await, For: tail})
	return &longer
}
