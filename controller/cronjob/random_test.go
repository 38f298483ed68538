package cronjob

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

var schedules = []string{
	"* * * * *", "*/7 * * * *", "0 * * * *", "30 6-16/4 * * 1-5", "0 0 1 1 *", "15 2 * * *", "59 23 29 2 *",
	"@hourly", "@every 1h", "@every 95s", "@every 40m", "@every 10s", "59 23 31 2 *", "nonsense",
}

// TestLatest compares the search by halves with a walk.
func TestLatest(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := hourly(scheduled(rapid.SampledFrom(schedules[:len(schedules)-1]).Draw(t, "schedule")))
		now := at("2026-01-01T00:00:00Z").Add(time.Duration(rapid.IntRange(0, 365*24*3600).Draw(t, "now")) * time.Second)
		back := time.Duration(rapid.IntRange(0, 3*24*3600).Draw(t, "back")) * time.Second
		c.Status.LastScheduleTime = &metav1.Time{Time: now.Add(-back)}
		s, err := scheduleOf(c, berlin, time.UTC)
		if err != nil {
			t.Fatal(err)
		}
		var want time.Time
		missed := 0
		for tick := s.Next(s.anchor); !tick.IsZero() && !tick.After(now); tick = s.Next(tick) {
			want = tick
			missed++
		}
		if got := s.latest(now); !got.Equal(want) {
			t.Errorf("latest %v, want %v", got, want)
		}
		if got := s.moreThan(tooMany, s.anchor, now); got != (missed > tooMany) {
			t.Errorf("more than %d missed: %v, but it is %d", tooMany, got, missed)
		}
	})
}

// world is an API server's share of one CronJob.
type world struct {
	cron    *batchv1.CronJob
	jobs    map[types.UID]*batchv1.Job
	deleted map[types.UID]bool
	now     time.Time
	serial  int
}

func (w *world) list() (all []*batchv1.Job) {
	for _, job := range w.jobs {
		all = append(all, job.DeepCopy())
	}
	return inOrderOfAge(all)
}

// TestPlansInAnyWorld carries plans out in a world in which Jobs finish, vanish
// or are made by hand, users edit, time passes, and the controller dies between
// any two steps. It checks every plan.
func TestPlansInAnyWorld(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{
			cron: hourly(
				scheduled(rapid.SampledFrom(schedules).Draw(t, "schedule")),
				policy(rapid.SampledFrom([]batchv1.ConcurrencyPolicy{batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent}).Draw(t, "policy"))),
			jobs:    map[types.UID]*batchv1.Job{},
			deleted: map[types.UID]bool{},
			now:     at("08:30"),
		}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			w.disturb(t)
			o := Observation{CronJob: w.cron.DeepCopy(), Jobs: w.list(), Deleted: w.deleted, Now: w.now}
			plan := NewPlan(o)
			w.check(t, o, plan)
			w.carryOut(plan, rapid.IntRange(0, 10).Draw(t, "stepsUntilCrash"))
		}
	})
}

func (w *world) disturb(t *rapid.T) {
	w.now = w.now.Add(time.Duration(rapid.IntRange(0, 3*3600).Draw(t, "seconds")) * time.Second)
	var some *batchv1.Job
	if all := w.list(); len(all) > 0 {
		some = w.jobs[all[rapid.IntRange(0, len(all)-1).Draw(t, "job")].UID]
	}
	switch what := rapid.IntRange(0, 9).Draw(t, "what"); {
	case what == 0:
		w.cron.Spec.Suspend = ptr.To(!ptr.Deref(w.cron.Spec.Suspend, false))
	case what == 1:
		w.cron.Spec.StartingDeadlineSeconds = ptr.To(rapid.Int64Range(0, 10000).Draw(t, "deadline"))
	case what == 2:
		w.cron.Spec.SuccessfulJobsHistoryLimit = ptr.To(rapid.Int32Range(0, 2).Draw(t, "limit"))
	case what == 3:
		job := w.add(started("08:30", manual))
		job.Name += "-" + string(job.UID)
	case some == nil:
	case what == 4:
		delete(w.jobs, some.UID)
	case what == 5 && some.DeletionTimestamp == nil:
		some.DeletionTimestamp = &metav1.Time{Time: w.now}
	case finished(some) == "":
		condition := rapid.SampledFrom([]batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed}).Draw(t, "condition")
		some.Status.Conditions = []batchv1.JobCondition{{Type: condition, Status: corev1.ConditionTrue}}
		if condition == batchv1.JobComplete {
			some.Status.CompletionTime = &metav1.Time{Time: w.now}
		}
	}
}

func (w *world) add(job *batchv1.Job) *batchv1.Job {
	w.serial++
	job.UID = types.UID(fmt.Sprint(w.serial))
	job.CreationTimestamp.Time = w.now
	job.Status.StartTime = &metav1.Time{Time: w.now}
	w.jobs[job.UID] = job
	return job
}

// carryOut stops after some steps, as a crash would.
func (w *world) carryOut(plan Plan, steps int) {
	alive := func() bool { steps--; return steps >= 0 }
	if plan.Status != nil && alive() {
		w.cron.Status = *plan.Status.DeepCopy()
	}
	for _, job := range plan.Surplus {
		if alive() {
			w.delete(job)
		}
	}
	if plan.Start == nil {
		return
	}
	for _, job := range plan.Start.Replaced {
		if alive() {
			w.delete(job)
		}
	}
	if !alive() {
		return
	}
	job := plan.Start.Job
	for _, existing := range w.jobs {
		if existing.Name == job.Name {
			job = existing
		}
	}
	if job == plan.Start.Job {
		w.add(job)
	}
	if alive() {
		w.cron.Status = plan.Start.Recorded(job)
	}
}

