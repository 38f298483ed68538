// Package cronjob specifies CronJobs: when they start Jobs, how these may
// overlap, what the status says of them, and how many are kept.
//
// No spec waits for a minute to begin. A CronJob here ticks once a day, at a
// minute that was some time ago; as its status.lastScheduleTime is put before
// that, the tick is due. Nothing else is, all day long.
package cronjob

import (
	"context"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// hold is a finalizer by which a spec keeps something that is deleted.
const hold = "example.com/hold"

// ago is the minute that began so long ago, or up to a minute before.
func ago(d time.Duration) time.Time { return time.Now().UTC().Add(-d).Truncate(time.Minute) }

// due makes a CronJob that has slept through one tick.
func due(ctx context.Context, s *framework.Sandbox, cronJob *puppet.CronJobBuilder, tick time.Time) *batchv1.CronJob {
	GinkgoHelper()
	made := framework.Create(ctx, s, cronJob.Schedule(puppet.Daily(tick)).Obj())
	lastStart(ctx, s, made, tick.Add(-5*time.Minute))
	return made
}

// lastStart has the CronJob believe that it started its last Job at that time.
func lastStart(ctx context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob, at time.Time) {
	GinkgoHelper()
	framework.ChangeStatus(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Status.LastScheduleTime = ptr.To(metav1.NewTime(at)) })
}

// moveOn lets a later tick come. To the controller it is due at once, and with
// all further changes: it cannot look while the CronJob is suspended.
func moveOn(ctx context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob, tick time.Time, changes ...func(*batchv1.CronJob)) {
	GinkgoHelper()
	change(ctx, s, cronJob, func(c *batchv1.CronJob) {
		c.Spec.Suspend = ptr.To(true)
		c.Spec.Schedule = puppet.Daily(tick)
	})
	lastStart(ctx, s, cronJob, tick.Add(-5*time.Minute))
	change(ctx, s, cronJob, func(c *batchv1.CronJob) {
		for _, change := range changes {
			change(c)
		}
		c.Spec.Suspend = ptr.To(false)
	})
}

// change changes the CronJob, and the caller's copy with it.
func change(ctx context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob, change func(*batchv1.CronJob)) {
	GinkgoHelper()
	framework.Change(ctx, s, cronJob, change)
	change(cronJob)
}

// ticks are times in the form of starts and active.
func ticks(times ...time.Time) []string {
	list := []string{}
	for _, t := range times {
		list = append(list, t.UTC().Format(time.RFC3339))
	}
	return list
}

// tickOf is the scheduled time of a Job in UTC, or the Job's name if it has none.
func tickOf(job batchv1.Job) string {
	tick, err := time.Parse(time.RFC3339, job.Annotations[batchv1.CronJobScheduledTimestampAnnotation])
	if err != nil {
		return job.Name
	}
	return tick.UTC().Format(time.RFC3339)
}

// jobs are the Jobs there are of a CronJob.
func jobs(s *framework.Sandbox, cronJob *batchv1.CronJob) []batchv1.Job {
	return slices.DeleteFunc(s.Jobs(), func(j batchv1.Job) bool { return !metav1.IsControlledBy(&j, cronJob) })
}

// starts are the ticks of the Jobs there are of a CronJob.
func starts(s *framework.Sandbox, cronJob *batchv1.CronJob) []string {
	list := []string{}
	for _, job := range jobs(s, cronJob) {
		list = append(list, tickOf(job))
	}
	slices.Sort(list)
	return list
}

// active are the ticks of the Jobs in status.active; it has the name where that
// is all there is.
func active(s *framework.Sandbox, cronJob *batchv1.CronJob) []string {
	list := []string{}
	all := s.Jobs()
	for _, ref := range s.CronJob(cronJob.Name).Status.Active {
		i := slices.IndexFunc(all, func(j batchv1.Job) bool {
			return j.UID == ref.UID && j.Name == ref.Name && j.Namespace == ref.Namespace
		})
		if i < 0 {
			list = append(list, ref.Name)
		} else {
			list = append(list, tickOf(all[i]))
		}
	}
	slices.Sort(list)
	return list
}

