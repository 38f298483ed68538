// Package upstream has the bugs of Kubernetes that specs and explorations show, so that
// they can refer to one as a value. The library of scenarios has the list of all bugs, and
// the versions and the text of those that have a scenario.
package upstream

import "github.com/jobconformance/jobconformance/fixtures/spec"

// Bugs with a number.
var (
	// LostStart is a Job that a CronJob has started and never takes up again. What the Job controller writes may come
	// between its start and its record.
	LostStart = spec.Bug{
		Issue: 136918, AfterCrash: []string{"schedule", "concurrencyPolicy", "historyLimits"},
		Explored: spec.Explored{
			Scenario: "cron-.*", Cause: "step [378]",
			Plan: "(create (jobs|pods)|update cronjobs/status) [0-9]+: .*|[a-z]+ [a-z/]+ [0-9]+: kill .*",
		},
	}
	// StaleJob is a pod that is created because the Job in the cache is stale.
	StaleJob = spec.Bug{Issue: 137210}
	// StatusWrongInBackoff is a status of too few active pods while a pod is delayed.
	StatusWrongInBackoff = spec.Bug{Issue: 139428, Invariants: []string{"job-ready-at-rest"}}
	// ExpectedForName is a Job that gets no pods for as long as the expectations of a deleted one of its
	// name last.
	ExpectedForName = spec.Bug{Issue: 131917}
	// OwnedByName is a CronJob that takes Jobs for its own by the name of their owner.
	OwnedByName = spec.Bug{Issue: 120181}
	// ResumedStatusRefused is a status with another startTime, which the API server refuses. A Job
	// that is resumed in the second of its start gets no other one.
	ResumedStatusRefused = spec.Bug{Issue: 134521}
	// ReleasedOnce is a pod of a deleted Job that is not released where that failed at first.
	ReleasedOnce = spec.Bug{Issue: 141346}
	// ReadyWithoutActive is a status with more ready pods than active ones.
	ReadyWithoutActive = spec.Bug{Issue: 125089, Invariants: []string{"job-counters-in-range"}}
)

// Bugs that nobody has reported.
var (
	// MissedRunLost is a Job that is never started after a downtime or a suspension.
	MissedRunLost = spec.Bug{Key: "missed-run-lost"}
	// EveryMissesDeadline is a CronJob that never starts anything.
	EveryMissesDeadline = spec.Bug{Key: "every-misses-deadline"}
	// ForeignJobStopsClock is a CronJob whose next tick is forgotten.
	ForeignJobStopsClock = spec.Bug{Key: "foreign-job-stops-clock"}
	// ActiveByName is a CronJob that waits for ever for a Job that is not its own.
	ActiveByName = spec.Bug{Key: "active-job-by-name"}
	// ReplacesByName is a Job that a CronJob deletes although it is not its own.
	ReplacesByName = spec.Bug{Key: "replace-by-name"}
	// DeadlineWhileSuspended is a Job that fails when it is resumed.
	DeadlineWhileSuspended = spec.Bug{Key: "deadline-passes-while-suspended"}
	// DeadlineOverflow is a Job that fails at once, as its deadline is the longest.
	DeadlineOverflow = spec.Bug{Key: "active-deadline-overflow"}
	// UnseenPod is a Job that gets no pods for as long as its expectations last.
	UnseenPod = spec.Bug{Key: "unseen-pod"}
	// PodsOfRecreatedJob are pods that nobody releases after their Job.
	PodsOfRecreatedJob = spec.Bug{Key: "pods-of-recreated-job"}
	// CountedAgain is a pod that is adopted after it was counted.
	CountedAgain = spec.Bug{Key: "counted-again-without-owner", Explored: spec.Explored{
		Scenario: "user-.*", Plan: ".*user releases a pod.*",
		Cause: "job-pod-counted-once|job-counts-no-more-than-pods|job-finished-after-release",
	}}
	// RestartLimitForgotten is a Job whose restarts count anew after it was to fail.
	RestartLimitForgotten = spec.Bug{Key: "restart-limit-forgotten-with-lost-answer", AfterCrash: []string{"OnFailure"},
		Explored: spec.Explored{
			Scenario: "on-failure-limit",
			Plan: ".*(delete pods 1: (lose answer|kill after)" +
				"|update jobs/status (2: (answer [0-9]+|away|kill before)|[12]: deny)).*",
			Cause: "step 2",
		}}
	// StartedAgain is a Job that a CronJob starts twice for the same tick, even after its deletion.
	StartedAgain = spec.Bug{Key: "job-started-again-after-cleanup", Explored: spec.Explored{
		Scenario: "cron-deletion|cron-replace|fields-cron",
		Plan:     "watch cronjobs [0-9]+: (hold|expire|order .*)|create jobs [0-9]+: user changes .*",
		Cause:    "step [67]|end",
	}}
	// CountedFromOldList is a pod that is counted again after a restart that begins with an old list.
	CountedFromOldList = spec.Bug{Key: "counted-again-from-old-list"}
	// CompleteBeforeRelease is a Job that is Complete although a pod has its finalizer.
	CompleteBeforeRelease = spec.Bug{Key: "complete-before-release-from-old-list", Explored: spec.Explored{
		Scenario: "user-.*", Plan: ".*: kill after; (.*; )?list pods 1: past .*", Cause: "step [0-9]+",
	}}
	// PodFromOldJob is a pod that is created because a list of Jobs was old, and outlives its Job.
	PodFromOldJob = spec.Bug{Key: "pod-of-finished-job-from-old-list", Explored: spec.Explored{
		Scenario: "user-.*", Plan: ".*: kill after; (.*; )?list jobs 1: past .*", Cause: "step [0-9]+",
	}}
	// DeletedPodLost is a pod that is being deleted and is never counted, as a list of Jobs lacks its Job.
	DeletedPodLost = spec.Bug{Key: "deleted-pod-lost-from-old-list", Explored: spec.Explored{
		Scenario: "user-.*", Plan: ".*: kill after; (.*; )?list jobs 1: past .*",
		Cause: "job-pod-released-after-counting",
	}}
	// WithoutCompletions is a Job whose completions a user takes away, and an API server that panics over it.
	WithoutCompletions = spec.Bug{Key: "success-policy-without-completions", Explored: spec.Explored{
		Scenario: "user-success-policy", Plan: ".*user changes spec.completions to null.*", Cause: "step [0-9]+",
	}}
	// CompleteAndSuspended is a resumed Job that keeps its condition Suspended for ever.
	CompleteAndSuspended = spec.Bug{Key: "complete-and-suspended", AfterCrash: []string{"suspend"},
		Explored: spec.Explored{
			Scenario: "suspend", Plan: "(create pods|update jobs/status) [0-9]+: .*", Cause: "step 7",
		}}
	// DeletedCountAsFailed is a Job whose successPolicy is met, with failures of its own making.
	DeletedCountAsFailed = spec.Bug{Key: "success-policy-counts-deleted-pods", AfterCrash: []string{"successPolicy"},
		Explored: spec.Explored{
			Scenario: "success-policy", Plan: ".*((delete|patch) pods [0-9]+|update jobs/status 2): .*",
			Cause: "step 4",
		}}
	// DeletedFailsIndex is an index that failed because the controller deleted its pod.
	DeletedFailsIndex = spec.Bug{Key: "success-policy-fails-deleted-index", AfterCrash: []string{"successPolicy"}}
	// ActiveInTerminating is a Job that counts pods as active which its terminating namespace has refused.
	ActiveInTerminating = spec.Bug{Key: "active-in-terminating-namespace", Explored: spec.Explored{
		Scenario: "user-.*", Plan: ".*user deletes the namespace.*", Cause: "job-counts-what-is-there",
	}}
	// WokenLeader is a leader that goes on after it stood still for longer than its Lease lasts. It has no scenario,
	// as those have one replica.
	WokenLeader = spec.Bug{
		Key: "woken-leader-goes-on", Versions: ">= 1.30.0",
		Text: "A leader that stood still until another one had its Lease goes on for the renew deadline, 10 s by " +
			"default, after it has read that: renew of client-go's LeaderElector tries again and again for that " +
			"long, whatever it reads (tools/leaderelection/leaderelection.go). Two leaders create pods and Jobs twice.",
	}
	// CompletedBeforeStart is a Job that does not complete after the clock was set back.
	CompletedBeforeStart = spec.Bug{Key: "completed-before-start"}
	// IndexFailuresLost is an index that is retried too often after a suspension.
	IndexFailuresLost = spec.Bug{Key: "index-failures-lost"}
)

