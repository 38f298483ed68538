package cronjob

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var _ = Describe("CronJob template:", behaviour.Schedule, func() {

	// A template that was copied from a Job has this annotation. Wrong: keeps it.
	It("the controller replaces the scheduled time in the template's annotations", Covers(TemplateCannotSetScheduledTime, ScheduledTimeAnnotation), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")).With(func(c *batchv1.CronJob) {
			metav1.SetMetaDataAnnotation(&c.Spec.JobTemplate.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation, "2001-01-01T00:00:00Z")
		}), tick)

		job := Starts(s, cronJob, tick)
		Expect(job.Annotations).To(HaveKeyWithValue(batchv1.CronJobScheduledTimestampAnnotation, tick.Format(time.RFC3339)))
		Expect(s.CronJob("a").Spec.JobTemplate.Annotations).To(HaveKeyWithValue(
			batchv1.CronJobScheduledTimestampAnnotation, "2001-01-01T00:00:00Z"))
	})

	// Wrong: copies only the fields of a Job's spec that it knows.
	It("the controller copies the whole spec of the template, including suspend", Covers(TemplateMaySuspend, JobFollowsTemplate), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		template := puppet.Job("").Suspend().Indexed().Completions(3).ActiveDeadlineSeconds(1234).
			PodReplacementPolicy(batchv1.Failed).With(func(j *batchv1.Job) { j.Spec.TTLSecondsAfterFinished = ptr.To[int32](99) })
		cronJob := Due(ctx, s, puppet.CronJob("a", template), tick)

		Expect(Starts(s, cronJob, tick).Spec).To(And(
			HaveField("Suspend", HaveValue(BeTrue())),
			HaveField("CompletionMode", HaveValue(Equal(batchv1.IndexedCompletion))),
			HaveField("ActiveDeadlineSeconds", HaveValue(BeEquivalentTo(1234))),
			HaveField("PodReplacementPolicy", HaveValue(Equal(batchv1.Failed))),
			HaveField("TTLSecondsAfterFinished", HaveValue(BeEquivalentTo(99)))))
		s.Stays("the Job is active and has no pods", func(g Gomega) {
			g.Expect(Active(s, cronJob)).To(Equal(Times(tick)))
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})

	// The same time becomes due twice. The Jobs are suspended: whether pods of the first one
	// get in the way of the second one is not asked here. Wrong: a random name, which does
	// not keep two controllers from starting a Job each.
	It("the Job's name is a function of the CronJob and its scheduled time", Covers(JobNameIsStable), func(ctx SpecContext) {
		s, cronJob, tick := WithDue(ctx, puppet.CronJob("a", puppet.Job("").Suspend()))

		first := Starts(s, cronJob, tick)
		s.Delete(&first)
		s.Soon("the Job is gone and not active", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(Active(s, cronJob)).To(BeEmpty())
		})
		SetLastScheduleTime(ctx, s, s.CronJob("a"), LastBefore(tick))
		second := Starts(s, cronJob, tick)
		Expect(second.UID).NotTo(Equal(first.UID))
		Expect(second.Name).To(Equal(first.Name))
	})
})

