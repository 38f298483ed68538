package catalogue

// cronTemplate is how the Jobs of a CronJob follow from its template and from
// their scheduled time.
var cronTemplate = []Requirement{
	{
		ID:     "CRON-TEMPLATE-001",
		Text:   "The annotation with the scheduled time MUST tell the Job's own one, even if the template has such an annotation.",
		Source: "batch/v1 CronJobScheduledTimestampAnnotation; KEP-4026",
	},
	{
		ID:     "CRON-TEMPLATE-002",
		Text:   "A CronJob controller MUST create the Job as the template says also if it says that the Job shall be suspended, and MUST leave it so.",
		Source: "batch/v1 JobTemplateSpec.spec; KEP-2232",
	},
	{
		ID:     "CRON-TEMPLATE-003",
		Text:   "A CronJob controller SHOULD give the Job of a scheduled time the same name each time that it creates it, so that it cannot be there twice.",
		Source: "KEP-19; docs: concepts/workloads/controllers/cron-jobs#cron-job-limitations",
	},
}
