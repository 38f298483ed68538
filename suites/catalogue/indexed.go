package catalogue

// indexed is completionMode Indexed (KEP-2214, KEP-4017).
var indexed = []Requirement{
	{
		ID:         "JOB-INDEXED-001",
		Text:       "Each pod of an Indexed Job MUST have one of the indexes from 0 to completions-1, in the annotation and in the label batch.kubernetes.io/job-completion-index.",
		Source:     "batch/v1 JobSpec.completionMode; KEP-2214; KEP-4017",
		Feature:    Indexed,
		Invariants: []string{"job-pod-tells-its-index"},
	},
	{
		ID:      "JOB-INDEXED-002",
		Text:    "The hostname of a pod MUST be the Job's name and the index, with a hyphen between.",
		Source:  "batch/v1 JobSpec.completionMode; docs: concepts/workloads/controllers/job#completion-mode",
		Feature: Indexed,
	},
	{
		ID:      "JOB-INDEXED-003",
		Text:    "The name of a pod MUST begin with the Job's name and the index, with a hyphen after each, where that leaves the name valid.",
		Source:  "batch/v1 JobSpec.completionMode",
		Feature: Indexed,
	},
	{
		ID:      "JOB-INDEXED-004",
		Text:    "Every container and init container MUST have the index in its environment variable JOB_COMPLETION_INDEX.",
		Source:  "KEP-2214; docs: concepts/workloads/controllers/job#completion-mode; docs: tasks/job/indexed-parallel-processing-static",
		Feature: Indexed,
	},
	{
		ID:      "JOB-INDEXED-005",
		Text:    "A Job controller MUST leave a variable JOB_COMPLETION_INDEX alone that the template sets itself.",
		Source:  "KEP-2214: no environment variable is added where there is one of that name",
		Feature: Indexed,
	},
	{
		ID:         "JOB-INDEXED-006",
		Text:       "An Indexed Job MUST become Complete when one pod has succeeded for each index, and not before.",
		Source:     "batch/v1 JobSpec.completionMode",
		Feature:    Indexed,
		Invariants: []string{"job-indexes-agree"},
	},
	{
		ID:         "JOB-INDEXED-007",
		Text:       "The status field completedIndexes MUST list the indexes that have succeeded in increasing order, with three or more consecutive ones as a range.",
		Source:     "batch/v1 JobStatus.completedIndexes",
		Feature:    Indexed,
		Invariants: []string{"job-indexes-never-shrink", "job-indexes-well-formed"},
	},
	{
		ID:         "JOB-INDEXED-008",
		Text:       "An index that has succeeded MUST NOT be run again, also when its pod is deleted.",
		Source:     "KEP-2214; kubernetes/kubernetes#108887",
		Feature:    Indexed,
		Invariants: []string{"job-index-runs-no-more"},
	},
	{
		ID:      "JOB-INDEXED-009",
		Text:    "The pod that replaces one that has failed or was deleted MUST have its index.",
		Source:  "KEP-2214: Job completion and restart policy",
		Feature: Indexed,
	},
	{
		ID:      "JOB-INDEXED-010",
		Text:    "A Job controller SHOULD run lower indexes first.",
		Source:  "KEP-2214: Job parallelism; the order is not guaranteed",
		Feature: Indexed,
	},
	{
		ID:         "JOB-INDEXED-011",
		Text:       "Of several active pods of an index, a Job controller MUST leave one and delete the others.",
		Source:     "KEP-2214: More than one pod per index",
		Feature:    Indexed,
		Invariants: []string{"job-one-pod-per-index"},
	},
	{
		ID:      "JOB-INDEXED-012",
		Text:    "A Job controller MUST delete active pods of the Job that have no index, or none of the Job's, and MUST count them neither as succeeded nor as failed.",
		Source:  "KEP-2214: Upgrade / Downgrade Strategy",
		Feature: Indexed,
	},
	{
		ID:         "JOB-INDEXED-013",
		Text:       "However many pods of an index succeed, the index MUST count once.",
		Source:     "docs: concepts/workloads/controllers/job#completion-mode: only one of them counts towards the completions",
		Feature:    Indexed,
		Invariants: []string{"job-indexes-agree"},
	},
}
