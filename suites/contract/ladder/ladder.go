// Package ladder orders the requirements of a controller: what a new one does first is on the lowest
// rung, what hardly any Job needs on the highest. A controller on a rung can be checked before it knows
// anything of those above.
package ladder

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"github.com/jobconformance/jobconformance/fixtures/run/causes"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/table"
	cron "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	job "github.com/jobconformance/jobconformance/suites/job/requirements"
)

// Rung is a group of requirements that make up a step of a new controller.
type Rung struct {
	// Name is what messages call it.
	Name string
	// Does says what a controller does that is on it, as in "creates the pods of a Job".
	Does string
	// Requirements are sorted by ID.
	Requirements []contract.Requirement

	first    []contract.Requirement
	areas    []string // IDs that begin so, beside those in first of any rung
	features []contract.Feature
}

// Features are those that a controller has from this rung on.
func (r Rung) Features() []contract.Feature { return r.features }

// Of returns the rungs of a profile, the lowest first; none for the API, which no controller has a part in,
// and for the status from another cluster, which copies all at once.
// Each requirement of the profile is on one of them.
func Of(profile contract.Profile) []Rung {
	switch profile {
	case contract.Job:
		return placedJob()
	case contract.CronJob:
		return placedCronJob()
	}
	return nil
}

var (
	placedJob     = sync.OnceValue(func() []Rung { return placed(contract.Job, jobRungs) })
	placedCronJob = sync.OnceValue(func() []Rung { return placed(contract.CronJob, cronJobRungs) })
)

// placed returns the rungs with the requirements of the profile.
func placed(profile contract.Profile, rungs []Rung) []Rung {
	rungs = slices.Clone(rungs)
	for _, r := range table.All() {
		if r.Profile() == profile {
			n := place(rungs, r)
			rungs[n].Requirements = append(rungs[n].Requirements, r)
		}
	}
	return rungs
}

// place returns the index of the requirement's rung: where it is named, where its feature or its area is, or
// the last one.
func place(rungs []Rung, r contract.Requirement) int {
	for _, has := range []func(Rung) bool{
		func(rung Rung) bool {
			return slices.ContainsFunc(rung.first, func(f contract.Requirement) bool { return f.ID == r.ID })
		},
		func(rung Rung) bool { return slices.Contains(rung.features, r.Feature) },
		func(rung Rung) bool {
			return slices.ContainsFunc(rung.areas, func(area string) bool { return strings.HasPrefix(r.ID, area+"-") })
		},
	} {
		if n := slices.IndexFunc(rungs, has); n >= 0 {
			return n
		}
	}
	return len(rungs) - 1
}

// Find returns the rung of the requirement with that ID, with its number from 1 and how many there are; a number
// of 0 if it is on none.
func Find(id string) (rung Rung, number, of int) {
	rungs := Of(contract.Requirement{ID: id}.Profile())
	for n, rung := range rungs {
		if slices.ContainsFunc(rung.Requirements, func(r contract.Requirement) bool { return r.ID == id }) {
			return rung, n + 1, len(rungs)
		}
	}
	return Rung{}, 0, 0
}

// Owners returns what failures are put down to: requirements, of which a new controller begins with the lowest.
func Owners(requirements []contract.Requirement) causes.Owners {
	of := causes.Owners{Invariants: map[string][]string{}, Places: map[string]int{}}
	for _, profile := range []contract.Profile{contract.Job, contract.CronJob} {
		n := 0
		for _, rung := range Of(profile) {
			for _, r := range rung.inOrder() {
				n++
				of.Places[r.ID] = n
			}
		}
	}
	for _, r := range requirements {
		for _, id := range r.Invariants {
			of.Invariants[id] = append(of.Invariants[id], r.ID)
		}
	}
	return of
}

// inOrder returns the requirements of the rung as it lists them: first of all those that it names, and then
// area by area.
func (r Rung) inOrder() []contract.Requirement {
	place := func(q contract.Requirement) int {
		if n := slices.IndexFunc(r.first, func(f contract.Requirement) bool { return f.ID == q.ID }); n >= 0 {
			return n
		}
		n := slices.IndexFunc(r.areas, func(area string) bool { return strings.HasPrefix(q.ID, area+"-") })
		if n < 0 {
			n = len(r.areas)
		}
		return len(r.first) + n
	}
	return slices.SortedStableFunc(slices.Values(r.Requirements), func(a, b contract.Requirement) int {
		return cmp.Compare(place(a), place(b))
	})
}

