package catalogue

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"path"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/invariants"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/ladder"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/jobconformance/jobconformance/suites/repro"
	"github.com/jobconformance/jobconformance/suites/scenario"
	"golang.org/x/mod/semver"
)

//go:embed pages.tmpl.html
var pagesText string

//go:embed pages.css
var pagesStyle string

//go:embed search.js
var searchScript template.JS

// Folders have all pages but those at the top, whose names have no slash.
func Folders() []string { return []string{"requirement/", "bug/", "behaviour/", "report/"} }

// styleName is the stylesheet of all pages.
const styleName = "style.css"

// policy has browsers load the stylesheet alone, and run the script of the page with the search. A page from a disk has
// no origin: file: is that.
var policy = func() string {
	sum := sha256.Sum256([]byte("\n" + searchScript))
	return "default-src 'none'; style-src 'self' file:; img-src data:; base-uri 'none'; form-action 'none'; " +
		"script-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}()

// page is one of the site.
type page struct {
	Path, Title, Description string
	// Here is the address in the navigation that leads to the page. Default: none does.
	Here string
	Data any
	kind string // the name of its template
}

// Files returns those of the site, by their paths with slashes. No link between them begins with a slash, or has a
// host.
func (c *Content) Files() (map[string][]byte, error) {
	files := map[string][]byte{styleName: []byte(report.Style() + pagesStyle)}
	templates := map[string]*template.Template{}
	for _, root := range []string{"", "../"} {
		t, err := template.New("pages").Funcs(c.functions(root)).Parse(pagesText)
		if err != nil {
			return nil, err
		}
		templates[root] = t
	}
	for _, p := range c.pages() {
		var b bytes.Buffer
		root := strings.Repeat("../", strings.Count(p.Path, "/"))
		if err := templates[root].ExecuteTemplate(&b, p.kind, p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.Path, err)
		}
		files[p.Path] = b.Bytes()
	}
	return files, nil
}

// functions are those of the templates for pages from which the top is at root.
func (c *Content) functions(root string) template.FuncMap {
	at := func(folder string) func(any) string {
		return func(of any) string { return root + folder + "/" + fmt.Sprint(of) + ".html" }
	}
	code := func(file string, line int) string {
		return report.CodeURL(c.Version, spec.Source{File: file, Line: line})
	}
	upstream := func(issue int) string { return fmt.Sprint("https://github.com/kubernetes/kubernetes/issues/", issue) }
	return template.FuncMap{
		"root": func() string { return root }, "class": report.Class,
		"policy": func() string { return policy }, "script": func() template.JS { return searchScript },
		"atRequirement": at("requirement"), "atBug": at("bug"), "atBehaviour": at("behaviour"),
		"atReport": at("report"),
		"parts":    contract.Parts, "code": code, "upstream": upstream,
		"known":     func(id string) bool { return len(c.named([]string{id})) > 0 },
		"bugByName": c.bugByName, "sourceVersion": func() string { return scenario.SourceVersion },
	}
}

// bugByName returns the ID of a bug as reports name it; empty for one that is not there.
func (c *Content) bugByName(name string) string {
	for _, b := range c.Bugs {
		if b.Bug.Name() == name {
			return b.ID()
		}
	}
	return ""
}

func (c *Content) pages() []page {
	all := []page{c.index(), c.allRequirements(), c.allBugs(), c.allControllers(), c.allReports()}
	code := &listings{source: c.Source}
	for _, r := range c.Requirements {
		all = append(all, c.requirement(r, code))
	}
	for _, b := range c.Bugs {
		all = append(all, c.bug(b))
	}
	for _, name := range c.behaviours() {
		all = append(all, c.behaviour(name))
	}
	for _, r := range c.Reports {
		all = append(all, c.report(r, c.Notes[r.PublishedName()]))
	}
	return all
}

// objects are what a requirement is about, for titles.
func objects(p contract.Profile) string {
	switch p {
	case contract.API:
		return "Job and CronJob API"
	case contract.Status:
		return "Job status"
	}
	return spec.Controller(p).Kind()
}

// shownSpec is a spec with all that a page shows of it.
type shownSpec struct {
	spec.Listed
	Code string
	Bugs []Bug // that it shows
}

func (c *Content) requirement(r contract.Requirement, code *listings) page {
	var specs []shownSpec
	var behaviours []string
	for _, s := range c.specsOf(r.ID) {
		of := shownSpec{Listed: s, Code: code.code(s.Source)}
		for _, b := range c.Bugs {
			if shows(s, b) {
				of.Bugs = append(of.Bugs, b)
			}
		}
		specs, behaviours = append(specs, of), append(behaviours, s.Behaviours...)
	}
	slices.Sort(behaviours)
	var rules []invariants.Invariant
	for _, i := range c.Invariants {
		if slices.Contains(r.Invariants, i.ID) {
			rules = append(rules, i)
		}
	}
	var wrong []Controller
	for _, w := range c.Wrong {
		if slices.Contains(w.Breaks, r.ID) {
			wrong = append(wrong, w)
		}
	}
	var older []int
	for issue, id := range c.Older {
		if id == r.ID {
			older = append(older, issue)
		}
	}
	slices.Sort(older)
	type outcome struct {
		Report  *report.Report
		Outcome report.Outcome
	}
	var outcomes []outcome
	for _, published := range c.Reports {
		for _, q := range published.Requirements {
			if q.ID == r.ID {
				outcomes = append(outcomes, outcome{published, q.Outcome})
			}
		}
	}
	rung, number, of := ladder.Find(r.ID)
	bugs := c.bugsOf(r.ID)
	return page{
		Path: "requirement/" + r.ID + ".html", kind: "requirement",
		Title: r.ID + ": " + r.Text,
		Description: fmt.Sprintf("%s %s of Kubernetes %s controllers, from %s: %s Checked by %s, proved by %s; %s.",
			r.Level(), r.ID, objects(r.Profile()), r.Source, r.Text, count(len(specs), "spec"),
			count(len(wrong), "wrong controller"), count(len(bugs), "known bug")),
		Data: map[string]any{"R": r, "Specs": specs, "Behaviours": slices.Compact(behaviours), "Invariants": rules,
			"Wrong": wrong, "Bugs": bugs, "Older": older, "Outcomes": outcomes, "Rung": rung, "Number": number,
			"Of": of},
	}
}

