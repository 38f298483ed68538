package catalogue

const statusSource = "KEP-4368: strengthened validation of Job status"

// strictStatus is the version from which on every API server looks that close
// at the status of a Job, whoever writes it.
const strictStatus = ">= 1.32.0"

// apiStatus are the requirements of the API server for the status of Jobs.
var apiStatus = []Requirement{
	{
		ID:     "API-STATUS-001",
		Text:   "A status MUST be refused with a negative number of active, ready, terminating, succeeded or failed pods.",
		Source: "batch/v1 JobStatus",
	},
	{
		ID:     "API-STATUS-002",
		Text:   "A status MUST be refused when uncountedTerminatedPods has an empty UID, or one twice.",
		Source: "batch/v1 JobStatus.uncountedTerminatedPods",
	},
	{
		ID:       "API-STATUS-003",
		Text:     "Of success and failure a Job MUST have one at most: Complete and SuccessCriteriaMet exclude Failed and FailureTarget.",
		Source:   "batch/v1 JobStatus.conditions; " + statusSource,
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-004",
		Text:     "A Job MUST have a completionTime when it is Complete, and only then.",
		Source:   "batch/v1 JobStatus.completionTime; " + statusSource,
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-005",
		Text:     "A completionTime MUST NOT be before the startTime, nor change.",
		Source:   "batch/v1 JobStatus.completionTime; " + statusSource,
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-006",
		Text:     "A Job MUST NOT become Failed without FailureTarget, nor Complete without SuccessCriteriaMet.",
		Source:   "batch/v1 JobStatus.conditions; docs: concepts/workloads/controllers/job#termination-of-job-pods",
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-007",
		Text:     "A Job MUST NOT be finished while it has active, terminating or uncounted pods.",
		Source:   "batch/v1 JobStatus.conditions; " + statusSource,
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-008",
		Text:     "A Job MUST NOT be finished without a startTime.",
		Source:   statusSource,
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-009",
		Text:     "The conditions Complete, Failed, SuccessCriteriaMet and FailureTarget MUST NOT be taken back.",
		Source:   statusSource,
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-010",
		Text:     "The number of failed pods MUST NOT decrease, nor that of succeeded ones unless the Job is Indexed with as much parallelism as completions.",
		Source:   statusSource,
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-011",
		Text:     "A startTime MUST NOT change while the Job is not suspended.",
		Source:   "batch/v1 JobStatus.startTime; " + statusSource,
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-012",
		Text:     "The completedIndexes MUST be refused in a Job that is not Indexed, and unless they are indexes of the Job in order.",
		Source:   "batch/v1 JobStatus.completedIndexes; " + statusSource,
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-013",
		Text:     "The failedIndexes MUST be refused without backoffLimitPerIndex, unless they are indexes of the Job in order, and when one of them is completed.",
		Source:   "batch/v1 JobStatus.failedIndexes; " + statusSource,
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-014",
		Text:     "A status MUST be refused with more ready than active pods.",
		Source:   statusSource,
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
	{
		ID:       "API-STATUS-015",
		Text:     "What a Job goes through from its start to success or failure MUST be accepted, step by step.",
		Source:   "batch/v1 JobStatus; docs: concepts/workloads/controllers/job#termination-of-job-pods",
		Versions: strictStatus,
		Feature:  ManagedBy,
	},
}
