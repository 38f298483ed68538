// Package catalogue writes the contract as a static site: a page for each requirement and for each known bug of
// Kubernetes, with the specs, the wrong controllers and the published reports that belong to it. It knows nothing
// that the registries of the suites do not know.
package catalogue

import (
	"cmp"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/halves"
	"github.com/jobconformance/jobconformance/suites/internal/mutant"
	"github.com/jobconformance/jobconformance/suites/mutants"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/jobconformance/jobconformance/suites/repro"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
	"github.com/jobconformance/jobconformance/suites/variants"
)

// Content is all that the site shows.
type Content struct {
	// Version is that of the suites: links to code are to it.
	Version      string
	Requirements []contract.Requirement
	Specs        []spec.Listed
	Invariants   []invariants.Invariant
	// Wrong are controllers that break requirements, Variants are others that keep all of them.
	Wrong    []Controller
	Variants []Controller
	Bugs     []Bug
	// Cells are bugs that were run on versions of Kubernetes.
	Cells []repro.Cell
	// Older are issues of Kubernetes by number, with the requirement whose specs show them.
	Older   map[int]string
	Reports []*report.Report
	// Notes are those of reports, by their published names.
	Notes map[string]report.Notes
	// Source has the code of specs, by its paths below suites/.
	Source fs.FS
}

// Controller is the reference controller with edits.
type Controller struct {
	// Group is the behaviour that it breaks, or what else it has in common with others.
	Group string
	// File describes it: a path in the repository.
	File     string
	Sentence string
	// Breaks are the IDs of requirements.
	Breaks []string
	Edits  []mutant.Edit
}

// oneMissing is the group of controllers that are right but for one field or side effect.
const oneMissing = "one field or side effect missing"

// Bug is a known bug of Kubernetes.
type Bug struct {
	spec.Bug
	// Entry is its scenario. Default: it has none.
	Entry *library.Entry
}

// ID is the number of its issue, or its key.
func (b Bug) ID() string {
	if b.Issue > 0 {
		return strconv.Itoa(b.Issue)
	}
	return b.Key
}

// Name is the ID as people write it, as in #139428.
func (b Bug) Name() string {
	if b.Issue > 0 {
		return "#" + b.ID()
	}
	return b.Key
}

// State is what has become of it.
func (b Bug) State() library.State {
	if b.Entry == nil {
		return library.Unreported
	}
	return b.Entry.State()
}

// Load gathers the content. The specs are all that there are.
func Load(specs []spec.Listed, version string) (*Content, error) {
	c := &Content{Version: version, Requirements: table.All(), Specs: slices.Clone(specs),
		Invariants: invariants.Invariants(), Older: library.Shown(), Source: suites.Source}
	slices.SortFunc(c.Specs, func(a, b spec.Listed) int { return strings.Compare(a.Text, b.Text) })
	for _, load := range []func() error{c.loadControllers, c.loadBugs} {
		if err := load(); err != nil {
			return nil, err
		}
	}
	var err error
	if c.Reports, err = report.Published(); err != nil {
		return nil, err
	}
	c.Notes = map[string]report.Notes{}
	for _, r := range c.Reports {
		if c.Notes[r.PublishedName()], err = r.Notes(); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *Content) loadControllers() error {
	wrong, err := mutants.All()
	if err != nil {
		return err
	}
	for _, m := range wrong {
		c.Wrong = append(c.Wrong, Controller{m.Behaviour, "suites/mutants/" + m.Name + ".yaml", m.Wrong, m.Breaks,
			m.Edits})
	}
	lacking, err := halves.All()
	if err != nil {
		return err
	}
	for _, h := range lacking {
		c.Wrong = append(c.Wrong, Controller{oneMissing, "suites/halves/" + h.Name + ".yaml", "It lacks " + h.Lacks,
			slices.Concat(h.NonConformant, h.Warns), h.Edits})
	}
	others, err := variants.All()
	for _, v := range others {
		c.Variants = append(c.Variants, Controller{File: "suites/variants/" + v.Name + ".yaml", Sentence: v.Design,
			Edits: v.Edits})
	}
	return err
}

func (c *Content) loadBugs() error {
	scenarios, err := library.Reports()
	if err != nil {
		return err
	}
	for _, e := range scenarios {
		c.Bugs = append(c.Bugs, Bug{spec.Bug{Issue: e.Issue, Key: e.Key, Component: e.Component, Versions: e.Affected,
			Text: e.Because, Gates: e.Gates}, &e})
	}
	all, err := library.Bugs()
	if err != nil {
		return err
	}
	for _, b := range all {
		if !slices.ContainsFunc(c.Bugs, func(other Bug) bool { return other.Issue == b.Issue && other.Key == b.Key }) {
			c.Bugs = append(c.Bugs, Bug{Bug: b})
		}
	}
	c.Cells, err = repro.Recorded()
	return err
}

// behaviours returns those of the specs, sorted without regard to capitals.
func (c *Content) behaviours() (all []string) {
	for _, s := range c.Specs {
		all = append(all, s.Behaviours...)
	}
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(strings.Compare(strings.ToLower(a), strings.ToLower(b)), strings.Compare(a, b))
	})
	return slices.Compact(all)
}

// specsOf returns the specs that cover a requirement.
func (c *Content) specsOf(id string) (some []spec.Listed) {
	for _, s := range c.Specs {
		if slices.Contains(s.Requirements, id) {
			some = append(some, s)
		}
	}
	return some
}

// shows reports whether a spec shows a bug, in each run or at times.
func shows(s spec.Listed, b Bug) bool {
	return slices.Contains(s.Issues, b.ID()) || slices.Contains(s.MayIssues, b.ID())
}

// requirementsOf returns those that a bug breaks: of its scenario, or else of the specs that show it.
func (c *Content) requirementsOf(b Bug) []contract.Requirement {
	var ids []string
	if b.Entry != nil {
		ids = b.Entry.Requirements
	} else {
		for _, s := range c.Specs {
			if shows(s, b) {
				ids = append(ids, s.Requirements...)
			}
		}
	}
	return c.named(ids)
}

// named returns the requirements with these IDs, sorted.
func (c *Content) named(ids []string) (some []contract.Requirement) {
	for _, r := range c.Requirements {
		if slices.Contains(ids, r.ID) {
			some = append(some, r)
		}
	}
	return some
}

// bugsOf returns those that break a requirement.
func (c *Content) bugsOf(id string) (some []Bug) {
	for _, b := range c.Bugs {
		if slices.ContainsFunc(c.requirementsOf(b), func(r contract.Requirement) bool { return r.ID == id }) {
			some = append(some, b)
		}
	}
	return some
}