// Bugs of the feature gate WorkloadWithJob, which nobody has reported.
var (
	// NameOfTemplate is a Job that never gets a pod.
	NameOfTemplate = spec.Bug{Key: "workload-template-named-after-job"}
	// NothingWithoutWorkload is a Job that stands still.
	NothingWithoutWorkload = spec.Bug{Key: "job-stands-still-without-workload"}
	// CronJobWithoutWorkload is a Job that is not scheduled as its template says.
	CronJobWithoutWorkload = spec.Bug{Key: "cronjob-taken-for-workload-parent"}
	// SiblingsShareGroup is a Job that never gets a pod.
	SiblingsShareGroup = spec.Bug{Key: "siblings-share-pod-group-name"}
	// ParentUnwatched is a PodGroup that keeps its size.
	ParentUnwatched = spec.Bug{Key: "workload-of-parent-unwatched"}
	// StartsWithoutParent is a Job whose pods never belong to their gang.
	StartsWithoutParent = spec.Bug{Key: "delegated-job-starts-without-group"}
	// GroupsUnwatched is a gang that keeps its size.
	GroupsUnwatched = spec.Bug{Key: "workload-of-job-unwatched"}
)

// OfSpecs returns those above that specs show.
func OfSpecs() []spec.Bug {
	return []spec.Bug{
		LostStart, StaleJob, ExpectedForName, ReadyWithoutActive, ResumedStatusRefused, StatusWrongInBackoff,
		ReleasedOnce,
		MissedRunLost, ActiveByName, ReplacesByName, DeadlineWhileSuspended, EveryMissesDeadline, ForeignJobStopsClock,
		UnseenPod, PodsOfRecreatedJob,
		CountedAgain, CountedFromOldList, DeadlineOverflow,
		DeletedFailsIndex, IndexFailuresLost, WokenLeader, CompletedBeforeStart, StartedAgain,
		NameOfTemplate, NothingWithoutWorkload, CronJobWithoutWorkload, SiblingsShareGroup, ParentUnwatched,
		StartsWithoutParent, GroupsUnwatched,
	}
}

// Bugs returns all of them, also those that only explorations show.
func Bugs() []spec.Bug {
	return append(OfSpecs(), WithoutCompletions, RestartLimitForgotten, CompleteAndSuspended,
		DeletedCountAsFailed, ActiveInTerminating, CompleteBeforeRelease, PodFromOldJob,
		DeletedPodLost)
}