var _ = Describe("CronJob ownership:", behaviour.Ownership, func() {

	// The Job looks as if the CronJob had started it. The garbage collector deletes
	// it, because its owner does not exist; a finalizer keeps it. Wrong: goes by the
	// name in the owner reference, and waits for the Job.
	It("the controller identifies a Job's owner by UID, not by name", Covers(KnowsCronJobByUID), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, tick := Ago(40*time.Minute), Ago(30*time.Minute)
		deleted := &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "a", UID: "5a1f4b0c-0000-4000-8000-000000000000"}}
		foreign := framework.Create(s, owned(unmanaged(s.JobName("a", first)), deleted).With(func(j *batchv1.Job) {
			j.Finalizers = []string{finalizer}
			metav1.SetMetaDataAnnotation(&j.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation, first.Format(time.RFC3339))
		}).Obj())
		DeferCleanup(func(ctx context.Context) {
			patch := []byte(`{"metadata":{"finalizers":null}}`)
			err := s.Client.Patch(ctx, foreign.DeepCopy(), client.RawPatch(types.MergePatchType, patch))
			Expect(client.IgnoreNotFound(err)).To(Succeed())
		})
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent), tick)
		due := s.Recorder.Position()

		Starts(s, cronJob, tick)
		s.StaysSince(due, "the other Job is not active", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.Active).NotTo(ContainElement(HaveField("UID", foreign.UID)))
		})
		s.Stays("only the CronJob's own Job is active", func(g Gomega) {
			g.Expect(Active(s, cronJob)).To(Equal(Times(tick)))
			g.Expect(s.CronJob("a").Status.Active).To(HaveLen(1))
			g.Expect(s.Job(foreign.Name).Status).To(BeZero())
		})
	})

	// The other object is a Job, which the garbage collector finds. Wrong: takes all Jobs whose
	// owner has the CronJob's name, and waits for this one.
	It("the controller leaves a Job to another owner of the CronJob's name", Covers(KnowsCronJobByUID), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, tick := Ago(40*time.Minute), Ago(30*time.Minute)
		owner := framework.Create(s, unmanaged("a").Obj())
		foreign := framework.Create(s, unmanaged(s.JobName("a", first)).With(func(j *batchv1.Job) {
			j.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(owner, batchv1.SchemeGroupVersion.WithKind("Job"))}
			metav1.SetMetaDataAnnotation(&j.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation, first.Format(time.RFC3339))
		}).Obj())
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent), tick)
		due := s.Recorder.Position()

		Starts(s, cronJob, tick)
		s.StaysSince(due, "the other Job is not active", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.Active).NotTo(ContainElement(HaveField("UID", foreign.UID)))
		})
		s.Stays("only the CronJob's own Job is active", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.Active).To(HaveLen(1))
		})
	})

	// The garbage collector needs the owner references that the controller sets.
	It("Jobs and pods are deleted after their CronJob", Covers(JobsGoWithCronJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := Ago(30*time.Minute), Ago(20*time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), first)
		complete := Starts(s, cronJob, first)
		finish(ctx, s, complete, 0)
		s.Soon("no Job is active", func(g Gomega) { g.Expect(Active(s, cronJob)).To(BeEmpty()) })
		NextDue(ctx, s, cronJob, second)
		runningPod(s, Starts(s, cronJob, second))

		s.Delete(cronJob)
		s.Soon("there are no Jobs and no pods", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})

	// Wrong: finds Jobs by the CronJob's name, or by the beginning of theirs.
	It("the controller does not adopt orphaned Jobs of an earlier CronJob of the same name", Covers(OrphanedJobsRun, NotTheEarlierCronJobsJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := Ago(30*time.Minute), Ago(20*time.Minute)
		forbid := func() *puppet.CronJobBuilder {
			return puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent).SuccessfulJobsHistoryLimit(0)
		}
		old := Due(ctx, s, forbid(), first)
		job := Starts(s, old, first)
		pod := runningPod(s, job)
		Orphan(ctx, s, old)
		s.Soon("the CronJob is gone, and its Job has no owner", func(g Gomega) {
			g.Expect(s.History().CronJobs("a")).To(ContainElement(HaveField("Type", BeEquivalentTo("DELETED"))))
			g.Expect(s.Job(job.Name).OwnerReferences).To(BeEmpty())
		})

		again := Due(ctx, s, forbid(), second)
		due := s.Recorder.Position()
		Starts(s, again, second)
		Expect(Active(s, again)).To(Equal(Times(second)))
		finish(ctx, s, job, 0)
		s.Soon("the orphaned Job is Complete", func(g Gomega) {
			g.Expect(framework.Is(s.Job(job.Name), batchv1.JobComplete)).To(BeTrue())
		})
		s.StaysSince(due, "the orphaned Job is not active", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.Active).NotTo(ContainElement(HaveField("UID", job.UID)))
		})
		s.Stays("the orphaned Job exists, and its success is not recorded", func(g Gomega) {
			g.Expect(s.Job(job.Name)).To(And(HaveField("OwnerReferences", BeEmpty()), HaveField("DeletionTimestamp", BeNil())))
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(BeNil())
			g.Expect(s.InPhase(corev1.PodSucceeded)).To(ConsistOf(HaveField("UID", pod.UID)))
		})
	})
})

