package crd

import (
	"maps"
	"time"

	v1 "github.com/jobconformance/jobconformance/controller/crd/api/v1"
	"github.com/jobconformance/jobconformance/controller/cronjob/cronexpr"
	"github.com/jobconformance/jobconformance/controller/cronjob/plan"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// viewOf returns the View of a CronJob and its Jobs. It modifies neither: they may be the cache's.
func viewOf(cronJob *v1.CronJob, jobs []*batchv1.Job, now time.Time) plan.View {
	v := plan.View{CronJob: toBatch(cronJob), Now: now}
	for _, job := range jobs {
		v.Jobs = append(v.Jobs, toBatchJob(job))
	}
	if zone := cronJob.Spec.TimeZone; zone != nil {
		v.Zone, v.ZoneErr = time.LoadLocation(*zone)
	}
	v.Schedule, v.ScheduleErr = cronexpr.Parse(cronJob.Spec.Schedule, v.Zone)
	return v
}

// toBatch returns a CronJob as one of batch/v1. It compiles as long as both APIs have the same
// fields.
func toBatch(cronJob *v1.CronJob) *batchv1.CronJob {
	batch := &batchv1.CronJob{
		ObjectMeta: cronJob.ObjectMeta,
		Spec:       batchv1.CronJobSpec(cronJob.Spec.JobSpec),
		Status:     batchv1.CronJobStatus(cronJob.Status),
	}
	if of := cronJob.Spec.RunTemplate; of != nil {
		if batch.Spec.SuccessfulJobsHistoryLimit == nil { // no webhook is needed for Runs
			batch.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](3)
		}
		if batch.Spec.FailedJobsHistoryLimit == nil {
			batch.Spec.FailedJobsHistoryLimit = ptr.To[int32](1)
		}
		batch.Spec.JobTemplate.ObjectMeta = of.ObjectMeta
		batch.Status = referring(batch.Status, batchv1.SchemeGroupVersion.WithKind("Job"))
	}
	return batch
}

// toBatchJob returns a Job with its scheduled time in the annotation of batch/v1, whatever that was.
func toBatchJob(job *batchv1.Job) *batchv1.Job {
	copied := *job
	copied.Annotations = maps.Clone(job.Annotations)
	metav1.SetMetaDataAnnotation(&copied.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation,
		job.Annotations[v1.ScheduledAt])
	return &copied
}

// fromBatchJob returns a Job of a Plan with the owner and the annotation of this API.
func fromBatchJob(cronJob *v1.CronJob, planned *batchv1.Job) *batchv1.Job {
	job := *planned
	job.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(cronJob,
		v1.GroupVersion.WithKind("CronJob"))}
	job.Annotations = maps.Clone(toBatch(cronJob).Spec.JobTemplate.Annotations)
	metav1.SetMetaDataAnnotation(&job.ObjectMeta, v1.ScheduledAt,
		planned.Annotations[batchv1.CronJobScheduledTimestampAnnotation])
	return &job
}
