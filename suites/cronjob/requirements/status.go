package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// What the status of a CronJob records of its Jobs.
var (
	ActiveRefersToRunning = contract.New("CRON-STATUS-001",
		"The status field active MUST refer to every Job of the CronJob that runs, and to nothing else.",
		"batch/v1 CronJobStatus.active; kubernetes/kubernetes#107827",
		contract.Invariants{"cronjob-active-are-its-jobs"})
	FinishedLeaveActive = contract.New("CRON-STATUS-002",
		"A Job that has finished, with success or without, MUST leave the status field active.",
		"batch/v1 CronJobStatus.active")
	DeletedLeaveActive = contract.New("CRON-STATUS-003",
		"A Job that was deleted MUST leave the status field active, and MUST NOT be started again.",
		"batch/v1 CronJobStatus.active; batch/v1 CronJobStatus.lastScheduleTime")
	LastScheduleTime = contract.New("CRON-STATUS-004",
		"The status field lastScheduleTime MUST be the scheduled time of the Job that was started last.",
		"batch/v1 CronJobStatus.lastScheduleTime",
		contract.Invariants{"cronjob-times-move-forward"})
	LastSuccessfulTime = contract.New("CRON-STATUS-005",
		"The status field lastSuccessfulTime MUST be the latest completionTime of the CronJob's successful Jobs, in whatever order they are seen.",
		"batch/v1 CronJobStatus.lastSuccessfulTime",
		contract.Invariants{"cronjob-last-success-was-one"})
	FailureKeepsLastSuccess = contract.New("CRON-STATUS-006",
		"A Job that has failed MUST NOT change lastSuccessfulTime.",
		"batch/v1 CronJobStatus.lastSuccessfulTime")
	ManualJobSucceeds = contract.New("CRON-STATUS-007",
		"The success of a Job that somebody started by hand and made the CronJob's MUST be in lastSuccessfulTime.",
		"batch/v1 CronJobStatus.lastSuccessfulTime; kubernetes/kubernetes#118530")
	TakesUpLostJob = contract.New("CRON-STATUS-008",
		"A CronJob controller MUST take a Job up again that it has started and lost from the status, instead of starting it twice.",
		"kubernetes/kubernetes#120649; kubernetes/kubernetes#136918")
	KnowsJobsByOwner = contract.New("CRON-STATUS-009",
		"A CronJob controller MUST know its Jobs by their owner, whatever labels the template has by now.",
		"kubernetes/kubernetes#107997; kubernetes/kubernetes#106496; kubernetes/kubernetes#108023")
	QuietCronStatus = contract.New("CRON-STATUS-010",
		"A CronJob controller MUST NOT write the status again and again while nothing happens to the CronJob and its Jobs.",
		"API conventions: spec and status; docs: concepts/architecture/controller",
		contract.Invariants{"cronjob-writes-have-causes"})
)

// Events.
var (
	EventForForbidden = contract.New("CRON-EVENTS-001",
		"A CronJob controller SHOULD emit an event when the policy Forbid keeps it from starting a Job.",
		"batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy")
	NoFalseEvents = contract.New("CRON-EVENTS-002",
		"A CronJob controller MUST NOT emit an event about a missing or unexpected Job while there is none.",
		"docs: concepts/workloads/controllers/cron-jobs")
	EventsForStartAndEnd = contract.New("CRON-TELLS-001",
		"A CronJob controller SHOULD emit the event SuccessfulCreate when it has started a Job, and SawCompletedJob when it has seen its end.",
		"docs: tasks/job/automated-tasks-with-cron-jobs")
	EventForDeletedJob = contract.New("CRON-TELLS-002",
		"A CronJob controller SHOULD emit the event SuccessfulDelete for a Job that it has deleted.",
		"docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits")
	EventsForMissingAndUnexpected = contract.New("CRON-TELLS-003",
		"A CronJob controller SHOULD emit the event MissingJob for a running Job that is gone, and the warning UnexpectedJob for a Job of the CronJob that it did not start.",
		"kubernetes/kubernetes#107827; kubernetes/kubernetes#120649")
)