// The Jobs here have no pods: the specs write their status. "done-3" completed
// three hours ago, "failed-1" failed one hour ago.
var _ = Describe("CronJob history limits:", behaviour.HistoryLimits, func() {
	// batch/v1 CronJobSpec.successfulJobsHistoryLimit: the number of successful
	// finished jobs to retain. Wrong: a controller that deletes the newest, keeps
	// one more or less, or deletes all once there are too many.
	It("the controller keeps the newest successful Jobs", Covers(KeepsNewestSuccessful), func(ctx SpecContext) {
		s, _ := withFinished(ctx, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(2),
			"done-5", "done-4", "done-3", "done-2", "done-1")
		keeps(s, "done-1", "done-2")
	})

	// batch/v1 CronJobSpec.failedJobsHistoryLimit. Wrong: a controller that adds
	// them up, mixes the limits up, or takes every end for a success.
	It("the controller counts successful and failed Jobs separately", Covers(KeepsNewestSuccessful, KeepsNewestFailed), func(ctx SpecContext) {
		s, _ := withFinished(ctx, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(1).FailedJobsHistoryLimit(2),
			"failed-6", "done-5", "done-4", "failed-3", "failed-2", "done-1")
		keeps(s, "done-1", "failed-2", "failed-3")
	})

	// batch/v1 CronJobSpec: they default to 3 and 1.
	It("the controller keeps three successful Jobs and one failed Job by default", Covers(HistoryLimitDefaults), func(ctx SpecContext) {
		s, _ := withFinished(ctx, puppet.CronJob("a", puppet.Job("")),
			"failed-8", "failed-7", "done-6", "done-5", "done-4", "done-3", "failed-2")
		keeps(s, "done-3", "done-4", "done-5", "failed-2")
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#jobs-history-limits:
	// setting a limit to 0 will not keep any. Wrong: a controller for which 0 is
	// no limit.
	It("the controller keeps no finished Job when the limits are 0", Covers(HistoryLimitZero), func(ctx SpecContext) {
		s, _ := withFinished(ctx, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0).FailedJobsHistoryLimit(0),
			"done-2", "failed-1")
		s.Soon("there are no Jobs", func(g Gomega) { g.Expect(names(s)).To(BeEmpty()) })
	})

	// Wrong: a controller that forgets what it deletes.
	It("the controller records the success of a Job that it deletes at once", Covers(LastSuccessfulTime), func(ctx SpecContext) {
		s, _ := withFinished(ctx, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0), "done-2")
		s.Soon("there are no Jobs, and the success is recorded", func(g Gomega) {
			g.Expect(names(s)).To(BeEmpty())
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
		})
	})

	// Of a full history, all Jobs that are too old are deleted at once. Another CronJob shows that
	// the controller has seen them before.
	It("the controller deletes old Jobs when the limits are lowered", Covers(LoweredHistoryLimit), func(ctx SpecContext) {
		s, cronJob := withFinished(ctx, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(10).FailedJobsHistoryLimit(10),
			"done-7", "done-6", "done-5", "failed-4", "failed-3", "done-2", "failed-1")
		tick := Ago(30 * time.Minute)
		Starts(s, Due(ctx, s, puppet.CronJob("witness", puppet.Job("")), tick), tick)
		Expect(JobsOf(s, cronJob)).To(HaveLen(7))

		ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) {
			c.Spec.SuccessfulJobsHistoryLimit = ptr.To(int32(2))
			c.Spec.FailedJobsHistoryLimit = ptr.To(int32(1))
		})
		s.Soon("three Jobs are left", func(g Gomega) {
			g.Expect(JobsOf(s, cronJob)).To(ConsistOf(HaveField("Name", "done-2"), HaveField("Name", "done-5"), HaveField("Name", "failed-1")))
		})
	})

	// Wrong: a controller that deletes the oldest Jobs whatever their state.
	It("the controller keeps a running Job, however old", Covers(KeepsUnfinishedJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := idle(ctx, s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(1).FailedJobsHistoryLimit(0))
		running := framework.Create(s, owned(unmanaged("running"), cronJob).Obj())
		framework.ChangeStatus(s, running, func(j *batchv1.Job) { j.Status.StartTime = ptr.To(metav1.NewTime(Ago(9 * time.Hour))) })
		framework.ChangeStatus(s, cronJob, func(c *batchv1.CronJob) { c.Status.Active = []corev1.ObjectReference{reference(running)} })
		finished(ctx, s, cronJob, "done-3", "done-2", "failed-1")
		keeps(s, "done-2", "running")
		Expect(s.CronJob("a").Status.Active).To(ConsistOf(HaveField("UID", running.UID)))
	})

	// A suspended CronJob starts no Jobs; nothing else changes.
	It("the controller deletes old Jobs of a suspended CronJob", Covers(HistoryWhileSuspended), func(ctx SpecContext) {
		s, _ := withFinished(ctx, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(1).Suspend(),
			"done-3", "done-2", "done-1")
		s.Soon("one Job is left", func(g Gomega) { g.Expect(names(s)).To(Equal([]string{"done-1"})) })
	})

	// Wrong: a controller that finds its Jobs by labels or by namespace.
	It("the controller does not delete Jobs of other owners", Covers(HistoryLeavesOthers), func(ctx SpecContext) {
		s := framework.New(ctx)
		same := func() *puppet.JobBuilder { return puppet.Job("").Label("app", "same") }
		cronJob := idle(ctx, s, puppet.CronJob("a", same()).SuccessfulJobsHistoryLimit(0).FailedJobsHistoryLimit(0))
		other := idle(ctx, s, puppet.CronJob("b", same()).SuccessfulJobsHistoryLimit(10).FailedJobsHistoryLimit(10))
		ownerless := framework.Create(s, unmanaged("ownerless").Label("app", "same").Obj())
		setFinished(ctx, s, ownerless, batchv1.JobComplete, Ago(9*time.Hour))
		finished(ctx, s, other, "done-8", "failed-7")
		finished(ctx, s, cronJob, "done-6", "failed-5")
		keeps(s, "done-8", "failed-7", "ownerless")
	})

	// #119776. Wrong: a controller that gives up when it cannot start a Job.
	It("the controller deletes old Jobs while it cannot start a Job", Covers(HistoryWhileStartsFail), framework.Needs(spec.ResourceQuotas), func(ctx SpecContext) {
		s, tick := framework.New(ctx), Ago(30*time.Minute)
		cronJob := idle(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)).SuccessfulJobsHistoryLimit(10))
		finished(ctx, s, cronJob, "done-3", "done-2", "done-1")
		s.Refuse(puppet.Job("refused").Obj(), "count/jobs.batch")
		SetLastScheduleTime(ctx, s, cronJob, LastBefore(tick))
		ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.SuccessfulJobsHistoryLimit = ptr.To(int32(1)) })

		// An API server that does not know the quota yet may accept a Job.
		s.Soon("one of the old Jobs is left", func(g Gomega) {
			g.Expect(names(s)).To(ContainElement("done-1"))
			g.Expect(names(s)).NotTo(ContainElement(Or(Equal("done-2"), Equal("done-3"))))
		})
	})

	// All of it with real Jobs. Wrong: a controller whose deletions leave the pods
	// behind.
	It("the controller deletes Jobs that it has started, with their pods", Covers(HistoryDeletesPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := Ago(30*time.Minute), Ago(20*time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("").ExitCodes("0")).SuccessfulJobsHistoryLimit(1), first)
		s.Soon("the first Job has succeeded", func(g Gomega) {
			g.Expect(JobsOf(s, cronJob)).To(HaveExactElements(HaveField("Status.Succeeded", BeEquivalentTo(1))))
			g.Expect(s.CronJob("a").Status.LastScheduleTime).To(BeAt(first))
			g.Expect(s.CronJob("a").Status.Active).To(BeEmpty())
		})
		old := JobsOf(s, cronJob)[0]

		NextDue(ctx, s, cronJob, second)
		s.Soon("only the second Job and its pod are left", func(g Gomega) {
			g.Expect(Existing(s, cronJob)).To(Equal(Times(second)))
			g.Expect(s.Pods()).To(HaveExactElements(Not(HaveField("Labels", HaveKeyWithValue(batchv1.JobNameLabel, old.Name)))))
			g.Expect(s.CronJob("a").Status.Active).To(BeEmpty())
		})
	})
})

