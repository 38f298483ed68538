package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/badinput"
	"github.com/jobconformance/jobconformance/fixtures/console"
	"github.com/jobconformance/jobconformance/fixtures/dialect"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	admission "github.com/jobconformance/jobconformance/suites/admission/requirements"
	"github.com/jobconformance/jobconformance/suites/climb"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/ladder"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	"github.com/jobconformance/jobconformance/suites/expectations"
	"github.com/jobconformance/jobconformance/suites/scenario/library"
)

// selectByContract turns requirements and features into labels of specs. It refuses
// those that the contract does not have.
func (f *flags) selectByContract() error {
	f.selection.Labels = f.labels
	var wanted []string
	for _, id := range f.requirements {
		if _, found := table.Find(id); !found {
			return unknownID(id)
		}
		wanted = append(wanted, spec.RequirementLabel+id)
	}
	if len(wanted) > 0 {
		filter := "(" + strings.Join(wanted, " || ") + ")"
		if f.labels != "" {
			filter = "(" + f.labels + ") && " + filter
		}
		f.selection.Labels = filter
	}
	for _, name := range f.decline {
		if err := contract.Declinable(contract.Feature(name)); err != nil {
			return err
		}
		f.selection.Declined = append(f.selection.Declined, name)
	}
	if webhooks := string(contract.Webhooks); !f.options.Implementation.ServesWebhooks() &&
		!slices.Contains(f.decline, webhooks) {
		f.selection.Declined = append(f.selection.Declined, webhooks)
	}
	d := f.options.Implementation.Dialect()
	f.selection.Expect(unclaimed(d.CronJob))
	features, expected := without(d.Jobs)
	f.selection.Declined = append(f.selection.Declined, features...)
	f.selection.Expect(expected)
	for _, id := range d.Declines {
		named := table.Named(id)
		if len(named) == 0 {
			return badinput.New(fmt.Sprintf("the dialect declines the unknown requirement %q", id),
				"list all with jobconformance explain")
		}
		for _, r := range named {
			switch {
			case slices.Contains(f.selection.DeclinedRequirements, r.ID):
			case r.Profile() != contract.API && (d.Jobs.IsZero() || r.Profile() != contract.Job):
				return badinput.New("the dialect cannot decline "+r.ID,
					"decline requirements API-, with jobs: also JOB-, or use "+console.Flag("expectations"))
			default:
				f.selection.DeclinedRequirements = append(f.selection.DeclinedRequirements, r.ID)
			}
		}
	}
	if f.expectations != "" {
		expected, err := expectations.Load(f.expectations)
		if err != nil {
			return err
		}
		f.selection.Expect(expected)
	}
	f.selection.Except = table.DeclinedInvariants(f.selection.Declined, f.selection.DeclinedRequirements)
	f.selection.ExceptGrounds = table.DeclinedGrounds(f.selection.Declined, f.selection.DeclinedRequirements)
	f.selection.Principals, f.selection.Owners = table.Principals(), ladder.Owners(table.All())
	controllers := f.options.Implementation.Controllers()
	switch {
	case f.next:
		f.selection.Rungs = climb.Rungs(controllers, f.selection.Declined, f.selection.DeclinedRequirements)
	case !f.all && f.rerunFailed == "" && f.selection.Shard.Count == 0:
		f.selection.First = climb.First(controllers)
	}
	if f.knownBugs == "off" {
		return nil
	}
	var err error
	f.selection.Known, err = library.Bugs()
	return err
}

// ofJobs reports whether a requirement of the API server is about Jobs, or about the template of CronJobs.
func ofJobs(q contract.Requirement) bool {
	ofCronJobs := strings.HasPrefix(q.ID, admission.CronJobDefaults.Area()+"-") &&
		q.ID != admission.JobTemplateIsValid.ID && q.ID != admission.JobTemplateHasNoSelector.ID
	return q.Profile() == contract.API && !ofCronJobs &&
		q.ID != admission.CronJobDeletionCascades.ID && q.ID != admission.CronJobColumns.ID
}

// without returns the features and requirements that there are not with a custom resource in place of Jobs, and why.
func without(jobs dialect.Jobs) (features []string, all []spec.Expectation) {
	if jobs.IsZero() {
		return nil, nil
	}
	for _, path := range jobs.Lacking() {
		if of := string(contract.FeatureOf(path)); of != "" && !slices.Contains(features, of) {
			features = append(features, of)
		}
	}
	for _, q := range table.All() {
		reason, by := "", "jobs"
		for _, path := range jobs.Lacking() {
			if q.IsAboutJobs(path) && reason == "" {
				reason, by = jobs.String()+" has no "+path, path
			}
		}
		if reason == "" && ofJobs(q) {
			reason = "the schema of " + jobs.String() + " takes the place of the rules for Jobs"
		}
		if reason != "" {
			all = append(all, spec.Expectation{Requirement: q.ID, Invariants: q.Invariants, Reason: reason,
				Entry: "the dialect, " + by})
		}
	}
	return features, all
}

// unclaimed returns the requirements that a custom resource in place of CronJobs cannot meet, and why.
func unclaimed(r dialect.Resource) (all []spec.Expectation) {
	for _, q := range table.All() {
		reason, by := "", "scheduledTime"
		for _, path := range r.Fields.Lacking() {
			if q.IsAbout(path) && reason == "" {
				reason, by = "the custom resource has no "+path, path
			}
		}
		for _, path := range r.Children.Lacking() {
			if q.IsAbout(path) && reason == "" {
				reason = "the kind of its children has no " + strings.TrimPrefix(path, "spec.jobTemplate.")
				by = "children"
			}
		}
		switch {
		case reason == "" && !r.Children.IsZero() && ofJobs(q):
			reason, by = "the schema of "+r.Children.String()+" takes the place of the rules for Jobs", "children"
		case reason != "" || !q.RecordsTime():
		case r.TimeInName:
			reason = "Jobs have their scheduled time in their names alone"
		case r.ScheduledTime != "" && q.IsAbout("spec.timeZone"):
			reason = "the scheduled time is in the annotation " + r.ScheduledTime + ", in whatever zone"
		}
		if reason != "" {
			all = append(all, spec.Expectation{Requirement: q.ID, Invariants: q.Invariants, Reason: reason,
				Entry: "the dialect, " + by})
		}
	}
	return all
}
