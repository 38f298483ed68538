package main

import (
	"fmt"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/fixtures/run"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/regressions"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

// selectByContract turns requirements and features into labels of specs. It refuses
// those that the contract does not have.
func (f *flags) selectByContract() error {
	var wanted []string
	for _, id := range f.requirements {
		if _, found := table.Find(id); !found {
			return badinput.New(fmt.Sprintf("unknown requirement %q", id), "take an ID from suites/REQUIREMENTS.md")
		}
		wanted = append(wanted, protocol.RequirementLabel+id)
	}
	if len(wanted) > 0 {
		filter := "(" + strings.Join(wanted, " || ") + ")"
		if f.selection.Labels != "" {
			filter = "(" + f.selection.Labels + ") && " + filter
		}
		f.selection.Labels = filter
	}
	for _, name := range f.decline {
		if err := contract.Declinable(contract.Feature(name)); err != nil {
			return err
		}
		f.selection.Declined = append(f.selection.Declined, name)
	}
	var err error
	f.selection.Known, err = knownBugs(f.implementation)
	return err
}

// knownBugs are upstream's, which its controller has wherever it runs; those of
// the API server show with any implementation.
func knownBugs(impl string) ([]run.Known, error) {
	var known []run.Known
	for _, bug := range contract.UpstreamBugs() {
		known = append(known, run.Known{
			Implementations: []string{implementation.KubeControllerManager, implementation.Builtin},
			Versions:        bug.Versions,
			Requirement:     bug.Requirement,
			Spec:            bug.Spec,
			Invariant:       bug.Invariant,
			Issue:           bug.Issue,
			Text:            bug.Text,
		})
	}
	all, err := regressions.All()
	for _, bug := range all {
		if bug.Affected == "" {
			continue
		}
		k := run.Known{
			Implementations: []string{implementation.KubeControllerManager, implementation.Builtin},
			Versions:        bug.Affected,
			Spec:            bug.Spec(),
			Issue:           bug.Name(),
			Text:            bug.Because,
		}
		if bug.Component == scenario.KubeAPIServer {
			k.Implementations = append(k.Implementations, impl)
		}
		known = append(known, k)
	}
	return known, err
}
