// Package suites is the one Ginkgo suite: it imports every package of specs and sends
// the run how each spec has ended.
package suites

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/process"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	_ "github.com/jobconformance/jobconformance/suites/admission"
	_ "github.com/jobconformance/jobconformance/suites/cronjob"
	_ "github.com/jobconformance/jobconformance/suites/faults"
	_ "github.com/jobconformance/jobconformance/suites/job"
)

// preview lists the specs without running any.
func preview() []SpecReport {
	RegisterFailHandler(Fail) // for the report nodes below, which a preview runs
	reports := PreviewSpecs(protocol.Suite).SpecReports
	return slices.DeleteFunc(reports, func(r SpecReport) bool { return r.LeafNodeType != types.NodeTypeIt })
}

func TestMain(m *testing.M) {
	// Each of a dozen processes has little in use: four times that is still little.
	debug.SetGCPercent(300)
	if protocol.Current().Task != protocol.CheckSpecs {
		stop := profiled()
		code := m.Run()
		stop()
		if protocol.Current().Start != nil {
			_ = protocol.Send(protocol.Message{Implementations: process.CPUOfEnded()})
		}
		os.Exit(code)
	}
	if err := covers.Check(table.All(), preview()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(protocol.CheckFailed)
	}
}

// profiled writes a CPU profile of this process, where its run asks for one, until stop.
func profiled() (stop func()) {
	folder := protocol.Current().Profiles
	if folder == "" {
		return func() {}
	}
	file, err := os.Create(filepath.Join(folder, fmt.Sprintf("suites-%d.pprof", os.Getpid())))
	if err == nil {
		err = pprof.StartCPUProfile(file)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "no profile:", err)
	}
	return pprof.StopCPUProfile
}

func TestRequirementsAndSpecsFit(t *testing.T) {
	outsideOfARun(t)
	if err := covers.Check(table.All(), preview()); err != nil {
		t.Error(err)
	}
}

func TestSpecsShowKnownBugs(t *testing.T) {
	outsideOfARun(t)
	shown := map[string]bool{}
	for _, s := range preview() {
		for _, label := range s.Labels() {
			shown[label] = true
		}
	}
	for _, bug := range upstream.Bugs() {
		if bug.Name() != "" && !shown[bug.Label()] {
			t.Errorf("no spec shows %s", bug.Name())
		}
	}
}

// page is the list of requirements for people; with UPDATE=1, the test writes it.
const page = "REQUIREMENTS.md"

func TestPageOfRequirementsIsUpToDate(t *testing.T) {
	outsideOfARun(t)
	var want bytes.Buffer
	if err := covers.WritePage(&want, table.All(), preview()); err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE") != "" {
		if err := os.WriteFile(page, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(page); err != nil || !bytes.Equal(got, want.Bytes()) {
		t.Errorf("suites/%s is not what the code says (%v): run make requirements", page, err)
	}
}

// outsideOfARun skips a unit test in a process that a run has started.
func outsideOfARun(t *testing.T) {
	if protocol.Current().Task != "" {
		t.Skip("the run has checked it before")
	}
}

func TestConformance(t *testing.T) {
	if protocol.Current().Task == "" {
		t.Skip("not verified: the specs need a cluster; run make e2e")
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, protocol.Suite)
}

var _ = ReportBeforeSuite(func(report Report) {
	Expect(protocol.Send(protocol.Message{Total: report.PreRunStats.SpecsThatWillRun})).To(Succeed())
})

var _ = ReportAfterEach(func(spec SpecReport) {
	result := framework.Result(spec)
	Expect(protocol.Send(protocol.Message{Spec: &result})).To(Succeed())
})
