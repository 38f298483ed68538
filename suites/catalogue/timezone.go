package catalogue

// cronLocal is what a CronJob's time zone means beside the hour.
var cronLocal = []Requirement{
	{
		ID:      "CRON-LOCAL-001",
		Text:    "The days, months and weekdays of a schedule MUST be those of the CronJob's time zone.",
		Source:  "batch/v1 CronJobSpec.timeZone; docs: concepts/workloads/controllers/cron-jobs#time-zones",
		Feature: CronTimeZone,
	},
	{
		ID:      "CRON-LOCAL-002",
		Text:    "The offset of the time zone MUST be the one that it has at the scheduled time, in summer and in winter.",
		Source:  "batch/v1 CronJobSpec.timeZone; KEP-3140",
		Feature: CronTimeZone,
	},
}
