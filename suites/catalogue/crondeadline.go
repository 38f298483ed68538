package catalogue

// cronDeadline is startingDeadlineSeconds: until when a missed Job may start.
var cronDeadline = []Requirement{
	{
		ID:     "CRON-DEADLINE-001",
		Text:   "A CronJob controller MUST start a missed Job within startingDeadlineSeconds of its scheduled time.",
		Source: "batch/v1 CronJobSpec.startingDeadlineSeconds; docs: concepts/workloads/controllers/cron-jobs#starting-deadline",
	},
	{
		ID:         "CRON-DEADLINE-002",
		Text:       "A CronJob controller MUST NOT start a missed Job when startingDeadlineSeconds have passed since its scheduled time.",
		Source:     "batch/v1 CronJobSpec.startingDeadlineSeconds; docs: concepts/workloads/controllers/cron-jobs#starting-deadline",
		Invariants: []string{"cronjob-starts-in-time"},
	},
	{
		ID:     "CRON-DEADLINE-003",
		Text:   "Where startingDeadlineSeconds is set, times missed before that MUST NOT count among those that are too many.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#starting-deadline",
	},
}
