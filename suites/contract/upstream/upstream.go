// Package upstream has the bugs of Kubernetes that specs and explorations show, so that
// they can refer to one as a value. The library of scenarios has the list of all bugs.
package upstream

import "github.com/jobconformance/jobconformance/fixtures/protocol"

// Bugs with a scenario in the library, which has their versions and their text.
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

// Bugs that nobody has reported, found in v1.37.1. Each has a scenario of its Key among the
// examples of the library.
var (
	// MissedRunLost is a Job that is never started after a downtime or a suspension.
	MissedRunLost = protocol.Bug{
		Key: "missed-run-lost",
		Text: "The CronJob controller takes the time between the first two missed ticks for that between " +
			"all of them. Where the first two are closer together than later ones, it looks for the latest " +
			"tick behind all of them, and starts no Job (mostRecentScheduleTime in " +
			"pkg/controller/cronjob/utils.go).",
	}
	// EveryMissesDeadline is a CronJob that never starts anything.
	EveryMissesDeadline = protocol.Bug{
		Key: "every-misses-deadline",
		Text: "With @every and a startingDeadlineSeconds that is shorter than the interval, the CronJob " +
			"controller counts the interval from the deadline on, which moves with the clock: no tick is ever " +
			"due (mostRecentScheduleTime in pkg/controller/cronjob/utils.go).",
	}
	// ForeignJobStopsClock is a CronJob whose next tick is forgotten.
	ForeignJobStopsClock = protocol.Bug{
		Key: "foreign-job-stops-clock",
		Text: "Where a Job of somebody else has the name of the next Job, the CronJob controller does not put " +
			"the CronJob into its queue again: later ticks start nothing until the CronJob or one of its Jobs " +
			"changes (syncCronJob in pkg/controller/cronjob/cronjob_controllerv2.go).",
	}
	// UnseenPod is a Job that gets no pods for as long as its expectations last.
	UnseenPod = protocol.Bug{
		Key: "unseen-pod",
		Text: "The Job controller creates no pods of a Job until its watch has shown those that it created " +
			"before. A pod that comes and goes while the watch is down is never shown, so that the Job gets no " +
			"other one before a sync that is more than five minutes later (SatisfiedExpectations in " +
			"pkg/controller/controller_utils.go).",
	}
)

// Bugs returns those above, and those that only explorations have shown.
func Bugs() []protocol.Bug {
	return []protocol.Bug{
		LostStart, StaleJob, ReadyWithoutActive,
		MissedRunLost, EveryMissesDeadline, ForeignJobStopsClock, UnseenPod,
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
