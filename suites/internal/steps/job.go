// Package steps has the steps that specs of several packages share. Specs import
// it with a dot, as they import Ginkgo and Gomega.
package steps

import (
	"context"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// OnlyReleaser decorates specs about pods whose Job is gone.
var OnlyReleaser = framework.OnlyController("another Job controller also releases such pods")

// Counters are the counters of a Job's status.
type Counters = framework.Counters

// CountersOf returns the counters of a Job.
func CountersOf(job *batchv1.Job) Counters { return framework.CountersOf(job) }

// TrueConditions returns the reasons of the Job's conditions that are True, by type.
func TrueConditions(job *batchv1.Job) map[batchv1.JobConditionType]string {
	reasons := map[batchv1.JobConditionType]string{}
	for _, c := range job.Status.Conditions {
		if c.Status == corev1.ConditionTrue {
			reasons[c.Type] = c.Reason
		}
	}
	return reasons
}

// WithJob returns a new sandbox in which a Job has been created.
func WithJob(ctx context.Context, job *puppet.JobBuilder) *framework.Sandbox {
	GinkgoHelper()
	s, _ := WithNewJob(ctx, job)
	return s
}

// WithNewJob is WithJob that returns the Job, too, as it was created.
func WithNewJob(ctx context.Context, job *puppet.JobBuilder) (*framework.Sandbox, *batchv1.Job) {
	GinkgoHelper()
	s := framework.New(ctx)
	return s, framework.Create(ctx, s, job.Obj())
}

// PodsOf returns the pods that a Job controls, oldest first.
func PodsOf(s *framework.Sandbox, job *batchv1.Job) []corev1.Pod {
	return slices.DeleteFunc(s.Pods(), func(p corev1.Pod) bool { return !metav1.IsControlledBy(&p, job) })
}

// CreatedFor returns all pods that were ever created for a Job, in the order of
// their creation, as they were then.
func CreatedFor(s *framework.Sandbox, job *batchv1.Job) []corev1.Pod {
	return slices.DeleteFunc(s.Created(), func(p corev1.Pod) bool { return !metav1.IsControlledBy(&p, job) })
}

// MaxAPIBackoff is how long a controller may wait before it repeats requests that have failed again
// and again: with each sync of a Job that fails, kube-controller-manager's delay doubles up to this
// (MaxJobApiBackOff), and each event of a pod causes a sync.
const MaxAPIBackoff = time.Minute

// Running waits until a Job has exactly n active pods and its status counts them
// as active and ready. It returns these pods, oldest first. An active pod that
// nobody controls counts, too; those of other Jobs do not.
func Running(s *framework.Sandbox, job string, n int32) []corev1.Pod {
	GinkgoHelper()
	active := func() []corev1.Pod {
		uid := s.Job(job).UID
		return slices.DeleteFunc(s.Active(), func(p corev1.Pod) bool {
			owner := metav1.GetControllerOf(&p)
			return owner != nil && owner.UID != uid
		})
	}
	s.Soon("all pods of Job "+job+" run", func(g Gomega) {
		g.Expect(active()).To(HaveLen(int(n)))
		g.Expect(CountersOf(s.Job(job))).To(And(HaveField("Active", n), HaveField("Ready", n)))
	})
	return active()
}

// Counts waits until the status of a Job has these counters.
func Counts(s *framework.Sandbox, job, what string, want Counters) {
	GinkgoHelper()
	CountsAfter(s, 0, job, what, want)
}

// CountsAfter is Counts for a change that a conformant controller delays, for
// example by a back-off.
func CountsAfter(s *framework.Sandbox, delay time.Duration, job, what string, want Counters) {
	GinkgoHelper()
	s.SoonAfter(delay, what, func(g Gomega) { g.Expect(CountersOf(s.Job(job))).To(Equal(want)) })
}

// Completes waits until a Job is Complete, and expects these counters. Pods that run one after
// the other take more than one reaction: it waits for each that is to be counted.
func Completes(s *framework.Sandbox, job string, want Counters) {
	GinkgoHelper()
	counted(s, job, "success", want.Succeeded, func(status batchv1.JobStatus) int32 { return status.Succeeded })
	s.Soon("Job "+job+" is Complete", func(g Gomega) {
		g.Expect(TrueConditions(s.Job(job))).To(HaveKey(batchv1.JobComplete))
	})
	Expect(CountersOf(s.Job(job))).To(Equal(want))
}

// Fails is Completes for a Job that fails for a reason.
func Fails(s *framework.Sandbox, job, reason string, want Counters) {
	GinkgoHelper()
	counted(s, job, "failure", want.Failed, func(status batchv1.JobStatus) int32 { return status.Failed })
	s.Soon("Job "+job+" is Failed", func(g Gomega) {
		g.Expect(TrueConditions(s.Job(job))).To(HaveKeyWithValue(batchv1.JobFailed, reason))
	})
	Expect(CountersOf(s.Job(job))).To(Equal(want))
}

// counted waits until all but one of so many ends are counted, or the Job is finished, as long
// for each as for one.
func counted(s *framework.Sandbox, job, what string, want int32, counter func(batchv1.JobStatus) int32) {
	GinkgoHelper()
	now := func() int32 {
		switch there := s.Recorder.Job(job); {
		case there == nil:
			return 0
		case kinds.Finished(there) != "":
			return want
		default:
			return counter(there.Status)
		}
	}
	for before := now(); before+1 < want; before = now() {
		s.Soon("another "+what+" of Job "+job+" is counted", func(g Gomega) { g.Expect(now()).To(BeNumerically(">", before)) })
	}
}

// CompletesWith is Completes that also expects how many pods were ever created.
func CompletesWith(s *framework.Sandbox, created int, job string, want Counters) {
	GinkgoHelper()
	Completes(s, job, want)
	Expect(s.Created()).To(HaveLen(created))
}

// FailsWith is Fails that also expects how many pods were ever created.
func FailsWith(s *framework.Sandbox, created int, job, reason string, want Counters) {
	GinkgoHelper()
	Fails(s, job, reason, want)
	Expect(s.Created()).To(HaveLen(created))
}

// SuspendJob sets suspend of a Job to true.
func SuspendJob(ctx context.Context, s *framework.Sandbox, job string) {
	GinkgoHelper()
	framework.Change(ctx, s, s.Job(job), func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(true) })
}

