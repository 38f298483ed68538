package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

const statusSource = "KEP-4368: strengthened validation of Job status"

// strictStatus are the versions in which every API server validates the status of
// a Job this strictly, whichever client writes it.
const strictStatus contract.Versions = ">= 1.32.0"

// What the API server accepts as the status of a Job.
var (
	RefusesNegativeCounts = contract.New("API-STATUS-001",
		"A status MUST be refused with a negative number of active, ready, terminating, succeeded or failed pods.",
		"batch/v1 JobStatus")
	UncountedUIDsAreValid = contract.New("API-STATUS-002",
		"A status MUST be refused when uncountedTerminatedPods has an empty UID, or one twice.",
		"batch/v1 JobStatus.uncountedTerminatedPods")
	SuccessExcludesFailure = contract.New("API-STATUS-003",
		"Of success and failure a Job MUST have one at most: Complete and SuccessCriteriaMet exclude Failed and FailureTarget.",
		"batch/v1 JobStatus.conditions; "+statusSource,
		contract.ManagedBy, strictStatus)
	CompletionTimeMeansComplete = contract.New("API-STATUS-004",
		"A Job MUST have a completionTime when it is Complete, and only then.",
		"batch/v1 JobStatus.completionTime; "+statusSource,
		contract.ManagedBy, strictStatus)
	CompletionTimeIsFixed = contract.New("API-STATUS-005",
		"A completionTime MUST NOT be before the startTime, nor change.",
		"batch/v1 JobStatus.completionTime; "+statusSource,
		contract.ManagedBy, strictStatus)
	FinishIsAnnounced = contract.New("API-STATUS-006",
		"A Job MUST NOT become Failed without FailureTarget, nor Complete without SuccessCriteriaMet.",
		"batch/v1 JobStatus.conditions; docs: concepts/workloads/controllers/job#termination-of-job-pods",
		contract.ManagedBy, strictStatus)
	FinishedHasNoPodsLeft = contract.New("API-STATUS-007",
		"A Job MUST NOT be finished while it has active, terminating or uncounted pods.",
		"batch/v1 JobStatus.conditions; "+statusSource,
		contract.ManagedBy, strictStatus)
	FinishedHasStarted = contract.New("API-STATUS-008",
		"A Job MUST NOT be finished without a startTime.",
		statusSource,
		contract.ManagedBy, strictStatus)
	TerminalConditionsStay = contract.New("API-STATUS-009",
		"The conditions Complete, Failed, SuccessCriteriaMet and FailureTarget MUST NOT be taken back.",
		statusSource,
		contract.ManagedBy, strictStatus)
	CountsNeverDecrease = contract.New("API-STATUS-010",
		"The number of failed pods MUST NOT decrease, nor that of succeeded ones unless the Job is Indexed with as much parallelism as completions.",
		statusSource,
		contract.ManagedBy, strictStatus)
	RunningStartTimeIsFixed = contract.New("API-STATUS-011",
		"A startTime MUST NOT change while the Job is not suspended.",
		"batch/v1 JobStatus.startTime; "+statusSource,
		contract.ManagedBy, strictStatus)
	CompletedIndexesAreValid = contract.New("API-STATUS-012",
		"The completedIndexes MUST be refused in a Job that is not Indexed, and unless they are indexes of the Job in order.",
		"batch/v1 JobStatus.completedIndexes; "+statusSource,
		contract.ManagedBy, strictStatus)
	FailedIndexesAreValid = contract.New("API-STATUS-013",
		"The failedIndexes MUST be refused without backoffLimitPerIndex, unless they are indexes of the Job in order, and when one of them is completed.",
		"batch/v1 JobStatus.failedIndexes; "+statusSource,
		contract.ManagedBy, strictStatus)
	ReadyWithinActive = contract.New("API-STATUS-014",
		"A status MUST be refused with more ready than active pods.",
		statusSource,
		contract.ManagedBy, strictStatus)
	AcceptsALifeCycle = contract.New("API-STATUS-015",
		"What a Job goes through from its start to success or failure MUST be accepted, step by step.",
		"batch/v1 JobStatus; docs: concepts/workloads/controllers/job#termination-of-job-pods",
		contract.ManagedBy, strictStatus)
)
