package cronjob

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/record"
	testingclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
)

// broken CronJobs are such as no API server accepts today. Each says what its
// owner is told.
var broken = map[string]struct {
	change change
	told   string
}{
	"schedule of noise":      {scheduled("every now and then"), "UnparseableSchedule"},
	"empty schedule":         {scheduled(""), "UnparseableSchedule"},
	"TZ=0":                   {scheduled("TZ=0"), "UnsupportedSchedule"},
	"TZ= of nowhere":         {scheduled("TZ=Mars/Olympus * * * * *"), "UnsupportedSchedule"},
	"schedule without ticks": {scheduled("59 23 31 2 *"), "InvalidSchedule"},
	"unknown time zone":      {zone("Mars/Olympus"), "UnknownTimeZone"},
	"unknown policy":         {policy("Sometimes"), "UnknownConcurrencyPolicy"},
	"negative deadline":      {deadline(-5), "MissSchedule"},
	"negative limit": {func(c *batchv1.CronJob) {
		c.Spec.FailedJobsHistoryLimit, c.Spec.Suspend = ptr.To[int32](-1), ptr.To(true)
	}, "InvalidHistoryLimit"},
	"name that is too long": {func(c *batchv1.CronJob) {
		c.Name = fmt.Sprintf("%060d", 0)
	}, "FailedCreate"},
}

// TestBrokenCronJobsHarmNobody has one worker for all that is broken and a sound
// CronJob. Everybody is told once and left alone, and the sound one goes on.
func TestBrokenCronJobsHarmNobody(t *testing.T) {
	objects := []runtime.Object{hourly(last("09:00"))}
	untold := map[string]string{}
	for name, b := range broken {
		c := hourly(last("09:00"), b.change)
		c.UID = types.UID(name)
		if c.Name == "report" {
			c.Name = fmt.Sprint("broken-", len(objects))
		}
		untold[c.Name+" "+b.told] = name
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
	clock := testingclock.NewFakeClock(at("10:00:05"))
	factory := informers.NewSharedInformerFactory(api, 0)
	events := &tellTale{told: make(chan string, 100)}
	c := New(api, factory, events, clock)
	ctx, stop := context.WithCancel(t.Context())
	factory.Start(ctx.Done())
	ended := make(chan struct{})
	go func() { c.Run(ctx, 1); close(ended) }()
	if got := <-created; got != nameAt("10:00") {
		t.Errorf("created %s", got)
	}
	seen := map[string]int{}
	for len(untold) > 0 {
		told := <-events.told
		seen[told]++
		delete(untold, told)
	}
	clock.SetTime(at("11:00:05"))
	if got := <-created; got != nameAt("11:00") {
		t.Errorf("created %s", got)
	}
	stop()
	<-ended
	for told, times := range seen {
		if times > 1 {
			t.Errorf("%s: told %d times", told, times)
		}
	}
}

// tellTale passes on about whom there is which event.
type tellTale struct {
	record.FakeRecorder
	told chan string
}

func (r *tellTale) Event(about runtime.Object, _, reason, _ string) {
	r.told <- about.(*batchv1.CronJob).Name + " " + reason
}

// TestThousandsOfActiveJobs: what somebody wrote into the status costs one look.
func TestThousandsOfActiveJobs(t *testing.T) {
	const many = 5000
	c := hourly(last("10:00"), policy(batchv1.ReplaceConcurrent))
	var running []*batchv1.Job
	for n := range many {
		job := started("09:00", func(j *batchv1.Job) { j.Name, j.UID = fmt.Sprint("j-", n), types.UID(fmt.Sprint("uid-", n)) })
		if n%2 == 0 {
			running = append(running, job)
		}
		active(job)(c)
	}
	began := time.Now()
	plan := NewPlan(Observation{CronJob: c, Jobs: running, Now: at("11:00:05")})
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("the plan took %v", took)
	}
	if plan.Start == nil || len(plan.Start.Replaced) != many/2 || len(plan.Status.Active) != many/2 {
		t.Fatalf("start %v", plan.Start)
	}
	if !slices.ContainsFunc(plan.Events, func(e Event) bool { return e.Reason == "MissingJob" }) {
		t.Error("nobody is told of the missing ones")
	}

	b := newBench(t, c)
	b.Controller.recorder = &record.FakeRecorder{}
	b.mustLook()
	b.expectStatus("10:00")
	b.api.ClearActions()
	b.mustLook()
	if n := len(b.api.Actions()); n != 0 {
		t.Errorf("%d requests for nothing", n)
	}
}
