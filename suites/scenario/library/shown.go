package library

// Shown are issues that need no scenario because specs cover them: the requirement of
// those specs.
func Shown() map[int]string {
	return map[int]string{
		// Jobs.
		111646: "JOB-BACKOFF-007", 109485: "JOB-BACKOFF-007", // a pod succeeds after the Job was judged failed
		114516: "JOB-BACKOFF-008", 114391: "JOB-BACKOFF-008", // pods are made at least 10 s, 20 s, 40 s apart
		63650: "JOB-BACKOFF-001", 62382: "JOB-BACKOFF-001", // the limit stops retries
		60202: "JOB-BACKOFF-001", 56853: "JOB-BACKOFF-001",
		60735:  "JOB-BACKOFF-011",                                    // a success ends the delay
		117015: "JOB-REPLACEMENT-001", 115844: "JOB-REPLACEMENT-001", // Failed waits for the pod's end
		121147: "JOB-STATUS-003", 122235: "JOB-STATUS-003", // terminating pods beyond parallelism
		104666: "JOB-TRACKING-003",    // more pods end at once than the status has room for
		121342: "JOB-STATUS-003",      // terminating alone is worth a status
		99963:  "JOB-COMPLETIONS-008", // surplus pods go at completion
		99865:  "JOB-INDEXED-013",     // an index that succeeds twice counts once
		108887: "JOB-INDEXED-008",     // an index that has succeeded is not run again
		// CronJobs.
		42649: "CRON-SCHEDULE-007", 45825: "CRON-SCHEDULE-008", // over a hundred missed
		118724: "CRON-SCHEDULE-006", 121327: "CRON-SCHEDULE-006", // ticks that are not evenly spaced
		41655:  "CRON-SCHEDULE-011",                                                     // a schedule that never comes
		59676:  "CRON-CONCURRENCY-015",                                                  // a Job that is being deleted is in nobody's way
		109250: "CRON-SYNTAX-003",                                                       // @every does not drift
		107997: "CRON-STATUS-009", 106496: "CRON-STATUS-009", 108023: "CRON-STATUS-009", // labels of the template change
		119776: "CRON-HISTORY-009",                                     // history limits with a full quota
		118530: "CRON-STATUS-007",                                      // a Job that was started by hand
		116252: "API-CRONJOB-006",                                      // TZ= in a schedule
		58748:  "CRON-CONCURRENCY-003", 107827: "CRON-CONCURRENCY-003", // Forbid with a stuck Job
	}
}
