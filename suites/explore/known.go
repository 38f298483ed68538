package explore

import (
	"regexp"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
)

// Expected returns the bugs that explorations of an implementation show on a release, as
// in v1.37.1.
func Expected(implementation, release string) ([]protocol.Bug, error) {
	bugs, err := library.Bugs()
	return slices.DeleteFunc(bugs, func(b protocol.Bug) bool {
		return b.Explored == protocol.Explored{} || !b.In(implementation, release)
	}), err
}

func shows(b protocol.Bug, o Outcome) bool {
	return matches(b.Explored.Scenario, o.Scenario) && matches(b.Explored.Plan, o.Plan) &&
		!slices.ContainsFunc(o.Causes, func(cause string) bool { return !matches(b.Explored.Cause, cause) })
}

func matches(expression, text string) bool {
	return expression == "" || regexp.MustCompile("^(?:"+expression+")$").MatchString(text)
}

// knownOf returns the bug that explains an outcome, nil if none does.
func knownOf(known []protocol.Bug, o Outcome) *protocol.Bug {
	if !o.Red() {
		return nil
	}
	i := slices.IndexFunc(known, func(b protocol.Bug) bool { return shows(b, o) })
	if i < 0 {
		return nil
	}
	return &known[i]
}
