package covers

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/onsi/ginkgo/v2/types"
)

// Check compares requirements with the specs of a suite, as PreviewSpecs lists
// them. The error names in one line the requirements without a spec, the specs
// without a requirement, and the requirements that are not well-formed.
func Check(requirements []contract.Requirement, specs types.SpecReports) error {
	var problems []string
	covered := map[string]bool{}
	for _, r := range requirements {
		if _, twice := covered[r.ID]; twice {
			problems = append(problems, fmt.Sprintf("%s is there twice", r.ID))
		}
		covered[r.ID] = false
		if problem := problem(r); problem != "" {
			problems = append(problems, r.ID+" "+problem)
		}
	}
	for _, s := range specs {
		if !s.LeafNodeType.Is(types.NodeTypeIt) {
			continue
		}
		ids := under(spec.RequirementLabel, s.Labels())
		if len(ids) == 0 {
			problems = append(problems, fmt.Sprintf("the spec %q covers no requirement", s.FullText()))
		}
		for _, name := range under(spec.MayAriseLabel, s.Labels()) {
			if !slices.Contains(under(spec.SituationLabel, s.Labels()), name) {
				problems = append(problems,
					fmt.Sprintf("the spec %q need not make %s, which its requirements are not about",
						s.FullText(), name))
			}
		}
		for _, id := range ids {
			if _, known := covered[id]; !known {
				problems = append(problems,
					fmt.Sprintf("the spec %q covers %s, which is no requirement", s.FullText(), id))
				continue
			}
			covered[id] = true
		}
	}
	for _, r := range requirements {
		if !covered[r.ID] {
			problems = append(problems, fmt.Sprintf("no spec covers %s", r.ID))
		}
	}
	return inOneLine(problems)
}

// shown is the number of problems in one error.
const shown = 3

func inOneLine(problems []string) error {
	switch more := len(problems) - shown; {
	case len(problems) == 0:
		return nil
	case more > 0:
		return fmt.Errorf("requirements and specs do not fit: %s; and %d more", strings.Join(problems[:shown], "; "),
			more)
	default:
		return fmt.Errorf("requirements and specs do not fit: %s", strings.Join(problems, "; "))
	}
}

var idPattern = regexp.MustCompile(`^(JOB|CRON|WORKLOAD|API|WEBHOOK|STATUS)-[A-Z]+-[0-9]{3}$`)

// problem is how a requirement is not well-formed; empty if it is.
func problem(r contract.Requirement) string {
	switch {
	case !idPattern.MatchString(r.ID):
		return "is no ID such as JOB-PARALLELISM-001"
	case r.Level() == "":
		return "says neither MUST nor SHOULD nor MAY"
	case !strings.HasSuffix(r.Text, ".") || strings.Contains(r.Text, "\n"):
		return "is not one sentence"
	case r.Source == "":
		return "has no source"
	case r.Feature != "" && !slices.Contains(contract.Features(), r.Feature):
		return fmt.Sprintf("is of the unknown feature %q", r.Feature)
	case r.Provisional && len(r.Invariants) > 0:
		return "is provisional, but its invariants count"
	case slices.ContainsFunc(r.Gates, func(g gates.Gate) bool { return !gates.IsKnown(g) }):
		return fmt.Sprintf("is of an unknown gate, one of %q", r.Gates)
	case slices.ContainsFunc(r.Situations, func(s spec.Situation) bool { return s.Sentence() == "" }):
		return fmt.Sprintf("is about an unknown situation, one of %q", r.Situations)
	case version.Check(r.Versions) != nil:
		return fmt.Sprintf("has versions %q, which are no constraint", r.Versions)
	}
	return ""
}

// under returns what follows a prefix in labels, each once.
func under(prefix string, labels []string) []string {
	var found []string
	for _, label := range labels {
		if rest, ok := strings.CutPrefix(label, prefix); ok && !slices.Contains(found, rest) {
			found = append(found, rest)
		}
	}
	return found
}
