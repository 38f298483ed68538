package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// How a Job finishes.
var (
	OneVerdict = contract.New("JOB-END-001",
		"A Job MUST finish with exactly one of the conditions Complete and Failed, which stays True from then on.",
		"batch/v1 JobStatus.conditions",
		contract.Invariants{"job-verdict-is-final"})
	CompleteIsAnnounced = contract.New("JOB-END-002",
		"A Job MUST have the condition SuccessCriteriaMet by the time it is Complete, both with the reason CompletionsReached where the number of successes decided.",
		"batch/v1 JobReasonCompletionsReached; KEP-3998; KEP-4368; docs: concepts/workloads/controllers/job#terminal-job-conditions",
		contract.Versions(">= 1.31.0"), contract.Invariants{"job-verdict-comes-first"})
	FailedIsAnnounced = contract.New("JOB-END-003",
		"A Job MUST have the condition FailureTarget by the time it has Failed, both with the same reason.",
		"batch/v1 JobFailureTarget; KEP-4368; docs: concepts/workloads/controllers/job#terminal-job-conditions",
		contract.Versions(">= 1.31.0"), contract.Invariants{"job-verdict-comes-first"})
	CompleteAfterAllPods = contract.New("JOB-END-004",
		"A Job controller MUST set SuccessCriteriaMet as soon as that is decided, and Complete only when all pods of the Job have ended.",
		"docs: concepts/workloads/controllers/job#terminal-job-conditions; kubernetes/kubernetes#123775",
		contract.Versions(">= 1.31.0"), contract.Invariants{"job-finished-after-pods"})
	FailedAfterAllPods = contract.New("JOB-END-005",
		"A Job controller MUST set FailureTarget as soon as that is decided, and Failed only when all pods of the Job have ended.",
		"docs: concepts/workloads/controllers/job#terminal-job-conditions; kubernetes/kubernetes#123775",
		contract.Versions(">= 1.31.0"), contract.Invariants{"job-finished-after-pods"})
	NoPodsOnceDecided = contract.New("JOB-END-006",
		"A Job controller MUST NOT create pods of a Job that is decided or finished.",
		"batch/v1 JobStatus.conditions; docs: concepts/workloads/controllers/job#job-termination-and-cleanup; kubernetes/kubernetes#130103",
		contract.Invariants{"job-creates-nothing-once-decided"})
	FinishedStatusIsFixed = contract.New("JOB-END-007",
		"A Job controller MUST NOT change the status of a finished Job, whatever happens to its spec and its pods.",
		"batch/v1 JobStatus.conditions",
		contract.Invariants{"job-status-is-final"})
	FinishTimeForTTL = contract.New("JOB-END-008",
		"The condition of a finished Job MUST record when it finished, so that the Job is deleted after ttlSecondsAfterFinished.",
		"batch/v1 JobSpec.ttlSecondsAfterFinished; docs: concepts/workloads/controllers/ttlafterfinished")
)

// What a finished Job leaves behind, and how it is deleted.
var (
	ForegroundDeletion = contract.New("JOB-FINISHED-001",
		"A Job that is deleted in the foreground MUST go after its pods, which a Job controller MUST neither hold up nor replace.",
		"metav1.DeletePropagationForeground; docs: concepts/architecture/garbage-collection#foreground-deletion; KEP-2307")
	KeepsFinishedJob = contract.New("JOB-FINISHED-002",
		"A Job controller MUST NOT delete a finished Job, and neither ttlSecondsAfterFinished nor its absence changes that.",
		"batch/v1 JobSpec.ttlSecondsAfterFinished; docs: concepts/workloads/controllers/ttlafterfinished")
	TTLAfterFailure = contract.New("JOB-FINISHED-003",
		"A Job that has failed MUST go like a Complete one when its ttlSecondsAfterFinished have passed, with its pods.",
		"batch/v1 JobSpec.ttlSecondsAfterFinished: either Complete or Failed")
	EventsForPods = contract.New("JOB-FINISHED-004",
		"A Job controller SHOULD emit the events SuccessfulCreate and SuccessfulDelete for the pods that it creates and deletes.",
		"docs: concepts/workloads/controllers/job#running-an-example-job")
	EventForEnd = contract.New("JOB-FINISHED-005",
		"A Job controller SHOULD emit an event at a Job's end: Completed, or a warning with the reason of the condition Failed.",
		"docs: concepts/workloads/controllers/job#running-an-example-job")
)
