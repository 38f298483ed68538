// Package suites is the one Ginkgo suite: every package of specs, and the line
// that leads from them to the run that wants to know how they end.
package suites

import (
	"os"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/progress"
	"github.com/jobconformance/jobconformance/fixtures/scene"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	_ "github.com/jobconformance/jobconformance/suites/admission"
	_ "github.com/jobconformance/jobconformance/suites/cronjob"
	_ "github.com/jobconformance/jobconformance/suites/job"
)

func TestConformance(t *testing.T) {
	if os.Getenv(scene.KubeconfigEnv) == "" {
		t.Skip("not verified: the specs need a cluster; run `make e2e`")
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "Job and CronJob conformance")
}

var _ = ReportBeforeSuite(func(report Report) {
	Expect(progress.Send(progress.Line{Total: report.PreRunStats.SpecsThatWillRun})).To(Succeed())
})

var _ = ReportAfterEach(func(spec SpecReport) {
	Expect(progress.Send(progress.Line{Spec: progress.Of(spec)})).To(Succeed())
})
