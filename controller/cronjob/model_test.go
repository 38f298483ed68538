package cronjob

import (
	"flag"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/jobconformance/jobconformance/controller/cronjob/plan"
	"github.com/jobconformance/jobconformance/controller/internal/loop"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	testingclock "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

// fuzzSteps is the environment variable that says how many steps TestModel takes.
const fuzzSteps = "JOBCONFORMANCE_FUZZ_STEPS"

const (
	// stepsAWorld is about how many steps one world takes.
	stepsAWorld = 30
	// shortForm is how many worlds there are where nobody says how many.
	shortForm = 1000
)

// worlds has rapid try as many worlds as the environment says, else its own flag,
// else a second's worth.
func worlds(t *testing.T) {
	checks, n := flag.Lookup("rapid.checks"), shortForm
	if text := os.Getenv(fuzzSteps); text != "" {
		steps, err := strconv.Atoi(text)
		if err != nil || steps < 1 {
			t.Fatalf("%s=%q is no number of steps", fuzzSteps, text)
		}
		n = max(1, steps/stepsAWorld)
	} else if checks.Value.String() != checks.DefValue {
		return
	}
	if err := checks.Value.Set(strconv.Itoa(n)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue) })
}

// TestModel has the controller sync a CronJob in a world where requests fail,
// answers get lost, others edit in between, caches lag, the process dies in the
// middle of a sync, and the clock is put forward and back. The API server checks
// every write; in the end, when all is quiet, everything must be in order.
func TestModel(t *testing.T) {
	worlds(t)
	steps, tried := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := newModel(t)
		defer m.stop()
		actions := m.actions()
		actions[""] = func(*rapid.T) { steps++ }
		t.Repeat(actions)
		m.settle()
		tried++
	})
	t.Logf("%d steps in %d worlds", steps, tried)
}

// schedules are of all kinds; the last one cannot be parsed.
var schedules = []string{
	"* * * * *", "*/7 * * * *", "0 * * * *", "30 6-16/4 * * 1-5", "0 0 1 1 *", "15 2 * * *", "59 23 29 2 *",
	"@hourly", "@every 1h", "@every 95s", "@every 40m", "@every 10s", "59 23 31 2 *", "nonsense",
}

// model is the API server and one controller process.
type model struct {
	*modelAPI
	*Controller
	clock  *testingclock.FakeClock
	cached cache.Indexer
}

func newModel(t *rapid.T) *model {
	clock := testingclock.NewFakeClock(At("08:30"))
	policies := []batchv1.ConcurrencyPolicy{batchv1.AllowConcurrent, batchv1.ForbidConcurrent,
		batchv1.ReplaceConcurrent}
	m := &model{clock: clock, modelAPI: &modelAPI{
		t: t, now: clock.Now, serial: 1, faulty: true, stored: map[string]*batchv1.Job{}, started: map[int64]bool{},
		cron: Hourly(Scheduled(rapid.SampledFrom(schedules).Draw(t, "schedule")),
			Policy(rapid.SampledFrom(policies).Draw(t, "policy"))),
	}}
	m.revise(m.cron)
	m.start()
	return m
}

// start starts a process. Its informers list what there is now.
func (m *model) start() {
	factory := informers.NewSharedInformerFactory(m.modelAPI, 0)
	c := New(m.modelAPI, factory, &record.FakeRecorder{}, m.clock)
	m.Controller, m.cached, m.dead = c, factory.Batch().V1().CronJobs().Informer().GetIndexer(), false
	m.queue = futureQueue{m.queue, m.t}
	m.cronFeed, m.jobFeed, m.seen = []*batchv1.CronJob{m.cron}, nil, m.cron
	for _, job := range m.stored {
		m.jobFeed = append(m.jobFeed, jobNotice{job: job})
	}
	m.deliver(1, len(m.jobFeed))
}

