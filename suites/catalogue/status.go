package catalogue

// status is what a Job says of its pods and its times.
var status = []Requirement{
	{
		ID:         "JOB-STATUS-001",
		Text:       "The status field active MUST be the number of pending and running pods that are not being deleted.",
		Source:     "batch/v1 JobStatus.active",
		Invariants: []string{"job-counts-what-is-there"},
	},
	{
		ID:         "JOB-STATUS-002",
		Text:       "The status field ready MUST be the number of active pods that have the condition Ready.",
		Source:     "batch/v1 JobStatus.ready; KEP-2879",
		Invariants: []string{"job-counters-in-range", "job-counts-what-is-there"},
	},
	{
		ID:         "JOB-STATUS-003",
		Text:       "The status field terminating MUST be the number of pending and running pods that are being deleted.",
		Source:     "batch/v1 JobStatus.terminating; KEP-3939; kubernetes/kubernetes#121342",
		Invariants: []string{"job-counts-what-is-there"},
	},
	{
		ID:         "JOB-STATUS-004",
		Text:       "The status fields succeeded and failed MUST be the numbers of pods that have succeeded and failed.",
		Source:     "batch/v1 JobStatus.succeeded; batch/v1 JobStatus.failed",
		Invariants: []string{"job-counts-no-more-than-pods", "job-counters-never-decrease"},
	},
	{
		ID:         "JOB-STATUS-005",
		Text:       "A Job controller MUST set startTime when it begins to work on a Job that is not suspended.",
		Source:     "batch/v1 JobStatus.startTime",
		Invariants: []string{"job-starts-when-it-runs"},
	},
	{
		ID:         "JOB-STATUS-006",
		Text:       "A Job controller MUST NOT change startTime while the Job is not suspended.",
		Source:     "batch/v1 JobStatus.startTime",
		Invariants: []string{"job-start-time-kept"},
	},
	{
		ID:         "JOB-STATUS-007",
		Text:       "A Job MUST have a completionTime if it is Complete, which is not before its startTime.",
		Source:     "batch/v1 JobStatus.completionTime",
		Invariants: []string{"job-completion-time"},
	},
	{
		ID:         "JOB-STATUS-008",
		Text:       "A Job that has failed MUST NOT have a completionTime.",
		Source:     "batch/v1 JobStatus.completionTime",
		Invariants: []string{"job-completion-time"},
	},
	{
		ID:     "JOB-STATUS-009",
		Text:   "A Job controller MUST keep the status up to date while it puts the next pod off.",
		Source: "kubernetes/kubernetes#139428; batch/v1 JobStatus.failed",
	},
	{
		ID:         "JOB-STATUS-010",
		Text:       "A finished Job MUST have no active pods in its status.",
		Source:     "batch/v1 JobStatus.active",
		Invariants: []string{"job-finished-is-settled"},
	},
	{
		ID:         "JOB-STATUS-011",
		Text:       "A Job controller MUST NOT change the spec of a Job.",
		Source:     "API conventions: spec and status",
		Invariants: []string{"job-spec-is-the-users"},
	},
	{
		ID:         "JOB-STATUS-012",
		Text:       "A Job controller MUST NOT write Jobs and pods again and again while nothing happens to them.",
		Source:     "API conventions: spec and status; docs: concepts/architecture/controller",
		Invariants: []string{"job-writes-have-causes", "job-pod-writes-are-few"},
	},
}
