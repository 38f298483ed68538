package catalogue

// cronChanges is what becomes of the past when a CronJob's schedule changes.
var cronChanges = []Requirement{
	{
		ID:     "CRON-CHANGES-001",
		Text:   "A CronJob controller SHOULD NOT start a Job for a time that is in the past when the schedule is changed to one that has it.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob; KEP-19",
	},
}
