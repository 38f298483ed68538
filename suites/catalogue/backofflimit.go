package catalogue

// backoffLimit is how often pods may fail, and how long the next one waits.
var backoffLimit = []Requirement{
	{
		ID:         "JOB-BACKOFF-001",
		Text:       "A Job MUST fail with the reason BackoffLimitExceeded when more pods have failed than backoffLimit, and not before.",
		Source:     "batch/v1 JobSpec.backoffLimit; batch/v1 JobReasonBackoffLimitExceeded; docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		Invariants: []string{"job-fails-for-a-reason"},
	},
	{
		ID:     "JOB-BACKOFF-002",
		Text:   "A Job controller MUST replace a pod that has failed as long as the limit is not exceeded.",
		Source: "batch/v1 JobSpec.backoffLimit; docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
	},
	{
		ID:     "JOB-BACKOFF-003",
		Text:   "The limit MUST be 6 where backoffLimit is not set.",
		Source: "batch/v1 JobSpec.backoffLimit",
	},
	{
		ID:     "JOB-BACKOFF-004",
		Text:   "The limit MUST be compared with all pods of the Job that have failed, whatever succeeded in between.",
		Source: "docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
	},
	{
		ID:     "JOB-BACKOFF-005",
		Text:   "Every pod that fails MUST be counted, also those that fail at the same time and are more than the limit.",
		Source: "batch/v1 JobStatus.failed",
	},
	{
		ID:     "JOB-BACKOFF-006",
		Text:   "When the limit is exceeded, a Job controller MUST delete the pods that are still active, and leave those that have finished.",
		Source: "docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
	},
	{
		ID:     "JOB-BACKOFF-007",
		Text:   "A Job whose limit is exceeded MUST fail, even if one of its pods succeeds afterwards.",
		Source: "kubernetes/kubernetes#109485; batch/v1 JobStatus.conditions",
	},
	{
		ID:         "JOB-BACKOFF-008",
		Text:       "After the first failure, a Job controller MUST wait 10 s from the pod's end before it starts the next pod.",
		Source:     "docs: concepts/workloads/controllers/job#pod-backoff-failure-policy; kubernetes/kubernetes#114391",
		Invariants: []string{"job-backoff-is-kept"},
	},
	{
		ID:         "JOB-BACKOFF-009",
		Text:       "The delay MUST double with every further failure.",
		Source:     "docs: concepts/workloads/controllers/job#pod-backoff-failure-policy; kubernetes/kubernetes#114391",
		Invariants: []string{"job-backoff-is-kept"},
	},
	{
		ID:     "JOB-BACKOFF-010",
		Text:   "The delay MUST NOT grow without end: 10 min after a failure, the next pod is due, however many failed before.",
		Source: "docs: concepts/workloads/controllers/job#pod-backoff-failure-policy; kubernetes/kubernetes#114391",
	},
	{
		ID:     "JOB-BACKOFF-011",
		Text:   "A pod that succeeds after the failures MUST end the delay.",
		Source: "kubernetes/kubernetes#63650; kubernetes/kubernetes#62382",
	},
	{
		ID:     "JOB-BACKOFF-012",
		Text:   "A pod that somebody deletes before it has succeeded MUST count as failed.",
		Source: "batch/v1 JobStatus.failed; KEP-2307; KEP-3939",
	},
	{
		ID:      "JOB-BACKOFF-013",
		Text:    "The limit of an Indexed Job MUST be compared with the failures of all its indexes together.",
		Source:  "batch/v1 JobSpec.backoffLimit; KEP-2214",
		Feature: Indexed,
	},
}
