package catalogue

// deadline is activeDeadlineSeconds.
var deadline = []Requirement{
	{
		ID:         "JOB-DEADLINE-001",
		Text:       "A Job MUST fail with the reason DeadlineExceeded when activeDeadlineSeconds have passed since its startTime, and not before.",
		Source:     "batch/v1 JobSpec.activeDeadlineSeconds; batch/v1 JobReasonDeadlineExceeded; docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
		Invariants: []string{"job-fails-for-a-reason"},
	},
	{
		ID:     "JOB-DEADLINE-002",
		Text:   "When the deadline is over, a Job controller MUST delete all pods of the Job that are active, and start no more.",
		Source: "docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
	},
	{
		ID:     "JOB-DEADLINE-003",
		Text:   "When the deadline is over, a Job controller MUST leave pods alone that have finished.",
		Source: "docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
	},
	{
		ID:     "JOB-DEADLINE-004",
		Text:   "The deadline MUST be noticed although nothing else happens to the Job or its pods.",
		Source: "kubernetes/kubernetes#110294",
	},
	{
		ID:     "JOB-DEADLINE-005",
		Text:   "The deadline MUST take precedence over backoffLimit: a Job that waits to start another pod fails in time.",
		Source: "docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
	},
	{
		ID:     "JOB-DEADLINE-006",
		Text:   "The deadline of a Job MUST hold while containers restart in place.",
		Source: "batch/v1 JobSpec.activeDeadlineSeconds; docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
	},
	{
		ID:     "JOB-DEADLINE-007",
		Text:   "A deadline that is changed while the Job is active MUST hold from then on, counted from startTime as before.",
		Source: "batch/v1 JobSpec.activeDeadlineSeconds",
	},
	{
		ID:     "JOB-DEADLINE-008",
		Text:   "A Job that is Complete MUST stay so when its deadline passes.",
		Source: "batch/v1 JobSpec.activeDeadlineSeconds; batch/v1 JobStatus.conditions",
	},
	{
		ID:     "JOB-DEADLINE-009",
		Text:   "A Job controller MUST NOT take the activeDeadlineSeconds of the pod template for those of the Job.",
		Source: "docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
	},
	{
		ID:      "JOB-DEADLINE-010",
		Text:    "The deadline of a Job that was created suspended MUST NOT begin before it is resumed.",
		Source:  "batch/v1 JobSpec.activeDeadlineSeconds; KEP-2232",
		Feature: Suspend,
	},
	{
		ID:      "JOB-DEADLINE-011",
		Text:    "The deadline MUST NOT pass while the Job is suspended, and MUST begin anew when it is resumed.",
		Source:  "batch/v1 JobSpec.activeDeadlineSeconds; KEP-2232",
		Feature: Suspend,
	},
}
