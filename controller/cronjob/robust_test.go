package cronjob

import (
	"context"
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
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
	"unknown time zone":      {func(c *batchv1.CronJob) { c.Spec.TimeZone = ptr.To("Mars/Olympus") }, "UnknownTimeZone"},
	"unknown policy":         {Policy("Sometimes"), "UnknownConcurrencyPolicy"},
	"negative deadline":      {Deadline(-5), "MissSchedule"},
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
		Active(Started("09:00", func(j *batchv1.Job) { j.Name, j.UID = fmt.Sprint("j-", n), types.UID(fmt.Sprint("uid-", n)) }))(c)
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
