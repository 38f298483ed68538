// Package covers ties the specs of a Ginkgo suite to the contract.
//
//	It("the controller runs as many pods as parallelism says", Covers(RunsAsMany), func(ctx SpecContext) {
package covers

import (
	"fmt"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/onsi/ginkgo/v2"
)

// Covers decorates a spec with the requirements that it checks: IDs, profiles and
// features become labels, and their versions limit where the spec runs.
func Covers(requirements ...contract.Requirement) []any {
	var labels ginkgo.Labels
	var decorators []any
	for _, r := range requirements {
		labels = append(labels, protocol.RequirementLabel+r.ID)
		if feature := protocol.FeatureLabel + string(r.Feature); r.Feature != contract.Core && !slices.Contains(labels, feature) {
			labels = append(labels, feature)
		}
		if profile := protocol.ProfileLabel + string(r.Profile()); !slices.Contains(labels, profile) {
			labels = append(labels, profile)
		}
		if r.Versions != "" {
			decorators = append(decorators, ginkgo.SemVerConstraint(r.Versions))
		}
	}
	return append(decorators, labels)
}

// Shows decorates a spec with known bugs of Kubernetes: it is expected to fail where the
// implementation has one of them.
func Shows(bugs ...protocol.Bug) ginkgo.Labels {
	var labels ginkgo.Labels
	for _, b := range bugs {
		labels = append(labels, fmt.Sprintf("%s%d", protocol.IssueLabel, b.Issue))
	}
	return labels
}
