package cronjob

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// The Jobs here have no pods: the specs say themselves how they ended. "done-3"
// ran three hours ago, "failed-1" one hour ago.
var _ = Describe("history limits", Label("area:cronjob", "behaviour:historyLimits"), func() {
	// batch/v1 CronJobSpec.successfulJobsHistoryLimit: the number of successful
	// finished jobs to retain. Wrong: a controller that deletes the newest, keeps
	// one more or less, or deletes all once there are too many.
	It("keep the newest successful Jobs", Covers(KeepsNewestSuccessful), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := idle(ctx, s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(2))
		past(ctx, s, cronJob, "done-5", "done-4", "done-3", "done-2", "done-1")
		s.Soon("two are left", func(g Gomega) { g.Expect(names(s)).To(Equal([]string{"done-1", "done-2"})) })
		s.Stays("they are kept", func(g Gomega) { g.Expect(names(s)).To(Equal([]string{"done-1", "done-2"})) })
	})

	// batch/v1 CronJobSpec.failedJobsHistoryLimit. Wrong: a controller that adds
	// them up, mixes the limits up, or takes every end for a success.
	It("count successful and failed Jobs apart", Covers(KeepsNewestSuccessful, KeepsNewestFailed), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := idle(ctx, s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(1).FailedJobsHistoryLimit(2))
		past(ctx, s, cronJob, "failed-6", "done-5", "done-4", "failed-3", "failed-2", "done-1")
		s.Soon("one success and two failures are left", func(g Gomega) {
			g.Expect(names(s)).To(Equal([]string{"done-1", "failed-2", "failed-3"}))
		})
		s.Stays("they are kept", func(g Gomega) {
			g.Expect(names(s)).To(Equal([]string{"done-1", "failed-2", "failed-3"}))
		})
	})

	// batch/v1 CronJobSpec: they default to 3 and 1.
	It("are three successful and one failed Job by default", Covers(HistoryLimitDefaults), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := idle(ctx, s, puppet.CronJob("a", puppet.Job("")))
		past(ctx, s, cronJob, "failed-8", "failed-7", "done-6", "done-5", "done-4", "done-3", "failed-2")
		s.Soon("four are left", func(g Gomega) {
			g.Expect(names(s)).To(Equal([]string{"done-3", "done-4", "done-5", "failed-2"}))
		})
		s.Stays("they are kept", func(g Gomega) {
			g.Expect(names(s)).To(Equal([]string{"done-3", "done-4", "done-5", "failed-2"}))
		})
	})

	// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#jobs-history-limits:
	// setting a limit to 0 will not keep any. Wrong: a controller for which 0 is
	// no limit.
	It("of zero keep nothing", Covers(HistoryLimitZero), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := idle(ctx, s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(0).FailedJobsHistoryLimit(0))
		past(ctx, s, cronJob, "done-2", "failed-1")
		s.Soon("nothing is left", func(g Gomega) { g.Expect(names(s)).To(BeEmpty()) })
		// What is deleted is not forgotten.
		s.Soon("the success is noticed", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
		})
	})

	// Of a full history, all that is too old goes at once.
	It("take effect when they are lowered", Covers(LoweredHistoryLimit), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := idle(ctx, s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(10).FailedJobsHistoryLimit(10))
		past(ctx, s, cronJob, "done-7", "done-6", "done-5", "failed-4", "failed-3", "done-2", "failed-1")
		s.Soon("the latest success is noticed", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(HaveValue(HaveField("Time", BeTemporally(">", ago(130*time.Minute)))))
		})
		Expect(names(s)).To(HaveLen(7))

		change(ctx, s, cronJob, func(c *batchv1.CronJob) {
			c.Spec.SuccessfulJobsHistoryLimit = ptr.To(int32(2))
			c.Spec.FailedJobsHistoryLimit = ptr.To(int32(1))
		})
		s.Soon("three are left", func(g Gomega) { g.Expect(names(s)).To(Equal([]string{"done-2", "done-5", "failed-1"})) })
	})

	// Wrong: a controller that deletes the oldest Jobs whatever their state.
	It("never touch a Job that runs, however old", Covers(KeepsUnfinishedJobs), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := idle(ctx, s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(1).FailedJobsHistoryLimit(0))
		running := framework.Create(ctx, s, owned(untouched("running"), cronJob).Obj())
		framework.ChangeStatus(ctx, s, running, func(j *batchv1.Job) { j.Status.StartTime = ptr.To(metav1.NewTime(ago(9 * time.Hour))) })
		framework.ChangeStatus(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Status.Active = []corev1.ObjectReference{reference(running)} })
		past(ctx, s, cronJob, "done-3", "done-2", "failed-1")
		s.Soon("the history is cleaned up", func(g Gomega) { g.Expect(names(s)).To(Equal([]string{"done-2", "running"})) })
		s.Stays("the Job is kept", func(g Gomega) { g.Expect(names(s)).To(Equal([]string{"done-2", "running"})) })
		Expect(s.CronJob("a").Status.Active).To(ConsistOf(HaveField("UID", running.UID)))
	})

	// Suspension is about starts only.
	It("hold for a suspended CronJob too", Covers(HistoryWhileSuspended), func(ctx SpecContext) {
		s := framework.New(ctx)
		cronJob := idle(ctx, s, puppet.CronJob("a", puppet.Job("")).SuccessfulJobsHistoryLimit(1).Suspend())
		past(ctx, s, cronJob, "done-3", "done-2", "done-1")
		s.Soon("one is left", func(g Gomega) { g.Expect(names(s)).To(Equal([]string{"done-1"})) })
	})

	// Wrong: a controller that finds its Jobs by labels or by namespace.
	It("do not touch Jobs of others", Covers(HistoryLeavesOthers), func(ctx SpecContext) {
		s := framework.New(ctx)
		same := func() *puppet.JobBuilder { return puppet.Job("").Label("app", "same") }
		cronJob := idle(ctx, s, puppet.CronJob("a", same()).SuccessfulJobsHistoryLimit(0).FailedJobsHistoryLimit(0))
		other := idle(ctx, s, puppet.CronJob("b", same()).SuccessfulJobsHistoryLimit(10).FailedJobsHistoryLimit(10))
		nobodys := framework.Create(ctx, s, untouched("nobodys").Label("app", "same").Obj())
		ended(ctx, s, nobodys, batchv1.JobComplete, ago(9*time.Hour))
		past(ctx, s, other, "done-8", "failed-7")
		past(ctx, s, cronJob, "done-6", "failed-5")
		s.Soon("those of the CronJob are gone", func(g Gomega) {
			g.Expect(names(s)).To(Equal([]string{"done-8", "failed-7", "nobodys"}))
		})
		s.Stays("the others are kept", func(g Gomega) {
			g.Expect(names(s)).To(Equal([]string{"done-8", "failed-7", "nobodys"}))
		})
	})

	// #119776. Wrong: a controller that gives up at the failed start.
	It("hold while no Job can be started", Covers(HistoryWhileStartsFail), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := ago(30 * time.Minute)
		cronJob := idle(ctx, s, puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Daily(tick)).SuccessfulJobsHistoryLimit(10))
		past(ctx, s, cronJob, "done-3", "done-2", "done-1")
		framework.Create(ctx, s, &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Name: "no-more-jobs"},
			Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/jobs.batch": resource.MustParse("0")}},
		})
		s.Soon("the latest success is noticed", func(g Gomega) {
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).To(HaveValue(HaveField("Time", BeTemporally(">", ago(70*time.Minute)))))
		})
		lastStart(ctx, s, cronJob, tick.Add(-5*time.Minute))
		change(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.SuccessfulJobsHistoryLimit = ptr.To(int32(1)) })

		// An API server that has not heard of the quota yet may let a Job start.
		s.Soon("one of the old Jobs is left", func(g Gomega) {
			g.Expect(names(s)).To(ContainElement("done-1"))
			g.Expect(names(s)).NotTo(ContainElement(Or(Equal("done-2"), Equal("done-3"))))
		})
	})

	// The whole way with real Jobs. Wrong: a controller whose deletions leave the
	// pods behind.
	It("clean up after Jobs that the CronJob started, pods included", Covers(HistoryDeletesPods), func(ctx SpecContext) {
		s := framework.New(ctx)
		first, second := ago(30*time.Minute), ago(20*time.Minute)
		cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("").ExitCodes("0")).SuccessfulJobsHistoryLimit(1), first)
		s.Soon("the first Job has ended", func(g Gomega) {
			g.Expect(jobs(s, cronJob)).To(HaveExactElements(HaveField("Status.Succeeded", BeEquivalentTo(1))))
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
			g.Expect(s.CronJob("a").Status.Active).To(BeEmpty())
		})
		old := jobs(s, cronJob)[0]

		moveOn(ctx, s, cronJob, second)
		s.Soon("only the second Job and its pod are left", func(g Gomega) {
			g.Expect(starts(s, cronJob)).To(Equal(ticks(second)))
			g.Expect(s.Pods()).To(HaveExactElements(Not(HaveField("Labels", HaveKeyWithValue(batchv1.JobNameLabel, old.Name)))))
			g.Expect(s.CronJob("a").Status.Active).To(BeEmpty())
		})
	})
})

