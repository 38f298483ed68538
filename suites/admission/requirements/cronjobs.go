package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// What the API server fills in and refuses in CronJobs.
var (
	CronJobDefaults = contract.New("API-CRONJOB-001",
		"A CronJob MUST get the concurrencyPolicy Allow, suspend false, and limits of 3 successful and 1 failed Jobs, where it says nothing else.",
		"batch/v1 CronJobSpec.concurrencyPolicy; batch/v1 CronJobSpec.successfulJobsHistoryLimit; batch/v1 CronJobSpec.failedJobsHistoryLimit")
	CronJobNameIsShort = contract.New("API-CRONJOB-002",
		"A CronJob MUST be refused when its name has more than 52 characters, and accepted with 52.",
		"docs: concepts/workloads/controllers/cron-jobs#writing-a-cronjob-spec")
	CronJobNameIsValid = contract.New("API-CRONJOB-003",
		"A CronJob MUST be refused unless its name is a DNS subdomain.",
		"docs: concepts/workloads/controllers/cron-jobs#writing-a-cronjob-spec")
	AcceptsSchedules = contract.New("API-CRONJOB-004",
		"Schedules with numbers, ranges, lists, steps, names, question marks and macros MUST be accepted.",
		"docs: concepts/workloads/controllers/cron-jobs#schedule-syntax")
	RefusesUnreadableSchedules = contract.New("API-CRONJOB-005",
		"An empty schedule MUST be refused, and one that nobody can read.",
		"batch/v1 CronJobSpec.schedule; docs: concepts/workloads/controllers/cron-jobs#schedule-syntax")
	RefusesTimeZoneInSchedule = contract.New("API-CRONJOB-006",
		"A schedule with a time zone in it (TZ=, CRON_TZ=) MUST be refused, in a new CronJob and as a change.",
		"docs: concepts/workloads/controllers/cron-jobs#unsupported-timezone-specification",
		contract.CronTimeZone)
	AcceptsTimeZones = contract.New("API-CRONJOB-007",
		"The names of time zones MUST be accepted.",
		"batch/v1 CronJobSpec.timeZone",
		contract.CronTimeZone)
	RefusesUnknownTimeZones = contract.New("API-CRONJOB-008",
		"A timeZone MUST be refused when it is empty, Local, or no name of a time zone.",
		"batch/v1 CronJobSpec.timeZone; KEP-3140",
		contract.CronTimeZone)
	RefusesNegativeCronNumbers = contract.New("API-CRONJOB-009",
		"A negative startingDeadlineSeconds, successfulJobsHistoryLimit or failedJobsHistoryLimit MUST be refused, and 0 MUST be accepted.",
		"batch/v1 CronJobSpec")
	ConcurrencyPolicyIsValid = contract.New("API-CRONJOB-010",
		"A concurrencyPolicy other than Allow, Forbid and Replace MUST be refused.",
		"batch/v1 CronJobSpec.concurrencyPolicy")
	JobTemplateIsValid = contract.New("API-CRONJOB-011",
		"A job template MUST be refused when no Job can be made from it.",
		"batch/v1 CronJobSpec.jobTemplate")
	JobTemplateHasNoSelector = contract.New("API-CRONJOB-012",
		"A job template MUST be refused with a selector or manualSelector, since each Job gets a selector of its own.",
		"batch/v1 CronJobSpec.jobTemplate")
	CronJobSpecMayChange = contract.New("API-CRONJOB-013",
		"Every field of a CronJob's spec MUST be free to change, its job template included, within the rules for new ones.",
		"docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob")
)
