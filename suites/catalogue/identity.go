package catalogue

// identity is how a Job and its pods find each other where names, labels and
// owners are not as usual.
var identity = []Requirement{
	{
		ID:     "JOB-IDENTITY-001",
		Text:   "A pod of a Job MUST have the labels job-name and controller-uid, too, which are older than those with the prefix batch.kubernetes.io.",
		Source: "batch/v1 JobNameLabel and ControllerUidLabel; docs: reference/labels-annotations-taints#job-name-deprecated",
	},
	{
		ID:     "JOB-IDENTITY-002",
		Text:   "A Job controller MUST run a Job whose name is as long as a label's value may be.",
		Source: "batch/v1 JobNameLabel",
	},
	{
		ID:     "JOB-IDENTITY-003",
		Text:   "A Job controller MUST keep the pods of Jobs apart that have the same template.",
		Source: "batch/v1 JobSpec.manualSelector: the system picks labels that are unique to the Job",
	},
	{
		ID:     "JOB-IDENTITY-004",
		Text:   "A Job MUST NOT be given the pods that an earlier one of its name left behind, whatever becomes of them.",
		Source: "batch/v1 ControllerUidLabel; metav1.DeletePropagationOrphan",
	},
	{
		ID:     "JOB-IDENTITY-005",
		Text:   "A Job whose manualSelector is that of an earlier one MUST go on with the pods which that one left running.",
		Source: "docs: concepts/workloads/controllers/job#specifying-your-own-pod-selector",
	},
	{
		ID:     "JOB-IDENTITY-006",
		Text:   "A Job controller MUST NOT adopt a pod that is being deleted, and MUST NOT be held up by one.",
		Source: "metav1.OwnerReference; kubernetes/kubernetes#42639",
	},
	{
		ID:     "JOB-IDENTITY-007",
		Text:   "A Job controller MUST NOT adopt pods for a Job that has finished.",
		Source: "batch/v1 JobStatus.conditions",
	},
}
