package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// What may change in a Job.
var (
	TemplateIsFixed = contract.New("API-UPDATE-001",
		"The pod template of a Job that is not suspended MUST NOT change.",
		"docs: concepts/workloads/controllers/job#mutable-scheduling-directives; KEP-2926")
	SelectorIsFixed = contract.New("API-UPDATE-002",
		"The selector of a Job MUST NOT change.",
		"batch/v1 JobSpec.selector")
	CompletionsAreFixed = contract.New("API-UPDATE-003",
		"The completions of a Job that is not Indexed MUST NOT change.",
		"docs: concepts/workloads/controllers/job#elastic-indexed-jobs")
	CompletionsFollowParallelism = contract.New("API-UPDATE-004",
		"The completions of an Indexed Job MUST be free to change together with parallelism to the same number, and MUST NOT change otherwise.",
		"docs: concepts/workloads/controllers/job#elastic-indexed-jobs; KEP-3715",
		contract.ElasticIndexed)
	CompletionModeIsFixed = contract.New("API-UPDATE-005",
		"The completionMode of a Job MUST NOT change.",
		"batch/v1 JobSpec.completionMode; KEP-2214",
		contract.Indexed)
	FailurePolicyIsFixed = contract.New("API-UPDATE-006",
		"The podFailurePolicy of a Job MUST NOT change.",
		"KEP-3329",
		contract.PodFailurePolicy)
	BackoffLimitPerIndexIsFixed = contract.New("API-UPDATE-007",
		"The backoffLimitPerIndex of a Job MUST NOT change.",
		"batch/v1 JobSpec.backoffLimitPerIndex",
		contract.BackoffLimitPerIndex)
	ManagedByIsFixed = contract.New("API-UPDATE-008",
		"The managedBy of a Job MUST NOT change.",
		"batch/v1 JobSpec.managedBy",
		contract.ManagedBy, contract.Versions(">= 1.32.0"))
	SuccessPolicyIsFixed = contract.New("API-UPDATE-009",
		"The successPolicy of a Job MUST NOT change.",
		"KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	MutableFieldsMayChange = contract.New("API-UPDATE-010",
		"The parallelism, backoffLimit, activeDeadlineSeconds, ttlSecondsAfterFinished and suspend of a Job MUST be free to change, within their ranges.",
		"docs: concepts/workloads/controllers/job")
	SchedulingMayChangeBeforeStart = contract.New("API-UPDATE-011",
		"Node affinity, node selector, tolerations, scheduling gates, labels and annotations of the pod template MUST be free to change while a Job is suspended that has never started, and nothing else of the template's meaning for the pods' containers.",
		"docs: concepts/workloads/controllers/job#mutable-scheduling-directives; KEP-2926",
		contract.Suspend)
	ResourcesMayChangeWhileSuspended = contract.New("API-UPDATE-012",
		"The resources of the containers of the pod template MUST be free to change while a Job is suspended and has no active pods.",
		"KEP-5440",
		contract.Suspend, contract.Versions(">= 1.36.0"))
	TemplateMayChangeOnceSuspended = contract.New("API-UPDATE-013",
		"Scheduling directives and resources MUST be free to change in a Job that has started and is suspended, as soon as its condition Suspended is True and no pod is active, and not before.",
		"KEP-5440",
		contract.Suspend, contract.Versions(">= 1.36.0"))
	GenerationFollowsSpec = contract.New("API-UPDATE-014",
		"The generation of a Job or CronJob MUST grow with each change of its spec, and with no other change.",
		"meta/v1 ObjectMeta.generation")
	SpecAndStatusAreApart = contract.New("API-UPDATE-015",
		"A change of a Job or CronJob MUST leave the status alone, and one of its status subresource the spec.",
		"API conventions: spec and status")
)
