// Package specs is the one Ginkgo suite: it imports every package of specs, and runs them
// in a process that a run has started.
package specs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/process"
	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/durations"
	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"

	_ "github.com/jobconformance/jobconformance/suites/admission"
	_ "github.com/jobconformance/jobconformance/suites/cronjob"
	_ "github.com/jobconformance/jobconformance/suites/faults"
	_ "github.com/jobconformance/jobconformance/suites/job"
	_ "github.com/jobconformance/jobconformance/suites/metrics"
	_ "github.com/jobconformance/jobconformance/suites/scheduling"
	_ "github.com/jobconformance/jobconformance/suites/status"
	_ "github.com/jobconformance/jobconformance/suites/webhook"
)

// Preview lists the specs without running any.
func Preview() []SpecReport {
	RegisterFailHandler(Fail) // for the report nodes below, which a preview runs
	reports := PreviewSpecs(spec.Suite).SpecReports
	return slices.DeleteFunc(reports, func(r SpecReport) bool { return r.LeafNodeType != types.NodeTypeIt })
}

// Main does the task of protocol.Current with the flags that Ginkgo gives a compiled test,
// and returns the exit code.
func Main(args []string) int {
	// Each of some dozen processes has little in use: four times that is still little. They
	// share the machine, so that threads of one process would mostly wait for each other.
	debug.SetGCPercent(300)
	runtime.GOMAXPROCS(1)
	switch protocol.Current().Task {
	case protocol.CheckSpecs:
		if err := covers.Check(table.All(), Preview()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return protocol.CheckFailed
		}
		return 0
	case protocol.RunSpecs, protocol.ListSpecs:
	default:
		fmt.Fprintln(os.Stderr, "the specs need a run: start jobconformance by its own name")
		return protocol.CheckFailed
	}
	testing.Init() // Ginkgo gives flags of package testing, too
	if err := flag.CommandLine.Parse(args); err != nil {
		return protocol.CheckFailed // it has been printed
	}
	defer profiled()()
	RegisterFailHandler(Fail)
	defer AddTreeConstructionNodeArgsTransformer(ordered)()
	passed := RunSpecs(new(result), spec.Suite)
	if protocol.Current().Start != nil {
		_ = protocol.Send(protocol.Current().Socket, protocol.Message{Implementations: process.CPUOfEnded()})
	}
	if !passed {
		return 1
	}
	return 0
}

// long is how long a spec takes that must not be among the last: others run meanwhile.
const long = 8 * time.Second

// ordered has the specs that take long start before all others, the longest first. A run that wants the
// first failure has them start after all others, the longest last.
func ordered(kind types.NodeType, _ Offset, text string, args []any) (string, []any, []error) {
	if kind == types.NodeTypeIt {
		switch took := durations.OfLeaf(text); {
		case protocol.Current().ShortestFirst:
			args = append(args, SpecPriority(-took/time.Second))
		case took >= long:
			args = append(args, SpecPriority(took/time.Second))
		}
	}
	return text, args, nil
}

// result is what Ginkgo wants of a test. It returns the same to Main.
type result struct{}

func (*result) Fail() {}

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

var _ = ReportBeforeSuite(func(report Report) {
	Expect(protocol.Send(protocol.Current().Socket,
		protocol.Message{Total: report.PreRunStats.SpecsThatWillRun})).To(Succeed())
})

var _ = ReportBeforeEach(func(spec SpecReport) {
	if protocol.Current().Task == protocol.RunSpecs && !spec.State.Is(types.SpecStateSkipped|types.SpecStatePending) {
		Expect(protocol.Send(protocol.Current().Socket, protocol.Message{Started: spec.FullText()})).To(Succeed())
	}
})

var _ = ReportAfterEach(func(spec SpecReport) {
	result := framework.Result(spec)
	Expect(protocol.Send(protocol.Current().Socket, protocol.Message{Spec: &result})).To(Succeed())
})
