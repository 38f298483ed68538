package catalogue

var parallelism = []Requirement{
	{
		ID:         "JOB-PARALLELISM-001",
		Text:       "A Job controller MUST NOT let more pods of a Job be active than its parallelism, at any moment.",
		Source:     "batch/v1 JobSpec.parallelism",
		Invariants: []string{"job-active-within-parallelism"},
	},
}
