package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// Jobs that another controller manages (KEP-4368).
var (
	LeavesManagedJobs = contract.New("JOB-MANAGEDBY-001",
		"A Job controller MUST NOT create pods for a Job whose managedBy names another one, nor write its status.",
		"batch/v1 JobSpec.managedBy; KEP-4368",
		contract.ManagedBy, contract.Versions(">= 1.32.0"), contract.Invariants{"job-managed-by-others-is-left-alone"})
	LeavesManagedPods = contract.New("JOB-MANAGEDBY-002",
		"A Job controller MUST leave the pods of such a Job alone: neither adopt, release nor delete them, nor take the finalizer batch.kubernetes.io/job-tracking off.",
		"KEP-4368",
		contract.ManagedBy, contract.Versions(">= 1.32.0"))
	LeavesManagedStatus = contract.New("JOB-MANAGEDBY-003",
		"A Job controller MUST leave the status alone that another one writes, also when the Job has finished.",
		"KEP-4368",
		contract.ManagedBy, contract.Versions(">= 1.32.0"))
	OwnManagedBy = contract.New("JOB-MANAGEDBY-004",
		"A Job controller MUST look after a Job whose managedBy is kubernetes.io/job-controller like after one without.",
		"batch/v1 JobSpec.managedBy",
		contract.ManagedBy, contract.Versions(">= 1.32.0"))
)
