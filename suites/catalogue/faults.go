package catalogue

// faults is what holds when requests fail, answers are lost, caches lag behind
// and controllers crash. The conventions that all of it follows from: a
// controller is level-triggered, and acts on what it observes, not on what it
// believes to have done.
var faults = []Requirement{
	{
		ID:     "JOB-FAULTS-001",
		Text:   "A Job controller MUST create exactly the pods that a Job needs, whether requests for them fail, are put off, or go through without an answer.",
		Source: "API conventions: controllers are level-triggered; KEP-2307; batch/v1 JobSpec.completions",
	},
	{
		ID:     "JOB-FAULTS-002",
		Text:   "A Job controller MUST count every pod exactly once, whether its status writes fail, conflict, are put off, or go through without an answer.",
		Source: "KEP-2307; batch/v1 JobStatus.uncountedTerminatedPods; kubernetes/kubernetes#105199",
	},
	{
		ID:     "JOB-FAULTS-003",
		Text:   "A Job controller MUST remove the tracking finalizer from every pod that it has counted, whether its requests for that fail, conflict, are put off, or go through without an answer.",
		Source: "KEP-2307; kubernetes/kubernetes#119159",
	},
	{
		ID:     "JOB-FAULTS-004",
		Text:   "A Job controller MUST delete the pods that a Job shall not have any more, whether its requests for that fail, are put off, or go through without an answer.",
		Source: "batch/v1 JobSpec.suspend; API conventions: controllers are level-triggered",
	},
	{
		ID:     "JOB-FAULTS-005",
		Text:   "A Job controller MUST remove the tracking finalizer from the pods of a Job that is gone, even if its requests for that failed at first.",
		Source: "KEP-2307; kubernetes/kubernetes#141329",
	},
	{
		ID:     "JOB-FAULTS-006",
		Text:   "A Job controller MUST carry a Job to its end when its events cannot be written.",
		Source: "core/v1 Event: events should be treated as informative, best-effort, supplemental data",
	},
	{
		ID:     "JOB-FAULTS-007",
		Text:   "A Job controller MUST NOT create pods that a Job does not need because its view of the Job is old.",
		Source: "batch/v1 JobSpec.completions; kubernetes/kubernetes#130103; kubernetes/kubernetes#137210",
	},
	{
		ID:     "JOB-FAULTS-008",
		Text:   "A Job controller MUST NOT take a Job that was created again under the name of a deleted one for the deleted one.",
		Source: "docs: concepts/overview/working-with-objects/names#uids; kubernetes/kubernetes#132042",
	},
	{
		ID:     "JOB-FAULTS-009",
		Text:   "A Job controller MUST NOT create pods beyond parallelism or count pods wrongly because its view of the pods is old.",
		Source: "batch/v1 JobSpec.parallelism; batch/v1 JobStatus.uncountedTerminatedPods",
	},
	{
		ID:     "JOB-FAULTS-010",
		Text:   "A Job controller MUST catch up with all that happened to Jobs and pods while its watches could not be continued.",
		Source: "docs: reference/using-api/api-concepts#efficient-detection-of-changes; API conventions: controllers are level-triggered",
	},
	{
		ID:     "JOB-FAULTS-011",
		Text:   "A Job controller MUST catch up with all that happened to Jobs and pods while it could not reach the API server.",
		Source: "API conventions: controllers are level-triggered; KEP-2307",
	},
	{
		ID:     "JOB-FAULTS-012",
		Text:   "A Job controller MUST carry on with the Jobs of a leader that it takes over from, whatever that one had begun or still writes.",
		Source: "docs: concepts/architecture/leases#leader-election; KEP-2307",
	},
	{
		ID:     "JOB-FAULTS-013",
		Text:   "A Job controller MUST carry on with every Job after a crash at any moment, with no pod created, counted or left out by mistake.",
		Source: "KEP-2307; API conventions: controllers are level-triggered",
	},
	{
		ID:     "CRON-FAULTS-001",
		Text:   "A CronJob controller MUST start exactly one Job for a tick, whether requests for it fail, are put off, or go through without an answer.",
		Source: "batch/v1 CronJobSpec.schedule; kubernetes/kubernetes#120649",
	},
	{
		ID:     "CRON-FAULTS-002",
		Text:   "A CronJob controller MUST bring the status of a CronJob in line with its Jobs, whether its status writes fail, conflict, are put off, or go through without an answer.",
		Source: "batch/v1 CronJobStatus.active; batch/v1 CronJobStatus.lastScheduleTime",
	},
	{
		ID:     "CRON-FAULTS-003",
		Text:   "A CronJob controller MUST delete the Jobs that a CronJob shall not have any more, whether its requests for that fail, are put off, or go through without an answer.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy; batch/v1 CronJobSpec.successfulJobsHistoryLimit",
	},
	{
		ID:     "CRON-FAULTS-004",
		Text:   "A CronJob controller MUST NOT start a Job twice for a tick, or beside one that forbids it, because its view of CronJobs or of Jobs is old.",
		Source: "batch/v1 CronJobSpec.concurrencyPolicy",
	},
	{
		ID:     "CRON-FAULTS-005",
		Text:   "A CronJob controller MUST catch up with all that happened while its watches could not be continued or the API server could not be reached.",
		Source: "docs: reference/using-api/api-concepts#efficient-detection-of-changes; API conventions: controllers are level-triggered",
	},
	{
		ID:     "CRON-FAULTS-006",
		Text:   "A CronJob controller MUST start exactly one Job for a tick and keep track of it, whenever it crashes or another replica takes over.",
		Source: "batch/v1 CronJobStatus.active; kubernetes/kubernetes#120649; kubernetes/kubernetes#136918",
	},
}
