package example

import (
	"os"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/conformance"
	"github.com/jobconformance/jobconformance/suites/report"
)

// The whole suite takes a minute; this is a part of it.
func TestConformance(t *testing.T) {
	r := conformance.Run(t, conformance.Options{
		Implementation: report.Implementation{Name: "example", Version: "v0.1.0",
			Contact: []string{"https://example.org/controller"}},
		Start:    Run,
		Upstream: upstream,
		Labels:   "behaviour:parallelism || behaviour:concurrencyPolicy",
		Reports:  os.Getenv("REPORTS"),
	})
	if r.Specs[spec.Passed] == 0 {
		t.Error("no spec has passed")
	}
}
