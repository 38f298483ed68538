package admission

import (
	"fmt"
	"math"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// part is a change of a status.
type part func(*batchv1.JobStatus)

// changes makes several changes.
func changes(parts ...part) part {
	return func(status *batchv1.JobStatus) {
		for _, p := range parts {
			p(status)
		}
	}
}

// is makes conditions True.
func is(kinds ...batchv1.JobConditionType) part {
	return func(status *batchv1.JobStatus) {
		for _, kind := range kinds {
			status.Conditions = append(status.Conditions, batchv1.JobCondition{
				Type: kind, Status: corev1.ConditionTrue, LastProbeTime: at(1), LastTransitionTime: at(1),
			})
		}
	}
}

// began is when the Jobs of these specs started.
var began = time.Now().Add(-time.Hour).Truncate(time.Second)

// at returns the time some minutes after the start.
func at(minutes int) metav1.Time {
	return metav1.NewTime(began.Add(time.Duration(minutes) * time.Minute))
}

func started(minutes int) part {
	return func(status *batchv1.JobStatus) { status.StartTime = ptr.To(at(minutes)) }
}

func completed(minutes int) part {
	return func(status *batchv1.JobStatus) { status.CompletionTime = ptr.To(at(minutes)) }
}

// The ways in which a Job may end.
var (
	complete = changes(started(0), completed(1), is(batchv1.JobSuccessCriteriaMet, batchv1.JobComplete))
	failed   = changes(started(0), is(batchv1.JobFailureTarget, batchv1.JobFailed))
	nothing  = changes()
)

// step is a change from one status to another, and the field that the API server has
// to name.
type step struct {
	field    string // below status
	from, to part
}

// jobSteps are a Job and invalid changes of its status.
type jobSteps struct {
	job   *puppet.JobBuilder
	steps []step
}

// status creates a Job without a controller and with a status, and changes the status
// as a dry run.
func status(s *framework.Sandbox, name string, builder *puppet.JobBuilder, from, to part) error {
	GinkgoHelper()
	job := s.Create(builder.With(unmanaged).With(func(j *batchv1.Job) { j.Name = name }))
	job.ChangeStatus(func(j *batchv1.Job) { from(&j.Status) })
	now := job.Now()
	next := now.DeepCopy()
	to(&next.Status)
	return s.Client.Status().Patch(s.Context(), next, client.MergeFrom(now),
		&client.SubResourcePatchOptions{PatchOptions: client.PatchOptions{DryRun: []string{metav1.DryRunAll}}})
}

var _ = Describe("Job status validation:", behaviour.Validation, func() {
	plain := puppet.Job("a").Parallelism(1).Completions(2)

	DescribeTable("the API server rejects", func(ctx SpecContext, cases ...jobSteps) {
		s := framework.New(ctx)
		n := 0
		for _, c := range cases {
			for _, step := range c.steps {
				n++
				err := status(s, fmt.Sprint("a", n), c.job, step.from, step.to)
				expectRejected(err, "status."+step.field, "change %d", n)
			}
		}
	},
		Entry("negative numbers of pods", covers.Requirements(RefusesNegativeCounts), jobSteps{plain, []step{
			{"active", nothing, func(s *batchv1.JobStatus) { s.Active = -1 }},
			{"ready", nothing, func(s *batchv1.JobStatus) { s.Ready = ptr.To[int32](-1) }},
			{"terminating", nothing, func(s *batchv1.JobStatus) { s.Terminating = ptr.To[int32](-1) }},
			{"succeeded", nothing, func(s *batchv1.JobStatus) { s.Succeeded = -1 }},
			{"failed", nothing, func(s *batchv1.JobStatus) { s.Failed = -1 }},
		}}),
		Entry("uncounted pods without a UID or listed twice", covers.Requirements(UncountedUIDsAreValid),
			jobSteps{plain, []step{
				{"uncountedTerminatedPods.succeeded[0]", nothing, uncounted([]types.UID{""}, nil)},
				{"uncountedTerminatedPods.failed[0]", nothing, uncounted(nil, []types.UID{""})},
				{"uncountedTerminatedPods.succeeded[1]", nothing, uncounted([]types.UID{"x", "x"}, nil)},
				{"uncountedTerminatedPods.failed[1]", nothing, uncounted(nil, []types.UID{"x", "x"})},
				{"uncountedTerminatedPods.failed[0]", nothing, uncounted([]types.UID{"x"}, []types.UID{"x"})},
			}}),
		Entry("conditions of both success and failure", covers.Requirements(SuccessExcludesFailure),
			jobSteps{plain, []step{
				{"conditions", complete, is(batchv1.JobFailureTarget, batchv1.JobFailed)},
				{"conditions", complete, is(batchv1.JobFailureTarget)},
				{"conditions", failed, changes(completed(1), is(batchv1.JobSuccessCriteriaMet, batchv1.JobComplete))},
				{"conditions", failed, is(batchv1.JobSuccessCriteriaMet)},
				{"conditions", changes(started(0), is(batchv1.JobFailureTarget)), is(batchv1.JobSuccessCriteriaMet)},
				{"conditions", changes(started(0), is(batchv1.JobSuccessCriteriaMet)), is(batchv1.JobFailureTarget)},
			}}),
		Entry("a completionTime without Complete, or Complete without it",
			covers.Requirements(CompletionTimeMeansComplete), jobSteps{plain, []step{
				{"completionTime", started(0), completed(1)},
				{"completionTime", changes(started(0), is(batchv1.JobFailureTarget)),
					changes(completed(1), is(batchv1.JobFailed))},
				{"completionTime", started(0), is(batchv1.JobSuccessCriteriaMet, batchv1.JobComplete)},
				{"completionTime", complete, func(s *batchv1.JobStatus) { s.CompletionTime = nil }},
			}}),
		Entry("a completionTime that changes or is before the startTime", covers.Requirements(CompletionTimeIsFixed),
			jobSteps{plain, []step{
				{"completionTime", started(1),
					changes(completed(0), is(batchv1.JobSuccessCriteriaMet, batchv1.JobComplete))},
				{"completionTime", complete, completed(2)},
			}}),
		Entry("Complete or Failed without its interim condition", covers.Requirements(FinishIsAnnounced),
			jobSteps{plain, []step{
				{"conditions", started(0), is(batchv1.JobFailed)},
				{"conditions", started(0), changes(completed(1), is(batchv1.JobComplete))},
			}}),
		Entry("a finished Job with active, terminating or uncounted pods", covers.Requirements(FinishedHasNoPodsLeft),
			jobSteps{plain, []step{
				{"active", changes(started(0), func(s *batchv1.JobStatus) { s.Active = 1 }), failed},
				{"active", failed, func(s *batchv1.JobStatus) { s.Active = 1 }},
				{"terminating", changes(started(0), func(s *batchv1.JobStatus) { s.Terminating = ptr.To[int32](1) }),
					failed},
				{"uncountedTerminatedPods", changes(started(0), uncounted([]types.UID{"x"}, nil)), complete},
				{"uncountedTerminatedPods", failed, uncounted(nil, []types.UID{"x"})},
			}}),
		Entry("a finished Job without a startTime", covers.Requirements(FinishedHasStarted), jobSteps{plain, []step{
			{"startTime", nothing, is(batchv1.JobFailureTarget, batchv1.JobFailed)},
			{"startTime", nothing, changes(completed(1), is(batchv1.JobSuccessCriteriaMet, batchv1.JobComplete))},
		}}),
		Entry("the removal of a condition of success or failure", covers.Requirements(TerminalConditionsStay),
			jobSteps{plain, []step{
				{"conditions", failed, func(s *batchv1.JobStatus) { s.Conditions = nil }},
				{"conditions", failed, func(s *batchv1.JobStatus) { s.Conditions[1].Status = corev1.ConditionFalse }},
				{"conditions", complete, func(s *batchv1.JobStatus) { s.Conditions, s.CompletionTime = nil, nil }},
				{"conditions", changes(started(0), is(batchv1.JobFailureTarget)), func(s *batchv1.JobStatus) {
					s.Conditions = nil
				}},
				{"conditions", changes(started(0), is(batchv1.JobSuccessCriteriaMet)), func(s *batchv1.JobStatus) {
					s.Conditions = nil
				}},
			}}),
		Entry("fewer failed or succeeded pods than before", covers.Requirements(CountsNeverDecrease),
			jobSteps{plain, []step{
				{"failed", func(s *batchv1.JobStatus) { s.Failed = 2 }, func(s *batchv1.JobStatus) { s.Failed = 1 }},
				{"succeeded", func(s *batchv1.JobStatus) { s.Succeeded = 2 },
					func(s *batchv1.JobStatus) { s.Succeeded = 1 }},
			}},
			jobSteps{indexed("a").Parallelism(2), []step{
				{"succeeded", func(s *batchv1.JobStatus) { s.Succeeded = 2 },
					func(s *batchv1.JobStatus) { s.Succeeded = 1 }},
			}},
		),
		Entry("a changed startTime", covers.Requirements(RunningStartTimeIsFixed), jobSteps{plain, []step{
			{"startTime", started(0), started(1)},
			{"startTime", started(0), func(s *batchv1.JobStatus) { s.StartTime = nil }},
		}}),
		Entry("completedIndexes that are malformed or out of range", covers.Requirements(CompletedIndexesAreValid),
			jobSteps{plain, []step{{"completedIndexes", nothing, func(s *batchv1.JobStatus) {
				s.CompletedIndexes = "0"
			}}}},
			jobSteps{indexed("a"), []step{
				{"completedIndexes", nothing, func(s *batchv1.JobStatus) { s.CompletedIndexes = "3" }},
				{"completedIndexes", nothing, func(s *batchv1.JobStatus) { s.CompletedIndexes = "1,0" }},
				{"completedIndexes", nothing, func(s *batchv1.JobStatus) { s.CompletedIndexes = "all" }},
			}},
		),
		Entry("failedIndexes that are malformed, out of range or completed", covers.Requirements(FailedIndexesAreValid),
			jobSteps{indexed("a"), []step{{"failedIndexes", nothing, func(s *batchv1.JobStatus) {
				s.FailedIndexes = ptr.To("0")
			}}}},
			jobSteps{perIndex("a"), []step{
				{"failedIndexes", nothing, func(s *batchv1.JobStatus) { s.FailedIndexes = ptr.To("3") }},
				{"failedIndexes", nothing, func(s *batchv1.JobStatus) { s.FailedIndexes = ptr.To("1,0") }},
				{"failedIndexes", func(s *batchv1.JobStatus) { s.CompletedIndexes = "0-1" },
					func(s *batchv1.JobStatus) { s.FailedIndexes = ptr.To("1-2") }},
			}},
		),
		Entry("more ready pods than active ones", covers.Requirements(ReadyWithinActive), jobSteps{plain, []step{
			{"ready", nothing, func(s *batchv1.JobStatus) { s.Ready = ptr.To[int32](1) }},
			{"ready", func(s *batchv1.JobStatus) { s.Active, s.Ready = 2, ptr.To[int32](2) },
				func(s *batchv1.JobStatus) { s.Active = 1 }},
		}}),
	)

	DescribeTable("the API server accepts", func(ctx SpecContext, job *puppet.JobBuilder, from, to part) {
		Expect(status(framework.New(ctx), "a", job, from, to)).To(Succeed())
	},
		Entry("fewer succeeded pods in an Indexed Job that may shrink", covers.Requirements(CountsNeverDecrease),
			indexed("a"),
			part(func(s *batchv1.JobStatus) { s.Succeeded = 2 }), part(func(s *batchv1.JobStatus) { s.Succeeded = 1 })),
		Entry("the removal of the startTime of a suspended Job", covers.Requirements(RunningStartTimeIsFixed),
			puppet.Job("a").Suspend(),
			started(0), part(func(s *batchv1.JobStatus) { s.StartTime = nil })),
		Entry("Complete for a Job without pods", covers.Requirements(AcceptsALifeCycle), puppet.Job("a").Completions(0),
			nothing, complete),
	)

	It("the API server accepts each step to Complete", covers.Requirements(AcceptsALifeCycle), func(ctx SpecContext) {
		job := framework.New(ctx).Create(perIndex("a").With(unmanaged))
		for _, step := range []part{
			started(0),
			func(s *batchv1.JobStatus) { s.Active, s.Ready = 3, ptr.To[int32](2) },
			changes(uncounted([]types.UID{"x"}, []types.UID{"y"}), func(s *batchv1.JobStatus) {
				s.Active, s.Ready = 1, ptr.To[int32](1)
			}),
			changes(uncounted(nil, nil), func(s *batchv1.JobStatus) {
				s.Succeeded, s.CompletedIndexes, s.Failed, s.Active = 1, "1", 1, 2
			}),
			changes(is(batchv1.JobSuccessCriteriaMet), func(s *batchv1.JobStatus) {
				s.Succeeded, s.CompletedIndexes = 3, "0-2"
				s.Active, s.Ready, s.Terminating = 0, ptr.To[int32](0), ptr.To[int32](1)
			}),
			changes(is(batchv1.JobComplete), completed(1), func(s *batchv1.JobStatus) {
				s.Terminating = ptr.To[int32](0)
			}),
		} {
			job.ChangeStatus(func(j *batchv1.Job) { step(&j.Status) })
		}
		Expect(job.Is(batchv1.JobComplete)).To(BeTrue())
	})

	It("the API server accepts each step to Failed", covers.Requirements(AcceptsALifeCycle), func(ctx SpecContext) {
		job := framework.New(ctx).Create(perIndex("a").With(unmanaged))
		for _, step := range []part{
			changes(started(0), func(s *batchv1.JobStatus) { s.Active = 3 }),
			func(s *batchv1.JobStatus) { s.Active, s.Failed, s.FailedIndexes = 2, 2, ptr.To("0") },
			changes(is(batchv1.JobFailureTarget), func(s *batchv1.JobStatus) {
				s.Active, s.Terminating = 0, ptr.To[int32](2)
			}),
			func(s *batchv1.JobStatus) { s.Terminating, s.Failed = ptr.To[int32](0), 4 },
			is(batchv1.JobFailed),
		} {
			job.ChangeStatus(func(j *batchv1.Job) { step(&j.Status) })
		}
		Expect(job.Is(batchv1.JobFailed)).To(BeTrue())
	})
})

func uncounted(succeeded, failed []types.UID) part {
	return func(s *batchv1.JobStatus) {
		s.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{Succeeded: succeeded, Failed: failed}
	}
}

var _ = Describe("Defaults:", behaviour.Defaults, func() {

	It("the API server sets parallelism and completions to 1", covers.Requirements(
		DefaultsToOnePod), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(s, puppet.Job("a").Obj())
		Expect(job.Spec.Completions).To(HaveValue(BeEquivalentTo(1)), "spec.completions")
		Expect(job.Spec.Parallelism).To(HaveValue(BeEquivalentTo(1)), "spec.parallelism")
	})

	It("the API server sets parallelism to 1 beside completions, but not completions beside parallelism",
		covers.Requirements(DefaultParallelism), func(ctx SpecContext) {
			s := framework.New(ctx)
			completions := accepted(s, puppet.Job("a").Completions(5).Obj())
			Expect(completions.Spec.Parallelism).To(HaveValue(BeEquivalentTo(1)), "spec.parallelism")
			Expect(completions.Spec.Completions).To(HaveValue(BeEquivalentTo(5)), "spec.completions")
			workQueue := accepted(s, puppet.Job("a").Parallelism(5).Obj())
			Expect(workQueue.Spec.Parallelism).To(HaveValue(BeEquivalentTo(5)), "spec.parallelism")
			Expect(workQueue.Spec.Completions).To(BeNil(), "spec.completions")
		})

	It("the API server sets backoffLimit to 6", covers.Requirements(DefaultBackoffLimit), func(ctx SpecContext) {
		s := framework.New(ctx)
		Expect(accepted(s, puppet.Job("a").Obj()).Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(6)))
		Expect(accepted(s, puppet.Job("a").BackoffLimit(0).Obj()).Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(0)))
	})

	It("the API server sets backoffLimit to the maximum with backoffLimitPerIndex", covers.Requirements(
		DefaultBackoffLimitWithIndexes), func(ctx SpecContext) {
		s := framework.New(ctx)
		Expect(accepted(s, perIndex("a").Obj()).Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(math.MaxInt32)))
		Expect(accepted(s, perIndex("a").BackoffLimit(2).Obj()).Spec.BackoffLimit).To(HaveValue(BeEquivalentTo(2)))
	})

	It("the API server sets completionMode to NonIndexed and suspend to false", covers.Requirements(
		DefaultModeAndSuspend), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(s, puppet.Job("a").Obj())
		Expect(job.Spec.CompletionMode).To(HaveValue(Equal(batchv1.NonIndexedCompletion)), "spec.completionMode")
		Expect(job.Spec.Suspend).To(HaveValue(BeFalse()), "spec.suspend")
	})

	It("the API server sets podReplacementPolicy to Failed with a podFailurePolicy only", covers.Requirements(
		DefaultPodReplacementPolicy), func(ctx SpecContext) {
		s := framework.New(ctx)
		plain := accepted(s, puppet.Job("a").Obj())
		Expect(plain.Spec.PodReplacementPolicy).To(HaveValue(Equal(batchv1.TerminatingOrFailed)),
			"spec.podReplacementPolicy")
		ruled := accepted(s, withRule(failOn(1)).Obj())
		Expect(ruled.Spec.PodReplacementPolicy).To(HaveValue(Equal(batchv1.Failed)), "spec.podReplacementPolicy")
	})

	It("the API server sets the status of an onPodConditions pattern to True", covers.Requirements(
		DefaultConditionStatus), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(s, withRule(onCondition(corev1.DisruptionTarget, "")).Obj())
		Expect(job.Spec.PodFailurePolicy.Rules[0].OnPodConditions[0].Status).To(Equal(corev1.ConditionTrue))
	})

	// Wrong: merges both, so that selectors find a Job by labels of its pods.
	It("the API server gives a Job without labels those of its pods", covers.Requirements(
		DefaultJobLabels), func(ctx SpecContext) {
		s := framework.New(ctx)
		labelled := func(b *puppet.JobBuilder) *batchv1.Job {
			return b.With(func(j *batchv1.Job) { j.Spec.Template.Labels = map[string]string{"of": "pods"} }).Obj()
		}
		Expect(accepted(s, labelled(puppet.Job("a"))).Labels).To(HaveKeyWithValue("of", "pods"))
		own := accepted(s, labelled(puppet.Job("a").Label("own", "yes")))
		Expect(own.Labels).To(Equal(map[string]string{"own": "yes"}))
	})

	// Wrong: leaves out the old names, by which users select pods.
	It("the API server generates a Job's selector and the labels of its pods", covers.Requirements(
		GeneratedSelector), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(s, puppet.Job("a").Obj())
		uid := string(job.UID)
		Expect(uid).NotTo(BeEmpty())
		Expect(job.Spec.Selector.MatchLabels).To(Equal(map[string]string{batchv1.ControllerUidLabel: uid}),
			"spec.selector.matchLabels")
		Expect(job.Spec.Template.Labels).To(Equal(map[string]string{
			batchv1.ControllerUidLabel: uid, "controller-uid": uid,
			batchv1.JobNameLabel: "a", "job-name": "a",
		}))
	})

	It("the API server ignores the status and generation of a new object", covers.Requirements(
		NewStatusIsDropped), func(ctx SpecContext) {
		s := framework.New(ctx)
		job := accepted(s, puppet.Job("a").With(func(j *batchv1.Job) {
			j.Generation = 5
			j.Status.Succeeded = 3
		}).Obj())
		Expect(job.Status).To(Equal(batchv1.JobStatus{}))
		Expect(job.Generation).To(BeEquivalentTo(1))

		cron := accepted(s, hourly().With(func(c *batchv1.CronJob) {
			c.Generation = 5
			c.Status.Active = []corev1.ObjectReference{{Name: "a"}}
		}).Obj())
		Expect(cron.Status).To(Equal(batchv1.CronJobStatus{}))
		Expect(cron.Generation).To(BeEquivalentTo(1))
	})

	// Clients that know the field go on in a cluster that does not use it.
	It("the API server drops spec.scheduling without its feature gate", covers.Requirements(
		SchedulingIsDropped), func(ctx SpecContext) {
		s := framework.New(ctx)
		if s.Client.List(ctx, &schedulingv1beta1.WorkloadList{}, client.InNamespace(s.Namespace)) == nil {
			Skip("not verified: the cluster serves Workloads, so that the feature gate WorkloadWithJob may be on")
		}
		scheduling := func(j *batchv1.Job) {
			j.Spec.Scheduling = &batchv1.JobSchedulingConfiguration{
				SchedulingPolicy: &schedulingv1alpha3.WorkloadPodGroupSchedulingPolicy{
					Basic: &schedulingv1alpha3.WorkloadPodGroupBasicSchedulingPolicy{}}}
		}
		beDropped := MatchError(ContainSubstring("spec.scheduling was dropped")) // the suites' client says so
		_, err := dryRun(s, puppet.Job("a").With(scheduling).Obj())
		Expect(err).To(beDropped, "a new Job")
		_, err = changed(s, s.Create(puppet.Job("b")).Made(), scheduling)
		Expect(err).To(beDropped, "a change")
	})

	It("the API server sets a CronJob to Allow and limits of 3 and 1", covers.Requirements(
		CronJobDefaults), func(ctx SpecContext) {
		s := framework.New(ctx)
		cron := accepted(s, hourly().Obj())
		Expect(cron.Spec.ConcurrencyPolicy).To(Equal(batchv1.AllowConcurrent), "spec.concurrencyPolicy")
		Expect(cron.Spec.Suspend).To(HaveValue(BeFalse()), "spec.suspend")
		Expect(cron.Spec.SuccessfulJobsHistoryLimit).To(HaveValue(BeEquivalentTo(3)), "spec.successfulJobsHistoryLimit")
		Expect(cron.Spec.FailedJobsHistoryLimit).To(HaveValue(BeEquivalentTo(1)), "spec.failedJobsHistoryLimit")

		own := accepted(s, hourly().Policy(batchv1.ForbidConcurrent).Suspend().
			SuccessfulJobsHistoryLimit(0).FailedJobsHistoryLimit(0).Obj())
		Expect(own.Spec.ConcurrencyPolicy).To(Equal(batchv1.ForbidConcurrent), "spec.concurrencyPolicy")
		Expect(own.Spec.Suspend).To(HaveValue(BeTrue()), "spec.suspend")
		Expect(own.Spec.SuccessfulJobsHistoryLimit).To(Equal(ptr.To[int32](0)), "spec.successfulJobsHistoryLimit")
		Expect(own.Spec.FailedJobsHistoryLimit).To(Equal(ptr.To[int32](0)), "spec.failedJobsHistoryLimit")
	})
})
