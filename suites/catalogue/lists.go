package catalogue

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/report"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
)

// group is a part of a list.
type group[T any] struct {
	Title string
	Of    []T
}

// grouped returns the elements of each group, in the order in which the groups come first.
func grouped[T any](all []T, of func(T) string) (groups []group[T]) {
	for _, one := range all {
		i := slices.IndexFunc(groups, func(g group[T]) bool { return g.Title == of(one) })
		if i < 0 {
			i, groups = len(groups), append(groups, group[T]{Title: of(one)})
		}
		groups[i].Of = append(groups[i].Of, one)
	}
	return groups
}

func (c *Content) allRequirements() page {
	return page{
		Path: "requirements.html", Here: "requirements.html", kind: "requirements",
		Title: "All requirements of Kubernetes Job and CronJob controllers",
		Description: fmt.Sprintf("The batch/v1 contract of Kubernetes in %d sentences with MUST, SHOULD and MAY, each "+
			"with its source, its tests and the known bugs that break it.", len(c.Requirements)),
		Data: map[string]any{"Areas": grouped(c.Requirements, contract.Requirement.Area)},
	}
}

func (c *Content) allBugs() page {
	states := map[library.State]string{library.Open: "Reported, and in the newest version",
		library.Unreported: "In the newest version, and reported by nobody", library.Fixed: "Fixed"}
	order := []library.State{library.Open, library.Unreported, library.Fixed}
	bugs := slices.SortedStableFunc(slices.Values(c.Bugs), func(a, b Bug) int {
		return cmp.Compare(slices.Index(order, a.State()), slices.Index(order, b.State()))
	})
	type issue struct {
		Number int
		ID     string
	}
	var older []issue
	for _, number := range slices.Sorted(maps.Keys(c.Older)) {
		older = append(older, issue{number, c.Older[number]})
	}
	return page{
		Path: "bugs.html", Here: "bugs.html", kind: "allBugs", Title: "Known bugs of Kubernetes Jobs and CronJobs",
		Description: fmt.Sprintf("%d bugs of kube-controller-manager and kube-apiserver with Jobs and CronJobs: what "+
			"breaks, in which versions of Kubernetes, why, and how to reproduce it.", len(c.Bugs)),
		Data: map[string]any{"States": grouped(bugs, func(b Bug) string { return states[b.State()] }), "Older": older},
	}
}

func (c *Content) allControllers() page {
	return page{
		Path: "controllers.html", Here: "controllers.html", kind: "controllers",
		Title: "Wrong controllers that prove the tests of Kubernetes Jobs",
		Description: fmt.Sprintf("%d wrong Job and CronJob controllers, each of which must turn a spec red, and %d "+
			"right ones of another design, which must not.", len(c.Wrong), len(c.Variants)),
		Data: map[string]any{"Groups": grouped(c.Wrong, func(w Controller) string { return w.Group }),
			"Variants": c.Variants},
	}
}

func (c *Content) allReports() page {
	return page{
		Path: "reports.html", Here: "reports.html", kind: "reports",
		Title: "Conformance of Kubernetes Job controllers, compared",
		Description: fmt.Sprintf("%s of Job and CronJob controllers side by side, by profile and area.",
			count(len(c.Reports), "published conformance report")),
		Data: map[string]any{"Overview": report.NewOverview(c.Reports), "Reports": c.Reports},
	}
}

// found is what the search finds: what it is, its title, its address, what else is shown, and words that are not.
type found [5]string

func (c *Content) index() page {
	var entries []found
	specs := map[string][]string{}
	for _, s := range c.Specs {
		for _, id := range s.Requirements {
			specs[id] = append(specs[id], s.Text)
		}
	}
	for _, b := range c.Bugs {
		var ids []string
		for _, r := range c.requirementsOf(b) {
			ids = append(ids, r.ID)
		}
		entries = append(entries, found{"bug", b.Name(), "bug/" + b.ID() + ".html", b.must(),
			strings.Join(append(ids, b.Text, b.Versions), " ")})
	}
	for _, name := range c.behaviours() {
		entries = append(entries, found{"behaviour", name, "behaviour/" + name + ".html", "", ""})
	}
	for _, r := range c.Requirements {
		entries = append(entries, found{"requirement", r.ID, "requirement/" + r.ID + ".html", r.Text,
			strings.Join(append(specs[r.ID], r.Source, string(r.Feature)), " ")})
	}
	for _, r := range c.Reports {
		entries = append(entries, found{"report", r.PublishedName(), "report/" + r.PublishedName() + ".html",
			string(r.Result), ""})
	}
	type profile struct {
		Name  string
		Areas []group[contract.Requirement]
	}
	var profiles []profile
	for _, p := range []contract.Profile{contract.Job, contract.CronJob, contract.Status, contract.API} {
		of := slices.DeleteFunc(slices.Clone(c.Requirements), func(r contract.Requirement) bool {
			return r.Profile() != p
		})
		profiles = append(profiles, profile{objects(p), grouped(of, contract.Requirement.Area)})
	}
	open := 0
	for _, b := range c.Bugs {
		if b.State() != library.Fixed {
			open++
		}
	}
	return page{
		Path: "index.html", Here: "index.html", kind: "index",
		Title: "Kubernetes Jobs and CronJobs: requirements, tests and known bugs",
		Description: fmt.Sprintf("What a controller of Kubernetes Jobs and CronJobs has to do: %d requirements of "+
			"batch/v1 with %d tests, and %d known bugs of Kubernetes.", len(c.Requirements), len(c.Specs), len(c.Bugs)),
		Data: map[string]any{"Entries": entries, "Behaviours": c.behaviours(), "Profiles": profiles, "Content": c,
			"Open": open},
	}
}
