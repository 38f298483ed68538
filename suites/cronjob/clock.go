package cronjob

import (
	"fmt"
	"time"
	_ "time/tzdata" // summer time must not depend on the machine's files

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/contract"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	"github.com/jobconformance/jobconformance/suites/contract/upstream"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/utils/ptr"
)

var _ = Describe("CronJob clock:", behaviour.Schedule, func() {

	// The first two missed times are 2 hours apart, and the next one is 22 hours later.
	// Wrong: takes all missed times to be as far apart as the first two.
	It("the controller starts the last missed Job although missed times were closer together before",
		covers.Requirements(
			LatestMissedOnly), covers.Shows(upstream.MissedRunLost), func(ctx SpecContext) {
			s, tick := framework.New(ctx), framework.Ago(150*time.Minute)
			schedule := fmt.Sprintf("%d %d,%d * * *", tick.Minute(), tick.Add(-2*time.Hour).Hour(), tick.Hour())
			cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule(schedule), tick.Add(-3*time.Hour))

			cronJob.Starts(tick)
			Expect(cronJob.Started()).To(Equal(framework.Times(tick)))
		})

	// Wrong: counts the interval from the deadline on, so that the next time is always
	// in the future.
	It("the controller starts a missed Job of @every within a starting deadline below the interval",
		covers.Requirements(
			DeadlineWithEvery), covers.Shows(upstream.EveryMissesDeadline), func(ctx SpecContext) {
			s, last := framework.New(ctx), framework.Ago(65*time.Minute)
			cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).
				Schedule("@every 1h").StartingDeadlineSeconds(600), last)

			cronJob.Starts(last.Add(time.Hour))
		})

	// Another CronJob shows that the controller has seen this one, too late by its first
	// deadline. Wrong: takes the time for skipped once and for all.
	It("the controller starts a Job that is in time by a changed starting deadline", covers.Requirements(
		ChangedDeadline), func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).StartingDeadlineSeconds(60), tick)
		s.Due(puppet.CronJob("witness", puppet.Job("")), tick).Starts(tick)
		Expect(cronJob.Started()).To(BeEmpty())

		cronJob.Change(func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = ptr.To[int64](3600) })
		cronJob.Starts(tick)
	})

	// What it does is up to the controller; the spec adds to Ginkgo's report what it saw. Wrong: takes 0 for
	// no deadline, and so begins with what it has missed; or remembers that it was too late.
	It("the controller starts no missed Job with a starting deadline of 0, and perhaps the next one",
		covers.Requirements(ShortDeadline), func(ctx SpecContext) {
			s, tick := framework.New(ctx), time.Now().Add(6*time.Second).Truncate(time.Second)
			s.NeedsSeconds()
			last := tick.Add(-time.Minute)
			cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule("@every 1m").
				StartingDeadlineSeconds(0), last.Add(-5*time.Minute))
			s.StaysFor(time.Until(tick)+s.Waits().Settle, "no Job of a time before is started", func(g Gomega) {
				g.Expect(cronJob.Started()).To(BeElementOf(framework.Times(), framework.Times(tick)))
			})
			AddReportEntry("scheduled times of the Jobs started", cronJob.Started())
			cronJob.Change(func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = ptr.To[int64](3600) })
			s.Soon("a Job is started", func(g Gomega) { g.Expect(cronJob.Started()).NotTo(BeEmpty()) })
			Expect(cronJob.Started()[0] >= framework.Times(tick)[0]).To(BeTrue(), "it is that of the latest time")
		})

	// The zone of the controller is not known, but all zones agree on every fifth minute.
	// Another time may come while the spec runs. Wrong: needs a zone.
	It("the controller starts the Job of a CronJob without a time zone", covers.Requirements(
		ZoneOfTheController), func(ctx SpecContext) {
		s := framework.New(ctx)
		latest := func() time.Time { return framework.Ago(0).Truncate(5 * time.Minute) }
		before := latest()
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).
			Schedule("*/5 * * * *").Policy(batchv1.ForbidConcurrent).
			With(func(c *batchv1.CronJob) { c.Spec.TimeZone = nil }), before.Add(-7*time.Minute))

		cronJob.StartsOne()
		Expect(cronJob.Existing()).To(BeElementOf(framework.Times(before), framework.Times(latest())))
	})

	// The interval began 54 s ago. Wrong: looks at the clock every few seconds.
	It("the controller starts a Job within 10 s of its scheduled time", covers.Requirements(
		StartsWithoutDelay), framework.OneLeader("none may lead for longer"), func(ctx SpecContext) {
		s, last := framework.New(ctx), time.Now().Add(-54*time.Second).Truncate(time.Second)
		s.NeedsSeconds()
		tick := last.Add(time.Minute)
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule("@every 1m"), last)

		s.SoonAfter(time.Until(tick), "the Job is started", func(g Gomega) {
			g.Expect(cronJob.Started()).To(Equal(framework.Times(tick)))
		})
		late := cronJob.Jobs()[0].CreationTimestamp.Sub(tick)
		Expect(late).To(And(BeNumerically(">=", 0), BeNumerically("<=", 10*time.Second)))
	})
})

