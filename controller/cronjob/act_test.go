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

func TestStartIsWrittenDown(t *testing.T) {
	b := newBench(t, hourly())
	b.mustLook()
	b.expect("writes", b.writes(), "create jobs, update cronjobs")
	b.expect("events", b.told(), "SuccessfulCreate")
	b.expectStatus("10:00", nameAt("10:00"))
	// The caches have seen none of it yet.
	b.api.ClearActions()
	b.mustLook()
	b.expect("writes with stale caches", b.writes(), "")
	b.show()
	b.mustLook()
	b.expect("writes with fresh caches", b.writes(), "")
	b.expect("events", b.told(), "")
}

// TestInterruptedStart has the controller fail at each write of a start (#120649).
func TestInterruptedStart(t *testing.T) {
	for name, c := range map[string]struct {
		verb, resource string
		late, show     bool
		events         string
	}{
		"creation fails":                   {verb: "create", resource: "jobs", events: "FailedCreate SuccessfulCreate"},
		"answer to creation lost":          {verb: "create", resource: "jobs", late: true, events: "FailedCreate"},
		"answer lost, Job seen":            {verb: "create", resource: "jobs", late: true, show: true, events: "FailedCreate"},
		"status write fails":               {verb: "update", resource: "cronjobs", events: "SuccessfulCreate"},
		"status write fails, Job seen":     {verb: "update", resource: "cronjobs", show: true, events: "SuccessfulCreate"},
		"answer to status write lost":      {verb: "update", resource: "cronjobs", late: true, events: "SuccessfulCreate"},
		"answer to status lost, seen late": {verb: "update", resource: "cronjobs", late: true, show: true, events: "SuccessfulCreate"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, hourly(policy(batchv1.ForbidConcurrent)))
			b.fail(c.verb, c.resource, c.late, errServer)
			if b.look() == nil {
				t.Fatal("no error, so that nobody looks again")
			}
			for range 3 {
				if c.show {
					b.show()
				}
				if err := b.look(); err != nil && !apierrors.IsConflict(err) {
					t.Error(err)
				}
			}
			b.expect("Jobs", names(b.stored()), "["+nameAt("10:00")+"]")
			b.expectStatus("10:00", nameAt("10:00"))
			b.expect("events", b.told(), c.events)
		})
	}
}

// TestInterruptedStartBeforeTheNextTick: the Job is there, and neither the status
// nor the cache says so when the next tick comes.
func TestInterruptedStartBeforeTheNextTick(t *testing.T) {
	for policyOf, want := range map[batchv1.ConcurrencyPolicy]string{
		batchv1.ForbidConcurrent:  "[" + nameAt("10:00") + "]",
		batchv1.ReplaceConcurrent: "[" + nameAt("11:00") + "]",
	} {
		for name, c := range map[string]struct {
			verb, resource string
			late           bool
		}{
			"answer to creation lost": {"create", "jobs", true},
			"status write fails":      {"update", "cronjobs", false},
		} {
			t.Run(fmt.Sprint(policyOf, ", ", name), func(t *testing.T) {
				b := newBench(t, hourly(policy(policyOf)))
				b.fail(c.verb, c.resource, c.late, errServer)
				if b.look() == nil {
					t.Fatal("no error, so that nobody looks again")
				}
				b.clock.SetTime(at("11:00:01"))
				b.mustLook()
				b.expect("Jobs", names(b.stored()), want)
			})
		}
	}
}

// TestInterruptedStartOfAJobThatHasFinished: it must not be cleaned up before
// its tick is on record, or the tick starts again.
func TestInterruptedStartOfAJobThatHasFinished(t *testing.T) {
	c := hourly(last("09:00"))
	c.Spec.FailedJobsHistoryLimit = ptr.To[int32](0)
	b := newBench(t, c, started("10:00", failed))
	b.mustLook()
	b.expect("writes", b.writes(), "update cronjobs, delete jobs")
	b.show()
	b.mustLook()
	b.expect("Jobs", names(b.stored()), "[]")
	b.expectStatus("10:00")
}

func TestForeignJobInTheWay(t *testing.T) {
	foreign := started("10:00")
	foreign.OwnerReferences = nil
	b := newBench(t, hourly(last("09:00")), foreign)
	b.mustLook()
	b.mustLook()
	b.expect("events", b.told(), "FailedCreate")
	b.expectStatus("09:00")
	if owners := b.stored()[0].OwnerReferences; len(owners) != 0 {
		t.Errorf("adopted: %v", owners)
	}
}