// ResumeJob sets suspend of a Job to false.
func ResumeJob(ctx context.Context, s *framework.Sandbox, job string) {
	GinkgoHelper()
	framework.Change(ctx, s, s.Job(job), func(j *batchv1.Job) { j.Spec.Suspend = ptr.To(false) })
}

// SetParallelism changes the parallelism of a Job.
func SetParallelism(ctx context.Context, s *framework.Sandbox, job string, n int32) {
	GinkgoHelper()
	framework.Change(ctx, s, s.Job(job), func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To(n) })
}

// Orphan deletes a Job without its pods, or a CronJob without its Jobs. The garbage collector takes
// only those for its own that it has seen, and deletes others later: so it has to delete a later one
// first, which belongs to a Job that there never was.
func Orphan(ctx context.Context, s *framework.Sandbox, owner client.Object) {
	GinkgoHelper()
	const witness = "witness-of-garbage-collector"
	never := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "never", UID: "never"}}
	owners := []metav1.OwnerReference{*metav1.NewControllerRef(never, batchv1.SchemeGroupVersion.WithKind("Job"))}
	switch owner.(type) {
	case *batchv1.CronJob:
		framework.Create(ctx, s, puppet.Job(witness).Suspend().ManagedBy("example.com/jobconformance").With(func(j *batchv1.Job) {
			j.OwnerReferences = owners
		}).Obj())
	default:
		framework.Create(ctx, s, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: witness, OwnerReferences: owners},
			Spec: corev1.PodSpec{
				SchedulingGates: []corev1.PodSchedulingGate{{Name: "example.com/never"}},
				RestartPolicy:   corev1.RestartPolicyNever,
				Containers:      []corev1.Container{{Name: "main", Image: puppet.Placeholder}},
			},
		})
	}
	s.Soon("the garbage collector has deleted an object of a Job that there never was", func(g Gomega) {
		g.Expect(s.Jobs()).NotTo(ContainElement(HaveField("Name", witness)))
		g.Expect(s.Pods()).NotTo(ContainElement(HaveField("Name", witness)))
	})
	Expect(s.Client.Delete(ctx, owner, client.PropagationPolicy(metav1.DeletePropagationOrphan))).To(Succeed())
}
