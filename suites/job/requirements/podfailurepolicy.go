package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// The field podFailurePolicy (KEP-3329).
var (
	FailJobAction = contract.New("JOB-PODFAILUREPOLICY-001",
		"When a failed pod matches a rule with the action FailJob, the Job MUST fail with the reason PodFailurePolicy, however many retries are left.",
		"batch/v1 PodFailurePolicyRule.action; batch/v1 JobReasonPodFailurePolicy; KEP-3329",
		contract.PodFailurePolicy, contract.Invariants{"job-fail-job-is-heeded", "job-fails-for-a-reason", "job-fail-job-is-heeded"})
	FailJobMessage = contract.New("JOB-PODFAILUREPOLICY-002",
		"The conditions of a Job that fails so MUST say which pod it was, which container with which exit code or which pod condition, and which rule.",
		"KEP-3329; docs: tasks/job/pod-failure-policy",
		contract.PodFailurePolicy)
	FailJobDeletesPods = contract.New("JOB-PODFAILUREPOLICY-003",
		"All running pods of a Job that fails so MUST be terminated, and the status MUST NOT count any as active from then on.",
		"batch/v1 PodFailurePolicyRule.action; KEP-3329",
		contract.PodFailurePolicy)
	FailJobWaitsForPods = contract.New("JOB-PODFAILUREPOLICY-004",
		"A Job that fails so MUST have the condition FailureTarget at once, and Failed only when all its pods have ended.",
		"docs: concepts/workloads/controllers/job#terminal-job-conditions; KEP-3329; kubernetes/kubernetes#123775",
		contract.PodFailurePolicy, contract.Versions(">= 1.31.0"), contract.Invariants{"job-finished-after-pods", "job-verdict-comes-first"})
	FailJobIsFinal = contract.New("JOB-PODFAILUREPOLICY-005",
		"Once a FailJob rule has matched, the Job MUST fail even if its other pods succeed before they are gone.",
		"batch/v1 JobStatus.conditions; KEP-3329",
		contract.PodFailurePolicy, contract.Invariants{"job-verdict-is-final"})
	IgnoreAction = contract.New("JOB-PODFAILUREPOLICY-006",
		"A failure that matches a rule with the action Ignore MUST NOT count in status.failed nor towards backoffLimit, and the pod MUST be replaced.",
		"batch/v1 PodFailurePolicyRule.action; KEP-3329",
		contract.PodFailurePolicy, contract.Invariants{"job-ignored-failures-do-not-count", "job-ignored-failures-do-not-count"})
	CountAction = contract.New("JOB-PODFAILUREPOLICY-007",
		"A failure that matches a rule with the action Count MUST count in status.failed and towards backoffLimit.",
		"batch/v1 PodFailurePolicyRule.action; KEP-3329",
		contract.PodFailurePolicy)
	UnmatchedFailureCounts = contract.New("JOB-PODFAILUREPOLICY-008",
		"A failure that matches no rule MUST count in status.failed and towards backoffLimit.",
		"batch/v1 PodFailurePolicy.rules",
		contract.PodFailurePolicy)
	FirstRuleDecides = contract.New("JOB-PODFAILUREPOLICY-009",
		"Rules MUST be tried in their order, and the first that matches a failure decides alone.",
		"batch/v1 PodFailurePolicy.rules",
		contract.PodFailurePolicy)
	ExitCodesIn = contract.New("JOB-PODFAILUREPOLICY-010",
		"With the operator In, onExitCodes MUST match when a container's exit code is one of the values, and only then.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.operator",
		contract.PodFailurePolicy)
	ExitCodesNotIn = contract.New("JOB-PODFAILUREPOLICY-011",
		"With the operator NotIn, onExitCodes MUST match when the exit code of a container that failed is none of the values, and only then.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.operator",
		contract.PodFailurePolicy)
	SucceededContainerNeverMatches = contract.New("JOB-PODFAILUREPOLICY-012",
		"onExitCodes MUST NOT match because of a container that succeeded.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement: exit code 0 is excluded",
		contract.PodFailurePolicy)
	ExitCodesOfOneContainer = contract.New("JOB-PODFAILUREPOLICY-013",
		"With a containerName, onExitCodes MUST look at that container alone.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.containerName",
		contract.PodFailurePolicy)
	ExitCodesOfAnyContainer = contract.New("JOB-PODFAILUREPOLICY-014",
		"Without a containerName, onExitCodes MUST look at every container, and one that matches is enough.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.containerName and operator",
		contract.PodFailurePolicy)
	ExitCodesOfInitContainers = contract.New("JOB-PODFAILUREPOLICY-015",
		"onExitCodes MUST look at the exit codes of init containers, too.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement: status.initContainerStatuses",
		contract.PodFailurePolicy)
	MatchesPodConditions = contract.New("JOB-PODFAILUREPOLICY-016",
		"onPodConditions MUST match when the failed pod has a condition of that type and status, True if none is given, and not when it lacks the condition or has it with another status.",
		"batch/v1 PodFailurePolicyOnPodConditionsPattern.type and status",
		contract.PodFailurePolicy)
	AnyPatternMatches = contract.New("JOB-PODFAILUREPOLICY-017",
		"Of several patterns in onPodConditions, one that matches MUST be enough.",
		"batch/v1 PodFailurePolicyRule.onPodConditions",
		contract.PodFailurePolicy)
	MatchesEviction = contract.New("JOB-PODFAILUREPOLICY-018",
		"A pod that is evicted through the API fails with the condition DisruptionTarget, which rules MUST be able to match.",
		"KEP-3329; docs: concepts/workloads/pods/disruptions#pod-disruption-conditions",
		contract.PodFailurePolicy)
	TerminatingPodIsNotJudged = contract.New("JOB-PODFAILUREPOLICY-019",
		"With a podFailurePolicy, a terminating pod MUST be neither judged by the rules nor counted nor replaced before it has ended.",
		"batch/v1 JobSpec.podReplacementPolicy: Failed is the only value; docs: concepts/workloads/controllers/job#pod-failure-policy; KEP-3329",
		contract.PodFailurePolicy, contract.Invariants{"job-replaces-only-failed"})
	RulesNeedAFailure = contract.New("JOB-PODFAILUREPOLICY-020",
		"Rules MUST NOT be applied to pods that run or have succeeded.",
		"batch/v1 JobSpec.podFailurePolicy: the policy of handling failed pods",
		contract.PodFailurePolicy)
	EveryFailureIsJudged = contract.New("JOB-PODFAILUREPOLICY-021",
		"A rule MUST decide for every failed pod anew: ignored failures and counted ones may follow each other in any order.",
		"batch/v1 PodFailurePolicy.rules",
		contract.PodFailurePolicy)
)
