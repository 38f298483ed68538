package admission

import (
	"context"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// lastTick is the minute that began 3 to 4 minutes ago.
func lastTick() time.Time { return time.Now().UTC().Add(-3 * time.Minute).Truncate(time.Minute) }

// everStarted are all Jobs that ever were.
func everStarted(s *framework.Sandbox) []batchv1.Job {
	var all []batchv1.Job
	for _, r := range s.History().Jobs("") {
		if r.Created() {
			all = append(all, *r.Job())
		}
	}
	return all
}

// startsNothing expects that a CronJob starts no Job, and does not say so.
func startsNothing(s *framework.Sandbox, name string, lastTime *metav1.Time) {
	GinkgoHelper()
	s.Stays("there is no Job, and none in the status", func(g Gomega) {
		g.Expect(everStarted(s)).To(BeEmpty())
		g.Expect(s.CronJob(name).Status.Active).To(BeEmpty())
		g.Expect(s.CronJob(name).Status.LastScheduleTime).To(HaveValue(HaveField("Time", BeTemporally("==", lastTime.Time))))
	})
}

// startsOnce waits until a CronJob has started its tick, and expects that it
// does so once.
func startsOnce(s *framework.Sandbox, name string, tick time.Time) {
	GinkgoHelper()
	s.Soon("the tick has its Job", func(g Gomega) {
		g.Expect(s.Jobs()).To(ConsistOf(HaveField("Annotations", HaveKeyWithValue(batchv1.CronJobScheduledTimestampAnnotation, tick.Format(time.RFC3339)))))
		g.Expect(s.CronJob(name).Status.Active).To(ConsistOf(HaveField("UID", s.Jobs()[0].UID)))
		g.Expect(s.CronJob(name).Status.LastScheduleTime).To(HaveValue(HaveField("Time", BeTemporally("==", tick))))
	})
	Expect(everStarted(s)).To(HaveLen(1))
}

// noJobs is a quota without room for Jobs.
func noJobs(ctx context.Context, s *framework.Sandbox) wall {
	GinkgoHelper()
	return full(ctx, s, "count/jobs.batch", creating(s, exampleJob())).wall()
}

// due makes a CronJob that has slept through one tick.
func due(ctx context.Context, s *framework.Sandbox, cronJob *puppet.CronJobBuilder, tick time.Time) *batchv1.CronJob {
	GinkgoHelper()
	made := framework.Create(ctx, s, cronJob.Schedule(puppet.Daily(tick)).Obj())
	framework.ChangeStatus(ctx, s, made, func(c *batchv1.CronJob) {
		c.Status.LastScheduleTime = ptr.To(metav1.NewTime(tick.Add(-5 * time.Minute)))
	})
	return made
}

// moveOn lets a later tick come. To the controller it is due at once: it cannot
// look while the CronJob is suspended.
func moveOn(ctx context.Context, s *framework.Sandbox, name string, tick time.Time) {
	GinkgoHelper()
	framework.Change(ctx, s, s.CronJob(name), func(c *batchv1.CronJob) { c.Spec.Suspend, c.Spec.Schedule = ptr.To(true), puppet.Daily(tick) })
	framework.ChangeStatus(ctx, s, s.CronJob(name), func(c *batchv1.CronJob) {
		c.Status.LastScheduleTime = ptr.To(metav1.NewTime(tick.Add(-5 * time.Minute)))
	})
	framework.Change(ctx, s, s.CronJob(name), func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(false) })
}

