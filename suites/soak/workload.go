package soak

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/faultproxy"
	"github.com/jobconformance/jobconformance/fixtures/puppet"
	"github.com/jobconformance/jobconformance/suites/scenario"
	batchv1 "k8s.io/api/batch/v1"
	"pgregory.net/rapid"
)

// Workload is a random scenario: some Jobs and CronJobs of any features, whose
// pods end in any way, while they are edited, suspended and deleted, and the
// implementation meets faults. However it goes, all that is left must be finished
// once the faults are over.
var Workload = rapid.Custom(func(t *rapid.T) *scenario.Scenario {
	w := &workload{t: t, s: &scenario.Scenario{Description: "a random workload", Ends: map[string]string{}}}
	for i := range rapid.IntRange(1, 3).Draw(t, "jobs") {
		w.disturb("before", 2)
		w.addJob(fmt.Sprintf("job-%d", i+1))
	}
	if w.chance("cronJob", 3) {
		w.disturb("before the CronJob", 2)
		w.addCronJob("cron")
	}
	w.disturb("afterwards", 6)
	w.finish()
	return w.s
})

// workload is one that is being made.
type workload struct {
	t *rapid.T
	s *scenario.Scenario

	jobs      []*batchv1.Job // that are not deleted
	suspended map[string]bool
	held      map[string]bool
	cut       bool
	down      bool
}

func (w *workload) step(step scenario.Step) { w.s.Steps = append(w.s.Steps, step) }

func (w *workload) chance(label string, oneIn int) bool {
	return rapid.IntRange(1, oneIn).Draw(w.t, label) == oneIn
}

func (w *workload) number(label string, low, high int32) int32 {
	return rapid.Int32Range(low, high).Draw(w.t, label)
}

// ends are those of the first pods. The last of them is success, so that every Job
// comes to an end.
func (w *workload) ends() string {
	codes := rapid.SliceOfN(rapid.SampledFrom([]string{"0", "0", "0", "1", "2", "42"}), 0, 8).Draw(w.t, "ends")
	return strings.Join(append(codes, "0"), ",")
}

func (w *workload) addJob(name string) {
	job := w.job(name).Obj()
	w.jobs = append(w.jobs, job)
	w.s.Ends[name] = w.ends()
	if job.Spec.Suspend != nil {
		w.suspend(name, true)
	}
	w.step(scenario.Step{Create: &scenario.Object{Object: job}})
}

func (w *workload) suspend(name string, yes bool) {
	if w.suspended == nil {
		w.suspended = map[string]bool{}
	}
	w.suspended[name] = yes
}

// job draws one of any features. Failures end long ago, so that no back-off is
// owed.
func (w *workload) job(name string) *puppet.JobBuilder {
	b := puppet.Job(name).FinishedAgo("1h").Parallelism(w.number("parallelism", 1, 4))
	indexed := w.chance("indexed", 2)
	completions := w.number("completions", 1, 5)
	if indexed {
		b.Indexed()
	}
	if indexed || !w.chance("work queue", 4) {
		b.Completions(completions)
	}
	w.limits(b, indexed, completions)
	w.policies(b, indexed)
	if w.chance("suspend", 5) {
		b.Suspend()
	}
	return b
}

func (w *workload) limits(b *puppet.JobBuilder, indexed bool, completions int32) {
	switch {
	case indexed && w.chance("backoffLimitPerIndex", 3):
		b.BackoffLimitPerIndex(w.number("per index", 0, 2))
		if w.chance("maxFailedIndexes", 2) {
			b.MaxFailedIndexes(w.number("failed indexes", 0, completions))
		}
	default:
		b.BackoffLimit(w.number("backoffLimit", 0, 6))
	}
	if w.chance("deadline", 8) {
		b.ActiveDeadlineSeconds(int64(w.number("seconds", 1, 5)))
	}
}

