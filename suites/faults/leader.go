package faults

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/implementation"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/faults/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// replicas are two of the implementation that share a Lease in the scene's
// namespace. The first leads; the second stands by. No busy machine makes one
// lose it: it lasts longer than a spec.
func replicas(s *framework.Sandbox) (first, second *framework.Subject) {
	GinkgoHelper()
	flags := []string{
		"--leader-elect=true", "--leader-elect-resource-name=" + lease, "--leader-elect-resource-namespace=" + s.Namespace,
		"--leader-elect-lease-duration=5m", "--leader-elect-renew-deadline=4m", "--leader-elect-retry-period=1s",
	}
	first, second = s.Replica("first", flags...), s.Replica("second", flags...)
	switch name := first.Implementation(); name {
	case implementation.Reference, implementation.KubeControllerManager:
	default:
		Skip("not verified: nobody knows by which flags " + name + " elects a leader")
	}
	return first, second
}

const lease = "jobconformance"

// overthrow cuts the leader off and takes the Lease from it, as if its time had
// passed. It goes on to believe that it leads.
func overthrow(ctx context.Context, s *framework.Sandbox, leader *framework.Subject) {
	GinkgoHelper()
	leader.Cut()
	free := client.RawPatch(types.MergePatchType, []byte(`{"spec":{"holderIdentity":"","leaseDurationSeconds":1}}`))
	l := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, Name: lease}}
	Expect(s.Client.Patch(ctx, l, free)).To(Succeed())
}

var _ = Describe("A Job whose controller loses its Lease", labels, func() {

	// Wrong: begins anew as it finds the pods of another one.
	It("is carried on by another replica", Covers(LeaderChanges), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := replicas(s)
		first.Start()
		framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(4).Obj())
		pods := running(s, "a", 2)
		second.Start()

		overthrow(ctx, s, first)
		s.End(ctx, 0, pods...)
		s.Soon("the other replica goes on", func(g Gomega) {
			g.Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{Active: 2, Ready: 2, Succeeded: 2}))
		})
		s.End(ctx, 0, running(s, "a", 2)...)
		completes(s, "a", 4)
	})

	// Wrong: adds to the counters whatever revision they are of.
	It("is not counted again by a late write of the old leader", Covers(LeaderChanges), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := replicas(s)
		first.Start()
		framework.Create(ctx, s, puppet.Job("a").Parallelism(2).Completions(2).Obj())
		pods := running(s, "a", 2)
		second.Start()

		arrives := make(chan struct{})
		late := first.On(writeStatus).Nth(1).Until(arrives)
		s.End(ctx, 0, pods...)
		first.Meets("the ends are counted", late)
		overthrow(ctx, s, first)
		s.Soon("the other replica has counted them", func(g Gomega) {
			g.Expect(framework.Is(s.Job("a"), batchv1.JobComplete)).To(BeTrue())
		})
		close(arrives)
		s.Stays("the Job is Complete with two pods", func(g Gomega) {
			g.Expect(framework.Is(s.Job("a"), batchv1.JobComplete)).To(BeTrue())
			g.Expect(framework.CountersOf(s.Job("a"))).To(Equal(counters{Succeeded: 2}))
			g.Expect(created(s, "a")).To(HaveLen(2))
		})
	})
})

var _ = Describe("A CronJob whose controller loses its Lease", cronLabels, func() {

	// Wrong: gives the Job of a tick a name of its own each time.
	It("starts one Job, though the old leader's request comes late", Covers(CronSurvivesCrashes), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := replicas(s)
		arrives := make(chan struct{})
		late := first.On(createJobs).Nth(1).Until(arrives)
		first.Start()
		tick := ago(30 * time.Minute)
		due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		first.Meets("the Job is started", late)
		second.Start()

		overthrow(ctx, s, first)
		s.Soon("the other replica has started it", func(g Gomega) {
			g.Expect(starts(s, "a")).To(Equal(ticks(tick)))
			g.Expect(activeJobs(s, "a")).To(Equal(ticks(tick)))
		})
		close(arrives)
		s.Stays("there is one Job", func(g Gomega) {
			g.Expect(starts(s, "a")).To(Equal(ticks(tick)))
			g.Expect(activeJobs(s, "a")).To(Equal(ticks(tick)))
		})
	})
})
