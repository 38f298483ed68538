package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/run/record"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/fixtures/version"
	"github.com/jobconformance/jobconformance/suites/contract"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Run is the record of a run, and what was run and where: all that a report is made of.
type Run struct {
	record.Run
	Implementation Implementation
	Cluster        Cluster
	Selection      Selection
	// Earlier is a report that this one is compared with. Default: none.
	Earlier *Report `json:"-"`
	// Flags are those that the user gave, by their names, without those that select specs.
	Flags map[string]string
	// Histories are the files of saved histories, relative to the report, by
	// the text of the spec.
	Histories map[string]string
}

// Judge returns the outcome of every requirement that applies to the run's version of
// Kubernetes.
func Judge(run Run, requirements []contract.Requirement) *Report {
	r := &Report{
		TypeMeta:       metav1.TypeMeta{APIVersion: APIVersion, Kind: Kind},
		SuiteVersion:   version.Suite(),
		Implementation: run.Implementation,
		Companion:      run.Companion,
		Confinement:    run.Confinement,
		Cluster:        run.Cluster,
		Selection:      run.Selection,
		Flags:          run.Flags,
		Date:           metav1.NewTime(run.Date.UTC().Truncate(time.Second)),
		Duration:       tenths(run.Duration),
		Crashes:        run.Crashes,
		Leaders:        run.Leaders,
		Interferences:  run.Interferences,
		Unwatched:      run.Unwatched,
		LackingRights:  run.Lacking,
		HarnessError:   run.HarnessError,
		Incomplete:     run.Incomplete,
		Specs:          map[Outcome]int{},
	}
	specs := run.applicable()
	for _, s := range specs {
		r.Specs[s.Outcome()]++
		if s.Passed && len(s.Requests) > 0 {
			if r.Requests == nil {
				r.Requests = map[string]Requests{}
			}
			r.Requests[s.Text] = s.Requests
		}
		switch s.Outcome() {
		case spec.KnownIssue:
			r.KnownIssues = addIssue(r.KnownIssues, s)
		case spec.UnexpectedPass:
			r.UnexpectedPasses = addIssue(r.UnexpectedPasses, s)
		case spec.Warning:
			r.Warnings = append(r.Warnings, Warning{s.Text, s.Requirements})
		case spec.NotVerified:
			if s.Interrupted && (run.Incomplete != "" || run.HarnessError != "") {
				r.NotRun = append(r.NotRun, s.Text)
			}
		}
	}
	for _, q := range requirements {
		if q.In(run.skew()) {
			r.Requirements = append(r.Requirements, run.requirement(q, specs, requirements))
		}
	}
	if n := r.Specs[spec.HarnessError]; n > 0 && r.HarnessError == "" {
		r.HarnessError = fmt.Sprintf("the harness failed in %d specs", n)
	}
	r.Causes = r.causesOf(specs, requirements)
	r.Profiles = profiles(r.Requirements)
	r.Result = r.result()
	r.since(run.Earlier)
	return r
}

// result is that of all specs and requirements: the run is red exactly where it is
// non-conformant.
func (r *Report) result() Result {
	all := maps.Clone(r.Specs)
	for _, q := range r.Requirements {
		all[q.Outcome]++
	}
	result := lessened(resultOf(all), r.Requirements)
	switch {
	case r.wrong():
		return ResultNonConformant
	case result != ResultNonConformant && r.Unfinished() != "":
		return ResultNoVerdict
	}
	return result
}

// wrong reports whether the implementation did something that turns the run red beside its specs.
func (r *Report) wrong() bool {
	return len(r.Crashes) > 0 || r.Leaders.Failed() || len(r.Interferences) > 0
}

// NotWatched says that nobody looks for interferences; empty where the run does.
func (r *Report) NotWatched() string {
	if r.Unwatched {
		return record.Unwatched
	}
	return ""
}

// Unfinished says in a line why the run ended before its end; empty if it did not.
func (r *Report) Unfinished() string {
	if r.Incomplete == "" && r.HarnessError != "" {
		return "the harness failed: " + firstLine(r.HarnessError)
	}
	return r.Incomplete
}

