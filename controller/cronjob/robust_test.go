package cronjob

import (
	"context"
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	testingclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
)

// broken CronJobs are such as no API server accepts today. Each has the
// event that its owner gets.
var broken = map[string]struct {
	change Change
	event  string
}{
	"schedule of noise":      {Scheduled("every now and then"), "UnparseableSchedule"},
	"empty schedule":         {Scheduled(""), "UnparseableSchedule"},
	"TZ=0":                   {Scheduled("TZ=0"), "UnsupportedSchedule"},
	"TZ= of nowhere":         {Scheduled("TZ=Mars/Olympus * * * * *"), "UnsupportedSchedule"},
	"schedule without ticks": {Scheduled("59 23 31 2 *"), "InvalidSchedule"},
	"unknown time zone": {func(c *batchv1.CronJob) {
		c.Spec.TimeZone = ptr.To("Mars/Olympus")
	}, "UnknownTimeZone"},
	"unknown policy":    {Policy("Sometimes"), "UnknownConcurrencyPolicy"},
	"negative deadline": {Deadline(-5), "MissSchedule"},
	"negative limit": {func(c *batchv1.CronJob) {
		c.Spec.FailedJobsHistoryLimit, c.Spec.Suspend = ptr.To[int32](-1), ptr.To(true)
	}, "InvalidHistoryLimit"},
	"name that is too long": {func(c *batchv1.CronJob) {
		c.Name = fmt.Sprintf("%060d", 0)
	}, "FailedCreate"},
}

// TestBrokenCronJobsDelayNoOther has one worker for all broken CronJobs and a valid one. Each gets its
// event once and is left alone, and the valid one goes on.
func TestBrokenCronJobsDelayNoOther(t *testing.T) {
	objects := []runtime.Object{Hourly(Last("09:00"))}
	missing := map[string]string{}
	for name, b := range broken {
		c := Hourly(Last("09:00"), b.change)
		c.UID = types.UID(name)
		if c.Name == "report" {
			c.Name = fmt.Sprint("broken-", len(objects))
		}
		missing[c.Name+" "+b.event] = name
		objects = append(objects, c)
	}
	api := newAPI(objects...)
	created := make(chan string, 10)
	api.PrependReactor("create", "jobs", func(action clienttesting.Action) (bool, runtime.Object, error) {
		job := action.(clienttesting.CreateAction).GetObject().(*batchv1.Job)
		if len(job.Name) > 63 {
			return true, nil, errServer
		}
		created <- job.Name
		return false, nil, nil
	})
	clock := testingclock.NewFakeClock(At("10:00:05"))
	factory := informers.NewSharedInformerFactory(api, 0)
	events := &eventLog{emitted: make(chan string, 100)}
	c := New(api, factory, events, clock)
	ctx, stop := context.WithCancel(t.Context())
	factory.Start(ctx.Done())
	ended := make(chan struct{})
	go func() { c.Run(ctx, 1); close(ended) }()
	if got := <-created; got != NameAt("10:00") {
		t.Errorf("created %s", got)
	}
	seen := map[string]int{}
	for len(missing) > 0 {
		event := <-events.emitted
		seen[event]++
		delete(missing, event)
	}
	clock.SetTime(At("11:00:05"))
	if got := <-created; got != NameAt("11:00") {
		t.Errorf("created %s", got)
	}
	stop()
	<-ended
	for event, times := range seen {
		if times > 1 {
			t.Errorf("%s: emitted %d times", event, times)
		}
	}
}

// eventLog passes on about whom there is which event.
type eventLog struct {
	record.FakeRecorder
	emitted chan string
}

func (r *eventLog) Event(about runtime.Object, _, reason, _ string) {
	r.emitted <- about.(*batchv1.CronJob).Name + " " + reason
}

// TestThousandsOfActiveJobs: a status that somebody else has filled costs one sync.
func TestThousandsOfActiveJobs(t *testing.T) {
	c := Hourly(Last("10:00"), Policy(batchv1.ReplaceConcurrent))
	for n := range 5000 {
		Active(Started("09:00", func(j *batchv1.Job) {
			j.Name, j.UID = fmt.Sprint("j-", n), types.UID(fmt.Sprint("uid-", n))
		}))(c)
	}
	b := newAPITest(t, c)
	b.Controller.recorder = &record.FakeRecorder{}
	b.mustSync()
	b.expectStatus("10:00")
	b.api.ClearActions()
	b.mustSync()
	if n := len(b.api.Actions()); n != 0 {
		t.Errorf("%d requests for nothing", n)
	}
}

// TestActiveJobWithoutAName: a client refuses to ask for it, as for kubernetes/kubernetes#112092.
func TestActiveJobWithoutAName(t *testing.T) {
	b := newAPITest(t, Hourly(Last("09:00"), func(c *batchv1.CronJob) {
		c.Status.Active = []corev1.ObjectReference{{Kind: "Job"}}
	}))
	b.api.PrependReactor("get", "jobs", func(action clienttesting.Action) (bool, runtime.Object, error) {
		return action.(clienttesting.GetAction).GetName() == "", nil, errServer
	})
	b.mustSync()
	b.expectStatus("10:00", NameAt("10:00"))
}

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
		"another one": func(b *apiTest) error {
			b.edit("500", func(c *batchv1.CronJob) { c.UID = "another" })
			return nil
		},
		"hidden": func(b *apiTest) error { b.fail("get", "cronjobs", false, errServer); return nil },
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
