package cronjob

import (
	"fmt"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/fixtures/spec"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

var _ = Describe("CronJob template:", behaviour.Schedule, func() {

	// A template that was copied from a Job has this annotation. Wrong: keeps it.
	It("the controller replaces the scheduled time in the template's annotations", covers.Requirements(
		TemplateCannotSetScheduledTime, ScheduledTimeAnnotation), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).With(func(c *batchv1.CronJob) {
			metav1.SetMetaDataAnnotation(&c.Spec.JobTemplate.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation,
				"2001-01-01T00:00:00Z")
		}), tick)

		job := cronJob.Starts(tick)
		Expect(job.Made().Annotations).To(HaveKey(batchv1.CronJobScheduledTimestampAnnotation))
		Expect(cronJob.Now().Spec.JobTemplate.Annotations).To(HaveKeyWithValue(
			batchv1.CronJobScheduledTimestampAnnotation, "2001-01-01T00:00:00Z"))
	})

	// Wrong: copies only the fields of a Job's spec that it knows.
	It("the controller copies the whole spec of the template, including suspend", covers.Requirements(
		TemplateMaySuspend, JobFollowsTemplate), covers.Uses(contract.Suspend), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		template := puppet.Job("").Suspend().Indexed().Completions(3).ActiveDeadlineSeconds(1234).
			PodReplacementPolicy(batchv1.Failed).With(func(j *batchv1.Job) {
			j.Spec.TTLSecondsAfterFinished = ptr.To[int32](99)
		})
		cronJob := s.Due(puppet.CronJob("a", template), tick)

		got := cronJob.Starts(tick).Made().Spec
		Expect(got.Suspend).To(HaveValue(BeTrue()))
		in := "spec.jobTemplate.spec."
		s.ExpectField(in+"completionMode", got.CompletionMode, HaveValue(Equal(batchv1.IndexedCompletion)))
		s.ExpectField(in+"activeDeadlineSeconds", got.ActiveDeadlineSeconds, HaveValue(BeEquivalentTo(1234)))
		s.ExpectField(in+"podReplacementPolicy", got.PodReplacementPolicy, HaveValue(Equal(batchv1.Failed)))
		s.ExpectField(in+"ttlSecondsAfterFinished", got.TTLSecondsAfterFinished, HaveValue(BeEquivalentTo(99)))
		s.Stays("the Job is active and has no pods", func(g Gomega) {
			cronJob.Refers(g, tick)
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})

	// The same time becomes due twice. The Jobs have no pods: whether pods of the first one
	// get in the way of the second one is not asked here. Wrong: gives random names,
	// which do not keep two controllers from starting a Job each.
	It("the Job's name is a function of the CronJob and its scheduled time", covers.Requirements(
		JobNameIsStable), covers.MayShow(upstream.StartedAgain), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("").Parallelism(0)), tick)

		first := cronJob.Starts(tick)
		first.Delete()
		s.Soon("the Job is gone and not active", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			cronJob.Refers(g)
		})
		cronJob.SetLastScheduleTime(framework.LastBefore(tick))
		second := cronJob.Starts(tick)
		Expect(second.UID).NotTo(Equal(first.UID))
		Expect(second.Name).To(Equal(first.Name))
	})
})

