package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// How often pods may fail, and how long the next one waits.
var (
	FailsBeyondBackoffLimit = contract.New("JOB-BACKOFF-001",
		"A Job MUST fail with the reason BackoffLimitExceeded when more pods have failed than backoffLimit, and not before.",
		"batch/v1 JobSpec.backoffLimit; batch/v1 JobReasonBackoffLimitExceeded; docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Invariants{"job-fails-for-a-reason"})
	RetriesWithinBackoffLimit = contract.New("JOB-BACKOFF-002",
		"A Job controller MUST replace a pod that has failed as long as the limit is not exceeded.",
		"batch/v1 JobSpec.backoffLimit; docs: concepts/workloads/controllers/job#pod-backoff-failure-policy")
	BackoffLimitIsSix = contract.New("JOB-BACKOFF-003",
		"The limit MUST be 6 where backoffLimit is not set.",
		"batch/v1 JobSpec.backoffLimit")
	SuccessesDoNotResetFailures = contract.New("JOB-BACKOFF-004",
		"The limit MUST be compared with all pods of the Job that have failed, whatever succeeded in between.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy")
	CountsFailuresBeyondTheLimit = contract.New("JOB-BACKOFF-005",
		"Every pod that fails MUST be counted, also those that fail at the same time and are more than the limit.",
		"batch/v1 JobStatus.failed")
	DeletesActivePodsOnFailure = contract.New("JOB-BACKOFF-006",
		"When the limit is exceeded, a Job controller MUST delete the pods that are still active, and leave those that have finished.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup")
	LateSuccessDoesNotSave = contract.New("JOB-BACKOFF-007",
		"A Job whose limit is exceeded MUST fail, even if one of its pods succeeds afterwards.",
		"kubernetes/kubernetes#109485; batch/v1 JobStatus.conditions")
	FirstBackoff = contract.New("JOB-BACKOFF-008",
		"After the first failure, a Job controller MUST wait 10 s from the pod's end before it starts the next pod.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy; kubernetes/kubernetes#114391",
		contract.Invariants{"job-backoff-is-kept"})
	BackoffDoubles = contract.New("JOB-BACKOFF-009",
		"The delay MUST double with every further failure.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy; kubernetes/kubernetes#114391",
		contract.Invariants{"job-backoff-is-kept"})
	BackoffIsLimited = contract.New("JOB-BACKOFF-010",
		"The delay MUST NOT grow without end: 10 min after a failure, the next pod is due, however many failed before.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy; kubernetes/kubernetes#114391")
	SuccessEndsBackoff = contract.New("JOB-BACKOFF-011",
		"A pod that succeeds after the failures MUST end the delay.",
		"kubernetes/kubernetes#63650; kubernetes/kubernetes#62382")
	DeletedPodsFail = contract.New("JOB-BACKOFF-012",
		"A pod that somebody deletes before it has succeeded MUST count as failed.",
		"batch/v1 JobStatus.failed; KEP-2307; KEP-3939")
	BackoffLimitAcrossIndexes = contract.New("JOB-BACKOFF-013",
		"The limit of an Indexed Job MUST be compared with the failures of all its indexes together.",
		"batch/v1 JobSpec.backoffLimit; KEP-2214",
		contract.Indexed)
)
