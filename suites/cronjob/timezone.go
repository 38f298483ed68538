package cronjob

import (
	"fmt"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/framework"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	. "github.com/jobconformance/jobconformance/suites/contract/covers"
	. "github.com/jobconformance/jobconformance/suites/cronjob/requirements"
	. "github.com/jobconformance/jobconformance/suites/internal/steps"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
)

// Source: batch/v1 CronJobSpec.timeZone; KEP-3140. The API server rejects unknown
// zones, so that no controller has to.
var _ = Describe("CronJob timeZone:", Label("area:cronjob", "behaviour:schedule"), func() {

	// It is never the same day in both zones. Wrong: takes the hour from the zone, and
	// the day from UTC.
	It("the controller uses the time zone for days and weekdays, too", Covers(LocalDays), func(ctx SpecContext) {
		s := framework.New(ctx)
		tick := Ago(30 * time.Minute)
		start := func(name, zone string, offset time.Duration, weekday bool) {
			local := tick.In(time.FixedZone(zone, int(offset.Seconds())))
			schedule := fmt.Sprintf("%d %d %d %d *", local.Minute(), local.Hour(), local.Day(), local.Month())
			if weekday {
				schedule = fmt.Sprintf("%d %d * * %s", local.Minute(), local.Hour(), strings.ToUpper(local.Weekday().String()[:3]))
			}
			cronJob := Scheduled(ctx, s, puppet.CronJob(name, puppet.Job("")).Schedule(schedule).TimeZone(zone), LastBefore(tick))
			job := Starts(s, cronJob, tick)
			Expect(job.Annotations).To(HaveKeyWithValue(batchv1.CronJobScheduledTimestampAnnotation, local.Format(time.RFC3339)))
		}
		start("east-day", "Pacific/Kiritimati", 14*time.Hour, false)
		start("east-weekday", "Pacific/Kiritimati", 14*time.Hour, true)
		start("west-day", "Pacific/Pago_Pago", -11*time.Hour, false)
		start("west-weekday", "Pacific/Pago_Pago", -11*time.Hour, true)
	})

	// Noon in New York is 16:00 UTC in July and 17:00 UTC in January. Wrong: uses
	// today's offset, or the zone's standard offset.
	It("the controller uses the zone's offset at the scheduled time", Covers(DaylightSaving), func(ctx SpecContext) {
		s := framework.New(ctx)
		for _, season := range []struct {
			name  string
			month time.Month
			hours int
		}{{"summer", time.July, -4}, {"winter", time.January, -5}} {
			local := time.FixedZone(season.name, season.hours*3600)
			tick := time.Date(time.Now().Year(), season.month, 15, 12, 0, 0, 0, local)
			if tick.After(time.Now()) {
				tick = tick.AddDate(-1, 0, 0)
			}
			cronJob := Scheduled(ctx, s, puppet.CronJob(season.name, puppet.Job("")).
				Schedule(fmt.Sprintf("0 12 15 %d *", season.month)).TimeZone("America/New_York"), tick.Add(-2*time.Hour))

			job := Starts(s, cronJob, tick)
			Expect(job.Annotations).To(HaveKeyWithValue(batchv1.CronJobScheduledTimestampAnnotation, tick.Format(time.RFC3339)))
		}
	})
})
