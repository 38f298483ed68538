package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// The field podReplacementPolicy (KEP-3939).
var (
	FailedReplacesAfterEnd = contract.New("JOB-REPLACEMENT-001",
		"With the policy Failed, a Job controller MUST NOT replace a pod that is being deleted before it has ended, and MUST replace it then.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		contract.PodReplacementPolicy, contract.Invariants{"job-replaces-only-failed"})
	FailedCountsAfterEnd = contract.New("JOB-REPLACEMENT-002",
		"With the policy Failed, a pod that is being deleted MUST NOT count as failed before it has ended, and MUST count as succeeded if that is how it ends.",
		"KEP-3939; batch/v1 JobStatus.succeeded and failed",
		contract.PodReplacementPolicy)
	TerminatingReplacesAtOnce = contract.New("JOB-REPLACEMENT-003",
		"With the policy TerminatingOrFailed, a pod that is being deleted MUST count as failed and MUST be replaced before it has ended.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		contract.PodReplacementPolicy)
	TerminatingStaysFailed = contract.New("JOB-REPLACEMENT-004",
		"With the policy TerminatingOrFailed, such a pod MUST stay counted as failed, even if it succeeds in the end.",
		"KEP-3939: The default job controller behavior",
		contract.PodReplacementPolicy)
	FailedBlocksTheIndexOnly = contract.New("JOB-REPLACEMENT-005",
		"With the policy Failed, an index MUST NOT be started while a pod of it is being deleted, and other indexes MUST be as far as parallelism allows.",
		"KEP-3939: in Indexed completion mode, the tracking of pods is per index",
		contract.PodReplacementPolicy, contract.Invariants{"job-index-replaces-only-failed"})
	FailedDelaysResume = contract.New("JOB-REPLACEMENT-006",
		"With the policy Failed, a Job that is resumed MUST wait for the pods that its suspension deleted; with TerminatingOrFailed it MUST NOT.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		contract.PodReplacementPolicy)
	BothReplaceFailed = contract.New("JOB-REPLACEMENT-007",
		"With either policy, a Job controller MUST replace a pod that has failed.",
		"batch/v1 JobSpec.podReplacementPolicy",
		contract.PodReplacementPolicy)
)
