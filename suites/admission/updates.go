package admission

import (
	"maps"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// templateChanges are changes of a pod template, by a description.
type templateChanges map[string]func(*corev1.PodTemplateSpec)

// directives are changes of the scheduling directives and metadata of a pod template.
var directives = templateChanges{
	"a node selector": func(t *corev1.PodTemplateSpec) { t.Spec.NodeSelector = map[string]string{"disk": "fast"} },
	"node affinity": func(t *corev1.PodTemplateSpec) {
		t.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
				NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "disk",
						Operator: corev1.NodeSelectorOpExists}},
				}}},
		}}
	},
	"a toleration": func(t *corev1.PodTemplateSpec) {
		t.Spec.Tolerations = []corev1.Toleration{{Key: "disk", Operator: corev1.TolerationOpExists}}
	},
	"a scheduling gate": func(t *corev1.PodTemplateSpec) {
		t.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
	},
	"an annotation": func(t *corev1.PodTemplateSpec) {
		metav1.SetMetaDataAnnotation(&t.ObjectMeta, "example.com/a", "b")
	},
	"a label": func(t *corev1.PodTemplateSpec) {
		t.Labels = maps.Clone(t.Labels)
		t.Labels["example.com/a"] = "b"
	},
}

// containers are changes of what the pods of a template run.
var containers = templateChanges{
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

// resources changes the requests of the first container.
func resources(t *corev1.PodTemplateSpec) {
	t.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}
}

// rejectsTemplates expects that the API server rejects each change of the pod
// template. Which field below the template it names depends on the version.
func rejectsTemplates(s *framework.Sandbox, job *framework.Job, changes templateChanges) {
	GinkgoHelper()
	for what, change := range changes {
		_, err := changed(s, job.Made(), func(j *batchv1.Job) { change(&j.Spec.Template) })
		Expect(answerTo(err)).To(And(
			HaveField("Reason", metav1.StatusReasonInvalid),
			HaveField("Fields", ContainElement(HavePrefix("spec.template")))), what)
	}
}

// acceptsTemplates expects that the API server accepts each change of the pod
// template.
func acceptsTemplates(s *framework.Sandbox, job *framework.Job, changes templateChanges) {
	GinkgoHelper()
	for what, change := range changes {
		want := job.Made().DeepCopy()
		change(&want.Spec.Template)
		got, err := changed(s, job.Made(), func(j *batchv1.Job) { change(&j.Spec.Template) })
		Expect(err).NotTo(HaveOccurred(), what)
		Expect(equality.Semantic.DeepEqual(got.Spec.Template, want.Spec.Template)).To(BeTrue(), what)
	}
}

