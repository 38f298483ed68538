package catalogue

// completions are how a Job reaches its goal.
var completions = []Requirement{
	{
		ID:         "JOB-COMPLETIONS-001",
		Text:       "A Job MUST become Complete when as many of its pods have succeeded as completions says, and not before.",
		Source:     "batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#completion-mode",
		Invariants: []string{"job-succeeds-for-a-reason"},
	},
	{
		ID:     "JOB-COMPLETIONS-002",
		Text:   "A pod that fails MUST NOT count towards completions, and MUST be replaced.",
		Source: "batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#handling-pod-and-container-failures",
	},
	{
		ID:     "JOB-COMPLETIONS-003",
		Text:   "With completions of 1, a Job controller MUST run one pod at a time, whatever the parallelism.",
		Source: "batch/v1 JobSpec.completions",
	},
	{
		ID:     "JOB-COMPLETIONS-004",
		Text:   "With completions of 0, a Job MUST become Complete without any pod.",
		Source: "batch/v1 JobSpec.completions",
	},
	{
		ID:     "JOB-COMPLETIONS-005",
		Text:   "A Job without completions MUST become Complete when one of its pods has succeeded and all others have ended, and not before.",
		Source: "batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#parallel-jobs",
	},
	{
		ID:         "JOB-COMPLETIONS-006",
		Text:       "A completion that was counted MUST stay counted when its pod is deleted.",
		Source:     "batch/v1 JobStatus.succeeded; KEP-2307",
		Invariants: []string{"job-counters-never-decrease"},
	},
	{
		ID:     "JOB-COMPLETIONS-007",
		Text:   "A pod that has succeeded MUST count as a completion, even if it is deleted before the status says so.",
		Source: "KEP-2307",
	},
	{
		ID:     "JOB-COMPLETIONS-008",
		Text:   "Once completions are reached, a Job controller MUST delete the pods of the Job that are still active.",
		Source: "kubernetes/kubernetes#99963; docs: concepts/workloads/controllers/job#parallel-jobs",
	},
	{
		ID:     "JOB-COMPLETIONS-009",
		Text:   "A Job MUST be counted anew that has the name of one that was deleted: neither counters nor back-off pass on.",
		Source: "kubernetes/kubernetes#132042; batch/v1 JobStatus",
	},
	{
		ID:     "JOB-COMPLETIONS-010",
		Text:   "A Job that sets neither completions nor parallelism MUST run one pod until one has succeeded.",
		Source: "docs: concepts/workloads/controllers/job#parallel-jobs",
	},
}
