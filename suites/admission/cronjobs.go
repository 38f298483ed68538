package admission

import (
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	"github.com/jobconformance/jobconformance/suites/contract/behaviour"
	"github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// hourly makes a CronJob whose next Job is due in half an hour.
func hourly() *puppet.CronJobBuilder {
	return puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(time.Now().Add(30 * time.Minute)))
}

// cron makes a CronJob with one change.
func cron(change func(*batchv1.CronJob)) *batchv1.CronJob { return hourly().With(change).Obj() }

// invalidSchedules are schedules that the API server rejects.
var invalidSchedules = []string{
	" ", "*", "* * * *", "* * * * * *", "a * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *",
	"* * * 0 *", "* * * 13 *", "* * * * 7", "-1 * * * *", "5-1 * * * *", "*/0 * * * *",
	"* * * foo *", "@often", "@every", "@every soon",
}

// validSchedules are schedules that the API server accepts.
var validSchedules = []string{
	"* * * * *", "0 0 1 1 0", "59 23 31 12 6", "*/5 * * * *", "0-30/10 8-18 * * 1-5", "0,15,30,45 * * * *",
	"0 0 ? * *", "0 0 * jan mon", "0 0 * JAN-MAR MON,FRI", "0 0 30 2 *",
	"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@every 90m",
}

// rejectsValue expects that the API server rejects a value of a field, in a new
// CronJob and as a change of one that exists.
func rejectsValue(s *framework.Sandbox, existing *batchv1.CronJob, field, value string, set func(*batchv1.CronJob)) {
	GinkgoHelper()
	_, err := dryRun(s, hourly().With(set).With(func(c *batchv1.CronJob) { c.Name = "b" }).Obj())
	expectRejected(err, field, "new with %q", value)
	_, err = changed(s, existing, set)
	expectRejected(err, field, "changed to %q", value)
}

