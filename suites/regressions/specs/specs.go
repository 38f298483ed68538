// Package specs plays every bug of package regressions as a spec of `make e2e`. A
// bug that the version has is expected to fail.
package specs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/history"
	"github.com/jobconformance/jobconformance/fixtures/progress"
	"github.com/jobconformance/jobconformance/suites/catalogue"
	"github.com/jobconformance/jobconformance/suites/regressions"
	"github.com/jobconformance/jobconformance/suites/scenario"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe(regressions.Container, Label(framework.FaultsLabel, "behaviour:regressions"),
	framework.Simulated("its pods end long ago or are held"), func() {

		// Wrong: the versions of upstream that the scenario names.
		all, err := regressions.All()
		if err != nil {
			panic(err) // a unit test reads them before
		}
		for _, bug := range all {
			It(bug.Description, catalogue.Covers(bug.Requirements...), labels(bug), func(ctx SpecContext) {
				play(ctx, bug.Scenario)
			})
		}
	})

func labels(bug regressions.Regression) Labels {
	l := Label(fmt.Sprintf("issue:%d", bug.Issue))
	if bug.Pull > 0 {
		l = append(l, fmt.Sprintf("pull:%d", bug.Pull))
	}
	area := "area:job"
	if len(bug.Requirements) > 0 {
		if r, found := catalogue.Find(bug.Requirements[0]); found {
			area = "area:" + string(r.Profile())
		}
	}
	return append(l, area)
}

func play(ctx context.Context, s *scenario.Scenario) {
	GinkgoHelper()
	theatre, err := scenario.OfSpec()
	if err != nil {
		Fail(progress.HarnessFailed + err.Error())
	}
	result, err := theatre.Play(ctx, s)
	if err != nil {
		Fail(progress.HarnessFailed + err.Error())
	}
	save(result)
	if !result.Green() {
		AddReportEntry("history of "+result.Namespace, result.History.String(), ReportEntryVisibilityFailureOrVerbose)
		AddReportEntry("logs of the implementation", result.Log, ReportEntryVisibilityFailureOrVerbose)
		Fail(result.Why())
	}
	Expect(os.RemoveAll(result.Log)).To(Succeed())
}

// save keeps the history for the report.
func save(result *scenario.Result) {
	GinkgoHelper()
	folder, keep := os.Getenv(framework.HistoriesEnv), os.Getenv(framework.HistoryEnv)
	if folder == "" || keep == framework.KeepNone || keep != framework.KeepAll && result.Green() {
		return
	}
	about := result.About()
	about.Spec = CurrentSpecReport().FullText()
	Expect(history.Save(filepath.Join(folder, history.FileName(about.Spec, about.Namespace)), about, result.History)).To(Succeed())
}
