package scenario

import (
	"fmt"
	"slices"

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

// now is what there is, as it is in JSON. Each of it is read when an expression asks for it.
func (w world) now() map[string]any {
	return map[string]any{
		"jobs": func() any {
			jobs := map[string]any{}
			for _, job := range w.recorder.Jobs() {
				jobs[job.Name] = withCounters(fields(&job))
			}
			return jobs
		},
		"cronjobs": func() any {
			cronJobs := map[string]any{}
			for _, cronJob := range w.recorder.CronJobs() {
				cronJobs[cronJob.Name] = fields(&cronJob)
			}
			return cronJobs
		},
		"pods":    func() any { return list(w.recorder.Pods(), func(p *corev1.Pod) any { return fields(p) }) },
		"created": func() any { return w.created() },
		"events":  func() any { return list(w.recorder.Events(), func(e *corev1.Event) any { return fields(e) }) },
		"calls":   func() any { return list(w.calls(), call) },
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
	return map[string]any{"verb": c.Verb, "resource": c.Resource, "name": c.Name, "code": int64(c.Code),
		"fault": c.Fault}
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

// lasting is an expression that must be true from some revision on.
type lasting struct {
	expression
	from int // the number of the revision, counted from 1
}

// broke returns which expression was not true at which revision; empty if all were.
func broke(all []lasting, h history.History) string {
	if len(all) == 0 {
		return ""
	}
	created := map[types.UID]any{}
	var order []types.UID
	n := 0
	for revision, state := range h.States() {
		n++
		if pod := revision.Pod(); pod != nil {
			if _, known := created[pod.UID]; !known {
				order = append(order, pod.UID)
			}
			created[pod.UID] = fields(pod)
		}
		if !slices.ContainsFunc(all, func(l lasting) bool { return n >= l.from }) {
			continue
		}
		now := worldOf(state)
		now["created"] = list(order, func(uid *types.UID) any { return created[*uid] })
		now["calls"] = list(h.Calls, call)
		for _, l := range all {
			if n < l.from {
				continue
			}
			if failed := l.holds(now); failed != "" {
				return fmt.Sprintf("it is not always so: %s\nat the revision %s", failed, revision)
			}
		}
	}
	return ""
}

// worldOf is what there was at one point of a history.
func worldOf(state history.State) map[string]any {
	jobs, cronJobs := map[string]any{}, map[string]any{}
	for _, r := range state.Jobs {
		jobs[r.Object.GetName()] = withCounters(fields(r.Job()))
	}
	for _, r := range state.CronJobs {
		cronJobs[r.Object.GetName()] = fields(r.CronJob())
	}
	var pods []*corev1.Pod
	for _, r := range state.Pods {
		pods = append(pods, r.Pod())
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
	return map[string]any{
		"jobs": jobs, "cronjobs": cronJobs, "events": []any{},
		"pods": list(pods, func(p **corev1.Pod) any { return fields(*p) }),
	}
}