var _ = Describe("CronJob validation:", behaviour.Validation, func() {

	DescribeTable("the API server rejects", func(ctx SpecContext, cases invalidCronJobs) {
		rejects(framework.New(ctx), func() *batchv1.CronJob {
			return cron(func(c *batchv1.CronJob) { c.Name = strings.Repeat("a", 52) })
		}, cases)
	},
		Entry("a name of more than 52 characters", covers.Requirements(CronJobNameIsShort), invalidCronJobs{
			{"metadata.name", func(c *batchv1.CronJob) { c.Name = strings.Repeat("a", 53) }},
		}),
		Entry("a name that is not a DNS subdomain", covers.Requirements(CronJobNameIsValid), invalidCronJobs{
			{"metadata.name", func(c *batchv1.CronJob) { c.Name = "A" }},
			{"metadata.name", func(c *batchv1.CronJob) { c.Name = "a_b" }},
			{"metadata.name", func(c *batchv1.CronJob) { c.Name = "a-" }},
		}),
		Entry("a negative starting deadline or history limit", covers.Requirements(RefusesNegativeCronNumbers),
			invalidCronJobs{
				{"spec.startingDeadlineSeconds", func(c *batchv1.CronJob) {
					c.Spec.StartingDeadlineSeconds = ptr.To[int64](-1)
				}},
				{"spec.successfulJobsHistoryLimit", func(c *batchv1.CronJob) {
					c.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](-1)
				}},
				{"spec.failedJobsHistoryLimit", func(c *batchv1.CronJob) {
					c.Spec.FailedJobsHistoryLimit = ptr.To[int32](-1)
				}},
			}),
		Entry("an unknown concurrencyPolicy", covers.Requirements(ConcurrencyPolicyIsValid), invalidCronJobs{
			{"spec.concurrencyPolicy", func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = "Queue" }},
			{"spec.concurrencyPolicy", func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = "allow" }},
		}),
		Entry("an invalid Job template", covers.Requirements(JobTemplateIsValid), invalidCronJobs{
			{"spec.jobTemplate.spec.template.spec.restartPolicy", func(c *batchv1.CronJob) {
				c.Spec.JobTemplate.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyAlways
			}},
			{"spec.jobTemplate.spec.template.spec.containers", func(c *batchv1.CronJob) {
				c.Spec.JobTemplate.Spec.Template.Spec.Containers = nil
			}},
			{"spec.jobTemplate.spec.parallelism", func(c *batchv1.CronJob) {
				c.Spec.JobTemplate.Spec.Parallelism = ptr.To[int32](-1)
			}},
			{"spec.jobTemplate.spec.completions", func(c *batchv1.CronJob) {
				c.Spec.JobTemplate.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
			}},
		}),
		Entry("a selector in the Job template", covers.Requirements(JobTemplateHasNoSelector), invalidCronJobs{
			{"spec.jobTemplate.spec.selector", func(c *batchv1.CronJob) {
				c.Spec.JobTemplate.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"mine": "yes"}}
				c.Spec.JobTemplate.Spec.Template.Labels = map[string]string{"mine": "yes"}
			}},
			{"spec.jobTemplate.spec.manualSelector", func(c *batchv1.CronJob) {
				c.Spec.JobTemplate.Spec.ManualSelector = ptr.To(true)
			}},
		}),
	)

	It("the API server accepts a starting deadline and history limits of 0", covers.Requirements(
		RefusesNegativeCronNumbers), func(ctx SpecContext) {
		accepted(framework.New(ctx),
			hourly().StartingDeadlineSeconds(0).SuccessfulJobsHistoryLimit(0).FailedJobsHistoryLimit(0).Obj())
	})

	It("the API server accepts every form of schedule", covers.Requirements(AcceptsSchedules), func(ctx SpecContext) {
		s := framework.New(ctx)
		for _, schedule := range validSchedules {
			_, err := dryRun(s, cron(func(c *batchv1.CronJob) { c.Spec.Schedule = schedule }))
			Expect(err).NotTo(HaveOccurred(), schedule)
		}
	})

	It("the API server rejects invalid schedules", covers.Requirements(
		RefusesUnreadableSchedules), func(ctx SpecContext) {
		s := framework.New(ctx)
		made := framework.Create(s, hourly().Suspend().Obj())
		for _, schedule := range append([]string{""}, invalidSchedules...) {
			rejectsValue(s, made, "spec.schedule", schedule, func(c *batchv1.CronJob) { c.Spec.Schedule = schedule })
		}
	})

	It("the API server rejects schedules with a time zone in them", covers.Requirements(
		RefusesTimeZoneInSchedule), func(ctx SpecContext) {
		s := framework.New(ctx)
		made := framework.Create(s, hourly().Suspend().Obj())
		for _, schedule := range []string{"TZ=UTC 0 * * * *", "CRON_TZ=Europe/Berlin 0 * * * *", "TZ=UTC @daily"} {
			for _, zone := range []*string{nil, ptr.To("Etc/UTC")} {
				rejectsValue(s, made, "spec.schedule", schedule, func(c *batchv1.CronJob) {
					c.Spec.TimeZone, c.Spec.Schedule = zone, schedule
				})
			}
		}
	})

	It("the API server accepts the names of time zones", covers.Requirements(AcceptsTimeZones), func(ctx SpecContext) {
		s := framework.New(ctx)
		for _, zone := range []string{"UTC", "Etc/UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Asia/Kathmandu",
			"Etc/GMT+7", "US/Pacific", "EST5EDT"} {
			job, err := dryRun(s, cron(func(c *batchv1.CronJob) { c.Spec.TimeZone = &zone }))
			Expect(err).NotTo(HaveOccurred(), zone)
			Expect(job.Spec.TimeZone).To(HaveValue(Equal(zone)), "spec.timeZone")
		}
		job, err := dryRun(s, cron(func(c *batchv1.CronJob) { c.Spec.TimeZone = nil }))
		Expect(err).NotTo(HaveOccurred())
		Expect(job.Spec.TimeZone).To(BeNil(), "spec.timeZone")
	})

	// Wrong: accepts everything that its own library accepts, so that each node may
	// read it in another way.
	It("the API server rejects time zones that have no name", covers.Requirements(
		RefusesUnknownTimeZones), func(ctx SpecContext) {
		s := framework.New(ctx)
		made := framework.Create(s, hourly().Suspend().Obj())
		for _, zone := range []string{"", "Local", "local", "Nowhere/Land", "UTC+1", "../etc/UTC", "/Europe/Berlin",
			"Europe/Berlin/", " "} {
			rejectsValue(s, made, "spec.timeZone", zone, func(c *batchv1.CronJob) { c.Spec.TimeZone = &zone })
		}
	})

	It("the API server lets every field change", covers.Requirements(CronJobSpecMayChange), func(ctx SpecContext) {
		s := framework.New(ctx)
		made := framework.Create(s, hourly().Suspend().Obj())
		for _, c := range []struct {
			field  string
			change func(*batchv1.CronJobSpec)
		}{
			{"spec.schedule", func(c *batchv1.CronJobSpec) { c.Schedule = "@daily" }},
			{"spec.timeZone", func(c *batchv1.CronJobSpec) { c.TimeZone = ptr.To("Europe/Berlin") }},
			{"spec.timeZone", func(c *batchv1.CronJobSpec) { c.TimeZone = nil }},
			{"spec.startingDeadlineSeconds", func(c *batchv1.CronJobSpec) {
				c.StartingDeadlineSeconds = ptr.To[int64](7)
			}},
			{"spec.concurrencyPolicy", func(c *batchv1.CronJobSpec) {
				c.ConcurrencyPolicy = batchv1.ReplaceConcurrent
			}},
			{"spec.suspend", func(c *batchv1.CronJobSpec) { c.Suspend = ptr.To(false) }},
			{"spec.successfulJobsHistoryLimit", func(c *batchv1.CronJobSpec) {
				c.SuccessfulJobsHistoryLimit = ptr.To[int32](7)
			}},
			{"spec.failedJobsHistoryLimit", func(c *batchv1.CronJobSpec) {
				c.FailedJobsHistoryLimit = ptr.To[int32](7)
			}},
			{"spec.jobTemplate.metadata.labels", func(c *batchv1.CronJobSpec) {
				c.JobTemplate.Labels = map[string]string{"a": "b"}
			}},
			{"spec.jobTemplate.spec.parallelism", func(c *batchv1.CronJobSpec) {
				c.JobTemplate.Spec.Parallelism = ptr.To[int32](7)
			}},
			{"spec.jobTemplate.spec.completions", func(c *batchv1.CronJobSpec) {
				c.JobTemplate.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
				c.JobTemplate.Spec.Completions = ptr.To[int32](7)
			}},
			{"spec.jobTemplate.spec.template.spec.containers", func(c *batchv1.CronJobSpec) {
				c.JobTemplate.Spec.Template.Spec.Containers[0].Image = "example.com/another:1"
			}},
		} {
			if s.Lacks(c.field) {
				continue
			}
			want := made.DeepCopy()
			c.change(&want.Spec)
			got, err := changed(s, made, func(cronJob *batchv1.CronJob) { c.change(&cronJob.Spec) })
			Expect(err).NotTo(HaveOccurred(), c.field)
			Expect(equality.Semantic.DeepEqual(got.Spec, want.Spec)).To(BeTrue(), c.field)
		}
		for _, c := range (invalidCronJobs{
			{"spec.concurrencyPolicy", func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = "Queue" }},
			{"spec.startingDeadlineSeconds", func(c *batchv1.CronJob) {
				c.Spec.StartingDeadlineSeconds = ptr.To[int64](-1)
			}},
			{"spec.jobTemplate.spec.parallelism", func(c *batchv1.CronJob) {
				c.Spec.JobTemplate.Spec.Parallelism = ptr.To[int32](-1)
			}},
		}) {
			if s.Lacks(c.field) {
				continue
			}
			_, err := changed(s, made, c.change)
			expectRejected(err, c.field)
		}
	})
})

