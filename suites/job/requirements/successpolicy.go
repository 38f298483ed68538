package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// The field successPolicy (KEP-3998); off by default before v1.31.
var (
	SucceededIndexes = contract.New("JOB-SUCCESSPOLICY-001",
		"With succeededIndexes alone, a rule MUST be met when all those indexes have succeeded, whatever the others did, and not before.",
		"batch/v1 SuccessPolicyRule.succeededIndexes; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SucceededCount = contract.New("JOB-SUCCESSPOLICY-002",
		"With succeededCount alone, a rule MUST be met when that many indexes have succeeded, whichever they are, and not before.",
		"batch/v1 SuccessPolicyRule.succeededCount; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SucceededCountOfIndexes = contract.New("JOB-SUCCESSPOLICY-003",
		"With both, a rule MUST be met when succeededCount of the succeededIndexes have succeeded; other indexes do not count.",
		"batch/v1 SuccessPolicyRule.succeededCount; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	AnyRuleSucceeds = contract.New("JOB-SUCCESSPOLICY-004",
		"Of several rules, any one that is met MUST be enough.",
		"batch/v1 SuccessPolicy.rules; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	UnmetPolicyChangesNothing = contract.New("JOB-SUCCESSPOLICY-005",
		"While no rule is met, the Job MUST go on as it would without the policy.",
		"batch/v1 JobSpec.successPolicy; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Invariants{"job-succeeds-for-a-reason"})
	SuccessPolicyConditions = contract.New("JOB-SUCCESSPOLICY-006",
		"A Job that meets a rule MUST have the condition SuccessCriteriaMet, and then Complete, both with the reason SuccessPolicy.",
		"batch/v1 SuccessPolicy.rules and JobReasonSuccessPolicy; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Invariants{"job-verdict-comes-first", "job-succeeds-for-a-reason"})
	SuccessPolicyAtLastIndex = contract.New("JOB-SUCCESSPOLICY-007",
		"The reason MUST be SuccessPolicy also when the success that meets the rule is the last one of all indexes.",
		"batch/v1 SuccessPolicy.rules: before completions are reached; kubernetes/kubernetes test/integration/job TestSuccessPolicy",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SuccessDeletesPods = contract.New("JOB-SUCCESSPOLICY-008",
		"Once a rule is met, the pods that still run MUST be terminated.",
		"batch/v1 JobSpec.successPolicy; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SuccessWaitsForPods = contract.New("JOB-SUCCESSPOLICY-009",
		"Complete and completionTime MUST be there only when all pods have ended.",
		"KEP-3998; docs: concepts/workloads/controllers/job#terminal-job-conditions; kubernetes/kubernetes#123775",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Invariants{"job-finished-after-pods", "job-completion-time"})
	SuccessCountsNoFailures = contract.New("JOB-SUCCESSPOLICY-010",
		"The pods that are terminated so MUST NOT count as failed.",
		"KEP-3998: the Job succeeds; kubernetes/kubernetes test/integration/job TestSuccessPolicy",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SuccessStartsNoIndex = contract.New("JOB-SUCCESSPOLICY-011",
		"Once a rule is met, an index that has not run yet MUST NOT be started.",
		"batch/v1 SuccessPolicy.rules; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Invariants{"job-creates-nothing-once-decided"})
	SuccessIsFinal = contract.New("JOB-SUCCESSPOLICY-012",
		"A Job with SuccessCriteriaMet MUST complete, even if its last pods exceed backoffLimit, match a FailJob rule or outlast the active deadline.",
		"KEP-3998: the status never switches from SuccessCriteriaMet to Failed",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Invariants{"job-verdict-is-final"})
	FailureIsFinal = contract.New("JOB-SUCCESSPOLICY-013",
		"A Job with FailureTarget MUST fail, even if its last pods meet a rule.",
		"KEP-3998; batch/v1 JobStatus.conditions",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"), contract.Invariants{"job-verdict-is-final"})
	FailureBeatsSuccess = contract.New("JOB-SUCCESSPOLICY-014",
		"When the same pod's end both meets a rule and makes the Job fail, the Job MUST fail.",
		"KEP-3998: terminating policies are evaluated before success policies",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SuccessAfterFailures = contract.New("JOB-SUCCESSPOLICY-015",
		"Failures within backoffLimit MUST NOT keep a rule from being met later.",
		"batch/v1 JobSpec.successPolicy and backoffLimit; KEP-3998",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SuccessBesideFailedIndexes = contract.New("JOB-SUCCESSPOLICY-016",
		"Failed indexes MUST NOT keep a rule from being met while other indexes are unfinished.",
		"KEP-3998; KEP-3850",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
	SuccessAcrossSuspension = contract.New("JOB-SUCCESSPOLICY-017",
		"Indexes that succeeded before a Job was suspended MUST count after it is resumed.",
		"batch/v1 JobSpec.suspend and SuccessPolicyRule.succeededIndexes; KEP-2232",
		contract.SuccessPolicy, contract.Versions(">= 1.31.0"))
)
