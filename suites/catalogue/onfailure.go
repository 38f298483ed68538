package catalogue

// onFailure is restartPolicy OnFailure: containers fail, and their pods stay.
var onFailure = []Requirement{
	{
		ID:     "JOB-ONFAILURE-001",
		Text:   "A container that restarts in place MUST NOT make its pod count as failed, and a Job controller MUST NOT replace the pod.",
		Source: "docs: concepts/workloads/controllers/job#handling-pod-and-container-failures",
	},
	{
		ID:     "JOB-ONFAILURE-002",
		Text:   "A Job MUST fail with the reason BackoffLimitExceeded when its containers have restarted as often as backoffLimit says, and not before.",
		Source: "docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
	},
	{
		ID:     "JOB-ONFAILURE-003",
		Text:   "With backoffLimit 0, a Job MUST fail at the first restart, and MUST become Complete if there is none.",
		Source: "docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
	},
	{
		ID:     "JOB-ONFAILURE-004",
		Text:   "The restarts of all containers of all pods MUST be added up.",
		Source: "docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
	},
	{
		ID:     "JOB-ONFAILURE-005",
		Text:   "The restarts of init containers MUST be added up with the others.",
		Source: "docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
	},
	{
		ID:     "JOB-ONFAILURE-006",
		Text:   "Restarts in pods that have finished MUST NOT be added up: only those of pending and running pods are.",
		Source: "docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
	},
	{
		ID:     "JOB-ONFAILURE-007",
		Text:   "When the restarts reach the limit, a Job controller MUST delete the pods that run.",
		Source: "docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
	},
	{
		ID:     "JOB-ONFAILURE-008",
		Text:   "A pod that somebody deletes, or that fails as a whole, MUST count as failed and MUST be replaced within the limit, whatever its restartPolicy.",
		Source: "docs: concepts/workloads/controllers/job#handling-pod-and-container-failures; docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
	},
}
