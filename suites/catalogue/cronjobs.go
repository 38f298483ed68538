package catalogue

// cronJobs are the Jobs that a CronJob makes.
var cronJobs = []Requirement{
	{
		ID:     "CRON-JOBS-001",
		Text:   "A Job of a CronJob MUST have the labels, the annotations and the spec of the template, and none of the CronJob's own.",
		Source: "batch/v1 JobTemplateSpec; batch/v1 CronJobSpec.jobTemplate",
	},
	{
		ID:         "CRON-JOBS-002",
		Text:       "A Job of a CronJob MUST have the CronJob as its controlling owner, with blockOwnerDeletion.",
		Source:     "docs: concepts/architecture/garbage-collection; batch/v1 CronJobSpec.jobTemplate",
		Invariants: []string{"cronjob-job-is-marked"},
	},
	{
		ID:         "CRON-JOBS-003",
		Text:       "A Job of a CronJob MUST have its scheduled time in the annotation batch.kubernetes.io/cronjob-scheduled-timestamp.",
		Source:     "batch/v1 CronJobScheduledTimestampAnnotation; KEP-4026",
		Invariants: []string{"cronjob-job-is-marked"},
	},
	{
		ID:     "CRON-JOBS-004",
		Text:   "A Job of a CronJob MUST have a name that begins with the CronJob's, and that is valid even for a CronJob's name of 52 characters.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#writing-a-cronjob-spec",
	},
	{
		ID:     "CRON-JOBS-005",
		Text:   "A CronJob controller MUST leave a Job alone that has the name it wants, but not the owner.",
		Source: "docs: concepts/architecture/garbage-collection",
	},
	{
		ID:     "CRON-JOBS-006",
		Text:   "A CronJob controller MUST keep the Jobs of CronJobs apart that have the same template.",
		Source: "kubernetes/kubernetes#107997; batch/v1 CronJobStatus.active",
	},
	{
		ID:     "CRON-JOBS-007",
		Text:   "When a CronJob is deleted, its Jobs and their pods MUST be able to go with it.",
		Source: "docs: concepts/architecture/garbage-collection; docs: concepts/workloads/controllers/cron-jobs",
	},
	{
		ID:     "CRON-JOBS-008",
		Text:   "A change of the template MUST hold for the Jobs that start from then on, and MUST NOT change those that were started.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob",
	},
	{
		ID:     "CRON-JOBS-009",
		Text:   "A CronJob controller MUST go on trying to start a Job that cannot be created for a while.",
		Source: "batch/v1 CronJobSpec.startingDeadlineSeconds; docs: concepts/workloads/controllers/cron-jobs#job-creation",
	},
}
