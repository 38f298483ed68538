// Package requirements has the requirements of a Job controller. The specs
// beside it cover them.
package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// How many pods of a Job run at the same time.
var (
	NeverMoreThanParallelism = contract.New("JOB-PARALLELISM-001",
		"A Job controller MUST NOT let more pods of a Job be active than its parallelism, at any moment.",
		"batch/v1 JobSpec.parallelism",
		contract.Invariants{"job-active-within-parallelism"})
	RunsAsMany = contract.New("JOB-PARALLELISM-002",
		"A Job controller MUST run as many pods at the same time as parallelism says, while there is work for that many.",
		"batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism")
	ParallelismIsOne = contract.New("JOB-PARALLELISM-003",
		"A Job that sets completions but no parallelism MUST run its pods one after the other.",
		"batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#parallel-jobs")
	NoMoreThanCompletions = contract.New("JOB-PARALLELISM-004",
		"A Job controller MUST NOT run more pods than there are completions left to reach.",
		"batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism; kubernetes/kubernetes#137210",
		contract.Invariants{"job-creates-no-more-than-needed"})
	ZeroParallelism = contract.New("JOB-PARALLELISM-005",
		"While parallelism is 0, a Job controller MUST run no pod of the Job and MUST NOT finish it.",
		"docs: concepts/workloads/controllers/job#controlling-parallelism")
	RaisedParallelism = contract.New("JOB-PARALLELISM-006",
		"When parallelism is raised, a Job controller MUST add pods and leave those alone that run.",
		"batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism")
	LoweredParallelism = contract.New("JOB-PARALLELISM-007",
		"When parallelism is lowered, a Job controller MUST delete as many active pods as are too many, and no others.",
		"batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism")
	SurplusDoesNotFail = contract.New("JOB-PARALLELISM-008",
		"A pod that is deleted because parallelism was lowered MUST NOT count as failed.",
		"batch/v1 JobSpec.parallelism; KEP-2307")
	WorkQueueStopsAtSuccess = contract.New("JOB-PARALLELISM-009",
		"Once a pod of a Job without completions has succeeded, a Job controller MUST NOT start another one, and MUST let the others run to their end.",
		"batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#parallel-jobs")
	WorkQueueReplacesFailures = contract.New("JOB-PARALLELISM-010",
		"While no pod of a Job without completions has succeeded, a Job controller MUST replace those that fail.",
		"docs: concepts/workloads/controllers/job#handling-pod-and-container-failures")
	PendingPodsCount = contract.New("JOB-PARALLELISM-011",
		"Pods that have not started yet MUST count towards parallelism like those that run.",
		"batch/v1 JobStatus.active")
	ReplacesDeletedAtOnce = contract.New("JOB-PARALLELISM-012",
		"Where podReplacementPolicy is not set, a Job controller MUST replace a pod as soon as somebody deletes it.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3939")
	RetriesToCreatePods = contract.New("JOB-PARALLELISM-013",
		"When pods cannot be created for a while, a Job controller MUST go on trying, and MUST NOT count the attempts as failures.",
		"docs: concepts/workloads/controllers/job#controlling-parallelism")
)
