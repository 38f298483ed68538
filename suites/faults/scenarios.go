package faults

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	"github.com/jobconformance/jobconformance/suites/explore"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"
	"golang.org/x/sync/errgroup"
)

// Every regression of the library, as a spec. A bug that the version has is expected to
// make it fail.
var _ = Describe("regression", Label(spec.FaultsLabel), behaviour.Regressions,
	framework.Simulated("its pods end long ago or are held"), func() {

		// Wrong: the versions of upstream that the scenario names.
		all, err := library.Regressions()
		if err != nil {
			panic(err) // a unit test reads them before
		}
		for _, bug := range all {
			name := fmt.Sprintf("#%d: %s", bug.Issue, bug.Description)
			file := types.CodeLocation{FileName: bug.Path, LineNumber: 1}
			It(name, file, covers.Requirements(requirementsOf(bug)...), labelsOf(bug), func(ctx SpecContext) {
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
	l := Labels{spec.Bug{Issue: bug.Issue}.Label()}
	if bug.Pull > 0 {
		l = append(l, fmt.Sprintf("%s%d", spec.PullLabel, bug.Pull))
	}
	for _, feature := range bug.Uses {
		l = append(l, covers.Uses(contract.Feature(feature))...)
	}
	if bug.Alone {
		l = append(l, framework.OnlyReleaser...)
	}
	return l
}

func runRegression(ctx context.Context, s *scenario.Scenario) {
	GinkgoHelper()
	environment, err := scenario.OfSpec()
	if err != nil {
		framework.FailHarness("the scenario cannot be set up", err)
	}
	result, err := environment.Run(ctx, s)
	framework.SkipUnwritten(err)
	if err != nil {
		framework.FailHarness("the scenario has no result", err)
	}
	about := result.About()
	about.Spec = CurrentSpecReport().FullText()
	framework.SaveHistory(about, result.History)
	framework.AddInterferences(result.Interferences)
	if !result.Green() {
		AddReportEntry("history of "+result.Namespace, result.History.String(), ReportEntryVisibilityFailureOrVerbose)
		framework.AddLogs(result.Log)
		failure := result.Failure()
		failure.AtEnd = result.Failed == "" && len(result.Unmet) == 0
		framework.Fail(failure)
	}
	Expect(os.RemoveAll(result.Log)).To(Succeed())
}

// A fault of one kind at a time, as what a controller makes of a lost answer says nothing about crashes.
var _ = Describe("One", faultLabels, Label(spec.SimulatedLabel), func() {
	end := func(ctx SpecContext, kind kindOfFault) {
		explores(ctx, workload("single"), kind, "create pods", "update jobs/status", "patch jobs/status")
	}
	jobs := func(ctx SpecContext, kind kindOfFault) {
		explores(ctx, workload("cron-single").Ending(
			"size(jobs) == 1 && size(created) == 1 && jobs.all(name, done(jobs[name], 'Complete'))"),
			kind, "create jobs")
	}
	status := func(ctx SpecContext, kind kindOfFault) {
		explores(ctx, workload("cron-single"), kind, "create jobs", "update cronjobs/status", "patch cronjobs/status")
	}

	// Wrong: takes a next step that does not depend on what there is.
	It("lost answer leaves no trace in the end of a Job", covers.Requirements(
		CreatesDespiteFaults, CountsDespiteFaults), func(ctx SpecContext) { end(ctx, lostAnswer) })
	It("crash leaves no trace in the end of a Job", covers.Requirements(
		SurvivesCrashes), func(ctx SpecContext) { end(ctx, crash) })

	// #120649. Wrong: does not find the Job that it has created.
	It("lost answer leaves no trace in the Jobs of a CronJob", covers.Requirements(
		StartsDespiteFaults), covers.MayShow(upstream.LostStart), func(ctx SpecContext) { jobs(ctx, lostAnswer) })
	It("crash leaves no trace in the Jobs of a CronJob", covers.Requirements(
		CronSurvivesCrashes), covers.MayShow(upstream.LostStart), func(ctx SpecContext) { jobs(ctx, crash) })

	// #120649. Wrong: records what it is about to do.
	It("lost answer leaves no trace in the status of a CronJob", covers.Requirements(
		RecordsDespiteFaults), covers.Shows(upstream.LostStart), func(ctx SpecContext) { status(ctx, lostAnswer) })
	It("crash leaves no trace in the status of a CronJob", covers.Requirements(
		CronSurvivesCrashes), covers.Shows(upstream.LostStart), func(ctx SpecContext) { status(ctx, crash) })
})

// kindOfFault are the faults of a kind.
type kindOfFault []faultproxy.EffectKind

var (
	lostAnswer = kindOfFault{faultproxy.Drop, faultproxy.LoseAnswer, faultproxy.LoseAnswerLate}
	crash      = kindOfFault{faultproxy.KillBefore, faultproxy.KillAfter, faultproxy.StopBefore, faultproxy.StopAfter}
)

// workload is the scenario of the library with that name.
func workload(name string) explore.Scenario {
	GinkgoHelper()
	scenarios, err := explore.Scenarios(regexp.MustCompile("^" + name + "$"))
	Expect(err).NotTo(HaveOccurred())
	return scenarios[0]
}

// explores runs a scenario undisturbed, and then with each fault of a kind at each of some calls. Where its
// end does not come about undisturbed, faults have nothing to show.
func explores(ctx context.Context, sc explore.Scenario, kind kindOfFault, calls ...string) {
	GinkgoHelper()
	environment, err := scenario.OfSpec()
	if err != nil {
		framework.FailHarness("the scenarios cannot be set up", err)
	}
	runner := explore.On(environment)
	undisturbed, seen, err := runner(ctx, sc, nil)
	if err != nil {
		framework.FailHarness("the scenario has no result", err)
	}
	if f := undisturbed.Failure(); undisturbed.Failed != "" && f.Cause == spec.Assertion {
		Skip("not verified: without a fault it fails as well: " + f.Message)
	} else if undisturbed.Failed != "" {
		failRun(sc, nil, undisturbed)
	}
	plans := slices.DeleteFunc(seen.Plans(), func(p explore.Plan) bool {
		return !slices.Contains(kind, p[0].Do.Kind) || !slices.Contains(calls, p[0].Calls.String())
	})
	if len(plans) == 0 {
		failRun(sc, nil, undisturbed)
		Skip("not verified: the implementation makes none of the requests that are disturbed: " +
			strings.Join(calls, ", "))
	}
	var group errgroup.Group
	group.SetLimit(together)
	reached := make([]bool, len(plans))
	for i, plan := range plans {
		group.Go(func() error {
			defer GinkgoRecover()
			result, _, err := runner(ctx, sc, plan)
			if err != nil {
				framework.FailHarness("the scenario has no result", err)
			}
			failRun(sc, plan, result)
			reached[i] = len(result.Unmet) == 0
			return nil
		})
	}
	_ = group.Wait() // they fail the spec themselves
	failRun(sc, nil, undisturbed)
	if !slices.Contains(reached, true) { // it leaves a failure of a run as it is
		Skip("not verified: the implementation made no request again as in the first run")
	}
}

// failRun fails the spec for a run that is not green.
func failRun(sc explore.Scenario, plan explore.Plan, result *scenario.Result) {
	GinkgoHelper()
	if result.Green() {
		return
	}
	framework.AddInterferences(result.Interferences)
	failure := result.Failure()
	failure.AtEnd = result.Failed == ""
	failure.Message = fmt.Sprintf("%s\n%s\nTo run this again:\n  %s\n%s", planTitle(sc, plan), failure.Message,
		"jobconformance explore --scenarios='^"+sc.Name+"$' --plan='"+planText(plan)+"' --implementation=...",
		result.History.Timeline())
	framework.Fail(failure)
}

// together is how many runs go on at once: they wait for the most part.
const together = 8

func planTitle(sc explore.Scenario, plan explore.Plan) string {
	return sc.Name + ", " + planText(plan) + ":"
}

func planText(plan explore.Plan) string {
	if len(plan) == 0 {
		return explore.None
	}
	return plan.String()
}
