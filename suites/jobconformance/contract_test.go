package main

import (
	"slices"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/dialect"
	ginkgo "github.com/onsi/ginkgo/v2/types"
)

func TestSelectByContract(t *testing.T) {
	f := flags{
		requirements: []string{"JOB-BACKOFF-001", "JOB-END-001"},
		decline:      []string{"indexed"},
		labels:       "area:job || area:cronjob",
	}
	if err := f.selectByContract(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(f.selection.Declined, []string{"indexed", "webhooks"}) { // which the reference does not have
		t.Errorf("declined are %q", f.selection.Declined)
	}
	filter, err := ginkgo.ParseLabelFilter(f.selection.Labels)
	if err != nil {
		t.Fatal(err)
	}
	for labels, want := range map[string]bool{
		"requirement:JOB-BACKOFF-001": true,
		"requirement:JOB-END-001":     true,
		"requirement:JOB-BACKOFF-002": false,
	} {
		if got := filter([]string{"area:job", labels}); got != want {
			t.Errorf("%s is selected: %t, want %t", labels, got, want)
		}
	}
	if filter([]string{"area:api", "requirement:JOB-END-001"}) {
		t.Error("the label filter that was given is lost")
	}
}

// What hangs on a field of a Job is declined where there is none, with its feature, and so are the rules of the API
// server for Jobs.
func TestWhatJobsOfADialectCannotMeet(t *testing.T) {
	if features, all := without(dialect.Jobs{}); len(features)+len(all) > 0 {
		t.Errorf("%q, %v without a dialect", features, all)
	}
	for path, row := range map[string]struct{ features, some []string }{
		"spec.parallelism":        {nil, []string{"JOB-PARALLELISM-001"}},
		"spec.suspend":            {[]string{"suspend"}, []string{"JOB-SUSPEND-001", "JOB-SUSPEND-015"}},
		"status.completedIndexes": {[]string{"indexed"}, []string{"JOB-INDEXED-001"}},
		"status.ready":            {[]string{"ready-pods"}, []string{"JOB-STATUS-002"}},
	} {
		jobs := dialect.Jobs{Children: dialect.Children{Group: "example.com", Version: "v1", Kind: "Run",
			Fields: dialect.Fields{path: "", "spec.template": "spec.pod"}}}
		features, all := without(jobs)
		reasons := map[string]string{}
		for _, e := range all {
			reasons[e.Requirement] = e.Reason
		}
		for _, id := range row.some {
			if reasons[id] != "example.com/v1 Run has no "+path {
				t.Errorf("%s: %s is declined because %q", path, id, reasons[id])
			}
		}
		if !slices.Equal(features, row.features) || reasons["API-JOB-001"] == "" || reasons["API-CRONJOB-001"] != "" ||
			reasons["JOB-STATUS-004"] != "" {
			t.Errorf("%s: %q, %v", path, features, reasons)
		}
	}
}

// What hangs on a field of a CronJob is declined where there is none, and nothing else.
func TestWhatACustomResourceCannotMeet(t *testing.T) {
	fields := func(path string) dialect.Resource { return dialect.Resource{Fields: dialect.Fields{path: ""}} }
	for name, row := range map[string]struct {
		resource dialect.Resource
		want     []string
	}{
		"nothing": {dialect.Resource{}, nil},
		"moved":   {dialect.Resource{Fields: dialect.Fields{"spec.suspend": "spec.paused"}}, nil},
		"timeZone": {fields("spec.timeZone"), []string{"API-CRONJOB-007", "API-CRONJOB-008",
			"CRON-LOCAL-001", "CRON-LOCAL-002", "CRON-ZONE-001", "CRON-ZONE-002", "CRON-ZONE-003"}},
		"lastSuccessfulTime": {fields("status.lastSuccessfulTime"), []string{
			"CRON-STATUS-005", "CRON-STATUS-006", "CRON-STATUS-007"}},
		"lastScheduleTime": {fields("status.lastScheduleTime"), []string{
			"CRON-ADMISSION-001", "CRON-CLOCK-001", "CRON-FAULTS-002", "CRON-SCHEDULE-005", "CRON-STATUS-003",
			"CRON-STATUS-004"}},
		"failedJobsHistoryLimit": {fields("spec.failedJobsHistoryLimit"), []string{"API-CRONJOB-001", "API-CRONJOB-009",
			"CRON-HISTORY-002", "CRON-HISTORY-003", "CRON-HISTORY-004", "CRON-HISTORY-005"}},
		"suspend of Jobs": {fields("spec.jobTemplate.spec.suspend"), []string{
			"CRON-CONCURRENCY-008", "CRON-TEMPLATE-002"}},
		"an annotation of its own": {dialect.Resource{ScheduledTime: "example.com/at"}, []string{"CRON-ZONE-002"}},
		"in the name": {dialect.Resource{TimeInName: true}, []string{
			"CRON-JOBS-003", "CRON-TEMPLATE-001", "CRON-ZONE-002"}},
	} {
		var got []string
		for _, e := range unclaimed(row.resource) {
			got = append(got, e.Requirement)
			if e.Fails || e.Reason == "" {
				t.Errorf("%s: %+v", name, e)
			}
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: %q, want %q", name, got, row.want)
		}
	}
	if of := unclaimed(fields("status.lastSuccessfulTime")); of[0].String() !=
		"the custom resource has no status.lastSuccessfulTime" {
		t.Errorf("%+v", of)
	}
}