// startsNothing expects that a CronJob, made by Due for a scheduled time, starts no Job
// and records none in its status.
func startsNothing(s *framework.Sandbox, cronJob *framework.CronJob, tick time.Time) {
	GinkgoHelper()
	s.Stays("no Job is started or recorded", func(g Gomega) {
		g.Expect(s.CreatedJobs()).To(BeEmpty())
		g.Expect(cronJob.Now().Status.Active).To(BeEmpty(), "status.active")
		g.Expect(cronJob.Now().Status.LastScheduleTime).To(framework.BeAt(framework.LastBefore(tick)),
			"status.lastScheduleTime")
	})
}

// startsOnce waits until a CronJob has started the Job of a scheduled time, and
// expects that this is the only one ever.
func startsOnce(s *framework.Sandbox, cronJob *framework.CronJob, tick time.Time) *framework.Job {
	GinkgoHelper()
	job := cronJob.Starts(tick)
	cronJob.Runs(tick)
	Expect(s.CreatedJobs()).To(HaveLen(1))
	return job
}

// startsLater is startsOnce for a Job that was rejected before.
func startsLater(s *framework.Sandbox, cronJob *framework.CronJob, tick time.Time) {
	GinkgoHelper()
	s.SoonAfter(framework.MaxAPIBackoff, "the Job is created", func(g Gomega) {
		g.Expect(s.CreatedJobs()).NotTo(BeEmpty())
	})
	startsOnce(s, cronJob, tick)
}

