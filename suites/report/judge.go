package report

import (
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/protocol"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/contract"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Run is what a run found out, before it is judged.
type Run struct {
	Implementation Implementation
	Cluster        Cluster
	Date           time.Time
	Duration       time.Duration
	// Specs are all specs of the suite, including those that were not run.
	Specs []protocol.Spec
	// Declined are the features that the implementation does not claim.
	Declined []contract.Feature
	// Crashes are those of the implementation that specs share.
	Crashes []protocol.Crash
	// HarnessError is why the run could not be finished; empty if it was.
	HarnessError string
	// Histories are the files of saved histories, relative to the report, by
	// the text of the spec.
	Histories map[string]string
}

// Judge returns the outcome of every requirement that applies to the run's version of
// Kubernetes.
func Judge(run Run, requirements []contract.Requirement) *Report {
	r := &Report{
		TypeMeta:       metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind},
		Implementation: run.Implementation,
		Cluster:        run.Cluster,
		Date:           metav1.NewTime(run.Date.UTC().Truncate(time.Second)),
		Duration:       tenths(run.Duration),
		Crashes:        run.Crashes,
		HarnessError:   run.HarnessError,
	}
	applicable := func(constraints ...string) bool { return holdsIn(run.Cluster.KubernetesVersion, constraints...) }
	var specs []protocol.Spec
	for _, s := range run.Specs {
		if !applicable(s.Versions...) {
			continue
		}
		specs = append(specs, s)
		switch {
		case s.Passed:
			r.Specs.Passed++
		case s.Failed:
			r.Specs.Failed++
		default:
			r.Specs.NotVerified++
		}
	}
	for _, q := range requirements {
		if applicable(q.Versions) {
			r.Requirements = append(r.Requirements, run.requirement(q, specs, requirements))
		}
	}
	r.Profiles, r.Result = profiles(r.Requirements)
	switch {
	case len(run.Crashes) > 0:
		r.Result = ResultNonConformant
	case r.Result == ResultConformant && run.HarnessError != "":
		r.Result = ResultPartial
	}
	return r
}

func holdsIn(v string, constraints ...string) bool {
	return !slices.ContainsFunc(constraints, func(c string) bool { return !version.Satisfies(v, c) })
}

// requirement judges one requirement by the specs that cover it, and by all others that
// broke one of its invariants.
func (run Run) requirement(q contract.Requirement, specs []protocol.Spec, all []contract.Requirement) Requirement {
	out := Requirement{ID: q.ID, Feature: q.Feature, Text: q.Text, Source: q.Source}
	declined := slices.Contains(run.Declined, q.Feature)
	for _, s := range specs {
		covers := slices.Contains(s.Requirements, q.ID)
		breaks := s.Failed && slices.ContainsFunc(q.Invariants, s.Breaks)
		if !covers && !breaks {
			continue
		}
		e := Evidence{
			Spec: s.Text, Failed: s.Failed, Duration: tenths(s.Duration), History: run.Histories[s.Text],
			Cause: s.Cause, Invariants: s.Invariants, Reason: s.Message,
		}
		switch {
		case s.Cause == protocol.Harness:
			e.Outcome = HarnessError
		case s.Failed && !breaks && blamedElsewhere(s, all):
			e.Outcome = NotVerified // it failed before it could check what it covers
		case s.Failed:
			e.Outcome = NonConformant
			if s.KnownIssue != nil {
				out.KnownIssue = s.KnownIssue.Name()
			}
		case s.Passed:
			e.Outcome = Conformant
		case declined:
			e.Outcome = Declined
		default:
			e.Outcome = NotVerified
		}
		out.Evidence = append(out.Evidence, e)
	}
	out.Outcome = sum(out.Evidence, declined)
	return out
}

// blamedElsewhere reports whether a spec failed for an invariant of some requirement,
// and so not for what it covers.
func blamedElsewhere(s protocol.Spec, all []contract.Requirement) bool {
	return slices.ContainsFunc(all, func(q contract.Requirement) bool { return slices.ContainsFunc(q.Invariants, s.Breaks) })
}

// sum returns the outcome of a requirement: one failed spec makes it non-conformant, and
// it is conformant only if all its specs passed.
func sum(evidence []Evidence, declined bool) Outcome {
	has := func(o Outcome) bool {
		return slices.ContainsFunc(evidence, func(e Evidence) bool { return e.Outcome == o })
	}
	switch {
	case has(NonConformant):
		return NonConformant
	case has(HarnessError):
		return HarnessError
	case declined:
		return Declined
	case len(evidence) == 0, has(NotVerified), has(Declined):
		return NotVerified
	default:
		return Conformant
	}
}

// profiles groups the requirements, and returns the result of all of them together.
func profiles(requirements []Requirement) ([]Profile, Result) {
	var out []Profile
	var core []Result
	for _, name := range []contract.Profile{contract.Job, contract.CronJob, contract.API} {
		p := Profile{Name: name}
		var coreOnes, extended []Requirement
		features := map[contract.Feature][]Requirement{}
		for _, q := range requirements {
			switch {
			case (contract.Requirement{ID: q.ID}).Profile() != name:
			case q.Feature == contract.Core:
				coreOnes = append(coreOnes, q)
			default:
				extended = append(extended, q)
				features[q.Feature] = append(features[q.Feature], q)
			}
		}
		if len(coreOnes)+len(extended) == 0 {
			continue
		}
		p.Core, p.Extended = group(coreOnes), group(extended)
		for _, feature := range contract.Features() {
			some := features[feature]
			switch {
			case len(some) == 0:
			case all(some, Conformant):
				p.SupportedFeatures = append(p.SupportedFeatures, feature)
			case slices.ContainsFunc(some, func(q Requirement) bool { return q.Outcome == NonConformant }):
				p.UnsupportedFeatures = append(p.UnsupportedFeatures, feature)
			case all(some, Declined):
				p.DeclinedFeatures = append(p.DeclinedFeatures, feature)
			default:
				p.NotVerifiedFeatures = append(p.NotVerifiedFeatures, feature)
			}
		}
		out = append(out, p)
		core = append(core, p.Core.Result, p.Extended.Result)
	}
	return out, worst(core)
}

func all(some []Requirement, o Outcome) bool {
	return !slices.ContainsFunc(some, func(q Requirement) bool { return q.Outcome != o })
}

func group(requirements []Requirement) Group {
	g := Group{Result: ResultConformant, Statistics: map[Outcome]int{}}
	for _, q := range requirements {
		g.Statistics[q.Outcome]++
	}
	switch {
	case g.Statistics[NonConformant] > 0:
		g.Result = ResultNonConformant
	case g.Statistics[NotVerified]+g.Statistics[HarnessError] > 0:
		g.Result = ResultPartial
	}
	return g
}

func worst(results []Result) Result {
	for _, r := range []Result{ResultNonConformant, ResultPartial} {
		if slices.Contains(results, r) {
			return r
		}
	}
	return ResultConformant
}

func tenths(d time.Duration) metav1.Duration {
	return metav1.Duration{Duration: d.Round(100 * time.Millisecond)}
}

// Failed returns the texts of the specs that failed, sorted, each once.
func (r *Report) Failed() []string {
	var out []string
	for _, q := range r.Requirements {
		for _, e := range q.Evidence {
			if e.Failed {
				out = append(out, e.Spec)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
