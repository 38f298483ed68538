package plan

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// scale brings the number of active pods to what is wanted. A Plan either deletes or creates, so
// that no revision shows more active pods than allowed.
func (p *Plan) scale(v View, c counts) {
	want := wanted(v.Job, c)
	group, wait := p.group(v)
	if surplus := surplusPods(v.Job, c.active, len(c.active)-want); len(surplus) > 0 {
		// JOB-PARALLELISM-007, JOB-PARALLELISM-008, JOB-ELASTIC-002, JOB-ADMISSION-018
		p.DeleteUncounted = atMost(MaxPods, surplus)
		return
	}
	// Take back pods whose deletion was interrupted (finalizer gone, pod alive) and that are needed
	// again, so that they count. JOB-FAULTS-013
	p.Adopt = slices.DeleteFunc(slices.Clone(c.active), HasFinalizer)
	if len(p.Adopt) > 0 {
		return
	}
	// JOB-REPLACEMENT-007, JOB-ADMISSION-009
	missing := want - len(c.active)
	if ReplaceOnlyFailed(v.Job) {
		missing -= len(c.terminating) // JOB-REPLACEMENT-001, JOB-REPLACEMENT-006
	}
	if missing <= 0 {
		return
	}
	if wait { // WORKLOAD-ADMISSION-001, WORKLOAD-ADMISSION-002
		return
	}
	ready := v.CreateAfter // JOB-ADMISSION-011
	if !LimitPerIndex(v.Job) {
		ready = latest(ready, p.History.readyAt(v.Backoff)) // JOB-BACKOFF-008
	}
	// The status is due even while creation waits (#139457). JOB-STATUS-009
	if wait := ready.Sub(v.Now); wait > 0 {
		p.requeueAfter(wait)
		return
	}
	p.create(v, c, min(missing, MaxPods))
	if group != nil {
		for _, pod := range p.Create {
			join(pod, group)
		}
	}
}

// wanted returns how many pods should be active now.
func wanted(job *batchv1.Job, c counts) int {
	parallelism := int(ptr.Deref(job.Spec.Parallelism, 1)) // JOB-PARALLELISM-003, JOB-COMPLETIONS-010
	if job.Spec.Completions == nil {
		// A work queue: the first success means that the queue is empty. Pods that run may finish,
		// new ones have nothing to do. JOB-PARALLELISM-009, JOB-PARALLELISM-010
		if c.succeeded > 0 {
			return len(c.active)
		}
		return parallelism
	}
	// JOB-PARALLELISM-004, JOB-PARALLELISM-005, JOB-COMPLETIONS-003, JOB-COMPLETIONS-008,
	// JOB-PARALLELISM-002, JOB-PARALLELISM-006
	return max(0, min(parallelism, int(*job.Spec.Completions-c.succeeded)))
}

// surplusPods picks at least n of the active pods to delete: all whose index is wrong or taken by
// a better pod, and then those that have got least far.
func surplusPods(job *batchv1.Job, active []*corev1.Pod, n int) []*corev1.Pod {
	if n <= 0 && !Indexed(job) {
		return nil
	}
	var surplus, rest []*corev1.Pod
	taken := map[int]bool{}
	for _, pod := range slices.Backward(byProgress(active)) {
		// JOB-INDEXED-011, JOB-INDEXED-012
		if ix := CompletionIndex(pod); Indexed(job) && (!validIndex(job, pod) || taken[ix]) {
			surplus = append(surplus, pod)
		} else {
			taken[ix] = true
			rest = append(rest, pod)
		}
	}
	slices.Reverse(rest)
	return append(surplus, rest[:max(0, n-len(surplus))]...)
}

// byProgress returns active pods in the order in which upstream deletes them: unassigned before
// assigned, pending before running, unready before ready, ready for a short time before a long
// one, restarted often before seldom, young before old.
func byProgress(active []*corev1.Pod) []*corev1.Pod {
	type progress struct {
		pod                  *corev1.Pod
		reached              int
		readySince, created  time.Time
		restarts, inASidecar int32
	}
	list := make([]progress, 0, len(active))
	for _, pod := range active {
		p := progress{pod: pod, created: pod.CreationTimestamp.Time}
		if pod.Spec.NodeName != "" {
			p.reached += 8
		}
		switch pod.Status.Phase {
		case corev1.PodUnknown:
			p.reached += 2
		case corev1.PodRunning:
			p.reached += 4
		}
		if since := readySince(pod); since != nil {
			p.reached++
			p.readySince = since.Time
		}
		for _, s := range pod.Status.ContainerStatuses {
			p.restarts = max(p.restarts, s.RestartCount)
		}
		for _, s := range pod.Status.InitContainerStatuses {
			if isSidecar(pod, s.Name) {
				p.inASidecar = max(p.inASidecar, s.RestartCount)
			}
		}
		list = append(list, p)
	}
	slices.SortStableFunc(list, func(a, b progress) int {
		return cmp.Or(cmp.Compare(a.reached, b.reached), latestFirst(a.readySince, b.readySince),
			cmp.Compare(b.restarts, a.restarts), cmp.Compare(b.inASidecar, a.inASidecar),
			latestFirst(a.created, b.created))
	})
	pods := make([]*corev1.Pod, len(list))
	for i, p := range list {
		pods[i] = p.pod
	}
	return pods
}

