package report

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/run/causes"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/onsi/ginkgo/v2/reporters"
)

// JUnitName is the name of the file for CI systems in the folder of a report.
const JUnitName = "junit.xml"

// The types of Ginkgo, with the attribute file of a test, which CI systems read. Attributes of the
// root are those that both levels have, so that their counts agree.
type (
	jUnitSuites struct {
		XMLName    xml.Name     `xml:"testsuites"`
		Tests      int          `xml:"tests,attr"`
		Errors     int          `xml:"errors,attr"`
		Failures   int          `xml:"failures,attr"`
		Time       float64      `xml:"time,attr"`
		TestSuites []jUnitSuite `xml:"testsuite"`
	}
	jUnitSuite struct {
		reporters.JUnitTestSuite
		TestCases []jUnitCase `xml:"testcase"`
	}
	jUnitCase struct {
		reporters.JUnitTestCase
		File string `xml:"file,attr,omitempty"`
	}
)

// WriteJUnit writes the specs of a run into a folder, each once, without those that were not selected: a view of
// what changed between two runs would show hundreds. Pictures are by the text of specs.
func WriteJUnit(folder string, run Run, r *Report, pictures map[string]Picture) error {
	text, err := xml.MarshalIndent(jUnit(run, r, pictures), "", "  ")
	if err != nil {
		return err
	}
	return replace(filepath.Join(folder, JUnitName), append([]byte(xml.Header), text...))
}

// jUnit fills Ginkgo's types. It does not use Ginkgo's own function: that puts one class
// name on all specs, and cannot skip a spec that has failed.
func jUnit(run Run, r *Report, pictures map[string]Picture) jUnitSuites {
	suite := jUnitSuite{JUnitTestSuite: reporters.JUnitTestSuite{
		Name:      spec.Suite,
		Package:   "github.com/jobconformance/jobconformance/suites",
		Time:      r.Duration.Seconds(),
		Timestamp: r.Date.UTC().Format("2006-01-02T15:04:05"),
		Properties: reporters.JUnitProperties{Properties: []reporters.JUnitProperty{
			{Name: "suiteVersion", Value: r.SuiteVersion},
			{Name: "implementation", Value: r.Implementation.Name},
			{Name: "implementationVersion", Value: r.Implementation.Version},
			{Name: "cluster", Value: r.Cluster.Kind},
			{Name: "kubernetesVersion", Value: r.Cluster.KubernetesVersion},
			{Name: "result", Value: string(r.Result)},
		}},
	}}
	add := func(c reporters.JUnitTestCase) {
		suite.TestCases = append(suite.TestCases, jUnitCase{JUnitTestCase: c})
	}
	failed := func(name string, cause spec.Cause, text string) {
		add(reporters.JUnitTestCase{
			Name: name, Classname: spec.Suite, Status: string(spec.Failed),
			Failure: &reporters.JUnitFailure{Message: firstLine(text), Type: string(cause), Description: text},
		})
	}
	for i, c := range r.Causes {
		suite.Properties.Properties = append(suite.Properties.Properties, reporters.JUnitProperty{
			Name: fmt.Sprintf("cause %d", i+1), Value: c.Count() + ", " + c.Sentence()})
	}
	for _, s := range run.applicable() {
		if s.Unselected() {
			continue
		}
		suite.TestCases = append(suite.TestCases, testCase(s, r.cause(s.Text), pictures[s.Text]))
	}
	if len(run.Crashes) > 0 {
		var crashes []string
		for _, crash := range run.Crashes {
			crashes = append(crashes, crash.String())
		}
		failed("the implementation runs until it is stopped", spec.ImplementationExited, strings.Join(crashes, "\n\n"))
	}
	if len(run.Interferences) > 0 {
		var all []string
		for _, i := range run.Interferences {
			all = append(all, i.String())
		}
		failed("the controller does not interfere", spec.Interfered, strings.Join(all, "\n"))
	}
	if run.Leaders.Failed() {
		failed("of several replicas, one leads and no other writes", spec.Assertion, run.Leaders.String())
	}
	if run.HarnessError != "" {
		add(reporters.JUnitTestCase{
			Name: "the harness runs to its end", Classname: spec.Suite, Status: string(spec.HarnessError),
			Error: &reporters.JUnitError{Message: firstLine(run.HarnessError), Type: string(spec.Harness),
				Description: run.HarnessError},
		})
	}
	if run.Incomplete != "" {
		add(reporters.JUnitTestCase{
			Name: "the run comes to its end", Classname: spec.Suite, Status: string(spec.NotVerified),
			Error: &reporters.JUnitError{Message: run.Incomplete, Type: "incomplete",
				Description: fmt.Sprintf("%s; specs not run: %d", run.Incomplete, len(r.NotRun))},
		})
	}
	for _, c := range suite.TestCases {
		suite.Tests++
		switch {
		case c.Failure != nil:
			suite.Failures++
		case c.Error != nil:
			suite.Errors++
		case c.Skipped != nil:
			suite.Skipped++
		}
	}
	return jUnitSuites{Tests: suite.Tests, Errors: suite.Errors, Failures: suite.Failures, Time: suite.Time,
		TestSuites: []jUnitSuite{suite}}
}

