// Package requirements has the requirements of a CronJob controller. The specs
// beside it cover them.
package requirements

import (
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// set has all requirements of this package.
var set contract.Set

// Declared returns all requirements of this package.
func Declared() []contract.Requirement { return set.All() }

// When a CronJob starts Jobs.
var (
	StartsOnSchedule = set.New("CRON-SCHEDULE-001",
		"A CronJob controller MUST start a Job when the schedule says so.",
		"batch/v1 CronJobSpec.schedule; docs: concepts/workloads/controllers/cron-jobs",
		contract.Invariants{"cronjob-starts-in-time"}, contract.Situations{spec.TimeCame})
	OneJobPerTime = set.New("CRON-SCHEDULE-002",
		"A CronJob controller MUST NOT start more than one Job for a scheduled time.",
		"docs: concepts/workloads/controllers/cron-jobs#job-creation; kubernetes/kubernetes#120649",
		contract.Invariants{"cronjob-one-job-per-time"}, contract.Situations{spec.TimeCame})
	NoticesTimeAlone = set.New("CRON-SCHEDULE-003",
		"A CronJob controller MUST notice a scheduled time by itself, without any change of an object.",
		"batch/v1 CronJobSpec.schedule",
		contract.Situations{spec.TimeCame})
	NotBeforeCreation = set.New("CRON-SCHEDULE-004",
		"A CronJob controller MUST NOT start a Job for a time before the CronJob was created.",
		"batch/v1 CronJobSpec.schedule; docs: concepts/workloads/controllers/cron-jobs#job-creation")
	NotBeforeLastSchedule = set.New("CRON-SCHEDULE-005",
		"A CronJob controller MUST NOT start a Job for the time in lastScheduleTime, or one before it.",
		"batch/v1 CronJobStatus.lastScheduleTime")
	LatestMissedOnly = set.New("CRON-SCHEDULE-006",
		"After several scheduled times were missed, a CronJob controller MUST start a Job for the latest of them only.",
		"docs: concepts/workloads/controllers/cron-jobs#job-creation; kubernetes/kubernetes#118724",
		contract.Situations{spec.TimesMissed})
	ManyMissedTimes = set.New("CRON-SCHEDULE-007",
		"A CronJob controller MUST start a Job for the latest missed time even if more than a hundred were missed.",
		"kubernetes/kubernetes#42649; kubernetes/kubernetes#45825",
		contract.Situations{spec.ManyTimesMissed})
	WarnsOfManyMissedTimes = set.New("CRON-SCHEDULE-008",
		"A CronJob controller SHOULD warn by an event when more than a hundred scheduled times were missed.",
		"docs: concepts/workloads/controllers/cron-jobs#starting-deadline; kubernetes/kubernetes#42649",
		contract.Situations{spec.ManyTimesMissed})
	DayOrWeekday = set.New("CRON-SCHEDULE-009",
		"A schedule that restricts both the day of the month and the weekday MUST hold on "+
			"days that meet one of the two.",
		"docs: concepts/workloads/controllers/cron-jobs#schedule-syntax",
		contract.Situations{spec.TimeCame})
	ScheduleMacros = set.New("CRON-SCHEDULE-010",
		"A CronJob controller MUST understand the macros of schedules, such as @yearly.",
		"docs: concepts/workloads/controllers/cron-jobs#schedule-syntax",
		contract.Situations{spec.TimeCame})
	ImpossibleSchedule = set.New("CRON-SCHEDULE-011",
		"A schedule that never comes MUST NOT keep a CronJob controller from the others.",
		"kubernetes/kubernetes#41655")
	NoJobsWhileBeingDeleted = set.New("CRON-SCHEDULE-012",
		"A CronJob controller MUST NOT start a Job for a CronJob that is being deleted.",
		"docs: concepts/architecture/garbage-collection")
	ChangedSchedule = set.New("CRON-SCHEDULE-013",
		"A CronJob controller MUST go by the schedule as it is now, for the Jobs that it starts from then on.",
		"docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob",
		contract.Situations{spec.ScheduleChanged})
	NextTimeAfterSkipped = set.New("CRON-SCHEDULE-014",
		"A CronJob controller MUST start the Job of a scheduled time by itself also where it could "+
			"start none for the time before.",
		"batch/v1 CronJobSpec.schedule; docs: concepts/workloads/controllers/cron-jobs#job-creation",
		contract.Situations{spec.TimeCame})
	StartsWithoutDelay = set.New("CRON-SCHEDULE-015",
		"A CronJob controller SHOULD start a Job at most 10 s after its scheduled time.",
		"docs: concepts/workloads/controllers/cron-jobs#starting-deadline: it checks things every 10 seconds",
		contract.Situations{spec.TimeCame})
)

// How a schedule may be written.
var (
	EveryMacro = set.New("CRON-SYNTAX-001",
		"A CronJob controller MUST understand @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually "+
			"as the first minute of an hour, a day, a week (which begins on Sunday), a month and a year.",
		"docs: concepts/workloads/controllers/cron-jobs#schedule-syntax",
		contract.Situations{spec.TimeCame})
	ListsRangesSteps = set.New("CRON-SYNTAX-002",
		"A CronJob controller MUST understand lists, ranges, steps, the names of months and weekdays, and a question "+
			"mark in place of an asterisk.",
		"batch/v1 CronJobSpec.schedule; docs: concepts/workloads/controllers/cron-jobs#schedule-syntax",
		contract.Situations{spec.TimeCame})
	EveryDoesNotDrift = set.New("CRON-SYNTAX-003",
		"A CronJob controller SHOULD count the intervals of @every from the last scheduled time on, "+
			"so that delays do not add up, and the first one from the CronJob's creation.",
		"kubernetes/kubernetes#109250; the API accepts @every, the documentation does not mention it",
		contract.Situations{spec.TimeCame})
)

// A schedule that changes.
var (
	ChangedScheduleSkipsThePast = set.New("CRON-CHANGES-001",
		"A CronJob controller SHOULD NOT start a Job for a time that is in the past when the schedule is "+
			"changed to one that has it.",
		"docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob; KEP-19",
		contract.Situations{spec.ScheduleChanged})
)

// The time zone of a schedule (KEP-3140).
var (
	ScheduleInTimeZone = set.New("CRON-ZONE-001",
		"A CronJob controller MUST read the schedule in the CronJob's time zone.",
		"batch/v1 CronJobSpec.timeZone; KEP-3140; docs: concepts/workloads/controllers/cron-jobs#time-zones",
		contract.CronTimeZone, contract.Situations{spec.TimeCame})
	AnnotationInTimeZone = set.New("CRON-ZONE-002",
		"The scheduled time in a Job's annotation MUST be in the CronJob's time zone.",
		"KEP-4026; batch/v1 CronJobScheduledTimestampAnnotation; batch/v1 CronJobSpec.timeZone",
		contract.CronTimeZone, contract.About{spec.CronJobScheduledTime}, contract.Situations{spec.TimeCame})
	ChangedTimeZone = set.New("CRON-ZONE-003",
		"A time zone that is changed MUST hold for the Jobs that start from then on.",
		"batch/v1 CronJobSpec.timeZone; KEP-3140",
		contract.CronTimeZone, contract.Situations{spec.ScheduleChanged})
	ZoneOfTheController = set.New("CRON-ZONE-004",
		"Where timeZone is not set, a CronJob controller MUST read the schedule in its own time zone.",
		"docs: concepts/workloads/controllers/cron-jobs#time-zones")
	LocalDays = set.New("CRON-LOCAL-001",
		"The days, months and weekdays of a schedule MUST be those of the CronJob's time zone.",
		"batch/v1 CronJobSpec.timeZone; docs: concepts/workloads/controllers/cron-jobs#time-zones",
		contract.CronTimeZone, contract.Situations{spec.TimeCame})
	DaylightSaving = set.New("CRON-LOCAL-002",
		"The offset of the time zone MUST be the one that it has at the scheduled time, in summer and in winter.",
		"batch/v1 CronJobSpec.timeZone; KEP-3140",
		contract.CronTimeZone, contract.Invariants{"cronjob-starts-in-time"}, contract.Situations{spec.TimeCame})
	SkippedBySummerTime = set.New("CRON-LOCAL-003",
		"A scheduled time that does not exist on the day when summer time begins MAY start a Job at "+
			"another time of the day, or none.",
		"docs: concepts/workloads/controllers/cron-jobs#time-zones says nothing about it")
	RepeatedBySummerTime = set.New("CRON-LOCAL-004",
		"A scheduled time that exists twice on the day when summer time ends MAY start a Job both times, or once.",
		"docs: concepts/workloads/controllers/cron-jobs#time-zones says nothing about it")
)

// The field startingDeadlineSeconds: until when a missed Job may start.
var (
	StartsWithinDeadline = set.New("CRON-DEADLINE-001",
		"A CronJob controller MUST start a missed Job within startingDeadlineSeconds of its scheduled time.",
		"batch/v1 CronJobSpec.startingDeadlineSeconds; docs: "+
			"concepts/workloads/controllers/cron-jobs#starting-deadline",
		contract.Situations{spec.TimeCame})
	NotAfterDeadline = set.New("CRON-DEADLINE-002",
		"A CronJob controller MUST NOT start a missed Job when startingDeadlineSeconds have "+
			"passed since its scheduled time.",
		"batch/v1 CronJobSpec.startingDeadlineSeconds; docs: "+
			"concepts/workloads/controllers/cron-jobs#starting-deadline",
		contract.Invariants{"cronjob-starts-in-time"}, contract.Situations{spec.StartIsTooLate})
	DeadlineLimitsMissedTimes = set.New("CRON-DEADLINE-003",
		"Where startingDeadlineSeconds is set, times missed before that MUST NOT keep a CronJob controller from "+
			"starting a Job, however many they are.",
		"batch/v1 CronJobSpec.startingDeadlineSeconds; docs: "+
			"concepts/workloads/controllers/cron-jobs#starting-deadline",
		contract.Situations{spec.ManyTimesMissed})
	NoWarningWithinDeadline = set.New("CRON-DEADLINE-004",
		"Where startingDeadlineSeconds is set, a CronJob controller SHOULD NOT warn of too many missed "+
			"times for those before that.",
		"batch/v1 CronJobSpec.startingDeadlineSeconds; docs: "+
			"concepts/workloads/controllers/cron-jobs#starting-deadline",
		contract.Situations{spec.ManyTimesMissed})
	DeadlineWithEvery = set.New("CRON-DEADLINE-005",
		"With @every and a startingDeadlineSeconds that is shorter than the interval, a CronJob controller SHOULD "+
			"start a missed Job within the deadline.",
		"batch/v1 CronJobSpec.startingDeadlineSeconds; the API accepts @every, the documentation does not mention it",
		contract.Situations{spec.TimeCame})
	ChangedDeadline = set.New("CRON-DEADLINE-006",
		"A startingDeadlineSeconds that is changed MUST hold at once: what was too late may be in time by it.",
		"batch/v1 CronJobSpec.startingDeadlineSeconds",
		contract.Situations{spec.StartIsTooLate})
	ShortDeadline = set.New("CRON-DEADLINE-007",
		"With a startingDeadlineSeconds of less than 10, also of 0, a CronJob controller MAY start the Job of a time "+
			"that it notices when it comes, or none.",
		"docs: concepts/workloads/controllers/cron-jobs#starting-deadline: with less than 10 s, the CronJob may "+
			"not be scheduled; MAY, as the API accepts 0, and kube-controller-manager takes each time for past by then")
)

// The field suspend.
var (
	SuspendedStartsNothing = set.New("CRON-SUSPEND-001",
		"A CronJob controller MUST NOT start Jobs while the CronJob is suspended.",
		"batch/v1 CronJobSpec.suspend; docs: concepts/workloads/controllers/cron-jobs#schedule-suspension",
		contract.Invariants{"cronjob-suspended-starts-nothing"}, contract.Situations{spec.DueWhilePaused})
	ResumeStartsMissed = set.New("CRON-SUSPEND-002",
		"When a CronJob without a starting deadline is resumed, a CronJob controller MUST "+
			"start what was missed at once.",
		"batch/v1 CronJobSpec.suspend; docs: concepts/workloads/controllers/cron-jobs#schedule-suspension",
		contract.Situations{spec.CronJobResumed, spec.DueWhilePaused})
	ResumeKeepsDeadline = set.New("CRON-SUSPEND-003",
		"When a CronJob is resumed, a CronJob controller MUST NOT start what was missed by more "+
			"than its starting deadline.",
		"batch/v1 CronJobSpec.suspend; batch/v1 CronJobSpec.startingDeadlineSeconds; docs: "+
			"concepts/workloads/controllers/cron-jobs#schedule-suspension",
		contract.Situations{spec.CronJobResumed, spec.StartIsTooLate})
	SuspensionLeavesJobs = set.New("CRON-SUSPEND-004",
		"Suspension MUST NOT change anything about Jobs that were started: they go on, and "+
			"the status notices their end.",
		"batch/v1 CronJobSpec.suspend",
		contract.Situations{spec.ChildFinished})
)

// What happens when a Job is due while another one runs.
var (
	AllowIsTheDefault = set.New("CRON-CONCURRENCY-001",
		"Where no concurrencyPolicy is set, it MUST be Allow.",
		"batch/v1 CronJobSpec.concurrencyPolicy",
		contract.Situations{spec.DueWhileRunning})
	AllowStartsAnother = set.New("CRON-CONCURRENCY-002",
		"With the policy Allow, a CronJob controller MUST start a Job beside those that run.",
		"batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
		contract.Situations{spec.DueWhileRunning})
	ForbidStartsNoOther = set.New("CRON-CONCURRENCY-003",
		"With the policy Forbid, a CronJob controller MUST NOT start a Job while an earlier one has not finished.",
		"batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
		contract.Invariants{"cronjob-forbid-holds"}, contract.Situations{spec.DueWhileRunning})
	ForbidStartsLater = set.New("CRON-CONCURRENCY-004",
		"With the policy Forbid, a CronJob controller MUST start the Job that was kept back when the earlier one has "+
			"finished, if it is not too late by then.",
		"batch/v1 CronJobSpec.concurrencyPolicy; docs: "+
			"concepts/workloads/controllers/cron-jobs#concurrency-policy",
		contract.Situations{spec.DueWhileRunning})
	ForbidSkipsAfterDeadline = set.New("CRON-CONCURRENCY-005",
		"With the policy Forbid, a CronJob controller MUST skip the Job that was kept back when "+
			"its starting deadline is over.",
		"batch/v1 CronJobSpec.concurrencyPolicy; batch/v1 CronJobSpec.startingDeadlineSeconds; docs: "+
			"concepts/workloads/controllers/cron-jobs#concurrency-policy",
		contract.Situations{spec.DueWhileRunning, spec.StartIsTooLate})
	ForbidIgnoresFailedJobs = set.New("CRON-CONCURRENCY-006",
		"With the policy Forbid, a Job that has failed MUST count as finished.",
		"batch/v1 CronJobSpec.concurrencyPolicy",
		contract.Situations{spec.ChildFinished})
	ForbidIgnoresMissingJobs = set.New("CRON-CONCURRENCY-007",
		"With the policy Forbid, a Job that does not exist MUST NOT keep others back, even if the status names it.",
		"batch/v1 CronJobSpec.concurrencyPolicy; kubernetes/kubernetes#58748; kubernetes/kubernetes#107827",
		contract.Situations{spec.TimeCame})
	ForbidCountsSuspendedJobs = set.New("CRON-CONCURRENCY-008",
		"With the policy Forbid, a Job that is suspended MUST count as one that has not finished.",
		"batch/v1 CronJobSpec.concurrencyPolicy; batch/v1 JobSpec.suspend; KEP-2232",
		contract.Situations{spec.DueWhileRunning})
	ForbidCountsTerminatingJobs = set.New("CRON-CONCURRENCY-009",
		"With the policy Forbid, a Job that is being deleted MUST count as one that has not "+
			"finished, until it is gone.",
		"batch/v1 CronJobSpec.concurrencyPolicy; kubernetes/kubernetes#58748",
		contract.Situations{spec.DueWhileRunning})
	PolicyCountsOwnJobs = set.New("CRON-CONCURRENCY-010",
		"With any policy, a CronJob controller MUST look at the Jobs of that CronJob only.",
		"batch/v1 CronJobSpec.concurrencyPolicy; docs: "+
			"concepts/workloads/controllers/cron-jobs#concurrency-policy",
		contract.Situations{spec.TimeCame})
	ChangedPolicyHoldsAtOnce = set.New("CRON-CONCURRENCY-011",
		"A policy that is changed MUST hold at once, for what is kept back and for what runs.",
		"batch/v1 CronJobSpec.concurrencyPolicy",
		contract.Situations{spec.DueWhileRunning, spec.PolicyChanged})
	ReplaceDeletesUnfinished = set.New("CRON-CONCURRENCY-012",
		"With the policy Replace, a CronJob controller MUST delete all Jobs of the CronJob that have not finished, "+
			"and start the new one then.",
		"batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
		contract.Invariants{"cronjob-replace-holds"}, contract.Situations{spec.DueWhileRunning})
	ReplaceDeletesPods = set.New("CRON-CONCURRENCY-013",
		"With the policy Replace, the pods of a Job that is replaced MUST go with it.",
		"batch/v1 CronJobSpec.concurrencyPolicy",
		contract.Situations{spec.DueWhileRunning})
	ReplaceKeepsFinished = set.New("CRON-CONCURRENCY-014",
		"With the policy Replace, a CronJob controller MUST leave Jobs alone that have finished.",
		"batch/v1 CronJobSpec.concurrencyPolicy",
		contract.Situations{spec.ChildFinished, spec.TimeCame})
	ReplaceDoesNotWait = set.New("CRON-CONCURRENCY-015",
		"With the policy Replace, a CronJob controller MUST NOT wait until a deleted Job or its pods are gone.",
		"batch/v1 CronJobSpec.concurrencyPolicy; kubernetes/kubernetes#59676",
		contract.Situations{spec.DueWhileRunning})
	ReplaceOnlyToStart = set.New("CRON-CONCURRENCY-016",
		"With the policy Replace, a CronJob controller MUST NOT delete anything for a time that it starts no Job for.",
		"batch/v1 CronJobSpec.concurrencyPolicy; batch/v1 CronJobSpec.startingDeadlineSeconds",
		contract.Situations{spec.DueWhileRunning, spec.StartIsTooLate})
)

// The Jobs that a CronJob creates.
var (
	JobFollowsTemplate = set.New("CRON-JOBS-001",
		"A Job of a CronJob MUST have the labels, the annotations and the spec of the template, "+
			"and none of the CronJob's own.",
		"batch/v1 JobTemplateSpec.metadata; batch/v1 JobTemplateSpec.spec; batch/v1 CronJobSpec.jobTemplate",
		contract.Situations{spec.TimeCame})
	CronJobOwnsJob = set.New("CRON-JOBS-002",
		"A Job of a CronJob MUST have the CronJob as its controlling owner, with blockOwnerDeletion.",
		"docs: concepts/architecture/garbage-collection; batch/v1 CronJobSpec.jobTemplate",
		contract.Invariants{"cronjob-job-is-owned"}, contract.Situations{spec.TimeCame})
	ScheduledTimeAnnotation = set.New("CRON-JOBS-003",
		"A Job of a CronJob MUST have its scheduled time in the annotation "+
			"batch.kubernetes.io/cronjob-scheduled-timestamp.",
		"batch/v1 CronJobScheduledTimestampAnnotation; KEP-4026",
		contract.Invariants{"cronjob-job-is-marked"},
		contract.Grounds{spec.CronJobScheduledTime}, contract.Situations{spec.TimeCame})
	JobNameFollowsCronJob = set.New("CRON-JOBS-004",
		"A Job of a CronJob MUST have a name that begins with the CronJob's, and that is valid even for a "+
			"CronJob's name of 52 characters.",
		"docs: concepts/workloads/controllers/cron-jobs#writing-a-cronjob-spec",
		contract.Situations{spec.TimeCame})
	LeavesForeignJobs = set.New("CRON-JOBS-005",
		"A CronJob controller MUST leave a Job alone that has the name it wants, but not the owner.",
		"docs: concepts/architecture/garbage-collection",
		contract.Situations{spec.TimeCame})
	KeepsCronJobsApart = set.New("CRON-JOBS-006",
		"A CronJob controller MUST keep the Jobs of CronJobs apart that have the same template.",
		"kubernetes/kubernetes#107997; batch/v1 CronJobStatus.active",
		contract.About{spec.CronJobActive}, contract.Situations{spec.TimeCame})
	JobsGoWithCronJob = set.New("CRON-JOBS-007",
		"When a CronJob is deleted, its Jobs and their pods MUST be able to go with it.",
		"docs: concepts/architecture/garbage-collection; docs: concepts/workloads/controllers/cron-jobs",
		contract.Situations{spec.CronJobGone})
	ChangedTemplate = set.New("CRON-JOBS-008",
		"A change of the template MUST hold for the Jobs that start from then on, and MUST NOT "+
			"change those that were started.",
		"docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob",
		contract.Situations{spec.TemplateChanged})
	RetriesToStartAJob = set.New("CRON-JOBS-009",
		"A CronJob controller MUST go on trying to start a Job that cannot be created for a while.",
		"docs: concepts/workloads/controllers/cron-jobs#job-creation",
		contract.Situations{spec.TimeCame})
)

// How a Job follows from the template and its scheduled time.
var (
	TemplateCannotSetScheduledTime = set.New("CRON-TEMPLATE-001",
		"The annotation with the scheduled time MUST be the Job's own, even if the template has such an annotation.",
		"batch/v1 CronJobScheduledTimestampAnnotation; KEP-4026",
		contract.Invariants{"cronjob-starts-in-time"}, contract.About{spec.CronJobScheduledTime},
		contract.Situations{spec.TimeCame})
	TemplateMaySuspend = set.New("CRON-TEMPLATE-002",
		"A CronJob controller MUST create the Job as the template says also if it says that the Job shall be "+
			"suspended, and MUST leave it so.",
		"batch/v1 JobTemplateSpec.spec; batch/v1 JobSpec.suspend; KEP-2232",
		contract.Situations{spec.TimeCame})
	JobNameIsStable = set.New("CRON-TEMPLATE-003",
		"A CronJob controller SHOULD give the Job of a scheduled time the same name each time that it creates it, so "+
			"that it cannot be there twice.",
		"KEP-19; docs: concepts/workloads/controllers/cron-jobs#cron-job-limitations",
		contract.Situations{spec.TimeCame})
)

// How a CronJob finds its Jobs where names are misleading.
var (
	KnowsCronJobByUID = set.New("CRON-OWNERS-001",
		"A CronJob controller MUST distinguish a CronJob from others of its name by the UID in "+
			"the owner reference of Jobs.",
		"metav1.OwnerReference; kubernetes/kubernetes#107997",
		contract.Invariants{"cronjob-active-are-its-jobs"})
	OrphanedJobsRun = set.New("CRON-OWNERS-002",
		"When a CronJob is deleted and its Jobs are not, they MUST run on without an owner.",
		"metav1.DeletePropagationOrphan; docs: concepts/architecture/garbage-collection#orphaned-dependents",
		contract.Situations{spec.CronJobGone})
	NotTheEarlierCronJobsJobs = set.New("CRON-OWNERS-003",
		"A CronJob MUST NOT be given the Jobs that an earlier one of its name left behind.",
		"metav1.OwnerReference",
		contract.Situations{spec.CronJobRecreated})
	NotFromOtherNamespaces = set.New("CRON-OWNERS-004",
		"A CronJob controller MUST NOT list as active, and MUST NOT wait for, a Job of another namespace whose owner "+
			"reference names the CronJob.",
		"docs: concepts/overview/working-with-objects/owners-dependents: cross-namespace owner references are "+
			"disallowed by design; what the reference says beside the UID is left open, as "+
			"kube-controller-manager goes by the UID alone",
		contract.Invariants{"cronjob-active-in-its-namespace"})
)

// How many finished Jobs are kept.
var (
	KeepsNewestSuccessful = set.New("CRON-HISTORY-001",
		"A CronJob controller MUST keep the newest successful Jobs, as many as successfulJobsHistoryLimit "+
			"says, and delete the others.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit; docs: "+
			"concepts/workloads/controllers/cron-jobs#jobs-history-limits",
		contract.Invariants{"cronjob-history-at-rest"}, contract.Situations{spec.OverHistoryLimit})
	KeepsNewestFailed = set.New("CRON-HISTORY-002",
		"A CronJob controller MUST keep the newest failed Jobs, as many as failedJobsHistoryLimit "+
			"says, and delete the others.",
		"batch/v1 CronJobSpec.failedJobsHistoryLimit; docs: "+
			"concepts/workloads/controllers/cron-jobs#jobs-history-limits",
		contract.Invariants{"cronjob-history-at-rest"}, contract.Situations{spec.OverHistoryLimit})
	HistoryLimitDefaults = set.New("CRON-HISTORY-003",
		"The limits MUST be three successful Jobs and one failed Job where they are not set.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit; batch/v1 CronJobSpec.failedJobsHistoryLimit",
		contract.Situations{spec.OverHistoryLimit})
	HistoryLimitZero = set.New("CRON-HISTORY-004",
		"With a limit of 0, a CronJob controller MUST keep none.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit; batch/v1 CronJobSpec.failedJobsHistoryLimit; docs: "+
			"concepts/workloads/controllers/cron-jobs#jobs-history-limits",
		contract.Situations{spec.OverHistoryLimit})
	LoweredHistoryLimit = set.New("CRON-HISTORY-005",
		"A limit that is lowered MUST hold at once.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit; batch/v1 CronJobSpec.failedJobsHistoryLimit",
		contract.Situations{spec.OverHistoryLimit})
	KeepsUnfinishedJobs = set.New("CRON-HISTORY-006",
		"A CronJob controller MUST NOT delete a Job that has not finished for the sake of a limit.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit",
		contract.Situations{spec.OverHistoryLimit})
	HistoryWhileSuspended = set.New("CRON-HISTORY-007",
		"The limits MUST hold while the CronJob is suspended.",
		"batch/v1 CronJobSpec.suspend; batch/v1 CronJobSpec.successfulJobsHistoryLimit",
		contract.Situations{spec.OverHistoryLimit})
	HistoryLeavesOthers = set.New("CRON-HISTORY-008",
		"A CronJob controller MUST NOT delete Jobs of others for the sake of a limit.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit; docs: "+
			"concepts/workloads/controllers/cron-jobs#jobs-history-limits")
	HistoryWhileStartsFail = set.New("CRON-HISTORY-009",
		"The limits MUST hold while no Job can be started.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit; kubernetes/kubernetes#119776",
		contract.Situations{spec.OverHistoryLimit})
	HistoryDeletesPods = set.New("CRON-HISTORY-010",
		"The pods of a Job that is deleted for a limit MUST go with it.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit; docs: "+
			"concepts/workloads/controllers/cron-jobs#jobs-history-limits",
		contract.Situations{spec.OverHistoryLimit})
)

// What the status of a CronJob records of its Jobs.
var (
	ActiveRefersToRunning = set.New("CRON-STATUS-001",
		"The status field active MUST refer to every Job of the CronJob that runs, and to nothing else.",
		"batch/v1 CronJobStatus.active; kubernetes/kubernetes#107827",
		contract.Invariants{"cronjob-active-are-its-jobs", "cronjob-active-in-its-namespace", "cronjob-active-at-rest"},
		contract.Grounds{spec.CronJobStarted, spec.CronJobActive, spec.CronJobNoOther})
	FinishedLeaveActive = set.New("CRON-STATUS-002",
		"A Job that has finished, with success or without, MUST leave the status field active.",
		"batch/v1 CronJobStatus.active",
		contract.Invariants{"cronjob-finished-not-active-at-rest"},
		contract.About{spec.CronJobNoOther}, contract.Situations{spec.ChildFinished})
	DeletedLeaveActive = set.New("CRON-STATUS-003",
		"A Job that was deleted MUST leave the status field active, and MUST NOT be started again.",
		"batch/v1 CronJobStatus.active; batch/v1 CronJobStatus.lastScheduleTime",
		contract.Invariants{"cronjob-gone-not-active-at-rest"},
		contract.About{spec.CronJobNoOther}, contract.Situations{spec.ChildDeleted})
	LastScheduleTime = set.New("CRON-STATUS-004",
		"The status field lastScheduleTime MUST be the scheduled time of the Job that was started last.",
		"batch/v1 CronJobStatus.lastScheduleTime",
		contract.Invariants{"cronjob-times-move-forward"},
		contract.Grounds{spec.CronJobLastScheduleTime}, contract.Situations{spec.TimeCame})
	LastSuccessfulTime = set.New("CRON-STATUS-005",
		"The status field lastSuccessfulTime MUST be the latest completionTime of the CronJob's successful Jobs, in "+
			"whatever order they are seen.",
		"batch/v1 CronJobStatus.lastSuccessfulTime",
		contract.CronLastSuccess, contract.Invariants{"cronjob-last-success-was-one", "cronjob-last-success-at-rest"},
		contract.Situations{spec.ChildFinished})
	FailureKeepsLastSuccess = set.New("CRON-STATUS-006",
		"A Job that has failed MUST NOT change lastSuccessfulTime.",
		"batch/v1 CronJobStatus.lastSuccessfulTime", contract.CronLastSuccess,
		contract.Situations{spec.ChildFinished})
	ManualJobSucceeds = set.New("CRON-STATUS-007",
		"The success of a Job that somebody started by hand and made the CronJob's MUST be in lastSuccessfulTime.",
		"batch/v1 CronJobStatus.lastSuccessfulTime; kubernetes/kubernetes#118530", contract.CronLastSuccess,
		contract.Situations{spec.ChildFinished})
	TakesUpLostJob = set.New("CRON-STATUS-008",
		"A CronJob controller MUST take a Job up again that it has started and lost from the status, "+
			"instead of starting it twice.",
		"kubernetes/kubernetes#120649; kubernetes/kubernetes#136918",
		contract.About{spec.CronJobActive})
	KnowsJobsByOwner = set.New("CRON-STATUS-009",
		"A CronJob controller MUST know its Jobs by their owner, whatever labels the template has by now.",
		"kubernetes/kubernetes#107997; kubernetes/kubernetes#106496; kubernetes/kubernetes#108023",
		contract.About{spec.CronJobActive})
	QuietCronStatus = set.New("CRON-STATUS-010",
		"A CronJob controller MUST NOT write the status again and again while nothing happens "+
			"to the CronJob and its Jobs.",
		"API conventions: spec and status; docs: concepts/architecture/controller",
		contract.Invariants{"cronjob-writes-have-causes"})
	ActsOnJobs = set.New("CRON-STATUS-011",
		"A CronJob controller MUST act when a Job ends, is deleted or becomes its own, and not only when the next "+
			"Job is due.",
		"batch/v1 CronJobStatus.active; docs: concepts/architecture/controller",
		contract.Grounds{spec.CronJobActsOnJobs})
)

// Events.
var (
	EventForForbidden = set.New("CRON-EVENTS-001",
		"A CronJob controller SHOULD emit an event when the policy Forbid keeps it from starting a Job.",
		"batch/v1 CronJobSpec.concurrencyPolicy; docs: concepts/workloads/controllers/cron-jobs#concurrency-policy",
		contract.Situations{spec.DueWhileRunning})
	NoFalseEvents = set.New("CRON-EVENTS-002",
		"A CronJob controller SHOULD NOT emit an event about a missing or unexpected Job while there is none.",
		"docs: concepts/workloads/controllers/cron-jobs")
	NoWarningWhileReplacing = set.New("CRON-EVENTS-003",
		"A CronJob controller SHOULD NOT emit a warning when it replaces running Jobs and no request fails.",
		"batch/v1 CronJobSpec.concurrencyPolicy; kubernetes/kubernetes#36161",
		contract.Situations{spec.DueWhileRunning})
	EventsForStartAndEnd = set.New("CRON-TELLS-001",
		"A CronJob controller SHOULD emit the event SuccessfulCreate when it has started a Job, and "+
			"SawCompletedJob when it has seen its end.",
		"docs: tasks/job/automated-tasks-with-cron-jobs",
		contract.Situations{spec.ChildFinished})
	EventForDeletedJob = set.New("CRON-TELLS-002",
		"A CronJob controller SHOULD emit the event SuccessfulDelete for a Job that it has deleted.",
		"batch/v1 CronJobSpec.successfulJobsHistoryLimit; docs: "+
			"concepts/workloads/controllers/cron-jobs#jobs-history-limits",
		contract.Situations{spec.OverHistoryLimit})
	EventsForMissingAndUnexpected = set.New("CRON-TELLS-003",
		"A CronJob controller SHOULD emit the event MissingJob for a running Job that is gone, and the warning "+
			"UnexpectedJob for a Job of the CronJob that it did not start.",
		"kubernetes/kubernetes#107827; kubernetes/kubernetes#120649",
		contract.Situations{spec.ChildDeleted})
)
