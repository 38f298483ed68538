package bench

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jobconformance/jobconformance/fixtures/kinds"
	"github.com/jobconformance/jobconformance/suites/bench/requests"
	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ownWriters is how many requests the benchmark itself has in flight.
const ownWriters = 32

// stallLimit is how long no Job may change before a measurement is given up.
const stallLimit = 2 * time.Minute

// workload is a namespace in which a finisher ends pods and Jobs are watched.
type workload struct {
	client    kubernetes.Interface
	namespace string
	finisher  *finisher
	unwatch   func()

	mu       sync.Mutex
	jobs     map[string]*batchv1.Job
	finished map[string]time.Time // when it was seen
	changed  chan struct{}
}

func newWorkload(ctx context.Context, c kubernetes.Interface) (*workload, error) {
	ns, err := c.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "jobconformance-bench-"}}, metav1.CreateOptions{})
	if err != nil {
		return nil, err
	}
	w := &workload{
		client: c, namespace: ns.Name,
		jobs: map[string]*batchv1.Job{}, finished: map[string]time.Time{}, changed: make(chan struct{}),
	}
	w.unwatch, err = requests.Watch(ctx, c, ns.Name, requests.Jobs, cache.ResourceEventHandlerFuncs{
		AddFunc:    w.saw,
		UpdateFunc: func(_, job any) { w.saw(job) },
	})
	if err != nil {
		return nil, err
	}
	if w.finisher, err = finishPods(ctx, c, ns.Name); err != nil {
		w.unwatch()
		return nil, err
	}
	return w, nil
}

func (w *workload) saw(obj any) {
	job := obj.(*batchv1.Job)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.jobs[job.Name] = job
	if _, known := w.finished[job.Name]; !known && kinds.Finished(job) != "" {
		w.finished[job.Name] = time.Now()
	}
	close(w.changed)
	w.changed = make(chan struct{})
}

// await waits until n Jobs have finished, and returns when the last of them had.
func (w *workload) await(ctx context.Context, n int) (time.Time, error) {
	for {
		w.mu.Lock()
		changed, done := w.changed, len(w.finished)
		var last time.Time
		for _, at := range w.finished {
			if at.After(last) {
				last = at
			}
		}
		w.mu.Unlock()
		if done >= n {
			return last, nil
		}
		select {
		case <-changed:
		case <-time.After(stallLimit):
			return last, errors.Join(fmt.Errorf("%d of %d Jobs are finished, and none has changed for %s", done, n,
				stallLimit), w.finisher.err())
		case <-ctx.Done():
			return last, context.Cause(ctx)
		}
	}
}

// judge checks the final statuses of the Jobs: figures of a controller that counts
// wrong are worth nothing.
func (w *workload) judge(row row) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	want, succeeded, failed := batchv1.JobComplete, row.pods, 0
	if row.fails {
		want, succeeded, failed = batchv1.JobFailed, 0, row.pods
	}
	if len(w.jobs) != row.jobs {
		return fmt.Errorf("there are %d Jobs instead of %d", len(w.jobs), row.jobs)
	}
	for name, job := range w.jobs {
		if kinds.Finished(job) != want {
			return fmt.Errorf("the Job %s is %s instead of %s", name, kinds.Finished(job), want)
		}
		succeeded -= int(job.Status.Succeeded)
		failed -= int(job.Status.Failed)
	}
	if succeeded != 0 || failed != 0 {
		return fmt.Errorf("the Jobs' statuses miss %d succeeded and %d failed pods", succeeded, failed)
	}
	return w.finisher.err()
}

// stop ends the watches and the finisher; the namespace stays.
func (w *workload) stop() {
	w.finisher.stop()
	w.unwatch()
}

// clear empties the namespace. Pods are deleted by many requests at a time,
// without a grace period. The deletion of the namespace itself is slow and not
// waited for: an empty namespace costs nothing.
func (w *workload) clear(ctx context.Context) error {
	w.stop()
	background := metav1.DeletePropagationBackground // or Jobs would orphan their pods
	batch, core, all := w.client.BatchV1(), w.client.CoreV1(), metav1.ListOptions{}
	for _, collection := range []interface {
		DeleteCollection(context.Context, metav1.DeleteOptions, metav1.ListOptions) error
	}{batch.CronJobs(w.namespace), batch.Jobs(w.namespace)} {
		if err := collection.DeleteCollection(ctx, metav1.DeleteOptions{PropagationPolicy: &background},
			all); err != nil {
			return err
		}
	}
	pods, err := core.Pods(w.namespace).List(ctx, all)
	if err != nil {
		return err
	}
	err = inParallel(ctx, len(pods.Items), func(ctx context.Context, i int) error {
		err := core.Pods(w.namespace).Delete(ctx, pods.Items[i].Name,
			metav1.DeleteOptions{GracePeriodSeconds: new(int64)})
		return client.IgnoreNotFound(err)
	})
	if err != nil {
		return err
	}
	if err := core.Events(w.namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, all); err != nil {
		return err
	}
	return core.Namespaces().Delete(ctx, w.namespace, metav1.DeleteOptions{})
}

