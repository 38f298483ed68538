// Package requirements has the requirements of the API server, and of controllers whose
// requests it rejects. The specs beside it cover them.
package requirements

import (
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// set has all requirements of this package.
var set contract.Set

// Declared returns all requirements of this package.
func Declared() []contract.Requirement { return set.All() }

// What the API server fills in and refuses in new Jobs.
var (
	DefaultsToOnePod = set.New("API-DEFAULT-001",
		"A Job with neither completions nor parallelism MUST get 1 for both.",
		"docs: concepts/workloads/controllers/job#parallel-jobs")
	DefaultParallelism = set.New("API-DEFAULT-002",
		"A Job with completions alone MUST get a parallelism of 1, and one with parallelism "+
			"alone MUST NOT get completions.",
		"docs: concepts/workloads/controllers/job#parallel-jobs; batch/v1 JobSpec.completions")
	DefaultBackoffLimit = set.New("API-DEFAULT-003",
		"A Job without backoffLimit MUST get 6.",
		"batch/v1 JobSpec.backoffLimit")
	DefaultBackoffLimitWithIndexes = set.New("API-DEFAULT-004",
		"A Job with backoffLimitPerIndex and without backoffLimit MUST get the largest one, 2147483647.",
		"batch/v1 JobSpec.backoffLimit; KEP-3850",
		contract.BackoffLimitPerIndex)
	DefaultModeAndSuspend = set.New("API-DEFAULT-005",
		"A Job without completionMode and suspend MUST get NonIndexed and false.",
		"batch/v1 JobSpec.completionMode; batch/v1 JobSpec.suspend")
	DefaultPodReplacementPolicy = set.New("API-DEFAULT-006",
		"A Job without podReplacementPolicy MUST get TerminatingOrFailed, and Failed when it has a podFailurePolicy.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		contract.PodReplacementPolicy)
	DefaultConditionStatus = set.New("API-DEFAULT-007",
		"A pattern for pod conditions without a status MUST get True.",
		"batch/v1 PodFailurePolicyOnPodConditionsPattern.status",
		contract.PodFailurePolicy)
	DefaultJobLabels = set.New("API-DEFAULT-008",
		"A Job without labels MUST get those of its pod template, and one with labels MUST keep its own.",
		"kubernetes/kubernetes#6624; batch/v1 defaulting of Job")
	GeneratedSelector = set.New("API-DEFAULT-009",
		"A Job without manualSelector MUST get a selector by its UID, and its pod template MUST get the labels of "+
			"the Job's UID and name, with and without the prefix batch.kubernetes.io/.",
		"batch/v1 JobSpec.selector; docs: reference/labels-annotations-taints#batch-kubernetes-io-controller-uid")
	NewStatusIsDropped = set.New("API-DEFAULT-010",
		"A status that a new Job or CronJob brings along MUST be dropped, and its generation MUST be 1.",
		"API conventions: spec and status; meta/v1 ObjectMeta.generation")
	SchedulingIsDropped = set.New("API-DEFAULT-011",
		"Where the feature gate WorkloadWithJob is off, spec.scheduling of a new Job and of a change of one MUST be "+
			"dropped.",
		"batch/v1 JobSpec.scheduling; KEP-5547; API changes: alpha fields of existing types",
		contract.Versions(">= 1.37.0"))
	RefusesNegativeNumbers = set.New("API-JOB-001",
		"Negative numbers for parallelism, completions, backoffLimit, activeDeadlineSeconds or "+
			"ttlSecondsAfterFinished MUST be refused, and 0 MUST be accepted.",
		"batch/v1 JobSpec; docs: concepts/workloads/controllers/job")
	RefusesRestartAlways = set.New("API-JOB-002",
		"A Job MUST be refused unless its pods' restartPolicy is Never or OnFailure.",
		"batch/v1 JobSpec.template")
	IndexedNeedsCompletions = set.New("API-JOB-003",
		"A Job of the completion mode Indexed MUST be refused without completions, and with "+
			"a parallelism above 100000.",
		"batch/v1 JobSpec.completionMode",
		contract.Indexed)
	RefusesUnknownCompletionMode = set.New("API-JOB-004",
		"A completion mode other than NonIndexed and Indexed MUST be refused.",
		"batch/v1 JobSpec.completionMode",
		contract.Indexed)
	BackoffLimitPerIndexIsValid = set.New("API-JOB-005",
		"A backoffLimitPerIndex MUST be refused when it is negative, and in a Job that is not Indexed.",
		"batch/v1 JobSpec.backoffLimitPerIndex",
		contract.BackoffLimitPerIndex)
	MaxFailedIndexesIsValid = set.New("API-JOB-006",
		"A maxFailedIndexes MUST be refused when it is negative, without backoffLimitPerIndex, and "+
			"above completions or 100000.",
		"batch/v1 JobSpec.maxFailedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex)
	LargeIndexedJobsAreLimited = set.New("API-JOB-007",
		"With backoffLimitPerIndex and more than 100000 completions, maxFailedIndexes MUST be given, and neither it "+
			"nor parallelism may be above 10000.",
		"batch/v1 JobSpec.maxFailedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex)
	ManagedByIsValid = set.New("API-JOB-008",
		"A managedBy MUST be refused unless it is a domain, a slash and a path, of 63 characters at most.",
		"batch/v1 JobSpec.managedBy",
		contract.ManagedBy, contract.Versions(">= 1.32.0"))
	PodReplacementPolicyIsValid = set.New("API-JOB-009",
		"A podReplacementPolicy other than TerminatingOrFailed and Failed MUST be refused, and other than "+
			"Failed with a podFailurePolicy.",
		"batch/v1 JobSpec.podReplacementPolicy",
		contract.PodReplacementPolicy)
	RefusesOwnSelector = set.New("API-JOB-010",
		"A selector of a Job without manualSelector MUST be refused unless it is the one that is generated.",
		"batch/v1 JobSpec.manualSelector")
	ManualSelectorIsValid = set.New("API-JOB-011",
		"With manualSelector, the selector MUST be given and match the labels of the pod template, and no "+
			"label MUST be added to these.",
		"batch/v1 JobSpec.manualSelector; docs: concepts/workloads/controllers/job#specifying-your-own-pod-selector")
	RefusesOtherGeneratedLabels = set.New("API-JOB-012",
		"A pod template MUST be refused when it has another value for a label that is generated.",
		"batch/v1 JobSpec.manualSelector")
	JobNameIsValid = set.New("API-JOB-013",
		"A Job MUST be refused unless its name is a DNS subdomain.",
		"docs: concepts/workloads/controllers/job#writing-a-job-spec")
	IndexedJobNameIsValid = set.New("API-JOB-014",
		"An Indexed Job MUST be refused when its name with the last index is no DNS label of 63 characters at most, "+
			"since it is the host name of a pod.",
		"docs: concepts/workloads/controllers/job#completion-mode",
		contract.Indexed)
	PodTemplateIsValid = set.New("API-JOB-015",
		"A pod template that makes no valid pod MUST be refused.",
		"batch/v1 JobSpec.template")
)

// How the API server deletes and lists Jobs and CronJobs.
var (
	JobDeletionOrphans = set.New("API-DELETE-001",
		"A Job that is deleted without a propagationPolicy MUST leave its pods behind, without an owner.",
		"metav1 DeleteOptions.propagationPolicy; docs: concepts/architecture/garbage-collection#orphaned-dependents; "+
			"kubernetes/kubernetes#50893")
	CronJobDeletionCascades = set.New("API-DELETE-002",
		"A CronJob that is deleted without a propagationPolicy MUST take its Jobs with it.",
		"metav1 DeleteOptions.propagationPolicy; docs: concepts/architecture/garbage-collection#cascading-deletion")
	SelectsBySuccesses = set.New("API-LIST-001",
		"Jobs MUST be selected by the field status.successful, which is their number of succeeded pods.",
		"docs: concepts/overview/working-with-objects/field-selectors#supported-fields; batch/v1 JobStatus.succeeded")
)

// What the API server refuses in pod failure policies and success policies.
var (
	FailurePolicyNeedsNever = set.New("API-FAILUREPOLICY-001",
		"A podFailurePolicy MUST be refused unless the pods' restartPolicy is Never.",
		"batch/v1 JobSpec.podFailurePolicy; docs: concepts/workloads/controllers/job#pod-failure-policy",
		contract.PodFailurePolicy)
	FailurePolicyRulesAreFew = set.New("API-FAILUREPOLICY-002",
		"A podFailurePolicy MUST be refused with more than 20 rules.",
		"batch/v1 PodFailurePolicy.rules",
		contract.PodFailurePolicy)
	FailurePolicyActionIsValid = set.New("API-FAILUREPOLICY-003",
		"An action other than FailJob, FailIndex, Ignore and Count MUST be refused, and FailIndex "+
			"without backoffLimitPerIndex.",
		"batch/v1 PodFailurePolicyRule.action",
		contract.PodFailurePolicy)
	FailurePolicyRuleIsOneKind = set.New("API-FAILUREPOLICY-004",
		"A rule MUST be refused unless it has exactly one of onExitCodes and onPodConditions.",
		"batch/v1 PodFailurePolicyRule",
		contract.PodFailurePolicy)
	ExitCodeOperatorIsValid = set.New("API-FAILUREPOLICY-005",
		"An operator for exit codes other than In and NotIn MUST be refused.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.operator",
		contract.PodFailurePolicy)
	ExitCodesAreValid = set.New("API-FAILUREPOLICY-006",
		"Exit codes MUST be refused unless they are 1 to 255 codes in order, each once, "+
			"without 0 when the operator is In.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.values",
		contract.PodFailurePolicy)
	ExitCodeContainerExists = set.New("API-FAILUREPOLICY-007",
		"A container name MUST be refused unless a container or init container of the pod template has it.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.containerName",
		contract.PodFailurePolicy)
	PodConditionPatternsAreValid = set.New("API-FAILUREPOLICY-008",
		"Patterns for pod conditions MUST be refused when they are more than 20, and when a type is no qualified "+
			"name or a status none of True, False and Unknown.",
		"batch/v1 PodFailurePolicyRule.onPodConditions",
		contract.PodFailurePolicy)
	RuleNamesAreReasons = set.New("API-FAILUREPOLICY-009",
		"The name of a rule MUST be refused if another rule has it, or if PodFailurePolicy, an underscore and the "+
			"name are no valid reason of a condition, as with more than 128 characters.",
		"KEP-4443",
		contract.PodFailurePolicy, contract.Versions(">= 1.38.0"), contract.Gates{gates.PodFailurePolicyName},
		contract.Provisional)
	SuccessPolicyNeedsIndexed = set.New("API-SUCCESSPOLICY-001",
		"A successPolicy MUST be refused in a Job that is not Indexed.",
		"batch/v1 JobSpec.successPolicy",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SuccessPolicyRulesAreValid = set.New("API-SUCCESSPOLICY-002",
		"A successPolicy MUST be refused unless it has 1 to 20 rules, each with succeededIndexes or succeededCount.",
		"batch/v1 SuccessPolicy.rules; batch/v1 SuccessPolicyRule",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SucceededIndexesAreValid = set.New("API-SUCCESSPOLICY-003",
		"The succeededIndexes of a successPolicy MUST be refused unless they are indexes of the Job "+
			"and ranges of them, in order.",
		"batch/v1 SuccessPolicyRule.succeededIndexes",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SucceededCountIsValid = set.New("API-SUCCESSPOLICY-004",
		"The succeededCount of a successPolicy MUST be refused when it is negative, above completions, or above the "+
			"number of succeededIndexes.",
		"batch/v1 SuccessPolicyRule.succeededCount",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SucceededIndexesAreShort = set.New("API-SUCCESSPOLICY-005",
		"The succeededIndexes of a successPolicy MUST be refused with more than 65536 characters, and accepted "+
			"with as many.",
		"KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
)

// What the API server fills in and refuses in CronJobs.
var (
	CronJobDefaults = set.New("API-CRONJOB-001",
		"A CronJob MUST get the concurrencyPolicy Allow, suspend false, and limits of 3 successful and 1 failed "+
			"Jobs, where it says nothing else.",
		"batch/v1 CronJobSpec.concurrencyPolicy; batch/v1 CronJobSpec.suspend; batch/v1 "+
			"CronJobSpec.successfulJobsHistoryLimit; batch/v1 CronJobSpec.failedJobsHistoryLimit")
	CronJobNameIsShort = set.New("API-CRONJOB-002",
		"A CronJob MUST be refused when its name has more than 52 characters, and accepted with 52.",
		"docs: concepts/workloads/controllers/cron-jobs#writing-a-cronjob-spec")
	CronJobNameIsValid = set.New("API-CRONJOB-003",
		"A CronJob MUST be refused unless its name is a DNS subdomain.",
		"docs: concepts/workloads/controllers/cron-jobs#writing-a-cronjob-spec")
	AcceptsSchedules = set.New("API-CRONJOB-004",
		"Schedules with numbers, ranges, lists, steps, names, question marks and macros MUST be accepted.",
		"docs: concepts/workloads/controllers/cron-jobs#schedule-syntax")
	RefusesUnreadableSchedules = set.New("API-CRONJOB-005",
		"An empty schedule MUST be refused, and one that nobody can read.",
		"batch/v1 CronJobSpec.schedule; docs: concepts/workloads/controllers/cron-jobs#schedule-syntax")
	RefusesTimeZoneInSchedule = set.New("API-CRONJOB-006",
		"A schedule with a time zone in it (TZ=, CRON_TZ=) MUST be refused, in a new CronJob and as a change.",
		"docs: concepts/workloads/controllers/cron-jobs#unsupported-timezone-specification",
		contract.CronTimeZone)
	AcceptsTimeZones = set.New("API-CRONJOB-007",
		"The names of time zones MUST be accepted.",
		"batch/v1 CronJobSpec.timeZone",
		contract.CronTimeZone)
	RefusesUnknownTimeZones = set.New("API-CRONJOB-008",
		"A timeZone MUST be refused when it is empty, Local, or no name of a time zone.",
		"batch/v1 CronJobSpec.timeZone; KEP-3140",
		contract.CronTimeZone)
	RefusesNegativeCronNumbers = set.New("API-CRONJOB-009",
		"A negative startingDeadlineSeconds, successfulJobsHistoryLimit or failedJobsHistoryLimit MUST be "+
			"refused, and 0 MUST be accepted.",
		"batch/v1 CronJobSpec.startingDeadlineSeconds; batch/v1 CronJobSpec.successfulJobsHistoryLimit; "+
			"batch/v1 CronJobSpec.failedJobsHistoryLimit")
	ConcurrencyPolicyIsValid = set.New("API-CRONJOB-010",
		"A concurrencyPolicy other than Allow, Forbid and Replace MUST be refused.",
		"batch/v1 CronJobSpec.concurrencyPolicy")
	JobTemplateIsValid = set.New("API-CRONJOB-011",
		"A job template MUST be refused when no Job can be made from it.",
		"batch/v1 CronJobSpec.jobTemplate")
	JobTemplateHasNoSelector = set.New("API-CRONJOB-012",
		"A job template MUST be refused with a selector or manualSelector, since each Job gets a selector of its own.",
		"batch/v1 CronJobSpec.jobTemplate")
	CronJobSpecMayChange = set.New("API-CRONJOB-013",
		"Every field of a CronJob's spec MUST be free to change, its job template included, "+
			"within the rules for new ones.",
		"docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob")
)

// What may change in a Job.
var (
	TemplateIsFixed = set.New("API-UPDATE-001",
		"The pod template of a Job that is not suspended MUST NOT change.",
		"docs: concepts/workloads/controllers/job#mutable-scheduling-directives; KEP-2926")
	SelectorIsFixed = set.New("API-UPDATE-002",
		"The selector of a Job MUST NOT change.",
		"batch/v1 JobSpec.selector")
	CompletionsAreFixed = set.New("API-UPDATE-003",
		"The completions of a Job that is not Indexed MUST NOT change.",
		"docs: concepts/workloads/controllers/job#elastic-indexed-jobs")
	CompletionsFollowParallelism = set.New("API-UPDATE-004",
		"The completions of an Indexed Job MUST be free to change together with parallelism to the same number, "+
			"and MUST NOT change otherwise.",
		"docs: concepts/workloads/controllers/job#elastic-indexed-jobs; KEP-3715",
		contract.ElasticIndexed)
	CompletionModeIsFixed = set.New("API-UPDATE-005",
		"The completionMode of a Job MUST NOT change.",
		"batch/v1 JobSpec.completionMode; KEP-2214",
		contract.Indexed)
	FailurePolicyIsFixed = set.New("API-UPDATE-006",
		"The podFailurePolicy of a Job MUST NOT change.",
		"KEP-3329",
		contract.PodFailurePolicy)
	BackoffLimitPerIndexIsFixed = set.New("API-UPDATE-007",
		"The backoffLimitPerIndex of a Job MUST NOT change.",
		"batch/v1 JobSpec.backoffLimitPerIndex",
		contract.BackoffLimitPerIndex)
	ManagedByIsFixed = set.New("API-UPDATE-008",
		"The managedBy of a Job MUST NOT change.",
		"batch/v1 JobSpec.managedBy",
		contract.ManagedBy, contract.Versions(">= 1.32.0"))
	SuccessPolicyIsFixed = set.New("API-UPDATE-009",
		"The successPolicy of a Job MUST NOT change.",
		"KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	MutableFieldsMayChange = set.New("API-UPDATE-010",
		"The parallelism, backoffLimit, activeDeadlineSeconds, ttlSecondsAfterFinished and suspend of a Job MUST be "+
			"free to change, within their ranges.",
		"docs: concepts/workloads/controllers/job")
	SchedulingMayChangeBeforeStart = set.New("API-UPDATE-011",
		"Node affinity, node selector, tolerations, scheduling gates, labels and annotations of the pod template "+
			"MUST be free to change while a Job is suspended that has never started, and nothing else of the "+
			"template's meaning for the pods' containers.",
		"docs: concepts/workloads/controllers/job#mutable-scheduling-directives; KEP-2926",
		contract.Suspend)
	ResourcesMayChangeWhileSuspended = set.New("API-UPDATE-012",
		"The resources of the containers of the pod template MUST be free to change while a Job is "+
			"suspended and has no active pods.",
		"KEP-5440",
		contract.Suspend, contract.Versions(">= 1.36.0"), contract.Gates{gates.MutablePodResourcesForSuspendedJobs})
	TemplateMayChangeOnceSuspended = set.New("API-UPDATE-013",
		"Scheduling directives and resources MUST be free to change in a Job that has started and is suspended, as "+
			"soon as its condition Suspended is True and no pod is active, and not before.",
		"KEP-5440",
		contract.Suspend, contract.Versions(">= 1.36.0"), contract.Gates{gates.MutablePodResourcesForSuspendedJobs,
			gates.MutableSchedulingDirectivesForSuspendedJobs})
	GenerationFollowsSpec = set.New("API-UPDATE-014",
		"The generation of a Job or CronJob MUST grow with each change of its spec, and with no other change.",
		"meta/v1 ObjectMeta.generation")
	SpecAndStatusAreApart = set.New("API-UPDATE-015",
		"A change of a Job or CronJob MUST leave the status alone, and one of its status subresource the spec.",
		"API conventions: spec and status")
)

const statusSource = "KEP-4368: strengthened validation of Job status"

// strictStatus are the versions in which every API server validates the status of
// a Job this strictly, whichever client writes it.
const strictStatus contract.Versions = ">= 1.32.0"

// What the API server accepts as the status of a Job.
var (
	RefusesNegativeCounts = set.New("API-STATUS-001",
		"A status MUST be refused with a negative number of active, ready, terminating, succeeded or failed pods.",
		"batch/v1 JobStatus")
	UncountedUIDsAreValid = set.New("API-STATUS-002",
		"A status MUST be refused when uncountedTerminatedPods has an empty UID, or one twice.",
		"batch/v1 JobStatus.uncountedTerminatedPods")
	SuccessExcludesFailure = set.New("API-STATUS-003",
		"Of success and failure a Job MUST have one at most: Complete and SuccessCriteriaMet "+
			"exclude Failed and FailureTarget.",
		"batch/v1 JobStatus.conditions; "+statusSource,
		contract.ManagedBy, strictStatus)
	CompletionTimeMeansComplete = set.New("API-STATUS-004",
		"A Job MUST have a completionTime when it is Complete, and only then.",
		"batch/v1 JobStatus.completionTime; "+statusSource,
		contract.ManagedBy, strictStatus)
	CompletionTimeIsFixed = set.New("API-STATUS-005",
		"A completionTime MUST NOT be before the startTime, nor change.",
		"batch/v1 JobStatus.completionTime; "+statusSource,
		contract.ManagedBy, strictStatus)
	FinishIsAnnounced = set.New("API-STATUS-006",
		"A Job MUST NOT become Failed without FailureTarget, nor Complete without SuccessCriteriaMet.",
		"batch/v1 JobStatus.conditions; docs: concepts/workloads/controllers/job#termination-of-job-pods",
		contract.ManagedBy, strictStatus)
	FinishedHasNoPodsLeft = set.New("API-STATUS-007",
		"A Job MUST NOT be finished while it has active, terminating or uncounted pods.",
		"batch/v1 JobStatus.conditions; "+statusSource,
		contract.ManagedBy, strictStatus)
	FinishedHasStarted = set.New("API-STATUS-008",
		"A Job MUST NOT be finished without a startTime.",
		statusSource,
		contract.ManagedBy, strictStatus)
	TerminalConditionsStay = set.New("API-STATUS-009",
		"The conditions Complete, Failed, SuccessCriteriaMet and FailureTarget MUST NOT be taken back.",
		statusSource,
		contract.ManagedBy, strictStatus)
	CountsNeverDecrease = set.New("API-STATUS-010",
		"The number of failed pods MUST NOT decrease, nor that of succeeded ones unless the Job is Indexed with as "+
			"much parallelism as completions.",
		statusSource,
		contract.ManagedBy, strictStatus)
	RunningStartTimeIsFixed = set.New("API-STATUS-011",
		"A startTime MUST NOT change while the Job is not suspended.",
		"batch/v1 JobStatus.startTime; "+statusSource,
		contract.ManagedBy, strictStatus)
	CompletedIndexesAreValid = set.New("API-STATUS-012",
		"The completedIndexes MUST be refused in a Job that is not Indexed, and unless they are "+
			"indexes of the Job in order.",
		"batch/v1 JobStatus.completedIndexes; "+statusSource,
		contract.ManagedBy, strictStatus)
	FailedIndexesAreValid = set.New("API-STATUS-013",
		"The failedIndexes MUST be refused without backoffLimitPerIndex, unless they are indexes of the Job in "+
			"order, and when one of them is completed.",
		"batch/v1 JobStatus.failedIndexes; "+statusSource,
		contract.ManagedBy, strictStatus)
	ReadyWithinActive = set.New("API-STATUS-014",
		"A status MUST be refused with more ready than active pods.",
		statusSource,
		contract.ManagedBy, strictStatus)
	AcceptsALifeCycle = set.New("API-STATUS-015",
		"What a Job goes through from its start to success or failure MUST be accepted, step by step.",
		"batch/v1 JobStatus; docs: concepts/workloads/controllers/job#termination-of-job-pods",
		contract.ManagedBy, strictStatus)
)
