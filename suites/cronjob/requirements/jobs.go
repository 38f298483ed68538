package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// The Jobs that a CronJob creates.
var (
	JobFollowsTemplate = contract.New("CRON-JOBS-001",
		"A Job of a CronJob MUST have the labels, the annotations and the spec of the template, and none of the CronJob's own.",
		"batch/v1 JobTemplateSpec; batch/v1 CronJobSpec.jobTemplate")
	CronJobOwnsJob = contract.New("CRON-JOBS-002",
		"A Job of a CronJob MUST have the CronJob as its controlling owner, with blockOwnerDeletion.",
		"docs: concepts/architecture/garbage-collection; batch/v1 CronJobSpec.jobTemplate",
		contract.Invariants{"cronjob-job-is-marked"})
	ScheduledTimeAnnotation = contract.New("CRON-JOBS-003",
		"A Job of a CronJob MUST have its scheduled time in the annotation batch.kubernetes.io/cronjob-scheduled-timestamp.",
		"batch/v1 CronJobScheduledTimestampAnnotation; KEP-4026",
		contract.Invariants{"cronjob-job-is-marked"})
	JobNameFollowsCronJob = contract.New("CRON-JOBS-004",
		"A Job of a CronJob MUST have a name that begins with the CronJob's, and that is valid even for a CronJob's name of 52 characters.",
		"docs: concepts/workloads/controllers/cron-jobs#writing-a-cronjob-spec")
	LeavesForeignJobs = contract.New("CRON-JOBS-005",
		"A CronJob controller MUST leave a Job alone that has the name it wants, but not the owner.",
		"docs: concepts/architecture/garbage-collection")
	KeepsCronJobsApart = contract.New("CRON-JOBS-006",
		"A CronJob controller MUST keep the Jobs of CronJobs apart that have the same template.",
		"kubernetes/kubernetes#107997; batch/v1 CronJobStatus.active")
	JobsGoWithCronJob = contract.New("CRON-JOBS-007",
		"When a CronJob is deleted, its Jobs and their pods MUST be able to go with it.",
		"docs: concepts/architecture/garbage-collection; docs: concepts/workloads/controllers/cron-jobs")
	ChangedTemplate = contract.New("CRON-JOBS-008",
		"A change of the template MUST hold for the Jobs that start from then on, and MUST NOT change those that were started.",
		"docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob")
	RetriesToStartAJob = contract.New("CRON-JOBS-009",
		"A CronJob controller MUST go on trying to start a Job that cannot be created for a while.",
		"batch/v1 CronJobSpec.startingDeadlineSeconds; docs: concepts/workloads/controllers/cron-jobs#job-creation")
)

// How a Job follows from the template and its scheduled time.
var (
	TemplateCannotSetScheduledTime = contract.New("CRON-TEMPLATE-001",
		"The annotation with the scheduled time MUST be the Job's own, even if the template has such an annotation.",
		"batch/v1 CronJobScheduledTimestampAnnotation; KEP-4026")
	TemplateMaySuspend = contract.New("CRON-TEMPLATE-002",
		"A CronJob controller MUST create the Job as the template says also if it says that the Job shall be suspended, and MUST leave it so.",
		"batch/v1 JobTemplateSpec.spec; KEP-2232")
	JobNameIsStable = contract.New("CRON-TEMPLATE-003",
		"A CronJob controller SHOULD give the Job of a scheduled time the same name each time that it creates it, so that it cannot be there twice.",
		"KEP-19; docs: concepts/workloads/controllers/cron-jobs#cron-job-limitations")
)

// How a CronJob finds its Jobs where names are misleading.
var (
	KnowsCronJobByUID = contract.New("CRON-OWNERS-001",
		"A CronJob controller MUST distinguish a CronJob from others of its name by the UID in the owner reference of Jobs.",
		"metav1.OwnerReference; kubernetes/kubernetes#107997")
	OrphanedJobsRun = contract.New("CRON-OWNERS-002",
		"When a CronJob is deleted and its Jobs are not, they MUST run on without an owner.",
		"metav1.DeletePropagationOrphan; docs: concepts/architecture/garbage-collection#orphaned-dependents")
	NotTheEarlierCronJobsJobs = contract.New("CRON-OWNERS-003",
		"A CronJob MUST NOT be given the Jobs that an earlier one of its name left behind.",
		"metav1.OwnerReference")
)
