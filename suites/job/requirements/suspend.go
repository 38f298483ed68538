package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// The field suspend (KEP-2232), and what may change in a suspended Job (KEP-2926, KEP-5440).
var (
	SuspendedHasNoPods = contract.New("JOB-SUSPEND-001",
		"A Job controller MUST NOT create pods of a Job while it is suspended.",
		"batch/v1 JobSpec.suspend; KEP-2232",
		contract.Suspend, contract.Invariants{"job-creates-nothing-while-stopped"})
	SuspensionDeletesPods = contract.New("JOB-SUSPEND-002",
		"When a Job is suspended, a Job controller MUST delete its active pods.",
		"batch/v1 JobSpec.suspend; KEP-2232",
		contract.Suspend)
	SuspensionCountsNothing = contract.New("JOB-SUSPEND-003",
		"Pods that were deleted because of the suspension MUST count neither as failed nor as succeeded, however they end.",
		"docs: concepts/workloads/controllers/job#suspending-a-job; KEP-2232",
		contract.Suspend)
	SuspendedCondition = contract.New("JOB-SUSPEND-004",
		"A suspended Job MUST have the condition Suspended; when it is resumed, the condition MUST become False.",
		"batch/v1 JobStatus.conditions; KEP-2232",
		contract.Suspend, contract.Invariants{"job-suspended-follows-the-spec"})
	SuspendedTransitionTime = contract.New("JOB-SUSPEND-005",
		"The lastTransitionTime of the condition Suspended MUST be when the Job was last suspended or resumed.",
		"docs: concepts/workloads/controllers/job#suspending-a-job",
		contract.Suspend)
	ResumeStartsAnew = contract.New("JOB-SUSPEND-006",
		"When a Job is resumed, a Job controller MUST create pods for what is left to do, and set startTime anew.",
		"batch/v1 JobSpec.suspend; batch/v1 JobStatus.startTime; KEP-2232",
		contract.Suspend, contract.Invariants{"job-resumes-with-a-new-start"})
	SuspensionKeepsCounts = contract.New("JOB-SUSPEND-007",
		"Successes, completed indexes and failures from before the suspension MUST stay counted.",
		"batch/v1 JobStatus.succeeded, failed and completedIndexes; KEP-2232",
		contract.Suspend)
	SuspensionAfterFinish = contract.New("JOB-SUSPEND-008",
		"A Job that has finished MUST stay as it is when it is suspended or resumed.",
		"batch/v1 JobStatus.conditions: terminal conditions cannot be disabled; KEP-2232",
		contract.Suspend)
	TemplateChangesBeforeStart = contract.New("JOB-SUSPEND-009",
		"Pods MUST be created with the labels, annotations, node selector, tolerations and node affinity that the template got while a Job that never ran was suspended.",
		"KEP-2926; docs: concepts/workloads/controllers/job#mutable-scheduling-directives",
		contract.Suspend)
	TemplateChangesWhileSuspended = contract.New("JOB-SUSPEND-010",
		"The same MUST hold for a suspended Job that had run before, for its scheduling directives and the resources of its containers.",
		"KEP-5440",
		contract.Suspend, contract.Versions(">= 1.36.0"))
	EventsForSuspension = contract.New("JOB-SUSPEND-011",
		"A Job controller SHOULD emit the events Suspended and Resumed when a Job is suspended and resumed.",
		"docs: concepts/workloads/controllers/job#suspending-a-job",
		contract.Suspend)
)