var _ = Describe("Job update validation:", behaviour.Validation, func() {

	It("the API server rejects changes of the pod template of a Job that is not suspended", covers.Requirements(
		TemplateIsFixed), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").With(unmanaged))
		rejectsTemplates(s, job, directives)
		rejectsTemplates(s, job, containers)
		rejectsTemplates(s, job, templateChanges{"resources": resources})
	})

	DescribeTable("the API server rejects changes of",
		func(ctx SpecContext, base *puppet.JobBuilder, cases invalidJobs) {
			s := framework.New(ctx)
			job := s.Create(base.With(unmanaged))
			_, err := changed(s, job.Made(), func(*batchv1.Job) {})
			Expect(err).NotTo(HaveOccurred(), "no change")
			for i, c := range cases {
				_, err := changed(s, job.Made(), c.change)
				expectRejected(err, c.field, "change %d", i+1)
			}
		},
		Entry("the selector", covers.Requirements(SelectorIsFixed), manual(), invalidJobs{
			{"spec.selector", func(j *batchv1.Job) {
				j.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
					{Key: "mine", Operator: metav1.LabelSelectorOpExists}}}
			}},
			{"spec.selector", func(j *batchv1.Job) { j.Spec.Selector = nil }},
		}),
		Entry("the completions of a NonIndexed Job", covers.Requirements(CompletionsAreFixed),
			puppet.Job("a").Parallelism(2).Completions(2), invalidJobs{
				{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](3) }},
				{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = nil }},
				{"spec.completions", func(j *batchv1.Job) {
					j.Spec.Completions, j.Spec.Parallelism = ptr.To[int32](3), ptr.To[int32](3)
				}},
			}),
		Entry("the completions of an Indexed Job without its parallelism",
			covers.Requirements(CompletionsFollowParallelism), indexed("a"), invalidJobs{
				{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](4) }},
				{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = ptr.To[int32](2) }},
				{"spec.completions", func(j *batchv1.Job) { j.Spec.Completions = nil }},
			}),
		Entry("the completionMode", covers.Requirements(CompletionModeIsFixed), indexed("a"), invalidJobs{
			{"spec.completionMode", func(j *batchv1.Job) {
				j.Spec.CompletionMode = ptr.To(batchv1.NonIndexedCompletion)
			}},
		}),
		Entry("the podFailurePolicy", covers.Requirements(FailurePolicyIsFixed), withRule(failOn(1)), invalidJobs{
			{"spec.podFailurePolicy", func(j *batchv1.Job) { j.Spec.PodFailurePolicy = nil }},
			{"spec.podFailurePolicy", func(j *batchv1.Job) { j.Spec.PodFailurePolicy.Rules[0] = failOn(2) }},
		}),
		Entry("the backoffLimitPerIndex", covers.Requirements(BackoffLimitPerIndexIsFixed), perIndex("a"), invalidJobs{
			{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = nil }},
			{"spec.backoffLimitPerIndex", func(j *batchv1.Job) { j.Spec.BackoffLimitPerIndex = ptr.To[int32](2) }},
		}),
		Entry("the managedBy", covers.Requirements(ManagedByIsFixed), puppet.Job("a"), invalidJobs{
			{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = nil }},
			{"spec.managedBy", func(j *batchv1.Job) { j.Spec.ManagedBy = ptr.To(batchv1.JobControllerName) }},
		}),
		Entry("the successPolicy", covers.Requirements(SuccessPolicyIsFixed),
			succeedOn(batchv1.SuccessPolicyRule{SucceededCount: ptr.To[int32](1)}), invalidJobs{
				{"spec.successPolicy", func(j *batchv1.Job) { j.Spec.SuccessPolicy = nil }},
				{"spec.successPolicy", func(j *batchv1.Job) {
					j.Spec.SuccessPolicy.Rules[0].SucceededCount = ptr.To[int32](2)
				}},
			}),
	)

	It("the API server accepts equal changes of an Indexed Job's completions and parallelism", covers.Requirements(
		CompletionsFollowParallelism), func(ctx SpecContext) {
		job := framework.New(ctx).Create(indexed("a").With(unmanaged))
		for _, n := range []int32{5, 1, 0} {
			job.Change(func(j *batchv1.Job) { j.Spec.Completions, j.Spec.Parallelism = &n, &n })
			Expect(job.Now().Spec.Completions).To(HaveValue(Equal(n)), "spec.completions")
		}
		Expect(job.Now().UID).To(Equal(job.UID))
	})

	It("the API server accepts changes of a Job's numbers and suspend", covers.Requirements(
		MutableFieldsMayChange), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").With(unmanaged).Completions(2))
		for field, set := range numbers {
			if field == "spec.completions" {
				continue // see API-UPDATE-003
			}
			for _, n := range []int32{7, 0} {
				want := job.Made().DeepCopy()
				set(&want.Spec, n)
				got, err := changed(s, job.Made(), func(j *batchv1.Job) { set(&j.Spec, n) })
				Expect(err).NotTo(HaveOccurred(), "%s to %d", field, n)
				Expect(equality.Semantic.DeepEqual(got.Spec, want.Spec)).To(BeTrue(), "%s to %d", field, n)
			}
			_, err := changed(s, job.Made(), func(j *batchv1.Job) { set(&j.Spec, -1) })
			expectRejected(err, field)
		}
		for _, suspend := range []bool{true, false} {
			job.Change(func(j *batchv1.Job) { j.Spec.Suspend = &suspend })
			Expect(job.Now().Spec.Suspend).To(HaveValue(Equal(suspend)), "spec.suspend")
		}
	})

	// Wrong: accepts every change of a Job that has no pods yet.
	It("the API server accepts only scheduling directives for a Job that never started", covers.Requirements(
		SchedulingMayChangeBeforeStart), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").With(unmanaged).Suspend())
		acceptsTemplates(s, job, directives)
		rejectsTemplates(s, job, containers)
		rejectsTemplates(s, job, templateChanges{"pod affinity": func(t *corev1.PodTemplateSpec) {
			t.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: "zone"}},
			}}
		}})
	})

	It("the API server accepts new resources for a suspended Job without active pods", covers.Requirements(
		ResourcesMayChangeWhileSuspended), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").With(unmanaged).Suspend())
		acceptsTemplates(s, job, templateChanges{"resources": resources})
		job.ChangeStatus(func(j *batchv1.Job) { j.Status.Active = 1 })
		rejectsTemplates(s, job, templateChanges{"resources while a pod is active": resources})
	})

	// Wrong: checks spec.suspend only, so that pods of two templates run side by side.
	It("the API server accepts a new pod template for a suspended Job once its pods are gone", covers.Requirements(
		TemplateMayChangeOnceSuspended), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").With(unmanaged).Suspend())
		job.ChangeStatus(func(j *batchv1.Job) { j.Status.StartTime = ptr.To(metav1.Now()) })
		directives := maps.Clone(directives)
		directives["resources"] = resources
		rejectsTemplates(s, job, directives)
		job.ChangeStatus(func(j *batchv1.Job) {
			j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: corev1.ConditionTrue}}
		})
		acceptsTemplates(s, job, directives)
		rejectsTemplates(s, job, containers)
		job.ChangeStatus(func(j *batchv1.Job) { j.Status.Active = 1 })
		rejectsTemplates(s, job, directives)
	})

	// Wrong: counts every write, so that a controller that has caught up seems not to.
	It("the API server increments the generation for changes of the spec only", covers.Requirements(
		GenerationFollowsSpec), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").With(unmanaged))
		job.Change(func(j *batchv1.Job) { j.Labels = map[string]string{"a": "b"} })
		job.ChangeStatus(func(j *batchv1.Job) { j.Status.Active = 1 })
		Expect(job.Now().Generation).To(BeEquivalentTo(1))
		job.Change(func(j *batchv1.Job) { j.Spec.Parallelism = ptr.To[int32](5) })
		Expect(job.Now().Generation).To(BeEquivalentTo(2))

		cronJob := s.CreateCronJob(hourly().Suspend())
		cronJob.Change(func(c *batchv1.CronJob) { c.Labels = map[string]string{"a": "b"} })
		cronJob.ChangeStatus(func(c *batchv1.CronJob) { c.Status.LastScheduleTime = ptr.To(metav1.Now()) })
		Expect(cronJob.Now().Generation).To(BeEquivalentTo(1))
		cronJob.Change(func(c *batchv1.CronJob) { c.Spec.Schedule = "@daily" })
		Expect(cronJob.Now().Generation).To(BeEquivalentTo(2))
	})

	It("the API server ignores status in writes of the spec, and spec in writes of the status", covers.Requirements(
		SpecAndStatusAreApart), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").With(unmanaged))
		job.Change(func(j *batchv1.Job) { j.Status.Active, j.Spec.Parallelism = 3, ptr.To[int32](3) })
		Expect(job.Now().Status.Active).To(BeZero(), "status.active")
		job.ChangeStatus(func(j *batchv1.Job) { j.Status.Active, j.Spec.Parallelism = 2, ptr.To[int32](2) })
		Expect(job.Now().Status.Active).To(BeEquivalentTo(2), "status.active")
		Expect(job.Now().Spec.Parallelism).To(HaveValue(BeEquivalentTo(3)), "spec.parallelism")

		cronJob := s.CreateCronJob(hourly().Suspend())
		now := ptr.To(metav1.Now().Rfc3339Copy())
		cronJob.Change(func(c *batchv1.CronJob) { c.Status.LastScheduleTime, c.Spec.Schedule = now, "@daily" })
		Expect(cronJob.Now().Status.LastScheduleTime).To(BeNil(), "status.lastScheduleTime")
		cronJob.ChangeStatus(func(c *batchv1.CronJob) { c.Status.LastScheduleTime, c.Spec.Schedule = now, "@weekly" })
		Expect(cronJob.Now().Status.LastScheduleTime).To(HaveValue(HaveField("Time", BeTemporally("==", now.Time))),
			"status.lastScheduleTime")
		Expect(cronJob.Now().Spec.Schedule).To(Equal("@daily"), "spec.schedule")
	})
})

