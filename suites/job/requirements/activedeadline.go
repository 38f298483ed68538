package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// The field activeDeadlineSeconds.
var (
	FailsAtDeadline = contract.New("JOB-DEADLINE-001",
		"A Job MUST fail with the reason DeadlineExceeded when activeDeadlineSeconds have passed since its startTime, and not before.",
		"batch/v1 JobSpec.activeDeadlineSeconds; batch/v1 JobReasonDeadlineExceeded; docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
		contract.Invariants{"job-fails-for-a-reason"})
	DeadlineDeletesActive = contract.New("JOB-DEADLINE-002",
		"When the deadline is over, a Job controller MUST delete all pods of the Job that are active, and start no more.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup")
	DeadlineKeepsFinished = contract.New("JOB-DEADLINE-003",
		"When the deadline is over, a Job controller MUST leave pods alone that have finished.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup")
	DeadlineIsNoticed = contract.New("JOB-DEADLINE-004",
		"The deadline MUST be noticed although nothing else happens to the Job or its pods.",
		"kubernetes/kubernetes#110294")
	DeadlineBeatsBackoff = contract.New("JOB-DEADLINE-005",
		"The deadline MUST take precedence over backoffLimit: a Job that waits to start another pod fails in time.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup")
	DeadlineWhileRestarting = contract.New("JOB-DEADLINE-006",
		"The deadline of a Job MUST hold while containers restart in place.",
		"batch/v1 JobSpec.activeDeadlineSeconds; docs: concepts/workloads/controllers/job#job-termination-and-cleanup")
	ChangedDeadline = contract.New("JOB-DEADLINE-007",
		"A deadline that is changed while the Job is active MUST hold from then on, counted from startTime as before.",
		"batch/v1 JobSpec.activeDeadlineSeconds")
	DeadlineAfterCompletion = contract.New("JOB-DEADLINE-008",
		"A Job that is Complete MUST stay so when its deadline passes.",
		"batch/v1 JobSpec.activeDeadlineSeconds; batch/v1 JobStatus.conditions")
	PodDeadlineIsNotTheJobs = contract.New("JOB-DEADLINE-009",
		"A Job controller MUST NOT take the activeDeadlineSeconds of the pod template for those of the Job.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup")
	DeadlineBeginsAtResume = contract.New("JOB-DEADLINE-010",
		"The deadline of a Job that was created suspended MUST NOT begin before it is resumed.",
		"batch/v1 JobSpec.activeDeadlineSeconds; KEP-2232",
		contract.Suspend)
	DeadlineStopsWhileSuspended = contract.New("JOB-DEADLINE-011",
		"The deadline MUST NOT pass while the Job is suspended, and MUST begin anew when it is resumed.",
		"batch/v1 JobSpec.activeDeadlineSeconds; KEP-2232",
		contract.Suspend)
)