// resultOf is the result of specs, or of requirements, by their outcomes.
func resultOf(counts map[Outcome]int) Result {
	switch {
	case counts[spec.Failed]+counts[NonConformant]+counts[spec.UnexpectedPass]+counts[spec.Flaky] > 0:
		return ResultNonConformant
	case counts[spec.HarnessError] > 0:
		return ResultNoVerdict
	case counts[spec.NotVerified] > 0:
		return ResultPartial
	}
	return ResultConformant
}

// lessened returns the result of requirements of which the user expects less than the contract.
func lessened(result Result, requirements []Requirement) Result {
	if result == ResultConformant && slices.ContainsFunc(requirements, Requirement.lessened) {
		return ResultPartial
	}
	return result
}

// lessened reports whether it is not conformant because the user expects less than the contract. To
// decline a feature is no such thing.
func (q Requirement) lessened() bool {
	return q.Expected != nil && (q.Outcome == spec.KnownIssue ||
		q.Outcome == spec.Declined && q.Feature == contract.Core)
}

// applicable are the specs of the run's version of Kubernetes, sorted by their text.
func (run Run) applicable() (specs []spec.Spec) {
	for _, s := range run.Specs {
		if run.skew().Hold(s.Versions, s.APIVersions) {
			specs = append(specs, s)
		}
	}
	slices.SortFunc(specs, func(a, b spec.Spec) int { return strings.Compare(a.Text, b.Text) })
	return specs
}

// Count returns how many specs ended in each way, as in "3 failed, 10 passed".
func (r *Report) Count() string {
	var words []string
	for _, o := range SpecOutcomes() {
		if n := r.Specs[o]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, o))
		}
	}
	return strings.Join(words, ", ")
}

// addIssue adds a spec to the issue that it is expected to fail for.
func addIssue(issues []Issue, s spec.Spec) []Issue {
	bug := s.KnownIssue
	i := slices.IndexFunc(issues, func(o Issue) bool { return o.Issue == bug.Name() && o.Text == bug.Text })
	if i < 0 {
		i = len(issues)
		issues = append(issues, Issue{Issue: bug.Name(), Versions: bug.Versions, Text: bug.Text})
		if s.Outcome() == spec.UnexpectedPass {
			issues[i].Remedy = s.Reason()
		}
	}
	issues[i].Specs = append(issues[i].Specs, s.Text)
	issues[i].Requirements = slices.Compact(
		slices.Sorted(slices.Values(append(issues[i].Requirements, s.Requirements...))))
	return issues
}

// skew is the versions by which specs and requirements hold.
func (run Run) skew() version.Skew {
	return version.Skew{APIServer: run.Cluster.KubernetesVersion, Controller: run.Implementation.Upstream}
}

