package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// The pods that a Job creates, owns and leaves behind.
var (
	PodFollowsTemplate = contract.New("JOB-PODS-001",
		"A Job controller MUST create pods with the labels, the annotations and the spec of the template.",
		"batch/v1 JobSpec.template; docs: concepts/workloads/controllers/job#pod-template")
	PodLabels = contract.New("JOB-PODS-002",
		"A pod of a Job MUST have the labels batch.kubernetes.io/job-name and batch.kubernetes.io/controller-uid.",
		"batch/v1 JobNameLabel; batch/v1 ControllerUidLabel; docs: concepts/workloads/controllers/job#job-labels")
	PodNameFollowsJob = contract.New("JOB-PODS-003",
		"A pod's name MUST begin with the name of its Job.",
		"docs: concepts/workloads/controllers/job#writing-a-job-spec")
	JobOwnsPod = contract.New("JOB-PODS-004",
		"A pod of a Job MUST have the Job as its controlling owner, with blockOwnerDeletion.",
		"docs: concepts/architecture/garbage-collection; batch/v1 JobSpec.selector",
		contract.Invariants{"job-pod-is-owned"})
	AdoptsPods = contract.New("JOB-PODS-005",
		"A Job controller MUST adopt a pod without an owner that matches the Job's selector, and count it as one of the Job's.",
		"batch/v1 JobSpec.selector; batch/v1 JobSpec.manualSelector; docs: concepts/workloads/controllers/job#specifying-your-own-pod-selector")
	ReleasesUnmatchedPods = contract.New("JOB-PODS-006",
		"A Job controller MUST release a pod that no longer matches the Job's selector, and replace it.",
		"batch/v1 JobSpec.selector; docs: concepts/overview/working-with-objects/labels")
	LeavesForeignPods = contract.New("JOB-PODS-007",
		"A Job controller MUST NOT adopt, count or delete a pod that has another controlling owner, even if it matches the selector.",
		"docs: concepts/overview/working-with-objects/owners-dependents; batch/v1 JobSpec.selector")
	NoAdoptionWhileBeingDeleted = contract.New("JOB-PODS-008",
		"A Job controller MUST NOT adopt a pod for a Job that is being deleted.",
		"docs: concepts/architecture/garbage-collection; kubernetes/kubernetes#42639")
	NoPodsWhileBeingDeleted = contract.New("JOB-PODS-009",
		"A Job controller MUST NOT create a pod for a Job that is being deleted.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup; batch/v1 JobSpec",
		contract.Invariants{"job-creates-nothing-while-stopped"})
	PodsGoWithJob = contract.New("JOB-PODS-010",
		"When a Job is deleted, its pods MUST be able to go with it, whatever state they are in.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup; kubernetes/kubernetes#108752; kubernetes/kubernetes#109429")
	OrphanedPodsRun = contract.New("JOB-PODS-011",
		"When a Job is deleted and its pods are not, they MUST run on without an owner.",
		"docs: concepts/workloads/controllers/job#specifying-your-own-pod-selector; docs: concepts/architecture/garbage-collection")
	KeepsFinishedPods = contract.New("JOB-PODS-012",
		"A Job controller MUST keep pods that have finished when the Job is finished.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup")
)
