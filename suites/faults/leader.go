package faults

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// replicas adds two replicas of the implementation that share a Lease in the
// sandbox's namespace. The first to start leads. The Lease lasts longer than a
// spec, so that a busy machine does not make its holder lose it.
func replicas(s *framework.Sandbox) (first, second *framework.Proxied) {
	GinkgoHelper()
	flags := []string{
		"--leader-elect=true", "--leader-elect-resource-name=" + lease,
		"--leader-elect-resource-namespace=" + s.Namespace,
		"--leader-elect-lease-duration=5m", "--leader-elect-renew-deadline=4m", "--leader-elect-retry-period=1s",
	}
	first, second = s.Replica("first", flags...), s.Replica("second", flags...)
	if !first.Implementation.ElectsByFlags() {
		Skip("not verified: the flags for the leader election of " + first.Implementation.Name + " are unknown")
	}
	return first, second
}

const lease = "jobconformance"

// led returns a sandbox with a Job of two running pods, their leader, and another
// replica that waits.
func led(ctx context.Context, completions int32) (
	s *framework.Sandbox, leader *framework.Proxied, job *framework.Job, pods framework.Pods,
) {
	GinkgoHelper()
	s = framework.New(ctx)
	leader, second := replicas(s)
	leader.Start()
	job = s.Create(puppet.Job("a").Parallelism(2).Completions(completions))
	pods = job.Runs(2)
	second.Start()
	return s, leader, job, pods
}

// expireLease disconnects the leader and clears the Lease's holder, as if the
// Lease had expired. The leader does not know that.
func expireLease(s *framework.Sandbox, leader *framework.Proxied) {
	GinkgoHelper()
	leader.Cut()
	free := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"holderIdentity":"","leaseDurationSeconds":1}}`))
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: lease}}
	Expect(s.Client.Patch(s.Context(), l, free)).To(Succeed())
}

var _ = Describe("Job faults:", faultLabels, func() {

	// Wrong: starts again because another replica created the pods.
	It("after a change of leader, the new leader continues the Job", covers.Requirements(
		LeaderChanges), func(ctx SpecContext) {
		s, first, job, pods := led(ctx, 4)
		expireLease(s, first)
		pods.End(0)
		job.Counts("the new leader counts two pods and replaces them", Counters{Active: 2, Ready: 2, Succeeded: 2})
		job.Runs(2).End(0)
		completes(job, 4)
	})

	// Wrong: adds to the counters of any revision.
	It("after a change of leader, a late status write of the old leader counts no pod twice", covers.Requirements(
		LeaderChanges), func(ctx SpecContext) {
		s, first, job, pods := led(ctx, 2)
		arrives := make(chan struct{})
		late := first.On(writeStatus).Nth(1).Until(arrives)
		pods.End(0)
		first.Meets("count the pods", late)
		expireLease(s, first)
		s.Soon("the new leader has completed the Job", func(g Gomega) {
			g.Expect(job.Is(batchv1.JobComplete)).To(BeTrue())
		})
		close(arrives)
		s.Stays("the Job is Complete with two pods", func(g Gomega) {
			g.Expect(job.Is(batchv1.JobComplete)).To(BeTrue())
			job.Reports(g, Counters{Succeeded: 2})
			g.Expect(job.Created()).To(HaveLen(2))
		})
	})
})

var _ = Describe("CronJob faults:", faultLabels, func() {

	// Wrong: gives the Job of a scheduled time another name each time.
	It("after a change of leader, a late request of the old leader creates no second Job", covers.Requirements(
		CronSurvivesCrashes), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := replicas(s)
		arrives := make(chan struct{})
		late := first.On(createJobs).Nth(1).Until(arrives)
		first.Start()
		tick := framework.Ago(30 * time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		first.Meets("create the Job", late)
		second.Start()

		expireLease(s, first)
		cronJob.Runs(tick)
		close(arrives)
		cronJob.KeepsRunning(tick)
		Expect(cronJob.Started()).To(Equal(framework.Times(tick)))
	})
})
