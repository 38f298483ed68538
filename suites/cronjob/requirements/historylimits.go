package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// How many finished Jobs are kept.
var (
	KeepsNewestSuccessful = contract.New("CRON-HISTORY-001",
		"A CronJob controller MUST keep the newest successful Jobs, as many as successfulJobsHistoryLimit says, and delete the others.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit; docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits")
	KeepsNewestFailed = contract.New("CRON-HISTORY-002",
		"A CronJob controller MUST keep the newest failed Jobs, as many as failedJobsHistoryLimit says, and delete the others.",
		"batch/v1 CronJobSpec.failedJobsHistoryLimit; docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits")
	HistoryLimitDefaults = contract.New("CRON-HISTORY-003",
		"The limits MUST be three successful Jobs and one failed Job where they are not set.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit; batch/v1 CronJobSpec.failedJobsHistoryLimit")
	HistoryLimitZero = contract.New("CRON-HISTORY-004",
		"With a limit of 0, a CronJob controller MUST keep none.",
		"docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits")
	LoweredHistoryLimit = contract.New("CRON-HISTORY-005",
		"A limit that is lowered MUST hold at once.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit; batch/v1 CronJobSpec.failedJobsHistoryLimit")
	KeepsUnfinishedJobs = contract.New("CRON-HISTORY-006",
		"A CronJob controller MUST NOT delete a Job that has not finished for the sake of a limit.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit")
	HistoryWhileSuspended = contract.New("CRON-HISTORY-007",
		"The limits MUST hold while the CronJob is suspended.",
		"batch/v1 CronJobSpec.suspend; batch/v1 CronJobSpec.successfulJobsHistoryLimit")
	HistoryLeavesOthers = contract.New("CRON-HISTORY-008",
		"A CronJob controller MUST NOT delete Jobs of others for the sake of a limit.",
		"docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits")
	HistoryWhileStartsFail = contract.New("CRON-HISTORY-009",
		"The limits MUST hold while no Job can be started.",
		"kubernetes/kubernetes#119776")
	HistoryDeletesPods = contract.New("CRON-HISTORY-010",
		"The pods of a Job that is deleted for a limit MUST go with it.",
		"docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits")
)
