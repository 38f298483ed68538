package cronjob

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	testingclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
)

func TestStartIsRecorded(t *testing.T) {
	b := newAPITest(t, Hourly())
	b.mustSync()
	b.expect("writes", b.writes(), "create jobs, update cronjobs")
	b.expect("events", b.emitted(), "SuccessfulCreate")
	b.expectStatus("10:00", NameAt("10:00"))
	// The caches have seen none of it yet.
	b.api.ClearActions()
	b.mustSync()
	b.expect("writes with stale caches", b.writes(), "")
	b.show()
	b.mustSync()
	b.expect("writes with fresh caches", b.writes(), "")
	b.expect("events", b.emitted(), "")
}

// TestInterruptedStart has the controller fail at each write of a start (#120649).
func TestInterruptedStart(t *testing.T) {
	for name, c := range map[string]struct {
		verb, resource string
		late, show     bool
		events         string
	}{
		"creation fails":          {verb: "create", resource: "jobs", events: "FailedCreate SuccessfulCreate"},
		"answer to creation lost": {verb: "create", resource: "jobs", late: true, events: "FailedCreate"},
		"answer lost, Job seen": {verb: "create", resource: "jobs", late: true, show: true,
			events: "FailedCreate"},
		"status write fails": {verb: "update", resource: "cronjobs", events: "SuccessfulCreate"},
		"status write fails, Job seen": {verb: "update", resource: "cronjobs", show: true,
			events: "SuccessfulCreate"},
		"answer to status write lost": {verb: "update", resource: "cronjobs", late: true,
			events: "SuccessfulCreate"},
		"answer to status lost, seen late": {verb: "update", resource: "cronjobs", late: true, show: true,
			events: "SuccessfulCreate"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newAPITest(t, Hourly(Policy(batchv1.ForbidConcurrent)))
			b.fail(c.verb, c.resource, c.late, errServer)
			if b.syncOnce() == nil {
				t.Fatal("no error, so that nothing is retried")
			}
			for range 3 {
				if c.show {
					b.show()
				}
				if err := b.syncOnce(); err != nil && !apierrors.IsConflict(err) {
					t.Error(err)
				}
			}
			b.expect("Jobs", Names(b.stored()), "["+NameAt("10:00")+"]")
			b.expectStatus("10:00", NameAt("10:00"))
			b.expect("events", b.emitted(), c.events)
		})
	}
}

// TestInterruptedStartBeforeTheNextTick: the Job is there, and neither the status
// nor the informer shows it when the next tick comes.
func TestInterruptedStartBeforeTheNextTick(t *testing.T) {
	for policyOf, want := range map[batchv1.ConcurrencyPolicy]string{
		batchv1.ForbidConcurrent:  "[" + NameAt("10:00") + "]",
		batchv1.ReplaceConcurrent: "[" + NameAt("11:00") + "]",
	} {
		for name, c := range map[string]struct {
			verb, resource string
			late           bool
		}{
			"answer to creation lost": {"create", "jobs", true},
			"status write fails":      {"update", "cronjobs", false},
		} {
			t.Run(fmt.Sprint(policyOf, ", ", name), func(t *testing.T) {
				b := newAPITest(t, Hourly(Policy(policyOf)))
				b.fail(c.verb, c.resource, c.late, errServer)
				if b.syncOnce() == nil {
					t.Fatal("no error, so that nothing is retried")
				}
				b.clock.SetTime(At("11:00:01"))
				b.mustSync()
				b.expect("Jobs", Names(b.stored()), want)
			})
		}
	}
}

// TestInterruptedStartOfAJobThatHasFinished: it must not be cleaned up before
// its tick is recorded, or the tick starts again.
func TestInterruptedStartOfAJobThatHasFinished(t *testing.T) {
	c := Hourly(Last("09:00"))
	c.Spec.FailedJobsHistoryLimit = ptr.To[int32](0)
	b := newAPITest(t, c, Started("10:00", Failed))
	b.mustSync()
	b.expect("writes", b.writes(), "update cronjobs, delete jobs")
	b.show()
	b.mustSync()
	b.expect("Jobs", Names(b.stored()), "[]")
	b.expectStatus("10:00")
}

func TestForeignJobInTheWay(t *testing.T) {
	foreign := Started("10:00")
	foreign.OwnerReferences = nil
	b := newAPITest(t, Hourly(Last("09:00")), foreign)
	b.mustSync()
	b.mustSync()
	b.expect("events", b.emitted(), "FailedCreate")
	b.expectStatus("09:00")
	if owners := b.stored()[0].OwnerReferences; len(owners) != 0 {
		t.Errorf("adopted: %v", owners)
	}
}

func TestFinishedJobOfThisTick(t *testing.T) {
	b := newAPITest(t, Hourly(Last("09:00")), Started("10:00", Complete("10:00:03")))
	b.mustSync()
	b.expectStatus("10:00")
	b.expect("events", b.emitted(), "")
}

