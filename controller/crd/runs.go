package crd

import (
	"context"

	v1 "github.com/jobconformance/jobconformance/controller/crd/api/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var runKind = v1.GroupVersion.WithKind("Run")

// jobsOf returns the Jobs that there are, or the Runs where the CronJob has a template of them. They may be the
// cache's.
func jobsOf(ctx context.Context, from client.Reader, cronJob *v1.CronJob, options ...client.ListOption) (
	jobs []*batchv1.Job, err error) {
	if cronJob.Spec.RunTemplate == nil {
		var all batchv1.JobList
		err = from.List(ctx, &all, options...)
		for i := range all.Items {
			jobs = append(jobs, &all.Items[i])
		}
		return jobs, err
	}
	var all v1.RunList
	err = from.List(ctx, &all, options...)
	for i := range all.Items {
		jobs = append(jobs, planned(&all.Items[i]))
	}
	return jobs, err
}

// planned returns a Job or a Run as plans know it: a Run that has ended is a Job that is Complete or Failed.
func planned(object client.Object) *batchv1.Job {
	run, isRun := object.(*v1.Run)
	if !isRun {
		return object.(*batchv1.Job)
	}
	job := &batchv1.Job{ObjectMeta: run.ObjectMeta, Status: batchv1.JobStatus{StartTime: run.Status.Began}}
	end := func(condition batchv1.JobConditionType) {
		job.Status.Conditions = []batchv1.JobCondition{{Type: condition, Status: corev1.ConditionTrue,
			LastTransitionTime: ptr.Deref(run.Status.Ended, metav1.Time{})}}
	}
	switch run.Status.Phase {
	case v1.RunSucceeded:
		job.Status.CompletionTime = run.Status.Ended
		end(batchv1.JobComplete)
	case v1.RunFailed:
		end(batchv1.JobFailed)
	}
	return job
}

// stored returns what a Job of a plan is at the API server.
func stored(cronJob *v1.CronJob, job *batchv1.Job) client.Object {
	of := cronJob.Spec.RunTemplate
	if of == nil {
		return job
	}
	run := &v1.Run{ObjectMeta: job.ObjectMeta}
	of.Spec.DeepCopyInto(&run.Spec)
	return run
}

// referring returns a status whose references are to objects of a kind.
func referring(status batchv1.CronJobStatus, of schema.GroupVersionKind) batchv1.CronJobStatus {
	all := append([]corev1.ObjectReference(nil), status.Active...)
	for i := range all {
		all[i].APIVersion, all[i].Kind = of.ToAPIVersionAndKind()
	}
	status.Active = all
	return status
}
