package job

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/jobconformance/jobconformance/controller/internal/loop"
	"github.com/jobconformance/jobconformance/controller/job/plan"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"
)

// kubeletFinalizer stays on a pod that is being deleted until its kubelet has
// ended it.
const kubeletFinalizer = "test/kubelet"

var theJob = cache.NewObjectName("ns", "pi")

// world is one Job in a cluster that does its worst: caches lag behind, writes
// fail or their answers get lost, the process dies, and users and kubelets
// interfere between any two writes. All invariants are checked at the API.
type world struct {
	*apiServer
	t *rapid.T
	// jobs and orphans are the controller's queues.
	jobKeys, orphanKeys *wakes
	// revisions of the Job that the controller may take for the latest one; nil
	// stands for none.
	revisions []*batchv1.Job
	known     int  // how many of them it has seen at least
	unheard   bool // whether the answer to the current write gets lost
	made      int  // Jobs so far
	// What the counters must come to, from the pods that were noted in the status
	// and the indexes whose pods have succeeded.
	noted             map[types.UID]bool
	uncounted         map[int]bool // indexes of which a pod went uncounted
	succeeded, failed int32
	indexes           map[int]bool
	wrong             string // the first invariant that broke
}

// wakes is a queue that only keeps what it is asked for.
type wakes struct {
	loop.Queue
	clock interface{ Now() time.Time }
	at    map[cache.ObjectName]time.Time
}

func (q *wakes) ShutDown()                {}
func (q *wakes) Add(key cache.ObjectName) { q.AddAfter(key, 0) }
func (q *wakes) AddAfter(key cache.ObjectName, in time.Duration) {
	at := q.clock.Now().Add(in)
	if old, ok := q.at[key]; !ok || at.Before(old) {
		q.at[key] = at
	}
}

// due takes out what is due by now.
func (q *wakes) due() (keys []cache.ObjectName) {
	for _, key := range slices.SortedFunc(maps.Keys(q.at), func(a, b cache.ObjectName) int {
		return slices.Compare([]string{a.Name}, []string{b.Name})
	}) {
		if !q.at[key].After(q.clock.Now()) {
			keys = append(keys, key)
			delete(q.at, key)
		}
	}
	return keys
}

func newWorld(t *rapid.T, job *batchv1.Job) *world {
	w := &world{t: t}
	w.apiServer = newAPIServer(t, job)
	w.events = &record.FakeRecorder{}
	w.changed = w.check
	w.jobs = map[string]*batchv1.Job{}
	w.start(job)
	w.connect(w.controller.client.(*fake.Clientset))
	return w
}

// start creates the Job, or another one of its name.
func (w *world) start(job *batchv1.Job) {
	w.made++
	job.UID = types.UID(fmt.Sprint("job-", w.made))
	w.noted, w.succeeded, w.failed = map[types.UID]bool{}, 0, 0
	w.indexes, w.uncounted = map[int]bool{}, map[int]bool{}
	w.putJob(job)
}

// putJob makes a revision of the Job; nil deletes it.
func (w *world) putJob(job *batchv1.Job) {
	if job == nil {
		delete(w.jobs, "pi")
		w.version++
	} else {
		w.jobs["pi"] = stamped(w.apiServer, job)
	}
	w.revisions = append(w.revisions, job)
}

// connect starts the process anew.
func (w *world) connect(client *fake.Clientset) {
	w.controller.queue.ShutDown()
	w.controller.orphans.ShutDown()
	w.apiServer.connect(client)
	w.controller.queue.ShutDown()
	w.controller.orphans.ShutDown()
	w.jobKeys = &wakes{clock: w.clock, at: map[cache.ObjectName]time.Time{}}
	w.orphanKeys = &wakes{clock: w.clock, at: map[cache.ObjectName]time.Time{}}
	w.controller.queue, w.controller.orphans = w.jobKeys, w.orphanKeys
	for _, job := range w.jobs {
		w.controller.jobChanged(nil, job)
	}
	for _, name := range slices.Sorted(maps.Keys(w.pods)) {
		w.controller.podChanged(nil, w.pods[name])
	}
	w.known = len(w.revisions)
}

// notify shows an informer what the API has, and calls its handler for what changed.
func notify[T metav1.Object](w *world, store cache.Indexer, now map[string]T, changed func(before, now T)) {
	before := map[string]T{}
	for _, obj := range store.List() {
		before[obj.(T).GetName()] = obj.(T)
	}
	replace(w.t, store, now, w.version)
	names := slices.Sorted(maps.Keys(before))
	for _, name := range slices.Compact(
		slices.Sorted(slices.Values(append(names, slices.Collect(maps.Keys(now))...)))) {
		var none T
		old, was := before[name]
		obj, is := now[name]
		switch {
		case was && is && old.GetUID() != obj.GetUID():
			changed(old, none)
			changed(none, obj)
		case !was || !is || old.GetResourceVersion() != obj.GetResourceVersion():
			changed(old, obj)
		}
	}
}

func (w *world) showJobs() {
	notify(w, w.jobStore, w.jobs, w.controller.jobChanged)
	w.known = len(w.revisions)
}

func (w *world) showPods() { notify(w, w.controller.pods, w.pods, w.controller.podChanged) }

// fault is what befalls one sync: its write number at fails, or succeeds without
// an answer, or is the first that a dead process does not make; and before its
// write number meddleAt somebody else does something.
type fault struct {
	kind     string
	at       int
	meddle   string
	meddleAt int
	pick     int
}