// edit changes the CronJob in the API server; the cache does not know yet.
func (b *apiTest) edit(version string, changes ...Change) {
	b.Helper()
	c := Hourly(changes...)
	c.ResourceVersion = version
	if err := b.api.Tracker().Update(batchv1.SchemeGroupVersion.WithResource("cronjobs"), c, "ns"); err != nil {
		b.Fatal(err)
	}
}

func TestConflict(t *testing.T) {
	b := newAPITest(t, Hourly(Last("10:00"), Active(Started("09:00"))), Started("09:00", Failed))
	b.edit("50", Last("10:00"), Active(Started("09:00")), Deadline(7))
	if err := b.syncOnce(); !apierrors.IsConflict(err) {
		t.Fatalf("%v, want a conflict", err)
	}
	b.expect("events", b.emitted(), "")
	b.show()
	b.mustSync()
	b.expect("events", b.emitted(), "SawCompletedJob")
	b.expectStatus("10:00")
}

func TestReplaceDeletesFirst(t *testing.T) {
	b := newAPITest(t, Hourly(Last("09:00"), Active(Started("09:00")), Policy(batchv1.ReplaceConcurrent)),
		Started("09:00"))
	b.mustSync()
	b.expect("writes", b.writes(), "delete jobs, create jobs, update cronjobs")
	b.expect("events", b.emitted(), "SuccessfulDelete SuccessfulCreate")
	b.expectStatus("10:00", NameAt("10:00"))
	options := b.api.Actions()[0].(clienttesting.DeleteAction).GetDeleteOptions()
	if *options.PropagationPolicy != metav1.DeletePropagationBackground ||
		*options.Preconditions.UID != Started("09:00").UID {
		t.Errorf("deleted with %+v", options)
	}
}

func TestReplaceInterrupted(t *testing.T) {
	for _, at := range []string{"delete jobs", "create jobs", "update cronjobs"} {
		t.Run(at, func(t *testing.T) {
			b := newAPITest(t, Hourly(Last("09:00"), Active(Started("09:00")), Policy(batchv1.ReplaceConcurrent)),
				Started("09:00"))
			verb, resource, _ := strings.Cut(at, " ")
			b.fail(verb, resource, false, errServer)
			if b.syncOnce() == nil {
				t.Fatal("no error, so that nothing is retried")
			}
			if verb == "delete" && len(b.stored()) != 1 {
				t.Error("created beside the one to replace")
			}
			b.mustSync()
			b.expect("Jobs", Names(b.stored()), "["+NameAt("10:00")+"]")
			b.expectStatus("10:00", NameAt("10:00"))
			if events := b.emitted(); strings.Contains(events, "MissingJob") {
				t.Errorf("events %q: the Job is missing because it was replaced", events)
			}
		})
	}
}

func TestCleanUpAndStartDoNotStopEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		verb         string
		jobs, events string
	}{
		"quota is full (#119776)": {"create", "[]", "SuccessfulDelete FailedCreate"},
		"deletion fails": {"delete", "[" + NameAt("09:00") + " " + NameAt("10:00") + "]",
			"FailedDelete SuccessfulCreate"},
	} {
		t.Run(name, func(t *testing.T) {
			c1 := Hourly(Last("09:00"))
			c1.Status.LastSuccessfulTime = Stamp("09:10")
			c1.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](0)
			b := newAPITest(t, c1, Started("09:00", Complete("09:10")))
			b.fail(c.verb, "jobs", false, errServer)
			if b.syncOnce() == nil {
				t.Error("no error, so that nothing is retried")
			}
			b.expect("Jobs", Names(b.stored()), c.jobs)
			b.expect("events", b.emitted(), c.events)
		})
	}
}

// TestSuccessIsRecordedBeforeDeletion: what is deleted can no longer be counted.
func TestSuccessIsRecordedBeforeDeletion(t *testing.T) {
	c := Hourly(Last("10:00"), Active(Started("10:00")))
	c.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](0)
	b := newAPITest(t, c, Started("10:00", Complete("10:00:04")))
	b.mustSync()
	b.expect("writes", b.writes(), "update cronjobs, delete jobs")
	b.expect("events", b.emitted(), "SawCompletedJob SuccessfulDelete")
	if got := b.status().LastSuccessfulTime; !got.Equal(Stamp("10:00:04")) {
		t.Errorf("lastSuccessfulTime %v", got)
	}
	b.api.ClearActions()
	b.mustSync() // stale caches still have the Job
	b.expect("writes", b.writes(), "")
	b.expect("events", b.emitted(), "")
}

func TestTerminatingNamespace(t *testing.T) {
	b := newAPITest(t, Hourly(Last("09:00")))
	err := apierrors.NewForbidden(batchv1.Resource("jobs"), "report", errors.New("namespace ns is being terminated"))
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	b.fail("create", "jobs", false, err)
	b.mustSync()
	b.expect("events", b.emitted(), "")
	b.expectStatus("09:00")
}

