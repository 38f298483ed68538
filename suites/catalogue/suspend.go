package catalogue

// suspension is a Job's field suspend (KEP-2232), and what may be changed in the
// meantime (KEP-2926, KEP-5440).
var suspension = []Requirement{
	{
		ID:         "JOB-SUSPEND-001",
		Text:       "A Job controller MUST NOT create pods of a Job while it is suspended.",
		Source:     "batch/v1 JobSpec.suspend; KEP-2232",
		Feature:    Suspend,
		Invariants: []string{"job-creates-nothing-while-stopped"},
	},
	{
		ID:      "JOB-SUSPEND-002",
		Text:    "When a Job is suspended, a Job controller MUST delete its active pods.",
		Source:  "batch/v1 JobSpec.suspend; KEP-2232",
		Feature: Suspend,
	},
	{
		ID:      "JOB-SUSPEND-003",
		Text:    "Pods that were deleted because of the suspension MUST count neither as failed nor as succeeded, however they end.",
		Source:  "docs: concepts/workloads/controllers/job#suspending-a-job; KEP-2232",
		Feature: Suspend,
	},
	{
		ID:         "JOB-SUSPEND-004",
		Text:       "A suspended Job MUST have the condition Suspended; when it is resumed, the condition MUST become False.",
		Source:     "batch/v1 JobStatus.conditions; KEP-2232",
		Feature:    Suspend,
		Invariants: []string{"job-suspended-follows-the-spec"},
	},
	{
		ID:      "JOB-SUSPEND-005",
		Text:    "The lastTransitionTime of the condition Suspended MUST tell when the Job was suspended or resumed last.",
		Source:  "docs: concepts/workloads/controllers/job#suspending-a-job",
		Feature: Suspend,
	},
	{
		ID:         "JOB-SUSPEND-006",
		Text:       "When a Job is resumed, a Job controller MUST create pods for what is left to do, and set startTime anew.",
		Source:     "batch/v1 JobSpec.suspend; batch/v1 JobStatus.startTime; KEP-2232",
		Feature:    Suspend,
		Invariants: []string{"job-resumes-with-a-new-start"},
	},
	{
		ID:      "JOB-SUSPEND-007",
		Text:    "Successes, completed indexes and failures from before the suspension MUST stay counted.",
		Source:  "batch/v1 JobStatus.succeeded, failed and completedIndexes; KEP-2232",
		Feature: Suspend,
	},
	{
		ID:      "JOB-SUSPEND-008",
		Text:    "A Job that has finished MUST stay as it is when it is suspended or resumed.",
		Source:  "batch/v1 JobStatus.conditions: terminal conditions cannot be disabled; KEP-2232",
		Feature: Suspend,
	},
	{
		ID:      "JOB-SUSPEND-009",
		Text:    "Pods MUST be created with the labels, annotations, node selector, tolerations and node affinity that the template got while a Job that never ran was suspended.",
		Source:  "KEP-2926; docs: concepts/workloads/controllers/job#mutable-scheduling-directives",
		Feature: Suspend,
	},
	{
		ID:       "JOB-SUSPEND-010",
		Text:     "The same MUST hold for a suspended Job that had run before, for its scheduling directives and the resources of its containers.",
		Source:   "KEP-5440",
		Versions: ">= 1.36.0",
		Feature:  Suspend,
	},
	{
		ID:      "JOB-SUSPEND-011",
		Text:    "A Job controller SHOULD tell by the events Suspended and Resumed that a Job was suspended and resumed.",
		Source:  "docs: concepts/workloads/controllers/job#suspending-a-job",
		Feature: Suspend,
	},
}
