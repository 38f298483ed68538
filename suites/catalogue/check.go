package catalogue

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"github.com/onsi/ginkgo/v2/types"
)

// Check says in one line what is wrong between requirements and the specs of a
// suite, as PreviewSpecs lists them: a requirement without a spec, a spec
// without a requirement or with one that is not there, a requirement that is
// not written as it should be.
func Check(requirements []Requirement, specs types.SpecReports) error {
	var problems []string
	covered := map[string]bool{}
	for _, r := range requirements {
		if _, twice := covered[r.ID]; twice {
			problems = append(problems, fmt.Sprintf("%s is there twice", r.ID))
		}
		covered[r.ID] = false
		if problem := r.problem(); problem != "" {
			problems = append(problems, r.ID+" "+problem)
		}
	}
	for _, spec := range specs {
		if !spec.LeafNodeType.Is(types.NodeTypeIt) {
			continue
		}
		ids := under(RequirementLabel, spec.Labels())
		if len(ids) == 0 {
			problems = append(problems, fmt.Sprintf("the spec %q covers no requirement", spec.FullText()))
		}
		for _, id := range ids {
			if _, known := covered[id]; !known {
				problems = append(problems, fmt.Sprintf("the spec %q covers %s, which is not in the catalogue", spec.FullText(), id))
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

// shown is how many problems are told at once.
const shown = 3

func inOneLine(problems []string) error {
	switch more := len(problems) - shown; {
	case len(problems) == 0:
		return nil
	case more > 0:
		return fmt.Errorf("requirements and specs do not fit: %s; and %d more", strings.Join(problems[:shown], "; "), more)
	default:
		return fmt.Errorf("requirements and specs do not fit: %s", strings.Join(problems, "; "))
	}
}

var (
	idPattern = regexp.MustCompile(`^(JOB|CRON|API)-[A-Z]+-[0-9]{3}$`)
	modalVerb = regexp.MustCompile(`\b(MUST|SHOULD|MAY)\b`)
)

// problem is what is wrong with how a requirement is written.
func (r Requirement) problem() string {
	switch _, err := semver.NewConstraint(r.Versions); {
	case !idPattern.MatchString(r.ID):
		return "is no ID such as JOB-PARALLELISM-001"
	case !modalVerb.MatchString(r.Text):
		return "says neither MUST nor SHOULD nor MAY"
	case !strings.HasSuffix(r.Text, ".") || strings.Contains(r.Text, "\n"):
		return "is not one sentence"
	case r.Source == "":
		return "has no source"
	case r.Feature != "" && !slices.Contains(Features(), r.Feature):
		return fmt.Sprintf("is of the unknown feature %q", r.Feature)
	case r.Versions != "" && err != nil:
		return fmt.Sprintf("has versions %q, which are no constraint", r.Versions)
	}
	return ""
}

// under is what follows a prefix in labels, each once.
func under(prefix string, labels []string) []string {
	var found []string
	for _, label := range labels {
		if rest, ok := strings.CutPrefix(label, prefix); ok && !slices.Contains(found, rest) {
			found = append(found, rest)
		}
	}
	return found
}
