package admission

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// startsNothing expects that a CronJob, made by Due for a scheduled time, starts no Job
// and records none in its status.
func startsNothing(s *framework.Sandbox, cronJob *batchv1.CronJob, tick time.Time) {
	GinkgoHelper()
	s.Stays("no Job is started or recorded", func(g Gomega) {
		g.Expect(CreatedJobs(s)).To(BeEmpty())
		g.Expect(s.CronJob(cronJob.Name).Status.Active).To(BeEmpty())
		g.Expect(s.CronJob(cronJob.Name).Status.LastScheduleTime).To(BeAt(LastBefore(tick)))
	})
}

// startsOnce waits until a CronJob has started the Job of a scheduled time, and
// expects that this is the only one ever.
func startsOnce(s *framework.Sandbox, cronJob *batchv1.CronJob, tick time.Time) batchv1.Job {
	GinkgoHelper()
	job := Starts(s, cronJob, tick)
	Runs(s, cronJob, tick)
	Expect(CreatedJobs(s)).To(HaveLen(1))
	return job
}

// noJobs creates a quota without room for Jobs.
func noJobs(ctx context.Context, s *framework.Sandbox) denial {
	GinkgoHelper()
	return full(ctx, s, "count/jobs.batch", creating(s, exampleJob())).denial()
}

var _ = Describe("CronJob admission, rejected Jobs:", Label("area:cronjob", "behaviour:admission"), func() {

	// Wrong: takes a rejected Job for started, so that it is never started.
	DescribeTable("the controller starts the Job later when it is rejected by", func(ctx SpecContext, build func(context.Context, *framework.Sandbox) denial) {
		s := framework.New(ctx)
		denial := build(ctx, s)
		tick := Ago(3 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		warned(s, cronJob.UID, "FailedCreate")
		startsNothing(s, cronJob, tick)
		denial.lift(ctx)
		startsOnce(s, cronJob, tick)
	},
		Entry("a quota", Covers(RefusedJobIsNotRecorded, WarnsOfARefusedJob, RefusedTickStartsLater), noJobs),
		Entry("a policy", Covers(RefusedJobIsNotRecorded, WarnsOfARefusedJob, RefusedTickStartsLater), denyJobs),
	)

	// Wrong: tries again at once, for ever.
	It("the controller backs off between requests", Covers(BacksOffWhileJobIsRefused), framework.LocalAPIServer("a webhook in this process counts requests"), func(ctx SpecContext) {
		s := framework.New(ctx)
		c := count(ctx, s, jobs.rule(admissionregistrationv1.Create), creating(s, exampleJob()))
		tick := Ago(3 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		s.Soon("the controller has tried to create the Job", func(g Gomega) { g.Expect(c.attempts()).NotTo(BeEmpty()) })
		startsNothing(s, cronJob, tick)
		c.expectAttempts(maxAttempts)
		c.lift(ctx)
		startsOnce(s, cronJob, tick)
	})

	// The controller may decide before the deadline and send its request shortly after
	// it. Wrong: repeats what it once decided, however late it is.
	It("the controller starts no Job after the starting deadline", Covers(RefusedTickExpires), func(ctx SpecContext) {
		s := framework.New(ctx)
		denial := denyJobs(ctx, s)
		tick := Ago(3 * time.Minute)
		deadline := time.Since(tick) + 2*time.Second
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")).StartingDeadlineSeconds(int64(deadline/time.Second)), tick)
		startsNothing(s, cronJob, tick) // which takes longer than the deadline
		startsNothing(s, cronJob, tick)
		denial.lift(ctx)
		startsNothing(s, cronJob, tick)
	})

	It("the controller starts no Job of a CronJob suspended in the meantime", Covers(RefusedTickWaitsForResume), func(ctx SpecContext) {
		s := framework.New(ctx)
		denial := denyJobs(ctx, s)
		tick := Ago(3 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		warned(s, cronJob.UID, "FailedCreate")
		SuspendCronJob(ctx, s, cronJob)
		s.Stays("there is no Job", func(g Gomega) { g.Expect(CreatedJobs(s)).To(BeEmpty()) })
		denial.lift(ctx)
		startsNothing(s, cronJob, tick)
	})
})

var _ = Describe("CronJob admission, changed Jobs:", Label("area:cronjob", "behaviour:admission"), func() {

	// Wrong: recognizes its Jobs by the labels of the template.
	It("Jobs with additional labels and annotations belong to the CronJob", Covers(CountsJobsWithAddedLabels), func(ctx SpecContext) {
		s := framework.New(ctx)
		mutate(ctx, s, jobs, applying(added),
			exampleJob(), func(j *batchv1.Job) bool { return j.Labels["example.com/added"] == "yes" })
		tick := Ago(3 * time.Minute)
		Due(ctx, s, puppet.CronJob("a", puppet.Job("").ExitCodes("0")).SuccessfulJobsHistoryLimit(0), tick)
		s.Soon("the Job has succeeded and is deleted", func(g Gomega) {
			g.Expect(CreatedJobs(s)).To(ConsistOf(HaveField("Labels", HaveKeyWithValue("example.com/added", "yes"))))
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.CronJob("a").Status.Active).To(BeEmpty())
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
		})
	})

	// Wrong: starts the next Job whether the running one is deleted or not.
	It("a Job whose deletion is rejected is replaced only when it can be deleted", Covers(NoReplacementBeforeDeletion), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := Ago(3 * time.Minute).Add(-10 * time.Minute)
		cronJob := Due(ctx, s, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ReplaceConcurrent), tick)
		first := startsOnce(s, cronJob, tick)
		denial := deny(ctx, s, jobs.rule(admissionregistrationv1.Delete), "true", func(ctx context.Context) error {
			return s.Client.Delete(ctx, first.DeepCopy(), client.DryRunAll)
		})
		next := Ago(3 * time.Minute)
		NextDue(ctx, s, cronJob, next)
		warned(s, cronJob.UID, "FailedDelete")
		s.Stays("the first Job is the only one", func(g Gomega) {
			g.Expect(CreatedJobs(s)).To(HaveLen(1))
			g.Expect(s.CronJob("a").Status.Active).To(ConsistOf(HaveField("UID", first.UID)))
		})
		denial.lift(ctx)
		s.Soon("the next Job has replaced it", func(g Gomega) {
			g.Expect(s.Jobs()).To(HaveLen(1))
			g.Expect(Existing(s, cronJob)).To(Equal(Times(next)))
		})
		Expect(CreatedJobs(s)).To(HaveLen(2))
	})
})
