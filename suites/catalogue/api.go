package catalogue

// apiJobs are the requirements of the API server for new Jobs: what it fills in,
// and what it refuses.
var apiJobs = []Requirement{
	{
		ID:     "API-DEFAULT-001",
		Text:   "A Job with neither completions nor parallelism MUST get 1 for both.",
		Source: "docs: concepts/workloads/controllers/job#parallel-jobs",
	},
	{
		ID:     "API-DEFAULT-002",
		Text:   "A Job with completions alone MUST get a parallelism of 1, and one with parallelism alone MUST NOT get completions.",
		Source: "docs: concepts/workloads/controllers/job#parallel-jobs; batch/v1 JobSpec.completions",
	},
	{
		ID:     "API-DEFAULT-003",
		Text:   "A Job without backoffLimit MUST get 6.",
		Source: "batch/v1 JobSpec.backoffLimit",
	},
	{
		ID:      "API-DEFAULT-004",
		Text:    "A Job with backoffLimitPerIndex and without backoffLimit MUST get the largest one, 2147483647.",
		Source:  "batch/v1 JobSpec.backoffLimit; KEP-3850",
		Feature: BackoffLimitPerIndex,
	},
	{
		ID:     "API-DEFAULT-005",
		Text:   "A Job without completionMode and suspend MUST get NonIndexed and false.",
		Source: "batch/v1 JobSpec.completionMode; batch/v1 JobSpec.suspend",
	},
	{
		ID:      "API-DEFAULT-006",
		Text:    "A Job without podReplacementPolicy MUST get TerminatingOrFailed, and Failed when it has a podFailurePolicy.",
		Source:  "batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		Feature: PodReplacementPolicy,
	},
	{
		ID:      "API-DEFAULT-007",
		Text:    "A pattern for pod conditions without a status MUST get True.",
		Source:  "batch/v1 PodFailurePolicyOnPodConditionsPattern.status",
		Feature: PodFailurePolicy,
	},
	{
		ID:     "API-DEFAULT-008",
		Text:   "A Job without labels MUST get those of its pod template, and one with labels MUST keep its own.",
		Source: "kubernetes/kubernetes#6624; batch/v1 defaulting of Job",
	},
	{
		ID:     "API-DEFAULT-009",
		Text:   "A Job without manualSelector MUST get a selector by its UID, and its pod template MUST get the labels of the Job's UID and name, with and without the prefix batch.kubernetes.io/.",
		Source: "batch/v1 JobSpec.selector; docs: reference/labels-annotations-taints#batch-kubernetes-io-controller-uid",
	},
	{
		ID:     "API-DEFAULT-010",
		Text:   "A status that a new Job or CronJob brings along MUST be dropped, and its generation MUST be 1.",
		Source: "API conventions: spec and status; meta/v1 ObjectMeta.generation",
	},
	{
		ID:     "API-JOB-001",
		Text:   "Negative numbers for parallelism, completions, backoffLimit, activeDeadlineSeconds or ttlSecondsAfterFinished MUST be refused, and 0 MUST be accepted.",
		Source: "batch/v1 JobSpec; docs: concepts/workloads/controllers/job",
	},
	{
		ID:     "API-JOB-002",
		Text:   "A Job MUST be refused unless its pods' restartPolicy is Never or OnFailure.",
		Source: "batch/v1 JobSpec.template",
	},
	{
		ID:      "API-JOB-003",
		Text:    "A Job of the completion mode Indexed MUST be refused without completions, and with a parallelism above 100000.",
		Source:  "batch/v1 JobSpec.completionMode",
		Feature: Indexed,
	},
	{
		ID:      "API-JOB-004",
		Text:    "A completion mode other than NonIndexed and Indexed MUST be refused.",
		Source:  "batch/v1 JobSpec.completionMode",
		Feature: Indexed,
	},
	{
		ID:      "API-JOB-005",
		Text:    "A backoffLimitPerIndex MUST be refused when it is negative, and in a Job that is not Indexed.",
		Source:  "batch/v1 JobSpec.backoffLimitPerIndex",
		Feature: BackoffLimitPerIndex,
	},
	{
		ID:      "API-JOB-006",
		Text:    "A maxFailedIndexes MUST be refused when it is negative, without backoffLimitPerIndex, and above completions or 100000.",
		Source:  "batch/v1 JobSpec.maxFailedIndexes; KEP-3850",
		Feature: BackoffLimitPerIndex,
	},
	{
		ID:      "API-JOB-007",
		Text:    "With backoffLimitPerIndex and more than 100000 completions, maxFailedIndexes MUST be given, and neither it nor parallelism may be above 10000.",
		Source:  "batch/v1 JobSpec.maxFailedIndexes; KEP-3850",
		Feature: BackoffLimitPerIndex,
	},
	{
		ID:       "API-JOB-008",
		Text:     "A managedBy MUST be refused unless it is a domain, a slash and a path, of 63 characters at most.",
		Source:   "batch/v1 JobSpec.managedBy",
		Versions: ">= 1.32.0",
		Feature:  ManagedBy,
	},
	{
		ID:      "API-JOB-009",
		Text:    "A podReplacementPolicy other than TerminatingOrFailed and Failed MUST be refused, and other than Failed with a podFailurePolicy.",
		Source:  "batch/v1 JobSpec.podReplacementPolicy",
		Feature: PodReplacementPolicy,
	},
	{
		ID:     "API-JOB-010",
		Text:   "A selector of a Job without manualSelector MUST be refused unless it is the one that is generated.",
		Source: "batch/v1 JobSpec.manualSelector",
	},
	{
		ID:     "API-JOB-011",
		Text:   "With manualSelector, the selector MUST be given and match the labels of the pod template, and no label MUST be added to these.",
		Source: "batch/v1 JobSpec.manualSelector; docs: concepts/workloads/controllers/job#specifying-your-own-pod-selector",
	},
	{
		ID:     "API-JOB-012",
		Text:   "A pod template MUST be refused when it has another value for a label that is generated.",
		Source: "batch/v1 JobSpec.manualSelector",
	},
	{
		ID:     "API-JOB-013",
		Text:   "A Job MUST be refused unless its name is a DNS subdomain.",
		Source: "docs: concepts/workloads/controllers/job#writing-a-job-spec",
	},
	{
		ID:      "API-JOB-014",
		Text:    "An Indexed Job MUST be refused when its name with the last index is no DNS label of 63 characters at most, since it is the host name of a pod.",
		Source:  "docs: concepts/workloads/controllers/job#completion-mode",
		Feature: Indexed,
	},
	{
		ID:     "API-JOB-015",
		Text:   "A pod template that makes no valid pod MUST be refused.",
		Source: "batch/v1 JobSpec.template",
	},
}