func TestFinishedJobOfThisTick(t *testing.T) {
	b := newBench(t, hourly(last("09:00")), started("10:00", complete("10:00:03")))
	b.mustLook()
	b.expectStatus("10:00")
	b.expect("events", b.told(), "")
}

// edit changes the CronJob in the API server; the cache does not know yet.
func (b *bench) edit(version string, changes ...change) {
	b.Helper()
	c := hourly(changes...)
	c.ResourceVersion = version
	if err := b.api.Tracker().Update(batchv1.SchemeGroupVersion.WithResource("cronjobs"), c, "ns"); err != nil {
		b.Fatal(err)
	}
}

func TestConflict(t *testing.T) {
	b := newBench(t, hourly(last("10:00"), active(started("09:00"))), started("09:00", failed))
	b.edit("50", last("10:00"), active(started("09:00")), deadline(7))
	if err := b.look(); !apierrors.IsConflict(err) {
		t.Fatalf("%v, want a conflict", err)
	}
	b.expect("events", b.told(), "")
	b.show()
	b.mustLook()
	b.expect("events", b.told(), "SawCompletedJob")
	b.expectStatus("10:00")
}

func TestReplaceDeletesFirst(t *testing.T) {
	b := newBench(t, hourly(last("09:00"), active(started("09:00")), policy(batchv1.ReplaceConcurrent)), started("09:00"))
	b.mustLook()
	b.expect("writes", b.writes(), "delete jobs, create jobs, update cronjobs")
	b.expect("events", b.told(), "SuccessfulDelete SuccessfulCreate")
	b.expectStatus("10:00", nameAt("10:00"))
	options := b.api.Actions()[0].(clienttesting.DeleteAction).GetDeleteOptions()
	if *options.PropagationPolicy != metav1.DeletePropagationBackground || *options.Preconditions.UID != started("09:00").UID {
		t.Errorf("deleted with %+v", options)
	}
}

func TestReplaceInterrupted(t *testing.T) {
	for _, at := range []string{"delete jobs", "create jobs", "update cronjobs"} {
		t.Run(at, func(t *testing.T) {
			b := newBench(t, hourly(last("09:00"), active(started("09:00")), policy(batchv1.ReplaceConcurrent)), started("09:00"))
			verb, resource, _ := strings.Cut(at, " ")
			b.fail(verb, resource, false, errServer)
			if b.look() == nil {
				t.Fatal("no error, so that nobody looks again")
			}
			if verb == "delete" && len(b.stored()) != 1 {
				t.Error("created beside the one to replace")
			}
			b.mustLook()
			b.expect("Jobs", names(b.stored()), "["+nameAt("10:00")+"]")
			b.expectStatus("10:00", nameAt("10:00"))
			if told := b.told(); strings.Contains(told, "MissingJob") {
				t.Errorf("events %q: the Job is missing because it was replaced", told)
			}
		})
	}
}

func TestCleanUpAndStartDoNotStopEachOther(t *testing.T) {
	for name, c := range map[string]struct {
		verb       string
		jobs, told string
	}{
		"quota is full (#119776)": {"create", "[]", "SuccessfulDelete FailedCreate"},
		"deletion fails":          {"delete", "[" + nameAt("09:00") + " " + nameAt("10:00") + "]", "FailedDelete SuccessfulCreate"},
	} {
		t.Run(name, func(t *testing.T) {
			c1 := hourly(last("09:00"), succeeded("09:10"))
			c1.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](0)
			b := newBench(t, c1, started("09:00", complete("09:10")))
			b.fail(c.verb, "jobs", false, errServer)
			if b.look() == nil {
				t.Error("no error, so that nobody looks again")
			}
			b.expect("Jobs", names(b.stored()), c.jobs)
			b.expect("events", b.told(), c.told)
		})
	}
}

// TestSuccessIsOnRecordBeforeDeletion: what is deleted can no longer be counted.
func TestSuccessIsOnRecordBeforeDeletion(t *testing.T) {
	c := hourly(last("10:00"), active(started("10:00")))
	c.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](0)
	b := newBench(t, c, started("10:00", complete("10:00:04")))
	b.mustLook()
	b.expect("writes", b.writes(), "update cronjobs, delete jobs")
	b.expect("events", b.told(), "SawCompletedJob SuccessfulDelete")
	if got := b.status().LastSuccessfulTime; !got.Equal(stamp("10:00:04")) {
		t.Errorf("lastSuccessfulTime %v", got)
	}
	b.api.ClearActions()
	b.mustLook() // stale caches still have the Job
	b.expect("writes", b.writes(), "")
	b.expect("events", b.told(), "")
}

