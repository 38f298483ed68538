package catalogue

// finished is what a Job leaves behind, and how it goes.
var finished = []Requirement{
	{
		ID:     "JOB-FINISHED-001",
		Text:   "A Job that is deleted in the foreground MUST go after its pods, which a Job controller MUST neither hold up nor replace.",
		Source: "metav1.DeletePropagationForeground; docs: concepts/architecture/garbage-collection#foreground-deletion; KEP-2307",
	},
	{
		ID:     "JOB-FINISHED-002",
		Text:   "A Job controller MUST NOT delete a finished Job, and neither ttlSecondsAfterFinished nor its absence changes that.",
		Source: "batch/v1 JobSpec.ttlSecondsAfterFinished; docs: concepts/workloads/controllers/ttlafterfinished",
	},
	{
		ID:     "JOB-FINISHED-003",
		Text:   "A Job that has failed MUST go like a Complete one when its ttlSecondsAfterFinished have passed, with its pods.",
		Source: "batch/v1 JobSpec.ttlSecondsAfterFinished: either Complete or Failed",
	},
	{
		ID:     "JOB-FINISHED-004",
		Text:   "A Job controller SHOULD tell by the events SuccessfulCreate and SuccessfulDelete of the pods that it creates and deletes.",
		Source: "docs: concepts/workloads/controllers/job#running-an-example-job",
	},
	{
		ID:     "JOB-FINISHED-005",
		Text:   "A Job controller SHOULD tell of a Job's end by an event: Completed, or a warning with the reason of the condition Failed.",
		Source: "docs: concepts/workloads/controllers/job#running-an-example-job",
	},
}
