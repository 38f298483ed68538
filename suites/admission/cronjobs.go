package admission

import (
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/admission/requirements"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// hourly makes a CronJob whose next tick is half an hour away.
func hourly() *puppet.CronJobBuilder {
	return puppet.CronJob("a", puppet.Job("")).Schedule(puppet.Hourly(time.Now().Add(30 * time.Minute)))
}

// cron makes a CronJob with one change.
func cron(change func(*batchv1.CronJob)) *batchv1.CronJob { return hourly().With(change).Obj() }

// unreadable are schedules that mean nothing.
var unreadable = []string{
	" ", "*", "* * * *", "* * * * * *", "a * * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * 32 * *",
	"* * * 0 *", "* * * 13 *", "* * * * 7", "-1 * * * *", "5-1 * * * *", "*/0 * * * *",
	"* * * foo *", "@often", "@every", "@every soon",
}

// readable are schedules that mean something.
var readable = []string{
	"* * * * *", "0 0 1 1 0", "59 23 31 12 6", "*/5 * * * *", "0-30/10 8-18 * * 1-5", "0,15,30,45 * * * *",
	"0 0 ? * *", "0 0 * jan mon", "0 0 * JAN-MAR MON,FRI", "0 0 30 2 *",
	"@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly", "@every 90m",
}

var _ = Describe("the API server's rules for CronJobs", Label("area:api", "behaviour:validation"), func() {

	DescribeTable("refuse", func(ctx SpecContext, cases wrongCronJobs) {
		refuses(ctx, framework.New(ctx), func() *batchv1.CronJob {
			return cron(func(c *batchv1.CronJob) { c.Name = strings.Repeat("a", 52) })
		}, cases)
	},
		Entry("names that leave no room for those of Jobs", Covers(CronJobNameIsShort), wrongCronJobs{
			{"metadata.name", func(c *batchv1.CronJob) { c.Name = strings.Repeat("a", 53) }},
		}),
		Entry("names that are no DNS names", Covers(CronJobNameIsValid), wrongCronJobs{
			{"metadata.name", func(c *batchv1.CronJob) { c.Name = "A" }},
			{"metadata.name", func(c *batchv1.CronJob) { c.Name = "a_b" }},
			{"metadata.name", func(c *batchv1.CronJob) { c.Name = "a-" }},
		}),
		Entry("numbers below 0", Covers(RefusesNegativeCronNumbers), wrongCronJobs{
			{"spec.startingDeadlineSeconds", func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = ptr.To[int64](-1) }},
			{"spec.successfulJobsHistoryLimit", func(c *batchv1.CronJob) { c.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](-1) }},
			{"spec.failedJobsHistoryLimit", func(c *batchv1.CronJob) { c.Spec.FailedJobsHistoryLimit = ptr.To[int32](-1) }},
		}),
		Entry("concurrency policies that nobody knows", Covers(ConcurrencyPolicyIsValid), wrongCronJobs{
			{"spec.concurrencyPolicy", func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = "Queue" }},
			{"spec.concurrencyPolicy", func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = "allow" }},
		}),
		Entry("templates of no valid Job", Covers(JobTemplateIsValid), wrongCronJobs{
			{"spec.jobTemplate.spec.template.spec.restartPolicy", func(c *batchv1.CronJob) {
				c.Spec.JobTemplate.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyAlways
			}},
			{"spec.jobTemplate.spec.template.spec.containers", func(c *batchv1.CronJob) { c.Spec.JobTemplate.Spec.Template.Spec.Containers = nil }},
			{"spec.jobTemplate.spec.parallelism", func(c *batchv1.CronJob) { c.Spec.JobTemplate.Spec.Parallelism = ptr.To[int32](-1) }},
			{"spec.jobTemplate.spec.completions", func(c *batchv1.CronJob) {
				c.Spec.JobTemplate.Spec.CompletionMode = ptr.To(batchv1.IndexedCompletion)
			}},
		}),
		Entry("selectors for Jobs that are not there yet", Covers(JobTemplateHasNoSelector), wrongCronJobs{
			{"spec.jobTemplate.spec.selector", func(c *batchv1.CronJob) {
				c.Spec.JobTemplate.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"mine": "yes"}}
				c.Spec.JobTemplate.Spec.Template.Labels = map[string]string{"mine": "yes"}
			}},
			{"spec.jobTemplate.spec.manualSelector", func(c *batchv1.CronJob) { c.Spec.JobTemplate.Spec.ManualSelector = ptr.To(true) }},
		}),
	)

	It("accept numbers of 0", Covers(RefusesNegativeCronNumbers), func(ctx SpecContext) {
		accepted(ctx, framework.New(ctx), hourly().StartingDeadlineSeconds(0).SuccessfulJobsHistoryLimit(0).FailedJobsHistoryLimit(0).Obj())
	})

	It("accept what a schedule may be made of", Covers(AcceptsSchedules), func(ctx SpecContext) {
		s := framework.New(ctx)
		for _, schedule := range readable {
			_, err := try(ctx, s, cron(func(c *batchv1.CronJob) { c.Spec.Schedule = schedule }))
			Expect(err).NotTo(HaveOccurred(), schedule)
		}
	})

	It("refuse schedules that mean nothing", Covers(RefusesUnreadableSchedules), func(ctx SpecContext) {
		s := framework.New(ctx)
		made := framework.Create(ctx, s, hourly().Suspend().Obj())
		for _, schedule := range append([]string{""}, unreadable...) {
			set := func(c *batchv1.CronJob) { c.Spec.Schedule = schedule }
			_, err := try(ctx, s, hourly().With(set).With(func(c *batchv1.CronJob) { c.Name = "b" }).Obj())
			expectRefused(err, "spec.schedule", "new with %q", schedule)
			_, err = changed(ctx, s, made, set)
			expectRefused(err, "spec.schedule", "changed to %q", schedule)
		}
	})

	It("refuse schedules with a time zone in them", Covers(RefusesTimeZoneInSchedule), func(ctx SpecContext) {
		s := framework.New(ctx)
		made := framework.Create(ctx, s, hourly().Suspend().Obj())
		for _, schedule := range []string{"TZ=UTC 0 * * * *", "CRON_TZ=Europe/Berlin 0 * * * *", "TZ=UTC @daily"} {
			for _, zone := range []*string{nil, ptr.To("Etc/UTC")} {
				set := func(c *batchv1.CronJob) { c.Spec.TimeZone, c.Spec.Schedule = zone, schedule }
				_, err := try(ctx, s, hourly().With(set).With(func(c *batchv1.CronJob) { c.Name = "b" }).Obj())
				expectRefused(err, "spec.schedule", "new with %q", schedule)
				_, err = changed(ctx, s, made, set)
				expectRefused(err, "spec.schedule", "changed to %q", schedule)
			}
		}
	})

	It("accept the names of time zones", Covers(AcceptsTimeZones), func(ctx SpecContext) {
		s := framework.New(ctx)
		for _, zone := range []string{"UTC", "Etc/UTC", "Europe/Berlin", "America/Argentina/Ushuaia", "Asia/Kathmandu", "Etc/GMT+7", "US/Pacific", "EST5EDT"} {
			job, err := try(ctx, s, cron(func(c *batchv1.CronJob) { c.Spec.TimeZone = &zone }))
			Expect(err).NotTo(HaveOccurred(), zone)
			Expect(job.Spec.TimeZone).To(HaveValue(Equal(zone)))
		}
		job, err := try(ctx, s, cron(func(c *batchv1.CronJob) { c.Spec.TimeZone = nil }))
		Expect(err).NotTo(HaveOccurred())
		Expect(job.Spec.TimeZone).To(BeNil())
	})

	// Wrong: takes what its own library takes, so that every node may read it in
	// another way.
	It("refuse time zones without a name", Covers(RefusesUnknownTimeZones), func(ctx SpecContext) {
		s := framework.New(ctx)
		made := framework.Create(ctx, s, hourly().Suspend().Obj())
		for _, zone := range []string{"", "Local", "local", "Nowhere/Land", "UTC+1", "../etc/UTC", "/Europe/Berlin", "Europe/Berlin/", " "} {
			set := func(c *batchv1.CronJob) { c.Spec.TimeZone = &zone }
			_, err := try(ctx, s, hourly().With(set).With(func(c *batchv1.CronJob) { c.Name = "b" }).Obj())
			expectRefused(err, "spec.timeZone", "new with %q", zone)
			_, err = changed(ctx, s, made, set)
			expectRefused(err, "spec.timeZone", "changed to %q", zone)
		}
	})

	It("let everything change", Covers(CronJobSpecMayChange), func(ctx SpecContext) {
		s := framework.New(ctx)
		made := framework.Create(ctx, s, hourly().Suspend().Obj())
		for what, change := range map[string]func(*batchv1.CronJobSpec){
			"schedule":                   func(c *batchv1.CronJobSpec) { c.Schedule = "@daily" },
			"timeZone":                   func(c *batchv1.CronJobSpec) { c.TimeZone = ptr.To("Europe/Berlin") },
			"no timeZone":                func(c *batchv1.CronJobSpec) { c.TimeZone = nil },
			"startingDeadlineSeconds":    func(c *batchv1.CronJobSpec) { c.StartingDeadlineSeconds = ptr.To[int64](7) },
			"concurrencyPolicy":          func(c *batchv1.CronJobSpec) { c.ConcurrencyPolicy = batchv1.ReplaceConcurrent },
			"suspend":                    func(c *batchv1.CronJobSpec) { c.Suspend = ptr.To(false) },
			"successfulJobsHistoryLimit": func(c *batchv1.CronJobSpec) { c.SuccessfulJobsHistoryLimit = ptr.To[int32](7) },
			"failedJobsHistoryLimit":     func(c *batchv1.CronJobSpec) { c.FailedJobsHistoryLimit = ptr.To[int32](7) },
			"the template's labels":      func(c *batchv1.CronJobSpec) { c.JobTemplate.Labels = map[string]string{"a": "b"} },
			"the Jobs' parallelism":      func(c *batchv1.CronJobSpec) { c.JobTemplate.Spec.Parallelism = ptr.To[int32](7) },
			"the Jobs' completions": func(c *batchv1.CronJobSpec) {
				c.JobTemplate.Spec.CompletionMode, c.JobTemplate.Spec.Completions = ptr.To(batchv1.IndexedCompletion), ptr.To[int32](7)
			},
			"the pods' image": func(c *batchv1.CronJobSpec) {
				c.JobTemplate.Spec.Template.Spec.Containers[0].Image = "example.com/another:1"
			},
		} {
			want := made.DeepCopy()
			change(&want.Spec)
			got, err := changed(ctx, s, made, func(c *batchv1.CronJob) { change(&c.Spec) })
			Expect(err).NotTo(HaveOccurred(), what)
			Expect(equality.Semantic.DeepEqual(got.Spec, want.Spec)).To(BeTrue(), what)
		}
		for field, change := range map[string]func(*batchv1.CronJob){
			"spec.concurrencyPolicy":            func(c *batchv1.CronJob) { c.Spec.ConcurrencyPolicy = "Queue" },
			"spec.startingDeadlineSeconds":      func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = ptr.To[int64](-1) },
			"spec.jobTemplate.spec.parallelism": func(c *batchv1.CronJob) { c.Spec.JobTemplate.Spec.Parallelism = ptr.To[int32](-1) },
		} {
			_, err := changed(ctx, s, made, change)
			expectRefused(err, field)
		}
	})
})
