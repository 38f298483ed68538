package cronjob

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

func TestStaleCronJobStartsNothingTwice(t *testing.T) {
	b := newAPITest(t, Hourly())
	b.mustSync()
	// Job and watch are gone before the CronJob cache catches up.
	job := b.stored()[0]
	if err := b.api.BatchV1().Jobs("ns").Delete(t.Context(), job.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.mustSync()
	b.expect("Jobs", Names(b.stored()), "[]")
	b.expectStatus("10:00")
	b.expect("events", b.emitted(), "SuccessfulCreate MissingJob")
}

// TestNothingStartsOnAStaleView: the cache has not seen our own last write, nor
// that the CronJob was suspended since, or that another replica started the tick.
func TestNothingStartsOnAStaleView(t *testing.T) {
	for name, changes := range map[string][]Change{
		"suspended":       {Last("10:00"), func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(true) }},
		"started already": {Last("11:00")},
		"being deleted":   {Last("10:00"), func(c *batchv1.CronJob) { c.DeletionTimestamp = Stamp("09:00") }},
	} {
		t.Run(name, func(t *testing.T) {
			b := newAPITest(t, Hourly(Last("09:00")))
			b.mustSync()
			b.expect("writes", b.writes(), "create jobs, update cronjobs")
			b.edit("500", append(changes, Active(b.stored()...))...)
			b.clock.SetTime(At("11:00:05"))
			b.mustSync()
			b.mustSync()
			b.expect("Jobs", Names(b.stored()), "["+NameAt("10:00")+"]")
			b.expect("writes", b.writes(), "create jobs, update cronjobs")
		})
	}
}

// TestAnAnswerThatWasLostStartsNothingAgain: the start is on record, which
// neither an answer nor the cache has said, and its Job is gone.
func TestAnAnswerThatWasLostStartsNothingAgain(t *testing.T) {
	b := newAPITest(t, Hourly(Last("09:00")))
	b.fail("update", "cronjobs", true, errServer)
	if b.syncOnce() == nil {
		t.Fatal("no error, so that nothing is retried")
	}
	if err := b.api.BatchV1().Jobs("ns").Delete(t.Context(), NameAt("10:00"), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.mustSync()
	b.expect("Jobs", Names(b.stored()), "[]")
	b.expectStatus("10:00")
}

// TestAnUnconfirmedCronJobMayBeGone, or be another one of its name, or hidden by an
// API server that fails: nothing happens until the cache has caught up.
func TestAnUnconfirmedCronJobMayBeGone(t *testing.T) {
	for name, change := range map[string]func(*apiTest) error{
		"gone": func(b *apiTest) error {
			return b.api.BatchV1().CronJobs("ns").Delete(b.Context(), "report", metav1.DeleteOptions{})
		},
		"another one": func(b *apiTest) error { b.edit("500", func(c *batchv1.CronJob) { c.UID = "another" }); return nil },
		"hidden":      func(b *apiTest) error { b.fail("get", "cronjobs", false, errServer); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			b := newAPITest(t, Hourly(Last("09:00")))
			b.fail("update", "cronjobs", false, errServer)
			if b.syncOnce() == nil {
				t.Fatal("no error, so that nothing is retried")
			}
			if err := change(b); err != nil {
				t.Fatal(err)
			}
			b.api.ClearActions()
			if err := b.syncOnce(); (err != nil) != (name == "hidden") {
				t.Error(err)
			}
			b.expect("writes", b.writes(), "")
		})
	}
}

// TestAStartCostsTwoCalls where nothing is unconfirmed.
func TestAStartCostsTwoCalls(t *testing.T) {
	b := newAPITest(t, Hourly(Last("09:00")))
	for _, now := range []string{"10:00:05", "11:00:05"} {
		b.clock.SetTime(At(now))
		b.mustSync()
		if n := len(b.api.Actions()); n != 2 {
			t.Errorf("%d calls: %v", n, b.api.Actions())
		}
		b.show()
	}
}