// requirement judges one requirement by the specs that cover it, and by all others that
// broke one of its invariants, or in which a ground of it did not hold.
func (run Run) requirement(q contract.Requirement, specs []spec.Spec, all []contract.Requirement) Requirement {
	out := Requirement{ID: q.ID, Level: q.Level(), Feature: q.Feature, Provisional: q.Provisional, Text: q.Text,
		Source: q.Source, Evidence: []Evidence{}}
	for _, s := range specs {
		breaks, covers := slices.ContainsFunc(q.Invariants, s.Breaks), slices.Contains(s.Requirements, q.ID)
		about := slices.DeleteFunc(slices.Clone(q.About), func(g spec.Ground) bool {
			return !slices.Contains(s.About, g)
		})
		lacks := s.Lacks(q.Grounds) || covers && s.Lacks(about)
		if !breaks && !lacks && !covers {
			continue
		}
		e := Evidence{
			Spec: s.Text, File: s.Source.File, Line: s.Source.Line,
			Outcome: s.Outcome(), Duration: tenths(s.Duration), History: run.Histories[s.Text],
			Cause: s.Cause, Invariants: s.Invariants, Reason: cmp.Or(s.Message, s.Reason()),
		}
		if blamed := blamed(s, all); s.Failed && s.Cause != spec.Harness && !breaks && blamed != "" &&
			!(covers && failsBeside(s, all)) {
			if e.Verified = s.Finished; e.Verified {
				e.Note = "its expectations held; after its last step it broke " + blamed
			} else {
				e.Elsewhere, e.Note = true, "not verified: its spec was ended by "+blamed
			}
		}
		switch {
		case s.Cause == spec.Interfered:
			e.Verified, e.Elsewhere = false, true
			e.Note = "not verified: the controller interfered with its spec"
		case lacks:
			e.Broken, e.Note = true, s.Lacking(slices.Concat(q.Grounds, about))
		case covers && (s.Passed || s.Finished || s.Groundless()) && (s.Lacks(q.About) || s.CannotSee(q.About)):
			e.Verified, e.Elsewhere, e.Note = false, true, "not verified: its ground, "+s.Lacking(spec.Grounds)
		case len(s.Missed) > 0 && e.Note == "" && !breaks:
			e.Verified, e.Note = s.Passed || s.Finished, s.Without()
			e.Elsewhere = !e.Verified && s.Cause == spec.Assertion
		}
		if s.KnownIssue != nil && (s.Failed || s.Passed) {
			e.KnownIssue, e.Sometimes = s.KnownIssue.Name(), s.ShowsSometimes()
		}
		out.Evidence = append(out.Evidence, e)
	}
	out.Situations = situationsOf(q, specs)
	for _, e := range run.Selection.Expectations {
		if e.Requirement == q.ID {
			out.Expected = &e
		}
	}
	if slices.ContainsFunc(run.Expectations, func(e spec.Expectation) bool {
		return e.Fails && e.Requirement == q.ID
	}) {
		for i, e := range out.Evidence {
			if e.Broken {
				out.Evidence[i].KnownIssue = q.ID
			}
		}
	}
	out.Outcome = sum(out.Evidence, slices.Contains(run.Selection.Declined, q.Feature) ||
		slices.Contains(run.Selection.DeclinedRequirements, q.ID) || run.Implementation.lacks(q.Profile()) ||
		len(q.Gates) > 0 && !slices.ContainsFunc(specs, func(s spec.Spec) bool {
			return slices.Contains(s.Requirements, q.ID) && s.Outcome() != spec.Declined
		}))
	return out
}

// situationsOf returns how often the situations of a requirement arose in the specs that cover it; nothing where none
// of them has a history.
func situationsOf(q contract.Requirement, specs []spec.Spec) (all []Situation) {
	for _, s := range q.Situations {
		sum, known := Situation{Name: s}, false
		for _, of := range specs {
			if of.Arose != nil && slices.Contains(of.Requirements, q.ID) {
				sum.Times, known = sum.Times+of.Arose[s], true
			}
		}
		if known {
			all = append(all, sum)
		}
	}
	return all
}

// lacks reports whether the implementation does not have the controller of a profile.
func (i Implementation) lacks(p contract.Profile) bool {
	return len(i.Controllers) > 0 && slices.Contains([]contract.Profile{contract.Job, contract.CronJob}, p) &&
		!slices.Contains(i.Controllers, string(p))
}

// blamed names the invariants of requirements for which a spec failed, and so not for what it
// covers: as in "job-a of JOB-A-001". It is empty if there are none.
func blamed(s spec.Spec, all []contract.Requirement) string {
	var list []string
	for _, id := range s.Invariants {
		var of []string
		for _, q := range all {
			if slices.Contains(q.Invariants, id) && s.Breaks(id) {
				of = append(of, q.ID)
			}
		}
		if len(of) > 0 {
			list = append(list, id+" of "+strings.Join(of, ", "))
		}
	}
	return strings.Join(list, "; ")
}

// failsBeside reports whether an expectation of the spec did not hold, and the invariants that broke do
// not explain it: steps do without the grounds of their requirements.
func failsBeside(s spec.Spec, all []contract.Requirement) bool {
	if !s.Asserted {
		return false
	}
	for _, q := range all {
		if slices.ContainsFunc(q.Invariants, s.Breaks) && (len(q.Grounds) == 0 || s.Lacks(q.Grounds)) {
			return false
		}
	}
	return true
}

