package catalogue

// cronSyntax is what a schedule may be written like.
var cronSyntax = []Requirement{
	{
		ID:     "CRON-SYNTAX-001",
		Text:   "A CronJob controller MUST understand @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually as the first minute of an hour, a day, a week (which begins on Sunday), a month and a year.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#schedule-syntax",
	},
	{
		ID:     "CRON-SYNTAX-002",
		Text:   "A CronJob controller MUST understand lists, ranges, steps, the names of months and weekdays, and a question mark in place of an asterisk.",
		Source: "batch/v1 CronJobSpec.schedule; docs: concepts/workloads/controllers/cron-jobs#schedule-syntax",
	},
	{
		ID:     "CRON-SYNTAX-003",
		Text:   "A CronJob controller SHOULD count the intervals of @every from the last scheduled time on, so that delays do not add up.",
		Source: "kubernetes/kubernetes#109250; the API accepts @every, the documentation does not mention it",
	},
}
