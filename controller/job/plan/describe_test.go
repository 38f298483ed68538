package plan

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// describe puts a Plan for a Job into one line, without what is empty or zero. It begins with the
// status as it is then.
func describe(job *batchv1.Job, p Plan) string {
	status := job.Status
	if p.Status != nil {
		status = *p.Status
	}
	var parts []string
	if text := DescribeStatus(status); text != "" {
		parts = append(parts, text)
	}
	add := func(format string, args ...any) { parts = append(parts, fmt.Sprintf(format, args...)) }
	names := func(what string, pods []*corev1.Pod) {
		var list []string
		for _, pod := range pods {
			list = append(list, pod.Name)
		}
		if len(list) > 0 {
			add("%s %s", what, strings.Join(list, " "))
		}
	}
	for _, e := range p.Events {
		add("!%s", e.Reason)
	}
	names("release", p.Release)
	names("removeFinalizer", p.RemoveFinalizer)
	names("deleteUncounted", p.DeleteUncounted)
	names("deleteCounted", p.DeleteCounted)
	names("adopt", p.Adopt)
	if len(p.Create) > 0 && CompletionIndex(p.Create[0]) == noIndex {
		add("create %d", len(p.Create))
	} else if len(p.Create) > 0 {
		var list []string
		for _, pod := range p.Create {
			text := strconv.Itoa(CompletionIndex(pod))
			if n := Attempts(pod); n > 0 {
				text += fmt.Sprintf(" after %d", n)
			}
			list = append(list, text)
		}
		add("create %v", list)
	}
	if p.RequeueAfter > 0 {
		add("requeue %v", p.RequeueAfter)
	}
	return strings.Join(parts, ", ")
}

// planRow is one line of a table: a Job, its pods, and the Plan that follows. The name is a whole
// sentence about the controller.
type planRow struct {
	name string
	job  *batchv1.Job
	pods []*corev1.Pod
	want string
}

func checkPlans(t *testing.T, rows []planRow) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			if got := describe(row.job, New(viewOf(row.job, row.pods...))); got != row.want {
				t.Errorf("\n got %s\nwant %s", got, row.want)
			}
		})
	}
}

// viewOf returns the View of a controller whose informers keep no more than they have to.
func viewOf(job *batchv1.Job, pods ...*corev1.Pod) View {
	for _, pod := range pods {
		Trim(pod)
	}
	return View{Job: job, Pods: pods, Now: Noon, Backoff: DefaultBackoff}
}