// denyDeletion creates a policy that rejects the deletion of Jobs, such as this one.
func denyDeletion(s *framework.Sandbox, job *framework.Job) denial {
	GinkgoHelper()
	return deny(s, jobs.rule(admissionregistrationv1.Delete), "true", deleting(s, job.Made()))
}

// noJobs creates a quota without room for Jobs.
func noJobs(s *framework.Sandbox) denial {
	GinkgoHelper()
	return full(s, "count/jobs.batch", creating(s, exampleJob())).denial()
}

var _ = Describe("CronJob admission, rejected Jobs:", behaviour.Admission, func() {

	// Wrong: takes a rejected Job for started, so that it is never started.
	DescribeTable("the controller starts the Job later when it is rejected by",
		func(ctx SpecContext, build func(*framework.Sandbox) denial) {
			s := framework.New(ctx)
			denial := build(s)
			tick := framework.Ago(3 * time.Minute)
			cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
			startsNothing(s, cronJob, tick)
			denial.lift()
			startsLater(s, cronJob, tick)
		},
		Entry("a quota", covers.Requirements(RefusedJobIsNotRecorded, RefusedTickStartsLater), needsQuotas, noJobs),
		Entry("a policy", covers.Requirements(RefusedJobIsNotRecorded, RefusedTickStartsLater), needsPolicies,
			denyJobs),
	)

	// Wrong: makes up for each Job that was rejected.
	It("of several rejected Jobs, the controller starts the latest only", covers.Requirements(
		RefusedTickStartsLater), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		denial := denyJobs(s)
		first, tick := framework.Ago(20*time.Minute), framework.Ago(3*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), first)
		startsNothing(s, cronJob, first)
		cronJob.NextDue(tick)
		startsNothing(s, cronJob, tick)
		denial.lift()
		startsLater(s, cronJob, tick)
		s.Stays("the latest Job is the only one", func(g Gomega) {
			g.Expect(cronJob.Started()).To(Equal(framework.Times(tick)))
		})
	})

	// Wrong: tries again at once, for ever.
	It("the controller backs off between requests", covers.Requirements(
		BacksOffWhileJobIsRefused), countsRequests, func(ctx SpecContext) {
		s := framework.New(ctx)
		c := count(s, jobs.rule(admissionregistrationv1.Create), creating(s, exampleJob()))
		tick := framework.Ago(3 * time.Minute)
		s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		c.expectGrowingDelays(s, "there is no Job", func(g Gomega) { g.Expect(s.CreatedJobs()).To(BeEmpty()) })
	})

	// The controller may decide before the deadline and send its request shortly after
	// it. Wrong: repeats what it once decided, however late it is.
	It("the controller starts no Job after the starting deadline", covers.Requirements(
		RefusedTickExpires), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		denial := denyJobs(s)
		tick := framework.Ago(3 * time.Minute)
		deadline := time.Since(tick) + 2*time.Second
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).StartingDeadlineSeconds(int64(deadline/time.Second)), tick)
		startsNothing(s, cronJob, tick) // which takes longer than the deadline
		startsNothing(s, cronJob, tick)
		denial.lift()
		startsNothing(s, cronJob, tick)
	})

	It("the controller starts no Job of a CronJob suspended in the meantime", covers.Requirements(
		RefusedTickWaitsForResume), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		denial := denyJobs(s)
		tick := framework.Ago(3 * time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")), tick)
		startsNothing(s, cronJob, tick)
		cronJob.Suspend()
		s.Stays("there is no Job", func(g Gomega) { g.Expect(s.CreatedJobs()).To(BeEmpty()) })
		denial.lift()
		startsNothing(s, cronJob, tick)
	})
})

