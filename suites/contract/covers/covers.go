// Package covers ties the specs of a Ginkgo suite to the contract.
//
//	It("the controller runs as many pods as parallelism asks for", covers.Requirements(
//		RunsAsMany), func(ctx SpecContext) {
package covers

import (
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/onsi/ginkgo/v2"
)

// Requirements decorates a spec with the requirements that it checks: IDs, profiles, features, the gates, the area, the
// level, the grounds and the situations that it is about become labels, and their versions limit where the spec runs.
// The level is that of the most binding requirement, the area that of the first one.
func Requirements(requirements ...contract.Requirement) []any {
	labels := ginkgo.Labels{level(requirements).Label()}
	if !slices.ContainsFunc(requirements, func(r contract.Requirement) bool { return !r.Provisional }) {
		labels = append(labels, spec.ProvisionalLabel)
	}
	if len(requirements) > 0 {
		area := requirements[0].Profile()
		if area == contract.Status { // of Jobs, too
			area = contract.Job
		}
		labels = append(labels, spec.AreaLabel+string(area))
	}
	var decorators []any
	for _, r := range requirements {
		labels = append(labels, spec.RequirementLabel+r.ID)
		for _, label := range Uses(r.Feature) {
			if r.Feature != contract.Core && !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
		if profile := spec.ProfileLabel + string(r.Profile()); !slices.Contains(labels, profile) {
			labels = append(labels, profile)
		}
		for _, ground := range slices.Concat(r.Grounds, r.About) {
			if about := spec.AboutLabel + string(ground); !slices.Contains(labels, about) {
				labels = append(labels, about)
			}
		}
		for _, situation := range r.Situations {
			if label := spec.SituationLabel + string(situation); !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
		for _, gate := range r.Gates {
			if label := spec.GateLabel + string(gate); !slices.Contains(labels, label) {
				labels = append(labels, label)
			}
		}
		switch {
		case r.Versions == "":
		case r.Profile() == contract.API:
			decorators = append(decorators, ginkgo.ComponentSemVerConstraint(spec.KubeAPIServer, r.Versions))
		default:
			decorators = append(decorators, ginkgo.SemVerConstraint(r.Versions))
		}
	}
	return append(decorators, labels)
}

// Uses decorates a spec with features that it needs and that are not those of its requirements: it is not run
// where one of them is declined.
func Uses(features ...contract.Feature) (labels ginkgo.Labels) {
	for _, f := range features {
		for _, needed := range f.With() {
			labels = append(labels, spec.FeatureLabel+string(needed))
		}
	}
	return labels
}

// UsesOneOf decorates a spec that needs one of these features, whichever it is: it is not run where all of them
// are declined.
func UsesOneOf(features ...contract.Feature) (labels ginkgo.Labels) {
	for _, f := range features {
		labels = append(labels, spec.OneOfLabel+string(f))
	}
	return labels
}

// level is the most binding one.
func level(requirements []contract.Requirement) spec.Level {
	levels := []spec.Level{spec.May, spec.Should, spec.Must}
	most := spec.May
	for _, r := range requirements {
		if slices.Index(levels, r.Level()) > slices.Index(levels, most) {
			most = r.Level()
		}
	}
	return most
}

// Shows decorates a spec with known bugs of Kubernetes: it is expected to fail where the
// implementation has one of them.
func Shows(bugs ...spec.Bug) ginkgo.Labels { return labels(bugs, spec.Bug.Label) }

// MayShow decorates a spec with known bugs of Kubernetes for which it fails at times, as the
// implementation happens to see one event before another: where it has one of them, the spec may pass
// as well.
func MayShow(bugs ...spec.Bug) ginkgo.Labels { return labels(bugs, spec.Bug.MayLabel) }

// MayArise decorates a spec that need not make these situations, although its requirements are about them: it may pass
// without them.
func MayArise(situations ...spec.Situation) (labels ginkgo.Labels) {
	for _, s := range situations {
		labels = append(labels, spec.MayAriseLabel+string(s))
	}
	return labels
}

func labels(bugs []spec.Bug, label func(spec.Bug) string) (all ginkgo.Labels) {
	for _, b := range bugs {
		all = append(all, label(b))
	}
	return all
}