// latestFirst takes a zero time for the latest.
func latestFirst(a, b time.Time) int {
	switch {
	case a.Equal(b):
		return 0
	case a.IsZero():
		return -1
	case b.IsZero():
		return 1
	}
	return b.Compare(a)
}

// maxGeneratedPrefix leaves room for the five random characters that the API server adds to
// generateName within a DNS label of 63.
const maxGeneratedPrefix = 58

// Kind is the group, version and kind of a Job.
var Kind = batchv1.SchemeGroupVersion.WithKind("Job")

// create adds up to n pods, the lowest indexes first. Indexes in back-off are skipped; the next
// ones take their slots.
func (p *Plan) create(v View, c counts, n int) {
	if !Indexed(v.Job) {
		for range n {
			p.Create = append(p.Create, newPod(v.Job, noIndex, failureCount{}))
		}
		return
	}
	taken := c.indexes.completed
	taken = taken.plus(c.indexes.failed).with(indexesOf(c.active)...)
	if ReplaceOnlyFailed(v.Job) {
		taken = taken.with(indexesOf(c.terminating)...) // JOB-REPLACEMENT-005
	}
	var waiting []int
	for ix, pod := range c.indexes.retained {
		// JOB-BACKOFFLIMITPERINDEX-014, JOB-BACKOFFLIMITPERINDEX-015
		if wait := v.Backoff.after(Attempts(pod)+1, finishTime(pod)).Sub(v.Now); wait > 0 {
			waiting = append(waiting, ix)
			p.requeueAfter(wait)
		}
	}
	// JOB-INDEXED-001, JOB-INDEXED-009, JOB-INDEXED-010, JOB-ELASTIC-001, JOB-ADMISSION-015,
	// JOB-BACKOFFLIMITPERINDEX-003
	all, failures := Intervals{{0, completions(v.Job) - 1}}, failureCounts(v.Job, v.Pods)
	for _, ix := range all.Minus(taken.with(waiting...)).Lowest(n) {
		p.Create = append(p.Create, newPod(v.Job, ix, failures[ix]))
	}
}

// newPod returns a pod from the Job's template. Its labels are the template's: the API server has
// put job-name and controller-uid there. failures are those of its index before it.
func newPod(job *batchv1.Job, index int, failures failureCount) *corev1.Pod {
	template := job.Spec.Template.DeepCopy() // JOB-PODS-001, JOB-SUSPEND-009, JOB-SUSPEND-010
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace:       job.Namespace,
			GenerateName:    namePrefix(job.Name, "-"), // JOB-PODS-003
			Labels:          template.Labels,
			Annotations:     template.Annotations,
			Finalizers:      template.Finalizers,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(job, Kind)}, // JOB-PODS-004
		},
		Spec: template.Spec, // JOB-DEADLINE-009
	}
	if !HasFinalizer(pod) {
		pod.Finalizers = append(pod.Finalizers, batchv1.JobTrackingFinalizer) // JOB-TRACKING-001
	}
	if index != noIndex {
		setIndex(pod, job.Name, index)
	}
	if LimitPerIndex(job) { // JOB-BACKOFFLIMITPERINDEX-012, JOB-BACKOFFLIMITPERINDEX-013
		pod.Annotations[batchv1.JobIndexFailureCountAnnotation] = strconv.Itoa(failures.counted)
		if failures.ignored > 0 {
			pod.Annotations[batchv1.JobIndexIgnoredFailureCountAnnotation] = strconv.Itoa(failures.ignored)
		}
	}
	return pod
}

// namePrefix shortens the name rather than the suffix, which carries the index.
func namePrefix(name, suffix string) string {
	return name[:min(len(name), maxGeneratedPrefix-len(suffix))] + suffix // JOB-IDENTITY-002
}