// futureQueue checks that a sync asks for no other one at once: that would go on for ever.
type futureQueue struct {
	loop.Queue
	t *rapid.T
}

func (q futureQueue) AddAfter(key cache.ObjectName, in time.Duration) {
	if in <= 0 {
		q.t.Fatalf("%s is queued again after %v", key, in)
	}
}

func (m *model) stop() { m.queue.ShutDown() }

// deliver lets the caches catch up by so many notices.
func (m *model) deliver(cronJobs, jobs int) {
	for _, c := range m.cronFeed[:cronJobs] {
		m.must(m.cached.Update(c))
		m.seen = newest(m.seen, c)
	}
	for _, n := range m.jobFeed[:jobs] {
		if n.gone {
			m.must(m.jobs.Delete(n.job))
		} else {
			m.must(m.jobs.Update(n.job))
		}
	}
	m.cronFeed, m.jobFeed = m.cronFeed[cronJobs:], m.jobFeed[jobs:]
}

func newest(a, b *batchv1.CronJob) *batchv1.CronJob {
	if (&Cache{cronJob: a}).latestCronJob(b) == a {
		return a
	}
	return b
}

func (m *model) must(err error) {
	if err != nil {
		m.t.Fatal(err)
	}
}

// syncOnce syncs once; a process that died in it is followed by another.
func (m *model) syncOnce() error {
	err := m.sync(m.t.Context(), cache.NewObjectName("ns", "report"))
	if m.dead {
		m.stop()
		m.start()
	}
	return err
}

func (m *model) actions() map[string]func(*rapid.T) {
	draw := func(n int, what string) int { return rapid.IntRange(0, n).Draw(m.t, what) }
	// some calls do with one of the Jobs, if there is one that fits.
	some := func(do func(*batchv1.Job), fits func(*batchv1.Job) bool) func(*rapid.T) {
		return func(t *rapid.T) {
			names := slices.Sorted(maps.Keys(m.stored))
			names = slices.DeleteFunc(names, func(name string) bool { return !fits(m.stored[name]) })
			if len(names) == 0 {
				t.Skip("no such Job")
			}
			do(m.stored[rapid.SampledFrom(names).Draw(t, "name")])
		}
	}
	running := func(job *batchv1.Job) bool { return plan.Finished(job) == "" }
	sync := func(*rapid.T) { _ = m.syncOnce() } // what failed is tried again
	return map[string]func(*rapid.T){
		"sync": sync, "sync soon": sync, "sync again": sync,
		"restart": func(*rapid.T) { m.stop(); m.start() },
		"watch":   func(*rapid.T) { m.deliver(draw(len(m.cronFeed), "CronJobs"), draw(len(m.jobFeed), "Jobs")) },
		"wait":    func(*rapid.T) { m.clock.Step(time.Duration(draw(90*60, "seconds")) * time.Second) },
		"put the clock back": func(*rapid.T) {
			m.clock.SetTime(m.now().Add(-time.Duration(draw(10*60, "seconds")) * time.Second))
		},
		"complete": some(func(job *batchv1.Job) { m.finish(job, batchv1.JobComplete) }, running),
		"fail":     some(func(job *batchv1.Job) { m.finish(job, batchv1.JobFailed) }, running),
		"add a finalizer": some(func(job *batchv1.Job) {
			job = job.DeepCopy()
			job.Finalizers = []string{"test/finalizer"}
			m.put(job)
		}, running),
		"remove it": some(func(job *batchv1.Job) { job = job.DeepCopy(); job.Finalizers = nil; m.remove(job) },
			func(job *batchv1.Job) bool { return job.DeletionTimestamp != nil }),
		"delete": some(m.deletedByUser, func(*batchv1.Job) bool { return true }),
		"edit":   func(t *rapid.T) { m.edit(m.drawEdit(t)) },
		"somebody's Job": func(t *rapid.T) {
			job := Started(m.now().Add(time.Hour).Truncate(time.Hour).Format(time.RFC3339))
			if m.stored[job.Name] != nil {
				t.Skip("it exists")
			}
			job.OwnerReferences = nil
			job.UID = types.UID("foreign-" + job.Name)
			m.put(job)
		},
	}
}

