package catalogue

// cronSuspend is when a CronJob rests.
var cronSuspend = []Requirement{
	{
		ID:         "CRON-SUSPEND-001",
		Text:       "A CronJob controller MUST NOT start Jobs while the CronJob is suspended.",
		Source:     "batch/v1 CronJobSpec.suspend; docs: concepts/workloads/controllers/cron-jobs#schedule-suspension",
		Invariants: []string{"cronjob-suspended-starts-nothing"},
	},
	{
		ID:     "CRON-SUSPEND-002",
		Text:   "When a CronJob without a starting deadline is resumed, a CronJob controller MUST start what was missed at once.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#schedule-suspension",
	},
	{
		ID:     "CRON-SUSPEND-003",
		Text:   "When a CronJob is resumed, a CronJob controller MUST NOT start what was missed by more than its starting deadline.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#schedule-suspension; batch/v1 CronJobSpec.startingDeadlineSeconds",
	},
	{
		ID:     "CRON-SUSPEND-004",
		Text:   "Suspension MUST NOT change anything about Jobs that were started: they go on, and the status notices their end.",
		Source: "batch/v1 CronJobSpec.suspend",
	},
}
