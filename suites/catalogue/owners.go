package catalogue

// cronOwners is which Jobs are a CronJob's, where names deceive.
var cronOwners = []Requirement{
	{
		ID:     "CRON-OWNERS-001",
		Text:   "A CronJob controller MUST tell a CronJob from others of its name by the UID in the owner reference of Jobs.",
		Source: "metav1.OwnerReference; kubernetes/kubernetes#107997",
	},
	{
		ID:     "CRON-OWNERS-002",
		Text:   "When a CronJob is deleted and its Jobs are not, they MUST run on without an owner.",
		Source: "metav1.DeletePropagationOrphan; docs: concepts/architecture/garbage-collection#orphaned-dependents",
	},
	{
		ID:     "CRON-OWNERS-003",
		Text:   "A CronJob MUST NOT be given the Jobs that an earlier one of its name left behind.",
		Source: "metav1.OwnerReference",
	},
}
