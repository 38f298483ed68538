package requirements

import (
	"github.com/jobconformance/jobconformance/fixtures/gates"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
)

// How often pods may fail, and how long the next one waits.
var (
	FailsBeyondBackoffLimit = set.New("JOB-BACKOFF-001",
		"A Job MUST fail with the reason BackoffLimitExceeded when more pods have failed than "+
			"backoffLimit, and not before.",
		"batch/v1 JobSpec.backoffLimit; batch/v1 JobCondition.reason; batch/v1 JobReasonBackoffLimitExceeded; docs: "+
			"concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Invariants{"job-fails-at-its-backoff-limit"}, contract.Situations{spec.LimitExceeded})
	RetriesWithinBackoffLimit = set.New("JOB-BACKOFF-002",
		"A Job controller MUST replace a pod that has failed as long as the limit is not exceeded.",
		"batch/v1 JobSpec.backoffLimit; docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Situations{spec.FailedWithinLimit})
	BackoffLimitIsSix = set.New("JOB-BACKOFF-003",
		"The limit MUST be 6 where backoffLimit is not set.",
		"batch/v1 JobSpec.backoffLimit",
		contract.Situations{spec.LimitExceeded})
	SuccessesDoNotResetFailures = set.New("JOB-BACKOFF-004",
		"The limit MUST be compared with all pods of the Job that have failed, whatever succeeded in between.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Situations{spec.PodSucceeded, spec.LimitExceeded})
	CountsFailuresBeyondTheLimit = set.New("JOB-BACKOFF-005",
		"Every pod that fails MUST be counted, also those that fail at the same time and are more than the limit.",
		"batch/v1 JobStatus.failed",
		contract.Situations{spec.LimitExceeded})
	DeletesActivePodsOnFailure = set.New("JOB-BACKOFF-006",
		"When the limit is exceeded, a Job controller MUST delete the pods that are still active, and "+
			"leave those that have finished.",
		"docs: concepts/workloads/controllers/job#job-termination-and-cleanup",
		contract.Situations{spec.LimitExceeded, spec.DecidedWithPods})
	LateSuccessDoesNotSave = set.New("JOB-BACKOFF-007",
		"A Job whose limit is exceeded MUST fail, even if one of its pods succeeds afterwards.",
		"kubernetes/kubernetes#109485; batch/v1 JobStatus.conditions",
		contract.Situations{spec.LimitExceeded, spec.DecidedWithPods})
	FirstBackoff = set.New("JOB-BACKOFF-008",
		"After the first failure, a Job controller MUST wait 10 s from the pod's end before it starts the next pod.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy; kubernetes/kubernetes#114391",
		contract.Invariants{"job-backoff-is-kept"}, contract.Situations{spec.FailedWithinLimit})
	BackoffDoubles = set.New("JOB-BACKOFF-009",
		"The delay MUST double with every further failure.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy; kubernetes/kubernetes#114391",
		contract.Invariants{"job-backoff-is-kept"}, contract.Situations{spec.FailedWithinLimit})
	BackoffIsLimited = set.New("JOB-BACKOFF-010",
		"The delay MUST NOT grow without end: 10 min after a failure, the next pod is due, however many failed before.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy; kubernetes/kubernetes#114391")
	SuccessEndsBackoff = set.New("JOB-BACKOFF-011",
		"A pod that succeeds after the failures MUST end the delay.",
		"kubernetes/kubernetes#63650; kubernetes/kubernetes#62382",
		contract.Situations{spec.FailedWithinLimit, spec.PodSucceeded})
	DeletedPodsFail = set.New("JOB-BACKOFF-012",
		"A pod that somebody deletes before it has succeeded MUST count as failed.",
		"batch/v1 JobStatus.failed; KEP-2307; KEP-3939",
		contract.Situations{spec.PodDeleted})
	BackoffLimitAcrossIndexes = set.New("JOB-BACKOFF-013",
		"The limit of an Indexed Job MUST be compared with the failures of all its indexes together.",
		"batch/v1 JobSpec.backoffLimit; KEP-2214",
		contract.Indexed, contract.Situations{spec.LimitExceeded})
	BackoffCountsAll = set.New("JOB-BACKOFF-014",
		"The delay MUST double with every one of several failures at the same time, and begin with the last of them.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Situations{spec.FailedWithinLimit})
	BackoffOfUnterminated = set.New("JOB-BACKOFF-015",
		"After a failure of a pod whose containers have not terminated, the delay MUST begin when "+
			"the pod stopped being ready.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy; kubernetes/kubernetes#114391",
		contract.Situations{spec.FailedWithinLimit})
	BackoffAfterSidecars = set.New("JOB-BACKOFF-016",
		"The delay MUST begin when the last container of the failed pod ended, be it a sidecar.",
		"docs: concepts/workloads/pods/sidecar-containers#jobs-with-sidecar-containers; KEP-753; "+
			"kubernetes/kubernetes#114391",
		contract.Versions(">= 1.36.0"), contract.Invariants{"job-backoff-is-kept"},
		contract.Situations{spec.FailedWithinLimit}) // v1.30.14 leaves sidecars out
	BackoffOfRejected = set.New("JOB-BACKOFF-017",
		"After a failure of a pod that does not show when it ended, as of one that its node rejected, the delay MUST "+
			"NOT begin before the pod's creation.",
		"kubernetes/kubernetes#76370; kubernetes/kubernetes#114391; docs: "+
			"concepts/workloads/controllers/job#pod-backoff-failure-policy says nothing about it",
		contract.Invariants{"job-backoff-is-kept"}, contract.Situations{spec.FailedWithinLimit})
	RestartsBesideNever = set.New("JOB-BACKOFF-018",
		"Restarts of containers, such as sidecars, MUST NOT count towards backoffLimit where the pods' restartPolicy "+
			"is Never.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy; KEP-753; KEP-5307",
		contract.Invariants{"job-fails-at-its-backoff-limit"}, contract.Situations{spec.ContainerRestarted})
)

// The restartPolicy OnFailure: containers fail, and their pods stay.
var (
	RestartsInPlace = set.New("JOB-ONFAILURE-001",
		"A container that restarts in place MUST NOT make its pod count as failed, and a Job "+
			"controller MUST NOT replace the pod.",
		"docs: concepts/workloads/controllers/job#handling-pod-and-container-failures",
		contract.Situations{spec.ContainerRestarted})
	RestartsReachBackoffLimit = set.New("JOB-ONFAILURE-002",
		"A Job MUST fail with the reason BackoffLimitExceeded when its containers have restarted as often as "+
			"backoffLimit says, and not before.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Invariants{"job-fails-at-its-restart-limit"}, contract.Situations{spec.RestartsAtLimit})
	FirstRestartFails = set.New("JOB-ONFAILURE-003",
		"With backoffLimit 0, a Job MUST fail at the first restart, and MUST become Complete if there is none.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Invariants{"job-fails-at-its-restart-limit"})
	AddsUpRestarts = set.New("JOB-ONFAILURE-004",
		"The restarts of all containers of all pods MUST be added up.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Situations{spec.RestartsAtLimit})
	AddsUpInitRestarts = set.New("JOB-ONFAILURE-005",
		"The restarts of init containers MUST be added up with the others.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Situations{spec.RestartsAtLimit})
	FinishedRestartsDoNotCount = set.New("JOB-ONFAILURE-006",
		"Restarts in pods that have finished MUST NOT be added up: only those of pending and running pods are.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Situations{spec.ContainerRestarted})
	RestartLimitDeletesPods = set.New("JOB-ONFAILURE-007",
		"When the restarts reach the limit, a Job controller MUST delete the pods that run.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Situations{spec.RestartsAtLimit, spec.DecidedWithPods})
	DeletedOnFailurePodFails = set.New("JOB-ONFAILURE-008",
		"A pod that somebody deletes, or that fails as a whole, MUST count as failed and MUST be replaced within the "+
			"limit, whatever its restartPolicy.",
		"docs: concepts/workloads/controllers/job#handling-pod-and-container-failures; docs: "+
			"concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.Situations{spec.PodFailed})
	OtherRestarts = set.New("JOB-ONFAILURE-009",
		"A Job controller MAY add up restarts that the pods' restartPolicy does not cause as well, or not: those of "+
			"sidecars, and those by a container's own restartPolicy or restartPolicyRules.",
		"docs: concepts/workloads/controllers/job#pod-backoff-failure-policy, KEP-753 and KEP-5307 say nothing about "+
			"it; kube-controller-manager adds up the restarts of all containers",
		contract.Situations{spec.ContainerRestarted})
)

// The fields restartPolicy and restartPolicyRules of containers: they restart in pods that do not (KEP-5307, KEP-5532).
var (
	RestartsByRules = set.New("JOB-RESTARTRULES-001",
		"A container that restarts by its own restartPolicy or restartPolicyRules, in a pod with the restartPolicy "+
			"Never, MUST NOT make its pod count as failed, and a Job controller MUST NOT replace the pod.",
		"core/v1 Container.restartPolicy and restartPolicyRules; KEP-5307",
		contract.Versions(">= 1.35.0"), contract.Gates{gates.ContainerRestartRules},
		contract.Situations{spec.ContainerRestarted})
	RestartsMatchNoRule = set.New("JOB-RESTARTRULES-002",
		"Rules of podFailurePolicy MUST NOT be applied to such a restart, and MUST be applied to how the containers "+
			"ended last once the pod has failed.",
		"batch/v1 PodFailurePolicyRule.onExitCodes; KEP-5307",
		contract.PodFailurePolicy, contract.Versions(">= 1.35.0"), contract.Gates{gates.ContainerRestartRules},
		contract.Invariants{"job-fails-by-its-policy"}, contract.Situations{spec.ContainerRestarted, spec.PodFailed})
	RestartsFailNoIndex = set.New("JOB-RESTARTRULES-003",
		"Such a restart MUST NOT count as a failure of its index.",
		"batch/v1 JobSpec.backoffLimitPerIndex; KEP-5307",
		contract.BackoffLimitPerIndex, contract.Versions(">= 1.35.0"), contract.Gates{gates.ContainerRestartRules},
		contract.Situations{spec.ContainerRestarted})
	RestartsAllContainers = set.New("JOB-RESTARTRULES-004",
		"A pod whose containers all restart MUST stay an active pod of its Job, also while it is Pending again: a Job "+
			"controller MUST NOT count or replace it.",
		"core/v1 ContainerRestartRuleActionRestartAllContainers; KEP-5532",
		contract.Versions(">= 1.36.0"), contract.Gates{gates.RestartAllContainersOnContainerExits},
		contract.Situations{spec.ContainerRestarted})
	RestartsAllOfAnIndex = set.New("JOB-RESTARTRULES-005",
		"The index of a pod whose containers all restart MUST stay with that pod.",
		"core/v1 ContainerRestartRuleActionRestartAllContainers; KEP-5532",
		contract.Indexed, contract.Versions(">= 1.36.0"), contract.Gates{gates.RestartAllContainersOnContainerExits},
		contract.Situations{spec.ContainerRestarted})
)

// The fields backoffLimitPerIndex and maxFailedIndexes (KEP-3850).
var (
	RetriesEachIndex = set.New("JOB-BACKOFFLIMITPERINDEX-001",
		"An index MUST be retried until its pods have failed once more than backoffLimitPerIndex; then it MUST "+
			"appear in failedIndexes and MUST NOT be run again.",
		"batch/v1 JobSpec.backoffLimitPerIndex and JobStatus.failedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-index-runs-no-more", "job-indexes-never-shrink",
			"job-indexes-agree", "job-index-within-backoff-limit"},
		contract.Situations{spec.IndexFailed, spec.IndexLimitExceeded})
	ZeroRetriesPerIndex = set.New("JOB-BACKOFFLIMITPERINDEX-002",
		"With a backoffLimitPerIndex of 0 an index MUST fail with its first failed pod.",
		"batch/v1 JobSpec.backoffLimitPerIndex; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Situations{spec.IndexLimitExceeded})
	FailedIndexLeavesOthers = set.New("JOB-BACKOFFLIMITPERINDEX-003",
		"A failed index MUST NOT keep other indexes from being run and retried.",
		"batch/v1 JobSpec.maxFailedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex)
	FailedIndexFailsTheJob = set.New("JOB-BACKOFFLIMITPERINDEX-004",
		"A Job with a failed index MUST fail with the reason FailedIndexes when all its indexes "+
			"have ended, and not before.",
		"batch/v1 JobReasonFailedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-fails-for-failed-indexes"},
		contract.Situations{spec.IndexLimitExceeded})
	RetriedIndexesComplete = set.New("JOB-BACKOFFLIMITPERINDEX-005",
		"A Job MUST complete when all its indexes have succeeded, however often each of them "+
			"was retried within its limit.",
		"batch/v1 JobSpec.backoffLimitPerIndex; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Situations{spec.IndexFailed})
	FailedIndexesFormat = set.New("JOB-BACKOFFLIMITPERINDEX-006",
		"failedIndexes MUST list the failed indexes in increasing order, with three or more "+
			"consecutive ones as a range.",
		"batch/v1 JobStatus.failedIndexes",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-indexes-agree", "job-indexes-well-formed"},
		contract.Situations{spec.IndexLimitExceeded})
	FailsBeyondMaxFailedIndexes = set.New("JOB-BACKOFFLIMITPERINDEX-007",
		"When more indexes than maxFailedIndexes have failed, the Job MUST fail with the reason "+
			"MaxFailedIndexesExceeded, and its running pods MUST be terminated.",
		"batch/v1 JobSpec.maxFailedIndexes and JobReasonMaxFailedIndexesExceeded; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-max-failed-indexes-holds"},
		contract.Situations{spec.TooManyIndexes})
	MaxFailedIndexesWaitsForPods = set.New("JOB-BACKOFFLIMITPERINDEX-008",
		"A Job that has exceeded maxFailedIndexes MUST have the condition FailureTarget at once, and Failed only "+
			"when all its pods have ended.",
		"docs: concepts/workloads/controllers/job#terminal-job-conditions; kubernetes/kubernetes#123775",
		contract.BackoffLimitPerIndex, contract.Versions(">= 1.31.0"),
		contract.Invariants{"job-fails-by-max-failed-indexes-after-pods", "job-verdict-comes-first"},
		contract.Situations{spec.IndexLimitExceeded})
	FailedIndexesWithinMax = set.New("JOB-BACKOFFLIMITPERINDEX-009",
		"As many failed indexes as maxFailedIndexes MUST NOT end the Job.",
		"batch/v1 JobSpec.maxFailedIndexes; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-fails-at-its-max-failed-indexes"},
		contract.Situations{spec.IndexLimitExceeded})
	NoOverallLimitByDefault = set.New("JOB-BACKOFFLIMITPERINDEX-010",
		"With a backoffLimitPerIndex and no backoffLimit, the number of failures of the whole Job MUST NOT be limited.",
		"batch/v1 JobSpec.backoffLimit: defaults to 2147483647 then; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-fails-at-its-backoff-limit"},
		contract.Situations{spec.PodFailed})
	OverallLimitBesidePerIndex = set.New("JOB-BACKOFFLIMITPERINDEX-011",
		"A backoffLimit beside backoffLimitPerIndex MUST limit the failures of all indexes together.",
		"batch/v1 JobSpec.backoffLimit; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Situations{spec.LimitExceeded})
	FailureCountAnnotation = set.New("JOB-BACKOFFLIMITPERINDEX-012",
		"Every pod MUST have the annotation batch.kubernetes.io/job-index-failure-count with the number of failures "+
			"of its index that count: 0 at first, and one more after each.",
		"batch/v1 JobIndexFailureCountAnnotation; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-index-failure-count"},
		contract.Situations{spec.IndexFailed})
	IgnoredFailureCountAnnotation = set.New("JOB-BACKOFFLIMITPERINDEX-013",
		"A failure that podFailurePolicy ignores MUST NOT count towards backoffLimitPerIndex; the next pod's "+
			"annotation batch.kubernetes.io/job-index-ignored-failure-count MUST count it instead.",
		"batch/v1 JobIndexIgnoredFailureCountAnnotation; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Situations{spec.IgnoreMatched})
	BackoffPerIndex = set.New("JOB-BACKOFFLIMITPERINDEX-014",
		"The next pod of an index MUST be delayed by 10 s after the index's first failure, and by twice as "+
			"long after each further one.",
		"KEP-3850; docs: concepts/workloads/controllers/job#pod-backoff-failure-policy",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-index-backoff-is-kept", "job-index-backoff-is-kept"},
		contract.Situations{spec.IndexFailed})
	BackoffLeavesOtherIndexes = set.New("JOB-BACKOFFLIMITPERINDEX-015",
		"An index that waits for its back-off MUST NOT delay pods of other indexes for which there is room.",
		"KEP-3850: the delay is computed within each index independently",
		contract.BackoffLimitPerIndex, contract.Situations{spec.IndexFailed})
	IndexFailuresOutliveThePod = set.New("JOB-BACKOFFLIMITPERINDEX-016",
		"The failures of an index MUST NOT be forgotten when its failed pod is deleted before it is replaced.",
		"KEP-3850: the finalizer stays until the replacement is created",
		contract.BackoffLimitPerIndex, contract.Situations{spec.IndexFailed})
	DeletedPodFailsItsIndex = set.New("JOB-BACKOFFLIMITPERINDEX-017",
		"A pod that somebody else deletes MUST count as a failure of its index.",
		"batch/v1 JobSpec.podReplacementPolicy and JobSpec.backoffLimitPerIndex; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Situations{spec.PodDeleted})
	TerminatingPodKeepsItsIndex = set.New("JOB-BACKOFFLIMITPERINDEX-018",
		"With podReplacementPolicy Failed, the pod of an index that is terminating MUST NOT count as a failure of "+
			"the index before it has ended.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3850; KEP-3939",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-replaces-only-failed"},
		contract.Situations{spec.PodTerminating})
	FailIndexAction = set.New("JOB-BACKOFFLIMITPERINDEX-019",
		"When a failed pod matches a podFailurePolicy rule with the action FailIndex, its index MUST fail without "+
			"any retry, and the Job MUST go on with the others.",
		"batch/v1 PodFailurePolicyRule.action; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-fail-index-is-heeded", "job-fail-index-is-heeded"},
		contract.Situations{spec.FailIndexMatched})
	FailJobBeatsPerIndex = set.New("JOB-BACKOFFLIMITPERINDEX-020",
		"When a failed pod matches a podFailurePolicy rule with the action FailJob, the whole Job MUST fail, "+
			"whatever is left of backoffLimitPerIndex.",
		"batch/v1 PodFailurePolicyRule.action; KEP-3329",
		contract.BackoffLimitPerIndex, contract.Situations{spec.FailJobMatched})
	FailedCountsEveryIndex = set.New("JOB-BACKOFFLIMITPERINDEX-021",
		"status.failed MUST count every failed pod of every index.",
		"batch/v1 JobStatus.failed",
		contract.BackoffLimitPerIndex, contract.Situations{spec.PodFailed})
	IgnoredFailuresDelayIndex = set.New("JOB-BACKOFFLIMITPERINDEX-022",
		"A failure that podFailurePolicy ignores MUST delay the next pod of its index as others do.",
		"KEP-3850; kubernetes/kubernetes#119378",
		contract.BackoffLimitPerIndex, contract.Situations{spec.IgnoreMatched})
	UnreadableFailureCount = set.New("JOB-BACKOFFLIMITPERINDEX-024",
		"An index MUST be retried although the annotation batch.kubernetes.io/job-index-failure-count of its pod is "+
			"no number of failures.",
		"batch/v1 JobIndexFailureCountAnnotation: any user who may change the pod may write it; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Situations{spec.IndexFailed})
	RejectedDelaysIndex = set.New("JOB-BACKOFFLIMITPERINDEX-023",
		"After a failure of a pod that does not show when it ended, the delay of its index MUST NOT begin before the "+
			"pod's creation.",
		"kubernetes/kubernetes#76370; KEP-3850",
		contract.BackoffLimitPerIndex, contract.Invariants{"job-index-backoff-is-kept"},
		contract.Situations{spec.IndexFailed})
)

// The field podFailurePolicy (KEP-3329).
var (
	FailJobAction = set.New("JOB-PODFAILUREPOLICY-001",
		"When a failed pod matches a rule with the action FailJob, the Job MUST fail with the reason "+
			"PodFailurePolicy, to which the gate PodFailurePolicyName adds the rule, however many retries are left.",
		"batch/v1 PodFailurePolicyRule.action; batch/v1 JobReasonPodFailurePolicy; KEP-3329",
		contract.PodFailurePolicy,
		contract.Invariants{"job-fail-job-is-heeded", "job-fails-by-its-policy", "job-fail-job-is-heeded"},
		contract.Situations{spec.FailJobMatched})
	FailJobMessage = set.New("JOB-PODFAILUREPOLICY-002",
		"The conditions of a Job that fails so MUST say which pod it was, which container with which exit code or "+
			"which pod condition, and which rule.",
		"batch/v1 JobCondition.message; KEP-3329; docs: tasks/job/pod-failure-policy",
		contract.PodFailurePolicy, contract.Situations{spec.FailJobMatched})
	FailJobDeletesPods = set.New("JOB-PODFAILUREPOLICY-003",
		"All running pods of a Job that fails so MUST be terminated, and the status MUST NOT count "+
			"any as active from then on.",
		"batch/v1 PodFailurePolicyRule.action; KEP-3329",
		contract.PodFailurePolicy,
		contract.About{spec.JobActive}, contract.Situations{spec.FailJobMatched, spec.DecidedWithPods})
	FailJobWaitsForPods = set.New("JOB-PODFAILUREPOLICY-004",
		"A Job that fails so MUST have the condition FailureTarget at once, and Failed only "+
			"when all its pods have ended.",
		"docs: concepts/workloads/controllers/job#terminal-job-conditions; KEP-3329; kubernetes/kubernetes#123775",
		contract.PodFailurePolicy, contract.Versions(">= 1.31.0"),
		contract.Invariants{"job-fails-by-its-policy-after-pods", "job-verdict-comes-first"},
		contract.Situations{spec.FailJobMatched, spec.DecidedWithPods})
	FailJobIsFinal = set.New("JOB-PODFAILUREPOLICY-005",
		"Once a FailJob rule has matched, the Job MUST fail even if its other pods succeed before they are gone.",
		"batch/v1 JobStatus.conditions; KEP-3329",
		contract.PodFailurePolicy, contract.Invariants{"job-verdict-is-final"},
		contract.Situations{spec.FailJobMatched, spec.DecidedWithPods})
	IgnoreAction = set.New("JOB-PODFAILUREPOLICY-006",
		"A failure that matches a rule with the action Ignore MUST NOT count in status.failed nor towards "+
			"backoffLimit, and the pod MUST be replaced.",
		"batch/v1 PodFailurePolicyRule.action; KEP-3329",
		contract.PodFailurePolicy,
		contract.Invariants{"job-ignored-failures-do-not-count", "job-ignored-failures-do-not-count"},
		contract.Situations{spec.IgnoreMatched})
	CountAction = set.New("JOB-PODFAILUREPOLICY-007",
		"A failure that matches a rule with the action Count MUST count in status.failed and towards backoffLimit.",
		"batch/v1 PodFailurePolicyRule.action; KEP-3329",
		contract.PodFailurePolicy, contract.Situations{spec.CountMatched})
	UnmatchedFailureCounts = set.New("JOB-PODFAILUREPOLICY-008",
		"A failure that matches no rule MUST count in status.failed and towards backoffLimit.",
		"batch/v1 PodFailurePolicy.rules",
		contract.PodFailurePolicy, contract.Situations{spec.NoRuleMatched})
	FirstRuleDecides = set.New("JOB-PODFAILUREPOLICY-009",
		"Rules MUST be tried in their order, and the first that matches a failure decides alone.",
		"batch/v1 PodFailurePolicy.rules",
		contract.PodFailurePolicy, contract.Invariants{"job-fails-by-its-policy"}, contract.Situations{spec.PodFailed})
	ExitCodesIn = set.New("JOB-PODFAILUREPOLICY-010",
		"With the operator In, onExitCodes MUST match when a container's exit code is one "+
			"of the values, and only then.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.operator",
		contract.PodFailurePolicy, contract.Situations{spec.FailJobMatched, spec.NoRuleMatched})
	ExitCodesNotIn = set.New("JOB-PODFAILUREPOLICY-011",
		"With the operator NotIn, onExitCodes MUST match when the exit code of a container that failed is none "+
			"of the values, and only then.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.operator",
		contract.PodFailurePolicy, contract.Invariants{"job-fails-by-its-policy"},
		contract.Situations{spec.FailJobMatched, spec.NoRuleMatched})
	SucceededContainerNeverMatches = set.New("JOB-PODFAILUREPOLICY-012",
		"onExitCodes MUST NOT match because of a container that succeeded.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement: exit code 0 is excluded",
		contract.PodFailurePolicy, contract.Invariants{"job-fails-by-its-policy"},
		contract.Situations{spec.NoRuleMatched})
	ExitCodesOfOneContainer = set.New("JOB-PODFAILUREPOLICY-013",
		"With a containerName, onExitCodes MUST look at that container alone.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.containerName",
		contract.PodFailurePolicy, contract.Situations{spec.PodFailed})
	ExitCodesOfAnyContainer = set.New("JOB-PODFAILUREPOLICY-014",
		"Without a containerName, onExitCodes MUST look at every container, and one that matches is enough.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.containerName and operator",
		contract.PodFailurePolicy, contract.Situations{spec.FailJobMatched})
	ExitCodesOfInitContainers = set.New("JOB-PODFAILUREPOLICY-015",
		"onExitCodes MUST look at the exit codes of init containers, too.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement: status.initContainerStatuses",
		contract.PodFailurePolicy, contract.Situations{spec.FailJobMatched})
	MatchesPodConditions = set.New("JOB-PODFAILUREPOLICY-016",
		"onPodConditions MUST match when the failed pod has a condition of that type and status, True if none is "+
			"given, and not when it lacks the condition or has it with another status.",
		"batch/v1 PodFailurePolicyOnPodConditionsPattern.type and status",
		contract.PodFailurePolicy, contract.Situations{spec.PodFailed})
	AnyPatternMatches = set.New("JOB-PODFAILUREPOLICY-017",
		"Of several patterns in onPodConditions, one that matches MUST be enough.",
		"batch/v1 PodFailurePolicyRule.onPodConditions",
		contract.PodFailurePolicy, contract.Situations{spec.FailJobMatched})
	MatchesEviction = set.New("JOB-PODFAILUREPOLICY-018",
		"A pod that is evicted through the API fails with the condition DisruptionTarget, which "+
			"rules MUST be able to match.",
		"KEP-3329; docs: concepts/workloads/pods/disruptions#pod-disruption-conditions",
		contract.PodFailurePolicy, contract.Situations{spec.PodFailed})
	TerminatingPodIsNotJudged = set.New("JOB-PODFAILUREPOLICY-019",
		"With a podFailurePolicy, a terminating pod MUST be neither judged by the rules nor counted nor "+
			"replaced before it has ended.",
		"batch/v1 JobSpec.podReplacementPolicy: Failed is the only value; docs: "+
			"concepts/workloads/controllers/job#pod-failure-policy; KEP-3329",
		contract.PodFailurePolicy, contract.Invariants{"job-fails-by-its-policy", "job-replaces-only-failed"},
		contract.Situations{spec.PodTerminating})
	RulesNeedAFailure = set.New("JOB-PODFAILUREPOLICY-020",
		"Rules MUST NOT be applied to pods that run or have succeeded.",
		"batch/v1 JobSpec.podFailurePolicy: the policy of handling failed pods",
		contract.PodFailurePolicy, contract.Situations{spec.PodSucceeded})
	EveryFailureIsJudged = set.New("JOB-PODFAILUREPOLICY-021",
		"A rule MUST decide for every failed pod anew: ignored failures and counted ones may "+
			"follow each other in any order.",
		"batch/v1 PodFailurePolicy.rules",
		contract.PodFailurePolicy, contract.Situations{spec.IgnoreMatched, spec.NoRuleMatched})
	UnterminatedHasNoExitCode = set.New("JOB-PODFAILUREPOLICY-022",
		"onExitCodes MUST NOT match because of a container that has not terminated.",
		"batch/v1 PodFailurePolicyRule.onExitCodes; kubernetes/kubernetes#113852",
		contract.PodFailurePolicy, contract.Invariants{"job-fails-by-its-policy"},
		contract.Situations{spec.NoRuleMatched})
	MatchesDisruptions = set.New("JOB-PODFAILUREPOLICY-023",
		"Rules MUST be able to match the condition DisruptionTarget of a pod that is preempted, evicted because of a "+
			"taint, deleted by the garbage collector of pods or terminated with its node, whatever its reason.",
		"KEP-3329; docs: concepts/workloads/pods/disruptions#pod-disruption-conditions",
		contract.PodFailurePolicy, contract.Invariants{"job-fails-by-its-policy"}, contract.Situations{spec.PodFailed})
	ReasonHasRuleIndex = set.New("JOB-PODFAILUREPOLICY-024",
		"When a rule without a name fails the Job, the reason MUST be PodFailurePolicy, an underscore and the index "+
			"of the rule, from 0.",
		"KEP-4443",
		contract.PodFailurePolicy, contract.Versions(">= 1.38.0"), contract.Gates{gates.PodFailurePolicyName},
		contract.Provisional)
	ReasonHasRuleName = set.New("JOB-PODFAILUREPOLICY-025",
		"When a rule with a name fails the Job, the reason MUST be PodFailurePolicy, an underscore and the name.",
		"KEP-4443",
		contract.PodFailurePolicy, contract.Versions(">= 1.38.0"), contract.Gates{gates.PodFailurePolicyName},
		contract.Provisional)
)

// The field podReplacementPolicy (KEP-3939).
var (
	FailedReplacesAfterEnd = set.New("JOB-REPLACEMENT-001",
		"With the policy Failed, a Job controller MUST NOT replace a pod that is being deleted before it has "+
			"ended, and MUST replace it then.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		contract.PodReplacementPolicy, contract.Invariants{"job-replaces-only-failed"},
		contract.Situations{spec.PodTerminating})
	FailedCountsAfterEnd = set.New("JOB-REPLACEMENT-002",
		"With the policy Failed, a pod that is being deleted MUST NOT count as failed before it has ended, and MUST "+
			"count as succeeded if that is how it ends.",
		"KEP-3939; batch/v1 JobStatus.succeeded and failed",
		contract.PodReplacementPolicy, contract.Situations{spec.PodEndedLate})
	TerminatingReplacesAtOnce = set.New("JOB-REPLACEMENT-003",
		"With the policy TerminatingOrFailed, a pod that is being deleted MUST count as failed and MUST be "+
			"replaced before it has ended.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		contract.PodReplacementPolicy, contract.Situations{spec.PodDeleted})
	TerminatingStaysFailed = set.New("JOB-REPLACEMENT-004",
		"With the policy TerminatingOrFailed, such a pod MUST stay counted as failed, even if it succeeds in the end.",
		"KEP-3939: The default job controller behavior",
		contract.PodReplacementPolicy, contract.Situations{spec.PodDeleted})
	FailedBlocksTheIndexOnly = set.New("JOB-REPLACEMENT-005",
		"With the policy Failed, an index MUST NOT be started while a pod of it is being deleted, and other indexes "+
			"MUST be as far as parallelism allows.",
		"KEP-3939: in Indexed completion mode, the tracking of pods is per index",
		contract.PodReplacementPolicy, contract.Invariants{"job-index-replaces-only-failed"},
		contract.Situations{spec.PodTerminating})
	FailedDelaysResume = set.New("JOB-REPLACEMENT-006",
		"With the policy Failed, a Job that is resumed MUST wait for the pods that its suspension deleted; with "+
			"TerminatingOrFailed it MUST NOT.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		contract.PodReplacementPolicy, contract.Situations{spec.SuspendedWithPods, spec.JobResumed})
	BothReplaceFailed = set.New("JOB-REPLACEMENT-007",
		"With either policy, a Job controller MUST replace a pod that has failed.",
		"batch/v1 JobSpec.podReplacementPolicy",
		contract.PodReplacementPolicy, contract.Situations{spec.FailedWithinLimit})
	TerminatingBeyondParallelism = set.New("JOB-REPLACEMENT-008",
		"With the policy Failed, a Job controller MUST NOT create pods while more pods terminate than parallelism or "+
			"the completions that are left, MUST leave as many active ones alone as parallelism allows, and MUST go "+
			"on when the others have ended.",
		"batch/v1 JobSpec.podReplacementPolicy; KEP-3939; kubernetes/kubernetes#121147",
		contract.PodReplacementPolicy, contract.Situations{spec.PodTerminating})
	FailedDelaysNewTemplate = set.New("JOB-REPLACEMENT-009",
		"With the policy Failed, a resumed Job whose resources changed while it was suspended MUST NOT run pods with "+
			"the new ones before those with the old ones have ended, and MUST run them then.",
		"KEP-3939; KEP-5440",
		contract.PodReplacementPolicy, contract.Versions(">= 1.36.0"),
		contract.Gates{gates.MutablePodResourcesForSuspendedJobs},
		contract.Situations{spec.SuspendedWithPods, spec.JobResumed})
)
