package cronjob

import (
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
	var first, second, third, fourth time.Time
	BeforeEach(func() {
		first = framework.Ago(30 * time.Minute)
		second = framework.Ago(20 * time.Minute)
		third = framework.Ago(12 * time.Minute)
		fourth = framework.Ago(4 * time.Minute)
	})

	toReplace := func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = batchv1.ReplaceConcurrent }

	// running creates a CronJob, and returns it with its Job of first, which is active.
	running := func(s *framework.Sandbox, cronJob *puppet.CronJobBuilder) (*framework.CronJob, *framework.Job) {
		GinkgoHelper()
		created := s.Due(cronJob, first)
		return created, created.Starts(first)
	}

	// overlap is running, and then makes second due, too.
	overlap := func(s *framework.Sandbox, cronJob *puppet.CronJobBuilder) (*framework.CronJob, *framework.Job) {
		GinkgoHelper()
		created, job := running(s, cronJob)
		created.NextDue(second)
		return created, job
	}

	// startsAlone waits for the Job of a time, and expects that no other is active.
	startsAlone := func(cronJob *framework.CronJob, tick time.Time) {
		GinkgoHelper()
		cronJob.Starts(tick)
		cronJob.RefersOnlyTo(tick)
	}

	// startsLater is startsAlone once nothing keeps the Job back any more.
	startsLater := func(cronJob *framework.CronJob, tick time.Time) {
		GinkgoHelper()
		cronJob.ActsOnJobs("the Job that was kept back is started", func(g Gomega) {
			g.Expect(cronJob.Existing()).To(ContainElements(framework.Times(tick)))
		})
		startsAlone(cronJob, tick)
	}

	// hadJob creates a CronJob for which tick is due, and whose status.active refers to a Job of this name that does
	// not exist any more.
	hadJob := func(s *framework.Sandbox, policy batchv1.ConcurrencyPolicy, tick time.Time,
		name string) *framework.CronJob {
		GinkgoHelper()
		cronJob := s.CreateCronJob(cron(policy).Schedule(puppet.Daily(tick)))
		gone := puppet.Job(name).With(func(j *batchv1.Job) {
			j.Namespace, j.UID = s.Namespace, "5a1f4b0c-0000-4000-8000-000000000000"
		}).Obj()
		cronJob.ChangeStatus(func(c *batchv1.CronJob) {
			c.Status.LastScheduleTime = ptr.To(metav1.NewTime(framework.LastBefore(tick)))
			c.Status.Active = []corev1.ObjectReference{reference(gone)}
		})
		return cronJob
	}

	// threeRun starts three Jobs with the policy Allow.
	threeRun := func(s *framework.Sandbox) (cronJob *framework.CronJob, jobs []*framework.Job) {
		GinkgoHelper()
		cronJob, job := overlap(s, cron(batchv1.AllowConcurrent))
		jobs = append(jobs, job, cronJob.Starts(second))
		cronJob.NextDue(third)
		return cronJob, append(jobs, cronJob.Starts(third))
	}

	Describe("Allow:", func() {
		// batch/v1 CronJobSpec.concurrencyPolicy: "Allow" (default).
		It("the controller runs Jobs side by side, as it does by default", covers.Requirements(
			AllowIsTheDefault, AllowStartsAnother), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob := s.Due(cron(""), first)
			old := cronJob.Starts(first)
			cronJob.NextDue(second)
			young := cronJob.Starts(second)

			cronJob.RefersOnlyTo(first, second)
			runningPod(s, old)
			runningPod(s, young)
		})

		// A user takes the running Job away from the CronJob. Wrong: waits until it sees the Job in
		// status.active among its own.
		It("the controller starts the next Job although the running one has lost its owner", covers.Requirements(
			AllowStartsAnother), covers.MayArise(spec.DueWhileRunning), func(ctx SpecContext) {
			cronJob, job := running(framework.New(ctx), cron(batchv1.AllowConcurrent))
			job.Change(func(j *batchv1.Job) { j.OwnerReferences = nil })
			cronJob.NextDue(second)
			cronJob.Starts(second)
		})

		// Wrong: empties status.active when one Job ends.
		It("a Job that ends leaves the others active", covers.Requirements(
			ActiveRefersToRunning, FinishedLeaveActive, ChangedSchedule), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob, jobs := threeRun(s)
			finish(s, jobs[1], 0)
			s.Soon("the two other Jobs are active", func(g Gomega) {
				cronJob.Refers(g, first, third)
			})
			Expect(cronJob.Existing()).To(Equal(framework.Times(first, second, third)))
		})
	})

	Describe("Forbid:", func() {
		// https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/#concurrency-policy:
		// it skips the new run; when the previous one finishes, the starting
		// deadline is still taken into account and may result in a new one.
		It("the controller starts a missed Job after the running Job ends, not before", covers.Requirements(
			ForbidStartsNoOther, ForbidStartsLater), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob, job := overlap(s, cron(batchv1.ForbidConcurrent))
			cronJob.KeepsRunning(first)

			finish(s, job, 0)
			startsLater(cronJob, second)
			Expect(job.Is(batchv1.JobComplete)).To(BeTrue())
		})

		// Wrong: keeps a queue of the Jobs that it kept back.
		It("of several Jobs that were kept back, the controller starts the latest only", covers.Requirements(
			ForbidStartsLater), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob, job := overlap(s, cron(batchv1.ForbidConcurrent))
			cronJob.KeepsRunning(first)
			cronJob.NextDue(third)
			cronJob.KeepsRunning(first)

			finish(s, job, 0)
			startsLater(cronJob, third)
			finish(s, cronJob.Starts(third), 0)
			s.Soon("no Job is active", func(g Gomega) { cronJob.Refers(g) })
			s.Stays("no other Job is started", func(g Gomega) {
				g.Expect(cronJob.Started()).To(Equal(framework.Times(first, third)))
			})
		})

		// The same page. Wrong: remembers the Job that it did not start.
		It("the controller skips a missed Job whose starting deadline has passed", covers.Requirements(
			ForbidSkipsAfterDeadline), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob, job := overlap(s, cron(batchv1.ForbidConcurrent))
			cronJob.KeepsRunning(first)
			cronJob.Change(func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = ptr.To(int64(60)) })
			finish(s, job, 0)
			s.Soon("no Job is active", func(g Gomega) { cronJob.Refers(g) })
			s.Stays("the first Job is the only one", func(g Gomega) {
				g.Expect(cronJob.Started()).To(Equal(framework.Times(first)))
			})
		})

		It("the controller starts a missed Job after the running Job fails", covers.Requirements(
			ForbidIgnoresFailedJobs), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob, job := overlap(s, cron(batchv1.ForbidConcurrent))

			finish(s, job, 1)
			startsLater(cronJob, second)
			Expect(job.Is(batchv1.JobFailed)).To(BeTrue())
		})

		// #58748. Wrong: waits for a Job that no longer exists.
		It("the controller starts a missed Job after a user deletes the running Job", covers.Requirements(
			ForbidIgnoresMissingJobs), covers.MayShow(upstream.StartedAgain), func(ctx SpecContext) {
			cronJob, job := overlap(framework.New(ctx), cron(batchv1.ForbidConcurrent))

			job.Delete()
			startsLater(cronJob, second)
		})

		// #107827: nothing else would ever remove the reference.
		It("the controller ignores a nonexistent Job in status.active", covers.Requirements(
			ForbidIgnoresMissingJobs), func(ctx SpecContext) {
			startsAlone(hadJob(framework.New(ctx), batchv1.ForbidConcurrent, first, "gone"), first)
		})

		// Wrong: looks for the Jobs in status.active by their names.
		It("the controller ignores a deleted Job in status.active whose name another Job has", covers.Requirements(
			ForbidIgnoresMissingJobs), unmanagedJobs, covers.Shows(upstream.ActiveByName), func(ctx SpecContext) {
			s := framework.New(ctx)
			s.Create(unmanaged("again"))
			startsAlone(hadJob(s, batchv1.ForbidConcurrent, first, "again"), first)
		})

		// A suspended Job has no pods, and has not finished.
		It("the controller waits for a suspended Job", covers.Requirements(
			ForbidCountsSuspendedJobs), covers.Uses(contract.Suspend), func(ctx SpecContext) {
			suspended := puppet.CronJob("a", puppet.Job("").Suspend()).Policy(batchv1.ForbidConcurrent)
			cronJob, _ := overlap(framework.New(ctx), suspended)
			cronJob.KeepsRunning(first)
		})

		// #58748. A Job that is being deleted may still have running pods.
		It("the controller waits for a deleted Job that a finalizer keeps", covers.Requirements(
			ForbidCountsTerminatingJobs), func(ctx SpecContext) {
			cronJob, job := running(framework.New(ctx), cron(batchv1.ForbidConcurrent))
			job.Change(func(j *batchv1.Job) { controllerutil.AddFinalizer(j, finalizer) })
			job.Delete()
			cronJob.NextDue(second)
			cronJob.KeepsRunning(first)

			job.Change(func(j *batchv1.Job) { controllerutil.RemoveFinalizer(j, finalizer) })
			startsLater(cronJob, second)
		})

		// Wrong: counts Jobs by labels or by namespace.
		It("the controller does not wait for Jobs of other owners", covers.Requirements(
			PolicyCountsOwnJobs), func(ctx SpecContext) {
			s := framework.New(ctx)
			other, _ := running(s, labelled("other", batchv1.ForbidConcurrent))
			s.Create(puppet.Job("ownerless").Label("app", "same"))

			cronJob := s.Due(labelled("a", batchv1.ForbidConcurrent), first)
			cronJob.Starts(first)
			cronJob.RefersOnlyTo(first)
			other.RefersOnlyTo(first)
		})

		// The policy was Allow before. Wrong: waits for one Job, or takes several for a mistake.
		It("the controller waits for the last of several running Jobs", covers.Requirements(
			ForbidStartsNoOther, ChangedPolicyHoldsAtOnce), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob, jobs := threeRun(s)
			cronJob.NextDue(fourth, func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = batchv1.ForbidConcurrent })
			cronJob.KeepsRunning(first, second, third)
			finish(s, jobs[2], 0)
			cronJob.RefersOnlyTo(first, second)
			finish(s, jobs[0], 0)
			cronJob.RefersOnlyTo(second)
			s.Stays("no other Job is started", func(g Gomega) {
				g.Expect(cronJob.Started()).To(Equal(framework.Times(first, second, third)))
			})
			finish(s, jobs[1], 0)
			startsAlone(cronJob, fourth)
		})

		It("the controller starts a missed Job at once when the policy becomes Allow", covers.Requirements(
			ChangedPolicyHoldsAtOnce), func(ctx SpecContext) {
			cronJob, _ := overlap(framework.New(ctx), cron(batchv1.ForbidConcurrent))
			cronJob.KeepsRunning(first)

			cronJob.Change(func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = batchv1.AllowConcurrent })
			cronJob.Starts(second)
			cronJob.RefersOnlyTo(first, second)
		})
	})

	Describe("Replace:", func() {
		It("the controller deletes the running Job and starts the next one", covers.Requirements(
			ReplaceDeletesUnfinished, ReplaceDeletesPods), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob, job := running(s, cron(batchv1.ReplaceConcurrent))
			pod := runningPod(s, job)
			cronJob.NextDue(second)

			young := cronJob.Starts(second)
			cronJob.Runs(second)
			// Wrong: deletes the Job and leaves its pod behind.
			s.Soon("the old pod is gone", func(g Gomega) {
				g.Expect(s.Pods()).NotTo(ContainElement(HaveField("UID", pod.UID)))
			})
			runningPod(s, young)
		})

		It("the controller replaces the running Job at each scheduled time", covers.Requirements(
			ReplaceDeletesUnfinished), func(ctx SpecContext) {
			cronJob, _ := overlap(framework.New(ctx), cron(batchv1.ReplaceConcurrent))
			cronJob.Starts(second)
			cronJob.NextDue(third)
			cronJob.Starts(third)
			cronJob.Runs(third)
		})

		// Wrong: deletes its earlier Jobs whatever their state.
		It("the controller keeps Jobs that have finished", covers.Requirements(
			ReplaceKeepsFinished), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob, job := running(s, cron(batchv1.ReplaceConcurrent))
			finish(s, job, 0)
			s.Soon("no Job is active", func(g Gomega) { cronJob.Refers(g) })

			cronJob.NextDue(second)
			startsAlone(cronJob, second)
			Expect(cronJob.Jobs()).To(ContainElement(And(
				HaveField("UID", job.UID),
				HaveField("DeletionTimestamp", BeNil()))))
		})

		// A pod may take long to end. Replace promises only that its Job is deleted.
		It("the controller does not wait for the pods of the Job that it deletes", covers.Requirements(
			ReplaceDoesNotWait), func(ctx SpecContext) {
			template := puppet.Job("").Puppet(map[string]string{puppet.Terminate: puppet.Hold})
			s := framework.New(ctx)
			cronJob, job := running(s, puppet.CronJob("a", template).Policy(batchv1.ReplaceConcurrent))
			slow := runningPod(s, job)
			cronJob.NextDue(second)

			cronJob.Starts(second)
			s.Soon("the old pod is being deleted, and its Job is not active", func(g Gomega) {
				g.Expect(s.Pods()).To(ContainElement(And(
					HaveField("UID", slow.UID),
					HaveField("DeletionTimestamp", Not(BeNil())))))
				cronJob.Refers(g, second)
			})
			for _, pod := range s.Pods() {
				pod.Direct(map[string]string{puppet.Terminate: ""})
			}
		})

		// #59676. Wrong: is stuck with the Job, or deletes it again and again instead of starting
		// another.
		It("the controller does not wait for a deleted Job that a finalizer keeps", covers.Requirements(
			ReplaceDoesNotWait), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob, job := running(s, cron(batchv1.ReplaceConcurrent))
			job.Change(func(j *batchv1.Job) { controllerutil.AddFinalizer(j, finalizer) })
			cronJob.NextDue(second)

			cronJob.Starts(second)
			s.Soon("the old Job is being deleted", func(g Gomega) {
				g.Expect(job.Now().DeletionTimestamp).NotTo(BeNil())
			})
			job.Change(func(j *batchv1.Job) { controllerutil.RemoveFinalizer(j, finalizer) })
			cronJob.Runs(second)
		})

		It("the controller does not delete Jobs of other owners", covers.Requirements(
			PolicyCountsOwnJobs), func(ctx SpecContext) {
			s := framework.New(ctx)
			other, _ := running(s, labelled("other", batchv1.ReplaceConcurrent))
			ownerless := s.Create(puppet.Job("ownerless").Label("app", "same"))
			cronJob := s.Due(labelled("a", batchv1.ReplaceConcurrent), first)
			cronJob.Starts(first)
			cronJob.NextDue(second)

			cronJob.Starts(second)
			s.Soon("the old Job is gone", func(g Gomega) {
				g.Expect(cronJob.Existing()).To(Equal(framework.Times(second)))
			})
			other.RefersOnlyTo(first)
			Expect(s.Jobs()).To(ContainElement(And(
				HaveField("UID", ownerless.UID),
				HaveField("DeletionTimestamp", BeNil()))))
		})

		// Wrong: deletes what has the name of a Job in status.active.
		It("the controller does not delete another Job that has the name of a deleted one in status.active",
			covers.Requirements(PolicyCountsOwnJobs), unmanagedJobs, covers.Shows(upstream.ReplacesByName),
			func(ctx SpecContext) {
				s := framework.New(ctx)
				other := s.Create(unmanaged("again"))
				hadJob(s, batchv1.ReplaceConcurrent, first, "again").Starts(first)
				s.Stays("the other Job is there", func(g Gomega) {
					g.Expect(s.Jobs()).To(ContainElement(And(
						HaveField("UID", other.UID),
						HaveField("DeletionTimestamp", BeNil()))))
				})
			})

		// The policy may change while several Jobs run. #36161. Wrong: replaces one of them, or every
		// other one, as it changes the list that it goes through.
		It("the controller replaces all running Jobs when the policy was Allow before", covers.Requirements(
			ChangedPolicyHoldsAtOnce, ReplaceDeletesUnfinished), func(ctx SpecContext) {
			cronJob, _ := threeRun(framework.New(ctx))
			cronJob.NextDue(fourth, toReplace)
			cronJob.Starts(fourth)
			cronJob.Runs(fourth)
		})

		// #36161. Wrong: asks for a Job that it has just deleted.
		It("the controller emits no warning when it replaces several Jobs", covers.Requirements(
			NoWarningWhileReplacing), func(ctx SpecContext) {
			s := framework.New(ctx)
			cronJob, _ := threeRun(s)
			cronJob.NextDue(fourth, toReplace)
			cronJob.Starts(fourth)
			cronJob.Runs(fourth)
			s.Stays("there is no warning about the CronJob", func(g Gomega) {
				g.Expect(s.Events()).NotTo(ContainElement(And(
					HaveField("InvolvedObject.UID", cronJob.UID), HaveField("Type", corev1.EventTypeWarning))))
			})
		})

		// Wrong: deletes running Jobs before it knows whether it may start one.
		It("the controller deletes no Job for a time past its starting deadline", covers.Requirements(
			ReplaceOnlyToStart), func(ctx SpecContext) {
			cronJob, job := running(framework.New(ctx), cron(batchv1.ReplaceConcurrent))
			cronJob.NextDue(second, func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = ptr.To(int64(60)) })

			cronJob.KeepsRunning(first)
			Expect(cronJob.Jobs()).To(ContainElement(And(
				HaveField("UID", job.UID),
				HaveField("DeletionTimestamp", BeNil()))))
		})
	})
})