// sync lets the controller handle all that is due, or the Job though it is not.
func (w *world) sync(f fault) {
	w.revisions, w.known = w.revisions[max(0, w.known-1):], min(w.known, 1)
	writes := 0
	w.lose = f.kind == "lose"
	w.refuse = func(string) error {
		writes++
		if writes == f.meddleAt {
			w.act(f.meddle, f.pick)
		}
		w.unheard = f.kind == "die" && writes >= f.at || f.kind != "" && writes == f.at
		if w.unheard {
			return errors.New("chaos")
		}
		return nil
	}
	for _, key := range w.orphanKeys.due() {
		if w.controller.syncOrphan(context.Background(), key) != nil {
			w.orphanKeys.Add(key)
		}
	}
	w.jobKeys.due()
	if w.controller.sync(context.Background(), theJob) != nil {
		w.jobKeys.Add(theJob)
	}
	w.controller.client.(*fake.Clientset).ClearActions()
	if w.wrong != "" {
		w.t.Fatal(w.wrong)
	}
	if f.kind == "die" && writes >= f.at {
		w.connect(w.controller.client.(*fake.Clientset))
	}
}

// act is something that the controller has no hand in; pick chooses among pods
// and values.
func (w *world) act(what string, pick int) {
	choose := func(which func(*corev1.Pod) bool) *corev1.Pod {
		var pods []*corev1.Pod
		for _, name := range slices.Sorted(maps.Keys(w.pods)) {
			if which(w.pods[name]) {
				pods = append(pods, w.pods[name])
			}
		}
		if len(pods) == 0 {
			return nil
		}
		return pods[pick%len(pods)].DeepCopy()
	}
	switch what {
	case "jobs":
		w.showJobs()
	case "pods":
		w.showPods()
	case "wait":
		w.clock.Step(time.Duration(1+pick%40) * time.Second)
	case "run":
		if pod := choose(active); pod != nil {
			pod.Status.Phase = corev1.PodRunning
			pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", RestartCount: int32(pick % 5 / 4)}}
			w.store(pod)
		}
	case "end":
		if pod := choose(func(pod *corev1.Pod) bool { return !plan.Terminal(pod) }); pod != nil {
			w.end(pod, []int32{0, 0, 1, 42, 3}[pick%5], pick%7 == 0)
		}
	case "delete":
		if pod := choose(func(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil }); pod != nil {
			w.delete(pod)
		}
	case "kubelet":
		if pod := choose(func(pod *corev1.Pod) bool { return pod.DeletionTimestamp != nil }); pod != nil {
			w.kubeletEnds(pod, pick%3 > 0)
		}
	case "user":
		w.changeJob(pick)
	}
}

// kubeletEnds carries a deletion out. A pod that never ran may have no final phase.
func (w *world) kubeletEnds(pod *corev1.Pod, final bool) {
	if !plan.Terminal(pod) && (final || plan.HasFinalizer(pod)) {
		w.end(pod, 143, false)
		pod = w.pods[pod.Name].DeepCopy()
	}
	pod.Finalizers = slices.DeleteFunc(pod.Finalizers, func(f string) bool { return f == kubeletFinalizer })
	w.store(pod)
}

func (w *world) end(pod *corev1.Pod, code int32, disrupted bool) {
	pod.Status.Phase = corev1.PodFailed
	pod.Status.Conditions = nil
	if code == 0 {
		pod.Status.Phase = corev1.PodSucceeded
	} else if disrupted {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}}
	}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "main", State: corev1.ContainerState{
		Terminated: &corev1.ContainerStateTerminated{ExitCode: code, FinishedAt: metav1.NewTime(w.clock.Now())}}}}
	w.store(pod)
}

// changeJob is what users and the garbage collector do to the Job.
func (w *world) changeJob(pick int) {
	if w.jobs["pi"] == nil {
		return
	}
	job := w.jobs["pi"].DeepCopy()
	n := ptr.To(int32(pick / 10 % 5))
	switch pick % 10 {
	case 0, 1, 2:
		job.Spec.Suspend = ptr.To(!suspended(job))
	case 3, 4, 5:
		// If completions went down before, kube-apiserver (v1.37) would refuse every
		// status that follows: succeeded may go down only where both are the same.
		if !plan.Indexed(job) || *job.Spec.Completions != *job.Spec.Parallelism {
			job.Spec.Parallelism = n
		}
	case 6, 7:
		if plan.Indexed(job) {
			job.Spec.Parallelism, job.Spec.Completions = n, n // elastic
		}
	case 8:
		if pick/10%3 == 0 {
			job.DeletionTimestamp = ptr.To(metav1.NewTime(w.clock.Now())) // in the foreground
		}
	case 9:
		if pick/10%3 == 0 {
			again := job.DeepCopy()
			again.Status = batchv1.JobStatus{}
			again.DeletionTimestamp = nil
			w.putJob(nil)
			w.start(again)
		}
	}
	if w.jobs["pi"].UID == job.UID {
		w.putJob(job)
	}
	w.collectGarbage()
}

// collectGarbage deletes pods whose Job is gone or on its way out.
func (w *world) collectGarbage() {
	for _, name := range slices.Sorted(maps.Keys(w.pods)) {
		job := w.jobs["pi"]
		ref := metav1.GetControllerOf(w.pods[name])
		if ref != nil && (job == nil || ref.UID != job.UID || job.DeletionTimestamp != nil) {
			w.delete(w.pods[name])
		}
	}
}

func podIndex(pod *corev1.Pod) string { return strconv.Itoa(plan.CompletionIndex(pod)) }
