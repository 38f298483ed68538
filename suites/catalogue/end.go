package catalogue

// end is how a Job finishes.
var end = []Requirement{
	{
		ID:         "JOB-END-001",
		Text:       "A Job MUST finish with exactly one of the conditions Complete and Failed, which stays True from then on.",
		Source:     "batch/v1 JobStatus.conditions",
		Invariants: []string{"job-verdict-is-final"},
	},
	{
		ID:         "JOB-END-002",
		Text:       "A Job MUST have the condition SuccessCriteriaMet by the time it is Complete, both with the reason CompletionsReached where the number of successes decided.",
		Source:     "batch/v1 JobReasonCompletionsReached; KEP-3998; KEP-4368; docs: concepts/workloads/controllers/job#terminal-job-conditions",
		Versions:   ">= 1.31.0",
		Invariants: []string{"job-verdict-comes-first"},
	},
	{
		ID:         "JOB-END-003",
		Text:       "A Job MUST have the condition FailureTarget by the time it has Failed, both with the same reason.",
		Source:     "batch/v1 JobFailureTarget; KEP-4368; docs: concepts/workloads/controllers/job#terminal-job-conditions",
		Versions:   ">= 1.31.0",
		Invariants: []string{"job-verdict-comes-first"},
	},
	{
		ID:         "JOB-END-004",
		Text:       "A Job controller MUST set SuccessCriteriaMet as soon as that is decided, and Complete only when all pods of the Job have ended.",
		Source:     "docs: concepts/workloads/controllers/job#terminal-job-conditions; kubernetes/kubernetes#123775",
		Versions:   ">= 1.31.0",
		Invariants: []string{"job-finished-after-pods"},
	},
	{
		ID:         "JOB-END-005",
		Text:       "A Job controller MUST set FailureTarget as soon as that is decided, and Failed only when all pods of the Job have ended.",
		Source:     "docs: concepts/workloads/controllers/job#terminal-job-conditions; kubernetes/kubernetes#123775",
		Versions:   ">= 1.31.0",
		Invariants: []string{"job-finished-after-pods"},
	},
	{
		ID:         "JOB-END-006",
		Text:       "A Job controller MUST NOT create pods of a Job that is decided or finished.",
		Source:     "batch/v1 JobStatus.conditions; docs: concepts/workloads/controllers/job#job-termination-and-cleanup; kubernetes/kubernetes#130103",
		Invariants: []string{"job-creates-nothing-once-decided"},
	},
	{
		ID:         "JOB-END-007",
		Text:       "A Job controller MUST NOT change the status of a finished Job, whatever happens to its spec and its pods.",
		Source:     "batch/v1 JobStatus.conditions",
		Invariants: []string{"job-status-is-final"},
	},
	{
		ID:     "JOB-END-008",
		Text:   "A finished Job MUST tell by its condition when it finished, so that it goes when ttlSecondsAfterFinished have passed.",
		Source: "batch/v1 JobSpec.ttlSecondsAfterFinished; docs: concepts/workloads/controllers/ttlafterfinished",
	},
}
