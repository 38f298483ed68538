package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// How a Job reaches its completions.
var (
	CompletesAtCompletions = contract.New("JOB-COMPLETIONS-001",
		"A Job MUST become Complete when as many of its pods have succeeded as completions says, and not before.",
		"batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#completion-mode",
		contract.Invariants{"job-succeeds-for-a-reason"})
	FailuresAreNoCompletions = contract.New("JOB-COMPLETIONS-002",
		"A pod that fails MUST NOT count towards completions, and MUST be replaced.",
		"batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#handling-pod-and-container-failures")
	OneCompletionOnePod = contract.New("JOB-COMPLETIONS-003",
		"With completions of 1, a Job controller MUST run one pod at a time, whatever the parallelism.",
		"batch/v1 JobSpec.completions")
	ZeroCompletions = contract.New("JOB-COMPLETIONS-004",
		"With completions of 0, a Job MUST become Complete without any pod.",
		"batch/v1 JobSpec.completions")
	WorkQueueCompletes = contract.New("JOB-COMPLETIONS-005",
		"A Job without completions MUST become Complete when one of its pods has succeeded and all others have ended, and not before.",
		"batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#parallel-jobs")
	CompletionsOutliveTheirPods = contract.New("JOB-COMPLETIONS-006",
		"A completion that was counted MUST stay counted when its pod is deleted.",
		"batch/v1 JobStatus.succeeded; KEP-2307",
		contract.Invariants{"job-counters-never-decrease"})
	DeletedSuccessCounts = contract.New("JOB-COMPLETIONS-007",
		"A pod that has succeeded MUST count as a completion, even if it is deleted before the status says so.",
		"KEP-2307")
	DeletesSurplusAtCompletion = contract.New("JOB-COMPLETIONS-008",
		"Once completions are reached, a Job controller MUST delete the pods of the Job that are still active.",
		"kubernetes/kubernetes#99963; docs: concepts/workloads/controllers/job#parallel-jobs")
	NewJobStartsAtZero = contract.New("JOB-COMPLETIONS-009",
		"A Job MUST be counted anew that has the name of one that was deleted: neither counters nor back-off pass on.",
		"kubernetes/kubernetes#132042; batch/v1 JobStatus")
	DefaultRunsOnePod = contract.New("JOB-COMPLETIONS-010",
		"A Job that sets neither completions nor parallelism MUST run one pod until one has succeeded.",
		"docs: concepts/workloads/controllers/job#parallel-jobs")
)
