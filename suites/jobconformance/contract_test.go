package main

import (
	"slices"
	"testing"

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
