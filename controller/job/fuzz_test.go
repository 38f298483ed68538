package job

import (
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

// FuzzPlan plays a Job in a cluster without an API server: pods live and die,
// the spec changes, Plans are carried out in part or whole, and the process
// forgets everything. Properties are checked at each revision; in the end all
// pods must be counted exactly once.
func FuzzPlan(f *testing.F) { f.Fuzz(rapid.MakeFuzz(playJob)) }

func TestPlanProperties(t *testing.T) { rapid.Check(t, playJob) }

func playJob(t *rapid.T) {
	w := newCluster(t)
	steps := rapid.IntRange(5, 60).Draw(t, "steps")
	for range steps {
		switch rapid.SampledFrom([]string{"sync", "sync", "run", "end", "end", "delete", "vanish", "spec", "wait", "crash"}).Draw(t, "step") {
		case "sync":
			w.sync(rapid.IntRange(0, 12).Draw(t, "writes"))
		case "run":
			w.withPod(active, func(pod *corev1.Pod) {
				pod.Status.Phase = corev1.PodRunning
				pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
			})
		case "end":
			phase := rapid.SampledFrom([]corev1.PodPhase{corev1.PodSucceeded, corev1.PodFailed}).Draw(t, "phase")
			w.withPod(func(pod *corev1.Pod) bool { return !terminal(pod) }, func(pod *corev1.Pod) { w.end(pod, phase) })
		case "delete":
			w.withPod(active, w.markDeleted)
		case "vanish":
			w.withPod(func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil }, func(pod *corev1.Pod) {
				if !terminal(pod) && rapid.Bool().Draw(t, "kubelet tells") {
					w.end(pod, corev1.PodFailed)
				}
				w.vanish(pod)
			})
		case "spec":
			w.changeSpec()
		case "wait":
			w.now = w.now.Add(time.Duration(rapid.IntRange(1, 30).Draw(t, "seconds")) * time.Second)
		case "crash":
			w.history = History{}
		}
	}
	w.settle()
}

// cluster is the least that a Plan can be carried out in.
type cluster struct {
	t       *rapid.T
	job     *batchv1.Job
	pods    []*corev1.Pod
	now     time.Time
	history History
	created int
	// What the counters must come to, from the pods whose finalizer went.
	succeeded, failed int32
	indexes           map[int]bool
}

func newCluster(t *rapid.T) *cluster {
	job := makeJob(unstarted, limit(int32(rapid.IntRange(0, 4).Draw(t, "backoffLimit"))))
	n := int32(rapid.IntRange(0, 5).Draw(t, "completions"))
	job.Spec.Completions = &n
	job.Spec.Parallelism = ptr.To(int32(rapid.IntRange(0, 5).Draw(t, "parallelism")))
	job.Spec.Suspend = ptr.To(rapid.Bool().Draw(t, "suspend"))
	if rapid.Bool().Draw(t, "indexed") {
		withIndexes(job)
	} else if rapid.Bool().Draw(t, "work queue") {
		job.Spec.Completions = nil
	}
	if rapid.Bool().Draw(t, "replace failed") {
		replaceFailed(job)
	}
	if rapid.Bool().Draw(t, "deadline") {
		job.Spec.ActiveDeadlineSeconds = ptr.To(int64(rapid.IntRange(1, 100).Draw(t, "seconds")))
	}
	return &cluster{t: t, job: job, now: noon, indexes: map[int]bool{}}
}

func (w *cluster) withPod(which func(*corev1.Pod) bool, do func(*corev1.Pod)) {
	if pods := filter(w.pods, which); len(pods) > 0 {
		do(pods[rapid.IntRange(0, len(pods)-1).Draw(w.t, "pod")])
	}
}

func (w *cluster) end(pod *corev1.Pod, phase corev1.PodPhase) {
	pod.Status.Phase = phase
	pod.Status.Conditions = nil
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.NewTime(w.now)}}}}
}

func (w *cluster) markDeleted(pod *corev1.Pod) { pod.DeletionTimestamp = ptr.To(metav1.NewTime(w.now)) }

func (w *cluster) vanish(pod *corev1.Pod) {
	if len(pod.Finalizers) == 0 {
		w.pods = slices.DeleteFunc(w.pods, func(p *corev1.Pod) bool { return p == pod })
	}
}

