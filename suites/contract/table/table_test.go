package table

import (
	"slices"
	"testing"

	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/spec"
)

func TestTableIsComplete(t *testing.T) {
	if n := len(All()); n < 422 {
		t.Errorf("there are %d requirements", n)
	}
}

func TestInvariantsThatRequirementsNameExist(t *testing.T) {
	var known []string
	for _, i := range invariants.Invariants() {
		known = append(known, i.ID)
	}
	named := map[string]bool{}
	for _, r := range All() {
		for _, id := range r.Invariants {
			named[id] = true
			if !slices.Contains(known, id) {
				t.Errorf("%s names the invariant %s, which is not there", r.ID, id)
			}
		}
	}
	for _, id := range known {
		if !named[id] {
			t.Errorf("no requirement names the invariant %s", id)
		}
	}
}

func TestInvariantsOfDeclinedRequirements(t *testing.T) {
	if got := DeclinedInvariants(nil, nil); len(got) > 0 {
		t.Errorf("without any: %v", got)
	}
	// Those of CRON-LOCAL-002 are other requirements' as well.
	if got := DeclinedInvariants([]string{"cron-time-zone"}, nil); len(got) > 0 {
		t.Errorf("of time zones: %v", got)
	}
	want := []string{"cronjob-last-success-was-one", "cronjob-last-success-at-rest"}
	for _, got := range [][]string{DeclinedInvariants([]string{"cron-last-success"}, nil),
		DeclinedInvariants(nil, []string{"CRON-STATUS-005"})} {
		if !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

func TestARequirementIsAboutEachSituation(t *testing.T) {
	about := map[spec.Situation]bool{}
	for _, r := range All() {
		for _, s := range r.Situations {
			about[s] = true
		}
	}
	for _, s := range spec.Situations() {
		if !about[s] {
			t.Errorf("no requirement is about %s: %s", s, s.Sentence())
		}
	}
}

func TestEachGroundHasOneRequirement(t *testing.T) {
	of := map[spec.Ground][]string{}
	for _, r := range All() {
		for _, ground := range r.Grounds {
			of[ground] = append(of[ground], r.ID)
		}
		for _, ground := range slices.Concat(r.Grounds, r.About) {
			if !slices.Contains(spec.Grounds, ground) {
				t.Errorf("%s names the ground %s, which is not there", r.ID, ground)
			}
		}
	}
	for _, ground := range spec.Grounds {
		if len(of[ground]) != 1 || Principals()[ground] != of[ground][0] {
			t.Errorf("%s is of %q, want one requirement", ground, of[ground])
		}
	}
}

func TestGroundsOfDeclinedRequirements(t *testing.T) {
	if got := DeclinedGrounds([]string{"indexed"}, []string{"JOB-STATUS-002"}); !slices.Equal(got,
		[]spec.Ground{spec.JobReady}) {
		t.Errorf("%q", got)
	}
}