// idle creates a CronJob that starts no Job for six hours, unless it has a schedule of its own.
// None is missed either since the finished Jobs of the specs, by which some controllers go.
func idle(ctx context.Context, s *framework.Sandbox, cronJob *puppet.CronJobBuilder) *batchv1.CronJob {
	GinkgoHelper()
	if cronJob.Obj().Spec.Schedule == "" {
		cronJob.Schedule(puppet.Daily(Ago(-6 * time.Hour)))
	}
	return framework.Create(s, cronJob.Obj())
}

// finished creates finished Jobs of a CronJob: "done-2" completed two hours ago.
// They are created in the given order, which is the order in which they ran.
func finished(ctx context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob, names ...string) {
	GinkgoHelper()
	for _, name := range names {
		as, hours := batchv1.JobComplete, 0
		if _, err := fmt.Sscanf(name, "done-%d", &hours); err != nil {
			as = batchv1.JobFailed
			_, err = fmt.Sscanf(name, "failed-%d", &hours)
			Expect(err).NotTo(HaveOccurred())
		}
		start := Ago(time.Duration(hours) * time.Hour)
		job := framework.Create(s, owned(unmanaged(name), cronJob).With(func(j *batchv1.Job) {
			metav1.SetMetaDataAnnotation(&j.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation, start.Format(time.RFC3339))
		}).Obj())
		setFinished(ctx, s, job, as, start)
	}
}

// withFinished returns a new sandbox with an idle CronJob and its finished Jobs.
func withFinished(ctx context.Context, cronJob *puppet.CronJobBuilder, names ...string) (*framework.Sandbox, *batchv1.CronJob) {
	GinkgoHelper()
	s := framework.New(ctx)
	created := idle(ctx, s, cronJob)
	finished(ctx, s, created, names...)
	return s, created
}

// keeps waits until exactly these Jobs are left, and expects that they stay.
func keeps(s *framework.Sandbox, jobs ...string) {
	GinkgoHelper()
	left := func(g Gomega) { g.Expect(names(s)).To(Equal(jobs)) }
	s.Soon("the other Jobs are deleted", left)
	s.Stays("no other Job is deleted", left)
}

// names returns the names of all Jobs that exist.
func names(s *framework.Sandbox) []string {
	list := []string{}
	for _, job := range s.Jobs() {
		list = append(list, job.Name)
	}
	slices.Sort(list)
	return list
}
