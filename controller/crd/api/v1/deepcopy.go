package v1

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
)

// clone copies what a pointer leads to.
func clone[T any](p *T) *T {
	if p == nil {
		return nil
	}
	return ptr.To(*p)
}

// DeepCopyInto copies all fields.
func (in *CronJobSpec) DeepCopyInto(out *CronJobSpec) {
	*out = *in
	out.TimeZone, out.StartingDeadlineSeconds, out.Suspend = clone(in.TimeZone), clone(in.StartingDeadlineSeconds),
		clone(in.Suspend)
	out.SuccessfulJobsHistoryLimit, out.FailedJobsHistoryLimit = clone(in.SuccessfulJobsHistoryLimit),
		clone(in.FailedJobsHistoryLimit)
	in.JobTemplate.DeepCopyInto(&out.JobTemplate)
	if in.RunTemplate != nil {
		out.RunTemplate = new(RunTemplateSpec)
		in.RunTemplate.ObjectMeta.DeepCopyInto(&out.RunTemplate.ObjectMeta)
		in.RunTemplate.Spec.DeepCopyInto(&out.RunTemplate.Spec)
	}
}

// DeepCopyInto copies all fields.
func (in *CronJobStatus) DeepCopyInto(out *CronJobStatus) {
	*out = *in
	out.Active = append(in.Active[:0:0], in.Active...)
	out.LastScheduleTime, out.LastSuccessfulTime = in.LastScheduleTime.DeepCopy(), in.LastSuccessfulTime.DeepCopy()
}

// DeepCopyInto copies all fields.
func (in *CronJob) DeepCopyInto(out *CronJob) {
	*out = *in
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	in.Spec.DeepCopyInto(&out.Spec)
	in.Status.DeepCopyInto(&out.Status)
}

// DeepCopy returns a copy that shares nothing.
func (in *CronJob) DeepCopy() *CronJob {
	out := new(CronJob)
	in.DeepCopyInto(out)
	return out
}

// DeepCopyObject implements runtime.Object.
func (in *CronJob) DeepCopyObject() runtime.Object { return in.DeepCopy() }

// DeepCopyObject implements runtime.Object.
func (in *CronJobList) DeepCopyObject() runtime.Object {
	out := &CronJobList{TypeMeta: in.TypeMeta, Items: make([]CronJob, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		in.Items[i].DeepCopyInto(&out.Items[i])
	}
	return out
}

// DeepCopyInto copies all fields.
func (in *RunSpec) DeepCopyInto(out *RunSpec) {
	out.Retries, out.Paused = clone(in.Retries), clone(in.Paused)
	in.Pod.DeepCopyInto(&out.Pod)
}

// DeepCopyObject implements runtime.Object.
func (in *Run) DeepCopyObject() runtime.Object {
	out := &Run{TypeMeta: in.TypeMeta}
	in.ObjectMeta.DeepCopyInto(&out.ObjectMeta)
	in.Spec.DeepCopyInto(&out.Spec)
	out.Status = RunStatus{Phase: in.Status.Phase, Began: in.Status.Began.DeepCopy(), Ended: in.Status.Ended.DeepCopy()}
	return out
}

// DeepCopyObject implements runtime.Object.
func (in *RunList) DeepCopyObject() runtime.Object {
	out := &RunList{TypeMeta: in.TypeMeta, Items: make([]Run, len(in.Items))}
	in.ListMeta.DeepCopyInto(&out.ListMeta)
	for i := range in.Items {
		out.Items[i] = *in.Items[i].DeepCopyObject().(*Run)
	}
	return out
}
