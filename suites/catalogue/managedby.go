package catalogue

// managedBy is a Job that another controller looks after (KEP-4368).
var managedBy = []Requirement{
	{
		ID:         "JOB-MANAGEDBY-001",
		Text:       "A Job controller MUST NOT create pods for a Job whose managedBy names another one, nor write its status.",
		Source:     "batch/v1 JobSpec.managedBy; KEP-4368",
		Versions:   ">= 1.32.0",
		Feature:    ManagedBy,
		Invariants: []string{"job-managed-by-others-is-left-alone"},
	},
	{
		ID:       "JOB-MANAGEDBY-002",
		Text:     "A Job controller MUST leave the pods of such a Job alone: neither adopt, release nor delete them, nor take the finalizer batch.kubernetes.io/job-tracking off.",
		Source:   "KEP-4368",
		Versions: ">= 1.32.0",
		Feature:  ManagedBy,
	},
	{
		ID:       "JOB-MANAGEDBY-003",
		Text:     "A Job controller MUST leave the status alone that another one writes, also when the Job has finished.",
		Source:   "KEP-4368",
		Versions: ">= 1.32.0",
		Feature:  ManagedBy,
	},
	{
		ID:       "JOB-MANAGEDBY-004",
		Text:     "A Job controller MUST look after a Job whose managedBy is kubernetes.io/job-controller like after one without.",
		Source:   "batch/v1 JobSpec.managedBy",
		Versions: ">= 1.32.0",
		Feature:  ManagedBy,
	},
}