// sum returns the outcome of a requirement: one failed spec makes it non-conformant, and
// it is conformant only if all its specs passed, up to invariants of other requirements.
func sum(evidence []Evidence, declined bool) Outcome {
	has := map[Outcome]bool{}
	for _, e := range evidence {
		switch {
		case e.Broken && e.KnownIssue != "":
			e.Outcome = spec.KnownIssue
		case e.Broken:
			e.Outcome = spec.Failed
		case e.Elsewhere:
			e.Outcome = spec.NotVerified
		case e.Verified:
			e.Outcome = spec.Passed
		}
		has[e.Outcome] = true
	}
	for _, o := range SpecOutcomes() {
		switch {
		case o == spec.NotVerified && declined:
			return spec.Declined
		case o == spec.NotVerified && len(evidence) == 0:
			return o
		case !has[o]:
		case o == spec.Failed:
			return NonConformant
		case o == spec.Declined:
			return spec.NotVerified // it needs another feature, which is declined
		case o != spec.Passed:
			return o
		}
	}
	return Conformant
}

// profiles groups the requirements.
func profiles(requirements []Requirement) []Profile {
	var out []Profile
	for _, name := range contract.Profiles() {
		p := Profile{Name: name}
		var core, extended, provisional []Requirement
		features := map[contract.Feature][]Requirement{}
		for _, q := range requirements {
			switch {
			case (contract.Requirement{ID: q.ID}).Profile() != name:
			case q.Provisional:
				provisional = append(provisional, q)
			case q.Feature == contract.Core:
				core = append(core, q)
			default:
				extended = append(extended, q)
				features[q.Feature] = append(features[q.Feature], q)
			}
		}
		if len(core)+len(extended)+len(provisional) == 0 {
			continue
		}
		if len(provisional) > 0 {
			apart := group(provisional)
			p.Provisional = &apart
		}
		p.Core, p.Extended = group(core), group(extended)
		for _, feature := range contract.Features() {
			some := group(features[feature])
			switch {
			case len(features[feature]) == 0:
			case some.Result == ResultNonConformant:
				p.UnsupportedFeatures = append(p.UnsupportedFeatures, feature)
			case some.Statistics[spec.Declined] == len(features[feature]):
				p.DeclinedFeatures = append(p.DeclinedFeatures, feature)
			case some.Result == ResultPartial, some.Result == ResultNoVerdict:
				p.NotVerifiedFeatures = append(p.NotVerifiedFeatures, feature)
			default:
				p.SupportedFeatures = append(p.SupportedFeatures, feature)
			}
		}
		out = append(out, p)
	}
	return out
}

func group(requirements []Requirement) Group {
	g := Group{Statistics: map[Outcome]int{}}
	for _, q := range requirements {
		g.Statistics[q.Outcome]++
		for _, e := range q.Evidence {
			switch {
			case e.Outcome.Red():
				g.FailedSpecs = append(g.FailedSpecs, e.Spec)
			case e.Outcome == spec.NotVerified || e.Outcome == spec.Declined:
				g.SkippedSpecs = append(g.SkippedSpecs, e.Spec)
			}
		}
	}
	g.Result = lessened(resultOf(g.Statistics), requirements)
	g.FailedSpecs, g.SkippedSpecs = sorted(g.FailedSpecs), sorted(g.SkippedSpecs)
	if all := len(requirements); all > 0 && g.Statistics[spec.Declined] == all {
		g.Result = ResultDeclined
	}
	return g
}

// sorted returns each text once.
func sorted(texts []string) []string { return slices.Compact(slices.Sorted(slices.Values(texts))) }

func tenths(d time.Duration) metav1.Duration {
	return metav1.Duration{Duration: d.Round(100 * time.Millisecond)}
}

// Failed returns the texts of the specs that turned the run red, sorted, each once.
func (r *Report) Failed() (texts []string) {
	for _, p := range r.Profiles {
		texts = slices.Concat(texts, p.Core.FailedSpecs, p.Extended.FailedSpecs)
		if p.Provisional != nil {
			texts = append(texts, p.Provisional.FailedSpecs...)
		}
	}
	return sorted(texts)
}