var _ = Describe("CronJob ownership:", behaviour.Ownership, unmanagedJobs, func() {

	// The Job looks as if the CronJob had started it. The garbage collector deletes
	// it, because its owner does not exist; a finalizer keeps it. Wrong: goes by the
	// name in the owner reference, and waits for the Job.
	It("the controller identifies a Job's owner by UID, not by name", covers.Requirements(
		KnowsCronJobByUID), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, tick := framework.Ago(40*time.Minute), framework.Ago(30*time.Minute)
		deleted := s.HandleCronJob(&batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{
			Name: "a", UID: "5a1f4b0c-0000-4000-8000-000000000000",
		}})
		foreign := s.Create(owned(unmanaged(s.JobName("a", first)), deleted).With(func(j *batchv1.Job) {
			j.Finalizers = []string{finalizer}
			metav1.SetMetaDataAnnotation(&j.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation,
				first.Format(time.RFC3339))
		}))
		keptUntilTheEnd(s, foreign)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent), tick)
		due := s.Recorder.Position()

		cronJob.Starts(tick)
		s.StaysSince(due, "the other Job is not active", func(g Gomega) {
			g.Expect(cronJob.Now().Status.Active).NotTo(ContainElement(HaveField("UID", foreign.UID)), "status.active")
		})
		s.Stays("only the CronJob's own Job is active", func(g Gomega) {
			cronJob.Refers(g, tick)
			g.Expect(foreign.Now().Status).To(BeZero(), "status")
		})
	})

	// The other object is a Job, which the garbage collector finds. Wrong: takes all Jobs whose
	// owner has the CronJob's name, and waits for this one.
	It("the controller leaves a Job to another owner of the CronJob's name", covers.Requirements(
		KnowsCronJobByUID), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, tick := framework.Ago(40*time.Minute), framework.Ago(30*time.Minute)
		owner := s.Create(unmanaged("a"))
		foreign := s.Create(unmanaged(s.JobName("a", first)).With(func(j *batchv1.Job) {
			j.OwnerReferences = []metav1.OwnerReference{
				*metav1.NewControllerRef(owner.Made(), batchv1.SchemeGroupVersion.WithKind("Job")),
			}
			metav1.SetMetaDataAnnotation(&j.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation,
				first.Format(time.RFC3339))
		}))
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent), tick)
		due := s.Recorder.Position()

		cronJob.Starts(tick)
		s.StaysSince(due, "the other Job is not active", func(g Gomega) {
			g.Expect(cronJob.Now().Status.Active).NotTo(ContainElement(HaveField("UID", foreign.UID)), "status.active")
		})
		s.Stays("only the CronJob's own Job is active", func(g Gomega) {
			cronJob.Refers(g, tick)
		})
	})

	// The garbage collector needs the owner references that the controller sets.
	It("Jobs and pods are deleted after their CronJob", covers.Requirements(JobsGoWithCronJob), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), first)
		complete := cronJob.Starts(first)
		finish(s, complete, 0)
		s.Soon("no Job is active", func(g Gomega) { cronJob.Refers(g) })
		cronJob.NextDue(second)
		runningPod(s, cronJob.Starts(second))

		cronJob.Delete()
		s.Soon("there are no Jobs and no pods", func(g Gomega) {
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.Pods()).To(BeEmpty())
		})
	})

	// Wrong: finds Jobs by the CronJob's name, or by the beginning of theirs.
	It("the controller does not adopt orphaned Jobs of an earlier CronJob of the same name", covers.Requirements(
		OrphanedJobsRun, NotTheEarlierCronJobsJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
		forbid := func() *puppet.CronJobBuilder {
			return puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ForbidConcurrent).SuccessfulJobsHistoryLimit(0)
		}
		old := s.Due(forbid(), first)
		job := old.Starts(first)
		pod := runningPod(s, job)
		old.Orphan()
		s.Soon("the CronJob is gone, and its Job has no owner", func(g Gomega) {
			g.Expect(s.History().CronJobs("a")).To(ContainElement(HaveField("Type", BeEquivalentTo("DELETED"))))
			g.Expect(job.Now().OwnerReferences).To(BeEmpty())
		})

		again := s.Due(forbid(), second)
		due := s.Recorder.Position()
		again.Starts(second)
		again.RefersOnlyTo(second)
		finish(s, job, 0)
		s.Soon("the orphaned Job is Complete", func(g Gomega) {
			g.Expect(job.Is(batchv1.JobComplete)).To(BeTrue())
		})
		s.StaysSince(due, "the orphaned Job is not active", func(g Gomega) {
			g.Expect(again.Now().Status.Active).NotTo(ContainElement(HaveField("UID", job.UID)), "status.active")
		})
		s.Stays("the orphaned Job exists, and its success is not recorded", func(g Gomega) {
			g.Expect(job.Now()).To(And(
				HaveField("OwnerReferences", BeEmpty()),
				HaveField("DeletionTimestamp", BeNil())))
			g.Expect(again.Now().Status.LastSuccessfulTime).To(BeNil(), "status.lastSuccessfulTime")
			g.Expect(s.InPhase(corev1.PodSucceeded)).To(ConsistOf(HaveField("UID", pod.UID)))
		})
	})
})

