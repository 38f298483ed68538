package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/run/causes"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Earlier is the report that a run was compared with, and what became of the requirements since then.
type Earlier struct {
	// Date is when its run began.
	Date metav1.Time `json:"date"`
	// Notes say in what else than outcomes it differs, as in another version of Kubernetes.
	Notes []string `json:"notes,omitempty"`
	// Worse and Better are the IDs of requirements, as the command compare has them.
	Worse  []string `json:"worse,omitempty"`
	Better []string `json:"better,omitempty"`
}

// since says of each cause, and of each spec and each requirement that turns the run red, since when it does: an
// earlier report knows that of its own.
func (r *Report) since(earlier *Report) {
	if earlier == nil {
		return
	}
	compared, err := Compare(earlier, r)
	if err != nil {
		r.Earlier = &Earlier{Date: earlier.Date, Notes: []string{err.Error()}}
		return
	}
	r.Earlier = &Earlier{Date: earlier.Date, Notes: compared.Notes, Worse: changed(compared.Worse),
		Better: changed(compared.Better)}
	begun := func(was bool, since *metav1.Time) *metav1.Time {
		switch {
		case !was:
			return &r.Date
		case since != nil:
			return since
		}
		return &earlier.Date
	}
	requirements, specs, groups := byID(earlier), map[string]Evidence{}, map[causes.Key]Cause{}
	for _, q := range earlier.Requirements {
		for _, e := range q.Evidence {
			specs[e.Spec] = e
		}
	}
	for _, c := range earlier.Causes {
		groups[c.key()] = c
	}
	for i, c := range r.Causes {
		was, there := groups[c.key()]
		r.Causes[i].Since = begun(there, was.Since)
	}
	for i := range r.Requirements {
		q := &r.Requirements[i]
		if was := requirements[q.ID]; q.red() {
			if q.Since = begun(was.red(), was.Since); !was.red() {
				q.Was = was.Outcome
			}
		}
		for j := range q.Evidence {
			e := &q.Evidence[j]
			if was := specs[e.Spec]; e.Outcome.Red() {
				if e.Since = begun(was.Outcome.Red(), was.Since); !was.Outcome.Red() {
					e.Was = was.Outcome
				}
			}
		}
	}
}

func changed(all []Change) (ids []string) {
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

// red reports whether the requirement turns a run red.
func (q Requirement) red() bool {
	return slices.Contains([]Outcome{NonConformant, spec.UnexpectedPass, spec.Flaky}, q.Outcome)
}

// Age says since when something turns runs red, as in "new" or "since 2026-11-20 10:43"; empty where no earlier report
// was given. Was is how it ended in that one, where it did not turn it red.
func (r *Report) Age(since *metav1.Time, was Outcome) string {
	switch {
	case since == nil:
		return ""
	case !since.Equal(&r.Date):
		return "since " + minute(*since)
	case was == "" || was == Conformant || was == spec.Passed:
		return "new"
	}
	return "new, " + string(was) + " before"
}

// minute is a time for people, in UTC.
func minute(at metav1.Time) string { return at.UTC().Format("2006-01-02 15:04") }

// New reports whether something turned no earlier run red.
func (r *Report) New(since *metav1.Time) bool { return since != nil && since.Equal(&r.Date) }

// Changes says in a line what became of the requirements since the earlier report; empty without one.
func (r *Report) Changes() string {
	if r.Earlier == nil {
		return ""
	}
	return fmt.Sprintf("compared with the run of %s UTC: %d requirements worse, %d better", minute(r.Earlier.Date),
		len(r.Earlier.Worse), len(r.Earlier.Better))
}

// printChanges prints what has become of the earlier report.
func (r *Report) printChanges(out io.Writer) {
	if r.Earlier == nil {
		return
	}
	fmt.Fprintln(out, r.Changes())
	for _, note := range r.Earlier.Notes {
		fmt.Fprintln(out, "  note:", console.Hanging(note, 4))
	}
	if better := r.Earlier.Better; len(better) > 0 && len(better) <= listed {
		fmt.Fprintln(out, "  better:", strings.Join(better, ", "))
	}
}
