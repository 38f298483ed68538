package scheduling

import (
	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/scheduling/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// beInvalid matches the answer of an API server that refuses an object.
var beInvalid = Satisfy(apierrors.IsInvalid)

// change tries a change of a Job without making it.
func change(s *framework.Sandbox, job *batchv1.Job, how func(*batchv1.Job)) error {
	changed := job.DeepCopy()
	how(changed)
	return s.Client.Patch(s.Context(), changed, client.MergeFrom(job), client.DryRunAll)
}

func policy(p *schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		j.Spec.Scheduling = &batchv1.JobSchedulingConfiguration{SchedulingPolicy: p}
	}
}

var (
	aBasic = &schedulingv1alpha3.WorkloadPodGroupBasicSchedulingPolicy{}
	aGang  = &schedulingv1alpha3.WorkloadPodGroupGangSchedulingPolicy{}
)

func claims(n int) func(*batchv1.Job) {
	return func(j *batchv1.Job) {
		for i := range n {
			j.Spec.Scheduling.ResourceClaims = append(j.Spec.Scheduling.ResourceClaims,
				schedulingv1alpha3.WorkloadPodGroupResourceClaim{
					Name: string(rune('a' + i)), ResourceClaimName: ptr.To("example")})
		}
	}
}

var _ = Describe("Job scheduling, API:", behaviour.Scheduling, func() {
	It("the API server refuses a minCount above parallelism", covers.Requirements(
		RefusesLargeGangs), func(ctx SpecContext) {
		s := framework.New(ctx)
		large := gang(puppet.Job("large").Parallelism(2).Completions(5), 3)
		Expect(s.Client.Create(ctx, inNamespace(s, large.Obj()), client.DryRunAll)).To(beInvalid, "a Job")
		cronJob := puppet.CronJob("large", large).Obj()
		cronJob.Namespace = s.Namespace
		Expect(s.Client.Create(ctx, cronJob, client.DryRunAll)).To(beInvalid, "a CronJob")
		job := s.Create(gang(puppet.Job("a").Parallelism(2).Completions(5), 2)).Made()
		Expect(change(s, job, func(j *batchv1.Job) {
			j.Spec.Scheduling.SchedulingPolicy.Gang.MinCount = ptr.To[int32](3)
		})).To(beInvalid, "a minCount that grows")
		Expect(change(s, job, func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](1) })).
			To(beInvalid, "a parallelism that shrinks")
	})

	It("the API server accepts changes of minCount, together with parallelism as well", covers.Requirements(
		AcceptsGrowth), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(gang(puppet.Job("a").Parallelism(3).Completions(5), 2)).Made()
		for _, n := range []int32{1, 3} {
			Expect(change(s, job, func(j *batchv1.Job) {
				j.Spec.Scheduling.SchedulingPolicy.Gang.MinCount = ptr.To(n)
			})).To(Succeed(), "a minCount of %d", n)
		}
		Expect(change(s, job, func(j *batchv1.Job) {
			j.Spec.Parallelism = ptr.To[int32](5)
			j.Spec.Scheduling.SchedulingPolicy.Gang.MinCount = ptr.To[int32](5)
		})).To(Succeed(), "both at once")
	})

	It("the API server refuses other changes of scheduling", covers.Requirements(
		SchedulingIsFixed), func(ctx SpecContext) {
		s := framework.New(ctx)
		of := s.Create(gang(puppet.Job("gang").Parallelism(3).Completions(5), 2)).Made()
		without := s.Create(puppet.Job("without")).Made()
		for _, c := range []struct {
			what string
			job  *batchv1.Job
			how  func(*batchv1.Job)
		}{
			{"another policy", of, policy(&schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{Basic: aBasic})},
			{"no policy", of, func(j *batchv1.Job) { j.Spec.Scheduling.SchedulingPolicy = nil }},
			{"no scheduling", of, func(j *batchv1.Job) { j.Spec.Scheduling = nil }},
			{"scheduling", without, policy(&schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{Gang: aGang})},
			{"a disruption mode", of, func(j *batchv1.Job) {
				j.Spec.Scheduling.DisruptionMode = &schedulingv1alpha3.WorkloadPodGroupDisruptionMode{
					All: &schedulingv1alpha3.WorkloadPodGroupAllDisruptionMode{}}
			}},
			{"a topology", of, func(j *batchv1.Job) {
				j.Spec.Scheduling.SchedulingConstraints = &schedulingv1alpha3.WorkloadPodGroupSchedulingConstraints{
					Topology: []schedulingv1alpha3.TopologyConstraint{{Key: "example.com/rack"}}}
			}},
			{"a claim", of, claims(1)},
		} {
			Expect(change(s, c.job, c.how)).To(beInvalid, c.what)
		}
	})

	It("the API server refuses what is no policy, and too many claims", covers.Requirements(
		OnePolicy), func(ctx SpecContext) {
		s := framework.New(ctx)
		for _, c := range []struct {
			what  string
			valid bool
			how   func(*batchv1.Job)
		}{
			{"a gang", true, policy(&schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{Gang: aGang})},
			{"no policy in the policy", false, policy(&schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{})},
			{"two policies", false, policy(&schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{
				Basic: aBasic, Gang: aGang})},
			{"a minCount of 0", false, policy(&schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{
				Gang: &schedulingv1alpha3.WorkloadPodGroupGangSchedulingPolicy{MinCount: ptr.To[int32](0)}})},
			{"5 claims", false, func(j *batchv1.Job) {
				policy(&schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{Gang: aGang})(j)
				claims(5)(j)
			}},
		} {
			err := s.Client.Create(ctx, inNamespace(s, puppet.Job("a").With(c.how).Obj()), client.DryRunAll)
			if c.valid {
				Expect(err).To(Succeed(), c.what)
			} else {
				Expect(err).To(beInvalid, c.what)
			}
		}
	})
})

func inNamespace(s *framework.Sandbox, job *batchv1.Job) *batchv1.Job {
	job.Namespace = s.Namespace
	return job
}