func (w *workload) policies(b *puppet.JobBuilder, indexed bool) {
	policy := w.chance("podFailurePolicy", 3)
	if policy {
		action := rapid.SampledFrom([]batchv1.PodFailurePolicyAction{
			batchv1.PodFailurePolicyActionFailJob, batchv1.PodFailurePolicyActionIgnore,
			batchv1.PodFailurePolicyActionCount,
		}).Draw(w.t, "action")
		b.PodFailurePolicy(batchv1.PodFailurePolicyRule{Action: action,
			OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
				Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{42},
			}})
	}
	if indexed && w.chance("successPolicy", 4) {
		one := int32(1)
		b.SuccessPolicy(batchv1.SuccessPolicyRule{SucceededCount: &one})
	}
	if w.chance("podReplacementPolicy", 3) {
		b.PodReplacementPolicy(batchv1.Failed)
	} else if !policy && w.chance("restartPolicy", 5) {
		b.OnFailure()
	}
}

// addCronJob adds one that is due at once, and never again: its ticks are days
// apart.
func (w *workload) addCronJob(name string) {
	template := puppet.Job(name).ExitCodes("0").FinishedAgo("1h").Parallelism(w.number("cron parallelism", 1, 3))
	policy := rapid.SampledFrom([]batchv1.ConcurrencyPolicy{
		batchv1.AllowConcurrent, batchv1.ForbidConcurrent, batchv1.ReplaceConcurrent,
	}).Draw(w.t, "concurrencyPolicy")
	// A tick in the middle of the time between now and twelve hours ago.
	cron := puppet.CronJob(name, template).Schedule(puppet.Daily(time.Now().Add(-6 * time.Hour))).Policy(policy).
		SuccessfulJobsHistoryLimit(w.number("history", 0, 2)).Obj()
	w.step(scenario.Step{Create: &scenario.Object{Object: cron}})
	w.due(name)
}

func (w *workload) due(name string) {
	past := time.Now().Add(-12 * time.Hour).UTC().Format(time.RFC3339)
	w.step(scenario.Step{Patch: &scenario.Patch{
		Kind: "CronJob", Name: name, Status: true,
		Merge: map[string]any{"status": map[string]any{"lastScheduleTime": past}},
	}})
}

// finish takes all faults away and waits for the end of all that is there.
func (w *workload) finish() {
	w.step(scenario.Step{Clear: "faults"})
	for _, resource := range held {
		if w.held[resource] {
			w.step(scenario.Step{Release: resource})
		}
	}
	if w.cut {
		w.step(scenario.Step{Network: "restored"})
	}
	if w.down {
		w.step(scenario.Step{Implementation: "start"})
	}
	for _, job := range w.jobs {
		if w.suspended[job.Name] {
			w.setSuspend(job.Name, false)
		}
	}
	w.step(scenario.Step{Await: finished, Within: 2 * time.Minute})
}

// finished is the end of every workload: all Jobs are finished and counted, their
// pods ended and released.
const finished = "jobs.all(j, done(jobs[j], 'Complete') || done(jobs[j], 'Failed'))" +
	" && jobs.all(j, jobs[j].status.active == 0 && jobs[j].status.terminating == 0)" +
	" && pods.all(p, !has(p.metadata.finalizers) || !('" + batchv1.JobTrackingFinalizer + "' in p.metadata.finalizers))"

func (w *workload) setSuspend(name string, yes bool) {
	w.suspend(name, yes)
	w.change(name, map[string]any{"suspend": yes})
}

func (w *workload) change(name string, spec map[string]any) {
	w.step(scenario.Step{Patch: &scenario.Patch{Kind: "Job", Name: name, Merge: map[string]any{"spec": spec}}})
}

var (
	// held are the resources whose watches are held.
	held = []string{"jobs", "pods", "cronjobs"}
	// writes are those that controllers make of Jobs.
	writes = parsed(faultproxy.ParseCalls,
		"create pods", "patch pods", "delete pods", "update jobs/status", "write jobs", "create jobs",
		"update cronjobs/status", "write any",
	)
	harms = parsed(faultproxy.ParseEffect,
		"answer 409", "answer 429", "answer 500", "answer 503", "answer 504", "drop", "lose answer", "delay 300ms",
		"kill before", "kill after", "lose answer", "answer 500",
	)
)

