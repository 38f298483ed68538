package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// What the API server refuses in pod failure policies and success policies.
var (
	FailurePolicyNeedsNever = contract.New("API-FAILUREPOLICY-001",
		"A podFailurePolicy MUST be refused unless the pods' restartPolicy is Never.",
		"batch/v1 JobSpec.podFailurePolicy; docs: concepts/workloads/controllers/job#pod-failure-policy",
		contract.PodFailurePolicy)
	FailurePolicyRulesAreFew = contract.New("API-FAILUREPOLICY-002",
		"A podFailurePolicy MUST be refused with more than 20 rules.",
		"batch/v1 PodFailurePolicy.rules",
		contract.PodFailurePolicy)
	FailurePolicyActionIsValid = contract.New("API-FAILUREPOLICY-003",
		"An action other than FailJob, FailIndex, Ignore and Count MUST be refused, and FailIndex without backoffLimitPerIndex.",
		"batch/v1 PodFailurePolicyRule.action",
		contract.PodFailurePolicy)
	FailurePolicyRuleIsOneKind = contract.New("API-FAILUREPOLICY-004",
		"A rule MUST be refused unless it has exactly one of onExitCodes and onPodConditions.",
		"batch/v1 PodFailurePolicyRule",
		contract.PodFailurePolicy)
	ExitCodeOperatorIsValid = contract.New("API-FAILUREPOLICY-005",
		"An operator for exit codes other than In and NotIn MUST be refused.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.operator",
		contract.PodFailurePolicy)
	ExitCodesAreValid = contract.New("API-FAILUREPOLICY-006",
		"Exit codes MUST be refused unless they are 1 to 255 codes in order, each once, without 0 when the operator is In.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.values",
		contract.PodFailurePolicy)
	ExitCodeContainerExists = contract.New("API-FAILUREPOLICY-007",
		"A container name MUST be refused unless a container or init container of the pod template has it.",
		"batch/v1 PodFailurePolicyOnExitCodesRequirement.containerName",
		contract.PodFailurePolicy)
	PodConditionPatternsAreValid = contract.New("API-FAILUREPOLICY-008",
		"Patterns for pod conditions MUST be refused when they are more than 20, and when a type is no qualified name or a status none of True, False and Unknown.",
		"batch/v1 PodFailurePolicyRule.onPodConditions",
		contract.PodFailurePolicy)
	SuccessPolicyNeedsIndexed = contract.New("API-SUCCESSPOLICY-001",
		"A successPolicy MUST be refused in a Job that is not Indexed.",
		"batch/v1 JobSpec.successPolicy",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SuccessPolicyRulesAreValid = contract.New("API-SUCCESSPOLICY-002",
		"A successPolicy MUST be refused unless it has 1 to 20 rules, each with succeededIndexes or succeededCount.",
		"batch/v1 SuccessPolicy.rules; batch/v1 SuccessPolicyRule",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SucceededIndexesAreValid = contract.New("API-SUCCESSPOLICY-003",
		"The succeededIndexes of a successPolicy MUST be refused unless they are indexes of the Job and ranges of them, in order.",
		"batch/v1 SuccessPolicyRule.succeededIndexes",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SucceededCountIsValid = contract.New("API-SUCCESSPOLICY-004",
		"The succeededCount of a successPolicy MUST be refused when it is negative, above completions, or above the number of succeededIndexes.",
		"batch/v1 SuccessPolicyRule.succeededCount",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
)
