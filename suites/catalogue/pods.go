package catalogue

// pods are what a Job makes, whose they are, and what becomes of them.
var pods = []Requirement{
	{
		ID:     "JOB-PODS-001",
		Text:   "A Job controller MUST create pods with the labels, the annotations and the spec of the template.",
		Source: "batch/v1 JobSpec.template; docs: concepts/workloads/controllers/job#pod-template",
	},
	{
		ID:     "JOB-PODS-002",
		Text:   "A pod of a Job MUST have the labels batch.kubernetes.io/job-name and batch.kubernetes.io/controller-uid.",
		Source: "batch/v1 JobNameLabel; batch/v1 ControllerUidLabel; docs: concepts/workloads/controllers/job#job-labels",
	},
	{
		ID:     "JOB-PODS-003",
		Text:   "A pod's name MUST begin with the name of its Job.",
		Source: "docs: concepts/workloads/controllers/job#writing-a-job-spec",
	},
	{
		ID:         "JOB-PODS-004",
		Text:       "A pod of a Job MUST have the Job as its controlling owner, with blockOwnerDeletion.",
		Source:     "docs: concepts/architecture/garbage-collection; batch/v1 JobSpec.selector",
		Invariants: []string{"job-pod-is-owned"},
	},
	{
		ID:     "JOB-PODS-005",
		Text:   "A Job controller MUST adopt a pod without an owner that matches the Job's selector, and count it as one of the Job's.",
		Source: "batch/v1 JobSpec.selector; batch/v1 JobSpec.manualSelector; docs: concepts/workloads/controllers/job#specifying-your-own-pod-selector",
	},
	{
		ID:     "JOB-PODS-006",
		Text:   "A Job controller MUST let go of a pod that matches the Job's selector no longer, and replace it.",
		Source: "batch/v1 JobSpec.selector; docs: concepts/overview/working-with-objects/labels",
	},
	{
		ID:     "JOB-PODS-007",
		Text:   "A Job controller MUST NOT adopt, count or delete a pod that has another controlling owner, even if it matches the selector.",
		Source: "docs: concepts/overview/working-with-objects/owners-dependents; batch/v1 JobSpec.selector",
	},
	{
		ID:     "JOB-PODS-008",
		Text:   "A Job controller MUST NOT adopt a pod for a Job that is being deleted.",
		Source: "docs: concepts/architecture/garbage-collection; kubernetes/kubernetes#42639",
	},
	{
		ID:         "JOB-PODS-009",
		Text:       "A Job controller MUST NOT create a pod for a Job that is being deleted.",
		Source:     "docs: concepts/workloads/controllers/job#job-termination-and-cleanup; batch/v1 JobSpec",
		Invariants: []string{"job-creates-nothing-while-stopped"},
	},
	{
		ID:     "JOB-PODS-010",
		Text:   "When a Job is deleted, its pods MUST be able to go with it, whatever state they are in.",
		Source: "docs: concepts/workloads/controllers/job#job-termination-and-cleanup; kubernetes/kubernetes#108752; kubernetes/kubernetes#109429",
	},
	{
		ID:     "JOB-PODS-011",
		Text:   "When a Job is deleted and its pods are not, they MUST run on without an owner.",
		Source: "docs: concepts/workloads/controllers/job#specifying-your-own-pod-selector; docs: concepts/architecture/garbage-collection",
	},
	{
		ID:     "JOB-PODS-012",
		Text:   "A Job controller MUST keep pods that have finished when the Job is finished.",
		Source: "docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
	},
}
