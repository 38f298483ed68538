package admission

import (
	"context"
	"maps"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// directives are changes of where the pods of a Job may go.
var directives = map[string]func(*corev1.PodTemplateSpec){
	"a node selector": func(t *corev1.PodTemplateSpec) { t.Spec.NodeSelector = map[string]string{"disk": "fast"} },
	"node affinity": func(t *corev1.PodTemplateSpec) {
		t.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "disk", Operator: corev1.NodeSelectorOpExists}},
			}}},
		}}
	},
	"a toleration": func(t *corev1.PodTemplateSpec) {
		t.Spec.Tolerations = []corev1.Toleration{{Key: "disk", Operator: corev1.TolerationOpExists}}
	},
	"a scheduling gate": func(t *corev1.PodTemplateSpec) {
		t.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
	},
	"an annotation": func(t *corev1.PodTemplateSpec) { metav1.SetMetaDataAnnotation(&t.ObjectMeta, "example.com/a", "b") },
	"a label": func(t *corev1.PodTemplateSpec) {
		t.Labels = maps.Clone(t.Labels)
		t.Labels["example.com/a"] = "b"
	},
}

// containers are changes of what the pods of a Job run.
var containers = map[string]func(*corev1.PodTemplateSpec){
	"an image":        func(t *corev1.PodTemplateSpec) { t.Spec.Containers[0].Image = "example.com/another:1" },
	"a command":       func(t *corev1.PodTemplateSpec) { t.Spec.Containers[0].Command = []string{"another"} },
	"a restartPolicy": func(t *corev1.PodTemplateSpec) { t.Spec.RestartPolicy = corev1.RestartPolicyOnFailure },
	"a deadline":      func(t *corev1.PodTemplateSpec) { t.Spec.ActiveDeadlineSeconds = ptr.To[int64](1000) },
	"a container": func(t *corev1.PodTemplateSpec) {
		more := t.Spec.Containers[0]
		more.Name = "more"
		t.Spec.Containers = append(t.Spec.Containers, more)
	},
}

// resources changes what the first container asks for.
func resources(t *corev1.PodTemplateSpec) {
	t.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}
}

// keeps expects that a change of the pod template is refused. The field is the
// template, or what is below it, by version.
func keeps(ctx context.Context, s *framework.Sandbox, job *batchv1.Job, what string, change func(*corev1.PodTemplateSpec)) {
	GinkgoHelper()
	_, err := changed(ctx, s, job, func(j *batchv1.Job) { change(&j.Spec.Template) })
	Expect(answerTo(err)).To(And(
		HaveField("Reason", metav1.StatusReasonInvalid),
		HaveField("Fields", ContainElement(HavePrefix("spec.template")))), what)
}

// takes expects that a change of the pod template is accepted.
func takes(ctx context.Context, s *framework.Sandbox, job *batchv1.Job, what string, change func(*corev1.PodTemplateSpec)) {
	GinkgoHelper()
	want := job.DeepCopy()
	change(&want.Spec.Template)
	got, err := changed(ctx, s, job, func(j *batchv1.Job) { change(&j.Spec.Template) })
	Expect(err).NotTo(HaveOccurred(), what)
	Expect(equality.Semantic.DeepEqual(got.Spec.Template, want.Spec.Template)).To(BeTrue(), what)
}