// These specs take up to a minute, most of which they wait.
var _ = Describe("CronJob clock:", behaviour.Schedule, Label("slow"), func() {

	// Another spec judges late starts: a controller on a busy machine may be too late for one time.
	// The spec deletes the first Job, as upstream names Jobs by the minute, and a controller may look at
	// a Job that has ended only when the next one is due. Wrong: sets its alarm once; or starts a Job
	// shortly before its time, and again.
	It("the controller starts a Job at each of two consecutive times", covers.Requirements(
		NoticesTimeAlone), covers.MayShow(upstream.StartedAgain), func(ctx SpecContext) {
		const interval = 20 * time.Second
		s, last := framework.New(ctx), time.Now().Truncate(time.Second)
		s.NeedsSeconds()
		tick := func(n time.Duration) time.Time { return last.Add(n * interval) }
		cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).Schedule("@every 20s"), last)
		s.SoonAfter(interval, "the Job of a time is started", func(g Gomega) {
			g.Expect(cronJob.Jobs()).NotTo(BeEmpty())
		})
		first := cronJob.Jobs()[0]
		s.Handle(&first).Delete()
		s.SoonAfter(2*interval, "the Jobs of two consecutive times are started", func(g Gomega) {
			g.Expect(cronJob.Started()).To(framework.Either(
				ContainElements(framework.Times(tick(1), tick(2))),
				ContainElements(framework.Times(tick(2), tick(3)))))
		})
		for _, job := range s.CreatedJobs() {
			at, err := time.Parse(time.RFC3339, s.ScheduledTime(job))
			Expect(err).NotTo(HaveOccurred())
			Expect(at.Sub(last)%interval).To(BeZero(), "%s is no time of the schedule", at)
			Expect(job.CreationTimestamp.Time).NotTo(BeTemporally("<", at))
		}
	})

	// No object changes from the last sync that starts nothing until the next time.
	DescribeTable("the controller starts the next Job by itself",
		func(ctx SpecContext, soon func() time.Time, prepare func(*framework.Sandbox, time.Time) *framework.CronJob) {
			s, next := framework.New(ctx), soon()
			cronJob := prepare(s, next)
			for time.Until(next) < time.Second { // The controller may see it only after that time.
				s, next = framework.New(ctx), soon()
				cronJob = prepare(s, next)
			}
			s.SoonAfter(time.Until(next), "the Job of the next time is started", func(g Gomega) {
				g.Expect(cronJob.Started()).To(ContainElements(framework.Times(next)))
			})
		},
		// The Job has the name that upstream's controller would give. Before 1.37, it tries again
		// after delays that grow, and may be late. Wrong: waits until somebody deletes it.
		Entry("after a time whose Job could not get its name", covers.Requirements(NextTimeAfterSkipped),
			unmanagedJobs, covers.Shows(upstream.ForeignJobStopsClock), covers.MayShow(upstream.LostStart),
			nextInterval, func(s *framework.Sandbox, next time.Time) *framework.CronJob {
				s.NeedsSeconds()
				missed := next.Add(-5 * time.Minute)
				s.Create(unmanaged(s.JobName("a", missed)))
				return skips(s, puppet.CronJob("a", puppet.Job("")).Schedule("@every 5m"), missed.Add(-5*time.Minute))
			}),
		// Wrong: sets no alarm when it skips a time.
		Entry("after a time that it was too late for", covers.Requirements(NextTimeAfterSkipped),
			nextMinute, func(s *framework.Sandbox, next time.Time) *framework.CronJob {
				missed := next.Add(-5 * time.Minute)
				schedule := fmt.Sprintf("%d,%d * * * *", missed.Minute(), next.Minute())
				return skips(s, puppet.CronJob("a", puppet.Job("")).
					Schedule(schedule).StartingDeadlineSeconds(60), missed.Add(-time.Minute))
			}),
		// Another CronJob shows that the controller has seen this one. Wrong: keeps the alarm
		// of the former schedule.
		Entry("after a change of the schedule", covers.Requirements(ChangedSchedule),
			nextMinute, func(s *framework.Sandbox, next time.Time) *framework.CronJob {
				cronJob := seen(s, puppet.Daily(next.Add(6*time.Hour)))
				cronJob.Change(func(c *batchv1.CronJob) { c.Spec.Schedule = puppet.Daily(next) })
				return cronJob
			}),
		// India is 5:30 h ahead of UTC. Wrong: the same.
		Entry("after a change of the time zone", covers.Requirements(ChangedTimeZone),
			nextMinute, func(s *framework.Sandbox, next time.Time) *framework.CronJob {
				cronJob := seen(s, puppet.Daily(next.Add(5*time.Hour+30*time.Minute)))
				cronJob.Change(func(c *batchv1.CronJob) { c.Spec.TimeZone = ptr.To("Asia/Kolkata") })
				return cronJob
			}),
	)
})