func TestTerminatingNamespace(t *testing.T) {
	b := newBench(t, hourly(last("09:00")))
	err := apierrors.NewForbidden(batchv1.Resource("jobs"), "report", errors.New("namespace ns is being terminated"))
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause}}
	b.fail("create", "jobs", false, err)
	b.mustLook()
	b.expect("events", b.told(), "")
	b.expectStatus("09:00")
}

func TestActiveJobNotInTheCache(t *testing.T) {
	b := newBench(t, hourly(last("10:00"), active(started("10:00"))), started("10:00"))
	if err := b.jobs.Replace(nil, ""); err != nil {
		t.Fatal(err)
	}
	b.mustLook()
	b.expect("events", b.told(), "")
	b.expectStatus("10:00", nameAt("10:00"))
}

func TestStaleJobIsNotRevived(t *testing.T) {
	b := newBench(t, hourly(last("10:00")))
	if err := b.jobs.Add(started("10:00")); err != nil { // gone meanwhile
		t.Fatal(err)
	}
	b.mustLook()
	b.expect("writes", b.writes(), "")
}

func TestForeignNamespaceAndOwner(t *testing.T) {
	elsewhere, stranger := started("10:00"), started("10:00")
	elsewhere.Namespace = "other"
	stranger.Name, stranger.OwnerReferences[0].UID = "stranger", "another-uid"
	b := newBench(t, hourly(last("10:00"), func(c *batchv1.CronJob) { c.Spec.SuccessfulJobsHistoryLimit = ptr.To[int32](0) }), elsewhere, stranger)
	b.mustLook()
	b.expect("writes", b.writes(), "")
	b.expect("events", b.told(), "")
}

// TestChangedSchedule: the new schedule's past ticks start nothing, unless
// somebody sets lastScheduleTime afterwards.
func TestChangedSchedule(t *testing.T) {
	b := newBench(t, hourly(last("10:00")))
	b.mustLook()
	edit := func(version string, changes ...change) {
		b.edit(version, changes...)
		b.show()
	}
	b.clock.SetTime(at("10:30:05"))
	edit("20", last("10:00"), scheduled("*/20 * * * *"))
	b.mustLook()
	b.expect("Jobs after the change", names(b.stored()), "[]")
	edit("21", last("10:00"), scheduled("*/20 * * * *"), deadline(10000))
	b.mustLook()
	b.expect("Jobs after another change", names(b.stored()), "[]")
	edit("22", last("08:00"), scheduled("*/20 * * * *"))
	b.mustLook()
	b.expect("Jobs after bending time", names(b.stored()), "["+nameAt("10:20")+"]")
	b.clock.SetTime(at("10:40"))
	b.mustLook()
	b.expect("Jobs at the next tick", names(b.stored()), "["+nameAt("10:20")+" "+nameAt("10:40")+"]")
}

func TestEventsAreToldOnce(t *testing.T) {
	b := newBench(t, hourly(last("09:00"), active(started("09:00")), policy(batchv1.ForbidConcurrent)), started("09:00"))
	b.mustLook()
	b.mustLook()
	b.expect("events", b.told(), "JobAlreadyActive")
	b.clock.SetTime(at("11:00"))
	b.mustLook()
	b.expect("events at the next tick", b.told(), "JobAlreadyActive")
}

// TestRun has the real parts together, on a clock that ticks fast.
func TestRun(t *testing.T) {
	api := newAPI(hourly(last("09:00")))
	created := make(chan string, 10)
	api.PrependReactor("create", "jobs", func(action clienttesting.Action) (bool, runtime.Object, error) {
		created <- action.(clienttesting.CreateAction).GetObject().(*batchv1.Job).Name
		return false, nil, nil
	})
	clock := testingclock.NewFakeClock(at("09:59"))
	factory := informers.NewSharedInformerFactory(api, 0)
	c := New(api, factory, record.NewFakeRecorder(100), clock)
	ctx, stop := context.WithCancel(t.Context())
	factory.Start(ctx.Done())
	ended := make(chan struct{})
	go func() { c.Run(ctx, 2); close(ended) }()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for _, want := range []string{nameAt("10:00"), nameAt("11:00")} {
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