func TestActiveJobNotInTheCache(t *testing.T) {
	b := newAPITest(t, Hourly(Last("10:00"), Active(Started("10:00"))), Started("10:00"))
	if err := b.jobs.Replace(nil, ""); err != nil {
		t.Fatal(err)
	}
	b.mustSync()
	b.expect("events", b.emitted(), "")
	b.expectStatus("10:00", NameAt("10:00"))
}

func TestStaleJobIsNotRevived(t *testing.T) {
	b := newAPITest(t, Hourly(Last("10:00")))
	if err := b.jobs.Add(Started("10:00")); err != nil { // gone meanwhile
		t.Fatal(err)
	}
	b.mustSync()
	b.expect("writes", b.writes(), "")
}

func TestForeignNamespaceAndOwner(t *testing.T) {
	elsewhere, stranger := Started("10:00"), Started("10:00")
	elsewhere.Namespace = "other"
	stranger.Name, stranger.OwnerReferences[0].UID = "stranger", "another-uid"
	b := newAPITest(t, Hourly(Last("10:00"), func(c *batchv1.CronJob) {
		c.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](0)
	}), elsewhere, stranger)
	b.mustSync()
	b.expect("writes", b.writes(), "")
	b.expect("events", b.emitted(), "")
}

// TestChangedSchedule: the new schedule's past ticks start nothing, unless
// a user sets lastScheduleTime afterwards.
func TestChangedSchedule(t *testing.T) {
	b := newAPITest(t, Hourly(Last("10:00")))
	b.mustSync()
	edit := func(version string, changes ...Change) {
		b.edit(version, changes...)
		b.show()
	}
	b.clock.SetTime(At("10:30:05"))
	edit("20", Last("10:00"), Scheduled("*/20 * * * *"))
	b.mustSync()
	b.expect("Jobs after the change", Names(b.stored()), "[]")
	edit("21", Last("10:00"), Scheduled("*/20 * * * *"), Deadline(10000))
	b.mustSync()
	b.expect("Jobs after another change", Names(b.stored()), "[]")
	edit("22", Last("08:00"), Scheduled("*/20 * * * *"))
	b.mustSync()
	b.expect("Jobs after lastScheduleTime was patched", Names(b.stored()), "["+NameAt("10:20")+"]")
	b.clock.SetTime(At("10:40"))
	b.mustSync()
	b.expect("Jobs at the next tick", Names(b.stored()), "["+NameAt("10:20")+" "+NameAt("10:40")+"]")
}

// TestLastScheduleTimeIsPutBackWithAnotherSchedule has a user put back the lastScheduleTime of before a start,
// and change the schedule, before the next sync.
func TestLastScheduleTimeIsPutBackWithAnotherSchedule(t *testing.T) {
	b := newAPITest(t, Hourly(Last("09:00")))
	b.mustSync()
	b.clock.SetTime(At("10:30:05"))
	b.edit("200", Last("09:00"), Scheduled("*/20 * * * *"))
	b.show()
	b.mustSync()
	b.expect("Jobs", Names(b.stored()), "["+NameAt("10:00")+" "+NameAt("10:20")+"]")
}

func TestEventsAreEmittedOnce(t *testing.T) {
	b := newAPITest(t, Hourly(Last("09:00"), Active(Started("09:00")), Policy(batchv1.ForbidConcurrent)),
		Started("09:00"))
	b.mustSync()
	b.mustSync()
	b.expect("events", b.emitted(), "JobAlreadyActive")
	b.clock.SetTime(At("11:00"))
	b.mustSync()
	b.expect("events at the next tick", b.emitted(), "JobAlreadyActive")
}

// TestRun has the real parts together, on a clock that ticks fast.
func TestRun(t *testing.T) {
	api := newAPI(Hourly(Last("09:00")))
	created := make(chan string, 10)
	api.PrependReactor("create", "jobs", func(action clienttesting.Action) (bool, runtime.Object, error) {
		created <- action.(clienttesting.CreateAction).GetObject().(*batchv1.Job).Name
		return false, nil, nil
	})
	clock := testingclock.NewFakeClock(At("09:59"))
	factory := informers.NewSharedInformerFactory(api, 0)
	c := New(api, factory, record.NewFakeRecorder(100), clock)
	ctx, stop := context.WithCancel(t.Context())
	factory.Start(ctx.Done())
	ended := make(chan struct{})
	go func() { c.Run(ctx, 2); close(ended) }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for _, want := range []string{NameAt("10:00"), NameAt("11:00")} {
		for got := ""; got == ""; {
			select {
			case got = <-created:
				if got != want {
					t.Errorf("created %s, want %s", got, want)
				}
			case <-tick.C:
				clock.Step(10 * time.Second)
			}
		}
	}
	stop()
	<-ended
}
