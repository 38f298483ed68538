package catalogue

// cronTells are the events of a CronJob that people rely on.
var cronTells = []Requirement{
	{
		ID:     "CRON-TELLS-001",
		Text:   "A CronJob controller SHOULD tell by the events SuccessfulCreate and SawCompletedJob that it has started a Job and noticed its end.",
		Source: "docs: tasks/job/automated-tasks-with-cron-jobs",
	},
	{
		ID:     "CRON-TELLS-002",
		Text:   "A CronJob controller SHOULD tell by the event SuccessfulDelete of a Job that it has deleted.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#jobs-history-limits",
	},
	{
		ID:     "CRON-TELLS-003",
		Text:   "A CronJob controller SHOULD tell by the event MissingJob of a running Job that is gone, and warn by UnexpectedJob of a Job of the CronJob that it did not start.",
		Source: "kubernetes/kubernetes#107827; kubernetes/kubernetes#120649",
	},
}
