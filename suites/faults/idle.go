package faults

import (
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	cronjobs "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	jobs "github.com/jobconformance/jobconformance/suites/job/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

const (
	// idle is how long nothing happens.
	idle = 12 * time.Second
	// mostAlike is how many requests of a kind about an object may come in that time, of a controller that is late with
	// what it had to write before.
	mostAlike = 2
)

// The API server makes no revision of a write that changes nothing: only requests show it. Wrong: writes at each sync,
// and syncs again after a write.
var _ = Describe("Idle controllers:", faultLabels, func() {

	It("while nothing happens to running, suspended and finished Jobs, the controller writes nothing again and again",
		covers.Requirements(jobs.QuietWhenIdle), covers.Uses(contract.Suspend), func(ctx SpecContext) {
			s := framework.Behind(ctx)
			s.Proxy.Start()
			s.Create(puppet.Job("finished").ExitCodes("0")).Completes(Counters{Succeeded: 1})
			s.Create(puppet.Job("suspended").Suspend())
			s.Create(puppet.Job("running").Parallelism(2)).Runs(2)
			writesNothing(s)
		})

	It("while nothing happens to a CronJob with a running Job, the controller writes nothing again and again",
		covers.Requirements(cronjobs.QuietCronStatus), func(ctx SpecContext) {
			s := framework.Behind(ctx)
			s.Proxy.Start()
			tick := framework.Ago(30 * time.Minute)
			s.Due(puppet.CronJob("a", puppet.Job("")), tick).Runs(tick)
			writesNothing(s)
		})
})

// writesNothing expects that the implementation does not send the same request again and again.
func writesNothing(s *framework.Sandbox) {
	GinkgoHelper()
	s.Stays("nothing happens", func(Gomega) {})
	since := time.Now()
	s.StaysFor(idle, "nothing happens", func(Gomega) {})
	alike := map[string]int{}
	for _, c := range s.Proxy.Writes(since) {
		alike[fmt.Sprintf("%s %s %s", c.Verb, c.Resource, c.Name)]++
	}
	for request, times := range alike {
		Expect(times).To(BeNumerically("<=", mostAlike), "%s in %s", request, idle)
	}
}
