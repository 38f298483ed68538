// Package library has all scenarios of the repository. Those of bugs have the number of the
// issue as the name of their file, or a key where nobody has reported the bug: regressions
// that are fixed, which `make e2e` runs, and open ones. The others are for `make explore`; those in fields for
// its changes of fields.
package library

import (
	"cmp"
	"embed"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	"github.com/jobconformance/jobconformance/suites/scenario"
)

//go:embed regressions explore fields open
var files embed.FS

// Entry is a scenario of the library.
type Entry struct {
	*scenario.Scenario
	// Name of the file, without .yaml.
	Name string
	// Path of the file in the repository.
	Path string
	// Text is the YAML.
	Text []byte
}

func read(folder string) ([]Entry, error) {
	names, err := fs.Glob(files, folder+"/*.yaml")
	if err != nil {
		return nil, err
	}
	var list []Entry
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file := path.Join("suites/scenario/library", name)
		s, err := scenario.Parse(file, text) // a unit test checks it
		if err != nil {
			return nil, err
		}
		list = append(list, Entry{s, strings.TrimSuffix(path.Base(name), ".yaml"), file, text})
	}
	return list, nil
}

// Explorations returns the scenarios for `make explore`, sorted by name. The error is a
// *badinput.Error.
func Explorations() ([]Entry, error) { return read("explore") }

// Fields returns those in which fields of a Job or CronJob are changed, sorted by name. The error is a
// *badinput.Error.
func Fields() ([]Entry, error) { return read("fields") }

// Regressions returns the scenarios of bugs that `make e2e` runs, sorted by issue. The error
// is a *badinput.Error.
func Regressions() ([]Entry, error) { return regressions() }

var regressions = sync.OnceValues(func() ([]Entry, error) { return readBugs("regressions") })

// Reports returns the scenarios of all bugs: the regressions and the open ones. Those with
// a number come first, sorted by it. The error is a *badinput.Error.
func Reports() ([]Entry, error) { return reports() }

var reports = sync.OnceValues(func() ([]Entry, error) { return readBugs("regressions", "open") })

func readBugs(folders ...string) (list []Entry, err error) {
	for _, folder := range folders {
		some, err := read(folder)
		if err != nil {
			return nil, err
		}
		list = append(list, some...)
	}
	slices.SortFunc(list, func(a, b Entry) int {
		return cmp.Or(cmp.Compare(a.group(), b.group()), cmp.Compare(a.Issue, b.Issue), strings.Compare(a.Key, b.Key))
	})
	return list, nil
}

// group is 1 for bugs without a number, which come last.
func (e Entry) group() int {
	if e.Issue == 0 {
		return 1
	}
	return 0
}

// State is what has become of a bug.
type State string

// States of bugs.
const (
	Fixed      State = "fixed"      // in the newest version
	Open       State = "open"       // reported
	Unreported State = "unreported" // and not fixed
)

// State returns what has become of the bug.
func (e Entry) State() State {
	switch {
	case e.Affected == "" || e.Green != "":
		return Fixed
	case e.Issue > 0:
		return Open
	}
	return Unreported
}

// Bugs returns all known bugs of Kubernetes: those of package upstream, with versions
// and text of their scenarios, and those of the other scenarios.
func Bugs() ([]spec.Bug, error) {
	list, err := Reports()
	bugs := upstream.Bugs()
	for _, r := range list {
		if r.Affected == "" {
			continue // it was in versions that the suites do not support
		}
		i := slices.IndexFunc(bugs, func(b spec.Bug) bool { return b.Issue == r.Issue && b.Key == r.Key })
		if i < 0 {
			i, bugs = len(bugs), append(bugs, spec.Bug{Issue: r.Issue, Key: r.Key})
		}
		bugs[i].Component, bugs[i].Versions, bugs[i].Text = r.Component, r.Affected, r.Because
		bugs[i].Gates = r.Gates
	}
	return bugs, err
}

// Red reports whether a scenario is expected to fail against an implementation on a
// release, as in v1.36.1, where its feature gates are on.
func Red(s *scenario.Scenario, impl, release string) bool {
	return s.Affected != "" &&
		spec.Bug{Component: s.Component, Versions: s.Affected}.In(implementation.OriginOf(impl), release, nil)
}

