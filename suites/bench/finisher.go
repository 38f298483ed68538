package bench

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/jobconformance/jobconformance/suites/bench/requests"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"
)

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
	unwatch, err := requests.Watch(ctx, c, namespace, requests.Pods, cache.ResourceEventHandlerFuncs{AddFunc: func(obj any) {
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