func (w *cluster) changeSpec() {
	w.job = w.job.DeepCopy()
	switch rapid.SampledFrom([]string{"suspend", "parallelism", "delete"}).Draw(w.t, "change") {
	case "suspend":
		w.job.Spec.Suspend = ptr.To(!*w.job.Spec.Suspend)
	case "parallelism":
		w.job.Spec.Parallelism = ptr.To(int32(rapid.IntRange(0, 5).Draw(w.t, "parallelism")))
	case "delete":
		if rapid.IntRange(0, 9).Draw(w.t, "seldom") == 0 {
			beingDeleted(w.job)
		}
	}
}

// sync plans and carries out the first writes of the Plan, and reports whether
// there were any.
func (w *cluster) sync(writes int) bool {
	v := View{Job: w.job, Pods: slices.Clone(w.pods), Now: w.now, Backoff: defaultBackoff, History: w.history}
	before := describe(Plan{Status: v.Job.Status})
	p := plan(v)
	if after := describe(Plan{Status: v.Job.Status}); after != before {
		w.t.Fatalf("plan changed its View: %s", after)
	}
	if again := describe(plan(v)); again != describe(p) {
		w.t.Fatalf("plans differ:\n%s\n%s", describe(p), again)
	}
	w.t.Logf("%s  %s", w.now.Format(time.TimeOnly), describe(p))
	w.checkPlan(p)

	w.history = p.History
	did := false
	write := func() bool {
		writes--
		did = did || writes >= 0
		return writes >= 0
	}
	if describe(Plan{Status: p.Status}) != before {
		if !write() {
			return did
		}
		next := w.job.DeepCopy()
		next.Status = p.Status
		w.checkStatus(w.job, next)
		w.job = next
	}
	for _, pod := range p.Release {
		if write() {
			w.count(pod)
			pod.Finalizers = nil
		}
	}
	for _, pod := range p.Retire {
		if write() {
			pod.Finalizers = nil
		}
		if write() {
			w.markDeleted(pod)
		}
	}
	for _, pod := range p.Kill {
		if write() {
			w.markDeleted(pod)
		}
	}
	for _, n := range p.Create {
		if write() {
			w.create(n.index)
		}
	}
	return did
}

func (w *cluster) create(ix int) {
	w.created++
	pod := makePod(fmt.Sprintf("p%d ix=%s", w.created, strconv.Itoa(ix)))
	pod.CreationTimestamp = metav1.NewTime(w.now)
	w.pods = append(w.pods, pod)
}

// count is how a pod shall be counted whose finalizer goes now.
func (w *cluster) count(pod *corev1.Pod) {
	u := w.job.Status.UncountedTerminatedPods
	switch {
	case slices.Contains(u.Failed, pod.UID): // though it may succeed after all
		w.failed++
	case indexed(w.job) && pod.Status.Phase == corev1.PodSucceeded:
		w.indexes[completionIndex(pod)] = true
	case slices.Contains(u.Succeeded, pod.UID):
		w.succeeded++
	case terminal(pod):
		w.t.Fatalf("the finalizer of %s, which has %s, goes before the status knows", pod.Name, pod.Status.Phase)
	case w.job.DeletionTimestamp == nil && isTrue(w.job, batchv1.JobSuccessCriteriaMet) == nil:
		w.t.Fatalf("the finalizer of %s goes for no reason", pod.Name)
	}
}

func (w *cluster) checkPlan(p Plan) {
	job := w.job
	running := len(filter(w.pods, active))
	if n := len(p.Create); n > 0 {
		most := int(*job.Spec.Parallelism)
		if job.Spec.Completions != nil {
			succeeded := int(p.Status.Succeeded)
			if !indexed(job) {
				succeeded += len(p.Status.UncountedTerminatedPods.Succeeded)
			}
			most = min(most, int(*job.Spec.Completions)-succeeded)
		}
		if running+n > most {
			w.t.Fatalf("%d active and %d new pods, but at most %d allowed", running, n, most)
		}
		switch {
		case suspended(job):
			w.t.Fatal("a suspended Job gets pods")
		case job.DeletionTimestamp != nil:
			w.t.Fatal("a Job being deleted gets pods")
		case len(p.Retire)+len(p.Kill) > 0:
			w.t.Fatal("creates and deletes at once")
		case slices.ContainsFunc(p.Status.Conditions, func(c batchv1.JobCondition) bool { return c.Type != batchv1.JobSuspended }):
			w.t.Fatal("creates and ends at once")
		}
	}
	for _, pod := range slices.Concat(p.Retire, p.Kill) {
		if pod.DeletionTimestamp != nil {
			w.t.Fatalf("deletes %s again", pod.Name)
		}
	}
}

