package scenario

import (
	"github.com/jobconformance/jobconformance/fixtures/history"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// world is what expressions look at.
type world struct {
	recorder *history.Recorder
	calls    func() []history.Call
}

// now is what there is, as it is in JSON.
func (w world) now() map[string]any {
	jobs, cronJobs := map[string]any{}, map[string]any{}
	for _, job := range w.recorder.Jobs() {
		jobs[job.Name] = withCounters(fields(&job))
	}
	for _, cronJob := range w.recorder.CronJobs() {
		cronJobs[cronJob.Name] = fields(&cronJob)
	}
	return map[string]any{
		"jobs":     jobs,
		"cronjobs": cronJobs,
		"pods":     list(w.recorder.Pods(), func(p *corev1.Pod) any { return fields(p) }),
		"created":  w.created(),
		"events":   list(w.recorder.Events(), func(e *corev1.Event) any { return fields(e) }),
		"calls":    list(w.calls(), call),
	}
}

// created are all pods of the history, in order.
func (w world) created() []any {
	last := map[types.UID]int{}
	var pods []*corev1.Pod
	for _, r := range w.recorder.History().Pods("") {
		i, known := last[r.Object.GetUID()]
		if !known {
			i = len(pods)
			last[r.Object.GetUID()] = i
			pods = append(pods, nil)
		}
		pods[i] = r.Pod()
	}
	return list(pods, func(p **corev1.Pod) any { return fields(*p) })
}

func list[T any](items []T, convert func(*T) any) []any {
	all := make([]any, 0, len(items))
	for i := range items {
		all = append(all, convert(&items[i]))
	}
	return all
}

func fields(object runtime.Object) map[string]any {
	// It fails for no type of the API.
	all, _ := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	return all
}

func call(c *history.Call) any {
	return map[string]any{"verb": c.Verb, "resource": c.Resource, "name": c.Name, "code": int64(c.Code), "fault": c.Fault}
}

// withCounters fills in what the API server leaves out of a Job's status when it
// is 0 or empty.
func withCounters(job map[string]any) map[string]any {
	status, there := job["status"].(map[string]any)
	if !there {
		status = map[string]any{}
		job["status"] = status
	}
	for name, zero := range map[string]any{
		"active": int64(0), "ready": int64(0), "terminating": int64(0), "succeeded": int64(0), "failed": int64(0),
		"completedIndexes": "", "failedIndexes": "",
	} {
		if _, there := status[name]; !there {
			status[name] = zero
		}
	}
	return job
}
