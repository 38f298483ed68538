package catalogue

// parallelism is how many pods of a Job run at the same time.
var parallelism = []Requirement{
	{
		ID:         "JOB-PARALLELISM-001",
		Text:       "A Job controller MUST NOT let more pods of a Job be active than its parallelism, at any moment.",
		Source:     "batch/v1 JobSpec.parallelism",
		Invariants: []string{"job-active-within-parallelism"},
	},
	{
		ID:     "JOB-PARALLELISM-002",
		Text:   "A Job controller MUST run as many pods at the same time as parallelism says, while there is work for that many.",
		Source: "batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism",
	},
	{
		ID:     "JOB-PARALLELISM-003",
		Text:   "A Job that sets completions but no parallelism MUST run its pods one after the other.",
		Source: "batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#parallel-jobs",
	},
	{
		ID:         "JOB-PARALLELISM-004",
		Text:       "A Job controller MUST NOT run more pods than there are completions left to reach.",
		Source:     "batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism; kubernetes/kubernetes#137210",
		Invariants: []string{"job-creates-no-more-than-needed"},
	},
	{
		ID:     "JOB-PARALLELISM-005",
		Text:   "While parallelism is 0, a Job controller MUST run no pod of the Job and MUST NOT finish it.",
		Source: "docs: concepts/workloads/controllers/job#controlling-parallelism",
	},
	{
		ID:     "JOB-PARALLELISM-006",
		Text:   "When parallelism is raised, a Job controller MUST add pods and leave those alone that run.",
		Source: "batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism",
	},
	{
		ID:     "JOB-PARALLELISM-007",
		Text:   "When parallelism is lowered, a Job controller MUST delete as many active pods as are too many, and no others.",
		Source: "batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism",
	},
	{
		ID:     "JOB-PARALLELISM-008",
		Text:   "A pod that is deleted because parallelism was lowered MUST NOT count as failed.",
		Source: "batch/v1 JobSpec.parallelism; KEP-2307",
	},
	{
		ID:     "JOB-PARALLELISM-009",
		Text:   "Once a pod of a Job without completions has succeeded, a Job controller MUST NOT start another one, and MUST let the others run to their end.",
		Source: "batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#parallel-jobs",
	},
	{
		ID:     "JOB-PARALLELISM-010",
		Text:   "While no pod of a Job without completions has succeeded, a Job controller MUST replace those that fail.",
		Source: "docs: concepts/workloads/controllers/job#handling-pod-and-container-failures",
	},
	{
		ID:     "JOB-PARALLELISM-011",
		Text:   "Pods that have not started yet MUST count towards parallelism like those that run.",
		Source: "batch/v1 JobStatus.active",
	},
	{
		ID:     "JOB-PARALLELISM-012",
		Text:   "Where podReplacementPolicy is not set, a Job controller MUST replace a pod as soon as somebody deletes it.",
		Source: "batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
	},
	{
		ID:     "JOB-PARALLELISM-013",
		Text:   "When pods cannot be created for a while, a Job controller MUST go on trying, and MUST NOT count the attempts as failures.",
		Source: "docs: concepts/workloads/controllers/job#controlling-parallelism",
	},
}
