package catalogue

// cronZone is the time zone that a schedule is in.
var cronZone = []Requirement{
	{
		ID:      "CRON-ZONE-001",
		Text:    "A CronJob controller MUST read the schedule in the CronJob's time zone.",
		Source:  "batch/v1 CronJobSpec.timeZone; KEP-3140; docs: concepts/workloads/controllers/cron-jobs#time-zones",
		Feature: CronTimeZone,
	},
	{
		ID:      "CRON-ZONE-002",
		Text:    "The scheduled time in a Job's annotation MUST be in the CronJob's time zone.",
		Source:  "KEP-4026; batch/v1 CronJobScheduledTimestampAnnotation",
		Feature: CronTimeZone,
	},
	{
		ID:      "CRON-ZONE-003",
		Text:    "A time zone that is changed MUST hold for the Jobs that start from then on.",
		Source:  "batch/v1 CronJobSpec.timeZone; KEP-3140",
		Feature: CronTimeZone,
	},
}
