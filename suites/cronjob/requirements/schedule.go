// Package requirements has the requirements of a CronJob controller. The specs
// beside it cover them.
package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// When a CronJob starts Jobs.
var (
	StartsOnSchedule = contract.New("CRON-SCHEDULE-001",
		"A CronJob controller MUST start a Job when the schedule says so.",
		"batch/v1 CronJobSpec.schedule; docs: concepts/workloads/controllers/cron-jobs",
		contract.Invariants{"cronjob-starts-in-time"})
	OneJobPerTime = contract.New("CRON-SCHEDULE-002",
		"A CronJob controller MUST NOT start more than one Job for a scheduled time.",
		"batch/v1 CronJobStatus.lastScheduleTime; kubernetes/kubernetes#120649",
		contract.Invariants{"cronjob-one-job-per-time"})
	NoticesTimeAlone = contract.New("CRON-SCHEDULE-003",
		"A CronJob controller MUST notice a scheduled time by itself, without any change of an object.",
		"batch/v1 CronJobSpec.schedule")
	NotBeforeCreation = contract.New("CRON-SCHEDULE-004",
		"A CronJob controller MUST NOT start a Job for a time before the CronJob was created.",
		"batch/v1 CronJobSpec.schedule; batch/v1 CronJobStatus.lastScheduleTime")
	NotBeforeLastSchedule = contract.New("CRON-SCHEDULE-005",
		"A CronJob controller MUST NOT start a Job for the time in lastScheduleTime, or one before it.",
		"batch/v1 CronJobStatus.lastScheduleTime")
	LatestMissedOnly = contract.New("CRON-SCHEDULE-006",
		"After several scheduled times were missed, a CronJob controller MUST start a Job for the latest of them only.",
		"docs: concepts/workloads/controllers/cron-jobs#job-creation; kubernetes/kubernetes#118724")
	ManyMissedTimes = contract.New("CRON-SCHEDULE-007",
		"A CronJob controller MUST start a Job for the latest missed time even if more than a hundred were missed.",
		"kubernetes/kubernetes#42649; kubernetes/kubernetes#45825")
	WarnsOfManyMissedTimes = contract.New("CRON-SCHEDULE-008",
		"A CronJob controller SHOULD warn by an event when more than a hundred scheduled times were missed.",
		"docs: concepts/workloads/controllers/cron-jobs#starting-deadline; kubernetes/kubernetes#42649")
	DayOrWeekday = contract.New("CRON-SCHEDULE-009",
		"A schedule that restricts both the day of the month and the weekday MUST hold on days that meet one of the two.",
		"docs: concepts/workloads/controllers/cron-jobs#schedule-syntax")
	ScheduleMacros = contract.New("CRON-SCHEDULE-010",
		"A CronJob controller MUST understand the macros of schedules, such as @yearly.",
		"docs: concepts/workloads/controllers/cron-jobs#schedule-syntax")
	ImpossibleSchedule = contract.New("CRON-SCHEDULE-011",
		"A schedule that never comes MUST NOT keep a CronJob controller from the others.",
		"kubernetes/kubernetes#41655")
	NoJobsWhileBeingDeleted = contract.New("CRON-SCHEDULE-012",
		"A CronJob controller MUST NOT start a Job for a CronJob that is being deleted.",
		"docs: concepts/architecture/garbage-collection")
	ChangedSchedule = contract.New("CRON-SCHEDULE-013",
		"A CronJob controller MUST go by the schedule as it is now, for the Jobs that it starts from then on.",
		"docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob")
)

// How a schedule may be written.
var (
	EveryMacro = contract.New("CRON-SYNTAX-001",
		"A CronJob controller MUST understand @hourly, @daily, @midnight, @weekly, @monthly, @yearly and @annually as the first minute of an hour, a day, a week (which begins on Sunday), a month and a year.",
		"docs: concepts/workloads/controllers/cron-jobs#schedule-syntax")
	ListsRangesSteps = contract.New("CRON-SYNTAX-002",
		"A CronJob controller MUST understand lists, ranges, steps, the names of months and weekdays, and a question mark in place of an asterisk.",
		"batch/v1 CronJobSpec.schedule; docs: concepts/workloads/controllers/cron-jobs#schedule-syntax")
	EveryDoesNotDrift = contract.New("CRON-SYNTAX-003",
		"A CronJob controller SHOULD count the intervals of @every from the last scheduled time on, so that delays do not add up.",
		"kubernetes/kubernetes#109250; the API accepts @every, the documentation does not mention it")
)