var _ = Describe("a CronJob whose Jobs are refused", Label("area:cronjob", "behaviour:admission"), func() {

	// Wrong: takes a tick for started that was refused, so that it is lost.
	DescribeTable("waits, and starts the tick by itself when they no longer are, after", func(ctx SpecContext, build func(context.Context, *framework.Sandbox) wall) {
		s := framework.New(ctx)
		wall := build(ctx, s)
		tick := lastTick()
		made := due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		warned(s, made.UID, "FailedCreate")
		startsNothing(s, "a", s.CronJob("a").Status.LastScheduleTime)
		wall.lift(ctx)
		startsOnce(s, "a", tick)
	},
		Entry("a quota", Covers(RefusedJobIsNotRecorded, WarnsOfARefusedJob, RefusedTickStartsLater), noJobs),
		Entry("a policy", Covers(RefusedJobIsNotRecorded, WarnsOfARefusedJob, RefusedTickStartsLater), refuseJobs),
	)

	// Wrong: tries again at once, for ever.
	It("is no endless loop of requests", Covers(BacksOffWhileJobIsRefused), framework.LocalAPIServer("a webhook in this process counts requests"), func(ctx SpecContext) {
		s := framework.New(ctx)
		c := count(ctx, s, jobs.rule(admissionregistrationv1.Create), creating(s, exampleJob()))
		tick := lastTick()
		due(ctx, s, puppet.CronJob("a", puppet.Job("")), tick)
		s.Soon("it was tried", func(g Gomega) { g.Expect(c.attempts()).NotTo(BeEmpty()) })
		startsNothing(s, "a", s.CronJob("a").Status.LastScheduleTime)
		attempts := c.attempts()
		Expect(len(attempts)).To(BeNumerically("<=", loop), "attempts %v", since(attempts))
		c.lift(ctx)
		startsOnce(s, "a", tick)
	})

	// The implementation may decide before the deadline and ask after it, though
	// not long after it. Wrong: tries again what it decided once, however late it
	// is.
	It("starts nothing after the starting deadline", Covers(RefusedTickExpires), func(ctx SpecContext) {
		s := framework.New(ctx)
		wall := refuseJobs(ctx, s)
		tick := lastTick()
		deadline := time.Since(tick) + 2*time.Second
		due(ctx, s, puppet.CronJob("a", puppet.Job("")).StartingDeadlineSeconds(int64(deadline/time.Second)), tick)
		last := s.CronJob("a").Status.LastScheduleTime
		startsNothing(s, "a", last) // which takes longer than the deadline
		startsNothing(s, "a", last)
		wall.lift(ctx)
		startsNothing(s, "a", last)
	})

	It("starts nothing when it is suspended before they are allowed", Covers(RefusedTickWaitsForResume), func(ctx SpecContext) {
		s := framework.New(ctx)
		wall := refuseJobs(ctx, s)
		made := due(ctx, s, puppet.CronJob("a", puppet.Job("")), lastTick())
		warned(s, made.UID, "FailedCreate")
		framework.Change(ctx, s, s.CronJob("a"), func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(true) })
		s.Stays("there is no Job", func(g Gomega) { g.Expect(everStarted(s)).To(BeEmpty()) })
		wall.lift(ctx)
		startsNothing(s, "a", s.CronJob("a").Status.LastScheduleTime)
	})
})

var _ = Describe("a CronJob whose Jobs are not as it made them", Label("area:cronjob", "behaviour:admission"), func() {

	// Wrong: knows its Jobs by what their template says.
	It("knows those with more labels and annotations for its own", Covers(CountsJobsWithAddedLabels), func(ctx SpecContext) {
		s := framework.New(ctx)
		rewrite(ctx, s, jobs, applying(added),
			exampleJob(), func(j *batchv1.Job) bool { return j.Labels["example.com/added"] == "yes" })
		tick := lastTick()
		due(ctx, s, puppet.CronJob("a", puppet.Job("").ExitCodes("0")).SuccessfulJobsHistoryLimit(0), tick)
		s.Soon("its Job has come and gone", func(g Gomega) {
			g.Expect(everStarted(s)).To(ConsistOf(HaveField("Labels", HaveKeyWithValue("example.com/added", "yes"))))
			g.Expect(s.Jobs()).To(BeEmpty())
			g.Expect(s.CronJob("a").Status.Active).To(BeEmpty())
			g.Expect(s.CronJob("a").Status.LastSuccessfulTime).NotTo(BeNil())
		})
	})

	// Wrong: starts the next Job whether the one before went or not.
	It("does not replace one that it may not delete until it may", Covers(NoReplacementBeforeDeletion), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := lastTick().Add(-10 * time.Minute)
		made := due(ctx, s, puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ReplaceConcurrent), tick)
		startsOnce(s, "a", tick)
		first := s.Jobs()[0]
		wall := refuse(ctx, s, jobs.rule(admissionregistrationv1.Delete), "true", func(ctx context.Context) error {
			return s.Client.Delete(ctx, first.DeepCopy(), client.DryRunAll)
		})
		next := lastTick()
		moveOn(ctx, s, "a", next)
		warned(s, made.UID, "FailedDelete")
		s.Stays("the first Job is the only one", func(g Gomega) {
			g.Expect(everStarted(s)).To(HaveLen(1))
			g.Expect(s.CronJob("a").Status.Active).To(ConsistOf(HaveField("UID", first.UID)))
		})
		wall.lift(ctx)
		s.Soon("the next tick has replaced it", func(g Gomega) {
			g.Expect(s.Jobs()).To(ConsistOf(And(
				HaveField("UID", Not(Equal(first.UID))),
				HaveField("Annotations", HaveKeyWithValue(batchv1.CronJobScheduledTimestampAnnotation, next.Format(time.RFC3339))))))
		})
		Expect(everStarted(s)).To(HaveLen(2))
	})
})
