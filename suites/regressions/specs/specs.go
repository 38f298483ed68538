// Package specs plays every bug of package regressions as a spec of `make e2e`. A
// bug that the version has is expected to fail.
package specs

import (
	"context"
	"fmt"
	"os"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/regressions"
	"github.com/jobconformance/jobconformance/suites/scenario"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe(regressions.Container, Label(protocol.FaultsLabel, "behaviour:regressions"),
	framework.Simulated("its pods end long ago or are held"), func() {

		// Wrong: the versions of upstream that the scenario names.
		all, err := regressions.All()
		if err != nil {
			panic(err) // a unit test reads them before
		}
		for _, bug := range all {
			It(bug.Description, covers.Covers(requirements(bug)...), labels(bug), func(ctx SpecContext) {
				play(ctx, bug.Scenario)
			})
		}
	})

func requirements(bug regressions.Regression) []contract.Requirement {
	var list []contract.Requirement
	for _, id := range bug.Requirements {
		if r, found := table.Find(id); found { // a unit test finds the others
			list = append(list, r)
		}
	}
	return list
}

func labels(bug regressions.Regression) Labels {
	l := Label(fmt.Sprintf("issue:%d", bug.Issue))
	if bug.Pull > 0 {
		l = append(l, fmt.Sprintf("pull:%d", bug.Pull))
	}
	area := contract.Job
	if list := requirements(bug); len(list) > 0 {
		area = list[0].Profile()
	}
	return append(l, "area:"+string(area))
}

func play(ctx context.Context, s *scenario.Scenario) {
	GinkgoHelper()
	theatre, err := scenario.OfSpec()
	if err != nil {
		framework.FailHarness("the scenario cannot be set up", err)
	}
	result, err := theatre.Play(ctx, s)
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