// count returns a number with a word behind it.
func count(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}

// must is what has to hold and does not, where there is a bug; its text if that is not known.
func (b Bug) must() string {
	if b.Entry != nil {
		return b.Entry.Description
	}
	return b.Text
}

// kindOf is the kind of objects that a bug is about, for titles.
func (c *Content) kindOf(b Bug) string {
	if of := c.requirementsOf(b); len(of) > 0 {
		return objects(of[0].Profile())
	}
	return objects(contract.Job)
}

// cell is a bug on a version.
type cell struct {
	repro.Cell
	Word string
}

func (c *Content) bug(b Bug) page {
	requirements := c.requirementsOf(b)
	var specs []spec.Listed
	var behaviours []string
	for _, s := range c.Specs {
		if shows(s, b) {
			specs = append(specs, s)
		}
		if slices.ContainsFunc(requirements, func(r contract.Requirement) bool {
			return slices.Contains(s.Requirements, r.ID)
		}) {
			behaviours = append(behaviours, s.Behaviours...)
		}
	}
	slices.Sort(behaviours)
	var cells []cell
	for _, of := range c.Cells {
		if of.Issue == b.Issue && of.Key == b.Key {
			cells = append(cells, cell{of, console.Color(of.Reds == 0)})
		}
	}
	slices.SortFunc(cells, func(x, y cell) int {
		return cmp.Or(strings.Compare(x.Implementation, y.Implementation), semver.Compare(y.Version, x.Version))
	})
	text := ""
	var fields any
	if b.Entry != nil {
		text, fields = string(b.Entry.Text), b.Entry
	}
	var minors []minor
	if b.Versions != "" {
		minors = timeline(b.Versions)
	}
	title := fmt.Sprintf("Kubernetes %s bug %s", c.kindOf(b), b.Name())
	if b.Entry != nil {
		title += " violates: " + b.must()
	}
	return page{
		Path: "bug/" + b.ID() + ".html", kind: "bug", Title: title,
		Description: strings.TrimSpace(fmt.Sprintf("Known bug of Kubernetes, %s, in versions %s. %s", b.State(),
			cmp.Or(b.Versions, "before v1.30"), b.Text)),
		Data: map[string]any{"B": b, "Must": b.must(), "Entry": fields, "YAML": text, "Requirements": requirements,
			"Specs": specs, "Behaviours": slices.Compact(behaviours), "Cells": cells, "Component": cmp.Or(b.Component,
				"kube-controller-manager"), "Timeline": minors},
	}
}

func (c *Content) behaviour(name string) page {
	var specs []spec.Listed
	var ids []string
	for _, s := range c.Specs {
		if slices.Contains(s.Behaviours, name) {
			specs, ids = append(specs, s), append(ids, s.Requirements...)
		}
	}
	requirements := c.named(ids)
	var bugs []Bug
	for _, b := range c.Bugs {
		if slices.ContainsFunc(c.requirementsOf(b), func(r contract.Requirement) bool {
			return slices.Contains(ids, r.ID)
		}) {
			bugs = append(bugs, b)
		}
	}
	var wrong []Controller
	for _, w := range c.Wrong {
		if w.Group == name {
			wrong = append(wrong, w)
		}
	}
	return page{
		Path: "behaviour/" + name + ".html", kind: "behaviour",
		Title: "Kubernetes Jobs and CronJobs, " + name + ": requirements, conformance tests and known bugs",
		Description: fmt.Sprintf("What controllers of Kubernetes Jobs and CronJobs do about %s: %s, %s, %s, %s.", name,
			count(len(requirements), "requirement"), count(len(specs), "spec"), count(len(bugs), "known bug"),
			count(len(wrong), "wrong controller")),
		Data: map[string]any{"Name": name, "Specs": specs, "Requirements": requirements, "Bugs": bugs, "Wrong": wrong},
	}
}

func (c *Content) report(r *report.Report, notes report.Notes) page {
	requirements := slices.DeleteFunc(slices.Clone(r.Requirements), func(q report.Requirement) bool {
		return q.Outcome == report.Conformant
	})
	slices.SortStableFunc(requirements, func(a, b report.Requirement) int {
		return slices.Index(report.Outcomes(), a.Outcome) - slices.Index(report.Outcomes(), b.Outcome)
	})
	name := r.PublishedName()
	return page{
		Path: "report/" + name + ".html", kind: "report",
		Title: fmt.Sprintf("Conformance report of %s %s", r.Implementation.Name, r.Implementation.Version),
		Description: fmt.Sprintf("Conformance of the Job and CronJob controllers of %s %s on Kubernetes %s: %s, %s.",
			r.Implementation.Name, r.Implementation.Version, r.Cluster.KubernetesVersion, r.Result, r.Count()),
		Data: map[string]any{"R": r, "File": path.Join("suites/report/published", name+".yaml"), "Not": requirements,
			"Notes": notes,
			"Rows":  report.NewOverview([]*report.Report{r}).Rows},
	}
}