var _ = Describe("CronJob admission, events:", behaviour.Admission, func() {

	It("the controller emits FailedCreate for a rejected Job", covers.Requirements(
		WarnsOfARefusedJob), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		denyJobs(s)
		warned(s, s.Due(puppet.CronJob("a", puppet.Job("")), framework.Ago(3*time.Minute)).UID, "FailedCreate")
	})

	It("the controller emits FailedDelete for a Job whose deletion is rejected", covers.Requirements(
		WarnsOfAnUndeletableJob), needsPolicies, func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(30*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ReplaceConcurrent), tick)
		denyDeletion(s, startsOnce(s, cronJob, tick))
		cronJob.NextDue(framework.Ago(3 * time.Minute))
		warned(s, cronJob.UID, "FailedDelete")
	})
})

var _ = Describe("CronJob admission, changed Jobs:", behaviour.Admission, func() {

	// Wrong: recognizes its Jobs by the labels of the template.
	It("Jobs with additional labels and annotations belong to the CronJob", covers.Requirements(
		CountsJobsWithAddedLabels), needsMutations, func(ctx SpecContext) {
		s := framework.New(ctx)
		mutate(s, jobs, applying(added),
			exampleJob(), func(j *batchv1.Job) bool { return j.Labels["example.com/added"] == "yes" })
		tick := framework.Ago(3 * time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("").ExitCodes("0")).SuccessfulJobsHistoryLimit(0), tick)
		cronJob.ActsOnJobs("the Job has succeeded and is deleted", func(g Gomega) {
			g.Expect(s.CreatedJobs()).To(ConsistOf(HaveField("Labels", HaveKeyWithValue("example.com/added", "yes"))))
			g.Expect(s.Jobs()).To(BeEmpty())
		})
		cronJob.WasScheduledLast(tick)
		cronJob.RefersOnlyTo()
	})

	// Wrong: starts the next Job whether the running one is deleted or not.
	It("a Job whose deletion is rejected is replaced only when it can be deleted", covers.Requirements(
		NoReplacementBeforeDeletion), needsPolicies, func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := framework.Ago(3 * time.Minute).Add(-10 * time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ReplaceConcurrent), tick)
		first := startsOnce(s, cronJob, tick)
		denial := denyDeletion(s, first)
		next := framework.Ago(3 * time.Minute)
		cronJob.NextDue(next)
		s.Stays("the first Job is the only one", func(g Gomega) {
			g.Expect(s.CreatedJobs()).To(HaveLen(1))
			cronJob.Refers(g, tick)
		})
		denial.lift()
		s.SoonAfter(framework.MaxAPIBackoff, "the next Job has replaced it", func(g Gomega) {
			g.Expect(s.Jobs()).To(HaveLen(1))
			g.Expect(cronJob.Existing()).To(Equal(framework.Times(next)))
		})
		Expect(s.CreatedJobs()).To(HaveLen(2))
	})

	// Wrong: tries again every second, for ever.
	It("the controller backs off when the deletion of a Job is rejected", covers.Requirements(
		BacksOffWhileReplacementIsRefused), countsRequests, func(ctx SpecContext) {
		s, tick := framework.New(ctx), framework.Ago(13*time.Minute)
		cronJob := s.Due(puppet.CronJob("a", puppet.Job("")).Policy(batchv1.ReplaceConcurrent), tick)
		first := startsOnce(s, cronJob, tick)
		c := count(s, jobs.rule(admissionregistrationv1.Delete), deleting(s, first.Made()))
		cronJob.NextDue(framework.Ago(3 * time.Minute))
		c.expectGrowingDelays(s, "the first Job is the only one", func(g Gomega) {
			g.Expect(s.CreatedJobs()).To(HaveLen(1))
		})
	})
})
