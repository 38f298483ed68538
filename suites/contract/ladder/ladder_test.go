package ladder

import (
	"slices"
	"testing"

	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/table"
)

func TestEachRequirementOfAControllerIsOnOneRung(t *testing.T) {
	on := map[string]int{}
	for _, profile := range []contract.Profile{contract.Job, contract.CronJob} {
		names := map[string]bool{}
		for _, rung := range Of(profile) {
			if len(rung.Requirements) == 0 || rung.Does == "" || names[rung.Name] {
				t.Errorf("the rung %s of the profile %s is incomplete, or there twice", rung.Name, profile)
			}
			names[rung.Name] = true
			for _, r := range rung.Requirements {
				on[r.ID]++
			}
		}
	}
	for _, r := range table.All() {
		want := 1
		if r.Profile() == contract.API || r.Profile() == contract.Status {
			want = 0
		}
		if on[r.ID] != want {
			t.Errorf("%s is on %d rungs, want %d", r.ID, on[r.ID], want)
		}
		if _, number, of := Find(r.ID); (number > 0) != (want > 0) || number > of {
			t.Errorf("%s is found on rung %d of %d", r.ID, number, of)
		}
	}
}

// A requirement that is named on two rungs would be on the lower one, and a feature or an area as well.
func TestNoRungNamesWhatAnotherHas(t *testing.T) {
	for _, rungs := range [][]Rung{jobRungs, cronJobRungs} {
		var names []string
		for _, rung := range rungs {
			for _, r := range rung.first {
				names = append(names, r.ID)
			}
			for _, f := range rung.features {
				names = append(names, string(f))
			}
			names = append(names, rung.areas...)
		}
		for n, name := range names {
			if slices.Contains(names[:n], name) {
				t.Errorf("%s is named twice", name)
			}
		}
	}
}