func (w *world) delete(job *batchv1.Job) {
	w.deleted[job.UID] = true
	delete(w.jobs, job.UID)
}

func (w *world) check(t *rapid.T, o Observation, plan Plan) {
	before, settled := o.CronJob.Status, o.CronJob.Status
	if plan.Status != nil {
		settled = *plan.Status
	}
	if before.LastScheduleTime != nil && settled.LastScheduleTime.Before(before.LastScheduleTime) {
		t.Errorf("lastScheduleTime goes back from %v to %v", before.LastScheduleTime, settled.LastScheduleTime)
	}
	if before.LastSuccessfulTime != nil && settled.LastSuccessfulTime.Before(before.LastSuccessfulTime) {
		t.Errorf("lastSuccessfulTime goes back from %v to %v", before.LastSuccessfulTime, settled.LastSuccessfulTime)
	}
	if !plan.LookAgain.IsZero() && !plan.LookAgain.After(o.Now) {
		t.Errorf("looks again at %v, which is not after %v", plan.LookAgain, o.Now)
	}
	for _, ref := range settled.Active {
		if job := w.jobs[ref.UID]; job == nil || finished(job) != "" {
			t.Errorf("active has %s, which is gone or finished", ref.Name)
		}
	}

	left := map[batchv1.JobConditionType]int{}
	for _, job := range o.Jobs {
		if !o.leaving(job) {
			left[finished(job)]++
		}
	}
	for _, job := range plan.Surplus {
		if finished(job) == "" || o.leaving(job) {
			t.Errorf("deletes %s, which is unfinished or going anyway", job.Name)
		}
		left[finished(job)]--
		if limit := *limitFor(o.CronJob, finished(job)); left[finished(job)] < int(limit) {
			t.Errorf("deletes %s below the limit of %d", job.Name, limit)
		}
	}
	for _, condition := range []batchv1.JobConditionType{batchv1.JobComplete, batchv1.JobFailed} {
		if limit := *limitFor(o.CronJob, condition); left[condition] > int(limit) {
			t.Errorf("keeps %d Jobs that are %s, more than %d", left[condition], condition, limit)
		}
	}

	if !equality.Semantic.DeepEqual(o.CronJob, w.cron) || !equality.Semantic.DeepEqual(o.Jobs, w.list()) {
		t.Error("planning changed what was observed")
	}
	if again := NewPlan(o); !reflect.DeepEqual(again, plan) {
		t.Errorf("the same observation gives another plan: %+v, then %+v", plan, again)
	}
	start := plan.Start
	if start == nil {
		return
	}
	if ptr.Deref(o.CronJob.Spec.Suspend, false) {
		t.Errorf("starts %s although suspended", start.Job.Name)
	}
	if start.ScheduledTime.After(o.Now) {
		t.Errorf("starts %s before its time %v", start.Job.Name, start.ScheduledTime)
	}
	if settled.LastScheduleTime != nil && !start.ScheduledTime.After(settled.LastScheduleTime.Time) {
		t.Errorf("starts %v after %v was started", start.ScheduledTime, settled.LastScheduleTime)
	}
	if d := o.CronJob.Spec.StartingDeadlineSeconds; d != nil && o.Now.Sub(start.ScheduledTime) > time.Duration(*d)*time.Second {
		t.Errorf("starts %v after its deadline of %d s, at %v", start.ScheduledTime, *d, o.Now)
	}
	if o.CronJob.Spec.ConcurrencyPolicy == batchv1.ForbidConcurrent {
		for _, job := range o.Jobs {
			if _, ours := scheduledTimeOf(o.CronJob, job); ours && finished(job) == "" && job.DeletionTimestamp == nil {
				t.Errorf("starts %s beside %s although that is forbidden", start.Job.Name, job.Name)
			}
		}
	}
	for _, job := range start.Replaced {
		if o.CronJob.Spec.ConcurrencyPolicy != batchv1.ReplaceConcurrent || finished(job) != "" {
			t.Errorf("replaces %s", job.Name)
		}
		if job.Name == start.Job.Name {
			t.Errorf("replaces %s by itself", job.Name)
		}
	}
	recorded := start.Recorded(w.add(start.Job.DeepCopy()))
	delete(w.jobs, types.UID(fmt.Sprint(w.serial)))
	if !recorded.LastScheduleTime.Time.Equal(start.ScheduledTime) {
		t.Errorf("writes down %v for a start of %v", recorded.LastScheduleTime, start.ScheduledTime)
	}
	if o.CronJob.Spec.ConcurrencyPolicy == batchv1.ReplaceConcurrent && len(recorded.Active) != 1 {
		t.Errorf("after a replacement %d Jobs are active", len(recorded.Active))
	}
}

func limitFor(c *batchv1.CronJob, condition batchv1.JobConditionType) *int32 {
	if condition == batchv1.JobComplete {
		return c.Spec.SuccessfulJobsHistoryLimit
	}
	return c.Spec.FailedJobsHistoryLimit
}
