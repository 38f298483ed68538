// Package requirements has those of controllers that write only the status of Jobs, whose pods run in another
// cluster, as behind spec.managedBy. The status alone judges them.
package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// set has all requirements of this package.
var set contract.Set

// Declared returns all requirements of this package.
func Declared() []contract.Requirement { return set.All() }

const (
	managed    = "KEP-4368; "
	conditions = managed + "batch/v1 JobStatus.conditions; "
)

var (
	CountsActive = set.New("STATUS-PODS-001",
		"The status of a Job whose pods run in another cluster MUST count in active those that are pending or "+
			"running there, ready or not.",
		managed+"batch/v1 JobStatus.active")
	CountsReady = set.New("STATUS-PODS-002",
		"The status of a Job whose pods run in another cluster MUST count in ready those that are ready there.",
		managed+"batch/v1 JobStatus.ready", contract.ReadyPods)
	CountsTerminating = set.New("STATUS-PODS-003",
		"The status of a Job whose pods run in another cluster MUST count in terminating those that are being "+
			"deleted there.",
		managed+"batch/v1 JobStatus.terminating", contract.PodReplacementPolicy)
	CountsSucceeded = set.New("STATUS-PODS-004",
		"The status of a Job whose pods run in another cluster MUST count in succeeded those that have succeeded "+
			"there, before the Job ends, too.",
		managed+"batch/v1 JobStatus.succeeded")
	CountsFailed = set.New("STATUS-PODS-005",
		"The status of a Job whose pods run in another cluster MUST count in failed those that have failed "+
			"there, before the Job ends, too.",
		managed+"batch/v1 JobStatus.failed")

	HasCompletedIndexes = set.New("STATUS-INDEXES-001",
		"The status of an Indexed Job whose pods run in another cluster MUST have the indexes that have "+
			"succeeded there in completedIndexes.",
		managed+"batch/v1 JobStatus.completedIndexes", contract.Indexed)
	HasFailedIndexes = set.New("STATUS-INDEXES-002",
		"The status of a Job with backoffLimitPerIndex whose pods run in another cluster MUST have the indexes "+
			"that have failed there in failedIndexes.",
		managed+"batch/v1 JobStatus.failedIndexes", contract.BackoffLimitPerIndex)

	StartsWithItsPods = set.New("STATUS-TIMES-001",
		"A Job whose pods run in another cluster MUST have a startTime while they run.",
		managed+"batch/v1 JobStatus.startTime")
	KeepsTransitionTimes = set.New("STATUS-TIMES-002",
		"A condition of a Job whose pods run in another cluster MUST keep its lastTransitionTime while its "+
			"status stays.",
		managed+"batch/v1 JobCondition.lastTransitionTime")

	EndsComplete = set.New("STATUS-END-001",
		"A Job that has completed in another cluster MUST become Complete, which the API server accepts with "+
			"SuccessCriteriaMet and a completionTime alone.",
		conditions+"karmada-io/karmada#6414")
	EndsFailed = set.New("STATUS-END-002",
		"A Job that has failed in another cluster MUST become Failed, which the API server accepts with "+
			"FailureTarget alone.",
		conditions+"karmada-io/karmada#7844")
	EndsWithItsPods = set.New("STATUS-END-003",
		"A Job that fails in another cluster MUST be FailureTarget while pods of it still terminate there.",
		conditions+"KEP-3939")
	EndsWithReason = set.New("STATUS-END-004",
		"The condition Failed of a Job that has failed in another cluster MUST have the reason that it has there.",
		conditions+"batch/v1 JobCondition.reason")

	SuspendsThere = set.New("STATUS-SUSPEND-001",
		"A Job whose pods run in another cluster MUST have no active pods once it is suspended.",
		managed+"batch/v1 JobSpec.suspend", contract.Suspend)
	IsSuspended = set.New("STATUS-SUSPEND-002",
		"A Job whose pods run in another cluster MUST have the condition Suspended, which is True while it is "+
			"suspended and False once it is resumed.",
		managed+"batch/v1 JobSuspended; KEP-2232", contract.Suspend)
	ResumesThere = set.New("STATUS-SUSPEND-003",
		"A Job whose pods run in another cluster MUST have its active pods again once it is resumed.",
		managed+"batch/v1 JobSpec.suspend", contract.Suspend)

	PassesParallelism = set.New("STATUS-SPEC-001",
		"A change of parallelism MUST change how many active pods a Job has whose pods run in another cluster.",
		managed+"batch/v1 JobSpec.parallelism")
	PassesCompletions = set.New("STATUS-SPEC-002",
		"A change of completions, with parallelism, MUST change how many active pods an Indexed Job has whose "+
			"pods run in another cluster.",
		managed+"batch/v1 JobSpec.completions; KEP-3715", contract.ElasticIndexed)
	IsNotItsPredecessor = set.New("STATUS-NAMES-001",
		"A Job that is created again under its name MUST have a status of its own pods, and none of the deleted "+
			"Job's.",
		managed+"docs: concepts/overview/working-with-objects/names#uids")

	SurvivesRestart = set.New("STATUS-FAULTS-001",
		"A Job whose pods run in another cluster MUST get its status from there after a restart of its controller, "+
			"also where it has changed meanwhile.",
		managed+"batch/v1 JobStatus")
	OutlivesConnection = set.New("STATUS-FAULTS-002",
		"A Job whose pods run in another cluster MUST NOT become Complete or Failed because that cluster cannot be "+
			"reached for a while.",
		managed+"batch/v1 JobStatus.conditions")
	CatchesUp = set.New("STATUS-FAULTS-003",
		"A Job whose pods run in another cluster MUST get its status from there once that cluster can be reached "+
			"again.",
		managed+"batch/v1 JobStatus")
	RepeatsWrites = set.New("STATUS-FAULTS-004",
		"A Job whose pods run in another cluster MUST get its status although a write of it has failed.",
		managed+"docs: reference/using-api/api-concepts")
)
