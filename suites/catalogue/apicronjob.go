package catalogue

// apiCronJobs are the requirements of the API server for CronJobs.
var apiCronJobs = []Requirement{
	{
		ID:     "API-CRONJOB-001",
		Text:   "A CronJob MUST get the concurrencyPolicy Allow, suspend false, and limits of 3 successful and 1 failed Jobs, where it says nothing else.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy; batch/v1 CronJobSpec.successfulJobsHistoryLimit; batch/v1 CronJobSpec.failedJobsHistoryLimit",
	},
	{
		ID:     "API-CRONJOB-002",
		Text:   "A CronJob MUST be refused when its name has more than 52 characters, and accepted with 52.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#writing-a-cronjob-spec",
	},
	{
		ID:     "API-CRONJOB-003",
		Text:   "A CronJob MUST be refused unless its name is a DNS subdomain.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#writing-a-cronjob-spec",
	},
	{
		ID:     "API-CRONJOB-004",
		Text:   "Schedules with numbers, ranges, lists, steps, names, question marks and macros MUST be accepted.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#schedule-syntax",
	},
	{
		ID:     "API-CRONJOB-005",
		Text:   "An empty schedule MUST be refused, and one that nobody can read.",
		Source: "batch/v1 CronJobSpec.schedule; docs: concepts/workloads/controllers/cron-jobs#schedule-syntax",
	},
	{
		ID:      "API-CRONJOB-006",
		Text:    "A schedule with a time zone in it (TZ=, CRON_TZ=) MUST be refused, in a new CronJob and as a change.",
		Source:  "docs: concepts/workloads/controllers/cron-jobs#unsupported-timezone-specification",
		Feature: CronTimeZone,
	},
	{
		ID:      "API-CRONJOB-007",
		Text:    "The names of time zones MUST be accepted.",
		Source:  "batch/v1 CronJobSpec.timeZone",
		Feature: CronTimeZone,
	},
	{
		ID:      "API-CRONJOB-008",
		Text:    "A timeZone MUST be refused when it is empty, Local, or no name of a time zone.",
		Source:  "batch/v1 CronJobSpec.timeZone; KEP-3140",
		Feature: CronTimeZone,
	},
	{
		ID:     "API-CRONJOB-009",
		Text:   "A negative startingDeadlineSeconds, successfulJobsHistoryLimit or failedJobsHistoryLimit MUST be refused, and 0 MUST be accepted.",
		Source: "batch/v1 CronJobSpec",
	},
	{
		ID:     "API-CRONJOB-010",
		Text:   "A concurrencyPolicy other than Allow, Forbid and Replace MUST be refused.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy",
	},
	{
		ID:     "API-CRONJOB-011",
		Text:   "A job template MUST be refused when no Job can be made from it.",
		Source: "batch/v1 CronJobSpec.jobTemplate",
	},
	{
		ID:     "API-CRONJOB-012",
		Text:   "A job template MUST be refused with a selector or manualSelector, since each Job gets a selector of its own.",
		Source: "batch/v1 CronJobSpec.jobTemplate",
	},
	{
		ID:     "API-CRONJOB-013",
		Text:   "Every field of a CronJob's spec MUST be free to change, its job template included, within the rules for new ones.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob",
	},
}
