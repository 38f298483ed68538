package catalogue

// elastic is an Indexed Job whose completions change together with its
// parallelism (KEP-3715).
var elastic = []Requirement{
	{
		ID:      "JOB-ELASTIC-001",
		Text:    "When completions and parallelism of an Indexed Job are raised together, a Job controller MUST run the indexes that came in addition, and leave the others as they are.",
		Source:  "KEP-3715",
		Feature: ElasticIndexed,
	},
	{
		ID:      "JOB-ELASTIC-002",
		Text:    "When they are lowered together, a Job controller MUST delete the active pods of the indexes that are no longer in range, and no others.",
		Source:  "KEP-3715",
		Feature: ElasticIndexed,
	},
	{
		ID:      "JOB-ELASTIC-003",
		Text:    "Indexes that are no longer in range MUST leave completedIndexes, and succeeded MUST be the number of those that are left.",
		Source:  "KEP-3715; batch/v1 JobStatus.succeeded",
		Feature: ElasticIndexed,
	},
	{
		ID:      "JOB-ELASTIC-004",
		Text:    "An index that had succeeded, was scaled away and comes back MUST be run again.",
		Source:  "KEP-3715",
		Feature: ElasticIndexed,
	},
	{
		ID:         "JOB-ELASTIC-005",
		Text:       "Failures of indexes that are no longer in range MUST still count in failed and towards backoffLimit.",
		Source:     "KEP-3715; batch/v1 JobStatus.failed",
		Feature:    ElasticIndexed,
		Invariants: []string{"job-counters-never-decrease"},
	},
	{
		ID:      "JOB-ELASTIC-006",
		Text:    "A Job MUST become Complete when it is scaled down to indexes that have all succeeded.",
		Source:  "KEP-3715",
		Feature: ElasticIndexed,
	},
}
