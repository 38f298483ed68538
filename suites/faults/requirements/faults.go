// Package requirements has the requirements of controllers whose requests fail, whose
// caches are stale, or that crash. The specs beside it cover them.
package requirements

import (
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// set has all requirements of this package.
var set contract.Set

// Declared returns all requirements of this package.
func Declared() []contract.Requirement { return set.All() }

// What holds when requests fail, answers are lost, caches are stale and controllers
// crash. All of it follows from the API conventions: a controller is level-triggered
// and acts on what it observes, not on what it believes to have done.
var (
	CreatesDespiteFaults = set.New("JOB-FAULTS-001",
		"A Job controller MUST create exactly the pods that a Job needs, whether requests for them fail, are "+
			"throttled, or lose their answer although a watch shows the pod.",
		"API conventions: controllers are level-triggered; KEP-2307; batch/v1 JobSpec.completions",
		contract.Situations{spec.RequestFailed})
	CountsDespiteFaults = set.New("JOB-FAULTS-002",
		"A Job controller MUST count every pod exactly once, whether its status writes fail, conflict, are "+
			"throttled, or lose their answer.",
		"KEP-2307; batch/v1 JobStatus.uncountedTerminatedPods; kubernetes/kubernetes#105199",
		contract.Situations{spec.RequestFailed})
	ReleasesDespiteFaults = set.New("JOB-FAULTS-003",
		"A Job controller MUST remove the tracking finalizer from every pod that it has counted, whether its "+
			"requests for that fail, conflict, are throttled, or lose their answer.",
		"KEP-2307; kubernetes/kubernetes#119159",
		contract.Situations{spec.RequestFailed})
	DeletesDespiteFaults = set.New("JOB-FAULTS-004",
		"A Job controller MUST delete the pods that a Job shall not have any more, whether its requests for that "+
			"fail, are throttled, or lose their answer.",
		"batch/v1 JobSpec.suspend; API conventions: controllers are level-triggered",
		contract.Situations{spec.RequestFailed})
	ReleasesOrphansDespiteFaults = set.New("JOB-FAULTS-005",
		"A Job controller MUST remove the tracking finalizer from the pods of a Job that is gone, even if its "+
			"requests for that failed at first.",
		"KEP-2307; kubernetes/kubernetes#141329",
		contract.Situations{spec.DeletedWithPods})
	FinishesWithoutEvents = set.New("JOB-FAULTS-006",
		"A Job controller MUST carry a Job to its end when its events cannot be written.",
		"core/v1 Event: events should be treated as informative, best-effort, supplemental data",
		contract.Situations{spec.RequestFailed})
	StaleJob = set.New("JOB-FAULTS-007",
		"A Job controller MUST NOT create pods that a Job does not need because its view of the Job is old.",
		"batch/v1 JobSpec.completions; kubernetes/kubernetes#130103; kubernetes/kubernetes#137210",
		contract.Situations{spec.WatchLate})
	StaleUID = set.New("JOB-FAULTS-008",
		"A Job controller MUST NOT take a Job that was created again under the name of a "+
			"deleted one for the deleted one.",
		"docs: concepts/overview/working-with-objects/names#uids; kubernetes/kubernetes#132042",
		contract.Situations{spec.JobRecreated})
	StalePods = set.New("JOB-FAULTS-009",
		"A Job controller MUST NOT create pods beyond parallelism or count pods wrongly because "+
			"its view of the pods is old.",
		"batch/v1 JobSpec.parallelism; batch/v1 JobStatus.uncountedTerminatedPods",
		contract.Situations{spec.WatchLate})
	ExpiredWatches = set.New("JOB-FAULTS-010",
		"A Job controller MUST catch up with all that happened to Jobs and pods while its "+
			"watches could not be continued.",
		"docs: reference/using-api/api-concepts#efficient-detection-of-changes; API conventions: "+
			"controllers are level-triggered",
		contract.Situations{spec.WatchExpired})
	APIServerAway = set.New("JOB-FAULTS-011",
		"A Job controller MUST catch up with all that happened to Jobs and pods while it "+
			"could not reach the API server.",
		"API conventions: controllers are level-triggered; KEP-2307",
		contract.Situations{spec.CutOff})
	LeaderChanges = set.New("JOB-FAULTS-012",
		"A Job controller MUST carry on with the Jobs of a leader that it takes over from, whatever that "+
			"one had begun or still writes.",
		"docs: concepts/architecture/leases#leader-election; KEP-2307",
		contract.Situations{spec.LeaderChanged})
	SurvivesCrashes = set.New("JOB-FAULTS-013",
		"A Job controller MUST carry on with every Job after a crash at any moment, with no pod created, "+
			"counted or left out by mistake.",
		"KEP-2307; API conventions: controllers are level-triggered",
		contract.Situations{spec.Restarted})
	HealsLostCreates = set.New("JOB-FAULTS-014",
		"A Job controller MUST delete a pod that a Job does not need, where it has created one twice because an "+
			"answer was lost and its view of the pods was old.",
		"docs: concepts/workloads/controllers/job/#completion-mode; batch/v1 JobSpec.parallelism",
		contract.Situations{spec.RequestFailed})
	RetriesRefusedPods = set.New("JOB-FAULTS-015",
		"A Job controller MUST create a pod that the API server has refused, by itself, whatever the code of the "+
			"refusal.",
		"kubernetes/kubernetes#111026; docs: reference/access-authn-authz/extensible-admission-controllers: a webhook "+
			"chooses the code, so that none is final; API conventions: controllers are level-triggered",
		contract.Situations{spec.RequestFailed})
	OnlyTheLeaderWrites = set.New("JOB-FAULTS-016",
		"A replica of a Job controller MUST NOT change Jobs or pods while another one has the Lease that they share, "+
			"and it knows that.",
		"docs: concepts/architecture/leases#leader-election: only one instance of a component is running at any "+
			"given time")
	CatchesUpAfterStandstill = set.New("JOB-FAULTS-017",
		"A Job controller MUST catch up with all that happened to Jobs and pods while its process stood still.",
		"API conventions: controllers are level-triggered; docs: concepts/architecture/controller",
		contract.Situations{spec.StoodStill})
	ReadsFullAnswers = set.New("JOB-FAULTS-018",
		"A Job controller MUST NOT take an answer that breaks off in the middle for a complete one.",
		"API conventions: controllers are level-triggered; KEP-2307",
		contract.Situations{spec.RequestFailed})
	TakesNewConnections = set.New("JOB-FAULTS-019",
		"A Job controller MUST go on over another connection when the API server ends the one that it uses.",
		"docs: reference/command-line-tools-reference/kube-apiserver: goaway-chance, so that the load is spread; "+
			"RFC 9113, 6.8: GOAWAY")
	APIServerRestarts = set.New("JOB-FAULTS-020",
		"A Job controller MUST catch up with all that happened to Jobs and pods while the API server restarted, "+
			"after which no watch goes on from before.",
		"docs: reference/using-api/api-concepts#410-gone-responses; API conventions: controllers are level-triggered",
		contract.Situations{spec.CutOff})
	RightsReturn = set.New("JOB-FAULTS-021",
		"A Job controller MUST catch up with all that happened to Jobs and pods while it was forbidden to read and "+
			"write them.",
		"docs: reference/access-authn-authz/rbac; API conventions: controllers are level-triggered",
		contract.Situations{spec.WatchExpired})
	OldLists = set.New("JOB-FAULTS-022",
		"A Job controller MUST NOT count a pod again because the lists after a restart show an older state.",
		"docs: reference/using-api/api-concepts#semantics-for-get-and-list: any state may be much older than one that "+
			"the client has observed before; KEP-2307",
		contract.Situations{spec.Restarted})
	RunsWithMovedClock = set.New("JOB-CLOCK-001",
		"A Job controller MUST run the pods of a Job and complete it, although its own clock is moved forwards or "+
			"backwards meanwhile.",
		"batch/v1 JobStatus.completionTime; API conventions: controllers are level-triggered",
		contract.Situations{spec.ClockMoved})
	LeaderClockAhead = set.New("JOB-CLOCK-002",
		"A replica of a Job controller MUST NOT take the Lease from another one that renews it, although its own "+
			"clock is ahead.",
		"coordination.k8s.io/v1 LeaseSpec.leaseDurationSeconds: measured against the time of last observed renewTime; "+
			"client-go tools/leaderelection: tolerant to arbitrary clock skew",
		contract.Situations{spec.ClockMoved})
	LeaderClockBehind = set.New("JOB-CLOCK-003",
		"A replica of a Job controller MUST take the Lease of another one that is gone, although its own clock is "+
			"behind.",
		"coordination.k8s.io/v1 LeaseSpec.leaseDurationSeconds: measured against the time of last observed renewTime; "+
			"client-go tools/leaderelection: tolerant to arbitrary clock skew",
		contract.Situations{spec.ClockMoved})
	StartsDespiteFaults = set.New("CRON-FAULTS-001",
		"A CronJob controller MUST start exactly one Job for a scheduled time, whether requests for it fail, are "+
			"throttled, or lose their answer.",
		"batch/v1 CronJobSpec.schedule; kubernetes/kubernetes#120649",
		contract.Situations{spec.RequestFailed})
	RecordsDespiteFaults = set.New("CRON-FAULTS-002",
		"A CronJob controller MUST bring the status of a CronJob in line with its Jobs, whether its requests fail, "+
			"conflict, are throttled, or lose their answer.",
		"batch/v1 CronJobStatus.active; batch/v1 CronJobStatus.lastScheduleTime",
		contract.About{spec.CronJobStarted, spec.CronJobActive, spec.CronJobNoOther, spec.CronJobLastScheduleTime},
		contract.Situations{spec.RequestFailed})
	DeletesJobsDespiteFaults = set.New("CRON-FAULTS-003",
		"A CronJob controller MUST delete the Jobs that a CronJob shall not have any more, whether its requests for "+
			"that fail, are throttled, or lose their answer.",
		"batch/v1 CronJobSpec.concurrencyPolicy; batch/v1 CronJobSpec.successfulJobsHistoryLimit",
		contract.Situations{spec.RequestFailed})
	StaleCronJob = set.New("CRON-FAULTS-004",
		"A CronJob controller MUST NOT start a Job twice for a tick, or beside one that forbids it, because its view "+
			"of CronJobs or of Jobs is old.",
		"batch/v1 CronJobSpec.concurrencyPolicy",
		contract.Situations{spec.WatchLate})
	CatchesUpWithCronJobs = set.New("CRON-FAULTS-005",
		"A CronJob controller MUST catch up with all that happened while its watches could not be continued or the "+
			"API server could not be reached.",
		"docs: reference/using-api/api-concepts#efficient-detection-of-changes; API conventions: "+
			"controllers are level-triggered")
	CronSurvivesCrashes = set.New("CRON-FAULTS-006",
		"A CronJob controller MUST start exactly one Job for a tick and keep track of it, whenever it crashes or "+
			"another replica takes over.",
		"batch/v1 CronJobStatus.active; kubernetes/kubernetes#120649; kubernetes/kubernetes#136918",
		contract.About{spec.CronJobStarted, spec.CronJobActive, spec.CronJobNoOther},
		contract.Situations{spec.Restarted})
	RetriesRefusedJobs = set.New("CRON-FAULTS-007",
		"A CronJob controller MUST create a Job that the API server has refused, by itself, whatever the code of the "+
			"refusal.",
		"docs: reference/access-authn-authz/extensible-admission-controllers: a webhook chooses the code, so that "+
			"none is final; API conventions: controllers are level-triggered",
		contract.Situations{spec.RequestFailed})
	OnlyTheCronLeaderWrites = set.New("CRON-FAULTS-008",
		"A replica of a CronJob controller MUST NOT change CronJobs or Jobs while another one has the Lease that they "+
			"share, and it knows that.",
		"docs: concepts/architecture/leases#leader-election: only one instance of a component is running at any "+
			"given time")
	CatchesUpAfterDowntime = set.New("JOB-DOWNTIME-001",
		"A Job controller MUST catch up, when it starts, with all that happened to Jobs and "+
			"their pods while it did not run.",
		"API conventions: controllers are level-triggered; KEP-2307",
		contract.Situations{spec.Restarted})
	CronCatchesUpAfterDowntime = set.New("CRON-DOWNTIME-001",
		"A CronJob controller MUST catch up, when it starts, with all that happened to CronJobs and "+
			"their Jobs while it did not run.",
		"API conventions: controllers are level-triggered; docs: concepts/workloads/controllers/cron-jobs#job-creation",
		contract.Situations{spec.Restarted})
	SuccessEndsRetryDelay = set.New("JOB-RETRY-001",
		"A Job controller SHOULD retry a request that failed as soon as the first one, if it has succeeded in between.",
		"client-go util/workqueue RateLimitingInterface.Forget: the delay grows with failures in a row",
		contract.Situations{spec.RequestFailed})
	BacksOffWhileStatusIsRefused = set.New("JOB-RETRY-002",
		"A Job controller MUST delay further attempts longer and longer while its status writes fail, to two "+
			"seconds at least.",
		"kubernetes/kubernetes#32785; API conventions: back-off of controllers",
		contract.Situations{spec.RequestFailed})
	BacksOffWhileReleaseIsRefused = set.New("JOB-RETRY-003",
		"A Job controller MUST delay further attempts longer and longer while the release of a pod fails, to two "+
			"seconds at least.",
		"kubernetes/kubernetes#32785; API conventions: back-off of controllers",
		contract.Situations{spec.RequestFailed})
	WaitsForRetryAfter = set.New("JOB-RETRY-004",
		"A Job controller SHOULD NOT repeat a request that was answered 429 before the time in Retry-After is over.",
		"API conventions: 429 StatusTooManyRequests: read the Retry-After HTTP header from the response, and wait at "+
			"least that long before retrying",
		contract.Situations{spec.RequestFailed})
	BacksOffWhileCronStatusIsRefused = set.New("CRON-RETRY-002",
		"A CronJob controller MUST delay further attempts longer and longer while its status writes fail, to two "+
			"seconds at least.",
		"kubernetes/kubernetes#32785; API conventions: back-off of controllers",
		contract.Situations{spec.RequestFailed})
	StartsNothingAgain = set.New("CRON-CLOCK-001",
		"A CronJob controller MUST NOT start a second Job for a scheduled time because its own clock was set back.",
		"batch/v1 CronJobStatus.lastScheduleTime",
		contract.Situations{spec.ClockMoved})
	CronLeaderClockAhead = set.New("CRON-CLOCK-002",
		"A replica of a CronJob controller MUST NOT take the Lease from another one that renews it, although its own "+
			"clock is ahead.",
		"coordination.k8s.io/v1 LeaseSpec.leaseDurationSeconds: measured against the time of last observed renewTime; "+
			"client-go tools/leaderelection: tolerant to arbitrary clock skew",
		contract.Situations{spec.ClockMoved})
	CronLeaderClockBehind = set.New("CRON-CLOCK-003",
		"A replica of a CronJob controller MUST take the Lease of another one that is gone, although its own clock is "+
			"behind.",
		"coordination.k8s.io/v1 LeaseSpec.leaseDurationSeconds: measured against the time of last observed renewTime; "+
			"client-go tools/leaderelection: tolerant to arbitrary clock skew",
		contract.Situations{spec.ClockMoved})
	SuccessEndsCronRetryDelay = set.New("CRON-RETRY-001",
		"A CronJob controller SHOULD retry a request that failed as soon as the first one, if "+
			"it has succeeded in between.",
		"client-go util/workqueue RateLimitingInterface.Forget: the delay grows with failures in a row",
		contract.Situations{spec.RequestFailed})
)
