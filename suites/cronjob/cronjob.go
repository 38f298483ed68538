// Package cronjob has the specs of CronJobs: when they start Jobs, how Jobs may
// overlap, what the status reports, and how many finished Jobs are kept.
// Importing it registers them with Ginkgo.
//
// No spec waits for a minute to begin. A CronJob here is scheduled once a day,
// at a minute that was some time ago. Its status.lastScheduleTime is set to a
// time before that, so that one Job is due. No other Job is, all day long.
package cronjob

import (
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// finalizer keeps an object that a spec has deleted.
const finalizer = "example.com/hold"

// finish ends the pod of a Job with an exit code.
func finish(s *framework.Sandbox, job *framework.Job, exitCode int) {
	GinkgoHelper()
	runningPod(s, job).End(exitCode)
}

// runningPod waits until a Job has one running pod, and returns it.
func runningPod(s *framework.Sandbox, job *framework.Job) framework.Pod {
	GinkgoHelper()
	var pod framework.Pod
	s.Soon("the pod of Job "+job.Name+" runs", func(g Gomega) {
		pods := slices.DeleteFunc(job.Pods(), func(p framework.Pod) bool { return p.Status.Phase != corev1.PodRunning })
		g.Expect(pods).To(HaveLen(1))
		pod = pods[0]
	})
	return pod
}

// owned gives a Job the owner reference that `kubectl create job --from` writes.
func owned(job *puppet.JobBuilder, cronJob *framework.CronJob) *puppet.JobBuilder {
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

// unmanagedJobs decorates specs with such Jobs: a controller with one of the features leaves them alone.
var unmanagedJobs = covers.UsesOneOf(contract.ManagedBy, contract.Suspend)

// unmanaged makes a Job that Job controllers ignore, so that the spec can write
// its status: because of spec.managedBy and, where that is unknown (1.31),
// because it is suspended.
func unmanaged(name string) *puppet.JobBuilder {
	return puppet.Job(name).Suspend().With(func(j *batchv1.Job) {
		j.Spec.ManagedBy = ptr.To("example.com/jobconformance")
	})
}

// activeUIDs are the UIDs of the Jobs that status.active refers to.
func activeUIDs(cronJob *framework.CronJob) (all []string) {
	for _, ref := range cronJob.Now().Status.Active {
		all = append(all, string(ref.UID))
	}
	return all
}

// setFinished writes the status of a Job that ran for a minute and is now
// Complete or Failed.
func setFinished(s *framework.Sandbox, job *framework.Job, as batchv1.JobConditionType, start time.Time) {
	GinkgoHelper()
	setRan(s, job, as, start, time.Minute)
}

// setRan writes the status of a Job that ran for so long and is now Complete or Failed.
func setRan(s *framework.Sandbox, job *framework.Job, as batchv1.JobConditionType, start time.Time,
	forSoLong time.Duration) {
	GinkgoHelper()
	end := metav1.NewTime(start.Add(forSoLong))
	write := func(conditions ...batchv1.JobConditionType) error {
		j := job.Made().DeepCopy()
		j.Status.StartTime = ptr.To(metav1.NewTime(start))
		if as == batchv1.JobComplete {
			j.Status.CompletionTime = &end
			j.Status.Succeeded = 1
		} else {
			j.Status.Failed = 1
		}
		for _, kind := range conditions {
			j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{
				Type: kind, Status: corev1.ConditionTrue, LastProbeTime: end, LastTransitionTime: end,
			})
		}
		return s.Client.Status().Patch(s.Context(), j, client.MergeFrom(job.Made()))
	}
	interim := map[batchv1.JobConditionType]batchv1.JobConditionType{
		batchv1.JobComplete: batchv1.JobSuccessCriteriaMet,
		batchv1.JobFailed:   batchv1.JobFailureTarget,
	}
	err := write(interim[as], as)
	if apierrors.IsInvalid(err) { // up to 1.30, the interim condition needs a successPolicy
		err = write(as)
	}
	Expect(err).NotTo(HaveOccurred())
}

// events returns the events about a CronJob that have a reason.
func events(s *framework.Sandbox, cronJob *framework.CronJob, reason string) []corev1.Event {
	return slices.DeleteFunc(s.Events(), func(e corev1.Event) bool {
		return e.InvolvedObject.UID != cronJob.UID || e.Reason != reason
	})
}

// emits waits for an event about a CronJob that has a reason and all properties.
func emits(s *framework.Sandbox, cronJob *framework.CronJob, reason string, properties ...types.GomegaMatcher) {
	GinkgoHelper()
	s.SoonEmitted("the controller has emitted "+reason, func(g Gomega) {
		g.Expect(events(s, cronJob, reason)).To(ContainElement(And(properties...)))
	})
}
