package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// How a Job finds its pods where names, labels and owners are unusual.
var (
	LegacyPodLabels = contract.New("JOB-IDENTITY-001",
		"A pod of a Job MUST have the labels job-name and controller-uid, too, which are older than those with the prefix batch.kubernetes.io.",
		"batch/v1 JobNameLabel and ControllerUidLabel; docs: reference/labels-annotations-taints#job-name-deprecated")
	LongJobName = contract.New("JOB-IDENTITY-002",
		"A Job controller MUST run a Job whose name is as long as a label's value may be.",
		"batch/v1 JobNameLabel")
	KeepsJobsApart = contract.New("JOB-IDENTITY-003",
		"A Job controller MUST keep the pods of Jobs apart that have the same template.",
		"batch/v1 JobSpec.manualSelector: the system picks labels that are unique to the Job")
	NotTheEarlierJobsPods = contract.New("JOB-IDENTITY-004",
		"A Job MUST NOT be given the pods that an earlier one of its name left behind, whatever becomes of them.",
		"batch/v1 ControllerUidLabel; metav1.DeletePropagationOrphan")
	ManualSelectorTakesOver = contract.New("JOB-IDENTITY-005",
		"A Job whose manualSelector is that of an earlier one MUST go on with the pods which that one left running.",
		"docs: concepts/workloads/controllers/job#specifying-your-own-pod-selector")
	NoAdoptionOfTerminating = contract.New("JOB-IDENTITY-006",
		"A Job controller MUST NOT adopt a pod that is being deleted, and MUST NOT be held up by one.",
		"metav1.OwnerReference; kubernetes/kubernetes#42639")
	NoAdoptionOnceFinished = contract.New("JOB-IDENTITY-007",
		"A Job controller MUST NOT adopt pods for a Job that has finished.",
		"batch/v1 JobStatus.conditions")
)