// checkStatus is what kube-apiserver v1.37 demands of a status, and a bit more.
func (w *cluster) checkStatus(before, after *batchv1.Job) {
	old, now := before.Status, after.Status
	if Finished(before) {
		w.t.Fatal("a finished Job changes")
	}
	if now.Failed < old.Failed || now.Succeeded < old.Succeeded {
		w.t.Fatal("a counter goes back")
	}
	if *now.Ready > now.Active {
		w.t.Fatal("more ready than active")
	}
	t := func(job *batchv1.Job, kind batchv1.JobConditionType) bool {
		return isTrue(job, kind) != nil
	}
	for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet} {
		if t(before, kind) && !t(after, kind) {
			w.t.Fatalf("%s is withdrawn", kind)
		}
	}
	if t(after, batchv1.JobFailureTarget) && t(after, batchv1.JobSuccessCriteriaMet) {
		w.t.Fatal("both failing and succeeding")
	}
	if t(after, batchv1.JobFailed) && !t(before, batchv1.JobFailureTarget) ||
		t(after, batchv1.JobComplete) && !t(before, batchv1.JobSuccessCriteriaMet) {
		w.t.Fatal("the terminal condition comes without the interim one before")
	}
	if (now.CompletionTime != nil) != t(after, batchv1.JobComplete) {
		w.t.Fatal("completionTime belongs to Complete")
	}
	resuming := t(before, batchv1.JobSuspended) && !t(after, batchv1.JobSuspended)
	if old.StartTime != nil && !old.StartTime.Equal(now.StartTime) && !suspended(after) && !resuming {
		w.t.Fatal("startTime of a running Job changes")
	}
	if Finished(after) {
		w.checkEnd(after)
	}
}

func (w *cluster) checkEnd(job *batchv1.Job) {
	s := job.Status
	switch {
	case s.Active+*s.Terminating+*s.Ready > 0:
		w.t.Fatal("finished with pods left")
	case len(s.UncountedTerminatedPods.Succeeded)+len(s.UncountedTerminatedPods.Failed) > 0:
		w.t.Fatal("finished with pods uncounted")
	case slices.ContainsFunc(w.pods, hasFinalizer):
		w.t.Fatal("finished with finalizers left")
	case s.StartTime == nil && !(suspended(job) && ptr.Deref(job.Spec.Completions, 1) == 0):
		w.t.Fatal("finished but never started")
	}
	w.checkCounters(job)
}

func (w *cluster) checkCounters(job *batchv1.Job) {
	succeeded := w.succeeded
	if indexed(job) {
		succeeded = int32(len(w.indexes))
	}
	if job.Status.Succeeded != succeeded || job.Status.Failed != w.failed {
		w.t.Fatalf("counted %d succeeded and %d failed pods, but it were %d and %d",
			job.Status.Succeeded, job.Status.Failed, succeeded, w.failed)
	}
}

// settle lets everything come to rest: Jobs must not spin, and those that can
// end must.
func (w *cluster) settle() {
	w.job = w.job.DeepCopy()
	w.job.Spec.Suspend = ptr.To(false)
	w.job.Spec.Parallelism = ptr.To[int32](3)
	for range 300 {
		if w.sync(1000) {
			continue
		}
		for _, pod := range slices.Clone(w.pods) {
			switch {
			case !terminal(pod) && pod.DeletionTimestamp == nil:
				w.end(pod, corev1.PodSucceeded)
			case !terminal(pod):
				w.end(pod, corev1.PodFailed)
			}
			if pod.DeletionTimestamp != nil {
				w.vanish(pod)
			}
		}
		if Finished(w.job) || w.job.DeletionTimestamp != nil && !w.sync(1000) {
			if slices.ContainsFunc(w.pods, hasFinalizer) {
				w.t.Fatal("a finalizer is left")
			}
			w.checkCounters(w.job)
			return
		}
		w.now = w.now.Add(time.Minute)
	}
	w.t.Fatalf("still not finished: %s", describe(Plan{Status: w.job.Status}))
}
