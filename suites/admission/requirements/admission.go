package requirements

import (
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
)

const quotas = "docs: concepts/policy/resource-quotas"

// What a controller does while the API server rejects its requests.
var (
	RefusedPodsCountForNothing = set.New("JOB-ADMISSION-001",
		"Pods that the API server refuses MUST count for nothing: neither as active nor as failed, and the Job "+
			"MUST stay without a verdict.",
		"batch/v1 JobStatus.active; batch/v1 JobSpec.backoffLimit",
		contract.About{spec.JobActive})
	WarnsOfRefusedPods = set.New("JOB-ADMISSION-002",
		"A Job controller SHOULD warn by the event FailedCreate that a pod was refused.",
		"docs: concepts/policy/resource-quotas#how-kubernetes-resourcequotas-work; kubernetes/kubernetes#4783")
	CreatesPodsAfterQuota = set.New("JOB-ADMISSION-003",
		"A Job controller MUST create the pods that a quota rejected, on its own, when there is room.",
		quotas)
	CreatesPodsAfterPolicy = set.New("JOB-ADMISSION-004",
		"A Job controller MUST create the pods that a ValidatingAdmissionPolicy rejected, on its "+
			"own, when it no longer does.",
		"docs: reference/access-authn-authz/validating-admission-policy; API conventions: controllers converge")
	CreatesPodsAfterWebhook = set.New("JOB-ADMISSION-005",
		"A Job controller MUST create the pods that a broken webhook rejected, on its own, when it no longer does.",
		"docs: reference/access-authn-authz/extensible-admission-controllers#failure-policy")
	CreatesPodsAfterLimitRange = set.New("JOB-ADMISSION-006",
		"A Job controller MUST create the pods that a LimitRange rejected, on its own, when it no longer does.",
		"docs: concepts/policy/limit-range")
	CreatesPodsAfterPodSecurity = set.New("JOB-ADMISSION-007",
		"A Job controller MUST create the pods that Pod Security rejected, on its own, when the "+
			"namespace has another level.",
		"docs: concepts/security/pod-security-admission#workload-resources-and-pod-templates")
	CreatesPodsAfterPriorityClass = set.New("JOB-ADMISSION-008",
		"A Job controller MUST create pods whose PriorityClass was missing, on its own, when it exists.",
		"docs: concepts/scheduling-eviction/pod-priority-preemption#pod-priority")
	UsesPartOfAQuota = set.New("JOB-ADMISSION-009",
		"A Job controller MUST use the room that a quota leaves for fewer pods than the Job needs, and report the "+
			"number of those that exist.",
		quotas+"; batch/v1 JobStatus.active",
		contract.About{spec.JobActive})
	SlowStart = set.New("JOB-ADMISSION-010",
		"A Job controller MUST start slowly, so that it learns that pods are refused from fewer "+
			"requests than it wants pods.",
		"kubernetes/kubernetes#49727: quota failures must not flood the API server")
	BacksOffWhilePodsAreRefused = set.New("JOB-ADMISSION-011",
		"A Job controller MUST delay further attempts longer and longer while pods are refused, to two seconds at "+
			"least.",
		"API conventions: back-off of controllers; kubernetes/kubernetes#49727; kubernetes/kubernetes#32785")
	DeadlineWhilePodsAreRefused = set.New("JOB-ADMISSION-012",
		"A Job whose pods are refused MUST fail when its activeDeadlineSeconds are over.",
		"batch/v1 JobSpec.activeDeadlineSeconds",
		contract.Situations{spec.DeadlinePassed})
	SuspendedWhilePodsAreRefused = set.New("JOB-ADMISSION-013",
		"A Job that is suspended while its pods are refused MUST become Suspended and MUST NOT get pods later.",
		"batch/v1 JobSpec.suspend",
		contract.Suspend, contract.Situations{spec.JobSuspended})
	DeletedWhilePodsAreRefused = set.New("JOB-ADMISSION-014",
		"A Job that is deleted while its pods are refused MUST NOT get pods later.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup")
	RefusedIndexComesLater = set.New("JOB-ADMISSION-015",
		"An index whose pod is refused MUST get it later, and indexes that have theirs MUST NOT get another.",
		"docs: concepts/workloads/controllers/job#completion-mode",
		contract.Indexed)
	CountsPodsWithAddedLabels = set.New("JOB-ADMISSION-016",
		"Pods with labels and annotations that admission has added MUST count like others.",
		"docs: reference/access-authn-authz/mutating-admission-policy",
		contract.Versions(">= 1.36.0"))
	CountsPodsWithAddedSidecars = set.New("JOB-ADMISSION-017",
		"Pods with a sidecar container that admission has added MUST count like others.",
		"docs: concepts/workloads/pods/sidecar-containers#jobs-with-sidecar-containers",
		contract.Versions(">= 1.36.0"))
	UndeletablePodsCount = set.New("JOB-ADMISSION-018",
		"Surplus pods whose deletion is refused MUST count as long as they exist, and be deleted, on "+
			"its own, when it no longer is.",
		"batch/v1 JobSpec.parallelism; batch/v1 JobStatus.active",
		contract.About{spec.JobActive})
	BacksOffWhileDeletionIsRefused = set.New("JOB-ADMISSION-019",
		"A Job controller MUST delay further attempts longer and longer while the deletion of a pod is refused, to "+
			"two seconds at least.",
		"API conventions: back-off of controllers")
	NotCompleteBeforeRelease = set.New("JOB-ADMISSION-020",
		"A Job MUST NOT be Complete while the release of its finished pods is refused, and these MUST count once.",
		"KEP-2307; docs: concepts/workloads/controllers/job#job-tracking-with-finalizers")
	JobsLetTheNamespaceGo = set.New("JOB-ADMISSION-021",
		"A Job controller MUST release all pods in a namespace that is being deleted, whichever of "+
			"Job and pods is deleted first.",
		"KEP-2307; docs: concepts/workloads/controllers/job#job-tracking-with-finalizers")
	WarnsOfUndeletablePods = set.New("JOB-ADMISSION-022",
		"A Job controller SHOULD warn by the event FailedDelete that the deletion of a pod was refused.",
		"API conventions: events")
	RefusedJobIsNotRecorded = set.New("CRON-ADMISSION-001",
		"A CronJob whose Job is refused MUST NOT say in its status that it was started.",
		"batch/v1 CronJobStatus.lastScheduleTime; batch/v1 CronJobStatus.active")
	WarnsOfARefusedJob = set.New("CRON-ADMISSION-002",
		"A CronJob controller SHOULD warn by the event FailedCreate that a Job was refused.",
		"docs: concepts/workloads/controllers/cron-jobs; "+quotas)
	RefusedTickStartsLater = set.New("CRON-ADMISSION-003",
		"A CronJob controller MUST start a Job that was refused exactly once, on its own, when "+
			"Jobs are no longer refused.",
		"docs: concepts/workloads/controllers/cron-jobs#cron-job-limitations")
	BacksOffWhileJobIsRefused = set.New("CRON-ADMISSION-004",
		"A CronJob controller MUST delay further attempts longer and longer while a Job is refused, to two "+
			"seconds at least.",
		"API conventions: back-off of controllers")
	RefusedTickExpires = set.New("CRON-ADMISSION-005",
		"A tick that was refused MUST NOT be started after startingDeadlineSeconds.",
		"batch/v1 CronJobSpec.startingDeadlineSeconds")
	RefusedTickWaitsForResume = set.New("CRON-ADMISSION-006",
		"A tick that was refused MUST NOT be started while the CronJob is suspended.",
		"batch/v1 CronJobSpec.suspend")
	CountsJobsWithAddedLabels = set.New("CRON-ADMISSION-007",
		"Jobs with labels and annotations that admission has added MUST count like others.",
		"docs: reference/access-authn-authz/mutating-admission-policy",
		contract.Versions(">= 1.36.0"))
	NoReplacementBeforeDeletion = set.New("CRON-ADMISSION-008",
		"With the policy Replace, a CronJob controller MUST NOT start a Job while it must not delete the one before.",
		"batch/v1 CronJobSpec.concurrencyPolicy")
	WarnsOfAnUndeletableJob = set.New("CRON-ADMISSION-010",
		"A CronJob controller SHOULD warn by the event FailedDelete that the deletion of a Job was refused.",
		"API conventions: events")
	BacksOffWhileReplacementIsRefused = set.New("CRON-ADMISSION-011",
		"A CronJob controller MUST delay further attempts longer and longer while the deletion of a Job that it "+
			"replaces is refused, to two seconds at least.",
		"API conventions: back-off of controllers")
	CronJobsLetTheNamespaceGo = set.New("CRON-ADMISSION-009",
		"A CronJob controller MUST NOT keep a namespace from going that is being deleted.",
		"docs: concepts/overview/working-with-objects/namespaces")
)