// idle makes a CronJob with no tick before tomorrow, unless it has a schedule.
func idle(ctx context.Context, s *framework.Sandbox, cronJob *puppet.CronJobBuilder) *batchv1.CronJob {
	GinkgoHelper()
	if cronJob.Obj().Spec.Schedule == "" {
		cronJob.Schedule(puppet.Daily(ago(30 * time.Minute)))
	}
	return framework.Create(ctx, s, cronJob.Obj())
}

// past makes Jobs of a CronJob that have finished, "done-2" with success two
// hours ago. They come in the order in which they ran.
func past(ctx context.Context, s *framework.Sandbox, cronJob *batchv1.CronJob, names ...string) {
	GinkgoHelper()
	for _, name := range names {
		how, hours := batchv1.JobComplete, 0
		if _, err := fmt.Sscanf(name, "done-%d", &hours); err != nil {
			how = batchv1.JobFailed
			_, err = fmt.Sscanf(name, "failed-%d", &hours)
			Expect(err).NotTo(HaveOccurred())
		}
		start := ago(time.Duration(hours) * time.Hour)
		job := framework.Create(ctx, s, owned(untouched(name), cronJob).With(func(j *batchv1.Job) {
			metav1.SetMetaDataAnnotation(&j.ObjectMeta, batchv1.CronJobScheduledTimestampAnnotation, start.Format(time.RFC3339))
		}).Obj())
		ended(ctx, s, job, how, start)
	}
}

// names are the names of all Jobs there are.
func names(s *framework.Sandbox) []string {
	list := []string{}
	for _, job := range s.Jobs() {
		list = append(list, job.Name)
	}
	slices.Sort(list)
	return list
}
