package admission

import (
	"math"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

var _ = Describe("Defaults:", Label("area:api", "behaviour:defaults"), func() {

	It("the API server sets parallelism and completions to 1", Covers(DefaultsToOnePod), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(ctx, s, puppet.Job("a").Obj())
		Expect(job.Spec.Completions).To(HaveValue(BeEquivalentTo(1)))
		Expect(job.Spec.Parallelism).To(HaveValue(BeEquivalentTo(1)))
	})

	It("the API server sets parallelism to 1 beside completions, but not completions beside parallelism", Covers(DefaultParallelism), func(ctx SpecContext) {
		s := framework.New(ctx)
		completions := accepted(ctx, s, puppet.Job("a").Completions(5).Obj())
		Expect(completions.Spec.Parallelism).To(HaveValue(BeEquivalentTo(1)))
		Expect(completions.Spec.Completions).To(HaveValue(BeEquivalentTo(5)))
		workQueue := accepted(ctx, s, puppet.Job("a").Parallelism(5).Obj())
		Expect(workQueue.Spec.Parallelism).To(HaveValue(BeEquivalentTo(5)))
		Expect(workQueue.Spec.Completions).To(BeNil())
	})

	It("the API server sets backoffLimit to 6", Covers(DefaultBackoffLimit), func(ctx SpecContext) {
		s := framework.New(ctx)
		Expect(accepted(ctx, s, puppet.Job("a").Obj()).Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(6)))
		Expect(accepted(ctx, s, puppet.Job("a").BackoffLimit(0).Obj()).Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(0)))
	})

	It("the API server sets backoffLimit to the maximum with backoffLimitPerIndex", Covers(DefaultBackoffLimitWithIndexes), func(ctx SpecContext) {
		s := framework.New(ctx)
		Expect(accepted(ctx, s, perIndex("a").Obj()).Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(math.MaxInt32)))
		Expect(accepted(ctx, s, perIndex("a").BackoffLimit(2).Obj()).Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(2)))
	})

	It("the API server sets completionMode to NonIndexed and suspend to false", Covers(DefaultModeAndSuspend), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(ctx, s, puppet.Job("a").Obj())
		Expect(job.Spec.CompletionMode).To(HaveValue(Equal(batchv1.NonIndexedCompletion)))
		Expect(job.Spec.Suspend).To(HaveValue(BeFalse()))
	})

	It("the API server sets podReplacementPolicy to Failed with a podFailurePolicy only", Covers(DefaultPodReplacementPolicy), func(ctx SpecContext) {
		s := framework.New(ctx)
		Expect(accepted(ctx, s, puppet.Job("a").Obj()).Spec.PodReplacementPolicy).To(HaveValue(Equal(batchv1.TerminatingOrFailed)))
		Expect(accepted(ctx, s, withRule(failOn(1)).Obj()).Spec.PodReplacementPolicy).To(HaveValue(Equal(batchv1.Failed)))
	})

	It("the API server sets the status of an onPodConditions pattern to True", Covers(DefaultConditionStatus), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(ctx, s, withRule(onCondition(corev1.DisruptionTarget, "")).Obj())
		Expect(job.Spec.PodFailurePolicy.Rules[0].OnPodConditions[0].Status).To(Equal(corev1.ConditionTrue))
	})

	// Wrong: merges both, so that selectors find a Job by labels of its pods.
	It("the API server gives a Job without labels those of its pods", Covers(DefaultJobLabels), func(ctx SpecContext) {
		s := framework.New(ctx)
		labelled := func(b *puppet.JobBuilder) *batchv1.Job {
			return b.With(func(j *batchv1.Job) { j.Spec.Template.Labels = map[string]string{"of": "pods"} }).Obj()
		}
		Expect(accepted(ctx, s, labelled(puppet.Job("a"))).Labels).To(HaveKeyWithValue("of", "pods"))
		own := accepted(ctx, s, labelled(puppet.Job("a").Label("own", "yes")))
		Expect(own.Labels).To(Equal(map[string]string{"own": "yes"}))
	})

	// Wrong: leaves out the old names, by which users select pods.
	It("the API server generates a Job's selector and the labels of its pods", Covers(GeneratedSelector), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(ctx, s, puppet.Job("a").Obj())
		uid := string(job.UID)
		Expect(uid).NotTo(BeEmpty())
		Expect(job.Spec.Selector.MatchLabels).To(Equal(map[string]string{batchv1.ControllerUidLabel: uid}))
		Expect(job.Spec.Template.Labels).To(Equal(map[string]string{
			batchv1.ControllerUidLabel: uid, "controller-uid": uid,
			batchv1.JobNameLabel: "a", "job-name": "a",
		}))
	})

	It("the API server ignores the status and generation of a new object", Covers(NewStatusIsDropped), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(ctx, s, puppet.Job("a").With(func(j *batchv1.Job) {
			j.Generation = 5
			j.Status.Succeeded = 3
		}).Obj())
		Expect(job.Status).To(Equal(batchv1.JobStatus{}))
		Expect(job.Generation).To(BeEquivalentTo(1))

		cron := accepted(ctx, s, hourly().With(func(c *batchv1.CronJob) {
			c.Generation = 5
			c.Status.Active = []corev1.ObjectReference{{Name: "a"}}
		}).Obj())
		Expect(cron.Status).To(Equal(batchv1.CronJobStatus{}))
		Expect(cron.Generation).To(BeEquivalentTo(1))
	})

	It("the API server sets a CronJob to Allow and limits of 3 and 1", Covers(CronJobDefaults), func(ctx SpecContext) {
		s := framework.New(ctx)
		cron := accepted(ctx, s, hourly().Obj())
		Expect(cron.Spec.ConcurrencyPolicy).To(Equal(batchv1.AllowConcurrent))
		Expect(cron.Spec.Suspend).To(HaveValue(BeFalse()))
		Expect(cron.Spec.SuccessfulJobsHistoryLimit).To(HaveValue(BeEquivalentTo(3)))
		Expect(cron.Spec.FailedJobsHistoryLimit).To(HaveValue(BeEquivalentTo(1)))

		own := accepted(ctx, s, hourly().Policy(batchv1.ForbidConcurrent).Suspend().
			SuccessfulJobsHistoryLimit(0).FailedJobsHistoryLimit(0).Obj())
		Expect(own.Spec.ConcurrencyPolicy).To(Equal(batchv1.ForbidConcurrent))
		Expect(own.Spec.Suspend).To(HaveValue(BeTrue()))
		Expect(own.Spec.SuccessfulJobsHistoryLimit).To(Equal(ptr.To[int32](0)))
		Expect(own.Spec.FailedJobsHistoryLimit).To(Equal(ptr.To[int32](0)))
	})
})