// Among returns the scenario as it is judged on a release with other bugs: without the
// invariants that they break everywhere.
func Among(s *scenario.Scenario, impl, release string) *scenario.Scenario {
	among := *s
	bugs, _ := Bugs() // a unit test reads the scenarios
	for _, bug := range bugs {
		if (bug.Issue != s.Issue || bug.Key != s.Key) && bug.In(implementation.OriginOf(impl), release, s.Gates) {
			among.Except = slices.Concat(among.Except, bug.Invariants)
		}
	}
	return &among
}

// Find returns the entry with the number of an issue, or of the pull request that fixes
// it, or with a key.
func Find(list []Entry, id string) (Entry, bool) {
	for _, of := range []func(Entry) string{
		func(e Entry) string { return e.ID() },
		func(e Entry) string { return strings.TrimPrefix(strconv.Itoa(e.Pull), "0") },
	} {
		if i := slices.IndexFunc(list, func(e Entry) bool { return of(e) == id }); i >= 0 {
			return list[i], true
		}
	}
	return Entry{}, false
}

// Nearest returns the n issues whose numbers are nearest to one that is not known.
func Nearest(list []Entry, number, n int) []int {
	var issues []int
	for _, e := range list {
		if e.Issue > 0 {
			issues = append(issues, e.Issue)
		}
	}
	distance := func(issue int) int { return max(issue-number, number-issue) }
	slices.SortStableFunc(issues, func(a, b int) int { return distance(a) - distance(b) })
	issues = issues[:min(n, len(issues))]
	slices.Sort(issues)
	return issues
}

// Shown are issues that need no scenario because specs cover them: the requirement of
// those specs.
func Shown() map[int]string {
	return map[int]string{
		// Jobs.
		111646: "JOB-BACKOFF-007", 109485: "JOB-BACKOFF-007", // a pod succeeds after the Job was judged failed
		114516: "JOB-BACKOFF-008", 114391: "JOB-BACKOFF-008", // pods are made at least 10 s, 20 s, 40 s apart
		63650: "JOB-BACKOFF-001", 62382: "JOB-BACKOFF-001", // the limit stops retries
		60202: "JOB-BACKOFF-001", 56853: "JOB-BACKOFF-001",
		60735:  "JOB-BACKOFF-011",                                    // a success ends the delay
		117015: "JOB-REPLACEMENT-001", 115844: "JOB-REPLACEMENT-001", // Failed waits for the pod's end
		121147: "JOB-STATUS-003", 122235: "JOB-STATUS-003", // terminating pods beyond parallelism
		104666: "JOB-TRACKING-003",    // more pods end at once than the status has room for
		121342: "JOB-STATUS-003",      // terminating alone is worth a status
		99963:  "JOB-COMPLETIONS-008", // surplus pods go at completion
		99865:  "JOB-INDEXED-013",     // an index that succeeds twice counts once
		108887: "JOB-INDEXED-008",     // an index that has succeeded is not run again
		54870:  "JOB-ONFAILURE-002",   // the limit caps restarts of containers
		// CronJobs.
		42649: "CRON-SCHEDULE-007", 45825: "CRON-SCHEDULE-008", // over a hundred missed
		118724: "CRON-SCHEDULE-006", 121327: "CRON-SCHEDULE-006", // ticks that are not evenly spaced
		41655: "CRON-SCHEDULE-011", // a schedule that never comes
		// a Job that is being deleted is in nobody's way
		59676:  "CRON-CONCURRENCY-015",
		109250: "CRON-SYNTAX-003", // @every does not drift
		// labels of the template change
		107997: "CRON-STATUS-009", 106496: "CRON-STATUS-009", 108023: "CRON-STATUS-009",
		119776: "CRON-HISTORY-009",                                     // history limits with a full quota
		118530: "CRON-STATUS-007",                                      // a Job that was started by hand
		116252: "API-CRONJOB-006",                                      // TZ= in a schedule
		58748:  "CRON-CONCURRENCY-003", 107827: "CRON-CONCURRENCY-003", // Forbid with a stuck Job
	}
}
