package catalogue

// cronHistory is how many finished Jobs are kept.
var cronHistory = []Requirement{
	{
		ID:     "CRON-HISTORY-001",
		Text:   "A CronJob controller MUST keep the newest successful Jobs, as many as successfulJobsHistoryLimit says, and delete the others.",
		Source: "batch/v1 CronJobSpec.successfulJobsHistoryLimit; docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits",
	},
	{
		ID:     "CRON-HISTORY-002",
		Text:   "A CronJob controller MUST keep the newest failed Jobs, as many as failedJobsHistoryLimit says, and delete the others.",
		Source: "batch/v1 CronJobSpec.failedJobsHistoryLimit; docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits",
	},
	{
		ID:     "CRON-HISTORY-003",
		Text:   "The limits MUST be three successful Jobs and one failed Job where they are not set.",
		Source: "batch/v1 CronJobSpec.successfulJobsHistoryLimit; batch/v1 CronJobSpec.failedJobsHistoryLimit",
	},
	{
		ID:     "CRON-HISTORY-004",
		Text:   "With a limit of 0, a CronJob controller MUST keep none.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits",
	},
	{
		ID:     "CRON-HISTORY-005",
		Text:   "A limit that is lowered MUST hold at once.",
		Source: "batch/v1 CronJobSpec.successfulJobsHistoryLimit; batch/v1 CronJobSpec.failedJobsHistoryLimit",
	},
	{
		ID:     "CRON-HISTORY-006",
		Text:   "A CronJob controller MUST NOT delete a Job that has not finished for the sake of a limit.",
		Source: "batch/v1 CronJobSpec.successfulJobsHistoryLimit",
	},
	{
		ID:     "CRON-HISTORY-007",
		Text:   "The limits MUST hold while the CronJob is suspended.",
		Source: "batch/v1 CronJobSpec.suspend; batch/v1 CronJobSpec.successfulJobsHistoryLimit",
	},
	{
		ID:     "CRON-HISTORY-008",
		Text:   "A CronJob controller MUST NOT delete Jobs of others for the sake of a limit.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits",
	},
	{
		ID:     "CRON-HISTORY-009",
		Text:   "The limits MUST hold while no Job can be started.",
		Source: "kubernetes/kubernetes#119776",
	},
	{
		ID:     "CRON-HISTORY-010",
		Text:   "The pods of a Job that is deleted for a limit MUST go with it.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits",
	},
}
