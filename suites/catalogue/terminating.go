package catalogue

// terminating is what the status says of pods that are being deleted.
var terminating = []Requirement{
	{
		ID:     "JOB-TERMINATING-001",
		Text:   "A pod that has ended MUST NOT count as terminating, nor keep its Job from finishing, although it is being deleted and still there.",
		Source: "batch/v1 JobStatus.terminating: in phase Pending or Running; KEP-3939",
	},
	{
		ID:      "JOB-TERMINATING-002",
		Text:    "A pod that is being deleted MUST NOT count as active or ready, whatever its condition Ready says.",
		Source:  "batch/v1 JobStatus.active and ready",
		Feature: ReadyPods,
	},
}
