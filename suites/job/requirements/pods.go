// Package requirements has the requirements of a Job controller. The specs
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

// The pods that a Job creates, owns and leaves behind.
var (
	PodFollowsTemplate = set.New("JOB-PODS-001",
		"A Job controller MUST create pods with the labels, the annotations and the spec of the template.",
		"batch/v1 JobSpec.template; docs: concepts/workloads/controllers/job#pod-template")
	PodLabels = set.New("JOB-PODS-002",
		"A pod of a Job MUST have the labels batch.kubernetes.io/job-name and batch.kubernetes.io/controller-uid.",
		"batch/v1 JobNameLabel; batch/v1 ControllerUidLabel; docs: concepts/workloads/controllers/job#job-labels")
	PodNameFollowsJob = set.New("JOB-PODS-003",
		"A pod's name MUST begin with the name of its Job.",
		"docs: concepts/workloads/controllers/job#writing-a-job-spec")
	JobOwnsPod = set.New("JOB-PODS-004",
		"A pod of a Job MUST have the Job as its controlling owner, with blockOwnerDeletion.",
		"docs: concepts/architecture/garbage-collection; batch/v1 JobSpec.selector",
		contract.Invariants{"job-pod-is-owned"})
	AdoptsPods = set.New("JOB-PODS-005",
		"A Job controller MUST adopt a pod without an owner that matches the Job's selector, and "+
			"count it as one of the Job's.",
		"batch/v1 JobSpec.selector; batch/v1 JobSpec.manualSelector; docs: "+
			"concepts/workloads/controllers/job#specifying-your-own-pod-selector",
		contract.About{spec.JobActive}, contract.Situations{spec.PodWithoutOwner})
	ReleasesUnmatchedPods = set.New("JOB-PODS-006",
		"A Job controller MUST release a pod that no longer matches the Job's selector, and replace it.",
		"batch/v1 JobSpec.selector; docs: concepts/overview/working-with-objects/labels",
		contract.Situations{spec.PodUnmatched})
	LeavesForeignPods = set.New("JOB-PODS-007",
		"A Job controller MUST NOT adopt, count or delete a pod that has another controlling owner, even "+
			"if it matches the selector.",
		"docs: concepts/overview/working-with-objects/owners-dependents; batch/v1 JobSpec.selector",
		contract.About{spec.JobActive})
	NoAdoptionWhileBeingDeleted = set.New("JOB-PODS-008",
		"A Job controller MUST NOT adopt a pod for a Job that is being deleted.",
		"docs: concepts/architecture/garbage-collection; kubernetes/kubernetes#42639",
		contract.Situations{spec.DeletedWithPods, spec.PodWithoutOwner})
	NoPodsWhileBeingDeleted = set.New("JOB-PODS-009",
		"A Job controller MUST NOT create a pod for a Job that is being deleted.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup; batch/v1 JobSpec",
		contract.Invariants{"job-creates-nothing-while-deleted"}, contract.Situations{spec.DeletedWithPods})
	PodsGoWithJob = set.New("JOB-PODS-010",
		"When a Job is deleted, its pods MUST be able to go with it, whatever state they are in.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup; kubernetes/kubernetes#108752; "+
			"kubernetes/kubernetes#109429",
		contract.Situations{spec.DeletedWithPods})
	OrphanedPodsRun = set.New("JOB-PODS-011",
		"When a Job is deleted and its pods are not, they MUST run on without an owner.",
		"docs: concepts/workloads/controllers/job#specifying-your-own-pod-selector; docs: "+
			"concepts/architecture/garbage-collection",
		contract.Situations{spec.DeletedWithPods})
	KeepsFinishedPods = set.New("JOB-PODS-012",
		"A Job controller MUST keep pods that have finished when the Job is finished.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
		contract.Situations{spec.CompletionsReached})
	ResizedPodsRun = set.New("JOB-PODS-013",
		"A Job controller MUST leave a pod alone whose resources are changed in place, and MUST create the next one "+
			"with those of the template.",
		"batch/v1 JobSpec.template; KEP-1287",
		contract.Versions(">= 1.33.0"))
	ClaimsPassThrough = set.New("JOB-PODS-014",
		"A Job controller MUST create pods with the resource claims of the template, and their containers with "+
			"those that they name.",
		"core/v1 PodSpec.resourceClaims; KEP-4381",
		contract.Versions(">= 1.34.0"))
	NoAdoptionForGoneJob = set.New("JOB-PODS-015",
		"A Job controller MUST NOT adopt a pod for a Job that is gone, although another one may have its name.",
		"docs: concepts/architecture/garbage-collection; kubernetes/kubernetes#42639",
		contract.Situations{spec.PodWithoutOwner})
)