// testCase is one spec. Its class is how the spec's text begins, and its name the rest,
// so that they stay the same when its labels change. What failed but does not turn a run
// red is skipped: CI systems show the reason of a skipped test, and none for one that
// passed.
func testCase(s spec.Spec, cause *Cause, p Picture) jUnitCase {
	class, name, found := strings.Cut(s.Text, ": ")
	if !found {
		class, name = spec.Suite, s.Text
	}
	c := jUnitCase{JUnitTestCase: reporters.JUnitTestCase{Name: name, Classname: class, Status: string(s.Outcome()),
		Time: s.Duration.Seconds()}, File: s.Source.File}
	if !s.Source.IsZero() {
		c.Properties = &reporters.JUnitProperties{Properties: []reporters.JUnitProperty{
			{Name: "line", Value: strconv.Itoa(s.Source.Line)}}}
	}
	why := headOf(s, cause)
	switch o := s.Outcome(); {
	case o == spec.Passed:
		return c
	case o == spec.HarnessError:
		c.Error = &reporters.JUnitError{Message: firstLine(why), Type: string(spec.Harness),
			Description: described(s, p)}
	case o.Red():
		c.Failure = &reporters.JUnitFailure{Message: firstLine(why), Type: cmp.Or(string(s.Cause), string(o)),
			Description: described(s, p)}
	default:
		c.Skipped = &reporters.JUnitSkipped{Message: firstLine(why)}
		if s.Failed {
			c.SystemOut = described(s, p)
		}
	}
	if s.Failed {
		c.SystemOut = strings.TrimSpace(strings.Join([]string{c.SystemOut, p.Refused, p.Details}, "\n"))
	}
	return c
}

// headOf is the message of a spec, which begins with its cause: CI systems group by it.
func headOf(s spec.Spec, cause *Cause) string {
	switch {
	case cause == nil || cause.ID == "" || cause.Kind != causes.Requirement:
		return s.Reason()
	case len(cause.Invariants) > 0 && cause.Text != "":
		return cause.Sentence()
	}
	return cause.Name() + ": " + strings.TrimSpace(s.Reason())
}

// described is what is known of a failed spec, as text.
func described(s spec.Spec, p Picture) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", strings.TrimSpace(cmp.Or(s.Message, s.Reason())))
	if where := s.Where(); where != "" {
		fmt.Fprintf(&b, "%s\n", where)
	}
	for _, id := range s.Requirements {
		if q, found := table.Find(id); found {
			fmt.Fprintf(&b, "%s: %s\n  source: %s\n", q.ID, q.Text, q.Source)
		}
	}
	fmt.Fprintf(&b, "Again: %s\n", p.Again)
	return b.String()
}
