package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// What happens when a Job is due while another one runs.
var (
	AllowIsTheDefault = contract.New("CRON-CONCURRENCY-001",
		"Where no concurrencyPolicy is set, it MUST be Allow.",
		"batch/v1 CronJobSpec.concurrencyPolicy")
	AllowStartsAnother = contract.New("CRON-CONCURRENCY-002",
		"With the policy Allow, a CronJob controller MUST start a Job beside those that run.",
		"batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy")
	ForbidStartsNoOther = contract.New("CRON-CONCURRENCY-003",
		"With the policy Forbid, a CronJob controller MUST NOT start a Job while an earlier one has not finished.",
		"batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
		contract.Invariants{"cronjob-forbid-holds"})
	ForbidStartsLater = contract.New("CRON-CONCURRENCY-004",
		"With the policy Forbid, a CronJob controller MUST start the Job that was kept back when the earlier one has finished, if it is not too late by then.",
		"docs: concepts/workloads/controllers/cron-jobs#concurrency-policy")
	ForbidSkipsAfterDeadline = contract.New("CRON-CONCURRENCY-005",
		"With the policy Forbid, a CronJob controller MUST skip the Job that was kept back when its starting deadline is over.",
		"docs: concepts/workloads/controllers/cron-jobs#concurrency-policy; batch/v1 CronJobSpec.startingDeadlineSeconds")
	ForbidIgnoresFailedJobs = contract.New("CRON-CONCURRENCY-006",
		"With the policy Forbid, a Job that has failed MUST count as finished.",
		"batch/v1 CronJobSpec.concurrencyPolicy")
	ForbidIgnoresMissingJobs = contract.New("CRON-CONCURRENCY-007",
		"With the policy Forbid, a Job that does not exist MUST NOT keep others back, even if the status names it.",
		"kubernetes/kubernetes#58748; kubernetes/kubernetes#107827")
	ForbidCountsSuspendedJobs = contract.New("CRON-CONCURRENCY-008",
		"With the policy Forbid, a Job that is suspended MUST count as one that has not finished.",
		"batch/v1 CronJobSpec.concurrencyPolicy; KEP-2232")
	ForbidCountsTerminatingJobs = contract.New("CRON-CONCURRENCY-009",
		"With the policy Forbid, a Job that is being deleted MUST count as one that has not finished, until it is gone.",
		"batch/v1 CronJobSpec.concurrencyPolicy; kubernetes/kubernetes#58748")
	PolicyCountsOwnJobs = contract.New("CRON-CONCURRENCY-010",
		"With any policy, a CronJob controller MUST look at the Jobs of that CronJob only.",
		"docs: concepts/workloads/controllers/cron-jobs#concurrency-policy")
	ChangedPolicyHoldsAtOnce = contract.New("CRON-CONCURRENCY-011",
		"A policy that is changed MUST hold at once, for what is kept back and for what runs.",
		"batch/v1 CronJobSpec.concurrencyPolicy")
	ReplaceDeletesUnfinished = contract.New("CRON-CONCURRENCY-012",
		"With the policy Replace, a CronJob controller MUST delete all Jobs of the CronJob that have not finished, and start the new one then.",
		"batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
		contract.Invariants{"cronjob-replace-holds"})
	ReplaceDeletesPods = contract.New("CRON-CONCURRENCY-013",
		"With the policy Replace, the pods of a Job that is replaced MUST go with it.",
		"batch/v1 CronJobSpec.concurrencyPolicy")
	ReplaceKeepsFinished = contract.New("CRON-CONCURRENCY-014",
		"With the policy Replace, a CronJob controller MUST leave Jobs alone that have finished.",
		"batch/v1 CronJobSpec.concurrencyPolicy")
	ReplaceDoesNotWait = contract.New("CRON-CONCURRENCY-015",
		"With the policy Replace, a CronJob controller MUST NOT wait until a deleted Job or its pods are gone.",
		"batch/v1 CronJobSpec.concurrencyPolicy; kubernetes/kubernetes#59676")
	ReplaceOnlyToStart = contract.New("CRON-CONCURRENCY-016",
		"With the policy Replace, a CronJob controller MUST NOT delete anything for a time that it starts no Job for.",
		"batch/v1 CronJobSpec.concurrencyPolicy; batch/v1 CronJobSpec.startingDeadlineSeconds")
)
