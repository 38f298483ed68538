package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jobconformance/jobconformance/fixtures/history"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// End returns the end state in lines that two implementations have in common if they do the
// same: conditions, counters and indexes of each Job, the status of each CronJob, and how
// many pods are in which state. Names and times are left out, as they differ between runs; so are
// the conditions past, where they are true no more.
func (r *Result) End(past ...batchv1.JobConditionType) []string {
	var last history.State
	for _, state := range r.History.States() {
		last = state // it is updated in place
	}
	var lines []string
	for _, revision := range last.CronJobs {
		c := revision.CronJob()
		lines = append(lines, fmt.Sprintf("CronJob %s: active=%d lastScheduleTime=%t lastSuccessfulTime=%t",
			c.Name, len(c.Status.Active), c.Status.LastScheduleTime != nil, c.Status.LastSuccessfulTime != nil))
	}
	jobs := map[string]string{}
	for uid, revision := range last.Jobs {
		job := revision.Job()
		name := job.Name
		if owner := metav1.GetControllerOfNoCopy(job); owner != nil {
			name = owner.Name + "-*"
		}
		jobs[string(uid)] = name
		lines = append(lines, "Job "+name+": "+statusLine(&job.Status, past))
	}
	pods := map[string]int{}
	for _, revision := range last.Pods {
		pod := revision.Pod()
		owner := "nobody"
		if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
			if owner = jobs[string(ref.UID)]; owner == "" {
				continue // the garbage collector is about to delete it
			}
		}
		pods[fmt.Sprintf("pods of %s %s finalizers=%d deleted=%t", owner, pod.Status.Phase, len(pod.Finalizers),
			pod.DeletionTimestamp != nil)]++
	}
	for state, n := range pods {
		lines = append(lines, fmt.Sprintf("%s: %d", state, n))
	}
	slices.Sort(lines)
	return lines
}

func statusLine(s *batchv1.JobStatus, past []batchv1.JobConditionType) string {
	var conditions []string
	for _, c := range s.Conditions {
		if c.Status != corev1.ConditionTrue && slices.Contains(past, c.Type) {
			continue
		}
		conditions = append(conditions, fmt.Sprintf("%s=%s(%s)", c.Type, c.Status, c.Reason))
	}
	slices.Sort(conditions)
	uncounted := ptr.Deref(s.UncountedTerminatedPods, batchv1.UncountedTerminatedPods{})
	return fmt.Sprintf("%s active=%d ready=%d terminating=%d succeeded=%d failed=%d completedIndexes=%q "+
		"failedIndexes=%q uncounted=%d startTime=%t completionTime=%t",
		strings.Join(conditions, ","), s.Active, ptr.Deref(s.Ready, 0), ptr.Deref(s.Terminating, 0), s.Succeeded,
		s.Failed,
		s.CompletedIndexes, ptr.Deref(s.FailedIndexes, ""), len(uncounted.Succeeded)+len(uncounted.Failed),
		s.StartTime != nil, s.CompletionTime != nil)
}

// Differences returns the lines that only here has, with "+" before them, and those that only
// there has, with "-".
func Differences(here, there []string) (lines []string) {
	only := func(sign string, these, those []string) {
		for _, line := range these {
			if !slices.Contains(those, line) {
				lines = append(lines, sign+" "+line)
			}
		}
	}
	only("+", here, there)
	only("-", there, here)
	return lines
}
