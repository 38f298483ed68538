package catalogue

// sections are the parts of the catalogue, one file each.
var sections = [][]Requirement{
	parallelism, completions, backoffLimit, deadline, onFailure, pods, tracking, status, end,
	cronSchedule, cronDeadline, cronSuspend, cronZone, cronConcurrency, cronHistory, cronStatus, cronJobs, cronEvents,
	indexed, elastic,
	podFailurePolicy, backoffLimitPerIndex, successPolicy,
	apiJobs, apiPolicies, apiUpdates, apiStatus, apiCronJobs, admission,
	suspension, managedBy, podReplacement, terminating,
	identity, finished,
	faults,
	cronSyntax, cronLocal, cronTemplate, cronOwners, cronTells, cronChanges,
}
