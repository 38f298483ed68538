package faults

import (
	"context"
	"fmt"
	"os"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/suites/contract"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Every regression of the library, as a spec. A bug that the version has is expected to
// make it fail.
var _ = Describe("regression", Label(protocol.FaultsLabel, "behaviour:regressions"),
	framework.Simulated("its pods end long ago or are held"), func() {

		// Wrong: the versions of upstream that the scenario names.
		all, err := library.Regressions()
		if err != nil {
			panic(err) // a unit test reads them before
		}
		for _, bug := range all {
			It(fmt.Sprintf("#%d: %s", bug.Issue, bug.Description), Covers(requirementsOf(bug)...), labelsOf(bug), func(ctx SpecContext) {
				runRegression(ctx, bug.Scenario)
			})
		}
	})

func requirementsOf(bug library.Entry) []contract.Requirement {
	var list []contract.Requirement
	for _, id := range bug.Requirements {
		if r, found := table.Find(id); found { // a unit test finds the others
			list = append(list, r)
		}
	}
	return list
}

func labelsOf(bug library.Entry) Labels {
	l := Shows(protocol.Bug{Issue: bug.Issue})
	if bug.Pull > 0 {
		l = append(l, fmt.Sprintf("%s%d", protocol.PullLabel, bug.Pull))
	}
	area := contract.Job
	if list := requirementsOf(bug); len(list) > 0 {
		area = list[0].Profile()
	}
	return append(l, protocol.AreaLabel+string(area))
}

func runRegression(ctx context.Context, s *scenario.Scenario) {
	GinkgoHelper()
	environment, err := scenario.OfSpec()
	if err != nil {
		framework.FailHarness("the scenario cannot be set up", err)
	}
	result, err := environment.Run(ctx, s)
	if err != nil {
		framework.FailHarness("the scenario has no result", err)
	}
	about := result.About()
	about.Spec = CurrentSpecReport().FullText()
	framework.SaveHistory(about, result.History)
	if !result.Green() {
		AddReportEntry("history of "+result.Namespace, result.History.String(), ReportEntryVisibilityFailureOrVerbose)
		framework.AddLogs(result.Log)
		framework.Fail(result.Failure())
	}
	Expect(os.RemoveAll(result.Log)).To(Succeed())
}