// nextMinute returns the next full minute for which there is enough time to prepare.
func nextMinute() time.Time {
	return time.Now().UTC().Add(5 * time.Second).Truncate(time.Minute).Add(time.Minute)
}

// nextInterval returns the time in 10 s: enough to prepare.
func nextInterval() time.Time { return time.Now().Add(10 * time.Second).Truncate(time.Second) }

// skips creates a CronJob with a missed time after last. It is suspended at first, so that the
// controller considers that time once.
func skips(s *framework.Sandbox, cronJob *puppet.CronJobBuilder, last time.Time) *framework.CronJob {
	GinkgoHelper()
	created := s.Scheduled(cronJob.Suspend(), last)
	created.Resume()
	return created
}

// seen creates a CronJob, and waits until the controller has seen a later one.
func seen(s *framework.Sandbox, schedule string) *framework.CronJob {
	GinkgoHelper()
	cronJob := s.CreateCronJob(puppet.CronJob("a", puppet.Job("")).Schedule(schedule))
	tick := framework.Ago(30 * time.Minute)
	s.Due(puppet.CronJob("witness", puppet.Job("")), tick).Starts(tick)
	return cronJob
}

// What becomes of such a time is up to the controller; the spec adds to Ginkgo's report what
// it saw. kube-controller-manager v1.37.1 and the reference start no Job for a time that does
// not exist, and two Jobs for one that exists twice.
var _ = Describe("CronJob summer time:", behaviour.Schedule, func() {

	// Another CronJob shows that the controller has seen this one. Wrong: starts several
	// Jobs, or one on another day.
	DescribeTable("the controller starts at most one Job on that day",
		func(ctx SpecContext, by time.Duration, hour func(summerTime) int, after time.Duration) {
			s := framework.New(ctx)
			midnight, zone := clockChange(by)
			last := midnight.Add(time.Duration(hour(zone))*time.Hour + after)
			schedule := fmt.Sprintf("30 %d %d %d *", hour(zone), midnight.Day(), midnight.Month())
			cronJob := s.Scheduled(puppet.CronJob("a", puppet.Job("")).TimeZone(zone.name).Schedule(schedule), last)
			tick := framework.Ago(30 * time.Minute)
			s.Due(puppet.CronJob("witness", puppet.Job("")), tick).Starts(tick)

			s.Stays("there is one Job, or none", func(g Gomega) {
				g.Expect(len(cronJob.Started())).To(BeNumerically("<=", 1))
				for _, job := range cronJob.Jobs() {
					at, err := time.Parse(time.RFC3339, s.ScheduledTime(job))
					g.Expect(err).NotTo(HaveOccurred())
					g.Expect(at).To(And(BeTemporally(">", last), BeTemporally("<", midnight.AddDate(0, 0, 1))))
				}
			})
			AddReportEntry("scheduled times of the Jobs started", cronJob.Started())
		},
		Entry("for a time that does not exist as summer time begins", covers.Requirements(SkippedBySummerTime),
			covers.Uses(contract.CronTimeZone), time.Hour, func(z summerTime) int { return z.skipped }, -time.Hour),
		Entry("for a time that exists again as summer time ends", covers.Requirements(RepeatedBySummerTime),
			covers.Uses(contract.CronTimeZone), -time.Hour, func(z summerTime) int { return z.repeated },
			30*time.Minute),
	)
})

// summerTime is a zone with the hours that do not exist, or exist twice, on the days when
// summer time begins and ends.
type summerTime struct {
	name              string
	skipped, repeated int
}

// clockChange returns the begin of the last day, before today, on which the clocks of a
// zone were put forward (by > 0) or back. It is less than a year ago, so that its date has
// not come again.
func clockChange(by time.Duration) (time.Time, summerTime) {
	GinkgoHelper()
	for _, zone := range []summerTime{{"America/New_York", 2, 1}, {"Europe/Berlin", 2, 2}} {
		location, err := time.LoadLocation(zone.name)
		Expect(err).NotTo(HaveOccurred())
		year, month, day := time.Now().In(location).Date()
		for i := 1; i < 360; i++ {
			begin, end := time.Date(year, month, day-i, 0, 0, 0, 0, location),
				time.Date(year, month, day-i+1, 0, 0, 0, 0, location)
			if end.Sub(begin) == 24*time.Hour-by {
				return begin, zone
			}
		}
	}
	Skip("not verified: no zone is known whose clocks changed within the last year")
	return time.Time{}, summerTime{}
}
