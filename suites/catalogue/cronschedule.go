package catalogue

// cronSchedule is when a CronJob starts Jobs.
var cronSchedule = []Requirement{
	{
		ID:         "CRON-SCHEDULE-001",
		Text:       "A CronJob controller MUST start a Job when the schedule says so.",
		Source:     "batch/v1 CronJobSpec.schedule; docs: concepts/workloads/controllers/cron-jobs",
		Invariants: []string{"cronjob-starts-in-time"},
	},
	{
		ID:         "CRON-SCHEDULE-002",
		Text:       "A CronJob controller MUST NOT start more than one Job for a scheduled time.",
		Source:     "batch/v1 CronJobStatus.lastScheduleTime; kubernetes/kubernetes#120649",
		Invariants: []string{"cronjob-one-job-per-time"},
	},
	{
		ID:     "CRON-SCHEDULE-003",
		Text:   "A CronJob controller MUST notice a scheduled time by itself, without any change of an object.",
		Source: "batch/v1 CronJobSpec.schedule",
	},
	{
		ID:     "CRON-SCHEDULE-004",
		Text:   "A CronJob controller MUST NOT start a Job for a time before the CronJob was created.",
		Source: "batch/v1 CronJobSpec.schedule; batch/v1 CronJobStatus.lastScheduleTime",
	},
	{
		ID:     "CRON-SCHEDULE-005",
		Text:   "A CronJob controller MUST NOT start a Job for the time in lastScheduleTime, or one before it.",
		Source: "batch/v1 CronJobStatus.lastScheduleTime",
	},
	{
		ID:     "CRON-SCHEDULE-006",
		Text:   "After several scheduled times were missed, a CronJob controller MUST start a Job for the latest of them only.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#job-creation; kubernetes/kubernetes#118724",
	},
	{
		ID:     "CRON-SCHEDULE-007",
		Text:   "A CronJob controller MUST start a Job for the latest missed time even if more than a hundred were missed.",
		Source: "kubernetes/kubernetes#42649; kubernetes/kubernetes#45825",
	},
	{
		ID:     "CRON-SCHEDULE-008",
		Text:   "A CronJob controller SHOULD warn by an event when more than a hundred scheduled times were missed.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#starting-deadline; kubernetes/kubernetes#42649",
	},
	{
		ID:     "CRON-SCHEDULE-009",
		Text:   "A schedule that restricts both the day of the month and the weekday MUST hold on days that meet one of the two.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#schedule-syntax",
	},
	{
		ID:     "CRON-SCHEDULE-010",
		Text:   "A CronJob controller MUST understand the macros of schedules, such as @yearly.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#schedule-syntax",
	},
	{
		ID:     "CRON-SCHEDULE-011",
		Text:   "A schedule that never comes MUST NOT keep a CronJob controller from the others.",
		Source: "kubernetes/kubernetes#41655",
	},
	{
		ID:     "CRON-SCHEDULE-012",
		Text:   "A CronJob controller MUST NOT start a Job for a CronJob that is being deleted.",
		Source: "docs: concepts/architecture/garbage-collection",
	},
	{
		ID:     "CRON-SCHEDULE-013",
		Text:   "A CronJob controller MUST go by the schedule as it is now, for the Jobs that it starts from then on.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob",
	},
}