var jobRungs = []Rung{
	{Name: "pods", Does: "creates the pods of a Job", first: []contract.Requirement{
		job.PodFollowsTemplate, job.PodLabels, job.PodNameFollowsJob, job.JobOwnsPod, job.TrackingFinalizer,
		job.LegacyPodLabels}},
	{Name: "status", Does: "runs as many pods as parallelism says, and reports them", first: []contract.Requirement{
		job.RunsAsMany, job.PendingPodsCount, job.StatusActive, job.StatusReady, job.StartTime}},
	{Name: "completion", Does: "counts the pods that succeed, and completes the Job", first: []contract.Requirement{
		job.CompletesAtCompletions, job.OneCompletionOnePod, job.ZeroCompletions, job.CompletionsOutliveTheirPods,
		job.DeletedSuccessCounts, job.ParallelismIsOne, job.NeverMoreThanParallelism, job.NoMoreThanCompletions,
		job.StatusCounts, job.CompletionTime, job.LeavesTheSpec, job.OneConditionPerType, job.FinalizerUntilCounted,
		job.CountsOnce, job.UncountedLists, job.ReleasesBeforeFinish, job.OneVerdict, job.CompleteIsAnnounced,
		job.NoPodsOnceDecided, job.FinishedStatusIsFixed, job.FinishTimeForTTL, job.KeepsFinishedPods,
		job.LongJobName}},
	{Name: "failures", Does: "replaces the pods that fail, and fails the Job", first: []contract.Requirement{
		job.FailuresAreNoCompletions, job.DefaultRunsOnePod, job.WorkQueueCompletes, job.WorkQueueStopsAtSuccess,
		job.WorkQueueReplacesFailures, job.StartTimeIsFixed, job.FailsBeyondBackoffLimit,
		job.RetriesWithinBackoffLimit, job.SuccessesDoNotResetFailures, job.DeletesActivePodsOnFailure,
		job.LateSuccessDoesNotSave, job.NoCompletionTimeOnFailure, job.CountsInTime, job.FailedIsAnnounced,
		job.FailedAfterAllPods}},
	{Name: "changes", Does: "follows changes of a Job, and lets its pods go with it", first: []contract.Requirement{
		job.ZeroParallelism, job.RaisedParallelism, job.LoweredParallelism, job.SurplusDoesNotFail,
		job.SurplusIsNotReady, job.ReplacesDeletedAtOnce, job.DeletedPodsFail, job.StatusTerminating,
		job.QuietWhenIdle, job.DeletesSurplusAtCompletion, job.FinishedHasNoActivePods, job.CompleteAfterAllPods,
		job.EndedIsNotTerminating, job.NoPodsWhileBeingDeleted, job.PodsGoWithJob, job.OrphanedPodsRun,
		job.ReleasesOrphans, job.ForegroundDeletion}},
	{Name: "limits", Does: "heeds activeDeadlineSeconds, and restarts of containers",
		areas: []string{"JOB-DEADLINE", "JOB-ONFAILURE", "JOB-RESTARTRULES"}},
	{Name: "backoff", Does: "delays the pods after failures",
		first: []contract.Requirement{job.StatusDuringBackoff, job.NewJobStartsAtZero,
			job.DeadlineBeatsBackoff}, areas: []string{"JOB-BACKOFF"}},
	{Name: "ownership", Does: "adopts and releases pods, and leaves those of others alone",
		areas: []string{"JOB-PODS", "JOB-IDENTITY", "JOB-TRACKING", "JOB-FINISHED"}},
	{Name: "admission", Does: "goes on where the API server refuses or changes its pods",
		first: []contract.Requirement{job.RetriesToCreatePods}, areas: []string{"JOB-ADMISSION"}},
	{Name: "suspension", Does: "suspends Jobs, and leaves those alone that others manage",
		features: []contract.Feature{contract.Suspend, contract.ManagedBy}},
	{Name: "indexes", Does: "runs Indexed Jobs",
		features: []contract.Feature{contract.Indexed, contract.ElasticIndexed}},
	{Name: "policies", Does: "heeds the policies of a Job", first: []contract.Requirement{job.TerminatingIsNotActive},
		features: []contract.Feature{contract.BackoffLimitPerIndex, contract.PodFailurePolicy,
			contract.PodReplacementPolicy, contract.SuccessPolicy}},
	{Name: "scheduling", Does: "has Jobs scheduled as workloads",
		features: []contract.Feature{contract.WorkloadScheduling}},
	{Name: "metrics", Does: "serves the metrics of Kubernetes", areas: []string{"JOB-METRICS"}},
	{Name: "faults", Does: "carries on when requests fail, views are stale and processes crash"},
}

var cronJobRungs = []Rung{
	{Name: "jobs", Does: "starts a Job at its scheduled time", first: []contract.Requirement{
		cron.StartsOnSchedule, cron.JobFollowsTemplate, cron.CronJobOwnsJob, cron.ScheduledTimeAnnotation,
		cron.JobNameFollowsCronJob}},
	{Name: "status", Does: "starts one Job for each time, and reports it", first: []contract.Requirement{
		cron.OneJobPerTime, cron.NotBeforeCreation, cron.NotBeforeLastSchedule, cron.ActiveRefersToRunning,
		cron.FinishedLeaveActive, cron.DeletedLeaveActive, cron.LastScheduleTime, cron.QuietCronStatus}},
	{Name: "times", Does: "heeds missed times, deadlines and suspension",
		areas: []string{"CRON-SCHEDULE", "CRON-DEADLINE", "CRON-SUSPEND", "CRON-CHANGES"}},
	{Name: "concurrency", Does: "heeds concurrencyPolicy", areas: []string{"CRON-CONCURRENCY"}},
	{Name: "history", Does: "deletes old Jobs, and records the last success", areas: []string{"CRON-HISTORY"},
		features: []contract.Feature{contract.CronLastSuccess}},
	{Name: "schedules", Does: "understands every schedule, in its time zone",
		areas: []string{"CRON-SYNTAX", "CRON-ZONE", "CRON-LOCAL"}, features: []contract.Feature{contract.CronTimeZone}},
	{Name: "ownership", Does: "knows its Jobs, and leaves those of others alone",
		areas: []string{"CRON-JOBS", "CRON-TEMPLATE", "CRON-OWNERS", "CRON-STATUS"}},
	{Name: "admission", Does: "goes on where the API server refuses or changes its Jobs, and says so in events",
		areas: []string{"CRON-ADMISSION", "CRON-EVENTS", "CRON-TELLS"}},
	{Name: "metrics", Does: "serves the metrics of Kubernetes", areas: []string{"CRON-METRICS"}},
	{Name: "faults", Does: "carries on when requests fail, views are stale and processes crash"},
}
