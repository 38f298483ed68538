package catalogue

// podReplacement is podReplacementPolicy (KEP-3939).
var podReplacement = []Requirement{
	{
		ID:         "JOB-REPLACEMENT-001",
		Text:       "With the policy Failed, a Job controller MUST NOT replace a pod that is being deleted before it has ended, and MUST replace it then.",
		Source:     "batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		Feature:    PodReplacementPolicy,
		Invariants: []string{"job-replaces-only-failed"},
	},
	{
		ID:      "JOB-REPLACEMENT-002",
		Text:    "With the policy Failed, a pod that is being deleted MUST NOT count as failed before it has ended, and MUST count as succeeded if that is how it ends.",
		Source:  "KEP-3939; batch/v1 JobStatus.succeeded and failed",
		Feature: PodReplacementPolicy,
	},
	{
		ID:      "JOB-REPLACEMENT-003",
		Text:    "With the policy TerminatingOrFailed, a pod that is being deleted MUST count as failed and MUST be replaced before it has ended.",
		Source:  "batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		Feature: PodReplacementPolicy,
	},
	{
		ID:      "JOB-REPLACEMENT-004",
		Text:    "With the policy TerminatingOrFailed, such a pod MUST stay counted as failed, even if it succeeds in the end.",
		Source:  "KEP-3939: The default job controller behavior",
		Feature: PodReplacementPolicy,
	},
	{
		ID:         "JOB-REPLACEMENT-005",
		Text:       "With the policy Failed, an index MUST NOT be started while a pod of it is being deleted, and other indexes MUST be as far as parallelism allows.",
		Source:     "KEP-3939: in Indexed completion mode, the tracking of pods is per index",
		Feature:    PodReplacementPolicy,
		Invariants: []string{"job-index-replaces-only-failed"},
	},
	{
		ID:      "JOB-REPLACEMENT-006",
		Text:    "With the policy Failed, a Job that is resumed MUST wait for the pods that its suspension deleted; with TerminatingOrFailed it MUST NOT.",
		Source:  "batch/v1 JobSpec.podReplacementPolicy; KEP-3939",
		Feature: PodReplacementPolicy,
	},
	{
		ID:      "JOB-REPLACEMENT-007",
		Text:    "With either policy, a Job controller MUST replace a pod that has failed.",
		Source:  "batch/v1 JobSpec.podReplacementPolicy",
		Feature: PodReplacementPolicy,
	},
}
