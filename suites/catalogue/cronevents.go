package catalogue

// cronEvents are what a CronJob tells people.
var cronEvents = []Requirement{
	{
		ID:     "CRON-EVENTS-001",
		Text:   "A CronJob controller SHOULD tell by an event that the policy Forbid keeps a Job back.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
	},
	{
		ID:     "CRON-EVENTS-002",
		Text:   "A CronJob controller MUST NOT tell by an event that a Job is missing or unexpected while none is.",
		Source: "docs: concepts/workloads/controllers/cron-jobs",
	},
}
