package scenario

import (
	"fmt"
	"slices"

	"github.com/jobconformance/jobconformance/fixtures/history"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

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
