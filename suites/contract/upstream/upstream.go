// Package upstream has the bugs of Kubernetes that specs and explorations show, so that
// they can refer to one as a value. The library of scenarios has the list of all bugs, and
// the versions and the text of those that have a scenario.
package upstream

import "github.com/jobconformance/jobconformance/fixtures/protocol"

// Bugs with a number.
var (
	// LostStart is a Job that a CronJob has started and never takes up again.
	LostStart = protocol.Bug{
		Issue: 136918,
		Explored: protocol.Explored{
			Scenario: "cron-.*", Plan: "(create (jobs|pods)|update cronjobs/status) [0-9]+: .*", Cause: "step [37]",
		},
	}
	// StaleJob is a pod that is created because the Job in the cache is stale.
	StaleJob = protocol.Bug{Issue: 137210}
	// ReadyWithoutActive is a status with more ready pods than active ones.
	ReadyWithoutActive = protocol.Bug{Issue: 125089, Invariants: []string{"job-counters-in-range"}}
)

// Bugs that nobody has reported.
var (
	// MissedRunLost is a Job that is never started after a downtime or a suspension.
	MissedRunLost = protocol.Bug{Key: "missed-run-lost"}
	// EveryMissesDeadline is a CronJob that never starts anything.
	EveryMissesDeadline = protocol.Bug{Key: "every-misses-deadline"}
	// ForeignJobStopsClock is a CronJob whose next tick is forgotten.
	ForeignJobStopsClock = protocol.Bug{Key: "foreign-job-stops-clock"}
	// UnseenPod is a Job that gets no pods for as long as its expectations last.
	UnseenPod = protocol.Bug{Key: "unseen-pod"}
	// CountedAgain is a pod that is adopted after it was counted.
	CountedAgain = protocol.Bug{Key: "counted-again-without-owner", Explored: protocol.Explored{
		Scenario: "user-.*", Plan: ".*user releases a pod.*",
		Cause: "job-pod-counted-once|job-counts-no-more-than-pods|job-finished-after-release",
	}}
	// IndexFailuresLost is an index that is retried too often after a suspension.
	IndexFailuresLost = protocol.Bug{Key: "index-failures-lost"}
)

// Bugs returns those above, and those that only explorations have shown.
func Bugs() []protocol.Bug {
	return []protocol.Bug{
		LostStart, StaleJob, ReadyWithoutActive,
		MissedRunLost, EveryMissesDeadline, ForeignJobStopsClock, UnseenPod, CountedAgain, IndexFailuresLost,
		{
			Explored: protocol.Explored{Scenario: "cron-deletion|cron-replace", Plan: "watch cronjobs [0-9]+: hold", Cause: "step [67]"},
			Text: "The CronJob controller trusts its cache of CronJobs. While the cache has the CronJob as it was " +
				"before the start, the end of its Job triggers another sync, the tick seems due again, and the Job " +
				"is created again, even for a deleted CronJob (syncCronJob in " +
				"pkg/controller/cronjob/cronjob_controllerv2.go reads Jobs from the API server, but not the CronJob).",
		},
		{
			Explored: protocol.Explored{Scenario: "suspend", Plan: "(create pods|update jobs/status) [0-9]+: .*", Cause: "step 7"},
			Text: "A resumed Job whose pods succeed before the status records the resumption stays Complete and " +
				"Suspended, without a startTime: syncJob in pkg/controller/job/job_controller.go either finishes a Job " +
				"or updates the condition Suspended.",
		},
	}
}