var _ = Describe("Job deletion:", behaviour.Validation, func() {
	// Wrong: deletes in the background, as for most other kinds.
	It("the API server orphans the pods of a Job that is deleted without options", covers.Requirements(
		JobDeletionOrphans), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := s.Create(puppet.Job("a").With(unmanaged))
		pod := examplePod()
		pod.OwnerReferences = []metav1.OwnerReference{
			*metav1.NewControllerRef(job.Made(), batchv1.SchemeGroupVersion.WithKind("Job"))}
		framework.Create(s, pod)
		Expect(s.Client.Delete(s.Context(), job.Made().DeepCopy())).To(Succeed())
		s.Soon("the Job is gone, and its pod has no owner", func(g Gomega) {
			g.Expect(s.JobNames()).To(BeEmpty())
			g.Expect(s.Pods()).To(ConsistOf(HaveField("OwnerReferences", BeEmpty())))
		})
		s.Stays("the pod is there", func(g Gomega) { g.Expect(s.Active().Names()).To(ConsistOf(pod.Name)) })
	})

	It("the API server deletes the Jobs of a CronJob that is deleted without options", covers.Requirements(
		CronJobDeletionCascades), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := s.CreateCronJob(hourly().Suspend())
		s.Create(puppet.Job("a").With(unmanaged).With(func(j *batchv1.Job) {
			j.OwnerReferences = []metav1.OwnerReference{
				*metav1.NewControllerRef(cronJob.Now(), batchv1.SchemeGroupVersion.WithKind("CronJob"))}
		}))
		Expect(s.Client.Delete(s.Context(), cronJob.Now().DeepCopy())).To(Succeed())
		s.Soon("the Job is gone", func(g Gomega) { g.Expect(s.JobNames()).To(BeEmpty()) })
	})
})

var _ = Describe("Job lists:", behaviour.Validation, func() {
	It("the API server selects Jobs by the field status.successful", covers.Requirements(
		SelectsBySuccesses), func(ctx SpecContext) {
		s := framework.New(ctx)
		for n, name := range []string{"none", "one", "two"} {
			job := s.Create(puppet.Job(name).Completions(3).With(unmanaged))
			job.ChangeStatus(func(j *batchv1.Job) { j.Status.Succeeded = int32(n) })
		}
		for value, names := range map[string][]string{"0": {"none"}, "1": {"one"}, "3": nil} {
			found := &batchv1.JobList{}
			Expect(s.Client.List(s.Context(), found, client.InNamespace(s.Namespace),
				client.MatchingFields{"status.successful": value})).To(Succeed())
			var have []string
			for _, job := range found.Items {
				have = append(have, job.Name)
			}
			Expect(have).To(ConsistOf(names), "Jobs with status.successful=%s", value)
		}
	})
})
