package cronjob

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
)

// The invariants check in every spec that Forbid starts no second Job and that
// Replace starts none too early.
var _ = Describe("CronJob concurrencyPolicy", behaviour.ConcurrencyPolicy, func() {
	cron := func(policy batchv1.ConcurrencyPolicy) *puppet.CronJobBuilder {
		return puppet.CronJob("a", puppet.Job("").BackoffLimit(0)).Policy(policy)
	}

	// labelled makes a CronJob whose Jobs have the same labels as those of others.
	labelled := func(name string, policy batchv1.ConcurrencyPolicy) *puppet.CronJobBuilder {
		return puppet.CronJob(name, puppet.Job("").Label("app", "same")).Policy(policy)
	}

	// The times at which Jobs become due, one after the other.
	var first, second, third time.Time
	BeforeEach(func() { first, second, third = Ago(30*time.Minute), Ago(20*time.Minute), Ago(10*time.Minute) })

	// running returns a new sandbox with a CronJob and its Job of first, which runs.
	running := func(ctx context.Context, cronJob *puppet.CronJobBuilder) (*framework.Sandbox, *batchv1.CronJob, batchv1.Job) {
		GinkgoHelper()
		s := framework.New(ctx)
		created := Due(ctx, s, cronJob, first)
		return s, created, Starts(s, created, first)
	}

	// overlap makes second due, too, while the Job of first runs.
	overlap := func(ctx context.Context, cronJob *puppet.CronJobBuilder) (*framework.Sandbox, *batchv1.CronJob, batchv1.Job) {
		GinkgoHelper()
		s, created, job := running(ctx, cronJob)
		NextDue(ctx, s, created, second)
		return s, created, job
	}

	// startsAlone waits for the Job of a time, and expects that no other is active.
	startsAlone := func(s *framework.Sandbox, cronJob *batchv1.CronJob, tick time.Time) {
		GinkgoHelper()
		Starts(s, cronJob, tick)
		Expect(Active(s, cronJob)).To(Equal(Times(tick)))
	}

	Describe("Allow:", func() {
		// batch/v1 CronJobSpec.concurrencyPolicy: "Allow" (default).
		It("the controller runs Jobs side by side, as it does by default", Covers(AllowIsTheDefault, AllowStartsAnother), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob := s.Due(cron(""), first)
			Expect(cronJob.Made().Spec.ConcurrencyPolicy).To(Equal(batchv1.AllowConcurrent))
			old := cronJob.Starts(first)
			cronJob.NextDue(second)
			young := cronJob.Starts(second)

			Expect(cronJob.Active()).To(Equal(framework.Times(first, second)))
			runningPod(s, *old.Made())
			runningPod(s, *young.Made())
		})

		// A user takes the running Job away from the CronJob. Wrong: a controller that waits until it
		// sees the Job in status.active among its own.
		It("the controller starts the next Job although the running one has lost its owner", Covers(AllowStartsAnother), func(ctx SpecContext) {
			s, cronJob, job := running(ctx, cron(batchv1.AllowConcurrent))
			framework.Change(s, &job, func(j *batchv1.Job) { j.OwnerReferences = nil })
			NextDue(ctx, s, cronJob, second)
			Starts(s, cronJob, second)
		})

		// Wrong: a controller that empties status.active when one Job ends.
		It("a Job that ends leaves the others active", Covers(ActiveRefersToRunning, FinishedLeaveActive, ChangedSchedule), func(ctx SpecContext) {
			s, cronJob, _ := overlap(ctx, cron(batchv1.AllowConcurrent))
			job := Starts(s, cronJob, second)
			NextDue(ctx, s, cronJob, third)
			Starts(s, cronJob, third)

			finish(ctx, s, job, 0)
			s.Soon("the two other Jobs are active", func(g Gomega) { g.Expect(Active(s, cronJob)).To(Equal(Times(first, third))) })
			Expect(Existing(s, cronJob)).To(Equal(Times(first, second, third)))
		})
	})

	Describe("Forbid:", func() {
		// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#concurrency-policy:
		// it skips the new run; when the previous one finishes, the starting
		// deadline is still taken into account and may result in a new one.
		It("the controller starts a missed Job after the running Job ends, not before", Covers(ForbidStartsNoOther, ForbidStartsLater), func(ctx SpecContext) {
			s, cronJob, job := overlap(ctx, cron(batchv1.ForbidConcurrent))
			KeepsRunning(s, cronJob, first)

			finish(ctx, s, job, 0)
			startsAlone(s, cronJob, second)
			Expect(framework.Is(s.Job(job.Name), batchv1.JobComplete)).To(BeTrue())
		})

		// The same page. Wrong: a controller that remembers the Job that it did not start.
		It("the controller skips a missed Job whose starting deadline has passed", Covers(ForbidSkipsAfterDeadline), func(ctx SpecContext) {
			s, cronJob, job := overlap(ctx, cron(batchv1.ForbidConcurrent))
			KeepsRunning(s, cronJob, first)
			ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = ptr.To(int64(60)) })
			finish(ctx, s, job, 0)
			s.Soon("no Job is active", func(g Gomega) { g.Expect(Active(s, cronJob)).To(BeEmpty()) })
			s.Stays("the first Job is the only one", func(g Gomega) { g.Expect(Started(s, cronJob)).To(Equal(Times(first))) })
		})

		It("the controller starts a missed Job after the running Job fails", Covers(ForbidIgnoresFailedJobs), func(ctx SpecContext) {
			s, cronJob, job := overlap(ctx, cron(batchv1.ForbidConcurrent))

			finish(ctx, s, job, 1)
			startsAlone(s, cronJob, second)
			Expect(framework.Is(s.Job(job.Name), batchv1.JobFailed)).To(BeTrue())
		})

		// #58748. Wrong: a controller that waits for a Job that no longer exists.
		It("the controller starts a missed Job after a user deletes the running Job", Covers(ForbidIgnoresMissingJobs), func(ctx SpecContext) {
			s, cronJob, job := overlap(ctx, cron(batchv1.ForbidConcurrent))

			s.Delete(&job)
			startsAlone(s, cronJob, second)
		})

		// #107827: nothing else would ever remove the reference.
		It("the controller ignores a nonexistent Job in status.active", Covers(ForbidIgnoresMissingJobs), func(ctx SpecContext) {
			s, tick := framework.New(ctx), Ago(30*time.Minute)
			cronJob := framework.Create(s, cron(batchv1.ForbidConcurrent).Schedule(puppet.Daily(tick)).Obj())
			gone := puppet.Job("gone").With(func(j *batchv1.Job) {
				j.Namespace, j.UID = s.Namespace, "5a1f4b0c-0000-4000-8000-000000000000"
			}).Obj()
			framework.ChangeStatus(s, cronJob, func(c *batchv1.CronJob) {
				c.Status.LastScheduleTime = ptr.To(metav1.NewTime(LastBefore(tick)))
				c.Status.Active = []corev1.ObjectReference{reference(gone)}
			})

			Starts(s, cronJob, tick)
			Expect(Active(s, cronJob)).To(Equal(Times(tick)))
		})

		// A suspended Job has no pods, and has not finished.
		It("the controller waits for a suspended Job", Covers(ForbidCountsSuspendedJobs), func(ctx SpecContext) {
			s, cronJob, _ := overlap(ctx, puppet.CronJob("a", puppet.Job("").Suspend()).Policy(batchv1.ForbidConcurrent))
			KeepsRunning(s, cronJob, first)
		})

		// #58748. A Job that is being deleted may still have running pods.
		It("the controller waits for a deleted Job that a finalizer keeps", Covers(ForbidCountsTerminatingJobs), func(ctx SpecContext) {
			s, cronJob, job := running(ctx, cron(batchv1.ForbidConcurrent))
			framework.Change(s, &job, func(j *batchv1.Job) { controllerutil.AddFinalizer(j, finalizer) })
			s.Delete(&job)
			NextDue(ctx, s, cronJob, second)
			KeepsRunning(s, cronJob, first)

			framework.Change(s, s.Job(job.Name), func(j *batchv1.Job) { controllerutil.RemoveFinalizer(j, finalizer) })
			startsAlone(s, cronJob, second)
		})

		// Wrong: a controller that counts Jobs by labels or by namespace.
		It("the controller does not wait for Jobs of other owners", Covers(PolicyCountsOwnJobs), func(ctx SpecContext) {
			s, other, _ := running(ctx, labelled("other", batchv1.ForbidConcurrent))
			framework.Create(s, puppet.Job("ownerless").Label("app", "same").Obj())

			cronJob := Due(ctx, s, labelled("a", batchv1.ForbidConcurrent), first)
			Starts(s, cronJob, first)
			Expect(Active(s, cronJob)).To(Equal(Times(first)))
			Expect(Active(s, other)).To(Equal(Times(first)))
		})

		It("the controller starts a missed Job at once when the policy becomes Allow", Covers(ChangedPolicyHoldsAtOnce), func(ctx SpecContext) {
			s, cronJob, _ := overlap(ctx, cron(batchv1.ForbidConcurrent))
			KeepsRunning(s, cronJob, first)

			ChangeCronJob(ctx, s, cronJob, func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = batchv1.AllowConcurrent })
			Starts(s, cronJob, second)
			Expect(Active(s, cronJob)).To(Equal(Times(first, second)))
		})
	})

	Describe("Replace:", func() {
		It("the controller deletes the running Job and starts the next one", Covers(ReplaceDeletesUnfinished, ReplaceDeletesPods), func(ctx SpecContext) {
			s, cronJob, job := running(ctx, cron(batchv1.ReplaceConcurrent))
			pod := runningPod(s, job)
			NextDue(ctx, s, cronJob, second)

			young := Starts(s, cronJob, second)
			Runs(s, cronJob, second)
			// Wrong: a controller that deletes the Job and leaves its pod behind.
			s.Soon("the old pod is gone", func(g Gomega) {
				g.Expect(s.Pods()).NotTo(ContainElement(HaveField("UID", pod.UID)))
			})
			runningPod(s, young)
		})

		It("the controller replaces the running Job at each scheduled time", Covers(ReplaceDeletesUnfinished), func(ctx SpecContext) {
			s, cronJob, _ := overlap(ctx, cron(batchv1.ReplaceConcurrent))
			Starts(s, cronJob, second)
			NextDue(ctx, s, cronJob, third)
			Starts(s, cronJob, third)
			Runs(s, cronJob, third)
		})

		// Wrong: a controller that deletes its earlier Jobs whatever their state.
		It("the controller keeps Jobs that have finished", Covers(ReplaceKeepsFinished), func(ctx SpecContext) {
			s, cronJob, job := running(ctx, cron(batchv1.ReplaceConcurrent))
			finish(ctx, s, job, 0)
			s.Soon("no Job is active", func(g Gomega) { g.Expect(Active(s, cronJob)).To(BeEmpty()) })

			NextDue(ctx, s, cronJob, second)
			startsAlone(s, cronJob, second)
			Expect(JobsOf(s, cronJob)).To(ContainElement(And(
				HaveField("UID", job.UID),
				HaveField("DeletionTimestamp", BeNil()))))
		})

		// A pod may take long to end. Replace promises only that its Job is deleted.
		It("the controller does not wait for the pods of the Job that it deletes", Covers(ReplaceDoesNotWait), func(ctx SpecContext) {
			template := puppet.Job("").Puppet(map[string]string{puppet.Terminate: puppet.Hold})
			s, cronJob, job := running(ctx, puppet.CronJob("a", template).Policy(batchv1.ReplaceConcurrent))
			slow := runningPod(s, job)
			NextDue(ctx, s, cronJob, second)

			Starts(s, cronJob, second)
			s.Soon("the old pod is being deleted, and its Job is not active", func(g Gomega) {
				g.Expect(s.Pods()).To(ContainElement(And(
					HaveField("UID", slow.UID),
					HaveField("DeletionTimestamp", Not(BeNil())))))
				g.Expect(Active(s, cronJob)).To(Equal(Times(second)))
			})
			for _, pod := range s.Pods() {
				pod.Direct(map[string]string{puppet.Terminate: ""})
			}
		})

		// #59676. Wrong: a controller that is stuck with the Job, or deletes it
		// again and again instead of starting another.
		It("the controller does not wait for a deleted Job that a finalizer keeps", Covers(ReplaceDoesNotWait), func(ctx SpecContext) {
			s, cronJob, job := running(ctx, cron(batchv1.ReplaceConcurrent))
			framework.Change(s, &job, func(j *batchv1.Job) { controllerutil.AddFinalizer(j, finalizer) })
			NextDue(ctx, s, cronJob, second)

			Starts(s, cronJob, second)
			s.Soon("the old Job is being deleted", func(g Gomega) {
				g.Expect(s.Job(job.Name).DeletionTimestamp).NotTo(BeNil())
			})
			framework.Change(s, s.Job(job.Name), func(j *batchv1.Job) { controllerutil.RemoveFinalizer(j, finalizer) })
			Runs(s, cronJob, second)
		})

		It("the controller does not delete Jobs of other owners", Covers(PolicyCountsOwnJobs), func(ctx SpecContext) {
			s, other, _ := running(ctx, labelled("other", batchv1.ReplaceConcurrent))
			ownerless := framework.Create(s, puppet.Job("ownerless").Label("app", "same").Obj())
			cronJob := Due(ctx, s, labelled("a", batchv1.ReplaceConcurrent), first)
			Starts(s, cronJob, first)
			NextDue(ctx, s, cronJob, second)

			Starts(s, cronJob, second)
			s.Soon("the old Job is gone", func(g Gomega) { g.Expect(Existing(s, cronJob)).To(Equal(Times(second))) })
			Expect(Active(s, other)).To(Equal(Times(first)))
			Expect(s.Jobs()).To(ContainElement(And(
				HaveField("UID", ownerless.UID),
				HaveField("DeletionTimestamp", BeNil()))))
		})

		// The policy may change while several Jobs run. Wrong: a controller that
		// replaces one of them.
		It("the controller replaces all running Jobs when the policy was Allow before", Covers(ChangedPolicyHoldsAtOnce, ReplaceDeletesUnfinished), func(ctx SpecContext) {
			s, cronJob, _ := overlap(ctx, cron(batchv1.AllowConcurrent))
			Starts(s, cronJob, second)
			NextDue(ctx, s, cronJob, third, func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = batchv1.ReplaceConcurrent })

			Starts(s, cronJob, third)
			Runs(s, cronJob, third)
		})

		// Wrong: a controller that deletes running Jobs before it knows whether it may
		// start one.
		It("the controller deletes no Job for a time past its starting deadline", Covers(ReplaceOnlyToStart), func(ctx SpecContext) {
			s, cronJob, job := running(ctx, cron(batchv1.ReplaceConcurrent))
			NextDue(ctx, s, cronJob, second, func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = ptr.To(int64(60)) })

			KeepsRunning(s, cronJob, first)
			Expect(JobsOf(s, cronJob)).To(ContainElement(And(
				HaveField("UID", job.UID),
				HaveField("DeletionTimestamp", BeNil()))))
		})
	})
})