var _ = Describe("the API server's rules for changes of Jobs", Label("area:api", "behaviour:validation"), func() {

	It("keep the pod template of a Job that may run", Covers(TemplateIsFixed), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, managed("a").Obj())
		for what, change := range directives {
			keeps(ctx, s, job, what, change)
		}
		for what, change := range containers {
			keeps(ctx, s, job, what, change)
		}
		keeps(ctx, s, job, "resources", resources)
	})

	DescribeTable("keep", func(ctx SpecContext, base *puppet.JobBuilder, cases wrongJobs) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, base.With(func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To(somebody) }).Obj())
		_, err := changed(ctx, s, job, func(*batchv1.Job) {})
		Expect(err).NotTo(HaveOccurred(), "no change at all")
		for i, c := range cases {
			_, err := changed(ctx, s, job, c.change)
			expectRefused(err, c.field, "change %d", i+1)
		}
	},
		Entry("the selector", Covers(SelectorIsFixed), own(), wrongJobs{
			{"spec.selector", func(j *batchv1.Job) {
				j.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: "mine", Operator: metav1.LabelSelectorOpExists}}}
			}},
			{"spec.selector", func(j *batchv1.Job) { j.Spec.Selector = nil }},
		}),
		Entry("the completions of a Job without indexes", Covers(CompletionsAreFixed), puppet.Job("a").Parallelism(2).Completions(2), wrongJobs{
			{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](3) }},
			{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = nil }},
			{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions, j.Spec.Parallelism = ptr.To[int32](3), ptr.To[int32](3) }},
		}),
		Entry("the completions of an Indexed Job that do not go with parallelism", Covers(CompletionsFollowParallelism), indexed("a"), wrongJobs{
			{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](4) }},
			{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](2) }},
			{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = nil }},
		}),
		Entry("the completionMode", Covers(CompletionModeIsFixed), indexed("a"), wrongJobs{
			{"spec.completionMode", func(j *batchv1.Job) { j.Spec.CompletionMode = ptr.To(batchv1.NonIndexedCompletion) }},
		}),
		Entry("the podFailurePolicy", Covers(FailurePolicyIsFixed), withRule(failOn(1)), wrongJobs{
			{"spec.podFailurePolicy", func(j *batchv1.Job) { j.Spec.PodFailurePolicy = nil }},
			{"spec.podFailurePolicy", func(j *batchv1.Job) { j.Spec.PodFailurePolicy.Rules[0] = failOn(2) }},
		}),
		Entry("the backoffLimitPerIndex", Covers(BackoffLimitPerIndexIsFixed), perIndex("a"), wrongJobs{
			{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = nil }},
			{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = ptr.To[int32](2) }},
		}),
		Entry("the managedBy", Covers(ManagedByIsFixed), puppet.Job("a"), wrongJobs{
			{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = nil }},
			{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To(batchv1.JobControllerName) }},
		}),
		Entry("the successPolicy", Covers(SuccessPolicyIsFixed), succeedOn(batchv1.SuccessPolicyRule{SucceededCount: ptr.To[int32](1)}), wrongJobs{
			{"spec.successPolicy", func(j *batchv1.Job) { j.Spec.SuccessPolicy = nil }},
			{"spec.successPolicy", func(j *batchv1.Job) { j.Spec.SuccessPolicy.Rules[0].SucceededCount = ptr.To[int32](2) }},
		}),
	)

	It("let an Indexed Job grow and shrink together with its parallelism", Covers(CompletionsFollowParallelism), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, indexed("a").With(func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To(somebody) }).Obj())
		for _, n := range []int32{5, 1, 0} {
			framework.Change(ctx, s, s.Job("a"), func(j *batchv1.Job) { j.Spec.Completions, j.Spec.Parallelism = &n, &n })
			Expect(s.Job("a").Spec.Completions).To(HaveValue(Equal(n)))
		}
		Expect(s.Job("a").UID).To(Equal(job.UID))
	})

	It("let the numbers and suspend of a Job change", Covers(MutableFieldsMayChange), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, managed("a").Completions(2).Obj())
		for field, set := range numbers {
			if field == "spec.completions" {
				continue // see API-UPDATE-003
			}
			for _, n := range []int32{7, 0} {
				want := job.DeepCopy()
				set(&want.Spec, n)
				got, err := changed(ctx, s, job, func(j *batchv1.Job) { set(&j.Spec, n) })
				Expect(err).NotTo(HaveOccurred(), "%s to %d", field, n)
				Expect(equality.Semantic.DeepEqual(got.Spec, want.Spec)).To(BeTrue(), "%s to %d", field, n)
			}
			_, err := changed(ctx, s, job, func(j *batchv1.Job) { set(&j.Spec, -1) })
			expectRefused(err, field)
		}
		for _, suspend := range []bool{true, false} {
			framework.Change(ctx, s, s.Job("a"), func(j *batchv1.Job) { j.Spec.Suspend = &suspend })
			Expect(s.Job("a").Spec.Suspend).To(HaveValue(Equal(suspend)))
		}
	})

	// Wrong: takes every change of a Job that does nothing yet.
	It("let the pods of a suspended Job that never started go elsewhere, and be nothing else", Covers(SchedulingMayChangeBeforeStart), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, managed("a").Suspend().Obj())
		for what, change := range directives {
			takes(ctx, s, job, what, change)
		}
		for what, change := range containers {
			keeps(ctx, s, job, what, change)
		}
		keeps(ctx, s, job, "pod affinity", func(t *corev1.PodTemplateSpec) {
			t.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: "zone"}},
			}}
		})
	})

	It("let the resources of a suspended Job change", Covers(ResourcesMayChangeWhileSuspended), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, managed("a").Suspend().Obj())
		takes(ctx, s, job, "resources", resources)
		framework.ChangeStatus(ctx, s, job, func(j *batchv1.Job) { j.Status.Active = 1 })
		keeps(ctx, s, job, "resources while a pod is active", resources)
	})

	// Wrong: goes by spec.suspend, so that pods of two kinds run side by side.
	It("let the template of a Job that is suspended again change when its pods are gone", Covers(TemplateMayChangeOnceSuspended), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, managed("a").Suspend().Obj())
		framework.ChangeStatus(ctx, s, job, func(j *batchv1.Job) { j.Status.StartTime = ptr.To(metav1.Now()) })
		directives := maps.Clone(directives)
		directives["resources"] = resources
		for what, change := range directives {
			keeps(ctx, s, job, what, change)
		}
		framework.ChangeStatus(ctx, s, s.Job("a"), func(j *batchv1.Job) {
			j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue}}
		})
		for what, change := range directives {
			takes(ctx, s, job, what, change)
		}
		for what, change := range containers {
			keeps(ctx, s, job, what, change)
		}
		framework.ChangeStatus(ctx, s, s.Job("a"), func(j *batchv1.Job) { j.Status.Active = 1 })
		for what, change := range directives {
			keeps(ctx, s, job, what, change)
		}
	})

	// Wrong: counts every write, so that a controller that has caught up looks
	// as if it had not.
	It("count the changes of a spec alone", Covers(GenerationFollowsSpec), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, managed("a").Obj())
		framework.Change(ctx, s, job, func(j *batchv1.Job) { j.Labels = map[string]string{"a": "b"} })
		framework.ChangeStatus(ctx, s, s.Job("a"), func(j *batchv1.Job) { j.Status.Active = 1 })
		Expect(s.Job("a").Generation).To(BeEquivalentTo(1))
		framework.Change(ctx, s, s.Job("a"), func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](5) })
		Expect(s.Job("a").Generation).To(BeEquivalentTo(2))

		cron := framework.Create(ctx, s, hourly().Suspend().Obj())
		framework.Change(ctx, s, cron, func(c *batchv1.CronJob) { c.Labels = map[string]string{"a": "b"} })
		framework.ChangeStatus(ctx, s, s.CronJob("a"), func(c *batchv1.CronJob) { c.Status.LastScheduleTime = ptr.To(metav1.Now()) })
		Expect(s.CronJob("a").Generation).To(BeEquivalentTo(1))
		framework.Change(ctx, s, s.CronJob("a"), func(c *batchv1.CronJob) { c.Spec.Schedule = "@daily" })
		Expect(s.CronJob("a").Generation).To(BeEquivalentTo(2))
	})

	It("keep spec and status apart", Covers(SpecAndStatusAreApart), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := framework.Create(ctx, s, managed("a").Obj())
		framework.Change(ctx, s, job, func(j *batchv1.Job) { j.Status.Active, j.Spec.Parallelism = 3, ptr.To[int32](3) })
		Expect(s.Job("a").Status.Active).To(BeZero())
		framework.ChangeStatus(ctx, s, s.Job("a"), func(j *batchv1.Job) { j.Status.Active, j.Spec.Parallelism = 2, ptr.To[int32](2) })
		Expect(s.Job("a").Status.Active).To(BeEquivalentTo(2))
		Expect(s.Job("a").Spec.Parallelism).To(HaveValue(BeEquivalentTo(3)))

		cron := framework.Create(ctx, s, hourly().Suspend().Obj())
		now := ptr.To(metav1.Now().Rfc3339Copy())
		framework.Change(ctx, s, cron, func(c *batchv1.CronJob) { c.Status.LastScheduleTime, c.Spec.Schedule = now, "@daily" })
		Expect(s.CronJob("a").Status.LastScheduleTime).To(BeNil())
		framework.ChangeStatus(ctx, s, s.CronJob("a"), func(c *batchv1.CronJob) { c.Status.LastScheduleTime, c.Spec.Schedule = now, "@weekly" })
		Expect(s.CronJob("a").Status.LastScheduleTime).To(HaveValue(HaveField("Time", BeTemporally("==", now.Time))))
		Expect(s.CronJob("a").Spec.Schedule).To(Equal("@daily"))
	})
})