// The Jobs here have no pods: the specs write their status. They are numbered as they ran, one an hour: "done-7"
// completed three hours ago, "failed-9" failed one hour ago.
var _ = Describe("CronJob history limits:", behaviour.HistoryLimits, unmanagedJobs, func() {
	// batch/v1 CronJobSpec.successfulJobsHistoryLimit: the number of successful finished jobs to
	// retain. Wrong: deletes the newest, keeps one more or less, or deletes all once there are too
	// many.
	It("the controller keeps the newest successful Jobs", covers.Requirements(
		KeepsNewestSuccessful), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := withFinished(s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(2),
			"done-5", "done-6", "done-7", "done-8", "done-9")
		keeps(s, cronJob, "done-8", "done-9")
	})

	// batch/v1 CronJobSpec.failedJobsHistoryLimit. Wrong: adds them up, mixes the limits up, or
	// takes every end for a success.
	It("the controller counts successful and failed Jobs separately", covers.Requirements(
		KeepsNewestSuccessful, KeepsNewestFailed), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := withFinished(s, puppet.CronJob("a", puppet.Job("")).
			SuccessfulJobsHistoryLimit(1).FailedJobsHistoryLimit(2),
			"failed-4", "done-5", "done-6", "failed-7", "failed-8", "done-9")
		keeps(s, cronJob, "done-9", "failed-7", "failed-8")
	})

	// batch/v1 CronJobSpec: they default to 3 and 1.
	It("the controller keeps three successful Jobs and one failed Job by default", covers.Requirements(
		HistoryLimitDefaults), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := withFinished(s, puppet.CronJob("a", puppet.Job("")),
			"failed-2", "failed-3", "done-4", "done-5", "done-6", "done-7", "failed-8")
		keeps(s, cronJob, "done-5", "done-6", "done-7", "failed-8")
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#jobs-history-limits:
	// setting a limit to 0 will not keep any. Wrong: takes 0 for no limit.
	It("the controller keeps no finished Job when the limits are 0", covers.Requirements(
		HistoryLimitZero), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := withFinished(s, puppet.CronJob("a", puppet.Job("")).
			SuccessfulJobsHistoryLimit(0).FailedJobsHistoryLimit(0), "done-8", "failed-9")
		cronJob.ActsOnJobs("there are no Jobs", func(g Gomega) { g.Expect(s.JobNames()).To(BeEmpty()) })
	})

	// Wrong: forgets what it deletes.
	It("the controller records the success of a Job that it deletes at once", covers.Requirements(
		LastSuccessfulTime), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := withFinished(s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0), "done-8")
		cronJob.ActsOnJobs("there are no Jobs, and the success is recorded", func(g Gomega) {
			g.Expect(s.JobNames()).To(BeEmpty())
			g.Expect(cronJob.Now().Status.LastSuccessfulTime).NotTo(BeNil(), "status.lastSuccessfulTime")
		})
	})

	// Of a full history, all Jobs that are too old are deleted at once. Another CronJob shows that
	// the controller has seen them before.
	It("the controller deletes old Jobs when the limits are lowered", covers.Requirements(
		LoweredHistoryLimit), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := withFinished(s, puppet.CronJob("a", puppet.Job("")).
			SuccessfulJobsHistoryLimit(10).FailedJobsHistoryLimit(10),
			"done-3", "done-4", "done-5", "failed-6", "failed-7", "done-8", "failed-9")
		tick := framework.Ago(30 * time.Minute)
		s.Due(puppet.CronJob("witness", puppet.Job("")), tick).Starts(tick)
		Expect(cronJob.Jobs()).To(HaveLen(7))

		cronJob.Change(func(c *batchv1.CronJob) {
			c.Spec.SuccessfulJobsHistoryLimit = ptr.To(int32(2))
			c.Spec.FailedJobsHistoryLimit = ptr.To(int32(1))
		})
		s.Soon("three Jobs are left", func(g Gomega) {
			g.Expect(cronJob.Jobs()).To(ConsistOf(
				HaveField("Name", "done-8"), HaveField("Name", "done-5"), HaveField("Name", "failed-9")))
		})
	})

	// Wrong: deletes the oldest Jobs whatever their state; or goes by the type of a condition alone.
	It("the controller keeps a running Job, however old", covers.Requirements(
		KeepsUnfinishedJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := idle(s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(1).FailedJobsHistoryLimit(0))
		running := s.Create(owned(unmanaged("running"), cronJob))
		running.ChangeStatus(func(j *batchv1.Job) {
			j.Status.StartTime = ptr.To(metav1.NewTime(framework.Ago(9 * time.Hour)))
			j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailed, Status: corev1.ConditionFalse}}
		})
		cronJob.ChangeStatus(func(c *batchv1.CronJob) {
			c.Status.Active = []corev1.ObjectReference{reference(running.Made())}
		})
		finished(s, cronJob, "done-7", "done-8", "failed-9")
		keeps(s, cronJob, "done-8", "running")
	})

	// Nothing else happens to the CronJob. Wrong: looks at it when its next Job is due, or at its next change.
	It("the controller deletes a Job as it ends, while no other one is due", covers.Requirements(
		ActsOnJobs), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0), tick)
		finish(s, cronJob.Starts(tick), 0)
		s.Soon("the Job is deleted", func(g Gomega) { g.Expect(cronJob.Jobs()).To(BeEmpty()) })
	})

	// Nothing but the new owner can wake the controller. Wrong: takes the owner that a Job had first.
	It("the controller deletes a finished Job that becomes its own, while no other one is due", covers.Requirements(
		ActsOnJobs), func(ctx SpecContext) {
		s, end := framework.New(ctx), framework.Ago(time.Hour)
		cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0).
			Schedule(puppet.Daily(framework.Ago(30 * time.Minute))))
		later := s.Create(unmanaged("later"))
		setFinished(s, later, batchv1.JobComplete, end)
		setFinished(s, s.Create(owned(unmanaged("first"), cronJob)), batchv1.JobComplete, end)
		s.Soon("the CronJob's Job is deleted", func(g Gomega) { g.Expect(s.JobNames()).To(Equal([]string{"later"})) })
		later.Change(func(j *batchv1.Job) {
			j.OwnerReferences = owned(unmanaged("later"), cronJob).Obj().OwnerReferences
		})
		s.Soon("the other Job is deleted as well", func(g Gomega) { g.Expect(s.JobNames()).To(BeEmpty()) })
	})

	// A suspended CronJob starts no Jobs; nothing else changes.
	It("the controller deletes old Jobs of a suspended CronJob", covers.Requirements(
		HistoryWhileSuspended), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := withFinished(s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(1).Suspend(),
			"done-7", "done-8", "done-9")
		cronJob.ActsOnJobs("one Job is left", func(g Gomega) { g.Expect(s.JobNames()).To(Equal([]string{"done-9"})) })
	})

	// Wrong: finds its Jobs by labels or by namespace.
	It("the controller does not delete Jobs of other owners", covers.Requirements(
		HistoryLeavesOthers), func(ctx SpecContext) {
		s := framework.New(ctx)
		same := func() *puppet.JobBuilder { return puppet.Job("").Label("app", "same") }
		cronJob := idle(s, puppet.CronJob("a", same()).SuccessfulJobsHistoryLimit(0).FailedJobsHistoryLimit(0))
		other := idle(s, puppet.CronJob("b", same()).SuccessfulJobsHistoryLimit(10).FailedJobsHistoryLimit(10))
		ownerless := s.Create(unmanaged("ownerless").Label("app", "same"))
		setFinished(s, ownerless, batchv1.JobComplete, framework.Ago(9*time.Hour))
		finished(s, other, "done-2", "failed-3")
		finished(s, cronJob, "done-4", "failed-5")
		keeps(s, cronJob, "done-2", "failed-3", "ownerless")
	})

	// #119776. Wrong: gives up when it cannot start a Job.
	It("the controller deletes old Jobs while it cannot start a Job", covers.Requirements(
		HistoryWhileStartsFail), framework.Needs(spec.ResourceQuotas), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := idle(s, puppet.CronJob("a", puppet.Job("")).
			Schedule(puppet.Daily(tick)).SuccessfulJobsHistoryLimit(10))
		finished(s, cronJob, "done-7", "done-8", "done-9")
		s.Refuse(puppet.Job("refused").Obj(), "count/jobs.batch")
		cronJob.SetLastScheduleTime(framework.LastBefore(tick))
		cronJob.Change(func(c *batchv1.CronJob) { c.Spec.SuccessfulJobsHistoryLimit = ptr.To(int32(1)) })

		// An API server that does not know the quota yet may accept a Job.
		s.Soon("one of the old Jobs is left", func(g Gomega) {
			g.Expect(s.JobNames()).To(ContainElement("done-9"))
			g.Expect(s.JobNames()).NotTo(ContainElement(BeElementOf("done-8", "done-7")))
		})
	})

	// All of it with real Jobs. Wrong: leaves the pods behind.
	It("the controller deletes Jobs that it has started, with their pods", covers.Requirements(
		HistoryDeletesPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := framework.Ago(30*time.Minute), framework.Ago(20*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("").ExitCodes("0")).SuccessfulJobsHistoryLimit(1), first)
		s.Soon("the first Job has succeeded", func(g Gomega) {
			g.Expect(cronJob.Jobs()).To(HaveExactElements(HaveField("Status.Succeeded", BeEquivalentTo(1))))
			cronJob.ScheduledLast(g, first)
			cronJob.Refers(g)
		})
		old := cronJob.Jobs()[0]

		cronJob.NextDue(second)
		cronJob.ActsOnJobs("only the second Job and its pod are left", func(g Gomega) {
			g.Expect(cronJob.Existing()).To(Equal(framework.Times(second)))
			g.Expect(s.Pods()).To(HaveExactElements(
				Not(HaveField("OwnerReferences", ContainElement(HaveField("Name", old.Name))))))
		})
		cronJob.RefersOnlyTo()
	})
})

