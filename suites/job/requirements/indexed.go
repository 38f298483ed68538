package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// The completionMode Indexed (KEP-2214, KEP-4017).
var (
	EveryPodHasAnIndex = contract.New("JOB-INDEXED-001",
		"Each pod of an Indexed Job MUST have one of the indexes from 0 to completions-1, in the annotation and in the label batch.kubernetes.io/job-completion-index.",
		"batch/v1 JobSpec.completionMode; KEP-2214; KEP-4017",
		contract.Indexed, contract.Invariants{"job-pod-tells-its-index"})
	IndexedHostname = contract.New("JOB-INDEXED-002",
		"The hostname of a pod MUST be the Job's name and the index, with a hyphen between.",
		"batch/v1 JobSpec.completionMode; docs: concepts/workloads/controllers/job#completion-mode",
		contract.Indexed)
	IndexedPodName = contract.New("JOB-INDEXED-003",
		"The name of a pod MUST begin with the Job's name and the index, with a hyphen after each, where that leaves the name valid.",
		"batch/v1 JobSpec.completionMode",
		contract.Indexed)
	IndexVariable = contract.New("JOB-INDEXED-004",
		"Every container and init container MUST have the index in its environment variable JOB_COMPLETION_INDEX.",
		"KEP-2214; docs: concepts/workloads/controllers/job#completion-mode; docs: tasks/job/indexed-parallel-processing-static",
		contract.Indexed)
	OwnIndexVariable = contract.New("JOB-INDEXED-005",
		"A Job controller MUST leave a variable JOB_COMPLETION_INDEX alone that the template sets itself.",
		"KEP-2214: no environment variable is added where there is one of that name",
		contract.Indexed)
	CompletesWithEveryIndex = contract.New("JOB-INDEXED-006",
		"An Indexed Job MUST become Complete when one pod has succeeded for each index, and not before.",
		"batch/v1 JobSpec.completionMode",
		contract.Indexed, contract.Invariants{"job-indexes-agree"})
	CompletedIndexesFormat = contract.New("JOB-INDEXED-007",
		"The status field completedIndexes MUST list the indexes that have succeeded in increasing order, with three or more consecutive ones as a range.",
		"batch/v1 JobStatus.completedIndexes",
		contract.Indexed, contract.Invariants{"job-indexes-never-shrink", "job-indexes-well-formed"})
	SucceededIndexIsDone = contract.New("JOB-INDEXED-008",
		"An index that has succeeded MUST NOT be run again, also when its pod is deleted.",
		"KEP-2214; kubernetes/kubernetes#108887",
		contract.Indexed, contract.Invariants{"job-index-runs-no-more"})
	ReplacementKeepsIndex = contract.New("JOB-INDEXED-009",
		"The pod that replaces one that has failed or was deleted MUST have its index.",
		"KEP-2214: Job completion and restart policy",
		contract.Indexed)
	LowerIndexesFirst = contract.New("JOB-INDEXED-010",
		"A Job controller SHOULD run lower indexes first.",
		"KEP-2214: Job parallelism; the order is not guaranteed",
		contract.Indexed)
	OnePodPerIndex = contract.New("JOB-INDEXED-011",
		"Of several active pods of an index, a Job controller MUST leave one and delete the others.",
		"KEP-2214: More than one pod per index",
		contract.Indexed, contract.Invariants{"job-one-pod-per-index"})
	DeletesPodsWithoutIndex = contract.New("JOB-INDEXED-012",
		"A Job controller MUST delete active pods of the Job that have no index, or none of the Job's, and MUST count them neither as succeeded nor as failed.",
		"KEP-2214: Upgrade / Downgrade Strategy",
		contract.Indexed)
	IndexCountsOnce = contract.New("JOB-INDEXED-013",
		"However many pods of an index succeed, the index MUST count once.",
		"docs: concepts/workloads/controllers/job#completion-mode: only one of them counts towards the completions",
		contract.Indexed, contract.Invariants{"job-indexes-agree"})
)
