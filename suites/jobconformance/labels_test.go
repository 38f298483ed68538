package main

import (
	"strings"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/spec"
)

func TestUnknownLabelsAreRefused(t *testing.T) {
	specs := []spec.Listed{{Spec: spec.Spec{Labels: spec.ParseLabels([]string{"slow", "behaviour:parallelism",
		"requirement:JOB-BACKOFF-001", "issue:139428", "profile:job"})}}}
	for filter, want := range map[string]string{
		"":                               "",
		"slow":                           "",
		"!slow && Behaviour:parallelism": "",
		"(slow || issue:139428),slow":    "",
		"requirement:job-backoff-001":    "",
		"provisional":                    "", // though no spec has it now
		"/behaviour:.*/ && !/^issue/":    "",
		"behaviour: isEmpty":             "",
		"!(behaviour: containsAny {parallelism, parallelism}) && slow": "",
		"issue: consistsOf 139428 || slow":                             "",
		"!slo":                                                         `no spec has the label "slo"; did you mean slow?`,
		"slow || behavior:parallelism":                                 "did you mean behaviour:parallelism?",
		"(slow && !(behaviour:paralelism))":                            "use behaviour:parallelism",
		"profile:core":                                                 "use profile:job",
		"issue: containsAny {139428, 7}":                               `no spec has the label "issue:7"`,
		"behavior: isEmpty":                                            `no spec has the label "behavior:"`,
		"/^behavior:/":                                                 "matches /^behavior:/",
		"nothing-like-it":                                              "jobconformance list -o json has the labels",
	} {
		err := checkLabels(filter, specs)
		if want == "" && err != nil || want != "" && (!badinput.Is(err) || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", filter, err, want)
		}
	}
}