// A schedule that changes.
var (
	ChangedScheduleSkipsThePast = contract.New("CRON-CHANGES-001",
		"A CronJob controller SHOULD NOT start a Job for a time that is in the past when the schedule is changed to one that has it.",
		"docs: concepts/workloads/controllers/cron-jobs#modifying-a-cronjob; KEP-19")
)

// The time zone of a schedule (KEP-3140).
var (
	ScheduleInTimeZone = contract.New("CRON-ZONE-001",
		"A CronJob controller MUST read the schedule in the CronJob's time zone.",
		"batch/v1 CronJobSpec.timeZone; KEP-3140; docs: concepts/workloads/controllers/cron-jobs#time-zones",
		contract.CronTimeZone)
	AnnotationInTimeZone = contract.New("CRON-ZONE-002",
		"The scheduled time in a Job's annotation MUST be in the CronJob's time zone.",
		"KEP-4026; batch/v1 CronJobScheduledTimestampAnnotation",
		contract.CronTimeZone)
	ChangedTimeZone = contract.New("CRON-ZONE-003",
		"A time zone that is changed MUST hold for the Jobs that start from then on.",
		"batch/v1 CronJobSpec.timeZone; KEP-3140",
		contract.CronTimeZone)
	LocalDays = contract.New("CRON-LOCAL-001",
		"The days, months and weekdays of a schedule MUST be those of the CronJob's time zone.",
		"batch/v1 CronJobSpec.timeZone; docs: concepts/workloads/controllers/cron-jobs#time-zones",
		contract.CronTimeZone)
	DaylightSaving = contract.New("CRON-LOCAL-002",
		"The offset of the time zone MUST be the one that it has at the scheduled time, in summer and in winter.",
		"batch/v1 CronJobSpec.timeZone; KEP-3140",
		contract.CronTimeZone)
)

// The field startingDeadlineSeconds: until when a missed Job may start.
var (
	StartsWithinDeadline = contract.New("CRON-DEADLINE-001",
		"A CronJob controller MUST start a missed Job within startingDeadlineSeconds of its scheduled time.",
		"batch/v1 CronJobSpec.startingDeadlineSeconds; docs: concepts/workloads/controllers/cron-jobs#starting-deadline")
	NotAfterDeadline = contract.New("CRON-DEADLINE-002",
		"A CronJob controller MUST NOT start a missed Job when startingDeadlineSeconds have passed since its scheduled time.",
		"batch/v1 CronJobSpec.startingDeadlineSeconds; docs: concepts/workloads/controllers/cron-jobs#starting-deadline",
		contract.Invariants{"cronjob-starts-in-time"})
	DeadlineLimitsMissedTimes = contract.New("CRON-DEADLINE-003",
		"Where startingDeadlineSeconds is set, times missed before that MUST NOT count among those that are too many.",
		"docs: concepts/workloads/controllers/cron-jobs#starting-deadline")
)

// The field suspend.
var (
	SuspendedStartsNothing = contract.New("CRON-SUSPEND-001",
		"A CronJob controller MUST NOT start Jobs while the CronJob is suspended.",
		"batch/v1 CronJobSpec.suspend; docs: concepts/workloads/controllers/cron-jobs#schedule-suspension",
		contract.Invariants{"cronjob-suspended-starts-nothing"})
	ResumeStartsMissed = contract.New("CRON-SUSPEND-002",
		"When a CronJob without a starting deadline is resumed, a CronJob controller MUST start what was missed at once.",
		"docs: concepts/workloads/controllers/cron-jobs#schedule-suspension")
	ResumeKeepsDeadline = contract.New("CRON-SUSPEND-003",
		"When a CronJob is resumed, a CronJob controller MUST NOT start what was missed by more than its starting deadline.",
		"docs: concepts/workloads/controllers/cron-jobs#schedule-suspension; batch/v1 CronJobSpec.startingDeadlineSeconds")
	SuspensionLeavesJobs = contract.New("CRON-SUSPEND-004",
		"Suspension MUST NOT change anything about Jobs that were started: they go on, and the status notices their end.",
		"batch/v1 CronJobSpec.suspend")
)
