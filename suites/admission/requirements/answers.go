package requirements

import "github.com/jobconformance/jobconformance/suites/contract"

// What the API server says beside the objects.
var (
	WarnsOfNames = set.New("API-WARNINGS-001",
		"The API server SHOULD warn of a new Job or CronJob whose name is no DNS label, as host names of pods are "+
			"made of it.",
		"docs: concepts/workloads/controllers/job#writing-a-job-spec; docs: "+
			"concepts/workloads/controllers/cron-jobs#writing-a-cronjob-spec")
	WarnsOfManyIndexes = set.New("API-WARNINGS-002",
		"The API server SHOULD warn of an Indexed Job with more than 100000 completions and a parallelism of more "+
			"than 10000, be it in a CronJob.",
		"KEP-3850; docs: concepts/workloads/controllers/job#backoff-limit-per-index",
		contract.Indexed)
	WarnsOfTemplates = set.New("API-WARNINGS-003",
		"The API server SHOULD warn of what it warns of in pods also where it is in the template of a Job or CronJob.",
		"kubernetes/kubernetes#94626")
	JobStatusColumn = set.New("API-TABLES-001",
		"In a table of Jobs, the column Status SHOULD be Complete, Failed, Terminating, Suspended or FailureTarget, "+
			"the first of them that is so, and Running where none is.",
		"kubernetes/kubernetes#123226")
	JobCompletionsColumn = set.New("API-TABLES-002",
		"In a table of Jobs, the column Completions SHOULD be the number of succeeded pods, a slash and that of "+
			"completions; without completions, 1, or 1 of the parallelism if that is more.",
		"kubernetes/kubernetes#65463")
	CronJobColumns = set.New("API-TABLES-003",
		"A table of CronJobs SHOULD have the columns Schedule, Timezone, Suspend, Active and Last Schedule with their "+
			"fields, and <none> for a time zone or a time that is not set.",
		"docs: tasks/job/automated-tasks-with-cron-jobs#creating-a-cron-job")
)
