// Package requirements has the requirements of the API server, and of controllers whose
// requests it rejects. The specs beside it cover them.
package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// What the API server fills in and refuses in new Jobs.
var (
	DefaultsToOnePod = contract.New("API-DEFAULT-001",
		"A Job with neither completions nor parallelism MUST get 1 for both.",
		"docs: concepts/workloads/controllers/job#parallel-jobs")
	DefaultParallelism = contract.New("API-DEFAULT-002",
		"A Job with completions alone MUST get a parallelism of 1, and one with parallelism alone MUST NOT get completions.",
		"docs: concepts/workloads/controllers/job#parallel-jobs; batch/v1 JobSpec.completions")
	DefaultBackoffLimit = contract.New("API-DEFAULT-003",
		"A Job without backoffLimit MUST get 6.",
		"batch/v1 JobSpec.backoffLimit")
	DefaultBackoffLimitWithIndexes = contract.New("API-DEFAULT-004",
		"A Job with backoffLimitPerIndex and without backoffLimit MUST get the largest one, 2147483647.",
		"batch/v1 JobSpec.backoffLimit; KEP-3850",
		contract.BackoffLimitPerIndex)
	DefaultModeAndSuspend = contract.New("API-DEFAULT-005",
		"A Job without completionMode and suspend MUST get NonIndexed and false.",
		"batch/v1 JobSpec.completionMode; batch/v1 JobSpec.suspend")
	DefaultPodReplacementPolicy = contract.New("API-DEFAULT-006",
		"A Job without podReplacementPolicy MUST get TerminatingOrFailed, and Failed when it has a podFailurePolicy.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		contract.PodReplacementPolicy)
	DefaultConditionStatus = contract.New("API-DEFAULT-007",
		"A pattern for pod conditions without a status MUST get True.",
		"batch/v1 PodFailurePolicyOnPodConditionsPattern.status",
		contract.PodFailurePolicy)
	DefaultJobLabels = contract.New("API-DEFAULT-008",
		"A Job without labels MUST get those of its pod template, and one with labels MUST keep its own.",
		"kubernetes/kubernetes#6624; batch/v1 defaulting of Job")
	GeneratedSelector = contract.New("API-DEFAULT-009",
		"A Job without manualSelector MUST get a selector by its UID, and its pod template MUST get the labels of the Job's UID and name, with and without the prefix batch.kubernetes.io/.",
		"batch/v1 JobSpec.selector; docs: reference/labels-annotations-taints#batch-kubernetes-io-controller-uid")
	NewStatusIsDropped = contract.New("API-DEFAULT-010",
		"A status that a new Job or CronJob brings along MUST be dropped, and its generation MUST be 1.",
		"API conventions: spec and status; meta/v1 ObjectMeta.generation")
	RefusesNegativeNumbers = contract.New("API-JOB-001",
		"Negative numbers for parallelism, completions, backoffLimit, activeDeadlineSeconds or ttlSecondsAfterFinished MUST be refused, and 0 MUST be accepted.",
		"batch/v1 JobSpec; docs: concepts/workloads/controllers/job")
	RefusesRestartAlways = contract.New("API-JOB-002",
		"A Job MUST be refused unless its pods' restartPolicy is Never or OnFailure.",
		"batch/v1 JobSpec.template")
	IndexedNeedsCompletions = contract.New("API-JOB-003",
		"A Job of the completion mode Indexed MUST be refused without completions, and with a parallelism above 100000.",
		"batch/v1 JobSpec.completionMode",
		contract.Indexed)
	RefusesUnknownCompletionMode = contract.New("API-JOB-004",
		"A completion mode other than NonIndexed and Indexed MUST be refused.",
		"batch/v1 JobSpec.completionMode",
		contract.Indexed)
	BackoffLimitPerIndexIsValid = contract.New("API-JOB-005",
		"A backoffLimitPerIndex MUST be refused when it is negative, and in a Job that is not Indexed.",
		"batch/v1 JobSpec.backoffLimitPerIndex",
		contract.BackoffLimitPerIndex)
	MaxFailedIndexesIsValid = contract.New("API-JOB-006",
		"A maxFailedIndexes MUST be refused when it is negative, without backoffLimitPerIndex, and above completions or 100000.",
		"batch/v1 JobSpec.maxFailedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex)
	LargeIndexedJobsAreLimited = contract.New("API-JOB-007",
		"With backoffLimitPerIndex and more than 100000 completions, maxFailedIndexes MUST be given, and neither it nor parallelism may be above 10000.",
		"batch/v1 JobSpec.maxFailedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex)
	ManagedByIsValid = contract.New("API-JOB-008",
		"A managedBy MUST be refused unless it is a domain, a slash and a path, of 63 characters at most.",
		"batch/v1 JobSpec.managedBy",
		contract.ManagedBy, contract.Versions(">= 1.32.0"))
	PodReplacementPolicyIsValid = contract.New("API-JOB-009",
		"A podReplacementPolicy other than TerminatingOrFailed and Failed MUST be refused, and other than Failed with a podFailurePolicy.",
		"batch/v1 JobSpec.podReplacementPolicy",
		contract.PodReplacementPolicy)
	RefusesOwnSelector = contract.New("API-JOB-010",
		"A selector of a Job without manualSelector MUST be refused unless it is the one that is generated.",
		"batch/v1 JobSpec.manualSelector")
	ManualSelectorIsValid = contract.New("API-JOB-011",
		"With manualSelector, the selector MUST be given and match the labels of the pod template, and no label MUST be added to these.",
		"batch/v1 JobSpec.manualSelector; docs: concepts/workloads/controllers/job#specifying-your-own-pod-selector")
	RefusesOtherGeneratedLabels = contract.New("API-JOB-012",
		"A pod template MUST be refused when it has another value for a label that is generated.",
		"batch/v1 JobSpec.manualSelector")
	JobNameIsValid = contract.New("API-JOB-013",
		"A Job MUST be refused unless its name is a DNS subdomain.",
		"docs: concepts/workloads/controllers/job#writing-a-job-spec")
	IndexedJobNameIsValid = contract.New("API-JOB-014",
		"An Indexed Job MUST be refused when its name with the last index is no DNS label of 63 characters at most, since it is the host name of a pod.",
		"docs: concepts/workloads/controllers/job#completion-mode",
		contract.Indexed)
	PodTemplateIsValid = contract.New("API-JOB-015",
		"A pod template that makes no valid pod MUST be refused.",
		"batch/v1 JobSpec.template")
)