// How many pods of a Job run at the same time.
var (
	NeverMoreThanParallelism = set.New("JOB-PARALLELISM-001",
		"A Job controller MUST NOT let more pods of a Job be active than its parallelism, at any moment.",
		"batch/v1 JobSpec.parallelism",
		contract.Invariants{"job-active-within-parallelism"})
	RunsAsMany = set.New("JOB-PARALLELISM-002",
		"A Job controller MUST run as many pods at the same time as parallelism says, while "+
			"there is work for that many.",
		"batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism",
		contract.Invariants{"job-runs-at-rest"})
	ParallelismIsOne = set.New("JOB-PARALLELISM-003",
		"A Job that sets completions but no parallelism MUST run its pods one after the other.",
		"batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#parallel-jobs")
	NoMoreThanCompletions = set.New("JOB-PARALLELISM-004",
		"A Job controller MUST NOT run more pods than there are completions left to reach.",
		"batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism; "+
			"kubernetes/kubernetes#137210",
		contract.Invariants{"job-creates-no-more-than-needed"})
	ZeroParallelism = set.New("JOB-PARALLELISM-005",
		"While parallelism is 0, a Job controller MUST run no pod of the Job, and MUST NOT finish it while "+
			"completions are left to reach.",
		"docs: concepts/workloads/controllers/job#controlling-parallelism")
	RaisedParallelism = set.New("JOB-PARALLELISM-006",
		"When parallelism is raised, a Job controller MUST add pods and leave those alone that run.",
		"batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism",
		contract.Situations{spec.ParallelismRaised})
	LoweredParallelism = set.New("JOB-PARALLELISM-007",
		"When parallelism is lowered, a Job controller MUST delete as many active pods as are too many, and no others.",
		"batch/v1 JobSpec.parallelism; docs: concepts/workloads/controllers/job#controlling-parallelism",
		contract.Invariants{"job-surplus-at-rest"}, contract.Situations{spec.ParallelismLowered})
	SurplusDoesNotFail = set.New("JOB-PARALLELISM-008",
		"A pod that is deleted because parallelism was lowered MUST NOT count as failed.",
		"batch/v1 JobSpec.parallelism; KEP-2307",
		contract.Situations{spec.ParallelismLowered})
	WorkQueueStopsAtSuccess = set.New("JOB-PARALLELISM-009",
		"Once a pod of a Job without completions has succeeded, a Job controller MUST NOT start another one, and "+
			"MUST let the others run to their end.",
		"batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#parallel-jobs",
		contract.Situations{spec.PodSucceeded})
	WorkQueueReplacesFailures = set.New("JOB-PARALLELISM-010",
		"While no pod of a Job without completions has succeeded, a Job controller MUST replace those that fail.",
		"docs: concepts/workloads/controllers/job#handling-pod-and-container-failures",
		contract.Situations{spec.FailedWithinLimit})
	PendingPodsCount = set.New("JOB-PARALLELISM-011",
		"Pods that have not started yet MUST count towards parallelism like those that run.",
		"batch/v1 JobStatus.active")
	ReplacesDeletedAtOnce = set.New("JOB-PARALLELISM-012",
		"Where podReplacementPolicy is not set, a Job controller MUST replace a pod as soon as somebody deletes it.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		contract.Situations{spec.PodDeleted})
	RetriesToCreatePods = set.New("JOB-PARALLELISM-013",
		"When pods cannot be created for a while, a Job controller MUST go on trying, and MUST NOT "+
			"count the attempts as failures.",
		"docs: concepts/workloads/controllers/job#controlling-parallelism")
	SurplusIsNotReady = set.New("JOB-PARALLELISM-014",
		"Of the pods that are too many, a Job controller SHOULD delete those first that are not ready.",
		"kube-controller-manager sorts by controller.ActivePods; docs: "+
			"concepts/workloads/controllers/replicaset#scaling-a-replicaset",
		contract.Situations{spec.ParallelismLowered})
)

// How a Job reaches its completions.
var (
	CompletesAtCompletions = set.New("JOB-COMPLETIONS-001",
		"A Job MUST become Complete when as many of its pods have succeeded as completions says, and not before.",
		"batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#completion-mode",
		contract.Invariants{"job-succeeds-for-a-reason", "job-complete-has-its-completions", "job-completes-at-rest"},
		contract.Situations{spec.CompletionsReached})
	FailuresAreNoCompletions = set.New("JOB-COMPLETIONS-002",
		"A pod that fails MUST NOT count towards completions, and MUST be replaced.",
		"batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#handling-pod-and-container-failures",
		contract.Invariants{"job-counts-no-more-than-pods"},
		contract.Situations{spec.PodFailed, spec.CompletionsReached})
	OneCompletionOnePod = set.New("JOB-COMPLETIONS-003",
		"With completions of 1, a Job controller MUST run one pod at a time, whatever the parallelism.",
		"batch/v1 JobSpec.completions")
	ZeroCompletions = set.New("JOB-COMPLETIONS-004",
		"With completions of 0, a Job MUST become Complete without any pod.",
		"batch/v1 JobSpec.completions")
	WorkQueueCompletes = set.New("JOB-COMPLETIONS-005",
		"A Job without completions MUST become Complete when one of its pods has succeeded and all others "+
			"have ended, and not before.",
		"batch/v1 JobSpec.completions; docs: concepts/workloads/controllers/job#parallel-jobs",
		contract.Situations{spec.PodSucceeded})
	CompletionsOutliveTheirPods = set.New("JOB-COMPLETIONS-006",
		"A completion that was counted MUST stay counted when its pod is deleted.",
		"batch/v1 JobStatus.succeeded; KEP-2307",
		contract.Invariants{"job-creates-no-more-than-needed", "job-counters-never-decrease"},
		contract.Situations{spec.PodSucceeded})
	DeletedSuccessCounts = set.New("JOB-COMPLETIONS-007",
		"A pod that has succeeded MUST count as a completion, even if it is deleted before the status says so.",
		"KEP-2307",
		contract.Situations{spec.PodSucceeded})
	DeletesSurplusAtCompletion = set.New("JOB-COMPLETIONS-008",
		"Once completions are reached, a Job controller MUST delete the pods of the Job that are still active.",
		"kubernetes/kubernetes#99963; docs: concepts/workloads/controllers/job#parallel-jobs",
		contract.Situations{spec.CompletionsReached, spec.DecidedWithPods})
	NewJobStartsAtZero = set.New("JOB-COMPLETIONS-009",
		"A Job MUST be counted anew that has the name of one that was deleted: neither counters nor back-off pass on.",
		"kubernetes/kubernetes#132042; batch/v1 JobStatus",
		contract.Situations{spec.JobRecreated})
	DefaultRunsOnePod = set.New("JOB-COMPLETIONS-010",
		"A Job that sets neither completions nor parallelism MUST run one pod until one has succeeded.",
		"docs: concepts/workloads/controllers/job#parallel-jobs")
)

// The completionMode Indexed (KEP-2214, KEP-4017).
var (
	EveryPodHasAnIndex = set.New("JOB-INDEXED-001",
		"Each pod of an Indexed Job MUST have one of the indexes from 0 to completions-1, in the annotation and in "+
			"the label batch.kubernetes.io/job-completion-index.",
		"batch/v1 JobSpec.completionMode; KEP-2214; KEP-4017",
		contract.Indexed, contract.Invariants{"job-pod-tells-its-index"})
	IndexedHostname = set.New("JOB-INDEXED-002",
		"The hostname of a pod MUST be the Job's name and the index, with a hyphen between.",
		"batch/v1 JobSpec.completionMode; docs: concepts/workloads/controllers/job#completion-mode",
		contract.Indexed)
	IndexedPodName = set.New("JOB-INDEXED-003",
		"The name of a pod MUST begin with the Job's name and the index, with a hyphen after each, where "+
			"that leaves the name valid.",
		"batch/v1 JobSpec.completionMode",
		contract.Indexed)
	IndexVariable = set.New("JOB-INDEXED-004",
		"Every container and init container MUST have the index in its environment variable JOB_COMPLETION_INDEX.",
		"KEP-2214; docs: concepts/workloads/controllers/job#completion-mode; docs: "+
			"tasks/job/indexed-parallel-processing-static",
		contract.Indexed)
	OwnIndexVariable = set.New("JOB-INDEXED-005",
		"A Job controller MUST leave a variable JOB_COMPLETION_INDEX alone that the template sets itself.",
		"KEP-2214: no environment variable is added where there is one of that name",
		contract.Indexed)
	CompletesWithEveryIndex = set.New("JOB-INDEXED-006",
		"An Indexed Job MUST become Complete when one pod has succeeded for each index, and not before.",
		"batch/v1 JobSpec.completionMode",
		contract.Indexed, contract.Invariants{"job-indexes-agree"}, contract.Situations{spec.CompletionsReached})
	CompletedIndexesFormat = set.New("JOB-INDEXED-007",
		"The status field completedIndexes MUST list the indexes that have succeeded in increasing order, with three "+
			"or more consecutive ones as a range.",
		"batch/v1 JobStatus.completedIndexes",
		contract.Indexed, contract.Invariants{"job-indexes-never-shrink", "job-indexes-well-formed"},
		contract.Situations{spec.PodSucceeded})
	SucceededIndexIsDone = set.New("JOB-INDEXED-008",
		"An index that has succeeded MUST NOT be run again, also when its pod is deleted.",
		"KEP-2214; kubernetes/kubernetes#108887",
		contract.Indexed, contract.Invariants{"job-index-runs-no-more"}, contract.Situations{spec.PodSucceeded})
	ReplacementKeepsIndex = set.New("JOB-INDEXED-009",
		"The pod that replaces one that has failed or was deleted MUST have its index.",
		"KEP-2214: Job completion and restart policy",
		contract.Indexed, contract.Situations{spec.PodFailed})
	LowerIndexesFirst = set.New("JOB-INDEXED-010",
		"A Job controller SHOULD run lower indexes first.",
		"KEP-2214: Job parallelism; the order is not guaranteed",
		contract.Indexed)
	OnePodPerIndex = set.New("JOB-INDEXED-011",
		"Of several active pods of an index, a Job controller MUST leave one and delete the others.",
		"KEP-2214: More than one pod per index",
		contract.Indexed, contract.Invariants{"job-one-pod-per-index"})
	DeletesPodsWithoutIndex = set.New("JOB-INDEXED-012",
		"A Job controller MUST delete active pods of the Job that have no index, or none of the Job's, and MUST "+
			"count them neither as succeeded nor as failed.",
		"KEP-2214: Upgrade / Downgrade Strategy",
		contract.Indexed)
	IndexCountsOnce = set.New("JOB-INDEXED-013",
		"However many pods of an index succeed, the index MUST count once.",
		"docs: concepts/workloads/controllers/job#completion-mode: only one of them counts towards the completions",
		contract.Indexed, contract.Invariants{"job-indexes-agree"}, contract.Situations{spec.PodSucceeded})
)

// An Indexed Job whose completions and parallelism change together (KEP-3715).
var (
	ScaleUpRunsNewIndexes = set.New("JOB-ELASTIC-001",
		"When completions and parallelism of an Indexed Job are raised together, a Job controller MUST run the "+
			"indexes that came in addition, and leave the others as they are.",
		"KEP-3715",
		contract.ElasticIndexed, contract.Situations{spec.ScaledUp})
	ScaleDownDeletesIndexes = set.New("JOB-ELASTIC-002",
		"When they are lowered together, a Job controller MUST delete the active pods of the indexes that are no "+
			"longer in range, and no others.",
		"KEP-3715",
		contract.ElasticIndexed, contract.Situations{spec.ScaledDown})
	ScaleDownForgetsIndexes = set.New("JOB-ELASTIC-003",
		"Indexes that are no longer in range MUST leave completedIndexes, and succeeded MUST be the "+
			"number of those that are left.",
		"KEP-3715; batch/v1 JobStatus.succeeded",
		contract.ElasticIndexed, contract.Invariants{"job-indexes-never-shrink"},
		contract.Situations{spec.ScaledDown})
	ReturnedIndexRunsAgain = set.New("JOB-ELASTIC-004",
		"An index that had succeeded, was scaled away and comes back MUST be run again.",
		"KEP-3715",
		contract.ElasticIndexed, contract.Situations{spec.ScaledDown, spec.ScaledUp})
	ScaleDownKeepsFailures = set.New("JOB-ELASTIC-005",
		"Failures of indexes that are no longer in range MUST still count in failed and towards backoffLimit.",
		"KEP-3715; batch/v1 JobStatus.failed",
		contract.ElasticIndexed, contract.Invariants{"job-counters-never-decrease"},
		contract.Situations{spec.ScaledDown, spec.PodFailed})
	ScaleDownCompletes = set.New("JOB-ELASTIC-006",
		"A Job MUST become Complete when it is scaled down to indexes that have all succeeded.",
		"KEP-3715",
		contract.ElasticIndexed, contract.Situations{spec.ScaledDown})
	ScaleDownForgetsFailedIndexes = set.New("JOB-ELASTIC-007",
		"Indexes that are no longer in range MUST leave failedIndexes.",
		"KEP-3850; batch/v1 JobStatus.failedIndexes",
		contract.ElasticIndexed, contract.Situations{spec.ScaledDown, spec.IndexLimitExceeded})
	ScaleDownToNothingCompletes = set.New("JOB-ELASTIC-008",
		"An Indexed Job that is scaled down to 0 MUST become Complete without its active pods, which MUST be deleted "+
			"and MUST NOT count as failed.",
		"KEP-3715; batch/v1 JobSpec.completions",
		contract.ElasticIndexed, contract.Situations{spec.ScaledDown})
	ScaleDownReleasesPods = set.New("JOB-ELASTIC-009",
		"A Job controller MUST remove the finalizer from a failed pod whose index is no longer in range.",
		"KEP-2307; KEP-3715; KEP-3850",
		contract.ElasticIndexed, contract.Situations{spec.ScaledDown, spec.PodFailed})
)

// The field successPolicy (KEP-3998); off by default before v1.31.
var (
	SucceededIndexes = set.New("JOB-SUCCESSPOLICY-001",
		"With succeededIndexes alone, a rule MUST be met when all those indexes have succeeded, whatever the "+
			"others did, and not before.",
		"batch/v1 SuccessPolicyRule.succeededIndexes; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Situations{spec.SuccessRuleMet})
	SucceededCount = set.New("JOB-SUCCESSPOLICY-002",
		"With succeededCount alone, a rule MUST be met when that many indexes have succeeded, "+
			"whichever they are, and not before.",
		"batch/v1 SuccessPolicyRule.succeededCount; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Situations{spec.SuccessRuleMet})
	SucceededCountOfIndexes = set.New("JOB-SUCCESSPOLICY-003",
		"With both, a rule MUST be met when succeededCount of the succeededIndexes have succeeded; "+
			"other indexes do not count.",
		"batch/v1 SuccessPolicyRule.succeededCount; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Situations{spec.SuccessRuleMet})
	AnyRuleSucceeds = set.New("JOB-SUCCESSPOLICY-004",
		"Of several rules, any one that is met MUST be enough.",
		"batch/v1 SuccessPolicy.rules; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Situations{spec.SuccessRuleMet})
	UnmetPolicyChangesNothing = set.New("JOB-SUCCESSPOLICY-005",
		"While no rule is met, the Job MUST go on as it would without the policy.",
		"batch/v1 JobSpec.successPolicy; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Invariants{"job-succeeds-by-its-policy"},
		contract.Situations{spec.PodSucceeded})
	SuccessPolicyConditions = set.New("JOB-SUCCESSPOLICY-006",
		"A Job that meets a rule MUST have the condition SuccessCriteriaMet, and then Complete, both "+
			"with the reason SuccessPolicy.",
		"batch/v1 SuccessPolicy.rules and JobReasonSuccessPolicy; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"),
		contract.Invariants{"job-verdict-comes-first", "job-succeeds-by-its-policy"},
		contract.Situations{spec.SuccessRuleMet})
	SuccessPolicyAtLastIndex = set.New("JOB-SUCCESSPOLICY-007",
		"The reason MUST be SuccessPolicy also when the success that meets the rule is the last one of all indexes.",
		"batch/v1 SuccessPolicy.rules: before completions are reached; kubernetes/kubernetes "+
			"test/integration/job TestSuccessPolicy",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"),
		contract.Situations{spec.SuccessRuleMet, spec.CompletionsReached})
	SuccessDeletesPods = set.New("JOB-SUCCESSPOLICY-008",
		"Once a rule is met, the pods that still run MUST be terminated.",
		"batch/v1 JobSpec.successPolicy; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"),
		contract.Situations{spec.SuccessRuleMet, spec.DecidedWithPods})
	SuccessWaitsForPods = set.New("JOB-SUCCESSPOLICY-009",
		"Complete and completionTime MUST be there only when all pods have ended.",
		"KEP-3998; docs: concepts/workloads/controllers/job#terminal-job-conditions; kubernetes/kubernetes#123775",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"),
		contract.Invariants{"job-succeeds-by-its-policy-after-pods"},
		contract.Situations{spec.SuccessRuleMet, spec.DecidedWithPods})
	SuccessCountsNoFailures = set.New("JOB-SUCCESSPOLICY-010",
		"The pods that are terminated so MUST NOT count as failed.",
		"KEP-3998: the Job succeeds; kubernetes/kubernetes test/integration/job TestSuccessPolicy",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"),
		contract.Situations{spec.SuccessRuleMet, spec.DecidedWithPods})
	SuccessStartsNoIndex = set.New("JOB-SUCCESSPOLICY-011",
		"Once a rule is met, an index that has not run yet MUST NOT be started.",
		"batch/v1 SuccessPolicy.rules; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Invariants{"job-creates-nothing-once-decided"},
		contract.Situations{spec.SuccessRuleMet})
	SuccessIsFinal = set.New("JOB-SUCCESSPOLICY-012",
		"A Job with SuccessCriteriaMet MUST complete, even if its last pods exceed backoffLimit, match a FailJob "+
			"rule or outlast the active deadline.",
		"KEP-3998: the status never switches from SuccessCriteriaMet to Failed",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Invariants{"job-verdict-is-final"},
		contract.Situations{spec.SuccessRuleMet})
	FailureIsFinal = set.New("JOB-SUCCESSPOLICY-013",
		"A Job with FailureTarget MUST fail, even if its last pods meet a rule.",
		"KEP-3998; batch/v1 JobStatus.conditions",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Invariants{"job-verdict-is-final"},
		contract.Situations{spec.SuccessRuleMet})
	FailureBeatsSuccess = set.New("JOB-SUCCESSPOLICY-014",
		"When the same pod's end both meets a rule and makes the Job fail, the Job MUST fail.",
		"KEP-3998: terminating policies are evaluated before success policies",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Situations{spec.SuccessRuleMet})
	SuccessAfterFailures = set.New("JOB-SUCCESSPOLICY-015",
		"Failures within backoffLimit MUST NOT keep a rule from being met later.",
		"batch/v1 JobSpec.successPolicy and backoffLimit; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"),
		contract.Situations{spec.SuccessRuleMet, spec.PodFailed})
	SuccessBesideFailedIndexes = set.New("JOB-SUCCESSPOLICY-016",
		"Failed indexes MUST NOT keep a rule from being met while other indexes are unfinished.",
		"KEP-3998; KEP-3850",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"),
		contract.Situations{spec.SuccessRuleMet, spec.IndexLimitExceeded})
	SuccessAcrossSuspension = set.New("JOB-SUCCESSPOLICY-017",
		"Indexes that succeeded before a Job was suspended MUST count after it is resumed.",
		"batch/v1 JobSpec.suspend and SuccessPolicyRule.succeededIndexes; KEP-2232",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"),
		contract.Situations{spec.SuccessRuleMet, spec.JobResumed})
)
