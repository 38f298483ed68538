package soak

import (
	"fmt"
	"slices"
	"time"

	"github.com/jobconformance/jobconformance/suites/scenario"
	batchv1 "k8s.io/api/batch/v1"
	"pgregory.net/rapid"
)

var (
	// held are the resources whose watches are held.
	held = []string{"jobs", "pods", "cronjobs"}
	// writes are those that controllers make of Jobs.
	writes = []string{
		"create pods", "patch pods", "delete pods", "update jobs/status", "write jobs", "create jobs", "update cronjobs/status", "write any",
	}
	harms = []string{
		"answer 409", "answer 429", "answer 500", "answer 503", "answer 504", "drop", "lose answer", "delay 300ms",
		"kill before", "kill after", "lose answer", "answer 500",
	}
)

// disturb adds edits, faults, and ends of them, each with a moment to let it work.
func (w *workload) disturb(when string, most int) {
	for range rapid.IntRange(0, most).Draw(w.t, when) {
		rapid.SampledFrom([]func(){
			w.harm, w.harm, w.harm, w.harm, w.hold, w.hold, w.expire, w.network, w.restart, w.resize, w.pause, w.remove,
		}).Draw(w.t, "disturbance")()
		if w.chance("let it work", 2) {
			w.step(scenario.Step{Pause: time.Duration(w.number("ms", 20, 900)) * time.Millisecond})
		}
	}
}

func (w *workload) harm() {
	f := &scenario.Fault{
		On: rapid.SampledFrom(writes).Draw(w.t, "on"),
		Do: rapid.SampledFrom(harms).Draw(w.t, "do"),
	}
	if w.chance("only one", 2) {
		f.Nth = int(w.number("nth", 1, 6))
	} else {
		f.First = int(w.number("first", 1, 3))
	}
	w.step(scenario.Step{Fault: f})
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