// deletedByUser deletes a Job. If the CronJob does not know of it yet, it may
// start again.
func (m *model) deletedByUser(job *batchv1.Job) {
	if tick, ours := plan.ScheduledTime(m.cron, job); ours && metav1.IsControlledBy(job, m.cron) {
		if last := m.cron.Status.LastScheduleTime; last == nil || last.Time.Before(tick.Time) {
			delete(m.started, tick.Unix())
		}
	}
	m.remove(job)
}

func (m *model) drawEdit(t *rapid.T) func(*batchv1.CronJob) {
	n := rapid.IntRange(0, 2).Draw(t, "n")
	return rapid.SampledFrom([]func(*batchv1.CronJob){
		func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(n > 0) },
		func(c *batchv1.CronJob) { c.Spec.Suspend = ptr.To(false) },
		func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = ptr.To(int64(n * 3000)) },
		func(c *batchv1.CronJob) { c.Spec.StartingDeadlineSeconds = nil },
		func(c *batchv1.CronJob) { c.Spec.SuccessfulJobsHistoryLimit = ptr.To(int32(n)) },
		func(c *batchv1.CronJob) { c.Spec.FailedJobsHistoryLimit = ptr.To(int32(n)) },
		func(c *batchv1.CronJob) { c.Spec.Schedule = schedules[n] },
		func(c *batchv1.CronJob) {
			c.Spec.TimeZone = ptr.To([]string{"Asia/Tokyo", "Mars/Olympus", "Etc/UTC"}[n])
		},
		func(c *batchv1.CronJob) {
			c.Spec.ConcurrencyPolicy = []batchv1.ConcurrencyPolicy{batchv1.AllowConcurrent, batchv1.ForbidConcurrent,
				batchv1.ReplaceConcurrent}[n]
		},
	}).Draw(t, "edit")
}

// settle lets everything come to rest, and checks the outcome.
func (m *model) settle() {
	m.faulty = false
	for syncs := 0; ; syncs++ {
		if syncs > 10 {
			m.t.Fatal("no rest after 10 syncs")
		}
		m.deliver(len(m.cronFeed), len(m.jobFeed))
		before := m.changes
		m.must(m.syncOnce())
		if m.changes == before && len(m.cronFeed) == 0 && len(m.jobFeed) == 0 {
			break
		}
	}
	active, left := plan.UIDs(m.cron.Status.Active), map[batchv1.JobConditionType]int{}
	for _, job := range m.stored {
		_, ours := plan.ScheduledTime(m.cron, job)
		if !ours || !metav1.IsControlledBy(job, m.cron) {
			continue
		}
		if job.DeletionTimestamp == nil {
			left[plan.Finished(job)]++
		}
		if active[job.UID] && plan.Finished(job) != "" || !active[job.UID] && plan.Finished(job) == "" &&
			job.DeletionTimestamp == nil {
			m.t.Fatalf("%s is %q; active: %v", job.Name, plan.Finished(job), m.cron.Status.Active)
		}
		delete(active, job.UID)
	}
	if len(active) > 0 {
		m.t.Fatalf("active has %v, which are gone", active)
	}
	for _, condition := range []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed} {
		if limit := *limitFor(m.cron, condition); left[condition] > int(limit) {
			m.t.Fatalf("%d Jobs are left that are %s, more than %d", left[condition], condition, limit)
		}
	}
}
func limitFor(c *batchv1.CronJob, condition batchv1.JobConditionType) *int32 {
	if condition == batchv1.JobComplete {
		return c.Spec.SuccessfulJobsHistoryLimit
	}
	return c.Spec.FailedJobsHistoryLimit
}
