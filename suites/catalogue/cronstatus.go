package catalogue

// cronStatus is what a CronJob says of its Jobs.
var cronStatus = []Requirement{
	{
		ID:         "CRON-STATUS-001",
		Text:       "The status field active MUST refer to every Job of the CronJob that runs, and to nothing else.",
		Source:     "batch/v1 CronJobStatus.active; kubernetes/kubernetes#107827",
		Invariants: []string{"cronjob-active-are-its-jobs"},
	},
	{
		ID:     "CRON-STATUS-002",
		Text:   "A Job that has finished, with success or without, MUST leave the status field active.",
		Source: "batch/v1 CronJobStatus.active",
	},
	{
		ID:     "CRON-STATUS-003",
		Text:   "A Job that was deleted MUST leave the status field active, and MUST NOT be started again.",
		Source: "batch/v1 CronJobStatus.active; batch/v1 CronJobStatus.lastScheduleTime",
	},
	{
		ID:         "CRON-STATUS-004",
		Text:       "The status field lastScheduleTime MUST be the scheduled time of the Job that was started last.",
		Source:     "batch/v1 CronJobStatus.lastScheduleTime",
		Invariants: []string{"cronjob-times-move-forward"},
	},
	{
		ID:         "CRON-STATUS-005",
		Text:       "The status field lastSuccessfulTime MUST be the latest completionTime of the CronJob's successful Jobs, in whatever order they are seen.",
		Source:     "batch/v1 CronJobStatus.lastSuccessfulTime",
		Invariants: []string{"cronjob-last-success-was-one"},
	},
	{
		ID:     "CRON-STATUS-006",
		Text:   "A Job that has failed MUST NOT change lastSuccessfulTime.",
		Source: "batch/v1 CronJobStatus.lastSuccessfulTime",
	},
	{
		ID:     "CRON-STATUS-007",
		Text:   "The success of a Job that somebody started by hand and made the CronJob's MUST be in lastSuccessfulTime.",
		Source: "batch/v1 CronJobStatus.lastSuccessfulTime; kubernetes/kubernetes#118530",
	},
	{
		ID:     "CRON-STATUS-008",
		Text:   "A CronJob controller MUST take a Job up again that it has started and lost from the status, instead of starting it twice.",
		Source: "kubernetes/kubernetes#120649; kubernetes/kubernetes#136918",
	},
	{
		ID:     "CRON-STATUS-009",
		Text:   "A CronJob controller MUST know its Jobs by their owner, whatever labels the template has by now.",
		Source: "kubernetes/kubernetes#107997; kubernetes/kubernetes#106496; kubernetes/kubernetes#108023",
	},
	{
		ID:         "CRON-STATUS-010",
		Text:       "A CronJob controller MUST NOT write the status again and again while nothing happens to the CronJob and its Jobs.",
		Source:     "API conventions: spec and status; docs: concepts/architecture/controller",
		Invariants: []string{"cronjob-writes-have-causes"},
	},
}
