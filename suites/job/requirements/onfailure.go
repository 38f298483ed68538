package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// The restartPolicy OnFailure: containers fail, and their pods stay.
var (
	RestartsInPlace = contract.New("JOB-ONFAILURE-001",
		"A container that restarts in place MUST NOT make its pod count as failed, and a Job controller MUST NOT replace the pod.",
		"docs: concepts/workloads/controllers/job#handling-pod-and-container-failures")
	RestartsReachBackoffLimit = contract.New("JOB-ONFAILURE-002",
		"A Job MUST fail with the reason BackoffLimitExceeded when its containers have restarted as often as backoffLimit says, and not before.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy")
	FirstRestartFails = contract.New("JOB-ONFAILURE-003",
		"With backoffLimit 0, a Job MUST fail at the first restart, and MUST become Complete if there is none.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy")
	AddsUpRestarts = contract.New("JOB-ONFAILURE-004",
		"The restarts of all containers of all pods MUST be added up.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy")
	AddsUpInitRestarts = contract.New("JOB-ONFAILURE-005",
		"The restarts of init containers MUST be added up with the others.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy")
	FinishedRestartsDoNotCount = contract.New("JOB-ONFAILURE-006",
		"Restarts in pods that have finished MUST NOT be added up: only those of pending and running pods are.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy")
	RestartLimitDeletesPods = contract.New("JOB-ONFAILURE-007",
		"When the restarts reach the limit, a Job controller MUST delete the pods that run.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy")
	DeletedOnFailurePodFails = contract.New("JOB-ONFAILURE-008",
		"A pod that somebody deletes, or that fails as a whole, MUST count as failed and MUST be replaced within the limit, whatever its restartPolicy.",
		"docs: concepts/workloads/controllers/job#handling-pod-and-container-failures; docs: concepts/workloads/controllers/job#pod-backoff-failure-policy")
)
