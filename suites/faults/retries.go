package faults

import (
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Job faults:", jobLabels, func() {

	// Where the delay of retries doubles from 100 ms on, that of the eighth is 12.8 s;
	// where it begins with 1 s, that of the fifth is 16 s. Wrong: remembers failures after
	// a success.
	It("the controller retries a status write as soon as before, after it has succeeded", takesLong, Covers(SuccessEndsRetryDelay), func(ctx SpecContext) {
		const failures, longest = 8, 10 * time.Second
		s := framework.Behind(ctx)
		allHappened := inject(s, writeStatus, slices.Repeat([]fault{conflicts}, failures)...)
		s.Start()
		framework.Create(ctx, s.Sandbox, puppet.Job("a").Completions(failures).ExitCodes("0").Obj())
		allHappened()
		completes(s.Sandbox, "a", failures)

		var failed time.Time
		for _, call := range s.Sandbox.Calls() {
			if call.Resource != writeStatus.Resource || call.Verb != "update" && call.Verb != "patch" {
				continue
			}
			if !failed.IsZero() {
				Expect(call.At.Sub(failed)).To(BeNumerically("<", longest), "time until a status write that failed is tried again")
			}
			failed = time.Time{}
			if call.Fault != "" {
				failed = call.At
			}
		}
	})
})
