package catalogue

// tracking is how no pod is lost or counted twice.
var tracking = []Requirement{
	{
		ID:         "JOB-TRACKING-001",
		Text:       "A Job controller MUST create pods with the finalizer batch.kubernetes.io/job-tracking.",
		Source:     "batch/v1 JobTrackingFinalizer; KEP-2307; docs: concepts/workloads/controllers/job#job-tracking-with-finalizers",
		Invariants: []string{"job-pod-is-tracked"},
	},
	{
		ID:         "JOB-TRACKING-002",
		Text:       "A Job controller MUST keep the finalizer on a pod that has finished until the status has counted it.",
		Source:     "batch/v1 JobStatus.uncountedTerminatedPods; KEP-2307",
		Invariants: []string{"job-pod-released-after-counting"},
	},
	{
		ID:         "JOB-TRACKING-003",
		Text:       "A Job controller MUST count every pod once at most.",
		Source:     "batch/v1 JobStatus.uncountedTerminatedPods; KEP-2307; kubernetes/kubernetes#105199; kubernetes/kubernetes#104666",
		Invariants: []string{"job-pod-counted-once", "job-counts-no-more-than-pods", "job-uncounted-become-counted"},
	},
	{
		ID:         "JOB-TRACKING-004",
		Text:       "A Job controller MUST remove the finalizer from all pods of a Job before the Job finishes.",
		Source:     "KEP-2307; kubernetes/kubernetes#119159",
		Invariants: []string{"job-finished-after-release"},
	},
	{
		ID:     "JOB-TRACKING-005",
		Text:   "A Job controller MUST remove the finalizer from the pods of a Job that is gone.",
		Source: "KEP-2307; kubernetes/kubernetes#108752; kubernetes/kubernetes#141329",
	},
	{
		ID:     "JOB-TRACKING-006",
		Text:   "A Job controller MUST remove the finalizer from a pod that is not the Job's any more.",
		Source: "KEP-2307",
	},
	{
		ID:         "JOB-TRACKING-007",
		Text:       "The uncounted lists MUST name pods only that have finished or are being deleted, and MUST be empty when the Job has finished.",
		Source:     "batch/v1 JobStatus.uncountedTerminatedPods",
		Invariants: []string{"job-uncounted-are-pods-of-the-job", "job-finished-is-settled"},
	},
}