// apiPolicies are the requirements of the API server for pod failure policies
// and success policies.
var apiPolicies = []Requirement{
	{
		ID:      "API-FAILUREPOLICY-001",
		Text:    "A podFailurePolicy MUST be refused unless the pods' restartPolicy is Never.",
		Source:  "batch/v1 JobSpec.podFailurePolicy; docs: concepts/workloads/controllers/job#pod-failure-policy",
		Feature: PodFailurePolicy,
	},
	{
		ID:      "API-FAILUREPOLICY-002",
		Text:    "A podFailurePolicy MUST be refused with more than 20 rules.",
		Source:  "batch/v1 PodFailurePolicy.rules",
		Feature: PodFailurePolicy,
	},
	{
		ID:      "API-FAILUREPOLICY-003",
		Text:    "An action other than FailJob, FailIndex, Ignore and Count MUST be refused, and FailIndex without backoffLimitPerIndex.",
		Source:  "batch/v1 PodFailurePolicyRule.action",
		Feature: PodFailurePolicy,
	},
	{
		ID:      "API-FAILUREPOLICY-004",
		Text:    "A rule MUST be refused unless it has exactly one of onExitCodes and onPodConditions.",
		Source:  "batch/v1 PodFailurePolicyRule",
		Feature: PodFailurePolicy,
	},
	{
		ID:      "API-FAILUREPOLICY-005",
		Text:    "An operator for exit codes other than In and NotIn MUST be refused.",
		Source:  "batch/v1 PodFailurePolicyOnExitCodesRequirement.operator",
		Feature: PodFailurePolicy,
	},
	{
		ID:      "API-FAILUREPOLICY-006",
		Text:    "Exit codes MUST be refused unless they are 1 to 255 codes in order, each once, without 0 when the operator is In.",
		Source:  "batch/v1 PodFailurePolicyOnExitCodesRequirement.values",
		Feature: PodFailurePolicy,
	},
	{
		ID:      "API-FAILUREPOLICY-007",
		Text:    "A container name MUST be refused unless a container or init container of the pod template has it.",
		Source:  "batch/v1 PodFailurePolicyOnExitCodesRequirement.containerName",
		Feature: PodFailurePolicy,
	},
	{
		ID:      "API-FAILUREPOLICY-008",
		Text:    "Patterns for pod conditions MUST be refused when they are more than 20, and when a type is no qualified name or a status none of True, False and Unknown.",
		Source:  "batch/v1 PodFailurePolicyRule.onPodConditions",
		Feature: PodFailurePolicy,
	},
	{
		ID:       "API-SUCCESSPOLICY-001",
		Text:     "A successPolicy MUST be refused in a Job that is not Indexed.",
		Source:   "batch/v1 JobSpec.successPolicy",
		Versions: ">= 1.31.0",
		Feature:  SuccessPolicy,
	},
	{
		ID:       "API-SUCCESSPOLICY-002",
		Text:     "A successPolicy MUST be refused unless it has 1 to 20 rules, each with succeededIndexes or succeededCount.",
		Source:   "batch/v1 SuccessPolicy.rules; batch/v1 SuccessPolicyRule",
		Versions: ">= 1.31.0",
		Feature:  SuccessPolicy,
	},
	{
		ID:       "API-SUCCESSPOLICY-003",
		Text:     "The succeededIndexes of a successPolicy MUST be refused unless they are indexes of the Job and ranges of them, in order.",
		Source:   "batch/v1 SuccessPolicyRule.succeededIndexes",
		Versions: ">= 1.31.0",
		Feature:  SuccessPolicy,
	},
	{
		ID:       "API-SUCCESSPOLICY-004",
		Text:     "The succeededCount of a successPolicy MUST be refused when it is negative, above completions, or above the number of succeededIndexes.",
		Source:   "batch/v1 SuccessPolicyRule.succeededCount",
		Versions: ">= 1.31.0",
		Feature:  SuccessPolicy,
	},
}
