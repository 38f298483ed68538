package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// The fields backoffLimitPerIndex and maxFailedIndexes (KEP-3850).
var (
	RetriesEachIndex = contract.New("JOB-BACKOFFLIMITPERINDEX-001",
		"An index MUST be retried until its pods have failed once more than backoffLimitPerIndex; then it MUST appear in failedIndexes and MUST NOT be run again.",
		"batch/v1 JobSpec.backoffLimitPerIndex and JobStatus.failedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-index-runs-no-more", "job-indexes-never-shrink", "job-indexes-agree", "job-index-within-backoff-limit"})
	ZeroRetriesPerIndex = contract.New("JOB-BACKOFFLIMITPERINDEX-002",
		"With a backoffLimitPerIndex of 0 an index MUST fail with its first failed pod.",
		"batch/v1 JobSpec.backoffLimitPerIndex; KEP-3850",
		contract.BackoffLimitPerIndex)
	FailedIndexLeavesOthers = contract.New("JOB-BACKOFFLIMITPERINDEX-003",
		"A failed index MUST NOT keep other indexes from being run and retried.",
		"batch/v1 JobSpec.maxFailedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex)
	FailedIndexFailsTheJob = contract.New("JOB-BACKOFFLIMITPERINDEX-004",
		"A Job with a failed index MUST fail with the reason FailedIndexes when all its indexes have ended, and not before.",
		"batch/v1 JobReasonFailedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-fails-for-a-reason"})
	RetriedIndexesComplete = contract.New("JOB-BACKOFFLIMITPERINDEX-005",
		"A Job MUST complete when all its indexes have succeeded, however often each of them was retried within its limit.",
		"batch/v1 JobSpec.backoffLimitPerIndex; KEP-3850",
		contract.BackoffLimitPerIndex)
	FailedIndexesFormat = contract.New("JOB-BACKOFFLIMITPERINDEX-006",
		"failedIndexes MUST list the failed indexes in increasing order, with three or more consecutive ones as a range.",
		"batch/v1 JobStatus.failedIndexes",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-indexes-agree", "job-indexes-well-formed"})
	FailsBeyondMaxFailedIndexes = contract.New("JOB-BACKOFFLIMITPERINDEX-007",
		"When more indexes than maxFailedIndexes have failed, the Job MUST fail with the reason MaxFailedIndexesExceeded, and its running pods MUST be terminated.",
		"batch/v1 JobSpec.maxFailedIndexes and JobReasonMaxFailedIndexesExceeded; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-max-failed-indexes-holds"})
	MaxFailedIndexesWaitsForPods = contract.New("JOB-BACKOFFLIMITPERINDEX-008",
		"A Job that has exceeded maxFailedIndexes MUST have the condition FailureTarget at once, and Failed only when all its pods have ended.",
		"docs: concepts/workloads/controllers/job#terminal-job-conditions; kubernetes/kubernetes#123775",
		contract.BackoffLimitPerIndex, contract.Versions(">= 1.31.0"), contract.Invariants{"job-finished-after-pods", "job-verdict-comes-first"})
	FailedIndexesWithinMax = contract.New("JOB-BACKOFFLIMITPERINDEX-009",
		"As many failed indexes as maxFailedIndexes MUST NOT end the Job.",
		"batch/v1 JobSpec.maxFailedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex)
	NoOverallLimitByDefault = contract.New("JOB-BACKOFFLIMITPERINDEX-010",
		"With a backoffLimitPerIndex and no backoffLimit, the number of failures of the whole Job MUST NOT be limited.",
		"batch/v1 JobSpec.backoffLimit: defaults to 2147483647 then; KEP-3850",
		contract.BackoffLimitPerIndex)
	OverallLimitBesidePerIndex = contract.New("JOB-BACKOFFLIMITPERINDEX-011",
		"A backoffLimit beside backoffLimitPerIndex MUST limit the failures of all indexes together.",
		"batch/v1 JobSpec.backoffLimit; KEP-3850",
		contract.BackoffLimitPerIndex)
	FailureCountAnnotation = contract.New("JOB-BACKOFFLIMITPERINDEX-012",
		"Every pod MUST have the annotation batch.kubernetes.io/job-index-failure-count with the number of failures of its index that count: 0 at first, and one more after each.",
		"batch/v1 JobIndexFailureCountAnnotation; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-index-failure-count"})
	IgnoredFailureCountAnnotation = contract.New("JOB-BACKOFFLIMITPERINDEX-013",
		"A failure that podFailurePolicy ignores MUST NOT count towards backoffLimitPerIndex; the next pod's annotation batch.kubernetes.io/job-index-ignored-failure-count MUST count it instead.",
		"batch/v1 JobIndexIgnoredFailureCountAnnotation; KEP-3850",
		contract.BackoffLimitPerIndex)
	BackoffPerIndex = contract.New("JOB-BACKOFFLIMITPERINDEX-014",
		"The next pod of an index MUST be delayed by 10 s after the index's first failure, and by twice as long after each further one.",
		"KEP-3850; docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-index-backoff-is-kept", "job-index-backoff-is-kept"})
	BackoffLeavesOtherIndexes = contract.New("JOB-BACKOFFLIMITPERINDEX-015",
		"An index that waits for its back-off MUST NOT delay pods of other indexes for which there is room.",
		"KEP-3850: the delay is computed within each index independently",
		contract.BackoffLimitPerIndex)
	IndexFailuresOutliveThePod = contract.New("JOB-BACKOFFLIMITPERINDEX-016",
		"The failures of an index MUST NOT be forgotten when its failed pod is deleted before it is replaced.",
		"KEP-3850: the finalizer stays until the replacement is created",
		contract.BackoffLimitPerIndex)
	DeletedPodFailsItsIndex = contract.New("JOB-BACKOFFLIMITPERINDEX-017",
		"A pod that somebody else deletes MUST count as a failure of its index.",
		"batch/v1 JobSpec.podReplacementPolicy and JobSpec.backoffLimitPerIndex; KEP-3850",
		contract.BackoffLimitPerIndex)
	TerminatingPodKeepsItsIndex = contract.New("JOB-BACKOFFLIMITPERINDEX-018",
		"With podReplacementPolicy Failed, the pod of an index that is terminating MUST NOT count as a failure of the index before it has ended.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3850; KEP-3939",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-replaces-only-failed"})
	FailIndexAction = contract.New("JOB-BACKOFFLIMITPERINDEX-019",
		"When a failed pod matches a podFailurePolicy rule with the action FailIndex, its index MUST fail without any retry, and the Job MUST go on with the others.",
		"batch/v1 PodFailurePolicyRule.action; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-fail-index-is-heeded", "job-fail-index-is-heeded"})
	FailJobBeatsPerIndex = contract.New("JOB-BACKOFFLIMITPERINDEX-020",
		"When a failed pod matches a podFailurePolicy rule with the action FailJob, the whole Job MUST fail, whatever is left of backoffLimitPerIndex.",
		"batch/v1 PodFailurePolicyRule.action; KEP-3329",
		contract.BackoffLimitPerIndex)
	FailedCountsEveryIndex = contract.New("JOB-BACKOFFLIMITPERINDEX-021",
		"status.failed MUST count every failed pod of every index.",
		"batch/v1 JobStatus.failed",
		contract.BackoffLimitPerIndex)
)
