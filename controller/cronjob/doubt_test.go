package cronjob

import (
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestStaleCronJobStartsNothingTwice(t *testing.T) {
	b := newBench(t, hourly())
	b.mustLook()
	// Job and watch are gone before the CronJob cache catches up.
	job := b.stored()[0]
	if err := b.api.BatchV1().Jobs("ns").Delete(t.Context(), job.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.mustLook()
	b.expect("Jobs", names(b.stored()), "[]")
	b.expectStatus("10:00")
	b.expect("events", b.told(), "SuccessfulCreate MissingJob")
}

// TestNothingStartsOnAStaleView: the cache has not seen our own last write, nor
// that the CronJob was suspended since, or that another replica started the tick.
func TestNothingStartsOnAStaleView(t *testing.T) {
	for name, changes := range map[string][]change{
		"suspended":       {last("10:00"), suspended},
		"started already": {last("11:00")},
		"being deleted":   {last("10:00"), beingDeleted},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, hourly(last("09:00")))
			b.mustLook()
			b.expect("writes", b.writes(), "create jobs, update cronjobs")
			b.edit("500", append(changes, active(b.stored()...))...)
			b.clock.SetTime(at("11:00:05"))
			b.mustLook()
			b.mustLook()
			b.expect("Jobs", names(b.stored()), "["+nameAt("10:00")+"]")
			b.expect("writes", b.writes(), "create jobs, update cronjobs")
		})
	}
}

// TestAnAnswerThatWasLostStartsNothingAgain: the start is on record, which
// neither an answer nor the cache has said, and its Job is gone.
func TestAnAnswerThatWasLostStartsNothingAgain(t *testing.T) {
	b := newBench(t, hourly(last("09:00")))
	b.fail("update", "cronjobs", true, errServer)
	if b.look() == nil {
		t.Fatal("no error, so that nobody looks again")
	}
	if err := b.api.BatchV1().Jobs("ns").Delete(t.Context(), nameAt("10:00"), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	b.mustLook()
	b.expect("Jobs", names(b.stored()), "[]")
	b.expectStatus("10:00")
}

// TestACronJobInDoubtMayBeGone, or be another one of its name, or hidden by an
// API server that fails: nothing happens until the cache has caught up.
func TestACronJobInDoubtMayBeGone(t *testing.T) {
	for name, change := range map[string]func(*bench) error{
		"gone": func(b *bench) error {
			return b.api.BatchV1().CronJobs("ns").Delete(b.Context(), "report", metav1.DeleteOptions{})
		},
		"another one": func(b *bench) error { b.edit("500", func(c *batchv1.CronJob) { c.UID = "another" }); return nil },
		"hidden":      func(b *bench) error { b.fail("get", "cronjobs", false, errServer); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, hourly(last("09:00")))
			b.fail("update", "cronjobs", false, errServer)
			if b.look() == nil {
				t.Fatal("no error, so that nobody looks again")
			}
			if err := change(b); err != nil {
				t.Fatal(err)
			}
			b.api.ClearActions()
			if err := b.look(); (err != nil) != (name == "hidden") {
				t.Error(err)
			}
			b.expect("writes", b.writes(), "")
		})
	}
}

// TestAStartCostsTwoCalls where nothing is in doubt.
func TestAStartCostsTwoCalls(t *testing.T) {
	b := newBench(t, hourly(last("09:00")))
	for _, now := range []string{"10:00:05", "11:00:05"} {
		b.clock.SetTime(at(now))
		b.mustLook()
		if n := len(b.api.Actions()); n != 2 {
			t.Errorf("%d calls: %v", n, b.api.Actions())
		}
		b.show()
	}
}
