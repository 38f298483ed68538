package catalogue

const quotas = "docs: concepts/policy/resource-quotas"

// admission are the requirements for what a controller does while the API server
// keeps it from what it has to do.
var admission = []Requirement{
	{
		ID:     "JOB-ADMISSION-001",
		Text:   "Pods that the API server refuses MUST count for nothing: neither as active nor as failed, and the Job MUST stay without a verdict.",
		Source: "batch/v1 JobStatus.active; batch/v1 JobSpec.backoffLimit",
	},
	{
		ID:     "JOB-ADMISSION-002",
		Text:   "A Job controller SHOULD warn by the event FailedCreate that a pod was refused.",
		Source: "docs: concepts/policy/resource-quotas#how-kubernetes-resourcequotas-work; kubernetes/kubernetes#4783",
	},
	{
		ID:     "JOB-ADMISSION-003",
		Text:   "A Job controller MUST make the pods that a quota kept back, of itself, when there is room.",
		Source: quotas,
	},
	{
		ID:     "JOB-ADMISSION-004",
		Text:   "A Job controller MUST make the pods that a ValidatingAdmissionPolicy kept back, of itself, when it no longer does.",
		Source: "docs: reference/access-authn-authz/validating-admission-policy; API conventions: controllers converge",
	},
	{
		ID:     "JOB-ADMISSION-005",
		Text:   "A Job controller MUST make the pods that a broken webhook kept back, of itself, when it no longer does.",
		Source: "docs: reference/access-authn-authz/extensible-admission-controllers#failure-policy",
	},
	{
		ID:     "JOB-ADMISSION-006",
		Text:   "A Job controller MUST make the pods that a LimitRange kept back, of itself, when it no longer does.",
		Source: "docs: concepts/policy/limit-range",
	},
	{
		ID:     "JOB-ADMISSION-007",
		Text:   "A Job controller MUST make the pods that Pod Security kept back, of itself, when the namespace has another level.",
		Source: "docs: concepts/security/pod-security-admission#workload-resources-and-pod-templates",
	},
	{
		ID:     "JOB-ADMISSION-008",
		Text:   "A Job controller MUST make pods whose PriorityClass was missing, of itself, when it is there.",
		Source: "docs: concepts/scheduling-eviction/pod-priority-preemption#pod-priority",
	},
	{
		ID:     "JOB-ADMISSION-009",
		Text:   "A Job controller MUST use the room that a quota leaves for fewer pods than it wants, and tell the number of those that there are.",
		Source: quotas + "; batch/v1 JobStatus.active",
	},
	{
		ID:     "JOB-ADMISSION-010",
		Text:   "A Job controller MUST start slowly, so that it learns that pods are refused from fewer requests than it wants pods.",
		Source: "kubernetes/kubernetes#49727: quota failures must not flood the API server",
	},
	{
		ID:     "JOB-ADMISSION-011",
		Text:   "A Job controller MUST put off the next attempt for longer and longer while pods are refused.",
		Source: "API conventions: back-off of controllers; kubernetes/kubernetes#49727",
	},
	{
		ID:     "JOB-ADMISSION-012",
		Text:   "A Job whose pods are refused MUST fail when its activeDeadlineSeconds are over.",
		Source: "batch/v1 JobSpec.activeDeadlineSeconds",
	},
	{
		ID:      "JOB-ADMISSION-013",
		Text:    "A Job that is suspended while its pods are refused MUST become Suspended and MUST NOT get pods later.",
		Source:  "batch/v1 JobSpec.suspend",
		Feature: Suspend,
	},
	{
		ID:     "JOB-ADMISSION-014",
		Text:   "A Job that is deleted while its pods are refused MUST NOT get pods later.",
		Source: "docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
	},
	{
		ID:      "JOB-ADMISSION-015",
		Text:    "An index whose pod is refused MUST get it later, and indexes that have theirs MUST NOT get another.",
		Source:  "docs: concepts/workloads/controllers/job#completion-mode",
		Feature: Indexed,
	},
	{
		ID:       "JOB-ADMISSION-016",
		Text:     "Pods with labels and annotations that admission has added MUST count like others.",
		Source:   "docs: reference/access-authn-authz/mutating-admission-policy",
		Versions: ">= 1.36.0",
	},
	{
		ID:       "JOB-ADMISSION-017",
		Text:     "Pods with a sidecar container that admission has added MUST count like others.",
		Source:   "docs: concepts/workloads/pods/sidecar-containers#jobs-with-sidecar-containers",
		Versions: ">= 1.36.0",
	},
	{
		ID:     "JOB-ADMISSION-018",
		Text:   "Surplus pods that must not be deleted MUST count as long as they are there, and be deleted of itself when they may be.",
		Source: "batch/v1 JobSpec.parallelism; batch/v1 JobStatus.active",
	},
	{
		ID:     "JOB-ADMISSION-019",
		Text:   "A Job controller MUST put off the next attempt for longer and longer while it must not delete a pod.",
		Source: "API conventions: back-off of controllers",
	},
	{
		ID:     "JOB-ADMISSION-020",
		Text:   "A Job MUST NOT be Complete while its controller is kept from letting go of finished pods, and these MUST count once.",
		Source: "KEP-2307; docs: concepts/workloads/controllers/job#job-tracking-with-finalizers",
	},
	{
		ID:     "JOB-ADMISSION-021",
		Text:   "A Job controller MUST let go of all pods in a namespace that is being deleted, so that it can go, whichever of Job and pods went first.",
		Source: "KEP-2307; docs: concepts/workloads/controllers/job#job-tracking-with-finalizers",
	},
	{
		ID:     "CRON-ADMISSION-001",
		Text:   "A CronJob whose Job is refused MUST NOT say in its status that it was started.",
		Source: "batch/v1 CronJobStatus.lastScheduleTime; batch/v1 CronJobStatus.active",
	},
	{
		ID:     "CRON-ADMISSION-002",
		Text:   "A CronJob controller SHOULD warn by the event FailedCreate that a Job was refused.",
		Source: "docs: concepts/workloads/controllers/cron-jobs; " + quotas,
	},
	{
		ID:     "CRON-ADMISSION-003",
		Text:   "A CronJob controller MUST start a tick that was refused, of itself and once, when Jobs are no longer refused.",
		Source: "docs: concepts/workloads/controllers/cron-jobs#cron-job-limitations",
	},
	{
		ID:     "CRON-ADMISSION-004",
		Text:   "A CronJob controller MUST put off the next attempt for longer and longer while a Job is refused.",
		Source: "API conventions: back-off of controllers",
	},
	{
		ID:     "CRON-ADMISSION-005",
		Text:   "A tick that was refused MUST NOT be started after startingDeadlineSeconds.",
		Source: "batch/v1 CronJobSpec.startingDeadlineSeconds",
	},
	{
		ID:     "CRON-ADMISSION-006",
		Text:   "A tick that was refused MUST NOT be started while the CronJob is suspended.",
		Source: "batch/v1 CronJobSpec.suspend",
	},
	{
		ID:       "CRON-ADMISSION-007",
		Text:     "Jobs with labels and annotations that admission has added MUST count like others.",
		Source:   "docs: reference/access-authn-authz/mutating-admission-policy",
		Versions: ">= 1.36.0",
	},
	{
		ID:     "CRON-ADMISSION-008",
		Text:   "With the policy Replace, a CronJob controller MUST NOT start a Job while it must not delete the one before.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy",
	},
	{
		ID:     "CRON-ADMISSION-009",
		Text:   "A CronJob controller MUST NOT keep a namespace from going that is being deleted.",
		Source: "docs: concepts/overview/working-with-objects/namespaces",
	},
}