func inParallel(ctx context.Context, n int, do func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(ownWriters)
	for i := range n {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return do(ctx, i)
		})
	}
	return group.Wait()
}

// scheduler is the spec.schedulerName of pods that a finisher ends.
const scheduler = "jobconformance-bench"

// exitCode is the annotation with a pod's exit code, "0" without it.
const exitCode = "bench.jobconformance.io/exit-code"

// writers is how many pods are written at the same time.
const writers = 16

// finisher ends all pods of a namespace that name its scheduler, as fast as the
// API server takes it.
//
// On an embedded cluster pods are otherwise scheduled, and run by KWOK: that takes
// four writes or more, and templates and queries for each. It costs the machine
// more than the controllers that are to be measured. The finisher's scheduler does
// not exist, so nothing else touches these pods; their first status, written as
// soon as a pod is seen, is their last.
type finisher struct {
	client kubernetes.Interface
	queue  workqueue.TypedInterface[*corev1.Pod]
	ended  atomic.Int64
	failed atomic.Pointer[error]
	stop   func() // returns when nothing runs any more
}

// finishPods starts a finisher. It returns when the watch is established; the
// context bounds only that.
func finishPods(ctx context.Context, c kubernetes.Interface, namespace string) (*finisher, error) {
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	f := &finisher{client: c, queue: workqueue.NewTyped[*corev1.Pod]()}
	unwatch, err := requests.Watch(ctx, c, namespace, requests.Pods,
		cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
			if pod := obj.(*corev1.Pod); pod.Spec.SchedulerName == scheduler && pod.Status.Phase == corev1.PodPending {
				f.queue.Add(pod)
			}
		}})
	if err != nil {
		cancel()
		return nil, err
	}
	var working sync.WaitGroup
	for range writers {
		working.Go(func() { f.work(running) })
	}
	f.stop = func() {
		cancel()
		f.queue.ShutDown()
		working.Wait()
		unwatch()
	}
	return f, nil
}

// err returns why a pod could not be ended: its Job will never finish.
func (f *finisher) err() error {
	if err := f.failed.Load(); err != nil {
		return *err
	}
	return nil
}

func (f *finisher) work(ctx context.Context) {
	for {
		pod, quit := f.queue.Get()
		if quit {
			return
		}
		if err := f.finish(ctx, pod.DeepCopy()); err != nil && !apierrors.IsNotFound(err) && ctx.Err() == nil {
			f.failed.CompareAndSwap(nil, &err)
		}
		f.queue.Done(pod)
	}
}

func (f *finisher) finish(ctx context.Context, pod *corev1.Pod) error {
	pods := f.client.CoreV1().Pods(pod.Namespace)
	setEnded(pod)
	_, err := pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	if apierrors.IsConflict(err) { // someone else has written the pod, but not its status
		if pod, err = pods.Get(ctx, pod.Name, metav1.GetOptions{}); err == nil {
			setEnded(pod)
			_, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		}
	}
	if err != nil {
		return fmt.Errorf("ending a pod: %w", err)
	}
	f.ended.Add(1)
	return nil
}

// setEnded sets the status of a pod whose containers have ended with the exit code
// of the pod's annotation.
func setEnded(pod *corev1.Pod) {
	now := metav1.Now()
	code, _ := strconv.ParseInt(pod.Annotations[exitCode], 10, 32)
	phase, reason, why := corev1.PodSucceeded, "Completed", "PodCompleted"
	if code != 0 {
		phase, reason, why = corev1.PodFailed, "Error", "PodFailed"
	}
	pod.Status.Phase = phase
	pod.Status.StartTime = &now
	pod.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodInitialized, Status: corev1.ConditionTrue, LastTransitionTime: now},
		{Type: corev1.PodReady, Status: corev1.ConditionFalse, Reason: why, LastTransitionTime: now},
		{Type: corev1.ContainersReady, Status: corev1.ConditionFalse, Reason: why, LastTransitionTime: now},
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: now},
	}
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, Image: c.Image, Started: ptr.To(false),
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
				ExitCode: int32(code), Reason: reason, StartedAt: now, FinishedAt: now,
			}},
		})
	}
}
