package catalogue

// apiUpdates are the requirements of the API server for changes to Jobs.
var apiUpdates = []Requirement{
	{
		ID:     "API-UPDATE-001",
		Text:   "The pod template of a Job that is not suspended MUST NOT change.",
		Source: "docs: concepts/workloads/controllers/job#mutable-scheduling-directives; KEP-2926",
	},
	{
		ID:     "API-UPDATE-002",
		Text:   "The selector of a Job MUST NOT change.",
		Source: "batch/v1 JobSpec.selector",
	},
	{
		ID:     "API-UPDATE-003",
		Text:   "The completions of a Job that is not Indexed MUST NOT change.",
		Source: "docs: concepts/workloads/controllers/job#elastic-indexed-jobs",
	},
	{
		ID:      "API-UPDATE-004",
		Text:    "The completions of an Indexed Job MUST be free to change together with parallelism to the same number, and MUST NOT change otherwise.",
		Source:  "docs: concepts/workloads/controllers/job#elastic-indexed-jobs; KEP-3715",
		Feature: ElasticIndexed,
	},
	{
		ID:      "API-UPDATE-005",
		Text:    "The completionMode of a Job MUST NOT change.",
		Source:  "batch/v1 JobSpec.completionMode; KEP-2214",
		Feature: Indexed,
	},
	{
		ID:      "API-UPDATE-006",
		Text:    "The podFailurePolicy of a Job MUST NOT change.",
		Source:  "KEP-3329",
		Feature: PodFailurePolicy,
	},
	{
		ID:      "API-UPDATE-007",
		Text:    "The backoffLimitPerIndex of a Job MUST NOT change.",
		Source:  "batch/v1 JobSpec.backoffLimitPerIndex",
		Feature: BackoffLimitPerIndex,
	},
	{
		ID:       "API-UPDATE-008",
		Text:     "The managedBy of a Job MUST NOT change.",
		Source:   "batch/v1 JobSpec.managedBy",
		Versions: ">= 1.32.0",
		Feature:  ManagedBy,
	},
	{
		ID:       "API-UPDATE-009",
		Text:     "The successPolicy of a Job MUST NOT change.",
		Source:   "KEP-3998",
		Versions: ">= 1.31.0",
		Feature:  SuccessPolicy,
	},
	{
		ID:     "API-UPDATE-010",
		Text:   "The parallelism, backoffLimit, activeDeadlineSeconds, ttlSecondsAfterFinished and suspend of a Job MUST be free to change, within their ranges.",
		Source: "docs: concepts/workloads/controllers/job",
	},
	{
		ID:      "API-UPDATE-011",
		Text:    "Node affinity, node selector, tolerations, scheduling gates, labels and annotations of the pod template MUST be free to change while a Job is suspended that has never started, and nothing else of the template's meaning for the pods' containers.",
		Source:  "docs: concepts/workloads/controllers/job#mutable-scheduling-directives; KEP-2926",
		Feature: Suspend,
	},
	{
		ID:       "API-UPDATE-012",
		Text:     "The resources of the containers of the pod template MUST be free to change while a Job is suspended and has no active pods.",
		Source:   "KEP-5440",
		Versions: ">= 1.36.0",
		Feature:  Suspend,
	},
	{
		ID:       "API-UPDATE-013",
		Text:     "Scheduling directives and resources MUST be free to change in a Job that has started and is suspended, as soon as its condition Suspended is True and no pod is active, and not before.",
		Source:   "KEP-5440",
		Versions: ">= 1.36.0",
		Feature:  Suspend,
	},
	{
		ID:     "API-UPDATE-014",
		Text:   "The generation of a Job or CronJob MUST grow with each change of its spec, and with no other change.",
		Source: "meta/v1 ObjectMeta.generation",
	},
	{
		ID:     "API-UPDATE-015",
		Text:   "A change of a Job or CronJob MUST leave the status alone, and one of its status subresource the spec.",
		Source: "API conventions: spec and status",
	},
}
