package catalogue

// cronConcurrency is what happens when a Job is due while another runs.
var cronConcurrency = []Requirement{
	{
		ID:     "CRON-CONCURRENCY-001",
		Text:   "Where no concurrencyPolicy is set, it MUST be Allow.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy",
	},
	{
		ID:     "CRON-CONCURRENCY-002",
		Text:   "With the policy Allow, a CronJob controller MUST start a Job beside those that run.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
	},
	{
		ID:         "CRON-CONCURRENCY-003",
		Text:       "With the policy Forbid, a CronJob controller MUST NOT start a Job while an earlier one has not finished.",
		Source:     "batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
		Invariants: []string{"cronjob-forbid-holds"},
	},
	{
		ID:     "CRON-CONCURRENCY-004",
		Text:   "With the policy Forbid, a CronJob controller MUST start the Job that was kept back when the earlier one has finished, if it is not too late by then.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
	},
	{
		ID:     "CRON-CONCURRENCY-005",
		Text:   "With the policy Forbid, a CronJob controller MUST skip the Job that was kept back when its starting deadline is over.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#concurrency-policy; batch/v1 CronJobSpec.startingDeadlineSeconds",
	},
	{
		ID:     "CRON-CONCURRENCY-006",
		Text:   "With the policy Forbid, a Job that has failed MUST count as finished.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy",
	},
	{
		ID:     "CRON-CONCURRENCY-007",
		Text:   "With the policy Forbid, a Job that does not exist MUST NOT keep others back, even if the status names it.",
		Source: "kubernetes/kubernetes#58748; kubernetes/kubernetes#107827",
	},
	{
		ID:     "CRON-CONCURRENCY-008",
		Text:   "With the policy Forbid, a Job that is suspended MUST count as one that has not finished.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy; KEP-2232",
	},
	{
		ID:     "CRON-CONCURRENCY-009",
		Text:   "With the policy Forbid, a Job that is being deleted MUST count as one that has not finished, until it is gone.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy; kubernetes/kubernetes#58748",
	},
	{
		ID:     "CRON-CONCURRENCY-010",
		Text:   "With any policy, a CronJob controller MUST look at the Jobs of that CronJob only.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
	},
	{
		ID:     "CRON-CONCURRENCY-011",
		Text:   "A policy that is changed MUST hold at once, for what is kept back and for what runs.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy",
	},
	{
		ID:         "CRON-CONCURRENCY-012",
		Text:       "With the policy Replace, a CronJob controller MUST delete all Jobs of the CronJob that have not finished, and start the new one then.",
		Source:     "batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
		Invariants: []string{"cronjob-replace-holds"},
	},
	{
		ID:     "CRON-CONCURRENCY-013",
		Text:   "With the policy Replace, the pods of a Job that is replaced MUST go with it.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy",
	},
	{
		ID:     "CRON-CONCURRENCY-014",
		Text:   "With the policy Replace, a CronJob controller MUST leave Jobs alone that have finished.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy",
	},
	{
		ID:     "CRON-CONCURRENCY-015",
		Text:   "With the policy Replace, a CronJob controller MUST NOT wait until a deleted Job or its pods are gone.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy; kubernetes/kubernetes#59676",
	},
	{
		ID:     "CRON-CONCURRENCY-016",
		Text:   "With the policy Replace, a CronJob controller MUST NOT delete anything for a time that it starts no Job for.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy; batch/v1 CronJobSpec.startingDeadlineSeconds",
	},
}
