package cronjob

import (
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
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// What no spec here has to say: the invariants look at every revision for a Job
// that Forbid should have kept back, or that Replace started too early.
var _ = Describe("concurrencyPolicy", Label("area:cronjob", "behaviour:concurrencyPolicy"), func() {
	cron := func(policy batchv1.ConcurrencyPolicy) *puppet.CronJobBuilder {
		return puppet.CronJob("a", puppet.Job("").BackoffLimit(0)).Policy(policy)
	}

	Describe("Allow", func() {
		// batch/v1 CronJobSpec.concurrencyPolicy: "Allow" (default).
		It("is the default, and lets Jobs run side by side", Covers(AllowIsTheDefault, AllowStartsAnother), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, cron(""), first)
			Expect(cronJob.Spec.ConcurrencyPolicy).To(Equal(batchv1.AllowConcurrent))
			old := startsFor(s, cronJob, first)
			moveOn(ctx, s, cronJob, second)
			young := startsFor(s, cronJob, second)

			Expect(active(s, cronJob)).To(Equal(ticks(first, second)))
			runs(s, old)
			runs(s, young)
		})

		// Wrong: a controller that empties status.active when one Job ends.
		It("keeps the Jobs that go on when one of them ends", Covers(ActiveRefersToRunning, FinishedLeaveActive, ChangedSchedule), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second, third := ago(30*time.Minute), ago(20*time.Minute), ago(10*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.AllowConcurrent), first)
			startsFor(s, cronJob, first)
			moveOn(ctx, s, cronJob, second)
			job := startsFor(s, cronJob, second)
			moveOn(ctx, s, cronJob, third)
			startsFor(s, cronJob, third)

			end(ctx, s, job, 0)
			s.Soon("two Jobs are active", func(g Gomega) { g.Expect(active(s, cronJob)).To(Equal(ticks(first, third))) })
			Expect(starts(s, cronJob)).To(Equal(ticks(first, second, third)))
		})
	})

	Describe("Forbid", func() {
		// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#concurrency-policy:
		// it skips the new run; when the previous one finishes, the starting
		// deadline is still taken into account and may result in a new one.
		It("starts nothing beside a running Job, and what is still due after it", Covers(ForbidStartsNoOther, ForbidStartsLater, EventForForbidden), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.ForbidConcurrent), first)
			job := startsFor(s, cronJob, first)
			moveOn(ctx, s, cronJob, second)
			s.Soon("the controller says why it waits", func(g Gomega) {
				g.Expect(happened(s, cronJob, "JobAlreadyActive")).NotTo(BeEmpty())
			})
			s.Stays("there is one Job", func(g Gomega) {
				g.Expect(starts(s, cronJob)).To(Equal(ticks(first)))
				g.Expect(active(s, cronJob)).To(Equal(ticks(first)))
			})

			end(ctx, s, job, 0)
			startsFor(s, cronJob, second)
			Expect(active(s, cronJob)).To(Equal(ticks(second)))
			Expect(framework.Is(s.Job(job.Name), batchv1.JobComplete)).To(BeTrue())
		})

		// The same page. Wrong: a controller that remembers the tick it owes.
		It("skips a tick whose starting deadline is over when the Job ends", Covers(ForbidSkipsAfterDeadline), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.ForbidConcurrent), first)
			job := startsFor(s, cronJob, first)
			moveOn(ctx, s, cronJob, second)
			s.Soon("the tick is kept back", func(g Gomega) {
				g.Expect(happened(s, cronJob, "JobAlreadyActive")).NotTo(BeEmpty())
			})
			change(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = ptr.To(int64(60)) })
			end(ctx, s, job, 0)
			s.Soon("the end is noticed", func(g Gomega) { g.Expect(active(s, cronJob)).To(BeEmpty()) })
			s.Stays("there is one Job", func(g Gomega) { g.Expect(starts(s, cronJob)).To(Equal(ticks(first))) })
		})

		It("is free again when the Job has failed", Covers(ForbidIgnoresFailedJobs), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.ForbidConcurrent), first)
			job := startsFor(s, cronJob, first)
			runs(s, job)
			moveOn(ctx, s, cronJob, second)

			end(ctx, s, job, 1)
			startsFor(s, cronJob, second)
			Expect(active(s, cronJob)).To(Equal(ticks(second)))
			Expect(framework.Is(s.Job(job.Name), batchv1.JobFailed)).To(BeTrue())
		})

		// #58748. Wrong: a controller that waits for a Job that is gone.
		It("is free again when the Job was deleted by hand", Covers(ForbidIgnoresMissingJobs), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.ForbidConcurrent), first)
			job := startsFor(s, cronJob, first)
			moveOn(ctx, s, cronJob, second)

			s.Delete(ctx, &job)
			startsFor(s, cronJob, second)
			Expect(active(s, cronJob)).To(Equal(ticks(second)))
		})

		// #107827: a reference that nothing will ever take away again.
		It("is not held up by a reference to a Job that does not exist", Covers(ForbidIgnoresMissingJobs), func(ctx SpecContext) {
			s := framework.New(ctx)
			tick := ago(30 * time.Minute)
			cronJob := framework.Create(ctx, s, cron(batchv1.ForbidConcurrent).Schedule(puppet.Daily(tick)).Obj())
			gone := puppet.Job("gone").With(func(j *batchv1.Job) {
				j.Namespace, j.UID = s.Namespace, "5a1f4b0c-0000-4000-8000-000000000000"
			}).Obj()
			framework.ChangeStatus(ctx, s, cronJob, func(c *batchv1.CronJob) {
				c.Status.LastScheduleTime = ptr.To(metav1.NewTime(tick.Add(-5 * time.Minute)))
				c.Status.Active = []corev1.ObjectReference{reference(gone)}
			})

			startsFor(s, cronJob, tick)
			Expect(active(s, cronJob)).To(Equal(ticks(tick)))
		})

		// A suspended Job has no pods, and has not finished.
		It("waits for a Job that is suspended", Covers(ForbidCountsSuspendedJobs), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, puppet.CronJob("a", puppet.Job("").Suspend()).Policy(batchv1.ForbidConcurrent), first)
			startsFor(s, cronJob, first)
			moveOn(ctx, s, cronJob, second)
			s.Stays("there is one Job", func(g Gomega) {
				g.Expect(starts(s, cronJob)).To(Equal(ticks(first)))
				g.Expect(active(s, cronJob)).To(Equal(ticks(first)))
			})
		})

		// #58748. A Job that cannot go yet may still have pods that run.
		It("waits for a Job that is deleted and held by a finalizer", Covers(ForbidCountsTerminatingJobs), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.ForbidConcurrent), first)
			job := startsFor(s, cronJob, first)
			framework.Change(ctx, s, &job, func(j *batchv1.Job) { controllerutil.AddFinalizer(j, hold) })
			s.Delete(ctx, &job)
			moveOn(ctx, s, cronJob, second)
			s.Stays("there is one Job", func(g Gomega) {
				g.Expect(starts(s, cronJob)).To(Equal(ticks(first)))
				g.Expect(active(s, cronJob)).To(Equal(ticks(first)))
			})

			framework.Change(ctx, s, s.Job(job.Name), func(j *batchv1.Job) { controllerutil.RemoveFinalizer(j, hold) })
			startsFor(s, cronJob, second)
			Expect(active(s, cronJob)).To(Equal(ticks(second)))
		})

		// Wrong: a controller that counts Jobs by labels or by namespace.
		It("does not wait for Jobs of others", Covers(PolicyCountsOwnJobs), func(ctx SpecContext) {
			s := framework.New(ctx)
			tick := ago(30 * time.Minute)
			same := func() *puppet.JobBuilder { return puppet.Job("").Label("app", "same") }
			other := due(ctx, s, puppet.CronJob("other", same()).Policy(batchv1.ForbidConcurrent), tick)
			startsFor(s, other, tick)
			framework.Create(ctx, s, puppet.Job("nobodys").Label("app", "same").Obj())

			cronJob := due(ctx, s, puppet.CronJob("a", same()).Policy(batchv1.ForbidConcurrent), tick)
			startsFor(s, cronJob, tick)
			Expect(active(s, cronJob)).To(Equal(ticks(tick)))
			Expect(active(s, other)).To(Equal(ticks(tick)))
		})

		It("lets the tick start at once when the policy becomes Allow", Covers(ChangedPolicyHoldsAtOnce), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.ForbidConcurrent), first)
			startsFor(s, cronJob, first)
			moveOn(ctx, s, cronJob, second)
			s.Soon("the tick is kept back", func(g Gomega) {
				g.Expect(happened(s, cronJob, "JobAlreadyActive")).NotTo(BeEmpty())
			})

			change(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = batchv1.AllowConcurrent })
			startsFor(s, cronJob, second)
			Expect(active(s, cronJob)).To(Equal(ticks(first, second)))
		})
	})

	Describe("Replace", func() {
		It("deletes the running Job and starts another", Covers(ReplaceDeletesUnfinished, ReplaceDeletesPods), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.ReplaceConcurrent), first)
			pod := runs(s, startsFor(s, cronJob, first))
			moveOn(ctx, s, cronJob, second)

			young := startsFor(s, cronJob, second)
			s.Soon("one Job is left", func(g Gomega) {
				g.Expect(starts(s, cronJob)).To(Equal(ticks(second)))
				g.Expect(active(s, cronJob)).To(Equal(ticks(second)))
			})
			// Wrong: a controller that deletes the Job and leaves its pod behind.
			s.Soon("the old pod is gone", func(g Gomega) {
				g.Expect(s.Pods()).NotTo(ContainElement(HaveField("UID", pod.UID)))
			})
			runs(s, young)
		})

		// Three ticks of three, at the end of which one Job is left.
		It("does so again and again", Covers(ReplaceDeletesUnfinished), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second, third := ago(30*time.Minute), ago(20*time.Minute), ago(10*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.ReplaceConcurrent), first)
			startsFor(s, cronJob, first)
			moveOn(ctx, s, cronJob, second)
			startsFor(s, cronJob, second)
			moveOn(ctx, s, cronJob, third)
			startsFor(s, cronJob, third)
			s.Soon("one Job is left", func(g Gomega) {
				g.Expect(starts(s, cronJob)).To(Equal(ticks(third)))
				g.Expect(active(s, cronJob)).To(Equal(ticks(third)))
			})
		})

		// Wrong: a controller that deletes its earlier Jobs whatever their state.
		It("leaves Jobs alone that have finished", Covers(ReplaceKeepsFinished), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.ReplaceConcurrent), first)
			job := startsFor(s, cronJob, first)
			end(ctx, s, job, 0)
			s.Soon("the Job is out of the status", func(g Gomega) { g.Expect(active(s, cronJob)).To(BeEmpty()) })

			moveOn(ctx, s, cronJob, second)
			startsFor(s, cronJob, second)
			Expect(active(s, cronJob)).To(Equal(ticks(second)))
			Expect(s.Job(job.Name)).To(And(
				HaveField("UID", job.UID),
				HaveField("DeletionTimestamp", BeNil())))
		})

		// A pod may take long to go. The Job it belonged to is deleted, and that
		// is all that Replace promises.
		It("does not wait for the pods of the Job it deleted", Covers(ReplaceDoesNotWait), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			template := puppet.Job("").Puppet(map[string]string{puppet.Terminate: puppet.Hold})
			cronJob := due(ctx, s, puppet.CronJob("a", template).Policy(batchv1.ReplaceConcurrent), first)
			slow := runs(s, startsFor(s, cronJob, first))
			moveOn(ctx, s, cronJob, second)

			startsFor(s, cronJob, second)
			s.Soon("the old pod is told to go, and its Job out of the status", func(g Gomega) {
				g.Expect(s.Pods()).To(ContainElement(And(
					HaveField("UID", slow.UID),
					HaveField("DeletionTimestamp", Not(BeNil())))))
				g.Expect(active(s, cronJob)).To(Equal(ticks(second)))
			})
			for _, pod := range s.Pods() {
				s.Direct(ctx, pod, map[string]string{puppet.Terminate: ""})
			}
		})

		// #59676. Wrong: a controller that is stuck with the Job, or deletes it
		// again and again instead of starting another.
		It("does not wait for a Job that is deleted and held by a finalizer", Covers(ReplaceDoesNotWait), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.ReplaceConcurrent), first)
			job := startsFor(s, cronJob, first)
			framework.Change(ctx, s, &job, func(j *batchv1.Job) { controllerutil.AddFinalizer(j, hold) })
			moveOn(ctx, s, cronJob, second)

			startsFor(s, cronJob, second)
			s.Soon("the old Job is told to go", func(g Gomega) {
				g.Expect(s.Job(job.Name).DeletionTimestamp).NotTo(BeNil())
			})
			framework.Change(ctx, s, s.Job(job.Name), func(j *batchv1.Job) { controllerutil.RemoveFinalizer(j, hold) })
			s.Soon("one Job is left", func(g Gomega) {
				g.Expect(starts(s, cronJob)).To(Equal(ticks(second)))
				g.Expect(active(s, cronJob)).To(Equal(ticks(second)))
			})
		})

		It("does not touch Jobs of others", Covers(PolicyCountsOwnJobs), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			same := func() *puppet.JobBuilder { return puppet.Job("").Label("app", "same") }
			other := due(ctx, s, puppet.CronJob("other", same()).Policy(batchv1.ReplaceConcurrent), first)
			startsFor(s, other, first)
			nobodys := framework.Create(ctx, s, puppet.Job("nobodys").Label("app", "same").Obj())
			cronJob := due(ctx, s, puppet.CronJob("a", same()).Policy(batchv1.ReplaceConcurrent), first)
			startsFor(s, cronJob, first)
			moveOn(ctx, s, cronJob, second)

			startsFor(s, cronJob, second)
			s.Soon("the old Job is gone", func(g Gomega) { g.Expect(starts(s, cronJob)).To(Equal(ticks(second))) })
			Expect(active(s, other)).To(Equal(ticks(first)))
			Expect(s.Jobs()).To(ContainElement(And(
				HaveField("UID", nobodys.UID),
				HaveField("DeletionTimestamp", BeNil()))))
		})

		// The policy may change while several run. Wrong: a controller that
		// replaces one of them.
		It("replaces all that run when the policy was Allow before", Covers(ChangedPolicyHoldsAtOnce, ReplaceDeletesUnfinished), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second, third := ago(30*time.Minute), ago(20*time.Minute), ago(10*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.AllowConcurrent), first)
			startsFor(s, cronJob, first)
			moveOn(ctx, s, cronJob, second)
			startsFor(s, cronJob, second)
			moveOn(ctx, s, cronJob, third, func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = batchv1.ReplaceConcurrent })

			startsFor(s, cronJob, third)
			s.Soon("one Job is left", func(g Gomega) {
				g.Expect(starts(s, cronJob)).To(Equal(ticks(third)))
				g.Expect(active(s, cronJob)).To(Equal(ticks(third)))
			})
		})

		// Wrong: a controller that clears the stage before it knows whether it may
		// start anything.
		It("deletes nothing for a tick that it does not start", Covers(ReplaceOnlyToStart), func(ctx SpecContext) {
			s := framework.New(ctx)
			first, second := ago(30*time.Minute), ago(20*time.Minute)
			cronJob := due(ctx, s, cron(batchv1.ReplaceConcurrent), first)
			job := startsFor(s, cronJob, first)
			moveOn(ctx, s, cronJob, second, func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = ptr.To(int64(60)) })

			s.Stays("the Job runs on", func(g Gomega) {
				g.Expect(starts(s, cronJob)).To(Equal(ticks(first)))
				g.Expect(active(s, cronJob)).To(Equal(ticks(first)))
			})
			Expect(slices.ContainsFunc(jobs(s, cronJob), func(j batchv1.Job) bool { return j.UID == job.UID && j.DeletionTimestamp == nil })).To(BeTrue())
		})
	})
})