func parsed[T any](parse func(string) (T, error), texts ...string) (all []T) {
	for _, text := range texts {
		one, err := parse(text)
		if err != nil {
			panic(err) // the texts are those above
		}
		all = append(all, one)
	}
	return all
}

// disturb adds edits, faults, and ends of them, each with a moment to let it work.
func (w *workload) disturb(when string, most int) {
	for range rapid.IntRange(0, most).Draw(w.t, when) {
		rapid.SampledFrom([]func(){
			w.harm, w.harm, w.harm, w.harm, w.hold, w.hold, w.expire, w.network, w.restart, w.resize, w.pause, w.remove,
		}).Draw(w.t, "disturbance")()
		if w.chance("let it work", 2) {
			w.step(scenario.Step{Pause: time.Duration(w.number("ms", 20, 2000)) * time.Millisecond})
		}
	}
}

func (w *workload) harm() {
	f := faultproxy.Fault{
		Calls: rapid.SampledFrom(writes).Draw(w.t, "on"),
		Do:    rapid.SampledFrom(harms).Draw(w.t, "do"),
	}
	if w.chance("only one", 2) {
		f.Nth = int(w.number("nth", 1, 6))
	} else {
		f.First = int(w.number("first", 1, 3))
	}
	w.step(scenario.Step{Fault: &scenario.Fault{Fault: f}})
}

// hold holds a watch, or lets it go again.
func (w *workload) hold() {
	resource := rapid.SampledFrom(held).Draw(w.t, "held")
	if w.held == nil {
		w.held = map[string]bool{}
	}
	if w.held[resource] {
		w.step(scenario.Step{Release: resource})
	} else {
		w.step(scenario.Step{Hold: resource})
	}
	w.held[resource] = !w.held[resource]
}

func (w *workload) expire() {
	w.step(scenario.Step{Expire: rapid.SampledFrom(held).Draw(w.t, "expired")})
}

func (w *workload) network() {
	state := "cut"
	if w.cut {
		state = "restored"
	}
	w.cut = !w.cut
	w.step(scenario.Step{Network: state})
}

func (w *workload) restart() {
	how := rapid.SampledFrom([]string{"restart", "kill", "stop"}).Draw(w.t, "how")
	switch {
	case w.down:
		how = "start"
		w.down = false
	default:
		w.down = how != "restart"
	}
	w.step(scenario.Step{Implementation: how})
}

func (w *workload) any() *batchv1.Job {
	if len(w.jobs) == 0 {
		return nil
	}
	return rapid.SampledFrom(w.jobs).Draw(w.t, "job")
}

// resize changes parallelism, and of an elastic Job its completions with it.
func (w *workload) resize() {
	job := w.any()
	if job == nil {
		return
	}
	n := w.number("size", 0, 5)
	w.change(job.Name, map[string]any{"parallelism": n})
	w.step(scenario.Step{Pause: time.Duration(w.number("meanwhile", 1, 900)) * time.Millisecond})
	w.change(job.Name, map[string]any{"parallelism": max(1, *job.Spec.Parallelism)})
}

// pause suspends a Job or resumes it.
func (w *workload) pause() {
	if job := w.any(); job != nil {
		w.setSuspend(job.Name, !w.suspended[job.Name])
	}
}

// remove deletes a Job, and may create it again under the same name.
func (w *workload) remove() {
	job := w.any()
	if job == nil {
		return
	}
	how := rapid.SampledFrom([]string{"Background", "Foreground"}).Draw(w.t, "propagation")
	w.step(scenario.Step{Delete: &scenario.Delete{Kind: "Job", Name: job.Name, Propagation: how}})
	if how == "Background" && w.chance("again", 2) {
		w.step(scenario.Step{Await: fmt.Sprintf("!(%q in jobs)", job.Name)})
		w.suspend(job.Name, job.Spec.Suspend != nil)
		w.step(scenario.Step{Create: &scenario.Object{Object: job}})
		return
	}
	w.jobs = slices.DeleteFunc(w.jobs, func(j *batchv1.Job) bool { return j == job })
}
