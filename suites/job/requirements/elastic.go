package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// An Indexed Job whose completions and parallelism change together (KEP-3715).
var (
	ScaleUpRunsNewIndexes = contract.New("JOB-ELASTIC-001",
		"When completions and parallelism of an Indexed Job are raised together, a Job controller MUST run the indexes that came in addition, and leave the others as they are.",
		"KEP-3715",
		contract.ElasticIndexed)
	ScaleDownDeletesIndexes = contract.New("JOB-ELASTIC-002",
		"When they are lowered together, a Job controller MUST delete the active pods of the indexes that are no longer in range, and no others.",
		"KEP-3715",
		contract.ElasticIndexed)
	ScaleDownForgetsIndexes = contract.New("JOB-ELASTIC-003",
		"Indexes that are no longer in range MUST leave completedIndexes, and succeeded MUST be the number of those that are left.",
		"KEP-3715; batch/v1 JobStatus.succeeded",
		contract.ElasticIndexed)
	ReturnedIndexRunsAgain = contract.New("JOB-ELASTIC-004",
		"An index that had succeeded, was scaled away and comes back MUST be run again.",
		"KEP-3715",
		contract.ElasticIndexed)
	ScaleDownKeepsFailures = contract.New("JOB-ELASTIC-005",
		"Failures of indexes that are no longer in range MUST still count in failed and towards backoffLimit.",
		"KEP-3715; batch/v1 JobStatus.failed",
		contract.ElasticIndexed, contract.Invariants{"job-counters-never-decrease"})
	ScaleDownCompletes = contract.New("JOB-ELASTIC-006",
		"A Job MUST become Complete when it is scaled down to indexes that have all succeeded.",
		"KEP-3715",
		contract.ElasticIndexed)
)
