package scheduling

import (
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/scheduling/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

var _ = Describe("Job scheduling, creation:", behaviour.Scheduling, func() {
	// Wrong: creates them for gangs alone, or for Indexed Jobs alone, or after the pods.
	DescribeTable("the Workload comes before the PodGroup and that before the pods, of",
		func(ctx SpecContext, build *puppet.JobBuilder) {
			s := framework.New(ctx)
			job := s.Create(build)
			job.Runs(ptr.Deref(job.Made().Spec.Parallelism, 1))
			groups(s, job)
			workload, _ := firstOf(s, "Workload", job.Made())
			group, _ := firstOf(s, "PodGroup", job.Made())
			pod, _ := firstOf(s, "Pod", job.Made())
			Expect(workload).To(BeNumerically("<", group), "the Workload comes first")
			Expect(group).To(BeNumerically("<", pod), "the PodGroup comes before the pods")
		},
		Entry("a Job without scheduling", covers.Requirements(CreatesGroups), puppet.Job("a")),
		Entry("a Job without completions", covers.Requirements(CreatesGroups),
			puppet.Job("a").Parallelism(2)),
		Entry("an Indexed Job", covers.Requirements(CreatesGroups), covers.Uses(contract.Indexed),
			puppet.Job("a").Indexed().Parallelism(2).Completions(2)),
		Entry("a gang", covers.Requirements(CreatesGroups), gang(puppet.Job("a").Parallelism(2).Completions(2), 2)),
	)

	It("the Workload has the Job as its controller and in its reference", covers.Requirements(
		WorkloadOfJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		workload, _ := groups(s, job)
		Expect(workload.Spec.ControllerRef).To(HaveValue(Equal(schedulingv1beta1.TypedLocalObjectReference{
			APIGroup: batchv1.GroupName, Kind: "Job", Name: "a"})))
	})

	It("the PodGroup has the Job and the Workload as owners, and names the template", covers.Requirements(
		PodGroupOfJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		workload, group := groups(s, job)
		Expect(group.OwnerReferences).To(ConsistOf(
			And(HaveField("UID", job.UID), HaveField("Controller", HaveValue(BeTrue()))),
			And(HaveField("UID", workload.UID), HaveField("Kind", "Workload"), HaveField("Name", workload.Name),
				HaveField("Controller", Or(BeNil(), HaveValue(BeFalse()))))))
		Expect(group.Spec.WorkloadRef).To(HaveValue(Equal(schedulingv1beta1.WorkloadReference{
			WorkloadName: workload.Name, TemplateName: workload.Spec.PodGroupTemplates[0].Name})))
	})

	// Wrong: takes a Job with parallelism for a gang, as v1.36 did.
	DescribeTable("the policy is basic of", func(ctx SpecContext, build *puppet.JobBuilder) {
		s := framework.New(ctx)
		job := s.Create(build)
		workload, group := groups(s, job)
		basic := schedulingv1beta1.PodGroupSchedulingPolicy{Basic: &schedulingv1beta1.BasicSchedulingPolicy{}}
		Expect(workload.Spec.PodGroupTemplates).To(ConsistOf(HaveField("SchedulingPolicy", basic)))
		Expect(group.Spec.SchedulingPolicy).To(Equal(basic))
	},
		Entry("an Indexed Job without scheduling", covers.Requirements(BasicByDefault), covers.Uses(contract.Indexed),
			puppet.Job("a").Indexed().Parallelism(3).Completions(3)),
		Entry("a Job with another field of scheduling", covers.Requirements(BasicByDefault),
			disrupted(puppet.Job("a").Parallelism(2).Completions(2), false)),
		Entry("a Job with that policy", covers.Requirements(BasicByDefault),
			puppet.Job("a").With(func(j *batchv1.Job) {
				j.Spec.Scheduling = &batchv1.JobSchedulingConfiguration{
					SchedulingPolicy: &schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{
						Basic: &schedulingv1alpha3.WorkloadPodGroupBasicSchedulingPolicy{}}}
			})),
	)

	DescribeTable("the disruption mode passes through:",
		func(ctx SpecContext, build *puppet.JobBuilder, mode *schedulingv1beta1.DisruptionMode) {
			s := framework.New(ctx)
			workload, group := groups(s, s.Create(build))
			Expect(workload.Spec.PodGroupTemplates).To(ConsistOf(HaveField("DisruptionMode", Equal(mode))))
			Expect(group.Spec.DisruptionMode).To(Equal(mode))
		},
		Entry("all", covers.Requirements(PassesScheduling), disrupted(gang(puppet.Job("a"), 1), true),
			&schedulingv1beta1.DisruptionMode{All: &schedulingv1beta1.AllDisruptionMode{}}),
		Entry("single", covers.Requirements(PassesScheduling), disrupted(puppet.Job("a"), false),
			&schedulingv1beta1.DisruptionMode{Single: &schedulingv1beta1.SingleDisruptionMode{}}),
	)

	It("the topology passes through", covers.Requirements(PassesTopology), func(ctx SpecContext) {
		s := framework.New(ctx)
		workload, group := groups(s, s.Create(gang(puppet.Job("a"), 1).With(func(j *batchv1.Job) {
			j.Spec.Scheduling.SchedulingConstraints = &schedulingv1alpha3.WorkloadPodGroupSchedulingConstraints{
				Topology: []schedulingv1alpha3.TopologyConstraint{{Key: "example.com/rack"}}}
		})))
		passed := HaveField("SchedulingConstraints", HaveValue(Equal(schedulingv1beta1.PodGroupSchedulingConstraints{
			Topology: []schedulingv1beta1.TopologyConstraint{{Key: "example.com/rack"}}})))
		Expect(workload.Spec.PodGroupTemplates).To(ConsistOf(passed))
		Expect(group.Spec).To(passed)
	})

	// Wrong: leaves out claims that are made from a template.
	It("the claims pass through", covers.Requirements(PassesClaims), func(ctx SpecContext) {
		s := framework.New(ctx)
		workload, group := groups(s, s.Create(gang(puppet.Job("a"), 1).With(claims(1)).With(func(j *batchv1.Job) {
			j.Spec.Scheduling.ResourceClaims = append(j.Spec.Scheduling.ResourceClaims,
				schedulingv1alpha3.WorkloadPodGroupResourceClaim{
					Name: "made", ResourceClaimTemplateName: ptr.To("template")})
		})))
		passed := HaveField("ResourceClaims", ConsistOf(
			schedulingv1beta1.PodGroupResourceClaim{Name: "a", ResourceClaimName: ptr.To("example")},
			schedulingv1beta1.PodGroupResourceClaim{Name: "made", ResourceClaimTemplateName: ptr.To("template")}))
		Expect(workload.Spec.PodGroupTemplates).To(ConsistOf(passed))
		Expect(group.Spec).To(passed)
	})

	It("the priority class passes through", covers.Requirements(
		PassesPriority), framework.Needs(spec.PriorityClasses), func(ctx SpecContext) {
		s := framework.New(ctx)
		class := framework.CreateClusterWide(s, &schedulingv1.PriorityClass{
			ObjectMeta: metav1.ObjectMeta{Name: "high"}, Value: 1000})
		workload, group := groups(s, s.Create(puppet.Job("a").With(func(j *batchv1.Job) {
			j.Spec.Template.Spec.PriorityClassName = class.Name
		})))
		Expect(workload.Spec.PodGroupTemplates).To(ConsistOf(HaveField("PriorityClassName", class.Name)))
		Expect(group.Spec.PriorityClassName).To(Equal(class.Name))
	})

	// Wrong: gives the first pods a group alone.
	It("each pod belongs to the PodGroup, and one that replaces another", covers.Requirements(
		PodsJoinGroup), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).FinishedAgo("1h"))
		pods := job.Runs(2)
		_, group := groups(s, job)
		pods[0].End(1)
		s.Soon("another pod replaces the one that failed", func(g Gomega) {
			g.Expect(job.Created()).To(HaveLen(3))
		})
		Expect(job.Created()).To(HaveEach(joins(group)))
	})

	// Wrong: begins the name of the template, a DNS label, with that of the Job.
	DescribeTable("they are created for a Job whose name", func(ctx SpecContext, name string) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job(name))
		job.Runs(1)
		_, group := groups(s, job)
		Expect(job.Created()).To(HaveEach(joins(group)))
	},
		Entry("is as long as it may be", covers.Requirements(GroupsForAnyName), covers.Shows(upstream.NameOfTemplate),
			strings.Repeat("a", 63)),
		Entry("has dots", covers.Requirements(GroupsForAnyName), covers.Shows(upstream.NameOfTemplate), "a.b.c"),
	)

	// Wrong: names them after the Job alone.
	It("a Job that is created again has its own", covers.Requirements(
		GroupsForAnyName), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		job.Runs(1)
		groups(s, job)
		job.Orphan()
		s.Soon("the Job is gone", func(g Gomega) { g.Expect(s.Jobs()).To(BeEmpty()) })
		again := s.Create(puppet.Job("a"))
		_, group := groups(s, again)
		s.Soon("its pod is in its own PodGroup", func(g Gomega) {
			g.Expect(again.Created()).To(And(Not(BeEmpty()), HaveEach(joins(group))))
		})
	})

	// Wrong: makes what is missing whenever it is. Half a gang is not scheduled.
	It("none is created for a Job that has pods", covers.Requirements(OneOfEach), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").Parallelism(2).Completions(2).FinishedAgo("1h"))
		pods := job.Runs(2)
		workload, group := groups(s, job)
		s.Delete(&group)
		s.Delete(&workload)
		pods[0].End(1)
		s.Soon("another pod replaces the one that failed", func(g Gomega) {
			g.Expect(job.Created()).To(HaveLen(3))
		})
		Expect(created(s, "Workload")).To(Equal(1), "Workloads created")
		Expect(created(s, "PodGroup")).To(Equal(1), "PodGroups created")
	})

	// Wrong: makes the PodGroup an owner of pods, which it then outlives.
	It("they go with the Job, and so do its pods", covers.Requirements(GroupsGoWithJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a"))
		job.Runs(1)
		groups(s, job)
		job.Delete()
		s.Soon("the Job, its pods, the Workload and the PodGroup are gone", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty(), "Jobs")
			g.Expect(s.Pods()).To(BeEmpty(), "pods")
			g.Expect(s.Recorder.Workloads()).To(BeEmpty(), "Workloads")
			g.Expect(s.Recorder.PodGroups()).To(BeEmpty(), "PodGroups")
		})
	})
})

// disrupted gives a Job a disruption mode.
func disrupted(job *puppet.JobBuilder, together bool) *puppet.JobBuilder {
	mode := &schedulingv1alpha3.WorkloadPodGroupDisruptionMode{}
	if together {
		mode.All = &schedulingv1alpha3.WorkloadPodGroupAllDisruptionMode{}
	} else {
		mode.Single = &schedulingv1alpha3.WorkloadPodGroupSingleDisruptionMode{}
	}
	return job.With(func(j *batchv1.Job) {
		if j.Spec.Scheduling == nil {
			j.Spec.Scheduling = &batchv1.JobSchedulingConfiguration{}
		}
		j.Spec.Scheduling.DisruptionMode = mode
	})
}