// startsFor waits until a tick has its Job and the status refers to it.
func startsFor(s *framework.Sandbox, cronJob *batchv1.CronJob, tick time.Time) batchv1.Job {
	GinkgoHelper()
	var started batchv1.Job
	s.Soon("the Job of the tick is in the status", func(g Gomega) {
		g.Expect(starts(s, cronJob)).To(ContainElements(ticks(tick)))
		g.Expect(active(s, cronJob)).To(ContainElements(ticks(tick)))
		g.Expect(s.CronJob(cronJob.Name).Status.LastScheduleTime).To(HaveValue(HaveField("Time", BeTemporally("==", tick))))
		for _, job := range jobs(s, cronJob) {
			if tickOf(job) == ticks(tick)[0] {
				started = job
			}
		}
	})
	return started
}

// end ends the pod of a Job with an exit code.
func end(ctx context.Context, s *framework.Sandbox, job batchv1.Job, exitCode int) {
	GinkgoHelper()
	s.End(ctx, exitCode, runs(s, job))
}

// runs waits until the pod of a Job runs.
func runs(s *framework.Sandbox, job batchv1.Job) corev1.Pod {
	GinkgoHelper()
	var pod corev1.Pod
	s.Soon("the Job's pod runs", func(g Gomega) {
		pods := slices.DeleteFunc(s.InPhase(corev1.PodRunning), func(p corev1.Pod) bool { return !metav1.IsControlledBy(&p, &job) })
		g.Expect(pods).To(HaveLen(1))
		pod = pods[0]
	})
	return pod
}

// owned makes a Job the CronJob's, as `kubectl create job --from` does.
func owned(job *puppet.JobBuilder, cronJob *batchv1.CronJob) *puppet.JobBuilder {
	return job.With(func(j *batchv1.Job) {
		j.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: batchv1.SchemeGroupVersion.String(),
			Kind:       "CronJob",
			Name:       cronJob.Name,
			UID:        cronJob.UID,
			Controller: ptr.To(true),
		}}
		metav1.SetMetaDataAnnotation(&j.ObjectMeta, "cronjob.kubernetes.io/instantiate", "manual")
	})
}

// untouched makes a Job that Job controllers leave alone, so that the spec can
// write its status: by spec.managedBy, and where that is not known yet (1.31)
// because it is suspended.
func untouched(name string) *puppet.JobBuilder {
	return puppet.Job(name).Suspend().With(func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To("example.com/jobconformance") })
}

// ended writes the status of a Job that ran for a minute: Complete or Failed.
func ended(ctx context.Context, s *framework.Sandbox, job *batchv1.Job, how batchv1.JobConditionType, start time.Time) {
	GinkgoHelper()
	finish := metav1.NewTime(start.Add(time.Minute))
	write := func(conditions ...batchv1.JobConditionType) error {
		j := job.DeepCopy()
		j.Status.StartTime = ptr.To(metav1.NewTime(start))
		if how == batchv1.JobComplete {
			j.Status.CompletionTime = &finish
			j.Status.Succeeded = 1
		} else {
			j.Status.Failed = 1
		}
		for _, kind := range conditions {
			j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{
				Type: kind, Status: corev1.ConditionTrue, LastProbeTime: finish, LastTransitionTime: finish,
			})
		}
		return s.Client.Status().Patch(ctx, j, client.MergeFrom(job))
	}
	verdict := map[batchv1.JobConditionType]batchv1.JobConditionType{
		batchv1.JobComplete: batchv1.JobSuccessCriteriaMet,
		batchv1.JobFailed:   batchv1.JobFailureTarget,
	}
	err := write(verdict[how], how)
	if apierrors.IsInvalid(err) { // the verdict was for Jobs with a successPolicy only, up to 1.30
		err = write(how)
	}
	Expect(err).NotTo(HaveOccurred())
}

// happened are the events of a reason about a CronJob.
func happened(s *framework.Sandbox, cronJob *batchv1.CronJob, reason string) []corev1.Event {
	return slices.DeleteFunc(s.Events(), func(e corev1.Event) bool {
		return e.InvolvedObject.UID != cronJob.UID || e.Reason != reason
	})
}