// idle creates a CronJob that starts no Job for six hours, unless it has a schedule of its own.
// None is missed either since the finished Jobs of the specs, by which some controllers go.
func idle(s *framework.Sandbox, cronJob *puppet.CronJobBuilder) *framework.CronJob {
	GinkgoHelper()
	if cronJob.Obj().Spec.Schedule == "" {
		cronJob.Schedule(puppet.Daily(framework.Ago(-6 * time.Hour)))
	}
	return s.CreateCronJob(cronJob)
}

// finished creates finished Jobs of a CronJob: "done-8" completed two hours ago. They are created in the given order,
// which is the order in which they ran, and that of their names: Jobs of a kind of its own need not have a start time,
// and those of one second differ by their names alone.
func finished(s *framework.Sandbox, cronJob *framework.CronJob, names ...string) {
	GinkgoHelper()
	for _, name := range names {
		as, hour := batchv1.JobComplete, 0
		if _, err := fmt.Sscanf(name, "done-%d", &hour); err != nil {
			as = batchv1.JobFailed
			_, err = fmt.Sscanf(name, "failed-%d", &hour)
			Expect(err).NotTo(HaveOccurred())
		}
		start := framework.Ago(time.Duration(10-hour) * time.Hour)
		job := s.Create(owned(unmanaged(name), cronJob).With(func(j *batchv1.Job) {
			metav1.SetMetaDataAnnotation(&j.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation,
				start.Format(time.RFC3339))
		}))
		setFinished(s, job, as, start)
	}
}

// withFinished creates an idle CronJob and its finished Jobs.
func withFinished(s *framework.Sandbox, cronJob *puppet.CronJobBuilder, names ...string) *framework.CronJob {
	GinkgoHelper()
	created := idle(s, cronJob)
	finished(s, created, names...)
	return created
}

// keeps waits until the CronJob's old Jobs are deleted and exactly these are left in the namespace. It
// expects that they stay.
func keeps(s *framework.Sandbox, cronJob *framework.CronJob, jobs ...string) {
	GinkgoHelper()
	left := func(g Gomega) { g.Expect(s.JobNames()).To(Equal(jobs)) }
	cronJob.ActsOnJobs("the other Jobs are deleted", left)
	s.Stays("no other Job is deleted", left)
}
